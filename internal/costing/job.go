// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/money"
	"github.com/printmarket/printmarket/pkg/xjdf"
)

// job is a product prepared for the calculation.
type job struct {
	node *xjdf.Node
	id   string
	kind string
	// amount is the requested quantity, low and high are the bounds of the breaks.
	amount, low, high int64
	// bind is the process that binds the parts, or empty for a single flat part.
	bind authority.Process
	// loose is the BindingType of LooseBinding, or empty; wire is its element.
	loose string
	wire  *authority.Service
	// pages is the number of pages of a bound product, cover included.
	pages int64
	// closed is the size of the product.
	closed rectangle
	parts  []*part
	// afterwards lists the processes of the finished product.
	afterwards []authority.Process
	// shape is the ShapeType of ShapeCutting, or empty.
	shape   string
	presses pressKind
	// services are those of every product and those that the document requests.
	services []service
	// deliveries is the number of deliveries of the product; collected is set if the buyer collects
	// it.
	deliveries int
	collected  bool
	// block is the thickness of the block of a hard cover in micrometres, sheet the size of the
	// cover sheet, jacket that of the jacket, and boards the boards of a case. endSheet, the
	// unprinted end sheets, and headBand are nil if there are none.
	block              int64
	sheet, jacket      rectangle
	boards             service
	endSheet, headBand *authority.Service
	// ribbons are the register ribbons of a product, and glued is set if its jacket is glued.
	ribbons []ribbon
	glued   bool
	// thread sews the block, or is nil.
	thread *authority.Service
}

// pressKind holds the kinds of presses that may print a product.
type pressKind struct{ conventional, digital bool }

// role is the position of a part in its product.
type role string

const (
	roleFlat   role = "flat"
	roleCover  role = "cover"
	roleBody   role = "body"
	roleJacket role = "jacket"
	// roleEndSheet is a printed sheet of four pages that connects block and case.
	roleEndSheet role = "endSheet"
)

// The sides of a sheet.
const (
	front = 0
	back  = 1
)

// part is a component of the product that is printed on one medium.
type part struct {
	node   *xjdf.Node
	id     string
	role   role
	medium authority.Media
	// twice is set for an end sheet that is both the front and the back one.
	twice bool
	// described lists the elements that describe the medium.
	described []*xjdf.Node
	// page is the size of the finished page: x across the spine, y along it.
	page  rectangle
	pages int64
	// flat is the size of flat parts and covers, trimmed and unfolded.
	flat  rectangle
	bleed int64
	// layout is the element with the sizes; open and depth are its flat size and its
	// third dimension, or zero if it has none.
	layout *xjdf.Node
	open   rectangle
	depth  int64
	// trim is the width that is cut off three sides of a leaf of a bound body: the bleed
	// of the part, and at least the bleed of the policy.
	trim int64
	fold string
	// spineTop: the spine is at the head or the foot, so that x of the document is along
	// the spine and y across it.
	spineTop bool
	// wide is the width in micrometres that soft cover binding mills off each leaf.
	wide int64
	// loose is set for the single leaves of LooseBinding.
	loose  bool
	grain  grain
	colors []color
	prints [2]bool
	coat   [2]*authority.Varnish
	film   [2]*authority.Lamination
	// creases is the number of runs for the creases that the document requests, or for those
	// without which the fold would crack.
	creases int
	// operations are the runs of flat pieces between cutting and creasing, in their order. The
	// only operation of folded sheets is ThreadSewing, which follows folding.
	operations []operation
	// die cuts the blanks of a box, or is nil.
	die *die
	// variable is set if each product has data of its own.
	variable bool
	sorts    []*sort
}

// countsPages reports whether the pages of a part count as pages of the product.
func (p *part) countsPages() bool { return p.role != roleJacket && p.role != roleEndSheet }

// thickness returns the thickness in micrometres that the leaves of a part have in a product.
func (p *part) thickness() int64 {
	leaves := p.pages / 2
	if p.twice {
		leaves *= 2
	}
	return times(leaves, int64(p.medium.Thickness)) / int64(money.One)
}

// grain is the requested grain direction: along x or y of a sheet of the part, or the
// same for all pieces.
type grain struct{ x, y, same bool }

// color is a separation of a part, and the share of each side that it covers, in percent.
type color struct {
	name     string
	ink      *authority.Ink // nil if the master data have no such ink
	on       [2]bool
	coverage [2]money.Decimal
}

// sort is one kind of sheets of a part. All signatures with the same number of pages are
// one sort.
type sort struct {
	part  *part
	pages int64
	size  rectangle
	// area is the printed area in square micrometres.
	area int64
	fold string
	inks []sortInk
	// colors is the number of separations of each side, and mono reports whether a side
	// has no colour other than black.
	colors [2]int64
	mono   [2]bool
}

// sortInk is the ink of a separation on each side of one piece, in 1e-11 g.
type sortInk struct {
	color *color
	on    [2]bool
	grams [2]int64
}
