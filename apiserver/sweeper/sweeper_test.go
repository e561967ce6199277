// SPDX-License-Identifier: Apache-2.0

package sweeper_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/printmarket/printmarket/apiserver/sweeper"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/requestlog"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/xjmf"
	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/recordtest"
	"github.com/printmarket/printmarket/test/redistest"
	"github.com/printmarket/printmarket/test/storetest"
)

var acme = tenant.ID{Organization: "org_acme01", Mode: tenant.Live}

// rfqs counts its sweeps; the first two change an RFQ.
type rfqs struct {
	mu            sync.Mutex
	swept, failed int
	err           error
}

func (r *rfqs) Sweep(context.Context, int) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		r.failed++
		return 0, r.err
	}
	r.swept++
	return max(0, 3-r.swept), nil
}

func (r *rfqs) set(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.err, r.swept = err, 0
}

func (r *rfqs) atLeast(n int) func() bool {
	return func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.swept >= n
	}
}

func (r *rfqs) failing(n int) func() bool {
	return func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.failed >= n
	}
}

// away is an unavailable queue.
type away struct{ sweeper.Queue }

func (away) Server(context.Context) (queue.Server, error) {
	return queue.Server{}, errors.New("unavailable")
}

// fixture holds a job service and the other dependencies of a sweeper.
type fixture struct {
	*testing.T
	*recordtest.Jobs
	clock *clocktesting.FakeClock
	rfqs  *rfqs
	calls *xjmf.Receiver
}

func newFixture(t *testing.T, server *redistest.Server) *fixture {
	t.Helper()
	clock := clocktesting.NewFakeClock(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	w := &fixture{T: t, Jobs: recordtest.NewJobs(t, server, clock.Now), clock: clock, rfqs: &rfqs{}}
	w.calls = xjmf.New(xjmf.Config{Store: w.Store, Now: clock.Now, Random: rand.Reader})
	return w
}

func (w *fixture) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *fixture) submit(n int) (ids []string) {
	w.Helper()
	for i := range n {
		ids = append(ids, w.SubmitURL(w, acme, fmt.Sprintf("https://x.example/%d.pdf", i)))
	}
	return ids
}

// wipe deletes all data of Redis.
func (w *fixture) wipe() {
	w.Helper()
	// Rows that were submitted before must have an older time.
	w.clock.Step(time.Second)
	w.must(w.Redis.Client(w).FlushAll(w.Context()).Err())
}

func (w *fixture) open(n int64) func() bool {
	return func() bool {
		stats, err := w.Queue.Stats(w.Context())
		return err == nil && stats.Open == n
	}
}

// mark sets the mark like a completed restoration.
func (w *fixture) mark() {
	w.Helper()
	_, err := w.Queue.BeginMark(w.Context())
	w.must(err)
	_, err = w.Queue.Mark(w.Context(), w.clock.Now())
	w.must(err)
}

func (w *fixture) marked() bool {
	marked, err := w.Queue.Marked(w.Context())
	return err == nil && marked
}

// start runs a sweeper until the test ends. It checks the queue continuously. It
// resubmits and purges hardly ever, unless a change sets another interval.
func (w *fixture) start(changes ...func(*sweeper.Config)) *sweeper.Sweeper {
	w.Helper()
	config := sweeper.Config{
		Jobs: w.Jobs, Files: preflightjob.NewFiles(preflightjob.FilesConfig{}), RFQs: w.rfqs, Callbacks: w.calls, Requests: requestlog.Keeper{Store: w.Store, Now: w.clock.Now}, KeysAndQuotas: w.SQLite, Queue: w.Queue, Now: w.clock.Now, Log: telemetry.Discard(),
		Check: 5 * time.Millisecond, Every: time.Hour, Purge: time.Hour,
	}
	for _, change := range changes {
		change(&config)
	}
	s := sweeper.New(config)
	ctx, cancel := context.WithCancel(context.WithoutCancel(w.Context()))
	ended := make(chan struct{})
	go func() { defer close(ended); s.Run(ctx) }()
	w.Cleanup(func() { cancel(); <-ended })
	return s
}

func TestNewQueueGetsEveryOpenJobAndTheMark(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, server *redistest.Server) {
		w := newFixture(t, server)
		ids := w.submit(3)
		_, err := w.Begin(t.Context(), ids[0], 2, "dead") // its next attempt is 3
		w.must(err)
		_, err = w.Cancel(t.Context(), acme, ids[2])
		w.must(err)
		w.wipe()
		s := w.start()
		eventually.Holds(w, "the mark", w.marked)
		eventually.Holds(w, "the statistics", func() bool { return s.Stats().Open == 2 })
		got := map[string]int{}
		consumer := w.Queue.Consumer(queue.ConsumerConfig{Name: "w1", Slots: 64, Lease: time.Hour, Block: time.Millisecond, Idle: time.Hour})
		eventually.Holds(w, "both jobs", func() bool {
			leases, err := consumer.Next(t.Context(), 5)
			w.must(err)
			for _, lease := range leases {
				got[lease.ID] = lease.Attempt
			}
			return len(got) == 2
		})
		if diff := cmp.Diff(map[string]int{ids[0]: 3, ids[1]: 1}, got); diff != "" {
			t.Errorf("attempts (-want +got):\n%s", diff)
		}
	})
}

