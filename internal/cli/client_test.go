// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/apiserver/gate"
)

// answers limits the decoded responses, because reports are far larger than requests.
var answers = gate.JSONLimits{Depth: gate.MaxJSONDepth, Members: 10_000, Elements: 100_000, Values: 2_000_000, Digits: 1_000}

// answer is one response of the platform, validated with the published contract.
type answer struct {
	Status int
	Header http.Header
	Body   []byte
	// JSON is the body as an object, empty for other bodies.
	JSON map[string]any
}

func (a answer) code() string { code, _ := a.JSON["code"].(string); return code }

func (a answer) text(name string) string { text, _ := a.JSON[name].(string); return text }

// call sends a request to the API. key is a variable of dev.env without its
// prefix, or "" for none; body is encoded as JSON unless it is a string.
func (p *platform) call(method, path, key string, body any, header ...string) answer {
	p.t.Helper()
	var reader io.Reader
	switch v := body.(type) {
	case nil:
	case string:
		reader = strings.NewReader(v)
	default:
		encoded, err := json.Marshal(v)
		if err != nil {
			p.t.Fatalf("json.Marshal: %v", err)
		}
		reader = bytes.NewReader(encoded)
	}
	r, err := http.NewRequestWithContext(p.t.Context(), method, p.env["API_URL"]+path, reader)
	if err != nil {
		p.t.Fatalf("http.NewRequestWithContext(%q): %v", method, err)
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+p.env[key])
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	a := p.send(r)
	p.holdAgainstContract(r, a)
	return a
}

func (p *platform) get(address string) answer {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, address, nil)
	if err != nil {
		p.t.Fatalf("http.NewRequestWithContext(%q): %v", address, err)
	}
	return p.send(r)
}

func (p *platform) send(r *http.Request) answer {
	p.t.Helper()
	a, err := p.try(r)
	if err != nil {
		p.t.Fatalf("%s %s: %v", r.Method, r.URL.Path, err)
	}
	return a
}

// try sends a request to a server that may be unavailable.
func (p *platform) try(r *http.Request) (answer, error) {
	resp, err := p.client.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	a := answer{Status: resp.StatusCode, Header: resp.Header}
	if a.Body, err = io.ReadAll(resp.Body); err != nil {
		return answer{}, err
	}
	_ = json.Unmarshal(a.Body, &a.JSON)
	return a, nil
}

// everywhere lists statuses that any route may return and that contracts need not
// repeat.
var everywhere = map[int]bool{405: true, 406: true, 408: true, 413: true, 425: true, 431: true}

// holdAgainstContract checks status, media type and body against the contract
// of the route, and the rules that hold on all routes.
func (p *platform) holdAgainstContract(r *http.Request, a answer) {
	p.t.Helper()
	name := fmt.Sprintf("%s %s -> %d", r.Method, r.URL.Path, a.Status)
	if a.Header.Get("X-Request-Id") == "" {
		p.t.Errorf("%s: no X-Request-Id", name)
	}
	media := strings.Split(a.Header.Get("Content-Type"), ";")[0]
	if a.Status >= 400 && r.Method != http.MethodHead {
		if media != "application/problem+json" || a.text("requestId") != a.Header.Get("X-Request-Id") {
			p.t.Errorf("%s: not a problem of this request: %s %s", name, media, a.Body)
		}
		if typ := a.text("type"); typ != "about:blank" && !strings.HasPrefix(typ, p.env["REGISTRY_URL"]+"/problems/marketplace/") {
			p.t.Errorf("%s: type %q", name, typ)
		}
	}
	op, published := p.operation(r)
	if !published || r.Method == http.MethodHead {
		return
	}
	promise, err := p.contract.Answer(op, a.Status)
	if err != nil {
		if !everywhere[a.Status] {
			p.t.Errorf("%s: %v", name, err)
		}
		return
	}
	schema, promised := promise.Bodies[media]
	if !promised && (media != "" || len(promise.Bodies) > 0) {
		p.t.Errorf("%s: media type %q, the contract promises %q", name, media, promise.MediaTypes())
	}
	if schema == nil {
		return
	}
	value, err := answers.Decode(a.Body)
	if err != nil {
		p.t.Errorf("%s: %v", name, err)
		return
	}
	for _, violation := range schema.Violations(value) {
		p.t.Errorf("%s: the contract does not promise %s: %s", name, violation.Pointer, violation.Detail)
	}
}

var parameter = regexp.MustCompile(`\{[^}]+\}`)

func (p *platform) operation(r *http.Request) (contracts.Operation, bool) {
	for _, op := range p.contract.Operations() {
		pattern := "^" + parameter.ReplaceAllString(op.Path, "[^/]+") + "$"
		if op.Method == r.Method && regexp.MustCompile(pattern).MatchString((&url.URL{Path: r.URL.Path}).EscapedPath()) {
			return op, true
		}
	}
	return contracts.Operation{}, false
}
