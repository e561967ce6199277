// SPDX-License-Identifier: Apache-2.0

package requestlog

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/tenant"
)

// Interval is how often entries are written.
const Interval = time.Second

const (
	// capacity limits the unwritten entries. maxCounted limits the entries of counted
	// requests for each tenant and minute. Requests beyond these limits are dropped.
	capacity   = 16_384
	maxCounted = 100
	// batch limits the entries in one write, and writeTime its duration. lastTime
	// limits the duration of all writes at the end.
	batch     = 1000
	writeTime = 5 * time.Second
	lastTime  = 2 * time.Second
)

// Recorder keeps entries until they are written. It is safe for concurrent use. The nil
// Recorder discards entries.
type Recorder struct {
	now    func() time.Time
	random io.Reader

	mu sync.Mutex
	// waiting holds complete entries in the order of arrival. counting holds the entries
	// of counted requests that still grow.
	waiting  []Entry
	counting map[alike]*Entry
	tenants  map[tenant.ID]*account
	// swept is the minute in which idle tenants were last removed.
	swept time.Time
	stats Stats
}

// account holds the used shares of a tenant and the number of its growing entries.
type account struct {
	used
	counting int
}

// Stats counts requests since the start.
type Stats struct {
	// Written counts requests in written entries, Counted requests that were counted
	// instead of listed, and Dropped requests without an entry.
	Written, Counted, Dropped int64
}

// NewRecorder returns a recorder. random must be cryptographically secure except in
// tests.
func NewRecorder(now func() time.Time, random io.Reader) *Recorder {
	return &Recorder{now: now, random: random, counting: map[alike]*Entry{}, tenants: map[tenant.ID]*account{}}
}

// Add records a request and ignores its ID. It never waits for a store.
func (r *Recorder) Add(e Entry) {
	if r == nil {
		return
	}
	e.At, e.Took, e.Requests = e.At.UTC().Truncate(time.Millisecond), e.Took.Truncate(time.Microsecond), 1
	r.mu.Lock()
	defer r.mu.Unlock()
	of := r.tenants[e.Tenant]
	if of == nil {
		of = &account{}
		r.tenants[e.Tenant] = of
	}
	if !of.take(&e) {
		r.count(of, &e)
		return
	}
	if len(r.waiting)+len(r.counting) >= capacity {
		r.stats.Dropped++
		return
	}
	r.waiting = append(r.waiting, e)
}

// count adds a request to the entry of similar requests.
func (r *Recorder) count(of *account, e *Entry) {
	key := alike{
		minute: e.At.Unix() / int64(grain/time.Second), tenant: e.Tenant,
		key: e.Key, listener: e.Listener, surface: e.Surface, method: e.Method, route: e.Route,
		code: e.Code, capability: e.Capability, reason: e.Reason, status: e.Status,
	}
	switch grows := r.counting[key]; {
	case grows != nil:
		grows.Requests += e.Requests
		grows.Took = max(grows.Took, e.Took)
		grows.Bytes += e.Bytes
	case of.counting >= maxCounted || len(r.waiting)+len(r.counting) >= capacity:
		r.stats.Dropped++
		return
	default:
		first := *e
		first.RequestID, first.At = "", e.At.Truncate(grain)
		r.counting[key] = &first
		of.counting++
	}
	r.stats.Counted++
}

// Stats returns the counts since the start.
func (r *Recorder) Stats() Stats {
	if r == nil {
		return Stats{}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stats
}

// Register registers the metrics of the recorder.
func (r *Recorder) Register(m *telemetry.Metrics) {
	m.Counter("printmarket_request_log_written_total", "Requests in the request log, as single entries or counted.",
		func() float64 { return float64(r.Stats().Written) })
	m.Counter("printmarket_request_log_counted_total", "Requests beyond the share of their organization in the request log, which are only counted per minute.",
		func() float64 { return float64(r.Stats().Counted) })
	m.Counter("printmarket_request_log_dropped_total", "Requests that are missing in the request log, because the buffer for the store was full.",
		func() float64 { return float64(r.Stats().Dropped) })
}

// next removes and returns up to a batch of waiting entries. They include counted
// requests whose minute is over, or at the end all of them.
func (r *Recorder) next(end bool) ([]Entry, error) {
	now := r.now()
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, grown := range r.counting {
		if end || now.Sub(grown.At) >= grain {
			r.waiting = append(r.waiting, *grown)
			r.tenants[key.tenant].counting--
			delete(r.counting, key)
		}
	}
	// Remove the accounts of idle tenants once a minute.
	if now.Sub(r.swept) >= grain {
		r.swept = now
		for id, of := range r.tenants {
			if of.counting == 0 && of.idle(now) {
				delete(r.tenants, id)
			}
		}
	}
	n := min(len(r.waiting), batch)
	taken := append([]Entry{}, r.waiting[:n]...)
	for i := range taken {
		var err error
		if taken[i].ID, err = recordid.New(IDPrefix, taken[i].At, r.random); err != nil {
			return nil, err
		}
	}
	if r.waiting = r.waiting[n:]; len(r.waiting) == 0 {
		r.waiting = nil
	}
	return taken, nil
}

// Run writes the waiting entries every interval until ctx ends, and then all remaining
// entries.
func (r *Recorder) Run(ctx context.Context, store Store, interval time.Duration, log *slog.Logger) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	w := writer{from: r, store: store, log: log}
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastTime)
			defer cancel()
			w.write(last, true)
			return
		case <-tick.C:
			w.write(ctx, false)
		}
	}
}

// writer writes batch after batch.
type writer struct {
	from  *Recorder
	store Store
	log   *slog.Logger
	// held is a batch whose write has not been confirmed.
	held []Entry
	// failing is whether the last write failed, so that a failure is logged once.
	failing bool
}

// write writes batches until no entry waits. The next call retries a failed batch with
// the same IDs.
func (w *writer) write(ctx context.Context, end bool) {
	for {
		if err := w.one(ctx, end); err != nil {
			if !w.failing {
				w.log.WarnContext(ctx, "write the request log", "error", err)
			}
			w.failing = true
			return
		}
		if w.failing && len(w.held) > 0 {
			w.log.InfoContext(ctx, "the request log is written again", "dropped", w.from.Stats().Dropped)
			w.failing = false
		}
		if len(w.held) == 0 {
			return
		}
		w.from.mu.Lock()
		for i := range w.held {
			w.from.stats.Written += w.held[i].Requests
		}
		w.from.mu.Unlock()
		w.held = nil
	}
}

// one writes the held batch, or the next one.
func (w *writer) one(ctx context.Context, end bool) (err error) {
	if len(w.held) == 0 {
		if w.held, err = w.from.next(end); err != nil || len(w.held) == 0 {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	return w.store.AddRequests(ctx, w.held)
}
