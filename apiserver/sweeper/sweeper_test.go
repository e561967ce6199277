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
	*storetest.Jobs
	clock *clocktesting.FakeClock
	rfqs  *rfqs
	calls *xjmf.Receiver
}

func newFixture(t *testing.T, server *redistest.Server) *fixture {
	t.Helper()
	clock := clocktesting.NewFakeClock(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	f := &fixture{T: t, Jobs: storetest.NewJobs(t, server, clock.Now), clock: clock, rfqs: &rfqs{}}
	f.calls = xjmf.New(xjmf.Config{Store: f.Store, Now: clock.Now, Random: rand.Reader})
	return f
}

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) submit(n int) (ids []string) {
	f.Helper()
	for i := range n {
		ids = append(ids, f.SubmitURL(f, acme, fmt.Sprintf("https://x.example/%d.pdf", i)))
	}
	return ids
}

// wipe deletes all data of Redis.
func (f *fixture) wipe() {
	f.Helper()
	// Rows that were submitted before must have an older time.
	f.clock.Step(time.Second)
	f.must(f.Redis.Client(f).FlushAll(f.Context()).Err())
}

func (f *fixture) open(n int64) func() bool {
	return func() bool {
		stats, err := f.Queue.Stats(f.Context())
		return err == nil && stats.Open == n
	}
}

// mark sets the mark like a completed restoration.
func (f *fixture) mark() {
	f.Helper()
	_, err := f.Queue.BeginMark(f.Context())
	f.must(err)
	_, err = f.Queue.Mark(f.Context(), f.clock.Now())
	f.must(err)
}

func (f *fixture) marked() bool {
	marked, err := f.Queue.Marked(f.Context())
	return err == nil && marked
}

// start runs a sweeper until the test ends. It checks the queue continuously. It
// resubmits and purges hardly ever, unless a change sets another interval.
func (f *fixture) start(changes ...func(*sweeper.Config)) *sweeper.Sweeper {
	f.Helper()
	config := sweeper.Config{
		Jobs: f.Jobs, Files: preflightjob.NewFiles(preflightjob.FilesConfig{}), RFQs: f.rfqs, Callbacks: f.calls, Requests: requestlog.Keeper{Store: f.Store, Now: f.clock.Now}, KeysAndQuotas: f.SQLite, Queue: f.Queue, Now: f.clock.Now, Log: telemetry.Discard(),
		Check: 5 * time.Millisecond, Every: time.Hour, Purge: time.Hour,
	}
	for _, change := range changes {
		change(&config)
	}
	s := sweeper.New(config)
	ctx, cancel := context.WithCancel(context.WithoutCancel(f.Context()))
	ended := make(chan struct{})
	go func() { defer close(ended); s.Run(ctx) }()
	f.Cleanup(func() { cancel(); <-ended })
	return s
}

func TestNewQueueGetsEveryOpenJobAndTheMark(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, server *redistest.Server) {
		f := newFixture(t, server)
		ids := f.submit(3)
		_, err := f.Begin(t.Context(), ids[0], 2, "dead") // its next attempt is 3
		f.must(err)
		_, err = f.Cancel(t.Context(), acme, ids[2])
		f.must(err)
		f.wipe()
		s := f.start()
		eventually.Holds(f, "the mark", f.marked)
		eventually.Holds(f, "the statistics", func() bool { return s.Stats().Open == 2 })
		got := map[string]int{}
		consumer := f.Queue.Consumer(queue.ConsumerConfig{Name: "w1", Slots: 64, Lease: time.Hour, Block: time.Millisecond, Idle: time.Hour})
		eventually.Holds(f, "both jobs", func() bool {
			leases, err := consumer.Next(t.Context(), 5)
			f.must(err)
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
		f := newFixture(t, server)
		f.start()
		eventually.Holds(f, "the first mark", f.marked)
		f.submit(40)
		for range 2 {
			f.clock.Step(time.Second)
			f.wipe()
			eventually.Holds(f, "every job is there again", f.open(40))
			eventually.Holds(f, "the mark", f.marked)
		}
	})
}

