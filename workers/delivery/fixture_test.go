// SPDX-License-Identifier: Apache-2.0

package delivery_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	mathrand "math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/safehttp"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	domain "github.com/printmarket/printmarket/internal/webhook"
	"github.com/printmarket/printmarket/test/webhooktest"
	"github.com/printmarket/printmarket/workers/delivery"
)

var acme = tenant.ID{Organization: "org_acme01", Mode: tenant.Test}

const (
	older = credential.Secret("whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
	newer = credential.Secret("whsec_ZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXp7fH1+f4CBgoOEhYaHiImKi4yNjo+QkZKTlJWWl5iZmpucnZ6foKGiow==")
)

// fixture holds the dependencies of a worker. In a bubble it uses the bubble's clock.
type fixture struct {
	testing.TB
	store     webhooktest.Memory
	directory webhooktest.Directory
	receivers receivers
	log       bytes.Buffer
	metrics   *telemetry.Metrics
	start     time.Time
}

func newFixture(t testing.TB, names ...string) *fixture {
	f := &fixture{TB: t, start: time.Now(), metrics: telemetry.NewMetrics()}
	f.directory.Declare(endpoints(names...)...)
	return f
}

func endpoints(names ...string) []domain.Endpoint {
	declared := make([]domain.Endpoint, len(names))
	for i, name := range names {
		declared[i] = domain.Endpoint{Address: address(name), URL: "https://" + name + ".test/", Secrets: []credential.Secret{older}}
	}
	return declared
}

func address(name string) domain.Address { return domain.Address{Owner: acme, Name: name} }

// worker returns a worker with default settings, after a change.
func (f *fixture) worker(change func(*delivery.Config)) *delivery.Worker {
	config := delivery.Config{
		Store: &f.store, Directory: &f.directory,
		Relay:   &domain.Relay{Store: &f.store, Directory: &f.directory, Now: time.Now, Random: rand.Reader},
		Sender:  domain.Sender{Schedule: domain.Schedule{Random: mathrand.Float64}, Now: time.Now},
		Connect: func() delivery.Connection { return &f.receivers },
		Drain:   20 * time.Second, Random: mathrand.Float64, Now: time.Now,
		Log: slog.New(slog.NewTextHandler(&f.log, &slog.HandlerOptions{Level: slog.LevelWarn})), Metrics: f.metrics,
	}
	if change != nil {
		change(&config)
	}
	return delivery.New(config)
}

// running starts a worker; stop stops it and waits for its end.
func (f *fixture) running(change func(*delivery.Config)) (stop func()) {
	return f.run(f.worker(change))
}

// run starts a worker; stop is that of running.
func (f *fixture) run(worker *delivery.Worker) (stop func()) {
	ctx, cancel := context.WithCancel(f.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); worker.Run(ctx) }()
	stop = func() { cancel(); <-ended }
	f.Cleanup(stop)
	return stop
}

// commit commits n events.
func (f *fixture) commit(n int) {
	f.Helper()
	for range n {
		f.store.Commit(f, acme, transaction.RFQCreated, time.Now(), "")
	}
}

// states counts the deliveries of an endpoint by their states.
func (f *fixture) states(name string) map[domain.State]int {
	counts := map[domain.State]int{}
	all, _ := f.store.All()
	for _, d := range all {
		if d.Name == name {
			counts[d.State]++
		}
	}
	return counts
}

// receivers simulates all endpoints, distinguished by their URLs. By default they respond 200 at
// once.
type receivers struct {
	mu    sync.Mutex
	posts []posted
	// under counts the running posts by URL; most is their maximum.
	under, most map[string]int
	// answers holds responses and their delays, by URL.
	answers map[string]answer
}

type answer struct {
	status int
	after  time.Duration
}

type posted struct {
	at     time.Time
	url    string
	body   string
	header http.Header
}

func (r *receivers) answer(url string, status int, after time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.answers == nil {
		r.answers = map[string]answer{}
	}
	r.answers[url] = answer{status, after}
}

func (r *receivers) Post(ctx context.Context, url string, header http.Header, body []byte, _ int64) (safehttp.Answer, error) {
	says := r.begin(posted{time.Now(), url, string(body), header.Clone()})
	defer r.end(url)
	select {
	case <-ctx.Done():
		return safehttp.Answer{}, ctx.Err()
	case <-time.After(min(says.after, domain.AttemptLimit)):
	}
	if says.after >= domain.AttemptLimit {
		return safehttp.Answer{}, safehttp.ErrTimeout
	}
	return safehttp.Answer{Status: says.status}, nil
}

func (r *receivers) begin(p posted) answer {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.under == nil {
		r.under, r.most = map[string]int{}, map[string]int{}
	}
	r.posts = append(r.posts, p)
	for _, name := range []string{p.url, ""} {
		r.under[name]++
		r.most[name] = max(r.most[name], r.under[name])
	}
	if answer, found := r.answers[p.url]; found {
		return answer
	}
	return answer{status: 200}
}

func (r *receivers) end(url string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.under[url]--
	r.under[""]--
}

func (r *receivers) Close() {}

// to returns the posts to a URL so far.
func (r *receivers) to(url string) (posts []posted) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.posts {
		if p.url == url {
			posts = append(posts, p)
		}
	}
	return posts
}

// twice returns an error if an event was sent to a URL more than once.
func (r *receivers) twice(url string) error {
	seen := map[string]bool{}
	for _, p := range r.to(url) {
		if seen[p.header.Get(domain.HeaderID)] {
			return fmt.Errorf("event %s was received twice", p.header.Get(domain.HeaderID))
		}
		seen[p.header.Get(domain.HeaderID)] = true
	}
	return nil
}
