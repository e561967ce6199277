// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"fmt"
	"slices"
	"strings"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/money"
	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/validate"
)

// Bounds of a finished product in micrometres, and the largest weight in g/m2 that folds
// without a crease.
const (
	smallestSide = 10_000
	largestSide  = 10_000_000
	largestBleed = 50_000
	creaseAbove  = 170 * money.One
)

// alike leaves out coatings and films on one side only of the leaves of a body, because
// the sheets of a body mix fronts and backs of leaves.
func (r *reader) alike(p *part) {
	if p.role != roleBody {
		return
	}
	if p.coat[front] != p.coat[back] {
		r.review(IntentNotCosted, p.node, "", "a coating on one side of the leaves of a body is not included in the figures")
		p.coat = [2]*authority.Varnish{}
	}
	if p.film[front] != p.film[back] {
		r.review(IntentNotCosted, p.node, "", "a film on one side of the leaves of a body is not included in the figures")
		p.film = [2]*authority.Lamination{}
	}
}

// sizes reads the finished size, and the flat size of a folded part.
func (r *reader) sizes(p *part, j *job, layout *xjdf.Node) {
	if layout == nil {
		r.stop(SizeMissing, p.node, "", described(p.node)+" has no LayoutIntent")
		return
	}
	page, finished := r.size(layout, "FinishedDimensions")
	flat, unfolded := r.size(layout, "Dimensions")
	if all, ok := numbers(attr(layout, "FinishedDimensions")); ok && len(all) >= 3 {
		p.depth = fromPoints(all[2])
	}
	if side := attr(intentOf("BindingIntent", j.node), "BindingSide"); j.bind != "" && (side == "Top" || side == "Bottom") {
		p.spineTop, page, flat = true, page.turned(), flat.turned()
	}
	p.layout, p.open = layout, flat
	for _, attribute := range [...]string{"FinishedDimensions", "Dimensions"} {
		if all, ok := numbers(attr(layout, attribute)); ok && len(all) >= 2 {
			r.inPoints(layout, attribute, validate.SizeUnit(float(all[0]), float(all[1])))
		}
	}
	if !finished && !unfolded {
		r.stop(SizeMissing, layout, "FinishedDimensions", described(p.node)+" has no size")
		return
	}
	if finished {
		p.page = page
	}
	if p.role == roleFlat {
		r.flatSize(p, layout, page, flat)
	} else if !finished {
		r.stop(SizeMissing, layout, "FinishedDimensions", "a bound product requires a finished size")
	}
	if own := intentOf("LayoutIntent", p.node); p.role == roleCover && unfolded && own == layout {
		p.flat = flat
	}
	for _, one := range [...]rectangle{p.page, p.flat} {
		if one != (rectangle{}) && (min(one.x, one.y) < smallestSide || max(one.x, one.y) > largestSide) {
			r.stop(SizeMissing, layout, "FinishedDimensions", "a side must be from 10 mm to 10 m")
		}
	}
}

// inPoints reports a length that seems to be written in another unit: its figures would be those of
// another product.
func (r *reader) inPoints(n *xjdf.Node, attribute string, unit validate.Unit) {
	if unit != validate.Points {
		r.review(LengthNotInPoints, n, attribute, fmt.Sprintf("%.40s looks like %s; the calculation reads points", attr(n, attribute), unit))
	}
}

// flatSize takes the flat size from the document, or derives it from the fold.
func (r *reader) flatSize(p *part, layout *xjdf.Node, page, flat rectangle) {
	folding := intentOf("FoldingIntent", p.node)
	p.fold = attr(folding, "FoldCatalog")
	known, listed := panelsOf(p.fold)
	if p.fold == noFold {
		p.fold = ""
	}
	switch {
	case folding != nil && attr(folding, "FoldCatalog") == "" && folding.Child("Fold") != nil:
		r.stop(FoldUnknown, folding, "FoldCatalog", "a fold requires a FoldCatalog")
	case flat != (rectangle{}):
		p.flat = flat
	case p.fold == "":
		p.flat = page
	case listed:
		p.flat = rectangle{known.columns * page.x, known.rows * page.y}
		r.assume(AssumedFlatSize, fmt.Sprintf("unfolded by %s it is %s x %s mm", p.fold, millimetres(p.flat.x), millimetres(p.flat.y)))
	default:
		r.stop(FoldUnknown, layout, "Dimensions", fmt.Sprintf("the flat size of the fold %.20q is unknown", p.fold))
	}
}

// pages reads the number of pages of a bound part.
func (r *reader) pages(p *part, j *job, layout *xjdf.Node) {
	pages, present := int64(0), false
	if layout != nil {
		pages, present = r.count(layout, "Pages")
	}
	if p.role != roleBody {
		p.pages = p.sheetPages()
		if present && pages > p.pages && !r.stopped && intentOf("LayoutIntent", p.node) == layout {
			r.stop(PagesMissing, layout, "Pages", fmt.Sprintf("one sheet with this fold has %d pages", p.pages))
		}
		return
	}
	if !present || pages < 2 || pages > maxPages {
		r.stop(PagesMissing, layout, "Pages", fmt.Sprintf("a bound part must have 2 to %d pages", maxPages))
		return
	}
	inherits := func(p *part) bool { return p.role == roleBody && intentOf("LayoutIntent", p.node) == nil }
	if inherits(p) && slices.ContainsFunc(j.parts, func(other *part) bool { return other != p && inherits(other) }) {
		r.stop(PagesMissing, p.node, "", described(p.node)+" has the pages of the whole, as another part has")
		return
	}
	unit := int64(4)
	if j.bind != authority.Stitching && j.thread == nil {
		unit = 2
	}
	p.pages = money.CeilDiv(pages, unit) * unit
	if p.pages != pages {
		r.review(PagesUnbindable, layout, "Pages", fmt.Sprintf("%d pages are calculated as %d", pages, p.pages))
	}
}

