// SPDX-License-Identifier: Apache-2.0

package xjdf_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

func TestParseSlotsBoundConcurrentWork(t *testing.T) {
	t.Parallel()
	slots, most := xjdf.NewParseSlots(), int64(2*runtime.GOMAXPROCS(0))
	var running, peak atomic.Int64
	var all sync.WaitGroup
	for range 20 * most {
		all.Go(func() {
			err := slots.Do(t.Context(), func() {
				now := running.Add(1)
				for seen := peak.Load(); now > seen && !peak.CompareAndSwap(seen, now); seen = peak.Load() {
				}
				runtime.Gosched()
				running.Add(-1)
			})
			if err != nil {
				t.Errorf("slots.Do: %v", err)
			}
		})
	}
	all.Wait()
	if got := peak.Load(); got > most {
		t.Errorf("%d calls at once, want at most %d", got, most)
	}
}

func TestEndOfContextEndsTheWaitForASlot(t *testing.T) {
	t.Parallel()
	slots, held := xjdf.NewParseSlots(), make(chan struct{})
	var all sync.WaitGroup
	var taken sync.WaitGroup
	for range 2 * runtime.GOMAXPROCS(0) {
		taken.Add(1)
		all.Go(func() {
			if err := slots.Do(t.Context(), func() { taken.Done(); <-held }); err != nil {
				t.Errorf("slots.Do: %v", err)
			}
		})
	}
	taken.Wait()
	gone, leave := context.WithCancel(t.Context())
	leave()
	if err := slots.Do(gone, func() { t.Error("work ran without a free slot") }); !errors.Is(err, xjdf.ErrNoParseSlot) || !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want ErrNoParseSlot and context.Canceled", err)
	}
	close(held)
	all.Wait()
	worked := false
	if err := slots.Do(gone, func() { worked = true }); err != nil || !worked {
		t.Errorf("free slot: error = %v, worked = %t, want nil, true", err, worked)
	}
}

func TestWaitForASlotIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slots, held := xjdf.NewParseSlots(), make(chan struct{})
		var all sync.WaitGroup
		for range 2 * runtime.GOMAXPROCS(0) {
			all.Go(func() {
				if err := slots.Do(t.Context(), func() { <-held }); err != nil {
					t.Errorf("slots.Do: %v", err)
				}
			})
		}
		synctest.Wait()
		if err := slots.Do(t.Context(), func() { t.Error("work ran without a free slot") }); !errors.Is(err, xjdf.ErrNoParseSlot) {
			t.Errorf("error = %v, want ErrNoParseSlot", err)
		}
		close(held)
		all.Wait()
	})
}
