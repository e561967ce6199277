// SPDX-License-Identifier: Apache-2.0

package browsertest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Tab is one page at a time, with all that its pages asked for and complained of. A
// test fails with what a tab cannot do.
type Tab struct {
	t       testing.TB
	browser *Browser
	session string

	heard      sync.Mutex
	requests   []string
	complaints []string
}

// Open opens an empty tab.
func (b *Browser) Open(t testing.TB) *Tab {
	t.Helper()
	var target struct{ TargetID, SessionID string }
	b.order(t, "", "Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	b.order(t, "", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &target)
	p := &Tab{t: t, browser: b, session: target.SessionID}
	b.mu.Lock()
	b.tabs[p.session] = p
	b.mu.Unlock()
	for _, domain := range []string{"Page", "Runtime", "Log", "Network", "Audits"} {
		p.Do(domain+".enable", nil)
	}
	return p
}

// Do is an order of the DevTools protocol.
func (p *Tab) Do(method string, params map[string]any) {
	p.t.Helper()
	p.browser.order(p.t, p.session, method, params, nil)
}

// Go loads a page.
func (p *Tab) Go(url string) {
	p.t.Helper()
	p.Do("Page.navigate", map[string]any{"url": url})
	p.Await("document.readyState === 'complete'")
}

// Size makes the tab so many CSS pixels wide and high.
func (p *Tab) Size(width, height int) {
	p.t.Helper()
	p.Do("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
}

// Scheme makes the tab prefer the colours light or dark.
func (p *Tab) Scheme(scheme string) {
	p.t.Helper()
	p.Do("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}})
}

// hear keeps what a page must not do, and where it has gone. A dialog is closed, or
// the page would wait for somebody.
func (p *Tab) hear(method string, params json.RawMessage) {
	var event struct {
		Type    string
		Request struct{ URL string }
		Entry   struct{ Level, Text string }
	}
	if json.Unmarshal(params, &event) != nil {
		return
	}
	p.heard.Lock()
	defer p.heard.Unlock()
	complaint := false
	switch method {
	case "Network.requestWillBeSent":
		p.requests = append(p.requests, event.Request.URL)
	case "Page.javascriptDialogOpening":
		complaint = true
		// A browser that has ended shows no dialog.
		_ = p.browser.send(p.session, "Page.handleJavaScriptDialog", map[string]any{"accept": false}, nil)
	case "Runtime.exceptionThrown":
		complaint = true
	case "Runtime.consoleAPICalled":
		complaint = slices.Contains([]string{"error", "warning", "assert"}, event.Type)
	case "Log.entryAdded":
		complaint = event.Entry.Level == "error" || event.Entry.Level == "warning"
	case "Audits.issueAdded":
		complaint = bytes.Contains(params, []byte("ContentSecurityPolicy"))
	}
	if complaint {
		p.complaints = append(p.complaints, method+" "+string(params))
	}
}

// Complaints are the errors and warnings so far: of scripts, of the console, of the
// browser, of the page's policy, and the dialogs.
func (p *Tab) Complaints() []string {
	p.heard.Lock()
	defer p.heard.Unlock()
	return slices.Clone(p.complaints)
}

// WantInnocence checks that no page so far complained of anything or asked for
// anything of another origin, and that they asked for something.
func (p *Tab) WantInnocence(origin string) {
	p.t.Helper()
	p.heard.Lock()
	defer p.heard.Unlock()
	for _, complaint := range p.complaints {
		p.t.Errorf("the page complains: %s", complaint)
	}
	for _, url := range p.requests {
		if !strings.HasPrefix(url, origin+"/") && !strings.HasPrefix(url, "data:") {
			p.t.Errorf("the page asked for %s", url)
		}
	}
	if len(p.requests) == 0 {
		p.t.Error("no request was seen")
	}
}

// Eval stores the value of an expression in the page, of a promise what comes of it.
func (p *Tab) Eval(expression string, value any) {
	p.t.Helper()
	must(p.t, p.evaluate(expression, value))
}

func (p *Tab) evaluate(expression string, value any) error {
	p.t.Helper()
	var answer struct {
		Result struct{ Value json.RawMessage }
		// ExceptionDetails is null for an expression that has a value.
		ExceptionDetails json.RawMessage
	}
	params := map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true, "userGesture": true}
	err := p.browser.try(p.t, p.session, "Runtime.evaluate", params, &answer)
	switch {
	case err != nil:
		return err
	case answer.ExceptionDetails != nil:
		return fmt.Errorf("%.200s: %s", expression, answer.ExceptionDetails)
	default:
		return json.Unmarshal(answer.Result.Value, value)
	}
}

// Await waits until an expression is true. A page that is just being replaced by
// another one has no values.
func (p *Tab) Await(expression string) {
	p.t.Helper()
	deadline := time.Now().Add(patience)
	for {
		var reached bool
		err := p.evaluate("Boolean("+expression+")", &reached)
		if err == nil && reached {
			return
		}
		if time.Now().After(deadline) {
			var text string
			p.Eval("document.body ? document.body.innerText : ''", &text)
			p.t.Fatalf("%s has not become true (%v); the page is\n%s", expression, err, text)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// Click waits for an element and clicks it.
func (p *Tab) Click(selector string) {
	p.t.Helper()
	p.Await(fmt.Sprintf("document.querySelector(%q)", selector))
	var done bool
	p.Eval(fmt.Sprintf("document.querySelector(%q).click() || true", selector), &done)
}

// Write waits for a field and types a text into it.
func (p *Tab) Write(selector, text string) {
	p.t.Helper()
	p.Await(fmt.Sprintf("document.querySelector(%q)", selector))
	var done bool
	p.Eval(fmt.Sprintf("document.querySelector(%q).focus() || true", selector), &done)
	p.Do("Input.insertText", map[string]any{"text": text})
}