func TestMarkedQueueIsNotFilled(t *testing.T) {
	t.Parallel()
	f := newFixture(t, redistest.Mini(t))
	ids := f.submit(2)
	f.mark()
	f.must(f.Queue.Cancel(t.Context(), ids[0])) // lost without a record
	s := f.start()
	eventually.Holds(f, "the queue was checked", func() bool { return s.Healthy() == nil })
	if !f.open(1)() {
		t.Error("a marked queue received open jobs again")
	}
}

func TestRowsThatWaitLongAreSubmittedAgain(t *testing.T) {
	t.Parallel()
	f := newFixture(t, redistest.Mini(t))
	ids := f.submit(1)
	f.mark()
	f.clock.Step(29 * time.Second)
	ids = append(ids, f.submit(1)...)
	for _, id := range ids {
		f.must(f.Queue.Cancel(t.Context(), id))
	}
	f.start(func(c *sweeper.Config) { c.Every = 5 * time.Millisecond })
	calls := f.Store.Calls()
	eventually.Holds(f, "two sweeps", func() bool { return f.Store.Calls() >= calls+2 })
	if !f.open(0)() {
		t.Error("a row that was submitted just now was submitted again")
	}
	f.clock.Step(time.Second)
	eventually.Holds(f, "the older row is queued", f.open(1))
	f.clock.Step(29 * time.Second)
	eventually.Holds(f, "the younger row is queued", f.open(2))
}

// Jobs are submitted while Redis is unavailable. Redis returns with its data and its
// mark.
func TestRecoveredQueueGetsTheMissedJobs(t *testing.T) {
	t.Parallel()
	f := newFixture(t, redistest.Real(t))
	s := f.start()
	eventually.Holds(f, "the queue was checked", func() bool { return f.marked() && s.Healthy() == nil })
	f.submit(1)
	f.Redis.Kill()
	eventually.Holds(f, "the queue is unavailable", func() bool { return s.Healthy() != nil })
	if s.Refuses() == nil {
		t.Error("new jobs are accepted without a queue")
	}
	f.submit(2)
	f.Redis.Restart(t)
	eventually.Holds(f, "every job is queued", f.open(3))
	eventually.Holds(f, "new jobs are accepted", func() bool { return s.Refuses() == nil && s.Healthy() == nil })
}

// Pending rows stay pending until they were submitted.
func TestQueueThatRecoversBeforeTheStore(t *testing.T) {
	t.Parallel()
	f := newFixture(t, redistest.Real(t))
	s := f.start()
	eventually.Holds(f, "the queue was checked", func() bool { return f.marked() && s.Healthy() == nil })
	f.Redis.Kill()
	eventually.Holds(f, "the queue is unavailable", func() bool { return s.Healthy() != nil })
	f.submit(2)
	f.Store.Set(storetest.Away)
	calls := f.Store.Calls()
	f.Redis.Restart(t)
	eventually.Holds(f, "two failed sweeps", func() bool { return f.Store.Calls() >= calls+2 })
	f.Store.Set(storetest.None)
	eventually.Holds(f, "every job is queued", f.open(2))
}

func TestQueueIsNotMarkedBeforeItHasAllJobs(t *testing.T) {
	t.Parallel()
	f := newFixture(t, redistest.Mini(t))
	f.submit(2)
	f.wipe()
	f.Store.Set(storetest.Away)
	calls := f.Store.Calls()
	f.start()
	eventually.Holds(f, "two failed sweeps", func() bool { return f.Store.Calls() >= calls+2 })
	if f.marked() {
		t.Error("the queue is marked and empty")
	}
	f.Store.Set(storetest.None)
	eventually.Holds(f, "the mark", f.marked)
	if !f.open(2)() {
		t.Error("the queue is marked and incomplete")
	}
}

