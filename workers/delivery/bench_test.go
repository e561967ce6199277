// SPDX-License-Identifier: Apache-2.0

package delivery_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/programs"
	"github.com/printmarket/printmarket/workers/delivery"
)

// BenchmarkOneDeadAmongAHundred delivers to a hundred healthy endpoints on this machine,
// without and with an endpoint that never responds. It reports deliveries per second of CPU
// time, the 99th percentile of the time from an event to the healthy endpoints, and the
// share of both that remains beside the dead endpoint. Receivers, store and worker share
// the CPUs.
func BenchmarkOneDeadAmongAHundred(b *testing.B) {
	var alone, beside figures
	for b.Loop() {
		alone = deliverToMany(b, false)
		beside = deliverToMany(b, true)
	}
	b.ReportMetric(alone.perCore, "deliveries/core-s")
	b.ReportMetric(beside.perCore, "deliveries/core-s-beside")
	b.ReportMetric(alone.p99.Seconds()*1000, "p99-ms")
	b.ReportMetric(beside.p99.Seconds()*1000, "p99-ms-beside")
	b.ReportMetric(beside.perCore/alone.perCore, "rate-ratio")
	b.ReportMetric(beside.p99.Seconds()/alone.p99.Seconds(), "p99-ratio")
}

// figures holds the results of one run.
type figures struct {
	// perCore is deliveries in a second of a core's time, rate in a second.
	perCore, rate float64
	p99           time.Duration
	// worker, database and receivers are the CPU time of a delivery.
	worker, database, receivers time.Duration
	// fairness is described at BenchmarkEndpoints.
	fairness float64
}

// arrival is a post to a healthy endpoint.
type arrival struct {
	At   time.Time
	Path string
}

// arrivals records the posts to the healthy endpoints.
type arrivals struct {
	mu  sync.Mutex
	all []arrival
}

func (a *arrivals) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all = append(a.all, arrival{time.Now(), r.URL.Path})
}

func (a *arrivals) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.all)
}

// deliverToMany delivers twenty events to a hundred endpoints.
func deliverToMany(b *testing.B, dead bool) figures {
	const healthy, events = 100, 20
	var came arrivals
	server := httptest.NewServer(&came)
	defer server.Close()
	over := make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-over:
		}
	}))
	defer func() { close(over); silent.CloseClientConnections(); silent.Close() }()
	urls := map[string]string{}
	for i := range healthy {
		urls[fmt.Sprintf("healthy-%d", i)] = fmt.Sprintf("%s/%d", server.URL, i)
	}
	if dead {
		urls["dead"] = silent.URL
	}
	f := newFixture(b)
	f.declare(urls)
	f.enroll()
	f.commit(events)
	began, used := time.Now(), programs.OwnCPUTime(b)
	stop := f.running(func(c *delivery.Config) {
		loopback(c)
		c.Drain = time.Millisecond
	})
	eventually.Holds(f, "all posts have arrived", func() bool { return came.count() == healthy*events })
	used = programs.OwnCPUTime(b) - used
	stop()
	took := make([]time.Duration, len(came.all))
	for i, one := range came.all {
		took[i] = one.At.Sub(began)
	}
	slices.Sort(took)
	return figures{perCore: healthy * events / used.Seconds(), p99: took[len(took)*99/100]}
}

// enroll enrolls the declared endpoints.
func (f *fixture) enroll() {
	f.Helper()
	if err := f.store.Enroll(f.Context(), f.directory.Endpoints(time.Now()), time.Now()); err != nil {
		f.Fatalf("w.store.Enroll: %v", err)
	}
}
