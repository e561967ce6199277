// SPDX-License-Identifier: Apache-2.0

package telemetry_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/test/telemetrytest"
)

// TestMisbehavingCollectorDoesNotAffectTheProcess makes spans while the collector misbehaves:
// making spans never waits, Close returns, and the log has one line about it.
func TestMisbehavingCollectorDoesNotAffectTheProcess(t *testing.T) {
	t.Parallel()
	refuse := func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(http.StatusForbidden); return true }
	tests := map[string]struct {
		answer func(http.ResponseWriter, *http.Request) bool
		// lost is true if the spans do not arrive.
		lost bool
	}{
		"it rejects every request": {refuse, true},
		"it is overloaded": {func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		}, true},
		"it never responds": {func(_ http.ResponseWriter, r *http.Request) bool { <-r.Context().Done(); return true }, true},
		"it closes the connection": {func(w http.ResponseWriter, _ *http.Request) bool {
			panic(http.ErrAbortHandler)
		}, true},
		"it returns an invalid response": {func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Content-Type", "application/x-protobuf")
			_, _ = w.Write([]byte("\xff\xff\xffgarbage"))
			return true
		}, true},
		"it repeats the secret in 10 MB": {func(w http.ResponseWriter, r *http.Request) bool {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.Copy(w, strings.NewReader(strings.Repeat(r.Header.Get("Api-Key")+" ", 10<<20/13)))
			return true
		}, true},
		"it repeats the secret": {func(w http.ResponseWriter, r *http.Request) bool {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, "not a key of ours: "+r.Header.Get("Api-Key"))
			return true
		}, true},
		"it redirects, with the secret in the URL": {func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
			return true
		}, true},
		"it accepts the spans": {nil, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			collector := telemetrytest.New(t, tc.answer)
			tracer := mustOpen(t, collector.URL, "OTEL_EXPORTER_OTLP_HEADERS", "api-key=hunter2-7742")
			for range 3000 { // more than the queue holds
				tracer.request(nil, telemetry.Answer{Method: "GET", Status: 200})
			}
			closed(t, tracer)
			logged := strings.Count(tracer.log.String(), "spans are lost")
			if want := map[bool]int{true: 1}[tc.lost]; logged != want {
				t.Errorf("the log reports lost spans %d times, want %d:\n%.2000s", logged, want, tracer.log.String())
			}
			if strings.Contains(tracer.log.String(), "hunter2") || tracer.log.Len() > 4096 {
				t.Errorf("the log contains the secret or has %d bytes:\n%.2000s", tracer.log.Len(), tracer.log.String())
			}
			if _, header := collector.Calls(); header.Get("Api-Key") != "hunter2-7742" {
				t.Errorf("the collector received the header %q", header.Get("Api-Key"))
			}
			if got := len(collector.Spans()); (got == 0) != tc.lost {
				t.Errorf("%d spans arrived", got)
			}
		})
	}
}

// closed closes a tracer, and fails the test if Close does not return.
func closed(t *testing.T, tracer *traced) {
	t.Helper()
	done := make(chan struct{})
	go func() { tracer.Close(context.Background()); close(done) }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("Close has not returned, want a return within 3 s")
	}
}

func TestUnavailableCollectorIsLoggedOnce(t *testing.T) {
	t.Parallel()
	var config net.ListenConfig
	socket, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("config.Listen: %v", err)
	}
	address := "http://" + socket.Addr().String()
	_ = socket.Close()
	tracer := mustOpen(t, address)
	for range 2000 {
		tracer.request(nil, telemetry.Answer{Method: "GET", Status: 200})
	}
	closed(t, tracer)
	if got := strings.Count(tracer.log.String(), "spans are lost"); got != 1 {
		t.Errorf("the log contains the line %d times, want once:\n%s", got, tracer.log.String())
	}
}

func TestRecoveredCollectorIsLoggedOnce(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	collector := telemetrytest.New(t, func(w http.ResponseWriter, _ *http.Request) bool {
		if calls.Add(1) > 1 {
			return false
		}
		w.WriteHeader(http.StatusBadRequest)
		return true
	})
	tracer := mustOpen(t, collector.URL)
	for range 1500 { // three batches; the first two are sent as soon as they are full
		tracer.request(nil, telemetry.Answer{Method: "GET", Status: 200})
	}
	closed(t, tracer)
	for _, want := range []string{"spans are lost", "takes spans again"} {
		if strings.Count(tracer.log.String(), want) != 1 {
			t.Errorf("the log has no line that contains %q:\n%s", want, tracer.log.String())
		}
	}
}
