// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"fmt"

	"github.com/printmarket/printmarket/internal/masterdata/fixed"
)

// slack is what a panel is shorter by that folds in, a cover wider by than its spine,
// and a product thicker by than its media, in micrometres.
const slack = 3000

// flatAgrees holds the sizes of a flat product against each other.
func (r *reader) flatAgrees(p *part) {
	if p.open != (rectangle{}) && p.page != (rectangle{}) && !p.unfoldsTo(p.open) {
		r.conflict(p, "Dimensions", fmt.Sprintf("%s is not %s, folded as it is said", p.open, p.page))
	}
	r.thicknessAgrees(p, times(p.pages/2, int64(p.medium.Thickness))/int64(fixed.One))
}

// unfoldsTo reports whether a page is that size before it is folded. Which way round
// the document says it matters to nothing but the fibres.
func (p *part) unfoldsTo(open rectangle) bool {
	if p.opensTo(p.page, open) {
		return true
	}
	return !p.grain.x && !p.grain.y &&
		(p.opensTo(p.page, open.turned()) || p.opensTo(p.page.turned(), open) || p.opensTo(p.page.turned(), open.turned()))
}

func (p *part) opensTo(page, open rectangle) bool {
	known, listed := panelsOf(p.fold)
	switch {
	case p.fold == "":
		return near(open, page)
	case listed:
		return between(open.x, known.columns*page.x, (known.columns-1)*slack) && between(open.y, known.rows*page.y, (known.rows-1)*slack)
	default:
		// Nobody knows more than that it is larger, and that there are no more panels.
		most := times(p.pages/2, times(page.x+slack, page.y+slack))
		return page.x <= open.x+tolerance && page.y <= open.y+tolerance && !near(open, page) && times(open.x, open.y) <= most
	}
}

// between allows for so much more or less, and for rounding.
func between(length, wanted, more int64) bool {
	return max(length-wanted, wanted-length) <= more+tolerance
}

// spreadsTo reports whether a part has that size when it is opened. The flat size of a
// cover is what is printed, so that it has to hold two pages and the spine; that of
// others is not calculated with, and may be the page.
func (p *part) spreadsTo(open rectangle, spine int64) bool {
	least := 2 * p.page.x
	if p.flat != (rectangle{}) {
		least += spine
	} else if near(open, p.page) {
		return true
	}
	return between(open.y, p.page.y, 0) && open.x >= least-tolerance && open.x <= 2*p.page.x+spine+slack
}

// wholeAgrees holds the size of the whole against that of its parts, which is what is
// calculated with.
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
		r.review(SizeConflict, layout, "FinishedDimensions", fmt.Sprintf("%s of the whole is not %s of its parts", size, j.closed))
	}
}

// thicknessAgrees compares the third size of a product with that of its media.
func (r *reader) thicknessAgrees(p *part, thickness int64) {
	if p.depth != 0 && (p.depth < 0 || max(p.depth-thickness, thickness-p.depth) > slack) {
		r.conflict(p, "FinishedDimensions", fmt.Sprintf("its media are %s mm thick, and not %s", millimetres(thickness), millimetres(p.depth)))
	}
}

func (r *reader) conflict(p *part, attribute, detail string) {
	r.review(SizeConflict, p.layout, attribute, detail)
}

// String is for texts.
func (r rectangle) String() string {
	return fmt.Sprintf("%s x %s mm", millimetres(r.x), millimetres(r.y))
}