// A queue that rejects a job gets the jobs before it. It is marked when it has all jobs.
func TestQueueThatRefusesAJob(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, server *redistest.Server) {
		f := newFixture(t, server)
		f.submit(300)
		f.clock.Step(time.Millisecond) // rows are sorted by their time of dispatch
		odd := tenant.ID{Organization: "org_harm01", Mode: tenant.Live}
		_, err := f.Submit(t.Context(), odd, preflightjob.Request{FileURL: "https://x.example/odd.pdf", Profile: "print_ready"}, 10)
		f.must(err)
		f.clock.Step(time.Millisecond)
		f.submit(300)
		f.wipe()
		client, figures := server.Client(t), "pm:{preflight}:t:"+odd.String()
		f.must(client.RPush(t.Context(), figures, "a list").Err())
		pending := func() int {
			rows, err := f.Store.OpenJobs(t.Context(), f.clock.Now(), 1000)
			f.must(err)
			return len(rows)
		}
		f.start()
		eventually.Holds(f, "the jobs before it are submitted", func() bool { return pending() == 301 })
		if f.marked() {
			t.Error("the queue is marked and incomplete")
		}
		f.must(client.Del(t.Context(), figures).Err())
		eventually.Holds(f, "the mark", f.marked)
		if !f.open(601)() || pending() != 0 {
			t.Errorf("the queue is marked and incomplete: %d rows are pending, want 0", pending())
		}
	})
}