func TestWipedQueueIsFilledAgain(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, server *redistest.Server) {
		w := newFixture(t, server)
		w.start()
		eventually.Holds(w, "the first mark", w.marked)
		w.submit(40)
		for range 2 {
			w.clock.Step(time.Second)
			w.wipe()
			eventually.Holds(w, "every job is there again", w.open(40))
			eventually.Holds(w, "the mark", w.marked)
		}
	})
}

func TestMarkedQueueIsNotFilled(t *testing.T) {
	t.Parallel()
	w := newFixture(t, redistest.Mini(t))
	ids := w.submit(2)
	w.mark()
	w.must(w.Queue.Cancel(t.Context(), ids[0])) // lost without a record
	s := w.start()
	eventually.Holds(w, "the queue was checked", func() bool { return s.Healthy() == nil })
	if !w.open(1)() {
		t.Error("a marked queue received open jobs again")
	}
}

func TestRowsThatWaitLongAreSubmittedAgain(t *testing.T) {
	t.Parallel()
	w := newFixture(t, redistest.Mini(t))
	ids := w.submit(1)
	w.mark()
	w.clock.Step(29 * time.Second)
	ids = append(ids, w.submit(1)...)
	for _, id := range ids {
		w.must(w.Queue.Cancel(t.Context(), id))
	}
	w.start(func(c *sweeper.Config) { c.Every = 5 * time.Millisecond })
	calls := w.Store.Calls()
	eventually.Holds(w, "two sweeps", func() bool { return w.Store.Calls() >= calls+2 })
	if !w.open(0)() {
		t.Error("a row that was submitted just now was submitted again")
	}
	w.clock.Step(time.Second)
	eventually.Holds(w, "the older row is queued", w.open(1))
	w.clock.Step(29 * time.Second)
	eventually.Holds(w, "the younger row is queued", w.open(2))
}

// Jobs are submitted while Redis is unavailable. Redis returns with its data and its
// mark.
func TestRecoveredQueueGetsTheMissedJobs(t *testing.T) {
	t.Parallel()
	w := newFixture(t, redistest.Real(t))
	s := w.start()
	eventually.Holds(w, "the queue was checked", func() bool { return w.marked() && s.Healthy() == nil })
	w.submit(1)
	w.Redis.Kill()
	eventually.Holds(w, "the queue is unavailable", func() bool { return s.Healthy() != nil })
	if s.Refuses() == nil {
		t.Error("new jobs are accepted without a queue")
	}
	w.submit(2)
	w.Redis.Restart(t)
	eventually.Holds(w, "every job is queued", w.open(3))
	eventually.Holds(w, "new jobs are accepted", func() bool { return s.Refuses() == nil && s.Healthy() == nil })
}

// Pending rows stay pending until they were submitted.
func TestQueueThatRecoversBeforeTheStore(t *testing.T) {
	t.Parallel()
	w := newFixture(t, redistest.Real(t))
	s := w.start()
	eventually.Holds(w, "the queue was checked", func() bool { return w.marked() && s.Healthy() == nil })
	w.Redis.Kill()
	eventually.Holds(w, "the queue is unavailable", func() bool { return s.Healthy() != nil })
	w.submit(2)
	w.Store.Set(storetest.Away)
	calls := w.Store.Calls()
	w.Redis.Restart(t)
	eventually.Holds(w, "two failed sweeps", func() bool { return w.Store.Calls() >= calls+2 })
	w.Store.Set(storetest.None)
	eventually.Holds(w, "every job is queued", w.open(2))
}

func TestQueueIsNotMarkedBeforeItHasAllJobs(t *testing.T) {
	t.Parallel()
	w := newFixture(t, redistest.Mini(t))
	w.submit(2)
	w.wipe()
	w.Store.Set(storetest.Away)
	calls := w.Store.Calls()
	w.start()
	eventually.Holds(w, "two failed sweeps", func() bool { return w.Store.Calls() >= calls+2 })
	if w.marked() {
		t.Error("the queue is marked and empty")
	}
	w.Store.Set(storetest.None)
	eventually.Holds(w, "the mark", w.marked)
	if !w.open(2)() {
		t.Error("the queue is marked and incomplete")
	}
}

