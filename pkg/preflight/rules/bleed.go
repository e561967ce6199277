// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"cmp"
	"math"
	"slices"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
)

// minShort is the shortest part of an edge, in millimetres, whose white is visible
// after cutting.
const minShort = 2.0

// edgeTokens are the edges of a page, clockwise.
var edgeTokens = [4]string{"top", "right", "bottom", "left"} // constant

// edgeSet is a set of edges by their index in [edgeTokens].
type edgeSet [4]bool

func (s *edgeSet) add(edge int) { s[edge] = true }

func (s *edgeSet) tokens() []string {
	var out []string
	for i, token := range edgeTokens {
		if s[i] {
			out = append(out, token)
		}
	}
	return out
}

// edge is one edge of the finished page.
type edge struct {
	// seen is the edge as a viewer shows it, an index in [edgeTokens].
	seen int
	// bleed is the width of the bleed area at this edge, in millimetres.
	bleed float64
	// turn converts a box to distances from the edge, along and outwards.
	turn func(geom.Rect) span
	// length in millimetres.
	length float64
}

// span is a box relative to an edge, in millimetres: from and to are distances along
// the edge, inner and outer are distances outwards.
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
	// A page that is rotated clockwise shows its upper edge at the right.
	turns := page.Rotate / 90
	seen := func(edge int) int { return (edge + turns) % 4 }
	return [4]edge{
		{seen(0), bleed.Top, func(r geom.Rect) span { return across(r, r[1]-f[3], r[3]-f[3]) }, mm(f.Width())},
		{seen(1), bleed.Right, func(r geom.Rect) span { return upward(r, r[0]-f[2], r[2]-f[2]) }, mm(f.Height())},
		{seen(2), bleed.Bottom, func(r geom.Rect) span { return across(r, f[1]-r[3], f[1]-r[1]) }, mm(f.Width())},
		{seen(3), bleed.Left, func(r geom.Rect) span { return upward(r, f[0]-r[2], f[0]-r[0]) }, mm(f.Height())},
	}
}

// artShort checks each edge: where artwork reaches the edge from inside, some artwork
// must extend over the bleed. An edge without artwork is white and needs no bleed.
// The rules about boxes report edges whose boxes have no room for the bleed.
func artShort(in *input, page *facts.Page) (observation, bool) {
	rendered := page.Ink != nil && page.Ink.Complete
	if page.FrameFull && !rendered {
		return observation{}, false
	}
	boxesReport := in.selects("box.bleed_short") || in.selects("box.bleed_missing")
	var short edgeSet
	least := math.MaxFloat64
	for i, e := range edgesOf(page) {
		if boxesReport && in.breaksLimit(e.bleed) {
			continue
		}
		var reach float64
		var bare bool
		if rendered {
			reach, bare = shortestInk(&page.Ink.Edges[i], *in.setting.Limit, in.setting.Tolerance)
		} else {
			reach, bare = e.shortest(page.Frame, *in.setting.Limit, in.setting.Tolerance)
		}
		if bare {
			short.add(e.seen)
			least = min(least, reach)
		}
	}
	if short == (edgeSet{}) {
		return observation{}, false
	}
	finished := page.Finished()
	return observation{
		box: &finished, value: measured(max(least, 0), 2),
		message: message{values: values{"edges": short.tokens()}},
	}, true
}

// shortestInk returns the least reach of ink beyond an edge, and whether that is too
// little along a visible part of the edge. The reach is known to a third of a pixel.
func shortestInk(e *facts.EdgeInk, limit, tolerance float64) (float64, bool) {
	least, run := math.MaxFloat64, 0.0
	short := false
	current := math.MaxFloat64
	enough := limit - max(tolerance, e.Step/3)
	for _, reach := range e.Reach {
		v := float64(reach)
		if v < -max(tolerance, e.Step/3) || v >= enough {
			run, current = 0, math.MaxFloat64
			continue
		}
		run += e.Step
		current = min(current, v)
		if run >= minShort {
			short, least = true, min(least, current)
		}
	}
	return least, short
}

// shortest returns the least extent of artwork beyond the edge, and whether that is
// too little along a visible part of the edge.
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

// bare returns the length of the longest part of a span that no other span covers.
// The others are sorted by their starts.
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
