// SPDX-License-Identifier: Apache-2.0

package delivery_test

import (
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/safehttp"
	domain "github.com/printmarket/printmarket/internal/webhook"
	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/workers/delivery"
)

var local = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}

// loopback allows a worker to post to servers of this machine.
func loopback(c *delivery.Config) {
	c.Connect = delivery.Connections(safehttp.Config{Allow: local, UserAgent: "test/1"})
}

// declare makes endpoints of URLs, by their names.
func (f *fixture) declare(urls map[string]string) {
	var declared []domain.Endpoint
	for name, url := range urls {
		declared = append(declared, domain.Endpoint{Address: address(name), URL: url, Secrets: []credential.Secret{newer, older}})
	}
	f.directory.Declare(declared...)
}

// TestFaultyReceiversDelayNoOthers posts over real sockets to receivers with faulty responses and
// to a correct receiver beside them.
func TestFaultyReceiversDelayNoOthers(t *testing.T) {
	t.Parallel()
	verifier, err := standardwebhooks.NewWebhook(older.Reveal())
	if err != nil {
		t.Fatalf("standardwebhooks.NewWebhook: %v", err)
	}
	ended := make(chan struct{})
	kinds := map[string]http.HandlerFunc{
		"good": func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if err := verifier.Verify(body, r.Header); err != nil || r.Header.Get("Content-Type") != "application/json" || r.UserAgent() != "test/1" {
				w.WriteHeader(400)
			}
		},
		"redirecting": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusTemporaryRedirect)
		},
		"huge": func(w http.ResponseWriter, r *http.Request) {
			for {
				if _, err := w.Write(make([]byte, 4096)); err != nil || r.Context().Err() != nil {
					return
				}
			}
		},
		"huge-header": func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("x", 64<<10)) },
		"resetting":   func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"refusing":    func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no\x00thing", http.StatusForbidden) },
		"gone":        func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) },
		"slow": func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-r.Context().Done():
			case <-ended:
			}
		},
	}
	want := map[string]domain.Fault{
		"good": domain.NoFault, "huge": domain.NoFault, "redirecting": domain.FaultRedirect, "huge-header": domain.FaultConnection,
		"resetting": domain.FaultConnection, "refusing": domain.FaultStatus, "gone": domain.FaultGone, "slow": domain.FaultTimeout,
		"inside": domain.FaultRefused, "closed": domain.FaultConnection, "untrusted": domain.FaultCertificate,
	}
	f := newFixture(t)
	urls := map[string]string{"inside": "http://169.254.169.254/", "closed": unused(t)}
	for name, serve := range kinds {
		server := httptest.NewServer(serve)
		t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
		urls[name] = server.URL
	}
	t.Cleanup(func() { close(ended) }) // before the servers close
	untrusted := httptest.NewUnstartedServer(http.NotFoundHandler())
	untrusted.Config.ErrorLog = log.New(io.Discard, "", 0) // the handshake fails
	untrusted.StartTLS()
	t.Cleanup(untrusted.Close)
	urls["untrusted"] = untrusted.URL
	f.declare(urls)
	f.commit(1)
	stop := f.running(func(c *delivery.Config) {
		c.Connect = func() delivery.Connection {
			return safehttp.New(safehttp.Config{Allow: local, UserAgent: "test/1", Total: 2 * time.Second, KeepAlive: time.Minute})
		}
	})
	eventually.Holds(f, "each has one attempt behind it", func() bool { return len(f.faults()) == len(want) })
	stop()
	if diff := cmp.Diff(want, f.faults()); diff != "" {
		t.Errorf("faults of the first attempts (-want +got):\n%s", diff)
	}
	if got := f.states("good")[domain.Delivered]; got != 1 {
		t.Errorf("the correct receiver has %d posts, want all", got)
	}
}

// unused returns a URL without a listener.
func unused(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("net.Listen: %v", err)
	}
	_ = listener.Close()
	return "http://" + listener.Addr().String() + "/"
}

// faults returns the faults of the first attempts, by endpoint.
func (f *fixture) faults() map[string]domain.Fault {
	found := map[string]domain.Fault{}
	all, attempts := f.store.All()
	for _, d := range all {
		if tried := attempts[d.ID]; len(tried) > 0 {
			found[d.Name] = tried[0].Fault
		}
	}
	return found
}

func TestMetricsCountDeliveries(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/gone" {
			w.WriteHeader(http.StatusGone)
		}
	}))
	t.Cleanup(server.Close)
	f := newFixture(t)
	f.declare(map[string]string{"good": server.URL, "gone": server.URL + "/gone"})
	f.commit(1)
	stop := f.running(loopback)
	eventually.Holds(f, "both have an attempt behind them", func() bool { return len(f.faults()) == 2 })
	stop()
	again := f.worker(loopback)
	again.Gauges(f.metrics)
	if text := f.scrape(); strings.Contains(text, "\nprintmarket_webhook_waiting") {
		t.Error("the gauge of waiting deliveries exists before the first read, want none")
	}
	stop = f.run(again)
	eventually.Holds(f, "waiting deliveries were read", func() bool { return strings.Contains(f.scrape(), "\nprintmarket_webhook_waiting") })
	stop()
	text := f.scrape()
	for _, line := range []string{
		`printmarket_webhook_deliveries_total{outcome="delivered"} 1`, `printmarket_webhook_deliveries_total{outcome="retried"} 1`,
		"printmarket_webhook_attempt_seconds_count 2", "printmarket_webhook_waiting 0", "printmarket_webhook_oldest_seconds 0",
		"printmarket_webhook_endpoints_disabled 1",
		`printmarket_webhook_breakers{state="closed"} 2`, `printmarket_webhook_breakers{state="open"} 0`,
	} {
		if !strings.Contains(text, "\n"+line+"\n") {
			t.Errorf("the metrics lack the line %s", line)
		}
	}
}

// scrape reads the metrics.
func (f *fixture) scrape() string {
	rec := httptest.NewRecorder()
	f.metrics.Handler().ServeHTTP(rec, httptest.NewRequest("GET", "/metrics", nil))
	return rec.Body.String()
}