func TestFullQueueRefusesJobs(t *testing.T) {
	t.Parallel()
	f := newFixture(t, redistest.Mini(t))
	ids := f.submit(3)
	s := f.start(func(c *sweeper.Config) { c.Full = 3 })
	eventually.Holds(f, "the queue is full", func() bool { return s.Refuses() != nil })
	if got := s.Refuses().Error(); got != "the queue is full" || s.Stats().Open != 3 {
		t.Errorf("Refuses() = %q with %+v, want a full queue with 3 open jobs", got, s.Stats())
	}
	// The first check submits every open row, including one that is cancelled in the
	// meantime. A worker would drop it, but this test runs no worker.
	eventually.Holds(f, "all jobs are submitted", f.marked)
	_, err := f.Cancel(t.Context(), acme, ids[0])
	f.must(err)
	eventually.Holds(f, "there is room", func() bool { return s.Refuses() == nil && s.Stats().Open == 2 })
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
		f := newFixture(t, server)
		want := f.submit(50)
		f.wipe()
		for range 5 {
			f.start()
		}
		eventually.Holds(f, "the mark", f.marked)
		var got []string
		consumer := f.Queue.Consumer(queue.ConsumerConfig{Name: "w1", Slots: 64, Lease: time.Hour, Block: time.Millisecond, Idle: time.Hour})
		eventually.Holds(f, "every job", func() bool {
			leases, err := consumer.Next(t.Context(), 100)
			f.must(err)
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
	f := newFixture(t, redistest.Mini(t))
	ids := f.submit(1)
	_, err := f.Cancel(t.Context(), acme, ids[0])
	f.must(err)
	job, err := f.Store.Job(t.Context(), acme, ids[0])
	f.must(err)
	if job.FileURL.IsZero() {
		t.Fatal("the URL was erased before its retention ended")
	}
	f.clock.Step(preflightjob.Retention)
	f.start(func(c *sweeper.Config) { c.Purge = 5 * time.Millisecond })
	eventually.Holds(f, "the URL is erased", func() bool {
		job, err := f.Store.Job(t.Context(), acme, ids[0])
		f.must(err)
		return job.FileURL.IsZero()
	})
}

func TestCallbacksArePurgedEvenIfJobsAreNot(t *testing.T) {
	t.Parallel()
	f := newFixture(t, redistest.Mini(t))
	const message = `{"Name":"XJMF","Version":"2.2","Header":{"DeviceID":"press","ID":"M1","Time":"2026-11-20T12:00:00Z"},` +
		`"SignalStatus":{"Header":{"DeviceID":"press","ID":"S1","Time":"2026-11-20T12:00:00Z"},"DeviceInfo":[{"Status":"Idle"}]}}`
	_, err := f.calls.Receive(t.Context(), acme, "press", []byte(message))
	f.must(err)
	f.clock.Step(xjmf.Retention)
	f.start(func(c *sweeper.Config) { c.Purge, c.Jobs = 5*time.Millisecond, unpurgeable{c.Jobs} })
	eventually.Holds(f, "the callback is purged", func() bool {
		kept, err := f.calls.Messages(t.Context(), acme, "", 10)
		f.must(err)
		return len(kept) == 0
	})
}

func TestRequestsAreErasedInBatches(t *testing.T) {
	t.Parallel()
	f := newFixture(t, redistest.Mini(t))
	var entries []requestlog.Entry
	for n := range 1201 {
		entries = append(entries, requestlog.Entry{ID: fmt.Sprintf("log_%026d", n), At: f.clock.Now(), Tenant: acme, Requests: 1})
	}
	f.must(f.Store.AddRequests(t.Context(), entries))
	f.clock.Step(requestlog.Retention)
	f.start(func(c *sweeper.Config) { c.Purge = 5 * time.Millisecond })
	eventually.Holds(f, "the requests are purged", func() bool {
		kept, err := f.Store.Requests(t.Context(), requestlog.Query{Owner: acme, Limit: 1})
		f.must(err)
		return len(kept) == 0
	})
}

// unpurgeable is a job service whose Purge fails.
type unpurgeable struct{ sweeper.Jobs }

func (unpurgeable) Purge(context.Context, int) (int, error) { return 0, errors.New("unavailable") }

func TestRFQsAreSweptIndependentlyOfTheQueue(t *testing.T) {
	t.Parallel()
	f := newFixture(t, redistest.Mini(t))
	f.start(func(c *sweeper.Config) { c.Queue = away{} })
	eventually.Holds(f, "sweeps continue", f.rfqs.atLeast(5))
	f.rfqs.set(errors.New("the store is unavailable"))
	eventually.Holds(f, "sweeps fail and are retried", f.rfqs.failing(3))
	f.rfqs.set(nil)
	eventually.Holds(f, "sweeps continue when the store recovers", f.rfqs.atLeast(5))
}

// A server that replaces another gets every open job, even if it has the mark: a
// promoted replica may lack the last writes.
func TestServerThatReplacedAnother(t *testing.T) {
	t.Parallel()
	server := redistest.Real(t)
	f := newFixture(t, server)
	f.start()
	eventually.Holds(f, "the mark is there", f.marked)
	ids := f.submit(3)
	client := server.Client(t)
	// A lagging replica lacks these writes.
	for _, id := range ids {
		f.must(f.Queue.Cancel(t.Context(), id))
	}
	eventually.Holds(f, "the queue is empty", f.open(0))
	f.clock.Step(time.Second)
	server.Kill()
	server.Restart(t)
	eventually.Holds(f, "the server responds", func() bool { return client.Ping(t.Context()).Err() == nil })
	eventually.Holds(f, "every job is queued", f.open(3))
}

func TestNewShareAppliesToWaitingJobs(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, server *redistest.Server) {
		f := newFixture(t, server)
		var weight atomic.Int64
		weight.Store(10)
		var err error
		f.Queue, err = queue.New(server.Client(t), "preflight", queue.Options{
			Shares: func(tenant.ID) (queue.Share, bool) { return queue.Share{Weight: int(weight.Load())}, weight.Load() > 0 },
		})
		f.must(err)
		f.must(f.Queue.Submit(t.Context(), "pref_1", acme, 0))
		s := f.start(func(c *sweeper.Config) { c.Every = 5 * time.Millisecond; c.Queue = f.Queue })
		has := func(want int) func() bool {
			return func() bool { b := s.Backlogs(); return len(b) == 1 && b[0].Share.Weight == want && b[0].Waiting == 1 }
		}
		eventually.Holds(f, "the backlog is observed", has(10))
		weight.Store(70)
		eventually.Holds(f, "the new weight applies", has(70))
		// While the weight is unknown, the last one stays in effect.
		weight.Store(0)
		f.must(f.Queue.Submit(t.Context(), "pref_1", acme, 0))
		for range 20 {
			changed, err := f.Queue.Reweigh(t.Context(), s.Backlogs())
			if f.must(err); changed != 0 || !has(70)() {
				t.Fatalf("%d shares were changed: %+v", changed, s.Backlogs())
			}
		}
	})
}
