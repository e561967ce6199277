// SPDX-License-Identifier: Apache-2.0

package preflight_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/pkg/preflight/sandbox"
	"github.com/printmarket/printmarket/workers/preflight"
)

// The tests of this file run inside a bubble of package synctest, where the clock jumps and a
// goroutine that does not end fails the test. Queue and store are scripts, because a bubble cannot
// contain servers.

// script is a scripted queue and store. It records the worker's actions with the time since the
// start.
type script struct {
	mu    sync.Mutex
	start time.Time
	notes []note

	leases chan queue.Lease
	// woken ends the waiting read, unless ignoresWake is true.
	woken       chan struct{}
	ignoresWake bool
	// readLimit is the time for which a read waits.
	readLimit time.Duration
	// more is returned with the next finished job.
	more []queue.Lease
	// fetch replaces the fetch that succeeds at once.
	fetch preflight.Fetch
	// lost is the result of the next renewal.
	lost []queue.Lease
	// next, begin, progress and finish hold the errors of the next calls, one for each call.
	next, begin, progress, finish []error
}

type note struct {
	At   time.Duration
	What string
}

func newScript() *script {
	return &script{start: time.Now(), fetch: goodFetch, leases: make(chan queue.Lease, 10), woken: make(chan struct{}, 1), readLimit: time.Second}
}

func (s *script) note(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notes = append(s.notes, note{time.Since(s.start), what})
}

// pop takes the first error of a list.
func (s *script) pop(list *[]error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(*list) == 0 {
		return nil
	}
	err := (*list)[0]
	*list = (*list)[1:]
	return err
}

func (s *script) Name() string             { return "w1" }
func (s *script) LeaseTime() time.Duration { return 30 * time.Second }

func (s *script) Next(_ context.Context, _ int) ([]queue.Lease, error) {
	if err := s.pop(&s.next); err != nil {
		s.note("next fails")
		return nil, err
	}
	select {
	case lease := <-s.leases:
		return []queue.Lease{lease}, nil
	case <-s.woken:
		return nil, nil
	case <-time.After(s.readLimit):
		return nil, nil
	}
}

func (s *script) Wake(context.Context) error {
	if !s.ignoresWake {
		s.woken <- struct{}{}
	}
	return nil
}

func (s *script) Leave(context.Context) error { return nil }

