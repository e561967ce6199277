// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/printmarket/printmarket/pkg/client"
	"github.com/printmarket/printmarket/test/apitest"
)

// testServer is an API server behind a handler that can disturb requests.
type testServer struct {
	*apitest.Server
	origin string

	mu      sync.Mutex
	seen    []*http.Request
	disturb func(w http.ResponseWriter, r *http.Request, serve http.Handler)
}

func newTestServer(t testing.TB) *testServer {
	t.Helper()
	h := &testServer{Server: apitest.New(t, apitest.Options{})}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	h.origin = server.URL
	return h
}

// ServeHTTP passes a request to the API server, or to disturb.
func (h *testServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	disturb := h.disturb
	h.seen = append(h.seen, r)
	h.mu.Unlock()
	if disturb == nil {
		h.Handler.ServeHTTP(w, r)
		return
	}
	disturb(w, r, h.Handler)
}

// disturbed has the first request answered by the disturbance, and the others by
// the API server.
func (h *testServer) disturbed(by func(w http.ResponseWriter, r *http.Request, serve http.Handler)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.disturb = func(w http.ResponseWriter, r *http.Request, serve http.Handler) {
		h.mu.Lock()
		h.disturb = nil
		h.mu.Unlock()
		by(w, r, serve)
	}
}

// requests returns the received requests.
func (h *testServer) requests() []*http.Request {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]*http.Request(nil), h.seen...)
}

// client returns a client with a key of the fixture; its waits end at once.
func (h *testServer) client(t testing.TB, key string, options ...client.Option) *client.Client {
	t.Helper()
	return h.waiting(t, key, func(time.Duration) {}, options...)
}

// waiting is a client that reports its waits instead of waiting.
func (h *testServer) waiting(t testing.TB, key string, waited func(time.Duration), options ...client.Option) *client.Client {
	t.Helper()
	c, err := client.New(h.origin, client.APIKey(h.Key(key)), append([]client.Option{client.WithoutWaiting(waited)}, options...)...)
	if err != nil {
		t.Fatalf("client.New(%q): %v", h.origin, err)
	}
	return c
}

// from is a client of something that is no API.
func from(t *testing.T, serve http.HandlerFunc) *client.Client {
	t.Helper()
	server := httptest.NewServer(serve)
	t.Cleanup(server.Close)
	c, err := client.New(server.URL, client.APIKey("pmk_live_a"), client.WithoutWaiting(func(time.Duration) {}))
	if err != nil {
		t.Fatalf("client.New(%q): %v", server.URL, err)
	}
	return c
}

// flyers is a draft that the demo catalog allows.
func flyers() client.RFQCreate {
	return client.RFQCreate{
		CatalogProductUID: "print:flyers:a5", Title: "Spring flyers", Category: "commercial-print", Quantity: 5000, DeliveryCity: "Utrecht",
	}
}

// all reads a list to its end.
func all(t *testing.T, c *client.Client, filter client.RFQFilter) []client.RFQ {
	t.Helper()
	var records []client.RFQ
	for record, err := range c.RFQs(t.Context(), filter) {
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, record)
	}
	return records
}
