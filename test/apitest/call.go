// SPDX-License-Identifier: Apache-2.0

package apitest

import (
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/apiserver/xjdfapi"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/problem"
)

// Request describes one request.
type Request struct {
	Method, Path string
	// Key names a key of the fixture; empty sends none. A callback is signed by the sender of
	// the key's partner instead, and costing gets a session of the key.
	Key string
	// Body is sent as application/json; empty sends none.
	Body string
	// Header replaces or adds header fields; an empty value removes the field.
	Header map[string]string
}

// Answer holds a response.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Do sends a request and validates the response with the contract and the conventions.
func (w *Server) Do(t testing.TB, in Request) Answer {
	t.Helper()
	return w.Send(t, w.Build(t, in))
}

// Send is Do for an existing HTTP request.
func (w *Server) Send(t testing.TB, r *http.Request) Answer {
	t.Helper()
	in := Request{Method: r.Method, Path: r.URL.EscapedPath()}
	rec := httptest.NewRecorder()
	w.Handler.ServeHTTP(rec, r)
	a := Answer{Status: rec.Code, Header: rec.Header(), Body: rec.Body.Bytes()}
	if in.Method == http.MethodHead {
		a.Body = nil // like net/http
	}
	w.hold(t, in, a)
	w.record(in, a.Status)
	return a
}

// Build returns the HTTP request without sending it.
func (w *Server) Build(t testing.TB, in Request) *http.Request {
	t.Helper()
	var body io.Reader
	if in.Body != "" {
		body = strings.NewReader(in.Body)
	}
	r := httptest.NewRequestWithContext(t.Context(), in.Method, in.Path, body)
	if in.Body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if in.Key != "" {
		if w.Key(in.Key) == "" {
			t.Fatalf("the fixture has no key %q", in.Key)
		}
		r.Header.Set("Authorization", "Bearer "+w.Key(in.Key))
	}
	if in.Path == xjdfapi.CallbackPath && in.Key != "" {
		w.sign(r, in)
	}
	if in.Path == xjdfapi.CostingPath && in.Key != "" {
		r.Header.Set("Authorization", "Bearer "+w.sealed(t, in.Key))
	}
	for name, value := range in.Header {
		r.Header.Set(name, value)
		if value == "" {
			r.Header.Del(name)
		}
	}
	return r
}

// sealed returns the token of a session of a key, as if it had just been opened. It does not
// depend on the posture.
func (w *Server) sealed(t testing.TB, key string) string {
	t.Helper()
	session := credential.Session{Tenant: w.Tenant(key), Key: w.Digest(key), Expires: w.Clock.Now().Add(credential.SessionLifetime)}
	token, err := w.Sessions.Seal(session, w.Clock.Now(), rand.Reader)
	must(t, err)
	return token.Reveal()
}

// sign signs the request as the sender of the key's partner.
func (w *Server) sign(r *http.Request, in Request) {
	partner, _, _ := strings.Cut(in.Key, "-")
	timestamp := strconv.FormatInt(w.Clock.Now().Unix(), 10)
	r.Header.Set("X-XJMF-Sender", SenderOf(partner))
	r.Header.Set("X-XJMF-Timestamp", timestamp)
	r.Header.Set("X-XJMF-Signature", credential.Sign(credential.SignedBody, SecretOf(partner), timestamp, []byte(in.Body)))
}

// SenderOf returns the id of the machine that sends callbacks for a partner.
func SenderOf(partner string) string { return "press." + partner }

// Signal is a callback that a new server accepts without moving its clock.
const Signal = `{"Name":"XJMF","Version":"2.2","Header":{"DeviceID":"press-7","ID":"M-1","Time":"2026-11-20T12:00:00Z"},
"SignalStatus":{"Header":{"DeviceID":"press-7","ID":"S-1","Time":"2026-11-20T12:00:00Z"},
"DeviceInfo":[{"Status":"Production","JobPhase":[{"JobID":"J-1","Status":"InProgress"}]}]}}`

// SecretOf returns the secret of that sender.
func SecretOf(partner string) credential.Secret {
	return credential.Secret(partner + "-secret-of-thirty-two-bytes-or-more")
}

// Want checks status and code; the code is empty for responses that are not problems.
func (a Answer) Want(t testing.TB, status int, code problem.Code) Answer {
	t.Helper()
	if a.Status != status || a.Code() != code {
		t.Fatalf("response %d %q, want %d %q\n%s", a.Status, a.Code(), status, code, a.Body)
	}
	return a
}

// WantRetry checks that the response has a valid Retry-After.
func (a Answer) WantRetry(t testing.TB) {
	t.Helper()
	text := a.Header.Get("Retry-After")
	if n, err := strconv.Atoi(text); err != nil || n < 1 || n > 86400 || strconv.Itoa(n) != text {
		t.Errorf("Retry-After = %q, want whole seconds", text)
	}
}

// Code returns the code of a problem; empty for other responses.
func (a Answer) Code() problem.Code {
	var body struct {
		Code problem.Code `json:"code"`
	}
	if a.Status >= 400 && len(a.Body) > 0 {
		_ = json.Unmarshal(a.Body, &body) // other bodies have no code
	}
	return body.Code
}

// Violations maps the pointers of a problem's errors to their details.
func (a Answer) Violations(t testing.TB) map[string]string {
	t.Helper()
	var body struct {
		Errors []problem.Violation `json:"errors"`
	}
	a.Into(t, &body)
	found := map[string]string{}
	for _, v := range body.Errors {
		found[v.Pointer] = v.Detail
	}
	return found
}

// Into decodes the body.
func (a Answer) Into(t testing.TB, value any) {
	t.Helper()
	if err := json.Unmarshal(a.Body, value); err != nil {
		t.Fatalf("decode answer: %v\n%s", err, a.Body)
	}
}

// Text returns a string member of the body, inside the named objects and numbered array items.
func (a Answer) Text(t testing.TB, path ...string) string {
	t.Helper()
	var value any
	a.Into(t, &value)
	for _, name := range path {
		outer := value
		value = nil
		switch outer := outer.(type) {
		case map[string]any:
			value = outer[name]
		case []any:
			if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(outer) {
				value = outer[i]
			}
		}
	}
	text, ok := value.(string)
	if !ok {
		t.Fatalf("the body has no text at %v\n%s", path, a.Body)
	}
	return text
}
