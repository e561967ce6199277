// SPDX-License-Identifier: Apache-2.0

package geom_test

import (
	"math"
	"testing"

	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
)

func TestThenAppliesTheFirstMatrixFirst(t *testing.T) {
	t.Parallel()
	m := geom.Matrix{2, 0, 0, 3, 0, 0}.Then(geom.Matrix{1, 0, 0, 1, 10, 20})
	if x, y := m.Point(1, 1); x != 12 || y != 23 {
		t.Errorf("got %v %v, want 12 23: scaled, then moved", x, y)
	}
}

func TestRotationKeepsScale(t *testing.T) {
	t.Parallel()
	s := math.Sqrt2
	x, y := geom.Matrix{s, s, -s, s, 0, 0}.Scale()
	if math.Abs(x-2) > 1e-12 || math.Abs(y-2) > 1e-12 {
		t.Errorf("scale %v %v, want 2 2", x, y)
	}
}

func TestRects(t *testing.T) {
	t.Parallel()
	unit := geom.Rect{0, 0, 1, 1}
	tests := map[string]bool{
		"corners in any order are the same":   geom.Rect{1, 1, 0, 0}.Normal() == unit,
		"a line touches":                      unit.Touches(geom.Rect{0.5, -1, 0.5, 2}),
		"a neighbour does not":                !unit.Touches(geom.Rect{2, 0, 3, 1}),
		"a rectangle without area is empty":   geom.Rect{0, 0, 0, 5}.Empty(),
		"nothing is empty":                    geom.Nothing().Empty(),
		"everything clips nothing":            geom.Everything().Intersect(unit) == unit,
		"slack forgives":                      unit.Contains(geom.Rect{-0.1, 0, 1, 1}, 0.2),
		"without slack it does not":           !unit.Contains(geom.Rect{-0.1, 0, 1, 1}, 0),
		"a rotated unit square has its box":   geom.Matrix{0, 1, -1, 0, 0, 0}.Rect(unit) == geom.Rect{-1, 0, 0, 1},
		"NaN is not finite":                   !geom.Rect{math.NaN(), 0, 1, 1}.Finite(),
		"rounding never yields minus zero":    !math.Signbit(geom.Round(-0.001, 2)),
		"rounding never yields infinity":      geom.Round(math.Inf(1), 2) == 0 && geom.Round(math.MaxFloat64, 2) == 0,
		"an inch has 25.4 millimetres":        geom.Millimetres(72) == 25.4,
		"an empty rectangle has no area":      geom.Nothing().Area() == 0 && unit.Area() == 1,
		"a union holds both":                  unit.Union(geom.Rect{2, 2, 3, 3}) == geom.Rect{0, 0, 3, 3},
		"a rectangle does not contain others": !unit.Contains(geom.Rect{0, 0, 2, 2}, 0),
	}
	for name, ok := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !ok {
				t.Fail()
			}
		})
	}
}

func TestStretchIsThatOfTheThinnestAndTheThickestDirection(t *testing.T) {
	t.Parallel()
	c, s := math.Cos(0.7), math.Sin(0.7)
	turn := geom.Matrix{c, s, -s, c, 5, 6}
	m := geom.Matrix{3, 0, 0, 0.5, 0, 0}.Then(turn)
	least, greatest := m.Stretch()
	if math.Abs(least-0.5) > 1e-9 || math.Abs(greatest-3) > 1e-9 || math.Abs(m.Area()-1.5) > 1e-9 {
		t.Errorf("stretch %v %v, area %v", least, greatest, m.Area())
	}
	if least, greatest = (geom.Matrix{}).Stretch(); least != 0 || greatest != 0 {
		t.Errorf("the zero matrix stretches by %v %v", least, greatest)
	}
}

func TestInvertUndoes(t *testing.T) {
	t.Parallel()
	m := geom.Matrix{2, 1, -1, 3, 7, 8}
	back, ok := m.Invert()
	x, y := m.Then(back).Point(4, 5)
	if !ok || math.Abs(x-4) > 1e-12 || math.Abs(y-5) > 1e-12 {
		t.Errorf("%v %v %v", x, y, ok)
	}
	if _, ok := (geom.Matrix{1, 2, 2, 4, 0, 0}).Invert(); ok {
		t.Error("a matrix without area has an inverse")
	}
}
