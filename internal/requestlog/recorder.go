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
	// capacity is how many entries wait to be written, and maxCounted how many of those
	// that stand for several requests one tenant has in a minute. What comes beyond is
	// dropped.
	capacity   = 16_384
	maxCounted = 100
	// batch bounds one write, writeTime how long it may take, and lastTime how long
	// all that is left may take at the end.
	batch     = 1000
	writeTime = 5 * time.Second
	lastTime  = 2 * time.Second
)

// Recorder keeps entries until they are written. It is safe for concurrent use. The
// nil Recorder takes entries and keeps none.
type Recorder struct {
	now    func() time.Time
	random io.Reader

	mu sync.Mutex
	// waiting are entries in the order in which they came, counting those that still
	// grow, by what their requests have in common.
	waiting  []Entry
	counting map[alike]*Entry
	tenants  map[tenant.ID]*account
	// swept is the minute in which idle tenants were forgotten last.
	swept time.Time
	stats Stats
}

// account is what a tenant has used of its shares, and how many of the entries that
// grow are its own.
type account struct {
	used
	counting int
}

// Stats counts requests since the start.
type Stats struct {
	// Written are those in entries that were written, Counted those that were not
	// listed one by one, Dropped those of which nothing is known.
	Written, Counted, Dropped int64
}

// NewRecorder makes a recorder. random is cryptographic outside of tests.
func NewRecorder(now func() time.Time, random io.Reader) *Recorder {
	return &Recorder{now: now, random: random, counting: map[alike]*Entry{}, tenants: map[tenant.ID]*account{}}
}

// Add takes a request, whose ID it does not look at. It never waits for a store.
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

// count adds a request to those that are like it.
func (r *Recorder) count(of *account, e *Entry) {
	key := alikeOf(e)
	switch grows := r.counting[key]; {
	case grows != nil:
		// Count one more.
		one := e
		grows.Requests += one.Requests
		grows.Took = max(grows.Took, one.Took)
		grows.Bytes += one.Bytes
	case of.counting >= maxCounted || len(r.waiting)+len(r.counting) >= capacity:
		r.stats.Dropped++
		return
	default:
		r.counting[key] = counted(e)
		of.counting++
	}
	r.stats.Counted++
}

// Stats are the counts so far.
func (r *Recorder) Stats() Stats {
	if r == nil {
		return Stats{}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stats
}

// Register registers the metrics of what becomes of entries.
func (r *Recorder) Register(m *telemetry.Metrics) {
	m.Counter("printmarket_request_log_written_total", "Requests that the request log has, one by one or counted.",
		func() float64 { return float64(r.Stats().Written) })
	m.Counter("printmarket_request_log_counted_total", "Requests beyond their organization's share of the request log, which are counted by the minute.",
		func() float64 { return float64(r.Stats().Counted) })
	m.Counter("printmarket_request_log_dropped_total", "Requests that are missing in the request log, because what waited for the store took all the room.",
		func() float64 { return float64(r.Stats().Dropped) })
}

// next takes up to a batch of what waits, those that were counted included once their
// minute is over, or all of them at the end.
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
	r.forget(now)
	n := min(len(r.waiting), batch)
	taken := append([]Entry{}, r.waiting[:n]...)
	for i := range taken {
		var err error
		if taken[i].ID, err = recordid.New(idPrefix, taken[i].At, r.random); err != nil {
			return nil, err
		}
	}
	if r.waiting = r.waiting[n:]; len(r.waiting) == 0 {
		r.waiting = nil
	}
	return taken, nil
}

// forget drops, once a minute, the accounts of tenants that ask for nothing.
func (r *Recorder) forget(now time.Time) {
	if now.Sub(r.swept) < grain {
		return
	}
	r.swept = now
	for who, of := range r.tenants {
		if of.counting == 0 && of.idle(now) {
			delete(r.tenants, who)
		}
	}
}

// wrote notes what was written.
func (r *Recorder) wrote(entries []Entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range entries {
		r.stats.Written += entries[i].Requests
	}
}

// Run writes what there is every interval until ctx ends, and all of it once more
// behind that.
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
	// held is a batch that may not have been written.
	held []Entry
	// failing is whether the last write has failed, which is said once.
	failing bool
}

// write goes on until nothing waits. What fails is tried again the next time, with the
// same ids.
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
		w.from.wrote(w.held)
		w.held = nil
	}
}

// one writes the batch that is held, or the next one.
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
