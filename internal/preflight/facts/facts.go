// SPDX-License-Identifier: Apache-2.0

// Package facts is what reading a PDF finds out, before anybody judges it.
//
// Package document and package content fill a [Collector]; package rules reads
// the [Document] that comes out. Facts hold no thresholds and rules do no
// parsing, so each side can be tested without the other.
package facts

import (
	"github.com/printmarket/printmarket/internal/preflight/geom"
	"github.com/printmarket/printmarket/internal/preflight/report"
)

// Document is everything that is known about a file.
type Document struct {
	// Opened is false when the file could not be read as a PDF; then only
	// Incidents say anything.
	Opened bool
	// Complete is false when something stopped the reading early.
	Complete   bool
	PDFVersion string
	Title      string
	Producer   string
	Creator    string
	Encrypted  bool
	Pages      []Page
	Fonts      []*Font
	Images     []Image
	Colors     []*Color
	Incidents  []Incident
}

// Incident is something that went wrong while reading.
type Incident struct {
	// Rule is the id of the rule that reports it.
	Rule string
	// Page is 0 for the document.
	Page   int
	Object string
	// Detail is a sentence for the reader of the report.
	Detail string
}

// Page is one page with its boxes, inheritance and defaults resolved.
type Page struct {
	Number   int
	Rotate   int
	UserUnit float64
	// Media is always there; the others only where the file declares them.
	Media                  geom.Rect
	Crop, Bleed, Trim, Art *geom.Rect
}

// Finished is the box that the page is cut to: TrimBox, or the ArtBox that
// PDF/X allows in its place, or, as ISO 32000-2 14.11.2 has it, the CropBox.
func (p *Page) Finished() geom.Rect {
	switch {
	case p.Trim != nil:
		return *p.Trim
	case p.Art != nil:
		return *p.Art
	}
	return p.Visible()
}

// Visible is the CropBox, or the MediaBox that it defaults to.
func (p *Page) Visible() geom.Rect {
	if p.Crop != nil {
		return p.Crop.Intersect(p.Media)
	}
	return p.Media
}

// BleedArea is the BleedBox, or the CropBox that it defaults to.
func (p *Page) BleedArea() geom.Rect {
	if p.Bleed != nil {
		return p.Bleed.Intersect(p.Media)
	}
	return p.Visible()
}

// BleedEdges is what the bleed area leaves around the finished page, in millimetres;
// negative where it is inside. Edges are those of the page as it is written, not
// as a viewer rotates it.
func (p *Page) BleedEdges() report.Edges {
	f, b := p.Finished(), p.BleedArea()
	mm := func(units float64) float64 { return geom.Millimetres(units * p.UserUnit) }
	return report.Edges{Top: mm(b[3] - f[3]), Right: mm(b[2] - f[2]), Bottom: mm(f[1] - b[1]), Left: mm(f[0] - b[0])}
}

// Size is width and height of the finished page as it is looked at, in
// millimetres.
func (p *Page) Size() (width, height float64) {
	f := p.Finished()
	width, height = geom.Millimetres(f.Width()*p.UserUnit), geom.Millimetres(f.Height()*p.UserUnit)
	if p.Rotate%180 != 0 {
		width, height = height, width
	}
	return width, height
}

// Font is a font that some page can reach.
type Font struct {
	Name     string
	Type     string
	Embedded bool
	Subset   bool
	Object   string
	// Uses are the pages that show visible text with it.
	Uses Uses
}

// Color is a family of colour that is painted with.
type Color struct {
	Space string
	Uses  Uses
	// First is one place where it is painted, for each page of Uses.Pages; nil
	// where the place is not known.
	First []*geom.Rect
}

// Uses remembers on which pages something happens.
type Uses struct {
	// Pages are the first pages, at most [MaxUses].
	Pages []int
	// Count is how many pages there are.
	Count int
	last  int
}

// MaxUses is how many pages a [Uses] lists.
const MaxUses = 10

// add notes a page. Pages come in ascending order. It reports whether the page
// was listed anew.
func (u *Uses) add(page int) bool {
	if u.Count > 0 && u.last == page {
		return false
	}
	u.last = page
	u.Count++
	if len(u.Pages) < MaxUses {
		u.Pages = append(u.Pages, page)
		return true
	}
	return false
}

// Image is one placement of an image.
type Image struct {
	Page       int
	Object     string
	Width      int
	Height     int
	Bits       int
	ColorSpace string
	Filter     string
	Mask       bool
	// PPIX and PPIY are effective: pixels to inches on the page.
	PPIX, PPIY float64
	Box        geom.Rect
	// Hidden is true when it lies outside the page or the clip, so that it
	// cannot be seen on paper.
	Hidden bool
}

// PPI is the lower of the two resolutions.
func (i *Image) PPI() float64 { return min(i.PPIX, i.PPIY) }