func (s *script) Renew(_ context.Context, leases ...queue.Lease) ([]queue.Lease, error) {
	if len(leases) > 0 {
		s.note("renew")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	lost := s.lost
	s.lost = nil
	return lost, nil
}

func (s *script) Finish(context.Context, queue.Lease) error { s.note("finished"); return nil }

func (s *script) Retry(_ context.Context, _ queue.Lease, delay time.Duration) error {
	s.note("retried in " + delay.String())
	return nil
}

func (s *script) FinishNext(context.Context, queue.Lease) ([]queue.Lease, error) {
	s.note("finished")
	s.mu.Lock()
	defer s.mu.Unlock()
	more := s.more
	s.more = nil
	return more, nil
}

func (s *script) Release(context.Context, queue.Lease) error { s.note("released"); return nil }

func (s *script) DeadLetter(_ context.Context, _ queue.Lease, reason string) error {
	s.note("buried: " + reason)
	return nil
}

func (s *script) Abandon(queue.Lease) {}

func (s *script) Obeyed(_ context.Context, _ queue.Lease, outcome string) error {
	s.note("outcome: " + outcome)
	return nil
}

// store implements the worker's Jobs with the script.
type store struct{ *script }

func (s store) Release(context.Context, string, int, string) error {
	s.note("refunded")
	return nil
}

func (s store) Withdraw(context.Context, string) (preflightjob.Job, error) {
	s.note("withdrawn")
	return preflightjob.Job{}, nil
}

func (s store) Reopen(context.Context, string, int) (preflightjob.Job, error) {
	s.note("reopened")
	return preflightjob.Job{}, nil
}

func (s store) Begin(_ context.Context, _ string, attempt int, _ string) (preflightjob.Job, error) {
	if err := s.pop(&s.begin); err != nil {
		s.note("begin fails")
		return preflightjob.Job{}, err
	}
	s.note("began")
	return preflightjob.Job{Tries: attempt, Profile: "print_ready"}, nil
}

func (s store) Progress(_ context.Context, _ string, _ int, _ string, progress preflightjob.Progress) error {
	s.note(fmt.Sprintf("page %d of %d", progress.PagesDone, progress.PagesTotal))
	return s.pop(&s.progress)
}

func (s store) Finish(_ context.Context, _ string, _ int, _ string, result preflightjob.Result) (preflightjob.Job, error) {
	if err := s.pop(&s.finish); err != nil {
		s.note("store fails")
		return preflightjob.Job{}, err
	}
	if p := result.Progress; p.PagesTotal > 0 {
		s.note(fmt.Sprintf("stored with page %d of %d", p.PagesDone, p.PagesTotal))
	} else {
		s.note("stored")
	}
	return preflightjob.Job{}, nil
}

// taking returns an inspection of a given duration that can be stopped.
func taking(d time.Duration) preflight.Inspect {
	return func(ctx context.Context, _ sandbox.Spec) (sandbox.Inspected, error) {
		select {
		case <-time.After(d):
			return goodReport(), nil
		case <-ctx.Done():
			return sandbox.Inspected{}, ctx.Err()
		}
	}
}

// slowOnce returns a fetch that ends with its context the first time, and succeeds
// afterwards.
func slowOnce() preflight.Fetch {
	var calls counter
	return func(ctx context.Context, url string, f io.Writer) error {
		if calls.add() > 1 {
			return goodFetch(ctx, url, f)
		}
		<-ctx.Done()
		return ctx.Err()
	}
}

// play runs a worker for some time, then stops it and returns the notes. It fails the test if a
// goroutine of the worker has not ended.
func play(t *testing.T, runs time.Duration, inspect preflight.Inspect, arrange func(*script)) []note {
	t.Helper()
	dir := t.TempDir()
	var notes []note
	synctest.Test(t, func(t *testing.T) {
		s := newScript()
		arrange(s)
		w := preflight.New(preflight.Config{
			Files: preflightjob.NewFiles(preflightjob.FilesConfig{}),
			Jobs:  store{s}, Queue: s, Fetch: s.fetch, Inspect: inspect, Slots: 2, Fetches: 2, Drain: 20 * time.Second, TempDir: dir,
			Jitter: func(d time.Duration) time.Duration { return d }, Now: time.Now, Log: telemetry.Discard(), Metrics: telemetry.NewMetrics(),
		})
		ctx, cancel := context.WithTimeout(t.Context(), runs)
		defer cancel()
		w.Run(ctx)
		notes = s.notes
	})
	return notes
}

func job(attempt int) queue.Lease {
	return queue.Lease{ID: "pref_1", Tenant: acme, Attempt: attempt}
}

// suspect returns a lease of a job whose workers have died twice.
func suspect(id string) queue.Lease { return queue.Lease{ID: id, Tenant: acme, Attempt: 3, Lost: 2} }

func ordered(order queue.Order) queue.Lease {
	return queue.Lease{ID: "pref_1", Tenant: acme, Attempt: 1, Order: order}
}

func TestWorkerActsAtTheRightTimes(t *testing.T) {
	t.Parallel()
	away := &transaction.UnavailableError{Op: "test", Err: errors.New("unavailable")}
	s, ms := time.Second, time.Millisecond
	tests := map[string]struct {
		runs, inspection time.Duration
		arrange          func(*script)
		want             []note
	}{
		"an idle worker has no actions": {5 * s, 0, func(*script) {}, nil},
		"a lease is renewed three times in its life": {
			60 * s, 35 * s, func(s *script) { s.leases <- job(1) },
			[]note{{0, "began"}, {10 * s, "renew"}, {20 * s, "renew"}, {30 * s, "renew"}, {35 * s, "stored"}, {35 * s, "finished"}},
		},
		"a job that ends within the drain is stored": {
			5 * s, 15 * s, func(s *script) { s.leases <- job(1) },
			[]note{{0, "began"}, {10 * s, "renew"}, {15 * s, "stored"}, {15 * s, "finished"}},
		},
		"a job that does not end within the drain is released": {
			2500 * ms, time.Hour, func(s *script) { s.leases <- job(1) },
			[]note{{0, "began"}, {10 * s, "renew"}, {20 * s, "renew"}, {22500 * ms, "refunded"}, {22500 * ms, "released"}},
		},
		"a queue that does not respond does not extend the drain": {
			2500 * ms, time.Hour, func(s *script) { s.leases <- job(1); s.ignoresWake, s.readLimit = true, 13*time.Second },
			[]note{{0, "began"}, {10 * s, "renew"}, {20 * s, "renew"}, {22500 * ms, "refunded"}, {22500 * ms, "released"}},
		},
		"a job that is leased after the stop is released unprocessed": {
			2500 * ms, time.Hour, func(s *script) { s.ignoresWake = true; time.AfterFunc(2700*ms, func() { s.leases <- job(1) }) },
			[]note{{2700 * ms, "released"}},
		},
		"an unavailable store is called again, with growing delays": {
			60 * s, 0, func(s *script) {
				s.leases <- job(1)
				s.begin = []error{away, away, away, away, away, away, away, away}
			},
			[]note{
				{0, "begin fails"},
				{100 * ms, "begin fails"},
				{300 * ms, "begin fails"},
				{700 * ms, "begin fails"},
				{1500 * ms, "begin fails"},
				{3100 * ms, "begin fails"},
				{6300 * ms, "begin fails"},
				{10 * s, "renew"},
				{11300 * ms, "begin fails"},
				{16300 * ms, "began"},
				{16300 * ms, "stored"},
				{16300 * ms, "finished"},
			},
		},
		"a result is kept while the store is unavailable": {
			60 * s, s, func(s *script) { s.leases <- job(1); s.finish = []error{away, away} },
			[]note{{0, "began"}, {s, "store fails"}, {1100 * ms, "store fails"}, {1300 * ms, "stored"}, {1300 * ms, "finished"}},
		},
		"an unknown error of the store is retried with a delay": {
			60 * s, 0, func(s *script) { s.leases <- job(3); s.begin = []error{errors.New("odd")} },
			[]note{{0, "begin fails"}, {0, "retried in 8s"}},
		},
		"a backoff is at most five minutes": {
			60 * s, 0, func(s *script) { s.leases <- job(40); s.begin = []error{errors.New("odd")} },
			[]note{{0, "begin fails"}, {0, "retried in 5m0s"}},
		},
		"the next lease of a finished job begins at once": {
			5 * s, s, func(s *script) { s.leases <- job(1); s.more = []queue.Lease{job(1)} },
			[]note{{0, "began"}, {s, "stored"}, {s, "finished"}, {s, "began"}, {2 * s, "stored"}, {2 * s, "finished"}},
		},
		"a job whose workers died twice waits until the others have ended, and runs alone": {
			60 * s, 3 * s, func(s *script) {
				s.leases <- job(1)
				time.AfterFunc(time.Second, func() { s.leases <- suspect("pref_2") })
				time.AfterFunc(1500*ms, func() { s.leases <- job(1) })
			},
			[]note{
				{0, "began"},
				{3 * s, "stored"},
				{3 * s, "finished"},
				{3 * s, "began"},
				{6 * s, "stored"},
				{6 * s, "finished"},
				{6 * s, "began"},
				{9 * s, "stored"},
				{9 * s, "finished"},
			},
		},
		"a job that waits for its file is released for a job that runs alone": {
			60 * s, 3 * s, func(s *script) {
				s.fetch = slowOnce()
				s.leases <- job(1)
				time.AfterFunc(time.Second, func() { s.leases <- suspect("pref_2") })
			},
			[]note{
				{0, "began"},
				{s, "refunded"},
				{s, "released"},
				{s, "began"},
				{4 * s, "stored"},
				{4 * s, "finished"},
			},
		},
		"a job that waits to run alone is released when the worker stops": {
			2 * s, 3 * s, func(s *script) {
				s.leases <- job(1)
				time.AfterFunc(time.Second, func() { s.leases <- suspect("pref_2") })
			},
			[]note{{0, "began"}, {2 * s, "released"}, {3 * s, "stored"}, {3 * s, "finished"}},
		},
		"an operator's cancellation ends the job": {
			5 * s, 0, func(s *script) { s.leases <- ordered(queue.OrderCancel) },
			[]note{{0, "withdrawn"}, {0, "outcome: cancelled"}, {0, "finished"}},
		},
		"an operator's retry reopens the row and runs the job": {
			5 * s, s, func(s *script) { s.leases <- ordered(queue.OrderRetry) },
			[]note{{0, "reopened"}, {0, "outcome: tried again"}, {0, "began"}, {s, "stored"}, {s, "finished"}},
		},
		"a job with an unreadable row becomes a dead letter": {
			5 * s, 0, func(s *script) {
				s.leases <- job(1)
				s.begin = []error{&preflightjob.MalformedError{Err: errors.New("odd")}}
			},
			[]note{{0, "begin fails"}, {0, "buried: MALFORMED"}},
		},
		"a job without attempts left becomes a dead letter": {
			5 * s, 0, func(s *script) { s.leases <- job(1); s.begin = []error{preflightjob.ErrExhausted} },
			[]note{{0, "begin fails"}, {0, "buried: ATTEMPTS_EXHAUSTED"}},
		},
		"an unavailable queue is called every two seconds": {
			5 * s, 0, func(s *script) { s.next = []error{away, away, away, away} },
			[]note{{0, "next fails"}, {2 * s, "next fails"}, {4 * s, "next fails"}},
		},
		"a fenced result is discarded without a change of the queue": {
			5 * s, s, func(s *script) { s.leases <- job(1); s.finish = []error{preflightjob.ErrFenced} },
			[]note{{0, "began"}, {s, "store fails"}},
		},
		"a report that the store rejects ends the job once": {
			5 * s, s, func(s *script) { s.leases <- job(1); s.finish = []error{preflightjob.ErrInvalidResult} },
			[]note{{0, "began"}, {s, "store fails"}, {s, "stored"}, {s, "finished"}},
		},
		"a result that the store rejects for an unknown reason is retried with growing delays": {
			5 * s, s, func(s *script) { s.leases <- job(2); s.finish = []error{errors.New("odd")} },
			[]note{{0, "began"}, {s, "store fails"}, {s, "retried in 4s"}},
		},
		"a job whose lease is lost is stopped without a change of the queue": {
			60 * s, time.Hour, func(s *script) { s.leases <- job(1); s.lost = []queue.Lease{job(1)} },
			[]note{{0, "began"}, {10 * s, "renew"}},
		},
		"the loss of an earlier attempt does not stop the later attempt": {
			60 * s, 15 * s, func(s *script) { s.leases <- job(2); s.lost = []queue.Lease{job(1)} },
			[]note{{0, "began"}, {10 * s, "renew"}, {15 * s, "stored"}, {15 * s, "finished"}},
		},
		// Only the second attempt is stored: the first one was stopped, although no
		// renewal had reported the lost lease.
		"a worker that leases its own lost job again stops the earlier attempt": {
			60 * s, 5 * s, func(s *script) {
				s.leases <- job(1)
				time.AfterFunc(2*time.Second, func() { s.leases <- job(2) })
			},
			[]note{{0, "began"}, {2 * s, "began"}, {7 * s, "stored"}, {7 * s, "finished"}},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := play(t, tc.runs, taking(tc.inspection), tc.arrange)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("notes of the worker (-want +got):\n%s", diff)
			}
		})
	}
}