// blank reports a sheet with more pages than the document gives. A leaf printed on one
// side may count as one page.
func (r *reader) blank(p *part, layout *xjdf.Node) {
	if p.role == roleBody || layout == nil || intentOf("LayoutIntent", p.node) != layout {
		return
	}
	pages, present := r.count(layout, "Pages")
	leaf := p.pages == 2 && pages == 1 && p.prints[front] != p.prints[back]
	if present && pages < p.pages && !leaf {
		r.review(PagesUnbindable, layout, "Pages", fmt.Sprintf("%d pages are calculated as the %d of a sheet", pages, p.pages))
	}
}

// sheetPages returns the number of pages of a part of one sheet.
func (p *part) sheetPages() int64 {
	if p.role == roleCover {
		return 4
	}
	if known, listed := panelsOf(p.fold); listed {
		return 2 * known.columns * known.rows
	}
	if p.fold != "" {
		// A fold such as F12-5 has twelve pages.
		pages, _ := whole(strings.TrimPrefix(strings.Split(p.fold, "-")[0], "F"))
		return max(pages, 2)
	}
	return 2
}

// bleed reads the bleed of a part, or takes the bleed of the policy.
func (r *reader) bleed(p *part, layout *xjdf.Node) {
	if layout != nil {
		bleed, present := r.float(layout, "Bleed")
		if present && bleed >= 0 && fromPoints(bleed) <= largestBleed {
			p.bleed = fromPoints(bleed)
			r.inPoints(layout, "Bleed", validate.BleedUnit(float(bleed)))
			return
		}
		if present {
			r.review(ValueUnreadable, layout, "Bleed", "the bleed must be from 0 to 50 mm; the calculation uses the bleed of the policy")
		}
	}
	p.bleed = fromMillimetres(r.policy.Bleed)
	r.assume(AssumedBleed, fmt.Sprintf("the bleed is %s mm, from the policy", r.policy.Bleed))
}

// grain reads the requested grain direction.
func (r *reader) grain(p *part, j *job) {
	if direction := attr(intentOf("MediaIntent", p.node, j.node), "GrainDirection"); direction != "" {
		known := []string{"XDirection", "YDirection", "SameDirection", "Any"}
		r.unlessOneOf(intentOf("MediaIntent", p.node, j.node), "GrainDirection", "the grain direction is invalid", known...)
		p.grain = grain{x: direction == "XDirection", y: direction == "YDirection", same: direction == "SameDirection"}
		if p.spineTop {
			p.grain.x, p.grain.y = p.grain.y, p.grain.x
		}
		return
	}
	if r.policy.GrainAlongSpine && j.bind != "" {
		p.grain.y = true
		r.assume(AssumedGrain, "the grain runs along the spine, from the policy")
	}
}

// flatSort returns the sort of a part of one sheet.
func (p *part) flatSort() *sort {
	s := &sort{part: p, pages: p.pages, fold: p.fold, size: rectangle{p.flat.x + 2*p.bleed, p.flat.y + 2*p.bleed}}
	s.area = times(s.size.x, s.size.y)
	for i := range p.colors {
		c := &p.colors[i]
		ink := sortInk{color: c, on: c.on}
		for side := range ink.grams {
			ink.grams[side] = c.gramsOn(side, s.area)
		}
		s.inks = append(s.inks, ink)
	}
	s.countColors()
	return s
}

// leaf returns the size of a leaf of a bound body before trimming.
func (p *part) leaf() rectangle {
	return rectangle{p.page.x + p.trim + p.wide, p.page.y + 2*p.trim}
}

// signature returns the sort of a sheet of a bound body. Each side of the sheet has fronts
// and backs of leaves, so it needs the colours of both.
func (p *part) signature(pages, columns, rows int64) *sort {
	leaf := p.leaf()
	s := &sort{part: p, pages: pages, size: rectangle{columns * leaf.x, rows * leaf.y}}
	page := times(p.page.x+p.bleed, p.page.y+2*p.bleed)
	if p.loose {
		page = times(p.page.x+2*p.bleed, p.page.y+2*p.bleed)
	}
	s.area = times(pages/2, page)
	if pages > 2 {
		s.fold = fmt.Sprintf("F%d-X", pages)
	}
	for i := range p.colors {
		c := &p.colors[i]
		ink := sortInk{color: c, on: c.on, grams: [2]int64{c.gramsOn(front, page), c.gramsOn(back, page)}}
		if pages > 2 {
			both := times(plus(ink.grams[front], ink.grams[back]), pages/4)
			ink.on, ink.grams = [2]bool{true, true}, [2]int64{both, both}
		}
		s.inks = append(s.inks, ink)
	}
	s.countColors()
	return s
}

// countColors counts the separations of each side, and marks sides with black only.
func (s *sort) countColors() {
	for side := range s.colors {
		s.mono[side] = true
		for i := range s.inks {
			if s.inks[i].on[side] {
				s.colors[side]++
				s.mono[side] = s.mono[side] && s.inks[i].color.name == "Black"
			}
		}
	}
}
