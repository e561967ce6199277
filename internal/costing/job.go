// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/masterdata/fixed"
	"github.com/printmarket/printmarket/pkg/xjdf"
)

// job is a product as it is calculated.
type job struct {
	node *xjdf.Node
	id   string
	kind string
	// amount is what is asked for, low and high the bounds of the breaks; 0: none.
	amount, low, high int64
	// bind is the process that binds the parts; empty: there is one flat part.
	bind authority.Process
	// pages are those of a bound product, cover included.
	pages int64
	// closed is the size of the product.
	closed rectangle
	parts  []*part
	// afterwards are processes of the finished product.
	afterwards []authority.Process
	presses    pressKind
}

// count is how many of its parts are of a kind.
func (j *job) count(kind func(*part) bool) (n int) {
	for _, p := range j.parts {
		if kind(p) {
			n++
		}
	}
	return n
}

// pressKind is what a product may be printed on.
type pressKind struct{ conventional, digital bool }

func (k pressKind) allows(p authority.Process) bool {
	return p == authority.ConventionalPrinting && k.conventional || p == authority.DigitalPrinting && k.digital
}

// role is what a part is in its product.
type role string

const (
	roleFlat  role = "flat"
	roleCover role = "cover"
	roleBody  role = "body"
)

// The sides of a sheet.
const (
	front = 0
	back  = 1
)

// part is what is printed on one medium.
type part struct {
	node   *xjdf.Node
	id     string
	role   role
	medium authority.Media
	// described are where the document describes the medium.
	described []*xjdf.Node
	// page is the finished page: across the spine, and along it.
	page  rectangle
	pages int64
	// flat is the size of flat parts and covers, trimmed and unfolded.
	flat  rectangle
	bleed int64
	// layout is where the sizes are said; open and depth are what it says of the flat
	// size, and of the third one. Zero: nothing.
	layout *xjdf.Node
	open   rectangle
	depth  int64
	// trim is what is cut off three sides of a leaf of a bound body: its bleed, and no
	// less than that of the policy.
	trim int64
	fold string
	// spineTop: the spine is at the head or the foot, so that x and y of the document
	// are along and across it.
	spineTop bool
	// wide are the micrometres that soft cover binding takes off the spine of each leaf.
	wide   int64
	grain  grain
	colors []color
	prints [2]bool
	coat   [2]*authority.Varnish
	film   [2]*authority.Lamination
	// crease is set for what would crack when folded.
	crease bool
	sorts  []*sort
}

// grain is what is asked of the fibres: along x or y of a sheet of the part.
type grain struct{ x, y, same bool }

// color is a separation of a part, and how much of each side it covers, in percent.
type color struct {
	name     string
	ink      *authority.Ink // nil: there is none
	on       [2]bool
	coverage [2]fixed.Decimal
}

// sort is one kind of sheets of a part: all signatures of as many pages are one.
type sort struct {
	part  *part
	pages int64
	size  rectangle
	// area is what is printed of it, in square micrometres.
	area int64
	fold string
	inks []sortInk
	// colors is how many separations each side has.
	colors [2]int64
	mono   [2]bool
}

// sortInk is the ink of a separation on each side of one piece, in 1e-11 g.
type sortInk struct {
	color *color
	on    [2]bool
	grams [2]int64
}