// A queue that rejects a job gets the jobs before it. It is marked when it has all jobs.
func TestQueueThatRefusesAJob(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, server *redistest.Server) {
		w := newFixture(t, server)
		w.submit(300)
		w.clock.Step(time.Millisecond) // rows are sorted by their time of dispatch
		odd := tenant.ID{Organization: "org_harm01", Mode: tenant.Live}
		_, err := w.Submit(t.Context(), odd, preflightjob.Request{FileURL: "https://x.example/odd.pdf", Profile: "print_ready"}, 10)
		w.must(err)
		w.clock.Step(time.Millisecond)
		w.submit(300)
		w.wipe()
		client, figures := server.Client(t), "pm:{preflight}:t:"+odd.String()
		w.must(client.RPush(t.Context(), figures, "a list").Err())
		pending := func() int {
			rows, err := w.Store.OpenJobs(t.Context(), w.clock.Now(), 1000)
			w.must(err)
			return len(rows)
		}
		w.start()
		eventually.Holds(w, "the jobs before it are submitted", func() bool { return pending() == 301 })
		if w.marked() {
			t.Error("the queue is marked and incomplete")
		}
		w.must(client.Del(t.Context(), figures).Err())
		eventually.Holds(w, "the mark", w.marked)
		if !w.open(601)() || pending() != 0 {
			t.Errorf("the queue is marked and incomplete: %d rows are pending, want 0", pending())
		}
	})
}

func TestFullQueueRefusesJobs(t *testing.T) {
	t.Parallel()
	w := newFixture(t, redistest.Mini(t))
	ids := w.submit(3)
	s := w.start(func(c *sweeper.Config) { c.Full = 3 })
	eventually.Holds(w, "the queue is full", func() bool { return s.Refuses() != nil })
	if got := s.Refuses().Error(); got != "the queue is full" || s.Stats().Open != 3 {
		t.Errorf("Refuses() = %q with %+v, want a full queue with 3 open jobs", got, s.Stats())
	}
	// The first check submits every open row, including one that is cancelled in the
	// meantime. A worker would drop it, but this test runs no worker.
	eventually.Holds(w, "all jobs are submitted", w.marked)
	_, err := w.Cancel(t.Context(), acme, ids[0])
	w.must(err)
	eventually.Holds(w, "there is room", func() bool { return s.Refuses() == nil && s.Stats().Open == 2 })
}

func TestJobsAreAcceptedBeforeTheFirstCheck(t *testing.T) {
	t.Parallel()
	s := sweeper.New(sweeper.Config{})
	if s.Refuses() != nil || s.Healthy() == nil || s.Stats() != (queue.Stats{}) {
		t.Errorf("Refuses %v, Healthy %v, Stats %+v; want nil, an error and zero", s.Refuses(), s.Healthy(), s.Stats())
	}
}

// Five replicas restore one queue.
func TestReplicasMaySweepConcurrently(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, server *redistest.Server) {
		w := newFixture(t, server)
		want := w.submit(50)
		w.wipe()
		for range 5 {
			w.start()
		}
		eventually.Holds(w, "the mark", w.marked)
		var got []string
		consumer := w.Queue.Consumer(queue.ConsumerConfig{Name: "w1", Slots: 64, Lease: time.Hour, Block: time.Millisecond, Idle: time.Hour})
		eventually.Holds(w, "every job", func() bool {
			leases, err := consumer.Next(t.Context(), 100)
			w.must(err)
			for _, lease := range leases {
				got = append(got, lease.ID)
			}
			return len(got) >= len(want)
		})
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("leased jobs (-want +got):\n%s", diff)
		}
	})
}

func TestRecordsPastTheirRetentionAreErased(t *testing.T) {
	t.Parallel()
	w := newFixture(t, redistest.Mini(t))
	ids := w.submit(1)
	_, err := w.Cancel(t.Context(), acme, ids[0])
	w.must(err)
	job, err := w.Store.Job(t.Context(), acme, ids[0])
	w.must(err)
	if job.FileURL.IsZero() {
		t.Fatal("the URL was erased before its retention ended")
	}
	w.clock.Step(preflightjob.Retention)
	w.start(func(c *sweeper.Config) { c.Purge = 5 * time.Millisecond })
	eventually.Holds(w, "the URL is erased", func() bool {
		job, err := w.Store.Job(t.Context(), acme, ids[0])
		w.must(err)
		return job.FileURL.IsZero()
	})
}

