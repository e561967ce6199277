// SPDX-License-Identifier: Apache-2.0

package batch

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// bench is a batcher whose batches take a given time. It runs in a synctest bubble, so
// its seconds pass at once.
type bench struct {
	*Batcher[int, int]
	callers sync.WaitGroup

	mu      sync.Mutex
	batches [][]int
	begun   []time.Duration
}

// newBench returns a batcher whose batches take one second, or a hundredth of their
// first input in seconds if that is more.
func newBench(slots, maxSize int) *bench {
	b, opened := &bench{}, time.Now()
	run := func(_ context.Context, batch []int) []Result[int] {
		b.mu.Lock()
		b.batches = append(b.batches, slices.Clone(batch))
		b.begun = append(b.begun, time.Since(opened))
		b.mu.Unlock()
		time.Sleep(time.Duration(max(batch[0]/100, 1)) * time.Second)
		ends := make([]Result[int], len(batch))
		for i, in := range batch {
			ends[i].Out = -in
		}
		return ends
	}
	b.Batcher = New(Config[int, int]{
		Slots: slots, MaxSize: maxSize, Long: time.Minute, MaxWait: time.Hour, Run: run,
		Refuse: func(err error) error { return refusedError{err} },
	})
	return b
}

// refusedError wraps the errors of a bench that do not come from Run.
type refusedError struct{ error }

func (e refusedError) Unwrap() error { return e.error }

// wantRefused checks that an error was refused for a reason.
func wantRefused(t *testing.T, got, reason error) {
	t.Helper()
	if refused := (refusedError{}); !errors.As(got, &refused) || !errors.Is(got, reason) {
		t.Errorf("error = %v, want %v, refused", got, reason)
	}
}

// begin starts calls one after the other and checks their results.
func (b *bench) begin(ctx context.Context, t *testing.T, ins ...int) {
	for _, in := range ins {
		b.callers.Go(func() {
			if out, err := b.Do(ctx, in); out != -in || err != nil {
				t.Errorf("call %d = %d, %v", in, out, err)
			}
		})
		synctest.Wait()
	}
}

func (b *bench) wantBatches(t *testing.T, want ...[]int) {
	t.Helper()
	b.callers.Wait()
	b.Close()
	if diff := cmp.Diff(want, b.batches); diff != "" {
		t.Errorf("batches (-want +got):\n%s", diff)
	}
	if b.busy != 0 {
		t.Errorf("%d slots are still taken, want none", b.busy)
	}
}

func TestCallRunsAloneWhileASlotIsFree(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(2, 10)
		begun := time.Now()
		b.begin(t.Context(), t, 1, 2)
		b.callers.Wait()
		b.begin(t.Context(), t, 3)
		b.wantBatches(t, []int{1}, []int{2}, []int{3})
		if took := time.Since(begun); took != 2*time.Second {
			t.Errorf("the calls took %s, want 2s", took)
		}
	})
}

func TestWaitingCallsRunInOneBatchInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(1, 3)
		b.begin(t.Context(), t, 1, 2, 3, 4, 5, 6)
		b.wantBatches(t, []int{1}, []int{2, 3, 4}, []int{5, 6})
	})
}

func TestLongBatchReleasesItsSlot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(1, 10)
		b.config.Long = 10 * time.Second
		b.begin(t.Context(), t, 9900, 9800)
		time.Sleep(11 * time.Second)
		b.begin(t.Context(), t, 1, 2)
		b.wantBatches(t, []int{9900}, []int{9800}, []int{1, 2})
		want := []time.Duration{0, 10 * time.Second, 20 * time.Second}
		if diff := cmp.Diff(want, b.begun); diff != "" {
			t.Errorf("batches begin (-want +got):\n%s", diff)
		}
	})
}

func TestCancelledWaitingCallIsNotRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(1, 10)
		ctx, leave := context.WithCancel(t.Context())
		b.begin(t.Context(), t, 1)
		var got error
		b.callers.Go(func() { _, got = b.Do(ctx, 2) })
		synctest.Wait()
		b.begin(t.Context(), t, 3)
		leave()
		synctest.Wait()
		wantRefused(t, got, context.Canceled)
		_, got = b.Do(ctx, 4)
		wantRefused(t, got, context.Canceled)
		b.wantBatches(t, []int{1}, []int{3})
	})
}

func TestCancelledRunningCallReturnsAtOnceAndItsBatchContinues(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(1, 10)
		ctx, leave := context.WithCancel(t.Context())
		b.begin(t.Context(), t, 1)
		var got error
		var left time.Time
		// The first call of a batch: the batch must not use its context.
		b.callers.Go(func() { _, got = b.Do(ctx, 2); left = time.Now() })
		synctest.Wait()
		b.begin(t.Context(), t, 3)
		time.Sleep(1500 * time.Millisecond)
		leaving := time.Now()
		leave()
		b.wantBatches(t, []int{1}, []int{2, 3})
		if !errors.Is(got, context.Canceled) || !left.Equal(leaving) {
			t.Errorf("error = %v after %s, want context.Canceled at once", got, left.Sub(leaving))
		}
	})
}

func TestContextOfALoneCallEndsWithItsCallerAndHasNoValues(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(1, 10)
		b.config.Run = func(ctx context.Context, _ []int) []Result[int] {
			if got := ctx.Value(t); got != nil {
				t.Errorf("value = %v, want none", got)
			}
			below, stop := context.WithCancel(ctx)
			defer stop()
			<-below.Done()
			return []Result[int]{{Err: below.Err()}}
		}
		ctx, leave := context.WithTimeout(context.WithValue(t.Context(), t, "a value"), time.Second)
		defer leave()
		if _, err := b.Do(ctx, 1); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error = %v, want that of the context", err)
		}
		b.Close()
	})
}

func TestWithoutMaxWaitACallWaitsForASlot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(1, 1)
		b.config.Long, b.config.MaxWait = 100*time.Hour, 0
		b.begin(t.Context(), t, 36_000_000, 1)
		b.wantBatches(t, []int{36_000_000}, []int{1})
	})
}

func TestCallIsRefusedAfterMaxWaitAndNotRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(1, 10)
		b.config.MaxWait = 5 * time.Second
		b.begin(t.Context(), t, 900)
		time.Sleep(time.Second)
		var got error
		begun := time.Now()
		b.callers.Go(func() { _, got = b.Do(t.Context(), 1) })
		time.Sleep(4 * time.Second)
		b.begin(t.Context(), t, 2) // starts in time; MaxWait does not limit its run time
		b.wantBatches(t, []int{900}, []int{2})
		wantRefused(t, got, ErrMaxWait)
		if took := time.Since(begun); took != 9*time.Second {
			t.Errorf("the batches took %s, want 9s", took)
		}
	})
}

func TestCloseWaitsForEveryCallAndRejectsMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(1, 1)
		b.config.Long = 500 * time.Millisecond
		b.begin(t.Context(), t, 700, 1, 2)
		begun := time.Now()
		b.Close()
		if took := time.Since(begun); took != 7*time.Second {
			t.Errorf("closed after %s, want when the last batch had ended", took)
		}
		_, got := b.Do(t.Context(), 3)
		wantRefused(t, got, ErrClosed)
		b.wantBatches(t, []int{700}, []int{1}, []int{2})
	})
}

var errDefect = errors.New("a defect")

func TestPanicFailsItsBatchOnly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(1, 10)
		sound := b.config.Run
		b.config.Run = func(ctx context.Context, batch []int) []Result[int] {
			if batch[0] == 13 {
				panic(errDefect)
			}
			return sound(ctx, batch)
		}
		_, got := b.Do(t.Context(), 13)
		wantRefused(t, got, errDefect)
		b.begin(t.Context(), t, 1, 2)
		b.callers.Wait()
		b.Close()
	})
}
