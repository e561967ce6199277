// SPDX-License-Identifier: Apache-2.0

package preflight_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/safehttp"
	"github.com/printmarket/printmarket/pkg/preflight/sandbox"
	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/redistest"
	"github.com/printmarket/printmarket/test/storetest"
	"github.com/printmarket/printmarket/workers/preflight"
)

func fetches(fetch preflight.Fetch) func(*preflight.Config) {
	return func(c *preflight.Config) { c.Fetch = fetch }
}

func inspects(inspect preflight.Inspect) func(*preflight.Config) {
	return func(c *preflight.Config) { c.Inspect = inspect }
}

func TestJobIsFetchedInspectedAndStored(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, server *redistest.Server) {
		fixed := newFixture(t, server)
		id := fixed.submit()
		var url, selected, inspected string
		var r *runner
		visible := func() (names []string) {
			entries, err := os.ReadDir(r.dir)
			if err != nil {
				t.Errorf("os.ReadDir: %v", err)
			}
			for _, e := range entries {
				names = append(names, e.Name())
			}
			return names
		}
		ready := make(chan struct{})
		r = fixed.start("w1", fetches(func(ctx context.Context, address string, f io.Writer) error {
			<-ready
			url = address
			return goodFetch(ctx, address, f)
		}), inspects(func(_ context.Context, what sandbox.Spec) (sandbox.Inspected, error) {
			text, err := io.ReadAll(what.File)
			inspected, selected = string(text), what.Profile.Name
			if left := visible(); len(left) > 0 {
				t.Errorf("files during the inspection: %v, want none: the fetched file has no name", left)
			}
			return goodReport(), err
		}))
		close(ready)
		job := fixed.ended(id)
		if job.Status != preflightjob.Succeeded || job.Verdict != preflightjob.Warn || job.Attempt != 1 || job.Incarnation != "w1" {
			t.Errorf("job %+v", job)
		}
		got, err := fixed.Report(t.Context(), acme, id)
		if diff := cmp.Diff(string(goodReport().JSON), string(got)); err != nil || diff != "" {
			t.Errorf("report, %v (-want +got):\n%s", err, diff)
		}
		fixed.wantQueue(queue.Stats{})
		r.stop()
		if url != flyerURL || selected != "print_ready" || inspected != content {
			t.Errorf("fetched %q, inspected %q with %q", url, inspected, selected)
		}
		if left := visible(); len(left) > 0 {
			t.Errorf("files after the inspection: %v, want none", left)
		}
	})
}

