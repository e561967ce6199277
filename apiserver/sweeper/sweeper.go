// SPDX-License-Identifier: Apache-2.0

// Package sweeper submits open jobs to the queue again and applies deadlines to RFQs.
//
// Redis may lose its data at any time. The rows of open jobs are authoritative, so every API
// replica submits them to the queue again: from time to time those that have waited long,
// and all of them when the queue's epoch mark is missing or the queue becomes available
// again. A second submission is harmless, so replicas need no coordination. The same holds
// for RFQs whose deadlines pass: the first replica that stores a change publishes it.
package sweeper

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/printmarket/printmarket/internal/queue"
)

// Jobs is the part of package preflightjob that the sweeper uses.
type Jobs interface {
	Sweep(ctx context.Context, olderThan time.Duration, batch int) (int, error)
	Purge(ctx context.Context, limit int) (int, error)
}

// Queue is the part of package queue that the sweeper uses.
type Queue interface {
	Marked(ctx context.Context) (bool, error)
	BeginMark(ctx context.Context) (fresh bool, err error)
	Mark(ctx context.Context, now time.Time) (kept bool, err error)
	Stats(ctx context.Context) (queue.Stats, error)
	Server(ctx context.Context) (queue.Server, error)
	Maintain(ctx context.Context) error
	Backlogs(ctx context.Context) ([]queue.Backlog, error)
	Reweigh(ctx context.Context, backlogs []queue.Backlog) (changed int, err error)
}

// RFQs is the part of package rfq that the sweeper uses.
type RFQs interface {
	Sweep(ctx context.Context, batch int) (int, error)
}

// KeysAndQuotas purges idempotency keys, quota windows and ended sessions past their
// retention.
type KeysAndQuotas interface {
	PurgeKeysAndQuotas(ctx context.Context, now time.Time) error
}

// Callbacks is the part of package xjmf that the sweeper uses.
type Callbacks interface {
	Purge(ctx context.Context, limit int) (int, error)
}

// Files is the part of package preflightjob that removes uploaded files.
type Files interface {
	Purge(ctx context.Context, limit int) (int, error)
	PurgeStrays(ctx context.Context, batch int) error
}

// Requests is the part of package requestlog that the sweeper uses.
type Requests interface {
	Purge(ctx context.Context, limit int) (int, error)
}

// Config holds the dependencies and settings of a [Sweeper]. Zero durations select the
// defaults.
type Config struct {
	Jobs          Jobs
	Files         Files
	RFQs          RFQs
	Callbacks     Callbacks
	Requests      Requests
	KeysAndQuotas KeysAndQuotas
	// Erasures may be nil: then this sweeper erases no organization.
	Erasures Erasures
	Queue    Queue
	Now      func() time.Time
	Log      *slog.Logger
	// Check is the interval of checks of the queue and of RFQ sweeps; 1 s.
	Check time.Duration
	// Every is the interval at which waiting rows are submitted again and shares are
	// compared; 5 s.
	Every time.Duration
	// Stale is the time that a row must have waited to be submitted again; 30 s.
	Stale time.Duration
	// Purge is the interval at which records past their retention are erased; 10 min.
	Purge time.Duration
	// Full is the number of open jobs at which new jobs are refused;
	// 100,000.
	Full int64
	// FullMemory is the used fraction of Redis' memory at which new jobs are refused; 0.85.
	// The rest is for jobs in progress.
	FullMemory float64
}

const (
	batch       = 500
	askAtMost   = 2 * time.Second
	sweepAtMost = 30 * time.Second
)

var (
	errUnknown = errors.New("the queue has not been checked yet")
	errFull    = errors.New("the queue is full")
	errMemory  = errors.New("redis is nearly out of memory")
)

// Sweeper checks and repairs the queue, and holds the last observations.
type Sweeper struct {
	Config

	// run is the last run id of the server; another run id means that the server was
	// restarted or replaced. failures counts consecutive failed checks.
	run      string
	failures int

	mu    sync.Mutex
	state error
	seen  bool
	// pending means that the queue may lack open rows: since their last submission it was
	// unavailable, lost its mark or was replaced. Rows dispatched by due are pending; due
	// stays the same until all of them were submitted.
	pending  bool
	due      time.Time
	stats    queue.Stats
	server   queue.Server
	backlogs []queue.Backlog
}

