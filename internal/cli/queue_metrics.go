// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"sync/atomic"
	"time"

	"github.com/printmarket/printmarket/apiserver/sweeper"
	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/telemetry"
)

const (
	// toldTenants is how many tenants the metric of backlogs names.
	toldTenants = 10
	// defaultSlots is what a worker is expected to have before one was seen.
	defaultSlots = 2
)

// queueMetrics tell how the queue is. API servers do it and not workers: of
// those there may be none.
func queueMetrics(m *telemetry.Metrics, s *sweeper.Sweeper, wait time.Duration) {
	// Nothing is told before the queue was looked at: 0 would look like knowledge.
	gauge := func(name, help string, read func() float64) {
		m.GaugeIf(name, help, func() (float64, bool) { return read(), s.Seen() })
	}
	queueJobs(m, s)
	gauge("printmarket_preflight_queue_oldest_age_seconds", "Age of the oldest job in the queue.",
		func() float64 { return s.Stats().OldestAge.Seconds() })
	gauge("printmarket_preflight_queue_drained_seconds", "For how long nothing more is dispatched, as an operator wants it; else 0.",
		func() float64 { return s.Stats().DrainedFor.Seconds() })
	m.CounterIf("printmarket_preflight_reclaimed_total", "Jobs that were taken from a worker which had not renewed its lease.",
		func() (float64, bool) { return float64(s.Stats().Reclaimed), s.Seen() })
	gauge("printmarket_preflight_workers", "Workers that live.", func() float64 { return float64(s.Stats().Consumers) })
	gauge("printmarket_preflight_workers_desired", "Workers that would begin every open job within --preflight-target-wait.",
		desiredWorkers(s, wait))
	gauge("printmarket_redis_memory_ratio", "Part of Redis' memory that is used; 0 where it has no limit.",
		func() float64 { return s.Server().Memory })
	gauge("printmarket_redis_durable", "1 if Redis keeps an append-only file, else 0.",
		func() float64 { return truth(s.Server().Durable) })
	m.Gauge("printmarket_preflight_queue_up", "1 while the queue answers and may be used, else 0.",
		func() float64 { return truth(s.Usable()) })
}

func queueJobs(m *telemetry.Metrics, s *sweeper.Sweeper) {
	m.Gauges("printmarket_preflight_queue_jobs", "Jobs in the queue, by state: waiting for a worker, held by one, delayed, dead.",
		[]string{"state"}, func(set func(float64, ...string)) {
			if !s.Seen() {
				return
			}
			stats := s.Stats()
			set(float64(stats.Waiting), string(queue.Waiting))
			set(float64(stats.Held), string(queue.Held))
			set(float64(stats.Delayed), string(queue.Delayed))
			set(float64(stats.Dead), string(queue.Dead))
		})
	m.Gauges("printmarket_preflight_tenant_backlog", "Jobs that wait for their turn, of the tenants with the most.",
		[]string{"organization", "mode"}, func(set func(float64, ...string)) {
			backlogs := s.Backlogs()
			for _, b := range backlogs[:min(len(backlogs), toldTenants)] {
				set(float64(b.Waiting), b.Tenant.Organization, string(b.Tenant.Mode))
			}
		})
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// desiredWorkers counts in workers of the size of those that live, or lived last.
func desiredWorkers(s *sweeper.Sweeper, wait time.Duration) func() float64 {
	var slots atomic.Int64
	slots.Store(defaultSlots)
	return func() float64 {
		stats := s.Stats()
		if stats.Consumers > 0 {
			slots.Store(max(1, stats.Slots/stats.Consumers))
		}
		return float64(stats.DesiredWorkers(int(slots.Load()), wait))
	}
}
