// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
)

// minShort is how long a part of an edge must be, in millimetres, to be seen
// when it flashes white after cutting.
const minShort = 2.0

// edge is one edge of the finished page, turned so that outwards is up: the box
// of an edge runs along it from 0 to 1 and outwards from 0.
type edge struct {
	name string
	// bleed is what the bleed area leaves beyond it, in millimetres.
	bleed float64
	// turn takes a box to distances from the edge in millimetres: along it, and
	// outwards.
	turn func(geom.Rect) span
	// length in millimetres.
	length float64
}

// span is a box as seen from an edge: from where to where along it, and from
// where to where outwards, in millimetres.
type span struct{ from, to, inner, outer float64 }

func edgesOf(page *facts.Page) [4]edge {
	f, bleed := page.Finished(), page.BleedEdges()
	mm := func(units float64) float64 { return geom.Millimetres(units * page.UserUnit) }
	across := func(r geom.Rect, inner, outer float64) span {
		return span{mm(r[0] - f[0]), mm(r[2] - f[0]), mm(inner), mm(outer)}
	}
	upward := func(r geom.Rect, inner, outer float64) span {
		return span{mm(r[1] - f[1]), mm(r[3] - f[1]), mm(inner), mm(outer)}
	}
	return [4]edge{
		{"top", bleed.Top, func(r geom.Rect) span { return across(r, r[1]-f[3], r[3]-f[3]) }, mm(f.Width())},
		{"right", bleed.Right, func(r geom.Rect) span { return upward(r, r[0]-f[2], r[2]-f[2]) }, mm(f.Height())},
		{"bottom", bleed.Bottom, func(r geom.Rect) span { return across(r, f[1]-r[3], f[1]-r[1]) }, mm(f.Width())},
		{"left", bleed.Left, func(r geom.Rect) span { return upward(r, f[0]-r[2], f[0]-r[0]) }, mm(f.Height())},
	}
}

// artShort looks along each edge: where artwork reaches it from inside, some
// artwork must go on as far as the bleed does. An edge that nothing reaches is
// white and needs no bleed. Edges whose boxes leave no room for the bleed are
// left to the rules about boxes.
func artShort(q *question, page *facts.Page) (observation, bool) {
	if page.FrameFull {
		return observation{}, false
	}
	boxesSaySo := q.selects("box.bleed_short") || q.selects("box.bleed_missing")
	var names []string
	least := math.MaxFloat64
	for _, e := range edgesOf(page) {
		if boxesSaySo && q.wrong(e.bleed) {
			continue
		}
		if reach, short := e.shortest(page.Frame, *q.setting.Limit, q.setting.Tolerance); short {
			names = append(names, e.name)
			least = min(least, reach)
		}
	}
	if len(names) == 0 {
		return observation{}, false
	}
	finished := page.Finished()
	return observation{
		box: &finished, value: measured(least, 2),
		message: fmt.Sprintf("Artwork reaches the edge of the page but goes only %s mm beyond it at: %s; a white line may show after cutting.",
			number(max(least, 0), 1), listed(names)),
	}, true
}

// shortest tells how far artwork goes beyond the edge where it goes least, and
// whether that is too little along a part that is long enough to be seen.
func (e *edge) shortest(frame []geom.Rect, limit, tolerance float64) (float64, bool) {
	enough := boundsOf(atLeast, limit, tolerance)
	var touching, reaching []span
	for _, box := range frame {
		s := e.turn(box)
		s.from, s.to = max(s.from, 0), min(s.to, e.length)
		if s.to <= s.from || s.outer < -tolerance {
			continue
		}
		if s.inner < -tolerance {
			touching = append(touching, s)
		}
		if s.inner <= tolerance && !enough.broken(s.outer) {
			reaching = append(reaching, s)
		}
	}
	slices.SortFunc(reaching, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	least, short := math.MaxFloat64, false
	for _, s := range touching {
		if enough.broken(s.outer) && s.bare(reaching) >= minShort {
			least, short = min(least, s.outer), true
		}
	}
	return least, short
}

// bare is the longest part of a span that no other covers. The others are in the
// order of where they begin.
func (s span) bare(others []span) float64 {
	longest, at := 0.0, s.from
	for _, o := range others {
		if o.from >= s.to {
			break
		}
		longest = max(longest, o.from-at)
		at = max(at, o.to)
	}
	return max(longest, s.to-at)
}
