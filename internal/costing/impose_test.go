// SPDX-License-Identifier: Apache-2.0

package costing_test

import (
	"math/rand/v2"
	"testing"

	"github.com/printmarket/printmarket/internal/costing"
)

// placed counts pieces by placing one after the other until the room is full.
func placed(room, length, gutter int) int {
	count := 0
	for end := length; end <= room; end += gutter + length {
		count++
	}
	return count
}

func gridOf(areaX, areaY, x, y, gutter int) int {
	return placed(areaX, x, gutter) * placed(areaY, y, gutter)
}

// most tries every position of the cut that separates two grids.
func most(areaX, areaY, x, y, gutter int, upright, turned, same bool) int {
	best := 0
	ways := [][2]int{}
	if upright {
		ways = append(ways, [2]int{x, y})
	}
	if turned {
		ways = append(ways, [2]int{y, x})
	}
	for _, one := range ways {
		best = max(best, gridOf(areaX, areaY, one[0], one[1], gutter))
	}
	if same || len(ways) < 2 {
		return best
	}
	for _, order := range [][2]int{{0, 1}, {1, 0}} {
		a, b := ways[order[0]], ways[order[1]]
		for cut := range areaX + 1 {
			best = max(best, gridOf(cut, areaY, a[0], a[1], gutter)+gridOf(areaX-cut-gutter, areaY, b[0], b[1], gutter))
		}
		for cut := range areaY + 1 {
			best = max(best, gridOf(areaX, cut, a[0], a[1], gutter)+gridOf(areaX, areaY-cut-gutter, b[0], b[1], gutter))
		}
	}
	return best
}

func TestLayoutMatchesBestGridOrPairOfGrids(t *testing.T) {
	t.Parallel()
	source := rand.New(rand.NewPCG(1, 2))
	for range 5_000 {
		areaX, areaY := 1+source.IntN(60), 1+source.IntN(60)
		x, y, gutter := 1+source.IntN(25), 1+source.IntN(25), source.IntN(4)
		upright, turned, same := source.IntN(3) > 0, source.IntN(3) > 0, source.IntN(4) == 0
		want := most(areaX, areaY, x, y, gutter, upright, turned, same)
		got, even := costing.Most(int64(areaX), int64(areaY), int64(x), int64(y), int64(gutter), upright, turned, same)
		if got != int64(want) {
			t.Fatalf("%d x %d with %d on %d x %d (upright %v, turned %v, same %v): %d, want %d", x, y, gutter, areaX, areaY, upright, turned, same, got, want)
		}
		if even > got || even%2 != 0 {
			t.Fatalf("mirrored grid has %d pieces, more than the fullest layout with %d", even, got)
		}
	}
}
