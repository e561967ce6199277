// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"sync/atomic"
	"time"

	"github.com/printmarket/printmarket/internal/telemetry"
)

const (
	// reportedTenants is the maximum number of tenants in the metric of backlogs.
	reportedTenants = 10
	// defaultSlots is the assumed number of slots of a worker before the first worker was seen.
	defaultSlots = 2
)

// Observer holds the last state of the queue that a process has read.
type Observer interface {
	// Seen reports whether the queue was read at all.
	Seen() bool
	// Usable reports whether the queue responds and may be used.
	Usable() bool
	Stats() Stats
	Server() Server
	Backlogs() []Backlog
}

// Register registers the metrics of the queue with API servers. Workers register
// none, because there may be no worker.
func Register(m *telemetry.Metrics, o Observer, targetWait time.Duration) {
	// A gauge of 0 before the first read would look like a measurement.
	gauge := func(name, help string, read func() float64) {
		m.GaugeIf(name, help, func() (float64, bool) { return read(), o.Seen() })
	}
	m.Gauges("printmarket_preflight_queue_jobs", "Jobs in the queue, by state: waiting for a worker, held by a worker, delayed, dead.",
		[]string{"state"}, func(set func(float64, ...string)) {
			if !o.Seen() {
				return
			}
			stats := o.Stats()
			set(float64(stats.Waiting), string(Waiting))
			set(float64(stats.Held), string(Held))
			set(float64(stats.Delayed), string(Delayed))
			set(float64(stats.Dead), string(Dead))
		})
	m.Gauges("printmarket_preflight_tenant_backlog", "Waiting jobs of the tenants with the longest backlogs.",
		[]string{"organization", "mode"}, func(set func(float64, ...string)) {
			backlogs := o.Backlogs()
			for _, b := range backlogs[:min(len(backlogs), reportedTenants)] {
				set(float64(b.Waiting), b.Tenant.Organization, string(b.Tenant.Mode))
			}
		})
	gauge("printmarket_preflight_queue_oldest_age_seconds", "Age of the oldest open job.",
		func() float64 { return o.Stats().OldestAge.Seconds() })
	gauge("printmarket_preflight_queue_drained_seconds", "Remaining time for which an operator has paused the queue; 0 if it is not paused.",
		func() float64 { return o.Stats().DrainedFor.Seconds() })
	m.CounterIf("printmarket_preflight_reclaimed_total", "Jobs reclaimed from workers that did not renew their leases.",
		func() (float64, bool) { return float64(o.Stats().Reclaimed), o.Seen() })
	gauge("printmarket_preflight_workers", "Live workers.", func() float64 { return float64(o.Stats().Consumers) })
	var slots atomic.Int64 // slots of a live worker, or of the last ones
	slots.Store(defaultSlots)
	gauge("printmarket_preflight_workers_desired", "Number of workers needed to start every open job within --preflight-target-wait.", func() float64 {
		stats := o.Stats()
		if stats.Consumers > 0 {
			slots.Store(max(1, stats.Slots/stats.Consumers))
		}
		return float64(stats.DesiredWorkers(int(slots.Load()), targetWait))
	})
	gauge("printmarket_redis_memory_ratio", "Used share of maxmemory of Redis; 0 if Redis has no limit.",
		func() float64 { return o.Server().Memory })
	gauge("printmarket_redis_durable", "1 if the append-only file of Redis is enabled, else 0.",
		func() float64 { return indicator(o.Server().Durable) })
	m.Gauge("printmarket_preflight_queue_up", "1 while the queue is reachable and usable, else 0.",
		func() float64 { return indicator(o.Usable()) })
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
