// SPDX-License-Identifier: Apache-2.0

// Package browsertest is a real browser for tests: a headless Chromium that opens
// pages, performs user actions, and reports console errors and requests. It can connect only
// to 127.0.0.1.
//
//	tab := browsertest.Start(t).Open(t)
//	tab.Go(server.URL + "/sign-in")
//	tab.Write("#key", key)
//	tab.Click("button")
//	tab.Await("location.pathname === '/'")
//	tab.WantNoErrors(server.URL, 2)
//
// [Tab.Violations] holds a page against the rules of axe-core.
package browsertest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience bounds every wait, far above the usual durations.
const patience = 2 * time.Minute

// Program returns the path of Chromium, preferably of its headless shell, which needs half the CPU
// time. If neither is installed the test is skipped, or fails if PRINTMARKET_CHROMIUM_REQUIRED is set.
func Program(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			return found
		}
	}
	missing(t, "PRINTMARKET_CHROMIUM_REQUIRED", "no chromium is installed; tools/setup.sh installs it")
	return ""
}

// missing ends a test without a required program: as failed if the environment variable required
// is set, else as skipped.
func missing(t testing.TB, required, why string) {
	t.Helper()
	if os.Getenv(required) != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// Browser is a headless Chromium controlled over a pipe, without a port that other processes could
// connect to. It ends with the test.
type Browser struct {
	orders  io.Writer
	mu      sync.Mutex
	last    int
	pending map[int]chan message
	tabs    map[string]*Tab
	ended   chan struct{}
}

// message is a message of the DevTools protocol: a command, its response, or an event.
type message struct {
	ID        int             `json:"id,omitempty"`
	SessionID string          `json:"sessionId,omitempty"`
	Method    string          `json:"method,omitempty"`
	Params    any             `json:"params,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"`
	Error     json.RawMessage `json:"error,omitempty"`
}

// Start runs a browser until the test ends. If Chromium is not installed, it behaves like
// [Program].
func Start(t testing.TB) *Browser {
	t.Helper()
	b := &Browser{pending: map[int]chan message{}, tabs: map[string]*Tab{}, ended: make(chan struct{})}
	b.launch(t, Program(t))
	return b
}

func (b *Browser) launch(t testing.TB, program string) {
	t.Helper()
	profile, err := os.MkdirTemp("", "printmarket-chromium-*") //nolint:usetesting // the browser may still write to the directory
	must(t, err)
	read, orders, err := os.Pipe()
	must(t, err)
	events, write, err := os.Pipe()
	must(t, err)
	args := []string{
		"--headless=new", "--remote-debugging-pipe", "--user-data-dir=" + profile, "--no-first-run", "--disable-gpu",
		"--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update", "--disable-sync",
		// Chromium lowers the priority of pages in the background, and every page is there without a screen.
		"--disable-renderer-backgrounding", "--disable-extensions", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
	}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox") // Chromium refuses its sandbox when it runs as root
	}
	cmd := exec.CommandContext(t.Context(), program, append(args, "about:blank")...)
	cmd.ExtraFiles = []*os.File{read, write} // descriptors 3 and 4
	cmd.Env = append(os.Environ(), "TMPDIR="+profile, "DBUS_SESSION_BUS_ADDRESS=disabled:")
	var log bytes.Buffer
	cmd.Stderr = &log
	cmd.WaitDelay = 10 * time.Second
	must(t, cmd.Start())
	_, _ = read.Close(), write.Close()
	b.orders = orders
	go b.listen(events)
	t.Cleanup(func() {
		_ = orders.Close()
		_ = cmd.Wait() // killed with the test's context; its children close stderr
		_ = events.Close()
		<-b.ended
		_ = os.RemoveAll(profile)
		if t.Failed() {
			t.Logf("output of chromium:\n%s", log.Bytes())
		}
	})
}

// listen distributes responses and events until the browser ends.
func (b *Browser) listen(events io.Reader) {
	defer close(b.ended)
	scanner := bufio.NewScanner(events)
	scanner.Buffer(nil, 64<<20)
	scanner.Split(func(data []byte, _ bool) (int, []byte, error) {
		if i := bytes.IndexByte(data, 0); i >= 0 {
			return i + 1, data[:i], nil
		}
		return 0, nil, nil
	})
	for scanner.Scan() {
		var m struct {
			message
			Params json.RawMessage `json:"params"`
		}
		if json.Unmarshal(scanner.Bytes(), &m) != nil {
			continue
		}
		b.mu.Lock()
		waiting, at := b.pending[m.ID], b.tabs[m.SessionID]
		delete(b.pending, m.ID)
		b.mu.Unlock()
		switch {
		case waiting != nil:
			waiting <- m.message
		case at != nil:
			at.record(m.Method, m.Params)
		}
	}
}

// send sends a command. Its response is sent to the channel, which must have room for it; nil
// discards the response.
func (b *Browser) send(session, method string, params any, answer chan message) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last++
	if answer != nil {
		b.pending[b.last] = answer
	}
	text, err := json.Marshal(message{ID: b.last, SessionID: session, Method: method, Params: params})
	if err != nil {
		return err
	}
	_, err = b.orders.Write(append(text, 0))
	return err
}