// TestLastingErrorEndsTheJobAfterItsAttempts checks every retry rule: an error that persists ends
// the job with its code after its number of attempts.
func TestLastingErrorEndsTheJobAfterItsAttempts(t *testing.T) {
	t.Parallel()
	status := func(code int) error { return &safehttp.StatusError{Status: code} }
	engine := func(reason error) error {
		return &sandbox.Error{Reason: reason, Detail: "as it died", Tail: "stderr"}
	}
	tests := map[string]struct {
		fetch, inspect error
		code           preflightjob.FailureCode
		attempts       int
	}{
		"an address that is refused":               {fetch: safehttp.ErrRefused, code: preflightjob.FetchRefused, attempts: 1},
		"a file that is too large":                 {fetch: safehttp.ErrTooLarge, code: preflightjob.FileTooLarge, attempts: 1},
		"a server that is too slow":                {fetch: safehttp.ErrTimeout, code: preflightjob.FetchTimeout, attempts: 4},
		"a server that does not have the file":     {fetch: status(404), code: preflightjob.FetchStatus, attempts: 1},
		"a server that forbids it":                 {fetch: status(403), code: preflightjob.FetchStatus, attempts: 1},
		"a redirect without a location":            {fetch: status(304), code: preflightjob.FetchStatus, attempts: 1},
		"a response without content":               {fetch: status(204), code: preflightjob.FetchStatus, attempts: 1},
		"an internal error of the server":          {fetch: status(500), code: preflightjob.FetchStatus, attempts: 4},
		"an unavailable server":                    {fetch: status(503), code: preflightjob.FetchStatus, attempts: 4},
		"too many requests":                        {fetch: status(429), code: preflightjob.FetchStatus, attempts: 4},
		"a request timeout of the server":          {fetch: status(408), code: preflightjob.FetchStatus, attempts: 4},
		"a connection that fails":                  {fetch: safehttp.ErrFailed, code: preflightjob.FetchFailed, attempts: 4},
		"an inspection that takes too long":        {inspect: engine(sandbox.ErrTimeLimit), code: preflightjob.TimeLimit, attempts: 1},
		"an inspection that needs too much memory": {inspect: engine(sandbox.ErrMemoryLimit), code: preflightjob.MemoryLimit, attempts: 1},
		"an inspection with too much output":       {inspect: engine(sandbox.ErrOutputLimit), code: preflightjob.OutputLimit, attempts: 1},
		"a crash of the engine":                    {inspect: engine(sandbox.ErrCrash), code: preflightjob.EngineCrash, attempts: 2},
		"a disk that is full":                      {fetch: errors.New("no space left on device"), code: preflightjob.AttemptsExhausted, attempts: 5},
		"an inspector that is not installed":       {inspect: os.ErrNotExist, code: preflightjob.AttemptsExhausted, attempts: 5},
		"a wrapped error":                          {fetch: fmt.Errorf("fetch: %w", safehttp.ErrRefused), code: preflightjob.FetchRefused, attempts: 1},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, redistest.Mini(t))
			id := f.submit()
			var fetched, inspected counter
			f.start("w1", fetches(func(context.Context, string, io.Writer) error {
				fetched.add()
				return tc.fetch
			}), inspects(func(context.Context, sandbox.Spec) (sandbox.Inspected, error) {
				inspected.add()
				return sandbox.Inspected{}, tc.inspect
			}))
			job := f.ended(id)
			upstream := 0
			if status := (*safehttp.StatusError)(nil); errors.As(tc.fetch, &status) {
				upstream = status.Status
			}
			if job.Status != preflightjob.Failed || job.Failure.Code != tc.code || job.Failure.UpstreamStatus != upstream {
				t.Errorf("job %s %+v, want %s with the status %d", job.Status, job.Failure, tc.code, upstream)
			}
			if fetched.count() != tc.attempts || tc.inspect != nil && inspected.count() != tc.attempts {
				t.Errorf("fetched %d and inspected %d times, want %d", fetched.count(), inspected.count(), tc.attempts)
			}
			want := queue.Stats{}
			if tc.code == preflightjob.EngineCrash || tc.code == preflightjob.AttemptsExhausted {
				want.Dead = 1
			}
			f.wantQueue(want)
		})
	}
}

func TestTemporaryErrorIsRetriedUntilTheJobSucceeds(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, server *redistest.Server) {
		fixed := newFixture(t, server)
		id := fixed.submit()
		causes := []error{safehttp.ErrTimeout, &safehttp.StatusError{Status: 502}, &sandbox.Error{Reason: sandbox.ErrCrash}, errors.New("disk")}
		var calls counter
		fixed.start("w1", fetches(func(ctx context.Context, url string, f io.Writer) error {
			if n := calls.add(); n < 3 {
				return causes[n-1]
			}
			return goodFetch(ctx, url, f)
		}))
		if job := fixed.ended(id); job.Status != preflightjob.Succeeded || job.Attempt != 3 {
			t.Errorf("job %s in attempt %d, want succeeded in attempt 3", job.Status, job.Attempt)
		}
		fixed.wantQueue(queue.Stats{})
	})
}

