// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/money"
	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

// maxColors bounds the separations of a part.
const maxColors = 32

var surfaceNames = [2]string{front: "Front", back: "Back"}

// sides reads the colours and coatings of each side.
func (r *reader) sides(p *part, j *job, layout *xjdf.Node) {
	intent := intentOf("ColorIntent", p.node, j.node)
	var surfaces [2]*xjdf.Node
	if intent != nil {
		for surface := range intent.All("SurfaceColor") {
			side := slices.Index(surfaceNames[:], attr(surface, "Surface"))
			if side < 0 || surfaces[side] != nil {
				r.left(surface, "Surface", "the surface is invalid or described twice, and is not included in the figures")
				continue
			}
			surfaces[side] = surface
		}
	}
	inked := [2]bool{}
	for side, surface := range surfaces {
		inked[side] = surface != nil && attr(surface, "ColorsUsed") != ""
	}
	if !r.printed(p, layout, intent, inked) {
		return
	}
	for side, surface := range surfaces {
		r.coating(p, side, surface)
		if p.prints[side] {
			r.colors(p, j, side, surface)
		} else if attr(surface, "Coverage") != "" {
			r.review(SidesUnknown, surface, "Coverage", "an unprinted side has a coverage, which is not included in the figures")
		}
	}
}

// printed sets the sides of a part that are printed, and reports whether there are any.
func (r *reader) printed(p *part, layout, intent *xjdf.Node, inked [2]bool) bool {
	bySides := map[string][2]bool{
		"OneSided": {true, false}, "OneSidedBack": {false, true}, "TwoSidedHeadToFoot": {true, true}, "TwoSidedHeadToHead": {true, true}, "Unprinted": {},
	}
	sides := attr(layout, "Sides")
	prints, present := bySides[sides]
	if sides != "" && !present {
		r.review(SidesUnknown, layout, "Sides", fmt.Sprintf("%.60q does not state which sides are printed", sides))
	}
	switch {
	case !present && intent == nil:
		r.stop(SidesUnknown, p.node, "", described(p.node)+" has neither LayoutIntent/@Sides nor a ColorIntent")
		return false
	case !present:
		r.assume(AssumedSides, "the sides with colours are printed")
		prints = inked
	case intent == nil && sides != "Unprinted":
		r.stop(ColorsUnknown, p.node, "", described(p.node)+" has no ColorIntent")
		return false
	case inked[front] && !prints[front], inked[back] && !prints[back]:
		r.review(SidesUnknown, layout, "Sides", fmt.Sprintf("Sides is %s, but the ColorIntent has colours on the other side; both are calculated", sides))
		prints = [2]bool{prints[front] || inked[front], prints[back] || inked[back]}
	}
	if prints == ([2]bool{}) {
		r.stop(IntentNotCosted, layout, "Sides", described(p.node)+" is not printed, and so not calculated")
		return false
	}
	p.prints = prints
	return true
}

// colors reads the separations of a side.
func (r *reader) colors(p *part, j *job, side int, surface *xjdf.Node) {
	names := strings.Fields(attr(surface, "ColorsUsed"))
	if len(names) == 0 {
		n := surface
		if n == nil {
			n = p.node
		}
		r.stop(ColorsUnknown, n, "ColorsUsed", fmt.Sprintf("%s of %s is printed but has no colours", surfaceNames[side], described(p.node)))
		return
	}
	if len(names) > maxColors {
		r.stop(ColorsUnknown, surface, "ColorsUsed", fmt.Sprintf("the limit is %d colours", maxColors))
		return
	}
	coverage := r.coverage(j, surface, int64(len(names)))
	for _, name := range names {
		all := r.snapshot.Content().Inks
		ink := cheapest(all, func(i *authority.Ink) bool { return i.Separation == name },
			func(i *authority.Ink) int64 {
				return money.MulDiv(int64(i.Consumption), int64(i.Price.Amount), int64(money.One))
			})
		if ink == nil && (r.inked(j) || !slices.Contains([]string{"Cyan", "Magenta", "Yellow", "Black"}, name)) {
			detail := fmt.Sprintf("no ink has the separation %.60q", name)
			if colors := vocabulary.ProcessColors(name); colors != "" {
				detail += "; did you mean " + colors + "?"
			}
			r.review(ColorsUnknown, surface, "ColorsUsed", detail)
		}
		i := slices.IndexFunc(p.colors, func(c color) bool { return c.name == name })
		if i >= 0 && p.colors[i].on[side] {
			r.review(ColorsUnknown, surface, "ColorsUsed", fmt.Sprintf("%.60q occurs twice", name))
		}
		if i < 0 {
			p.colors = append(p.colors, color{name: name, ink: ink})
			i = len(p.colors) - 1
		}
		p.colors[i].on[side], p.colors[i].coverage[side] = true, coverage
	}
	r.measure(p, j, side, surface)
}

