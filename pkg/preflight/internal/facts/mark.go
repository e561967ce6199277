// SPDX-License-Identifier: Apache-2.0

package facts

import (
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
)

// Mark is one act of painting that is printed: inside the clip and the MediaBox, on a
// printed layer, outside masks. White counts: it hides the artwork below.
type Mark struct {
	Kind Kind
	// Number identifies the mark on its page for the question whether it is visible; 0 is
	// always visible.
	Number uint32
	// Stroked is true for the outline of a path or of text.
	Stroked bool
	// Box is the box around the mark, clipped.
	Box geom.Rect
	// Object is the object of the image or the font; "" for a path.
	Object string
	Paint  Paint
	// Width of a stroke in points, at its thinnest where the matrix distorts it, of the part
	// inside the clip.
	Width float64
	// Thin is the smaller extent of a filled path in points, of the part inside the clip: of
	// the thinnest rectangle, or of a whole other shape. Lines and other parts without extent count
	// only if the path has no other part. It is 0 for shapes that are surely no slivers, and for
	// other marks.
	Thin float64
	// Size of text in points: the height of the em square.
	Size float64
	// Font of text.
	Font *Font
	// Shape is the path that is painted, in the default user space of the page; nil for other marks and
	// inside of patterns. It is valid while the mark is passed on.
	Shape *geom.Path
	// Layer is the innermost layer that the mark is on, or nil.
	Layer *Layer
	// Image is the placement that an image or stencil mask makes.
	Image *Image
	// Overprint reports whether the mark overprints; Mode is OPM (ISO 32000-2, 8.6.7):
	// 0 or 1.
	Overprint bool
	Mode      int
	// Alpha is the constant opacity, 0 to 1; Blend is Normal or another blend
	// mode.
	Alpha float64
	Blend string
}

// CodeParts is the least number of parts of a page with a code.
const CodeParts = 60

// The least sides of an image with a code, in points, and the least size of text in a font of bar
// codes.
const (
	codeImage = 15
	codeText  = 24
)

// parts returns the number of corners of a path, [CodeParts] for an image or text that may hold a
// code, or 0. unit is the UserUnit of the page.
func (m *Mark) parts(unit float64) int {
	switch {
	case m.Kind == Path && m.Shape != nil:
		return m.Shape.Points()
	case m.Kind == Text && m.Size >= codeText, m.Kind == Text && m.Font != nil && m.Font.Type == "Type3",
		m.Kind == Path || m.Kind == Shading:
		return CodeParts
	case (m.Kind == Picture || m.Kind == Stencil) && !m.Paint.Flat && min(m.Box.Width(), m.Box.Height())*unit >= codeImage:
		return CodeParts
	}
	return 0
}

// Kind is the kind of a mark.
type Kind int

// The kinds of marks.
const (
	Path Kind = iota
	Text
	Picture
	Stencil
	Shading
)

// Paint is the colour of a mark. The marks of a pattern have paints of their own.
type Paint struct {
	// Space is the family of the colour space: DeviceGray, DeviceRGB, DeviceCMYK,
	// CalGray, CalRGB, Lab, ICCBased-Gray, ICCBased-RGB, ICCBased-CMYK,
	// Separation or DeviceN; "" when it is invalid.
	Space string
	// Known reports whether the inks are known: grey, CMYK, Separation and DeviceN.
	// The printer converts other colours to inks.
	Known bool
	// CMYK and Spots are the inks of one flat colour, 0 to 1. For images and
	// shadings they are the highest of each that occurs.
	CMYK  [4]float64
	Spots []Tint
	// White is true for a colour without ink.
	White bool
	// Black is true for a colour of light that is black, and that a printer makes of several
	// inks.
	Black bool
	// Flat is true for an image in which all pixels have one colour.
	Flat bool
}

// Tint is an amount of a spot colour, 0 to 1.
type Tint struct {
	Name   string
	Amount float64
}

// Total returns the sum of all inks, in percent.
func (p *Paint) Total() float64 {
	total := 0.0
	for _, v := range p.CMYK {
		total += v
	}
	for _, s := range p.Spots {
		total += s.Amount
	}
	return total * 100
}

// Inks counts the inks that print.
func (p *Paint) Inks() int {
	n := 0
	for _, v := range p.CMYK {
		if v > Trace {
			n++
		}
	}
	for _, s := range p.Spots {
		if s.Amount > Trace {
			n++
		}
	}
	return n
}

// OnlyBlack reports whether black is the only ink and has at least the given amount,
// 0 to 1.
func (p *Paint) OnlyBlack(share float64) bool {
	return p.Known && p.Inks() == 1 && p.CMYK[3] >= share && p.CMYK[3] > 0
}

// Trace is an amount of ink, 0 to 1, that no press prints: programs that calculate in
// 8 or 16 bits write it instead of 0.
const Trace = 0.002

// Image is one placement of an image.
type Image struct {
	Page       int
	Object     string
	Width      int
	Height     int
	Bits       int
	Components int
	ColorSpace string
	// Filter is the last filter, the codec of the image.
	Filter string
	// Mask is a stencil mask; Soft is the soft mask of another image.
	Mask, Soft bool
	// Quality is the quality of a JPEG, 1 to 100, estimated from its quantization
	// tables; 0 when it is unknown.
	Quality int
	// Interpolate is the entry of that name.
	Interpolate bool
	// PPIX and PPIY are effective: pixels to inches on the page.
	PPIX, PPIY float64
	Box        geom.Rect
	// Hidden is true when the image is outside the page or the clip, on a layer that is not
	// printed, or wholly covered or transparent.
	Hidden bool
	// Flat is true for an image of one colour, without a mask.
	Flat bool
	// Mark is the number of the mark that places the image, 0 for none.
	Mark uint32
}

// PPI returns the lower of the two resolutions.
func (i *Image) PPI() float64 { return min(i.PPIX, i.PPIY) }

// Bitonal reports whether the image has one bit for each sample.
func (i *Image) Bitonal() bool { return i.Mask || i.Bits == 1 && i.Components <= 1 }