func TestRetriesBackOff(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		cause error
		want  []time.Duration
	}{
		"a slow server":                {safehttp.ErrTimeout, []time.Duration{4 * time.Second, 8 * time.Second, 16 * time.Second}},
		"a failed connection":          {safehttp.ErrFailed, []time.Duration{2 * time.Second, 4 * time.Second, 8 * time.Second}},
		"a crash of the engine":        {&sandbox.Error{Reason: sandbox.ErrCrash}, []time.Duration{200 * time.Millisecond}},
		"a fault of the platform":      {errors.New("disk"), []time.Duration{2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second, 32 * time.Second}},
		"an error that is not retried": {safehttp.ErrRefused, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, redistest.Mini(t))
			id := f.submit()
			var asked []time.Duration
			r := f.start("w1", fetches(func(context.Context, string, io.Writer) error { return tc.cause }), func(c *preflight.Config) {
				c.Slots = 1
				c.Jitter = func(d time.Duration) time.Duration { asked = append(asked, d); return 0 }
			})
			f.ended(id)
			r.stop()
			if diff := cmp.Diff(tc.want, asked); diff != "" {
				t.Errorf("delays before jitter (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRetryWaitsInTheQueue checks that the queue keeps the delay, and no worker waits for it.
func TestRetryWaitsInTheQueue(t *testing.T) {
	t.Parallel()
	f := newFixture(t, redistest.Mini(t))
	id := f.submit()
	var calls counter
	f.start("w1", fetches(func(context.Context, string, io.Writer) error { calls.add(); return safehttp.ErrFailed }),
		func(c *preflight.Config) { c.Jitter = func(d time.Duration) time.Duration { return d } })
	f.wantQueue(queue.Stats{Open: 1, Delayed: 1})
	f.Redis.Pass(2100 * time.Millisecond)
	eventually.Holds(f, "the second attempt", func() bool { return calls.count() == 2 })
	f.wantQueue(queue.Stats{Open: 1, Delayed: 1})
	if job := f.job(id); job.Status != preflightjob.Processing || job.Attempt != 2 {
		t.Errorf("job %s in attempt %d, want processing in attempt 2", job.Status, job.Attempt)
	}
}

// TestJobsThatNeedNoWorkAreDropped submits jobs whose rows have already ended or do not
// exist.
func TestJobsThatNeedNoWorkAreDropped(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, server *redistest.Server) {
		f := newFixture(t, server)
		cancelled := f.submit()
		_, err := f.Cancel(t.Context(), acme, cancelled)
		f.must(err)
		unknown, err := recordid.New(recordid.Job, time.Now(), zeros{})
		f.must(err)
		for _, id := range []string{cancelled, unknown, "pref_no-id"} {
			f.must(f.Queue.Submit(t.Context(), id, acme, 0))
		}
		f.wantQueue(queue.Stats{Open: 3, Waiting: 3})
		f.start("w1", fetches(func(context.Context, string, io.Writer) error {
			t.Error("a file was fetched, want no fetch")
			return nil
		}))
		f.wantQueue(queue.Stats{})
		if job := f.job(cancelled); job.Status != preflightjob.Cancelled || job.Attempt != 0 {
			t.Errorf("the cancelled job is %s in attempt %d", job.Status, job.Attempt)
		}
	})
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// TestWipedQueueCatchesUpWithTheAttemptsOfTheRow empties the queue after three attempts of a job,
// so that the queue counts from one again.
func TestWipedQueueCatchesUpWithTheAttemptsOfTheRow(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, server *redistest.Server) {
		fixed := newFixture(t, server)
		id := fixed.submit()
		_, err := fixed.Begin(t.Context(), id, 3, "dead")
		fixed.must(err)
		var calls counter
		fixed.start("w1", fetches(func(ctx context.Context, url string, f io.Writer) error { calls.add(); return goodFetch(ctx, url, f) }))
		if job := fixed.ended(id); job.Status != preflightjob.Succeeded || job.Attempt != 4 || calls.count() != 1 {
			t.Errorf("job %s in attempt %d after %d fetches", job.Status, job.Attempt, calls.count())
		}
		fixed.wantQueue(queue.Stats{})
	})
}

