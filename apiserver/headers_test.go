// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"context"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/printmarket/printmarket/apiserver"
	"github.com/printmarket/printmarket/internal/telemetry"
)

// serve runs a server with one listener until the test ends, and returns its socket.
func serve(t *testing.T, l apiserver.Listener) net.Listener {
	t.Helper()
	l.Socket = listen(t)
	server := apiserver.NewServer(telemetry.Discard(), 0, time.Millisecond, l)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Run(ctx) // the server closes connections that are still open
	}()
	t.Cleanup(func() {
		stop()
		<-ended
	})
	return l.Socket
}

var pathParameter = regexp.MustCompile(`\{[^}]*\}`)

// securityFields makes a request and returns the security header fields of the response.
func securityFields(t *testing.T, client *http.Client, method, url string) (options, transport string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatalf("http.NewRequestWithContext(%s %s): %v", method, url, err)
	}
	resp, err := client.Do(r)
	if err != nil {
		t.Fatalf("%s %s: %v", method, url, err)
	}
	_ = resp.Body.Close()
	return strings.Join(resp.Header.Values("X-Content-Type-Options"), ","), strings.Join(resp.Header.Values("Strict-Transport-Security"), ",")
}

// TestEveryRouteForbidsSniffingAndTLSForbidsPlainHTTP walks the routes of the API on both
// listeners.
func TestEveryRouteForbidsSniffingAndTLSForbidsPlainHTTP(t *testing.T) {
	t.Parallel()
	w := newMutualServer(t)
	identity := w.identity(t)
	listeners := []struct {
		origin, transport string
		client            *http.Client
	}{
		{w.api, "", w.client(t, nil)},
		{w.mtls, "max-age=31536000", w.client(t, w.config(&identity))},
	}
	walked := 0
	check := func(method, pattern string) {
		walked++
		for _, l := range listeners {
			url := l.origin + strings.ReplaceAll(pathParameter.ReplaceAllString(pattern, "x"), "*", "x")
			if options, transport := securityFields(t, l.client, method, url); options != "nosniff" || transport != l.transport {
				t.Errorf("%s %s: X-Content-Type-Options %q, want nosniff; Strict-Transport-Security %q, want %q", method, url, options, transport, l.transport)
			}
		}
	}
	if err := chi.Walk(apiserver.Router(w.Handler), func(method, pattern string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		if method != http.MethodConnect {
			check(method, pattern)
		}
		return nil
	}); err != nil {
		t.Fatalf("chi.Walk: %v", err)
	}
	check(http.MethodGet, "/unknown")
	check(http.MethodDelete, "/api/v1/rfq")
	if walked < 50 {
		t.Errorf("walked %d routes, want at least 50", walked)
	}
}

// TestEveryListenerForbidsSniffing has a listener without problems, as dashboards, the
// registry, operations and workers have.
func TestEveryListenerForbidsSniffing(t *testing.T) {
	t.Parallel()
	socket := serve(t, apiserver.Listener{Name: "ops", Handler: apiserver.Ops{Metrics: telemetry.NewMetrics(), Now: time.Now}.Handler()})
	for _, path := range []string{"/livez", "/readyz", "/metrics", "/unknown"} {
		if options, transport := securityFields(t, http.DefaultClient, http.MethodGet, "http://"+socket.Addr().String()+path); options != "nosniff" || transport != "" {
			t.Errorf("GET %s: X-Content-Type-Options %q, Strict-Transport-Security %q", path, options, transport)
		}
	}
}
