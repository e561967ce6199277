// SPDX-License-Identifier: Apache-2.0

package facts

import (
	"math"

	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// Page is one page with its boxes, inheritance and defaults resolved, and, after
// reading, with the sums of its marks.
type Page struct {
	Number int
	// Rotate is 0, 90, 180 or 270.
	Rotate int
	// RawRotate is the entry of the file, which may be invalid.
	RawRotate int
	// UserUnit is the size of a unit in 1/72 inch.
	UserUnit float64
	Object   string
	// Media is always set; the others only where the file declares them.
	Media                  geom.Rect
	Crop, Bleed, Trim, Art *geom.Rect
	// Assumed reports that the order gives the TrimBox, not the file.
	Assumed bool
	// Back reports that the page is the back of a sheet of the order.
	Back bool
	// Intended reports whether the page has an output intent for print of its own (ISO 32000-2, 14.11.5).
	Intended bool
	// Group is the transparency group of the page, nil when it declares none.
	Group *Group
	// Painted counts the visible marks that leave ink or light on the paper, and
	// Extent is the box around them.
	Painted int
	Extent  geom.Rect
	// Printed reports that such a mark touches the finished page: printer's marks do not.
	Printed bool
	// Frame lists the boxes of visible marks that are not white and come within [FrameDepth] of
	// the finished edge or cross it. FrameFull is true when boxes were omitted.
	Frame     []geom.Rect
	FrameFull bool
	// MaxInk is the highest total of inks of a known colour, in percent.
	MaxInk float64
	// MinStroke and MinText hold the thinnest line and the smallest visible text in points; 0
	// means that the page has none.
	MinStroke, MinText Least
	// Transparent reports whether anything on the page is transparent.
	Transparent bool
	// Text lists the boxes of the text, neighbours joined, for a map of the page.
	Text []geom.Rect
	// Parts counts the parts from which a code may consist: corners of paths, and large images and
	// text as many.
	Parts int
	// Ink is the ink on the page, nil when it was not measured.
	Ink *InkMap
}

// InkMap is the ink that a page puts on paper, measured on planes of ink: after
// overprinting, transparency, clipping and covering. Amounts and totals are in percent.
type InkMap struct {
	// Resolution of the planes, in pixels per inch on paper.
	Resolution float64
	// Area that was measured, the page with its bleed, in square millimetres.
	Area float64
	// Complete is false when a part of the page was not painted.
	Complete bool
	// Profiled reports whether colours of light were converted by an output profile;
	// otherwise their inks are an estimate.
	Profiled bool
	Planes   []InkPlane
	// Totals counts the pixels by their total of inks, in whole percent.
	Totals []uint32
	// Cells holds the highest total of each cell of a grid, row by row from the top
	// left, which lies at Left and Top. Side is the side of a cell. All three are in
	// units of the default user space.
	Cells           []uint16
	Columns, Rows   int
	Left, Top, Side float64
	// Mean and MeanProcess are the highest means of all inks and of the process inks in squares of
	// [MeanSide], measured on request.
	Mean, MeanProcess MeanInk
	// Edges are the upper, right, lower and left edge of the finished page, without its
	// rotation.
	Edges [4]EdgeInk
}

// MeanSide is the side of a [MeanInk], in millimetres.
const MeanSide = 15.0

// MeanInk is the mean total of inks in a square, or in the whole page if that is smaller.
type MeanInk struct {
	Percent float64
	Box     geom.Rect
}

// EdgeInk is the ink at an edge of the finished page.
type EdgeInk struct {
	// Step is the distance between two places, in millimetres.
	Step float64
	// Reach holds for each place the distance from the edge outwards that ink from inside
	// covers without a gap, in millimetres; negative where the ink ends before the edge, and
	// [NoInk] where there is none at the edge.
	Reach []float32
	// Depth holds for each place the distance from the edge inwards at which the colour at the
	// edge ends, at most [EdgeDepth]; [NoInk] where there is no ink at the edge or the colour does
	// not end.
	Depth []float32
}

// EdgeDepth is how far inside an edge the end of its colour is searched, in millimetres.
const EdgeDepth = 8.0

// NoInk is the reach of a place without ink.
const NoInk = -1000

// InkPlane is one ink of a page.
type InkPlane struct {
	Name string
	// Coverage is the mean amount over the area, and Highest the highest amount.
	Coverage, Highest float64
	// Erased is the area, in square millimetres, on which a technical ink removes other
	// inks, and ErasedBox the box around it.
	Erased    float64
	ErasedBox geom.Rect
	// Removed is the area, in square millimetres of the full amount, that other inks remove from a technical
	// ink, and RemovedBox the box around it.
	Removed    float64
	RemovedBox geom.Rect
}

// Over returns the area with more ink than a limit, in square millimetres, and the box
// around the cells with more.
func (m *InkMap) Over(limit float64) (area float64, box geom.Rect) {
	// Totals are whole numbers: those above the limit begin with the next one.
	first := max(int(math.Floor(limit))+1, 0)
	all, above := uint64(0), uint64(0)
	for total, n := range m.Totals {
		all += uint64(n)
		if total >= first {
			above += uint64(n)
		}
	}
	if above == 0 {
		return 0, geom.Nothing()
	}
	box = geom.Nothing()
	for i, total := range m.Cells {
		if int(total) >= first {
			x, y := m.Left+float64(i%m.Columns)*m.Side, m.Top-float64(i/m.Columns)*m.Side
			box = box.Union(geom.Rect{x, y - m.Side, x + m.Side, y})
		}
	}
	return m.Area * float64(above) / float64(all), box
}

// HighestIn returns the highest total of inks in the cells that a box touches, in percent.
func (m *InkMap) HighestIn(box geom.Rect) float64 {
	if len(m.Cells) == 0 {
		return 0
	}
	cell := func(distance float64, cells int) int { return int(min(max(distance/m.Side, 0), float64(cells-1))) }
	highest := uint16(0)
	for row := cell(m.Top-box[3], m.Rows); row <= cell(m.Top-box[1], m.Rows); row++ {
		for column := cell(box[0]-m.Left, m.Columns); column <= cell(box[2]-m.Left, m.Columns); column++ {
			highest = max(highest, m.Cells[row*m.Columns+column])
		}
	}
	return float64(highest)
}

// Highest returns the highest total of inks, in percent.
func (m *InkMap) Highest() float64 {
	for total := len(m.Totals) - 1; total > 0; total-- {
		if m.Totals[total] > 0 {
			return float64(total)
		}
	}
	return 0
}

// Least is the smallest of some values.
type Least struct {
	Value float64
	// Any reports whether there was a value.
	Any bool
}

func (l *Least) add(v float64) {
	if !l.Any || v < l.Value {
		l.Value, l.Any = v, true
	}
}

// Group is a transparency group (ISO 32000-2, 11.6.6).
type Group struct {
	// Space is the family of its blend colour space, "" for none.
	Space string
}

// FrameDepth is the distance from the finished edge, in points, within which a mark
// counts as touching it.
const FrameDepth = 3.0

// Finished returns the box that the page is cut to: the TrimBox, else the ArtBox,
// which PDF/X allows, else the CropBox (ISO 32000-2, 14.11.2).
func (p *Page) Finished() geom.Rect {
	switch {
	case p.Trim != nil:
		return *p.Trim
	case p.Art != nil:
		return *p.Art
	}
	return p.Visible()
}

// Visible returns the CropBox, or the MediaBox that it defaults to.
func (p *Page) Visible() geom.Rect {
	if p.Crop != nil {
		return p.Crop.Intersect(p.Media)
	}
	return p.Media
}

// BleedArea returns the BleedBox, or the CropBox that it defaults to.
func (p *Page) BleedArea() geom.Rect {
	if p.Bleed != nil {
		return p.Bleed.Intersect(p.Media)
	}
	return p.Visible()
}

// BleedEdges returns the widths of the bleed area around the finished page, in
// millimetres, negative where it is inside. Edges are those of the page without its
// rotation.
func (p *Page) BleedEdges() report.Edges {
	f, b := p.Finished(), p.BleedArea()
	mm := func(units float64) float64 { return geom.Millimetres(units * p.UserUnit) }
	return report.Edges{Top: mm(b[3] - f[3]), Right: mm(b[2] - f[2]), Bottom: mm(f[1] - b[1]), Left: mm(f[0] - b[0])}
}

// Size returns the width and height of the finished page as a viewer shows it, in
// millimetres.
func (p *Page) Size() (width, height float64) {
	f := p.Finished()
	width, height = geom.Millimetres(f.Width()*p.UserUnit), geom.Millimetres(f.Height()*p.UserUnit)
	if p.Rotate%180 != 0 {
		width, height = height, width
	}
	return width, height
}

// View maps the default user space of the page to the page as a viewer shows it
// ([geom.View]).
func (p *Page) View() geom.Matrix { return geom.View(p.Media, p.Rotate, p.UserUnit) }