// TestFencedAttemptChangesNothing begins the next attempt by another worker during an inspection.
func TestFencedAttemptChangesNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t, redistest.Mini(t))
	id, fenced := f.submit(), make(chan struct{})
	f.start("w1", func(c *preflight.Config) { c.Slots = 1 }, inspects(func(ctx context.Context, _ sandbox.Spec) (sandbox.Inspected, error) {
		if f.job(id).Attempt == 1 {
			if _, err := f.Begin(ctx, id, 2, "w2"); err != nil {
				t.Errorf("w.Jobs.Begin: %v", err)
			}
			close(fenced)
		}
		return goodReport(), nil
	}))
	<-fenced
	f.ended(f.submit()) // the only slot inspects the next job after the fenced attempt has ended
	if job := f.job(id); job.Status != preflightjob.Processing || job.Attempt != 2 || job.Incarnation != "w2" {
		t.Errorf("job %s of %s in attempt %d", job.Status, job.Incarnation, job.Attempt)
	}
	f.wantQueue(queue.Stats{Open: 1, Held: 1})
}

func TestLostLeaseStopsTheJob(t *testing.T) {
	t.Parallel()
	f := newFixture(t, redistest.Mini(t))
	id := f.submit()
	entered, causes := make(chan struct{}), make(chan error, 1)
	r := f.start("w1", inspects(stuck(entered, causes)), func(c *preflight.Config) { c.Queue = f.consumer("w1", 300*time.Millisecond) })
	<-entered
	_, err := f.Cancel(t.Context(), acme, id)
	f.must(err)
	if cause := <-causes; cause.Error() != "the lease was lost" {
		t.Errorf("the cause of the stop is %q, want %q", cause, "the lease was lost")
	}
	r.stop()
	if job := f.job(id); job.Status != preflightjob.Cancelled {
		t.Errorf("job %s", job.Status)
	}
	f.wantQueue(queue.Stats{})
}

// TestJobOfADeadWorkerIsReclaimed waits for the end of the lease.
func TestJobOfADeadWorkerIsReclaimed(t *testing.T) {
	t.Parallel()
	f := newFixture(t, redistest.Mini(t))
	id := f.submit()
	dead := f.take("dead")
	_, err := f.Begin(t.Context(), id, dead.Attempt, "dead")
	f.must(err)
	f.start("w1")
	// After a pause of all workers the queue first assumes that Redis was unavailable.
	tender := f.consumer("tender", lease)
	for _, passes := range []time.Duration{lease + time.Second, lease / 2} {
		f.Redis.Pass(passes)
		_, err := tender.Renew(t.Context())
		f.must(err)
	}
	f.must(tender.Leave(t.Context()))
	if job := f.ended(id); job.Status != preflightjob.Succeeded || job.Attempt != 2 || job.Incarnation != "w1" {
		t.Errorf("job %s of %s in attempt %d", job.Status, job.Incarnation, job.Attempt)
	}
	// The former worker sends a late result.
	if _, err := f.Finish(t.Context(), id, dead.Attempt, "dead", preflightjob.Result{Failure: preflightjob.TimeLimit}); !errors.Is(err, preflightjob.ErrFenced) {
		t.Errorf("Finish of the late result: %v, want a rejection", err)
	}
}

// renewals counts the renewals of a worker.
type renewals struct {
	*queue.Consumer
	counter
}

func (r *renewals) Renew(ctx context.Context, leases ...queue.Lease) ([]queue.Lease, error) {
	lost, err := r.Consumer.Renew(ctx, leases...)
	if len(leases) > 0 && err == nil {
		r.add()
	}
	return lost, err
}

