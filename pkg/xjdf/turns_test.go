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

func TestNoMoreTreesAreWorkedOnThanThereAreTurns(t *testing.T) {
	t.Parallel()
	turns, most := xjdf.NewTurns(), int64(2*runtime.GOMAXPROCS(0))
	var running, peak atomic.Int64
	var all sync.WaitGroup
	for range 20 * most {
		all.Go(func() {
			err := turns.Do(t.Context(), func() {
				now := running.Add(1)
				for seen := peak.Load(); now > seen && !peak.CompareAndSwap(seen, now); seen = peak.Load() {
				}
				runtime.Gosched()
				running.Add(-1)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := peak.Load(); got > most {
		t.Errorf("%d at once, want %d at most", got, most)
	}
}

func TestWhoGoesAwayWaitsForNoTurn(t *testing.T) {
	t.Parallel()
	turns, held := xjdf.NewTurns(), make(chan struct{})
	var all sync.WaitGroup
	var taken sync.WaitGroup
	for range 2 * runtime.GOMAXPROCS(0) {
		taken.Add(1)
		all.Go(func() {
			if err := turns.Do(t.Context(), func() { taken.Done(); <-held }); err != nil {
				t.Error(err)
			}
		})
	}
	taken.Wait()
	gone, leave := context.WithCancel(t.Context())
	leave()
	if err := turns.Do(gone, func() { t.Error("it had a turn") }); !errors.Is(err, xjdf.ErrNoTurn) || !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want that it has gone", err)
	}
	close(held)
	all.Wait()
	worked := false
	if err := turns.Do(gone, func() { worked = true }); err != nil || !worked {
		t.Errorf("a turn that nobody has: %v, worked %t", err, worked)
	}
}

func TestNobodyWaitsForATurnForEver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns, held := xjdf.NewTurns(), make(chan struct{})
		var all sync.WaitGroup
		for range 2 * runtime.GOMAXPROCS(0) {
			all.Go(func() {
				if err := turns.Do(t.Context(), func() { <-held }); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		if err := turns.Do(t.Context(), func() { t.Error("it had a turn") }); !errors.Is(err, xjdf.ErrNoTurn) {
			t.Errorf("error = %v, want that it has waited too long", err)
		}
		close(held)
		all.Wait()
	})
}
