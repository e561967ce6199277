// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"fmt"
)

// slack is the size tolerance in micrometres: a panel that folds in may be this much
// shorter, a cover this much wider than its spine, and a product this much thicker or
// thinner than its media.
const slack = 3000

// unfoldsTo reports whether the page has the given flat size before it is folded. The
// orientation of the sizes matters only if the grain direction is fixed.
func (p *part) unfoldsTo(open rectangle) bool {
	if p.opensTo(p.page, open) {
		return true
	}
	return !p.grain.x && !p.grain.y &&
		(p.opensTo(p.page, open.turned()) || p.opensTo(p.page.turned(), open) || p.opensTo(p.page.turned(), open.turned()))
}

// opensTo reports whether a page of the given size unfolds to the flat size open, both
// in the given orientation.
func (p *part) opensTo(page, open rectangle) bool {
	known, listed := panelsOf(p.fold)
	switch {
	case p.fold == "":
		return near(open, page)
	case listed:
		return between(open.x, known.columns*page.x, (known.columns-1)*slack) && between(open.y, known.rows*page.y, (known.rows-1)*slack)
	default:
		// For folds outside of the table, check only that the flat size is larger than
		// the page and holds at most as many panels as the part has leaves.
		most := times(p.pages/2, times(page.x+slack, page.y+slack))
		return page.x <= open.x+tolerance && page.y <= open.y+tolerance && !near(open, page) && times(open.x, open.y) <= most
	}
}

// between reports whether length differs from wanted by at most more plus the rounding
// tolerance.
func between(length, wanted, more int64) bool {
	return max(length-wanted, wanted-length) <= more+tolerance
}

// spreadsTo reports whether a bound part has the given size when it is opened. The flat
// size of a cover is printed, so it must hold two pages and the spine. The calculation
// does not use the flat size of other parts, which may also be the page size.
func (p *part) spreadsTo(open rectangle, spine int64) bool {
	least := 2 * p.page.x
	if p.flat != (rectangle{}) {
		least += spine
	} else if near(open, p.page) {
		return true
	}
	return between(open.y, p.page.y, 0) && open.x >= least-tolerance && open.x <= 2*p.page.x+spine+slack
}

// wholeAgrees compares the size of the whole product with the size of its parts, which
// the calculation uses.
func (r *reader) wholeAgrees(j *job) {
	layout := intentOf("LayoutIntent", j.node)
	if layout == nil || attr(layout, "FinishedDimensions") == "" {
		return
	}
	for _, p := range j.parts {
		if p.layout == layout {
			return
		}
	}
	size, _ := r.size(layout, "FinishedDimensions")
	if j.parts[0].spineTop {
		size = size.turned()
	}
	if !near(size, j.closed) {
		r.review(SizeConflict, layout, "FinishedDimensions", fmt.Sprintf("the whole has %s, but its parts have %s", size, j.closed))
	}
}

// thicknessAgrees compares the third dimension of a product with the thickness of its
// media, in micrometres.
func (r *reader) thicknessAgrees(p *part, thickness int64) {
	if p.depth != 0 && (p.depth < 0 || max(p.depth-thickness, thickness-p.depth) > slack) {
		r.conflict(p, "FinishedDimensions", fmt.Sprintf("its media are %s mm thick instead of %s", millimetres(thickness), millimetres(p.depth)))
	}
}

func (r *reader) conflict(p *part, attribute, detail string) {
	r.review(SizeConflict, p.layout, attribute, detail)
}

// String formats the size in millimetres for messages.
func (r rectangle) String() string {
	return fmt.Sprintf("%s x %s mm", millimetres(r.x), millimetres(r.y))
}
