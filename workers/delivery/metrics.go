// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"context"
	"time"

	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/webhook"
)

// watchTime is the interval at which the worker reads the waiting deliveries.
const watchTime = 15 * time.Second

// backlog holds the last values for the metrics.
type backlog struct {
	// seen is true if the waiting deliveries were read.
	seen     bool
	waiting  int
	oldest   time.Time
	disabled int
	breakers map[webhook.BreakerState]int
}

// Gauges registers the gauges that read the worker's state at each scrape.
func (w *Worker) Gauges(m *telemetry.Metrics) {
	last := func(read func(backlog) float64) func() (float64, bool) {
		return func() (float64, bool) {
			s := w.seen()
			return read(s), s.seen
		}
	}
	m.GaugeIf("printmarket_webhook_waiting",
		"Deliveries that wait for open, enabled endpoints.",
		last(func(s backlog) float64 { return float64(s.waiting) }))
	m.GaugeIf("printmarket_webhook_oldest_seconds",
		"Age of the oldest event that waits for an open, enabled endpoint; 0 if none waits.",
		last(func(s backlog) float64 {
			if s.oldest.IsZero() {
				return 0
			}
			return w.Now().Sub(s.oldest).Seconds()
		}))
	m.GaugeIf("printmarket_webhook_endpoints_disabled",
		"Declared endpoints that are disabled because they failed for too long or responded with 410 Gone.",
		last(func(s backlog) float64 { return float64(s.disabled) }))
	m.Gauges("printmarket_webhook_breakers", "Declared endpoints by the state of their circuit breaker, which all workers share.",
		[]string{"state"}, func(set func(float64, ...string)) {
			breakers := w.seen().breakers
			for _, state := range webhook.BreakerStates() {
				set(float64(breakers[state]), string(state))
			}
		})
}

func (w *Worker) seen() backlog {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.backlog
}

func (w *Worker) watch(ctx context.Context) {
	ask, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	standings, err := w.Store.Standings(ask, tenant.ID{})
	w.store.note(ctx, "watch", err)
	open := map[webhook.Address]webhook.Endpoint{}
	for _, endpoint := range w.Directory.Endpoints(w.Now()) {
		open[endpoint.Address] = endpoint
	}
	now, breakers := w.Now(), map[webhook.BreakerState]int{webhook.BreakerClosed: len(open)}
	for _, standing := range standings {
		if endpoint, declared := open[standing.Address]; declared && endpoint.URL == standing.URL {
			breakers[webhook.BreakerClosed]--
			breakers[standing.Breaker.State(now)]++
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil {
		w.backlog.breakers = breakers
	}
	w.backlog.seen, w.backlog.waiting, w.backlog.disabled, w.backlog.oldest = err == nil, 0, 0, time.Time{}
	for _, standing := range standings {
		endpoint, declared := open[standing.Address]
		switch {
		case !declared:
		case standing.Disabled != webhook.NotDisabled:
			w.backlog.disabled++
		case endpoint.Withheld() == "" && standing.Waiting > 0:
			w.backlog.waiting += standing.Waiting
			if w.backlog.oldest.IsZero() || standing.OldestAt.Before(w.backlog.oldest) {
				w.backlog.oldest = standing.OldestAt
			}
		}
	}
}
