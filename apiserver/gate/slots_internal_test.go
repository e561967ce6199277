// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"sync"
	"sync/atomic"
	"testing"
)

// More goroutines than slots take slots, and return them temporarily while they wait.
func TestSlotsAreNeverTakenTwice(t *testing.T) {
	t.Parallel()
	const most = 3
	slots := NewSlots(most)
	var working, over atomic.Int64
	work := func() {
		if working.Add(1) > most {
			over.Add(1)
		}
		working.Add(-1)
	}
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for range 1000 {
				if !slots.Take() {
					continue
				}
				work()
				slots.Give()
				if slots.Retake() {
					work()
				}
				slots.Give()
			}
		})
	}
	all.Wait()
	if over.Load() > 0 || slots.taken.Load() != 0 {
		t.Errorf("the limit was exceeded %d times and %d slots were not returned, want 0 and 0", over.Load(), slots.taken.Load())
	}
}

func TestSlotsMayBeUnlimited(t *testing.T) {
	t.Parallel()
	var slots Slots
	for range 1000 {
		if !slots.Take() || !slots.Retake() {
			t.Fatal("take failed below the limit")
		}
	}
}

func TestOrganizationsHaveSeparateShares(t *testing.T) {
	t.Parallel()
	s := newShares(2)
	for _, step := range []struct {
		what string
		want bool
	}{{"acme", true}, {"acme", true}, {"acme", false}, {"stark", true}, {"-acme", true}, {"acme", true}, {"acme", false}} {
		if step.what[0] == '-' {
			s.give(step.what[1:])
			continue
		}
		if got := s.take(step.what); got != step.want {
			t.Errorf("%s takes: %t, want %t", step.what, got, step.want)
		}
	}
	s.give("acme")
	s.give("acme")
	s.give("stark")
	if len(s.taken) != 0 {
		t.Errorf("shares of idle organizations: %v, want none", s.taken)
	}
}

func TestTakingAShareAllocatesNothing(t *testing.T) {
	s := newShares(2)
	if allocs := testing.AllocsPerRun(1000, func() {
		if s.take("org_acme01") {
			s.give("org_acme01")
		}
	}); allocs > 0 {
		t.Errorf("%.1f allocations", allocs)
	}
}
