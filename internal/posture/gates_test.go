// SPDX-License-Identifier: Apache-2.0

package posture_test

import (
	"sync"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/posture"
)

func TestGates(t *testing.T) {
	t.Parallel()
	s := posture.Compile(sound(t, posture.RFQCreate))
	later := func(d time.Duration) time.Time { return now.Add(d) }
	tests := map[string]struct {
		bound time.Duration
		do    func(g *posture.Gates)
		at    time.Time
		want  *posture.Snapshot
	}{
		"are closed before the first snapshot":            {time.Minute, func(*posture.Gates) {}, now, nil},
		"are closed when only confirmed":                  {time.Minute, func(g *posture.Gates) { g.Confirm(now) }, now, nil},
		"return the published snapshot":                   {time.Minute, func(g *posture.Gates) { g.Publish(s, now) }, now, s},
		"hold to the end of the bound":                    {time.Minute, func(g *posture.Gates) { g.Publish(s, now) }, later(time.Minute), s},
		"close after the bound":                           {time.Minute, func(g *posture.Gates) { g.Publish(s, now) }, later(time.Minute + 1), nil},
		"stay open when confirmed":                        {time.Minute, func(g *posture.Gates) { g.Publish(s, now); g.Confirm(later(time.Minute)) }, later(2 * time.Minute), s},
		"ignore a confirmation from before":               {time.Minute, func(g *posture.Gates) { g.Publish(s, now); g.Confirm(later(-time.Hour)) }, later(time.Minute), s},
		"close when nil is published":                     {time.Minute, func(g *posture.Gates) { g.Publish(s, now); g.Publish(nil, now) }, now, nil},
		"open again when confirmed after they had closed": {time.Minute, func(g *posture.Gates) { g.Publish(s, now); g.Confirm(later(time.Hour)) }, later(time.Hour), s},
		"without a bound have the default one":            {0, func(g *posture.Gates) { g.Publish(s, now) }, later(posture.DefaultMaxStaleness + 1), nil},
		"with a negative bound have the default one":      {-1, func(g *posture.Gates) { g.Publish(s, now) }, later(posture.DefaultMaxStaleness), s},
		"hold when the clock goes back":                   {time.Minute, func(g *posture.Gates) { g.Publish(s, now) }, later(-time.Hour), s},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := posture.NewGates(tc.bound)
			tc.do(g)
			if got := g.Current(tc.at); got != tc.want {
				t.Errorf("Current = %v, want %v", got, tc.want)
			}
		})
	}
	var zero posture.Gates
	if _, known := zero.Age(now); known || zero.Current(now) != nil {
		t.Error("the zero Gates return a snapshot, want nil")
	}
	zero.Publish(s, now)
	if age, known := zero.Age(later(time.Second)); !known || age != time.Second {
		t.Errorf("age %s, %t", age, known)
	}
}

// TestConcurrentReadersNeverSeeAnOlderSnapshot checks that a reader never sees an older
// snapshot after a newer one. The race detector checks the concurrent access.
func TestConcurrentReadersNeverSeeAnOlderSnapshot(t *testing.T) {
	t.Parallel()
	g := posture.NewGates(time.Hour)
	var versions []*posture.Snapshot
	order := map[*posture.Snapshot]int{}
	for i := range 100 {
		s := posture.Compile(posture.Inputs{})
		versions = append(versions, s)
		order[s] = i
	}
	var readers sync.WaitGroup
	done := make(chan struct{})
	for range 4 {
		readers.Go(func() {
			last := -1
			for {
				if s := g.Current(now); s != nil {
					if order[s] < last {
						t.Errorf("version %d after %d", order[s], last)
					}
					last = order[s]
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for _, s := range versions {
		g.Publish(s, now)
		g.Confirm(now)
	}
	close(done)
	readers.Wait()
}