// order runs a command that must succeed.
func (b *Browser) order(t testing.TB, session, method string, params, result any) {
	t.Helper()
	must(t, b.try(t, session, method, params, result))
}

// try runs a command and returns the error of the browser.
func (b *Browser) try(t testing.TB, session, method string, params, result any) error {
	t.Helper()
	answer := make(chan message, 1)
	must(t, b.send(session, method, params, answer))
	select {
	case m := <-answer:
		if m.Error != nil {
			return fmt.Errorf("%s: %s", method, m.Error)
		}
		if result == nil {
			return nil
		}
		return json.Unmarshal(m.Result, result)
	case <-b.ended:
		t.Fatalf("%s: the browser has ended", method)
	case <-time.After(patience):
		t.Fatalf("%s: no answer", method)
	}
	return nil
}

// Tab is a browser tab. It records all requests and errors of its pages. A test fails if an
// operation of its tab fails.
type Tab struct {
	t       testing.TB
	browser *Browser
	session string

	mu       sync.Mutex
	requests []string
	errors   []string
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

// Do runs a command of the DevTools protocol.
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

// Size sets the size of the tab in CSS pixels.
func (p *Tab) Size(width, height int) {
	p.t.Helper()
	p.Do("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
}

// Scheme sets the preferred color scheme, light or dark.
func (p *Tab) Scheme(scheme string) {
	p.t.Helper()
	p.Do("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}})
}

// Screenshot returns the upper left part of the page as PNG; width and height are in CSS pixels.
func (p *Tab) Screenshot(width, height int) []byte {
	p.t.Helper()
	p.Size(width, height)
	var shot struct{ Data []byte }
	p.browser.order(p.t, p.session, "Page.captureScreenshot", map[string]any{"format": "png"}, &shot)
	return shot.Data
}

// record notes errors, requests and navigation of a page. It closes dialogs, because the page
// would wait for input.
func (p *Tab) record(method string, params json.RawMessage) {
	var event struct {
		Type    string
		Request struct{ URL string }
		Entry   struct{ Level, Text string }
	}
	if json.Unmarshal(params, &event) != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	fault := false
	switch method {
	case "Network.requestWillBeSent":
		p.requests = append(p.requests, event.Request.URL)
	case "Page.javascriptDialogOpening":
		fault = true
		// A browser that has ended has no dialog to close.
		_ = p.browser.send(p.session, "Page.handleJavaScriptDialog", map[string]any{"accept": false}, nil)
	case "Runtime.exceptionThrown":
		fault = true
	case "Runtime.consoleAPICalled":
		fault = slices.Contains([]string{"error", "warning", "assert"}, event.Type)
	case "Log.entryAdded":
		fault = event.Entry.Level == "error" || event.Entry.Level == "warning"
	case "Audits.issueAdded":
		fault = bytes.Contains(params, []byte("ContentSecurityPolicy"))
	}
	if fault {
		p.errors = append(p.errors, method+" "+string(params))
	}
}

// Errors returns the number of errors and warnings so far: of scripts, of the console, of the
// browser, of the page's policy, and of dialogs.
func (p *Tab) Errors() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.errors)
}

// WantNoErrors checks that no page reported an error or sent a request to another origin, and
// that at least the given number of requests was seen.
func (p *Tab) WantNoErrors(origin string, atLeast int) {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, fault := range p.errors {
		p.t.Errorf("the page reported: %s", fault)
	}
	for _, url := range p.requests {
		if !strings.HasPrefix(url, origin+"/") && !strings.HasPrefix(url, "data:") {
			p.t.Errorf("the page requested %s", url)
		}
	}
	if len(p.requests) < atLeast {
		p.t.Errorf("only %d requests were seen: %v", len(p.requests), p.requests)
	}
}

// Eval stores the value of an expression in the page. It waits for the value of a promise.
func (p *Tab) Eval(expression string, value any) {
	p.t.Helper()
	must(p.t, p.evaluate(expression, value))
}

func (p *Tab) evaluate(expression string, value any) error {
	p.t.Helper()
	var answer struct {
		Result struct{ Value json.RawMessage }
		// ExceptionDetails is null if the expression succeeded.
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

// Await waits until an expression is true. Evaluation fails while a new page replaces the current
// one; Await retries it.
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

// Choose waits for a file input and chooses a local file, as a person does in the dialog.
func (p *Tab) Choose(selector, name string) {
	p.t.Helper()
	p.Await(fmt.Sprintf("document.querySelector(%q)", selector))
	var input struct {
		Result struct {
			ObjectID string `json:"objectId"`
		} `json:"result"`
	}
	p.browser.order(p.t, p.session, "Runtime.evaluate", map[string]any{"expression": fmt.Sprintf("document.querySelector(%q)", selector)}, &input)
	p.Do("DOM.setFileInputFiles", map[string]any{"objectId": input.Result.ObjectID, "files": []string{name}})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