// TestJobMayTakeLongerThanItsLease advances the server's clock by several leases, with a renewal
// in each. Another worker never gets the job.
func TestJobMayTakeLongerThanItsLease(t *testing.T) {
	t.Parallel()
	f := newFixture(t, redistest.Mini(t))
	id := f.submit()
	entered, leave := make(chan struct{}), make(chan struct{})
	slow := func(context.Context, sandbox.Spec) (sandbox.Inspected, error) {
		entered <- struct{}{}
		<-leave
		return goodReport(), nil
	}
	const short = 90 * time.Millisecond // renewed every 30 ms of real time
	held := &renewals{Consumer: f.consumer("w1", short)}
	f.start("w1", inspects(slow), func(c *preflight.Config) { c.Queue = held })
	<-entered
	f.start("w2", inspects(slow), func(c *preflight.Config) { c.Queue = f.consumer("w2", short) })
	for range 6 {
		before := held.count()
		// The second of two renewals began after the clock had stopped.
		eventually.Holds(f, "two renewals", func() bool { return held.count() >= before+2 })
		f.Redis.Pass(short * 2 / 3)
	}
	close(leave)
	select {
	case <-entered:
		t.Error("the job was started twice, want once")
	default:
	}
	if job := f.ended(id); job.Status != preflightjob.Succeeded || job.Attempt != 1 || job.Incarnation != "w1" {
		t.Errorf("job %s of %s in attempt %d", job.Status, job.Incarnation, job.Attempt)
	}
}

func TestDrainingWorkerGivesBackJobsThatDoNotEnd(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, server *redistest.Server) {
		f := newFixture(t, server)
		id := f.submit()
		entered, causes := make(chan struct{}), make(chan error, 1)
		r := f.start("w1", inspects(stuck(entered, causes)), func(c *preflight.Config) { c.Drain = time.Millisecond })
		<-entered
		r.stop()
		if cause := <-causes; cause.Error() != "the worker is stopping" {
			t.Errorf("the cause of the stop is %q, want %q", cause, "the worker is stopping")
		}
		f.wantQueue(queue.Stats{Open: 1, Waiting: 1})
		f.start("w2")
		// A read that had begun may have leased the job to w1 once more, which released it
		// again. Released attempts do not count.
		if job := f.ended(id); job.Status != preflightjob.Succeeded || job.Attempt < 2 || job.Tries != 1 || job.Incarnation != "w2" {
			t.Errorf("job %s of %s in attempt %d, of which %d count", job.Status, job.Incarnation, job.Attempt, job.Tries)
		}
	})
}

func TestDrainingWorkerWaitsForJobsThatEnd(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, server *redistest.Server) {
		f := newFixture(t, server)
		id := f.submit()
		entered, leave := make(chan struct{}), make(chan struct{})
		r := f.start("w1", inspects(func(context.Context, sandbox.Spec) (sandbox.Inspected, error) {
			entered <- struct{}{}
			<-leave
			return goodReport(), nil
		}))
		<-entered
		r.cancel()
		late := f.submit()
		close(leave)
		<-r.ended
		if job := f.job(id); job.Status != preflightjob.Succeeded || job.Attempt != 1 {
			t.Errorf("job %s in attempt %d, want succeeded in attempt 1", job.Status, job.Attempt)
		}
		if r.Healthy() != nil {
			t.Errorf("Healthy = %v", r.Healthy())
		}
		f.start("w2")
		if job := f.ended(late); job.Incarnation != "w2" || job.Tries != 1 {
			t.Errorf("the late job was processed by %q in %d tries, want w2 and 1", job.Incarnation, job.Tries)
		}
	})
}

// TestUnavailableStoreHoldsTheJob makes the store unavailable at the beginning and at the
// end of a job, and makes commits unknown.
func TestUnavailableStoreHoldsTheJob(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		begin, end storetest.Fault
	}{
		"unavailable at the beginning":        {begin: storetest.Away},
		"unknown result at the beginning":     {begin: storetest.Unknown},
		"unavailable at the end":              {end: storetest.Away},
		"unknown result at the end":           {end: storetest.Unknown},
		"alternately unavailable and unknown": {begin: storetest.Unknown, end: storetest.Away},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, redistest.Mini(t))
			id := f.submit()
			f.Store.Set(tc.begin)
			var inspected counter
			f.start("w1", inspects(func(context.Context, sandbox.Spec) (sandbox.Inspected, error) {
				inspected.add()
				f.Store.Set(tc.end)
				return goodReport(), nil
			}))
			restore := func() {
				tried := f.Store.Calls()
				eventually.Holds(f, "the store was called", func() bool { return f.Store.Calls() > tried })
				f.Store.Set(storetest.None)
			}
			if tc.begin != storetest.None {
				restore()
			}
			if tc.end != storetest.None {
				eventually.Holds(f, "the inspection", func() bool { return inspected.count() == 1 })
				restore()
			}
			if job := f.ended(id); job.Status != preflightjob.Succeeded || job.Attempt != 1 || inspected.count() != 1 {
				t.Errorf("job %s in attempt %d after %d inspections", job.Status, job.Attempt, inspected.count())
			}
			f.wantQueue(queue.Stats{})
		})
	}
}

