// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/printmarket/printmarket/pkg/client"
	"github.com/printmarket/printmarket/test/storetest"
)

// page is a response of a proxy in place of a problem.
const page = "<html><body>upstream down</body></html>"

func html(status int) func(http.ResponseWriter, *http.Request, http.Handler) {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, page)
	}
}

// cut closes the connection without a response.
func cut(http.ResponseWriter, *http.Request, http.Handler) { panic(http.ErrAbortHandler) }

// served calls the API server and records the response.
func served(r *http.Request, serve http.Handler) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	serve.ServeHTTP(answer, r)
	return answer
}

// TestRetriedCreateMakesOneRFQ has a fault hit the first attempt.
func TestRetriedCreateMakesOneRFQ(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		store   storetest.Fault
		disturb func(http.ResponseWriter, *http.Request, http.Handler)
		// wait is what the answer asked for; zero for a backoff.
		wait     time.Duration
		replayed bool
	}{
		"the store is unavailable":                   {store: storetest.Away, wait: 2 * time.Second},
		"the store does not know whether it wrote":   {store: storetest.Unknown, wait: 2 * time.Second, replayed: true},
		"another request with the key has not ended": {store: storetest.InProgress, wait: time.Second},
		"the connection is cut":                      {disturb: cut},
		"the connection is cut after the work is done": {disturb: func(_ http.ResponseWriter, r *http.Request, serve http.Handler) {
			served(r, serve)
			panic(http.ErrAbortHandler)
		}, replayed: true},
		"the answer breaks off": {disturb: func(w http.ResponseWriter, r *http.Request, serve http.Handler) {
			answer := served(r, serve)
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", "500")
			w.WriteHeader(answer.Code)
			_, _ = w.Write(answer.Body.Bytes()[:10])
			panic(http.ErrAbortHandler)
		}, replayed: true},
		"a proxy has no upstream": {disturb: html(502)},
		"a proxy waits too long": {disturb: func(w http.ResponseWriter, r *http.Request, serve http.Handler) {
			served(r, serve)
			html(504)(w, r, serve)
		}, replayed: true},
		"a proxy has no healthy replica": {disturb: html(503)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newTestServer(t)
			h.Store.Set(tt.store)
			if tt.disturb != nil {
				h.disturbed(tt.disturb)
			}
			attempts := 0
			c := h.waiting(t, "acme-live", func(d time.Duration) {
				if d != tt.wait {
					t.Errorf("waited %s, want %s", d, tt.wait)
				}
				h.Store.Set(storetest.None)
			}, client.WithHook(func(a client.Attempt) { attempts = a.Number }))
			created, err := c.CreateRFQ(t.Context(), flyers())
			if err != nil {
				t.Fatalf("CreateRFQ: %v", err)
			}
			if created.Replayed != tt.replayed || attempts != 2 {
				t.Errorf("created %+v in %d attempts", created, attempts)
			}
			if found := all(t, c, client.RFQFilter{}); len(found) != 1 || found[0].ID != created.ID {
				t.Errorf("%d RFQs, want the one that was created", len(found))
			}
		})
	}
}

func TestUnavailableStoreIsAnErrorWithTheKey(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	h.Store.Set(storetest.Away)
	_, err := h.client(t, "acme-live").CreateRFQ(t.Context(), flyers(), client.IdempotencyKey("order-17"))
	var call *client.CallError
	var p *client.Problem
	if !errors.As(err, &call) || call.Operation != "CreateRFQ" || call.Attempts != 4 || call.IdempotencyKey != "order-17" {
		t.Errorf("error %v", err)
	}
	if !errors.As(err, &p) || p.Code != client.CodeStoreUnavailable || p.RetryAfter != 2*time.Second {
		t.Errorf("error %v", err)
	}
}

func TestQuotaIsAnErrorAtOnceWithItsReset(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	h.Grant("acme", "rfq-create", 1)
	c := h.waiting(t, "acme-live", func(d time.Duration) { t.Errorf("waited %s", d) })
	if _, err := c.CreateRFQ(t.Context(), flyers()); err != nil {
		t.Fatalf("CreateRFQ: %v", err)
	}
	_, err := c.CreateRFQ(t.Context(), flyers())
	var p *client.Problem
	if !errors.As(err, &p) || p.Code != client.CodeRFQQuotaExceeded || p.RetryAfter != time.Hour {
		t.Errorf("error %v", err)
	}
}

func TestClientWaitsForTheRateLimit(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	h.Limit("acme", "partner", 1)
	waits := 0
	c := h.waiting(t, "acme-live", func(d time.Duration) { waits++; h.Advance(d) })
	for range 3 {
		if _, err := c.Account(t.Context()); err != nil {
			t.Fatalf("Account: %v", err)
		}
	}
	if waits != 2 {
		t.Errorf("%d waits, want 2", waits)
	}
}

func TestClosedCapabilityIsNotRetried(t *testing.T) {
	t.Parallel()
	asked := 0
	_, err := from(t, func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, `{"type":"about:blank","status":503,"code":"PARTNER_RFQ_CAPABILITY_UNAVAILABLE","detail":"closed","requestId":"req_1"}`)
	}).CreateRFQ(t.Context(), flyers())
	if !client.IsCode(err, client.CodeOrderUnavailable, client.CodeRFQUnavailable) || asked != 1 {
		t.Errorf("asked %d times, error %v", asked, err)
	}
}

// TestWaitForAJobContinuesAfterTemporaryErrors meets more refusals than a call
// repeats.
func TestWaitForAJobContinuesAfterTemporaryErrors(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	var waits atomic.Int64
	c := h.waiting(t, "acme-test", func(time.Duration) {
		if waits.Add(1) == 10 {
			h.Store.Set(storetest.None)
		}
	})
	submitted, err := c.SubmitPreflight(t.Context(), client.PreflightSubmit{FileURL: "https://files.example.com/a.pdf", Profile: "sim:succeeded:pass"})
	if err != nil {
		t.Fatalf("SubmitPreflight: %v", err)
	}
	h.Store.Set(storetest.Away)
	if job, err := c.WaitPreflight(t.Context(), submitted.JobID); err != nil || job.Status != client.PreflightStatusSucceeded {
		t.Errorf("job %+v, error %v", job, err)
	}
	if _, err := c.WaitPreflight(t.Context(), "pref_none"); !client.IsCode(err, client.CodeNotFound) {
		t.Errorf("error %v", err)
	}
}

func TestContextOfTheCallerEndsARequest(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	ctx, cancel := context.WithCancel(t.Context())
	h.disturbed(func(_ http.ResponseWriter, r *http.Request, _ http.Handler) {
		cancel()
		<-r.Context().Done()
	})
	_, err := h.client(t, "acme-live", client.WithHook(func(a client.Attempt) {
		if a.Wait != 0 {
			t.Errorf("another attempt after %s", a.Wait)
		}
	})).Products(ctx)
	var call *client.CallError
	if !errors.Is(err, context.Canceled) || !errors.As(err, &call) || call.Attempts != 1 {
		t.Errorf("error %v", err)
	}
}

func TestMissingServerIsATransportError(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	c, err := client.New(server.URL, client.APIKey("pmk_test_x"), client.WithoutWaiting(func(time.Duration) {}))
	if err != nil {
		t.Fatalf("client.New(%q): %v", server.URL, err)
	}
	_, err = c.Account(t.Context())
	var gone *client.TransportError
	var call *client.CallError
	if !errors.As(err, &gone) || gone.Timeout() || !errors.As(err, &call) || call.Attempts != 4 {
		t.Errorf("error %v", err)
	}
}