func TestCallbacksArePurgedEvenIfJobsAreNot(t *testing.T) {
	t.Parallel()
	w := newFixture(t, redistest.Mini(t))
	const message = `{"Name":"XJMF","Version":"2.2","Header":{"DeviceID":"press","ID":"M1","Time":"2026-11-20T12:00:00Z"},` +
		`"SignalStatus":{"Header":{"DeviceID":"press","ID":"S1","Time":"2026-11-20T12:00:00Z"},"DeviceInfo":[{"Status":"Idle"}]}}`
	_, err := w.calls.Receive(t.Context(), acme, "press", []byte(message))
	w.must(err)
	w.clock.Step(xjmf.Retention)
	w.start(func(c *sweeper.Config) { c.Purge, c.Jobs = 5*time.Millisecond, unpurgeable{c.Jobs} })
	eventually.Holds(w, "the callback is purged", func() bool {
		kept, err := w.calls.Messages(t.Context(), acme, "", 10)
		w.must(err)
		return len(kept) == 0
	})
}

func TestRequestsAreErasedInBatches(t *testing.T) {
	t.Parallel()
	w := newFixture(t, redistest.Mini(t))
	var entries []requestlog.Entry
	for n := range 1201 {
		entries = append(entries, requestlog.Entry{ID: fmt.Sprintf("log_%026d", n), At: w.clock.Now(), Tenant: acme, Requests: 1})
	}
	w.must(w.Store.AddRequests(t.Context(), entries))
	w.clock.Step(requestlog.Retention)
	w.start(func(c *sweeper.Config) { c.Purge = 5 * time.Millisecond })
	eventually.Holds(w, "the requests are purged", func() bool {
		kept, err := w.Store.Requests(t.Context(), requestlog.Query{Owner: acme, Limit: 1})
		w.must(err)
		return len(kept) == 0
	})
}

// unpurgeable is a job service whose Purge fails.
type unpurgeable struct{ sweeper.Jobs }

func (unpurgeable) Purge(context.Context, int) (int, error) { return 0, errors.New("unavailable") }

func TestRFQsAreSweptIndependentlyOfTheQueue(t *testing.T) {
	t.Parallel()
	w := newFixture(t, redistest.Mini(t))
	w.start(func(c *sweeper.Config) { c.Queue = away{} })
	eventually.Holds(w, "sweeps continue", w.rfqs.atLeast(5))
	w.rfqs.set(errors.New("the store is unavailable"))
	eventually.Holds(w, "sweeps fail and are retried", w.rfqs.failing(3))
	w.rfqs.set(nil)
	eventually.Holds(w, "sweeps continue when the store recovers", w.rfqs.atLeast(5))
}

// A server that replaces another gets every open job, even if it has the mark: a
// promoted replica may lack the last writes.
func TestServerThatReplacedAnother(t *testing.T) {
	t.Parallel()
	server := redistest.Real(t)
	w := newFixture(t, server)
	w.start()
	eventually.Holds(w, "the mark is there", w.marked)
	ids := w.submit(3)
	client := server.Client(t)
	// A lagging replica lacks these writes.
	for _, id := range ids {
		w.must(w.Queue.Cancel(t.Context(), id))
	}
	eventually.Holds(w, "the queue is empty", w.open(0))
	w.clock.Step(time.Second)
	server.Kill()
	server.Restart(t)
	eventually.Holds(w, "the server responds", func() bool { return client.Ping(t.Context()).Err() == nil })
	eventually.Holds(w, "every job is queued", w.open(3))
}

func TestNewShareAppliesToWaitingJobs(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, server *redistest.Server) {
		w := newFixture(t, server)
		var weight atomic.Int64
		weight.Store(10)
		var err error
		w.Queue, err = queue.New(server.Client(t), "preflight", queue.Options{
			Shares: func(tenant.ID) (queue.Share, bool) { return queue.Share{Weight: int(weight.Load())}, weight.Load() > 0 },
		})
		w.must(err)
		w.must(w.Queue.Submit(t.Context(), "pref_1", acme, 0))
		s := w.start(func(c *sweeper.Config) { c.Every = 5 * time.Millisecond; c.Queue = w.Queue })
		has := func(want int) func() bool {
			return func() bool { b := s.Backlogs(); return len(b) == 1 && b[0].Share.Weight == want && b[0].Waiting == 1 }
		}
		eventually.Holds(w, "the backlog is observed", has(10))
		weight.Store(70)
		eventually.Holds(w, "the new weight applies", has(70))
		// While the weight is unknown, the last one stays in effect.
		weight.Store(0)
		w.must(w.Queue.Submit(t.Context(), "pref_1", acme, 0))
		for range 20 {
			changed, err := w.Queue.Reweigh(t.Context(), s.Backlogs())
			if w.must(err); changed != 0 || !has(70)() {
				t.Fatalf("%d shares were changed: %+v", changed, s.Backlogs())
			}
		}
	})
}
