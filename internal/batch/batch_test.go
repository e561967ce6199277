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

// bench is a combiner whose batches take as long as they are told to. It runs in
// the bubble of a synctest, so its seconds pass at once.
type bench struct {
	*Batcher[int, int]
	callers sync.WaitGroup

	mu      sync.Mutex
	batches [][]int
	begun   []time.Duration
}

// newBench makes a combiner whose batches take a second, or as many as their
// first call says if that is more.
func newBench(slots, most int) *bench {
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
		Slots: slots, Most: most, Long: time.Minute, Patience: time.Hour, Run: run,
		Refuse: func(err error) error { return refusedError{err} },
	})
	return b
}

// refusedError is how errors of a bench look that are not of its batches.
type refusedError struct{ error }

func (e refusedError) Unwrap() error { return e.error }

// wantRefused holds an error against the reason that it must have.
func wantRefused(t *testing.T, got, reason error) {
	t.Helper()
	if refused := (refusedError{}); !errors.As(got, &refused) || !errors.Is(got, reason) {
		t.Errorf("error = %v, want %v, refused", got, reason)
	}
}

// begin lets callers come one after the other, and checks what they are told.
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
		t.Errorf("%d slots are still taken", b.busy)
	}
}

func TestWhoeverComesWhileASlotIsFreeGoesAtOnceAndAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(2, 10)
		begun := time.Now()
		b.begin(t.Context(), t, 1, 2)
		b.callers.Wait()
		b.begin(t.Context(), t, 3)
		b.wantBatches(t, []int{1}, []int{2}, []int{3})
		if took := time.Since(begun); took != 2*time.Second {
			t.Errorf("it took %s, want no waiting beside the batches", took)
		}
	})
}

func TestWhoeverComesMeanwhileGoesTogetherInTheOrderOfArrival(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(1, 3)
		b.begin(t.Context(), t, 1, 2, 3, 4, 5, 6)
		b.wantBatches(t, []int{1}, []int{2, 3, 4}, []int{5, 6})
	})
}

func TestABatchThatTakesLongGivesItsSlotAway(t *testing.T) {
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

func TestACallerWhoLeavesBeforeItsTurnIsNotRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(1, 10)
		ctx, leave := context.WithCancel(t.Context())
		b.begin(t.Context(), t, 1)
		var told error
		b.callers.Go(func() { _, told = b.Do(ctx, 2) })
		synctest.Wait()
		b.begin(t.Context(), t, 3)
		leave()
		synctest.Wait()
		wantRefused(t, told, context.Canceled)
		_, told = b.Do(ctx, 4)
		wantRefused(t, told, context.Canceled)
		b.wantBatches(t, []int{1}, []int{3})
	})
}

func TestACallerWhoLeavesInItsTurnIsToldAtOnceAndTheBatchGoesOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(1, 10)
		ctx, leave := context.WithCancel(t.Context())
		b.begin(t.Context(), t, 1)
		var told error
		var left time.Time
		// The first of a batch, whose context the batch is made of.
		b.callers.Go(func() { _, told = b.Do(ctx, 2); left = time.Now() })
		synctest.Wait()
		b.begin(t.Context(), t, 3)
		time.Sleep(1500 * time.Millisecond)
		leaving := time.Now()
		leave()
		b.wantBatches(t, []int{1}, []int{2, 3})
		if !errors.Is(told, context.Canceled) || !left.Equal(leaving) {
			t.Errorf("error = %v after %s, want that of its context at once", told, left.Sub(leaving))
		}
	})
}

func TestWithoutPatienceACallerWaitsForItsTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(1, 1)
		b.config.Long, b.config.Patience = 100*time.Hour, 0
		b.begin(t.Context(), t, 36_000_000, 1)
		b.wantBatches(t, []int{36_000_000}, []int{1})
	})
}

func TestACallerWhoseTurnDoesNotComeIsRefusedAndNotRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(1, 10)
		b.config.Patience = 5 * time.Second
		b.begin(t.Context(), t, 900)
		time.Sleep(time.Second)
		var told error
		begun := time.Now()
		b.callers.Go(func() { _, told = b.Do(t.Context(), 1) })
		time.Sleep(4 * time.Second)
		b.begin(t.Context(), t, 2) // has its turn, and may take longer than it waits for that
		b.wantBatches(t, []int{900}, []int{2})
		wantRefused(t, told, ErrNoTurn)
		if took := time.Since(begun); took != 9*time.Second {
			t.Errorf("it took %s", took)
		}
	})
}

func TestClosingWaitsForEveryCallAndTakesNoMore(t *testing.T) {
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
		_, told := b.Do(t.Context(), 3)
		wantRefused(t, told, ErrClosed)
		b.wantBatches(t, []int{700}, []int{1}, []int{2})
	})
}

var errDefect = errors.New("a defect")

func TestAPanicFailsItsBatchAlone(t *testing.T) {
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
		_, told := b.Do(t.Context(), 13)
		wantRefused(t, told, errDefect)
		b.begin(t.Context(), t, 1, 2)
		b.callers.Wait()
		b.Close()
	})
}