// measure replaces the coverage of a side by that of the page which is printed on it.
func (r *reader) measure(p *part, j *job, side int, surface *xjdf.Node) {
	if len(r.measured) == 0 || !r.inked(j) {
		return
	}
	page := side
	if !p.prints[front] {
		page = 0
	}
	printed := 0
	for _, on := range p.prints {
		if on {
			printed++
		}
	}
	if j.bind != "" || p.pages > 2 || len(r.measured) != printed {
		r.stop(CoverageUnknown, surface, "", fmt.Sprintf("%d pages were measured; a measured coverage is calculated for flat products with one page for each printed side", len(r.measured)))
		return
	}
	for i := range p.colors {
		c := &p.colors[i]
		if !c.on[side] {
			continue
		}
		share, found := r.measured[page][c.name]
		if !found || share < 0 || share > 100*money.One {
			r.stop(CoverageUnknown, surface, "ColorsUsed", fmt.Sprintf("the coverage of %.60q was not measured on page %d", c.name, page+1))
			return
		}
		c.coverage[side] = share
	}
	for _, name := range slices.Sorted(maps.Keys(r.measured[page])) {
		described := slices.ContainsFunc(p.colors, func(c color) bool { return c.name == name && c.on[side] })
		if !described && r.measured[page][name] > 0 {
			r.review(ColorsUnknown, surface, "ColorsUsed", fmt.Sprintf("page %d has the ink %.60q, which the document does not request", page+1, name))
		}
	}
	r.assume(AssumedMeasured, "each colour covers the share that was measured on the pages of the file")
}

// gramsOn returns the ink on one side of a printed area in square micrometres, in
// 1e-11 g.
func (c *color) gramsOn(side int, area int64) int64 {
	if !c.on[side] || c.ink == nil {
		return 0
	}
	return grams(money.MulDiv(area, int64(c.coverage[side]), 100*int64(money.One)), c.ink.Consumption)
}

// coverage returns the share of the area that each separation covers, in percent. The
// document gives one value for all separations of a side together.
func (r *reader) coverage(j *job, surface *xjdf.Node, colors int64) money.Decimal {
	if !r.inked(j) || len(r.measured) > 0 {
		return 0
	}
	if total, present := r.float(surface, "Coverage"); present && total > 0 && total <= money.Decimal(colors)*100*money.One {
		r.assume(AssumedSharedCoverage, "the coverage of a side is the same for each of its colours")
		return money.Decimal(money.MulDiv(int64(total), 1, colors))
	} else if present {
		r.review(ValueUnreadable, surface, "Coverage", "Coverage must be greater than 0 and at most 100 for each colour; the calculation uses the coverage of the policy")
	}
	if r.policy.InkCoverage == 0 {
		r.review(CoverageUnknown, surface, "Coverage", "neither the document nor the policy states the coverage; ink is not included in the figures")
		return 0
	}
	r.assume(AssumedCoverage, fmt.Sprintf("each colour covers %s %% of the printed area, from the policy", r.policy.InkCoverage))
	return r.policy.InkCoverage
}

// inked reports whether the job may be printed on a conventional press, which uses ink;
// digital presses use toner.
func (r *reader) inked(j *job) bool {
	return j.presses.conventional && slices.ContainsFunc(r.snapshot.Content().Devices, func(d authority.Device) bool {
		return d.Process == authority.ConventionalPrinting
	})
}

// cheapest returns the first item with the lowest price among those that fit, or nil if
// there is no such item.
func cheapest[T any](all []T, fits func(*T) bool, price func(*T) int64) *T {
	var best *T
	for i := range all {
		if one := &all[i]; fits(one) && (best == nil || price(one) < price(best)) {
			best = one
		}
	}
	return best
}

// coating reads the varnish of a side.
func (r *reader) coating(p *part, side int, surface *xjdf.Node) {
	for i, name := range slices.DeleteFunc(strings.Fields(attr(surface, "Coatings")), func(name string) bool { return name == "None" }) {
		varnish := cheapest(r.snapshot.Content().Varnishes, func(v *authority.Varnish) bool { return v.Coating == name },
			func(v *authority.Varnish) int64 {
				return money.MulDiv(int64(v.Consumption), int64(v.Price.Amount), int64(money.One))
			})
		if varnish == nil || i > 0 {
			r.review(IntentNotCosted, surface, "Coatings", fmt.Sprintf("the coating %.40q is not included in the figures: the owner does not offer it, or it is the second on a side", name))
			continue
		}
		p.coat[side] = varnish
	}
}

// films reads the lamination of each side.
func (r *reader) films(p *part, j *job) {
	intent := intentOf("LaminatingIntent", p.node)
	if intent == nil && p.role == roleCover {
		intent = intentOf("LaminatingIntent", j.node)
	}
	if intent == nil {
		return
	}
	texture := attr(intent, "Texture")
	thickness, present := r.float(intent, "Thickness")
	film := cheapest(r.snapshot.Content().Laminations,
		func(l *authority.Lamination) bool {
			return l.Texture == texture && (!present || l.Thickness == thickness)
		},
		func(l *authority.Lamination) int64 { return int64(l.Price.Amount) })
	if film == nil {
		r.review(IntentNotCosted, intent, "Texture", fmt.Sprintf("no film has the texture %.40q and the requested thickness", texture))
		return
	}
	asked := strings.Fields(attr(intent, "Surface"))
	if len(asked) == 0 {
		r.left(intent, "Surface", "no side is marked for lamination")
	}
	for i, name := range asked {
		side := slices.Index(surfaceNames[:], name)
		if side < 0 || slices.Contains(asked[:i], name) {
			r.left(intent, "Surface", fmt.Sprintf("%.60q is not a side, or occurs twice", name))
			continue
		}
		p.film[side] = film
	}
}