// TestAttemptThatNeverBeganIsGivenBack stops the worker while the store is unavailable.
func TestAttemptThatNeverBeganIsGivenBack(t *testing.T) {
	t.Parallel()
	f := newFixture(t, redistest.Mini(t))
	id := f.submit()
	f.Store.Set(storetest.Away)
	tried := f.Store.Calls()
	r := f.start("w1", func(c *preflight.Config) { c.Drain = time.Millisecond })
	eventually.Holds(f, "the store was called", func() bool { return f.Store.Calls() > tried })
	r.stop()
	f.Store.Set(storetest.None)
	f.wantQueue(queue.Stats{Open: 1, Waiting: 1})
	f.start("w2")
	if job := f.ended(id); job.Status != preflightjob.Succeeded || job.Tries != 1 || job.Incarnation != "w2" {
		t.Errorf("job %s of %s after %d tries", job.Status, job.Incarnation, job.Tries)
	}
}

func TestMissingTemporaryDirectoryIsRetried(t *testing.T) {
	t.Parallel()
	f := newFixture(t, redistest.Mini(t))
	id := f.submit()
	dir := filepath.Join(t.TempDir(), "later")
	f.start("w1", func(c *preflight.Config) {
		c.TempDir = dir
		c.Jitter = func(time.Duration) time.Duration {
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Errorf("os.MkdirAll: %v", err)
			}
			return 0
		}
	})
	if job := f.ended(id); job.Status != preflightjob.Succeeded || job.Attempt != 2 {
		t.Errorf("job %s in attempt %d, want succeeded in attempt 2", job.Status, job.Attempt)
	}
}

// TestWorkerContinuesAfterRedisReturns kills the server while a job runs and while none does.
func TestWorkerContinuesAfterRedisReturns(t *testing.T) {
	t.Parallel()
	server := redistest.Real(t)
	f := newFixture(t, server)
	running := f.submit()
	entered, leave := make(chan struct{}), make(chan struct{})
	r := f.start("w1", func(c *preflight.Config) {
		c.Jitter = func(d time.Duration) time.Duration { return min(d, 20*time.Millisecond) }
		c.Queue = f.consumer("w1", 500*time.Millisecond)
	}, inspects(func(ctx context.Context, _ sandbox.Spec) (sandbox.Inspected, error) {
		select {
		case entered <- struct{}{}:
			<-leave
		case <-leave:
		}
		return goodReport(), ctx.Err()
	}))
	<-entered
	server.Kill()
	eventually.Holds(f, "the worker notices", func() bool { return r.Healthy() != nil })
	close(leave)
	if job := f.ended(running); job.Status != preflightjob.Succeeded || job.Attempt != 1 {
		t.Errorf("without Redis the job is %s in attempt %d", job.Status, job.Attempt)
	}
	server.Restart(t)
	eventually.Holds(f, "the worker notices", func() bool { return r.Healthy() == nil })
	if job := f.ended(f.submit()); job.Status != preflightjob.Succeeded {
		t.Errorf("a job after the restart of Redis is %s, want it to succeed", job.Status)
	}
	f.wantQueue(queue.Stats{}) // a worker has removed the entry of the first job, which has ended
}
