// SPDX-License-Identifier: Apache-2.0

package apitest

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// FuzzQuery looks for queries for which generated code and contract disagree. Do validates
// each response.
func FuzzQuery(f *testing.F) {
	for _, seed := range []string{"", "limit=5", "limit=0", "limit=1&limit=2", "limit=%zz", "cursor=", "cursor=abc&limit=+1", "limit=1;cursor=x", "limit[]=1", "limit=1,2", "%6cimit=x"} {
		f.Add(seed)
	}
	w := New(f, Options{})
	f.Fuzz(func(t *testing.T, query string) {
		if _, err := url.ParseRequestURI("/?" + query); err != nil || strings.ContainsFunc(query, func(r rune) bool { return r <= ' ' || r > '~' }) {
			return // HTTP clients cannot send it
		}
		w.Advance(time.Second)
		a := w.Do(t, Request{Method: http.MethodGet, Path: "/api/v1/rfq?" + query, Key: "acme-live"})
		if a.Status != http.StatusOK && a.Status != http.StatusBadRequest {
			t.Errorf("query %q: status %d", query, a.Status)
		}
	})
}

// FuzzBody looks for bodies of RFQs and preflight jobs that pass the gate and the schema but
// cause an internal error.
func FuzzBody(f *testing.F) {
	for _, seed := range []string{
		`{"catalogProductUid":"print:flyers:a5","title":"t","category":"commercial-print","quantity":5e3,"deliveryCity":"d"}`,
		`{"catalogProductUid":"sim:rfq:quoted","title":"\u003c","category":"c","quantity":1.0,"deliveryCity":"d"}`,
		`{"fileUrl":"https://x.example/a.pdf","profile":"sim:succeeded:warn"}`,
		`{}`, `[]`, `null`, `{"quantity":1e400}`, `{"Title":"t"}`, `{"title":5}`, `{"title":`, "\xff",
	} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	w := New(f, Options{})
	f.Fuzz(func(t *testing.T, body string, rfq bool) {
		path, done := "/api/v1/preflight", http.StatusAccepted
		if rfq {
			path, done = "/api/v1/rfq", http.StatusCreated
		}
		w.Advance(time.Hour)
		a := w.Do(t, Request{Method: http.MethodPost, Path: path, Key: "acme-test", Body: body, Header: map[string]string{"Idempotency-Key": "k" + w.Clock.Now().Format(time.RFC3339)}})
		if a.Status >= 500 || a.Status < 400 && a.Status != done {
			t.Errorf("body %q: status %d", body, a.Status)
		}
	})
}
