// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"
)

// browser is a headless Chromium that is told what to do over a pipe: it has no
// port that others could find, and ends with the test.
type browser struct {
	orders  io.Writer
	mu      sync.Mutex
	last    int
	pending map[int]chan message
	tabs    map[string]*tab
	ended   chan struct{}
}

// message is one of the DevTools protocol: an order, its answer, or an event.
type message struct {
	ID        int             `json:"id,omitempty"`
	SessionID string          `json:"sessionId,omitempty"`
	Method    string          `json:"method,omitempty"`
	Params    any             `json:"params,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"`
	Error     json.RawMessage `json:"error,omitempty"`
}

// startBrowser skips the test where there is no Chromium, unless it is required.
func startBrowser(t *testing.T) *browser {
	t.Helper()
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			program = found
			break
		}
	}
	if program == "" {
		if os.Getenv("PRINTMARKET_CHROMIUM_REQUIRED") != "" {
			t.Fatal("no chromium is installed; tools/setup.sh installs it")
		}
		t.Skip("no chromium is installed; tools/setup.sh installs it")
	}
	b := &browser{pending: map[int]chan message{}, tabs: map[string]*tab{}, ended: make(chan struct{})}
	b.launch(t, program)
	return b
}

func (b *browser) launch(t *testing.T, program string) {
	t.Helper()
	profile, err := os.MkdirTemp("", "printmarket-chromium-*") //nolint:usetesting // what is left of the browser may still write to it
	must(t, err)
	read, orders, err := os.Pipe()
	must(t, err)
	events, write, err := os.Pipe()
	must(t, err)
	args := []string{
		"--headless=new", "--remote-debugging-pipe", "--user-data-dir=" + profile, "--no-first-run", "--disable-gpu",
		"--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--disable-extensions", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
	}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox") // which it refuses to build as root
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
			t.Logf("chromium said:\n%s", log.Bytes())
		}
	})
}

// listen hands answers and events on until the browser ends.
func (b *browser) listen(events io.Reader) {
	defer close(b.ended)
	scanner := bufio.NewScanner(events)
	scanner.Buffer(nil, 64<<20)
	scanner.Split(func(data []byte, atEOF bool) (int, []byte, error) {
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
			at.hear(m.Method, m.Params)
		}
	}
}

// order makes the browser do something, which must succeed.
func (b *browser) order(t *testing.T, session, method string, params, result any) {
	t.Helper()
	if err := b.try(t, session, method, params, result); err != nil {
		t.Fatal(err)
	}
}

// try waits for the answer to an order; the error is the browser's refusal.
func (b *browser) try(t *testing.T, session, method string, params, result any) error {
	t.Helper()
	answer := make(chan message, 1)
	b.mu.Lock()
	b.last++
	id := b.last
	b.pending[id] = answer
	text, err := json.Marshal(message{ID: id, SessionID: session, Method: method, Params: params})
	if err == nil {
		_, err = b.orders.Write(append(text, 0))
	}
	b.mu.Unlock()
	must(t, err)
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
	case <-time.After(2 * time.Minute):
		t.Fatalf("%s: no answer", method)
	}
	return nil
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// tab is one page, with all that it asked for and complained of.
type tab struct {
	t       *testing.T
	browser *browser
	session string

	heard      sync.Mutex
	requests   []string
	complaints []string
}

func (b *browser) open(t *testing.T) *tab {
	t.Helper()
	var target struct{ TargetID, SessionID string }
	b.order(t, "", "Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	b.order(t, "", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &target)
	p := &tab{t: t, browser: b, session: target.SessionID}
	b.mu.Lock()
	b.tabs[p.session] = p
	b.mu.Unlock()
	for _, domain := range []string{"Page", "Runtime", "Log", "Network", "Audits"} {
		p.do(domain+".enable", nil)
	}
	return p
}

func (p *tab) do(method string, params map[string]any) {
	p.t.Helper()
	p.browser.order(p.t, p.session, method, params, nil)
}

// hear keeps what a page must not do, and where it has gone.
func (p *tab) hear(method string, params json.RawMessage) {
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
	switch {
	case method == "Network.requestWillBeSent":
		p.requests = append(p.requests, event.Request.URL)
	case method == "Runtime.exceptionThrown", method == "Audits.issueAdded" && bytes.Contains(params, []byte("ContentSecurityPolicy")),
		method == "Runtime.consoleAPICalled" && (event.Type == "error" || event.Type == "warning" || event.Type == "assert"),
		method == "Log.entryAdded" && (event.Entry.Level == "error" || event.Entry.Level == "warning"):
		p.complaints = append(p.complaints, method+" "+string(params))
	}
}

// eval is the value of an expression in the page.
func (p *tab) eval(expression string, value any) {
	p.t.Helper()
	must(p.t, p.evaluate(expression, value))
}

func (p *tab) evaluate(expression string, value any) error {
	p.t.Helper()
	var answer struct {
		Result struct{ Value json.RawMessage }
		// ExceptionDetails is null for an expression that has a value.
		ExceptionDetails json.RawMessage
	}
	err := p.browser.try(p.t, p.session, "Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "userGesture": true}, &answer)
	switch {
	case err != nil:
		return err
	case answer.ExceptionDetails != nil:
		return fmt.Errorf("%s: %s", expression, answer.ExceptionDetails)
	default:
		return json.Unmarshal(answer.Result.Value, value)
	}
}

// await waits until an expression is true. A page that is just being replaced by
// another one has no values.
func (p *tab) await(expression string) {
	p.t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for {
		var reached bool
		err := p.evaluate("Boolean("+expression+")", &reached)
		if err == nil && reached {
			return
		}
		if time.Now().After(deadline) {
			var text string
			p.eval("document.body ? document.body.innerText : ''", &text)
			p.t.Fatalf("%s has not become true (%v); the page is\n%s", expression, err, text)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// click waits for an element and clicks it.
func (p *tab) click(selector string) {
	p.t.Helper()
	p.await(fmt.Sprintf("document.querySelector(%q)", selector))
	var done bool
	p.eval(fmt.Sprintf("document.querySelector(%q).click() || true", selector), &done)
}

// write types a text into a field.
func (p *tab) write(selector, text string) {
	p.t.Helper()
	p.await(fmt.Sprintf("document.querySelector(%q)", selector))
	var done bool
	p.eval(fmt.Sprintf("document.querySelector(%q).focus() || true", selector), &done)
	p.do("Input.insertText", map[string]any{"text": text})
}
