// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/pkg/client"
)

func queued(t *testing.T, c *client.Client) string {
	t.Helper()
	submitted, err := c.SubmitPreflight(t.Context(), client.PreflightSubmit{FileURL: "https://files.example.com/flyer.pdf", Profile: "print_ready"})
	if err != nil {
		t.Fatalf("SubmitPreflight: %v", err)
	}
	return submitted.JobID
}

func TestFollowYieldsAJobUntilItHasEnded(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.client(t, "acme-live")
	id := queued(t, c)
	var got []string
	for job, err := range c.FollowPreflight(t.Context(), id) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(job.Status))
		switch len(got) {
		case 1:
			_, err = h.Jobs.Begin(t.Context(), id, 1, "w")
		case 2:
			_, err = h.Jobs.Finish(t.Context(), id, 1, "w", preflightjob.Result{Failure: preflightjob.TimeLimit})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"queued", "processing", "failed"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestFollowReconnects also checks that no event is repeated.
func TestFollowReconnects(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	var waits []time.Duration
	c := h.waiting(t, "acme-live", func(d time.Duration) { waits = append(waits, d) })
	id := queued(t, c)
	breaks := func(text string) func(http.ResponseWriter, *http.Request, http.Handler) {
		return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			w.Header().Set("Content-Type", "text/event-stream")
			w.Header().Set("Content-Length", "10000")
			_, _ = io.WriteString(w, text)
		}
	}
	h.disturbed(breaks("retry: 70\n\nid: 1-queued\nevent: queued\ndata: {\"jobId\":\"x\",\ndata: \"status\":\"queued\"}\n\nid: 9-lost\ndata: {\"jobId\":\"half"))
	var got []string
	for job, err := range c.FollowPreflight(t.Context(), id) {
		if err != nil {
			t.Fatal(err)
		}
		if got = append(got, string(job.Status)); len(got) == 1 {
			if _, err := c.CancelPreflight(t.Context(), id); err != nil {
				t.Fatalf("CancelPreflight(%q): %v", id, err)
			}
		}
	}
	requests := h.requests()
	if diff := cmp.Diff([]string{"queued", "cancelled"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := requests[len(requests)-1].Header.Get("Last-Event-ID"); got != "1-queued" {
		t.Errorf("connected again after %q", got)
	}
	if diff := cmp.Diff([]time.Duration{70 * time.Millisecond}, waits); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}
}

func TestFollowEndsWithItsError(t *testing.T) {
	t.Parallel()
	stream := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, text)
		}
	}
	answered := func(err error) bool {
		_, found := errors.AsType[*client.AnswerError](err)
		return found
	}
	for name, tt := range map[string]struct {
		serve http.HandlerFunc
		is    func(error) bool
	}{
		"a line without an end":     {stream("data: " + strings.Repeat("x", 2<<20)), answered},
		"an event without an end":   {stream(strings.Repeat("data: "+strings.Repeat("x", 1000)+"\n", 2000)), answered},
		"an event that is no job":   {stream("data: []\n\n"), answered},
		"an answer of another type": {func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "<html>") }, answered},
		"a job that is not ours": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"code":"NOT_FOUND","status":404}`)
		}, func(err error) bool { return client.IsCode(err, client.CodeNotFound) }},
		"nothing more to come": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []error
			for _, err := range from(t, tt.serve).FollowPreflight(t.Context(), "pref_x") {
				got = append(got, err)
			}
			var call *client.CallError
			switch {
			case tt.is == nil && len(got) == 0:
			case len(got) != 1 || !errors.As(got[0], &call) || call.Operation != "FollowPreflight" || tt.is == nil || !tt.is(got[0]):
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestFollowWaitsForRetryAfter(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	var waits []time.Duration
	c := h.waiting(t, "acme-live", func(d time.Duration) { waits = append(waits, d) }, client.WithRetry(client.RetryPolicy{MaxAttempts: 1}))
	id := queued(t, c)
	h.disturbed(func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, `{"code":"OVERLOADED","status":503}`)
	})
	for job, err := range c.FollowPreflight(t.Context(), id) {
		if err != nil || job.JobID != id {
			t.Errorf("job %+v, error %v", job, err)
		}
		break
	}
	if diff := cmp.Diff([]time.Duration{7 * time.Second}, waits); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}
}

func TestContextEndsFollow(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.client(t, "acme-live")
	id := queued(t, c)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	for _, err := range c.FollowPreflight(ctx, id) {
		last = err
		cancel()
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("error %v", last)
	}
}