// New makes a sweeper.
func New(c Config) *Sweeper {
	for _, d := range []struct {
		value    *time.Duration
		fallback time.Duration
	}{{&c.Check, time.Second}, {&c.Every, 5 * time.Second}, {&c.Stale, 30 * time.Second}, {&c.Purge, 10 * time.Minute}} {
		if *d.value == 0 {
			*d.value = d.fallback
		}
	}
	if c.Full == 0 {
		c.Full = 100_000
	}
	if c.FullMemory == 0 {
		c.FullMemory = 0.85
	}
	return &Sweeper{Config: c, state: errUnknown}
}

// Refuses returns the reason why new jobs are refused: the queue is unavailable or full.
// It returns nil before the first check, because a row that is not submitted is swept
// later.
func (s *Sweeper) Refuses() error {
	if err := s.Healthy(); !errors.Is(err, errUnknown) {
		return err
	}
	return nil
}

// Healthy returns nil if the queue responds and has room.
func (s *Sweeper) Healthy() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// Seen reports whether a check of the queue has succeeded since the start.
func (s *Sweeper) Seen() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen
}

// Usable reports whether the queue responds and accepts this release, even if it is
// full.
func (s *Sweeper) Usable() bool {
	err := s.Healthy()
	return err == nil || errors.Is(err, errFull) || errors.Is(err, errMemory)
}

// Stats returns the statistics of the queue at the last check.
func (s *Sweeper) Stats() queue.Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stats
}

// Server returns the properties of the queue's server at the last check.
func (s *Sweeper) Server() queue.Server {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.server
}

// Backlogs returns the tenants with waiting jobs at the last check, longest backlog first.
func (s *Sweeper) Backlogs() []queue.Backlog {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.backlogs
}

// Run checks the queue and sweeps the rows until ctx ends.
func (s *Sweeper) Run(ctx context.Context) {
	var beside sync.WaitGroup
	defer beside.Wait()
	beside.Go(func() { s.settleEvery(ctx) })
	if s.Erasures != nil {
		beside.Go(func() { s.eraseEvery(ctx) })
	}
	s.look(ctx)
	beside.Go(func() { s.sweepEvery(ctx) })
	check := time.NewTicker(s.Check)
	defer check.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-check.C:
			s.look(ctx)
		}
	}
}

// sweepEvery submits waiting rows and purges old ones. It runs in a separate loop,
// because the queue must be checked while many rows are submitted.
func (s *Sweeper) sweepEvery(ctx context.Context) {
	check, sweep, purge := time.NewTicker(s.Check), time.NewTicker(s.Every), time.NewTicker(s.Purge)
	defer check.Stop()
	defer sweep.Stop()
	defer purge.Stop()
	s.restore(ctx)
	for {
		select {
		case <-ctx.Done():
			return
		case <-check.C:
			s.restore(ctx)
		case <-sweep.C:
			if s.Healthy() == nil {
				s.sweep(ctx, s.Stale)
			}
			if s.Usable() {
				s.share(ctx)
			}
		case <-purge.C:
			// Erase keys, quota windows, reports, files, callbacks and requests past their
			// retention.
			if err := s.KeysAndQuotas.PurgeKeysAndQuotas(ctx, s.Now()); err != nil {
				s.Log.WarnContext(ctx, "purge idempotency keys and quotas", "error", err)
			}
			s.purgeAll(ctx, "jobs", s.Jobs.Purge)
			s.purgeAll(ctx, "files", s.Files.Purge)
			if err := s.Files.PurgeStrays(ctx, batch); err != nil && ctx.Err() == nil {
				s.Log.WarnContext(ctx, "purge files without rows", "error", err)
			}
			s.purgeAll(ctx, "callbacks", s.Callbacks.Purge)
			s.purgeAll(ctx, "requests", s.Requests.Purge)
		}
	}
}

// manyFailures is the number of consecutive failed checks after which rows committed in
// the meantime are pending. A server that was only slow must not get more work.
const manyFailures = 3

// look checks the queue and detects a loss of its data.
func (s *Sweeper) look(ctx context.Context) {
	ask, cancel := context.WithTimeout(ctx, askAtMost)
	defer cancel()
	before, pending := s.Healthy(), s.mustResubmit()
	seen, err := s.ask(ask)
	if ctx.Err() != nil {
		return
	}
	after := s.note(seen, err)
	if err != nil {
		s.failures++
	} else {
		s.requireResubmission(seen, pending)
		s.failures, s.run = 0, seen.server.Run
	}
	if after != nil && (before == nil || before.Error() != after.Error()) {
		s.Log.WarnContext(ctx, "queue is unhealthy", "error", after)
	}
}

// requireResubmission records that open rows have to be submitted again. Rows committed later reach the current
// queue. While pending rows are being submitted, a missing mark is expected.
func (s *Sweeper) requireResubmission(seen sight, pending bool) {
	another := s.run != "" && seen.server.Run != s.run || s.failures >= manyFailures
	s.mu.Lock()
	defer s.mu.Unlock()
	if another || !seen.marked && !pending {
		s.pending, s.due = true, s.Now()
	}
}

// sight is the state of the queue at one look.
type sight struct {
	stats  queue.Stats
	server queue.Server
	marked bool
}

// ask reads the state of the queue. It returns an error for a rejected server and for a
// queue of a newer release.
func (s *Sweeper) ask(ctx context.Context) (seen sight, err error) {
	if seen.server, err = s.Queue.Server(ctx); err != nil {
		return seen, err
	}
	if seen.marked, err = s.Queue.Marked(ctx); err != nil {
		return seen, err
	}
	// All workers may be gone, so the sweeper also maintains the queue.
	if err = s.Queue.Maintain(ctx); err != nil {
		return seen, err
	}
	seen.stats, err = s.Queue.Stats(ctx)
	return seen, err
}

// share applies changed shares to the waiting jobs too.
func (s *Sweeper) share(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, askAtMost)
	defer cancel()
	backlogs, err := s.Queue.Backlogs(ctx)
	if err == nil {
		_, err = s.Queue.Reweigh(ctx, backlogs)
	}
	if err != nil {
		s.Log.DebugContext(ctx, "shares of the queue", "error", err)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.backlogs = backlogs
}

// note stores the state and returns the reason why new jobs are refused.
func (s *Sweeper) note(seen sight, err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err != nil:
		what := "the queue does not respond"
		if errors.Is(err, queue.ErrPolicy) || errors.Is(err, queue.ErrOld) || errors.Is(err, queue.ErrFormat) {
			what = "the queue is unusable"
		}
		s.state = fmt.Errorf("%s: %w", what, err)
		return s.state
	case seen.stats.Open >= s.Full:
		s.state = errFull
	case seen.server.Memory >= s.FullMemory:
		s.state = errMemory
	default:
		s.state = nil
	}
	s.stats, s.server, s.seen = seen.stats, seen.server, true
	return s.state
}

// restore submits the pending rows, if any, and then sets the mark. If it takes too long, the next
// call continues. If Redis loses its data in the meantime, the record of BeginMark is lost too, and the
// next call begins again.
func (s *Sweeper) restore(ctx context.Context) {
	if !s.mustResubmit() || !s.Usable() {
		return
	}
	due, err := s.begin(ctx)
	if err == nil && s.sweep(ctx, max(0, s.Now().Sub(due))) {
		err = s.end(ctx, due)
	}
	if err != nil && ctx.Err() == nil {
		s.Log.WarnContext(ctx, "mark the queue", "error", err)
	}
}

func (s *Sweeper) mustResubmit() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pending
}

// begin records the beginning of a submission of all rows and returns the limit of pending rows.
func (s *Sweeper) begin(ctx context.Context) (due time.Time, err error) {
	ctx, cancel := context.WithTimeout(ctx, askAtMost)
	defer cancel()
	fresh, err := s.Queue.BeginMark(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if fresh {
		s.due = s.Now()
	}
	s.Log.InfoContext(ctx, "enqueueing every open job", "rebuilt", fresh)
	return s.due, err
}

// end sets the mark, unless the queue has lost its data since the beginning.
func (s *Sweeper) end(ctx context.Context, due time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, askAtMost)
	defer cancel()
	kept, err := s.Queue.Mark(ctx, s.Now())
	s.mu.Lock()
	defer s.mu.Unlock()
	if kept && s.due.Equal(due) {
		s.pending = false
	}
	return err
}

func (s *Sweeper) sweep(ctx context.Context, olderThan time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, sweepAtMost)
	defer cancel()
	n, err := s.Jobs.Sweep(ctx, olderThan, batch)
	if err != nil && !errors.Is(ctx.Err(), context.Canceled) {
		s.Log.WarnContext(ctx, "sweep", "jobs", n, "error", err)
	}
	if n > 0 {
		s.Log.InfoContext(ctx, "swept", "jobs", n)
	}
	return err == nil
}

// purgeAll purges batches until nothing is left or an error occurs.
func (s *Sweeper) purgeAll(ctx context.Context, what string, purge func(context.Context, int) (int, error)) {
	for ctx.Err() == nil {
		n, err := purge(ctx, batch)
		if err != nil {
			s.Log.WarnContext(ctx, "purge", "of", what, "error", err)
		}
		if n == 0 || err != nil {
			return
		}
	}
}
