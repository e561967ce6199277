// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"context"
	"fmt"
	"image"
	"slices"

	"github.com/printmarket/printmarket/pkg/preflight/internal/barcode"
	"github.com/printmarket/printmarket/pkg/preflight/internal/color"
	"github.com/printmarket/printmarket/pkg/preflight/internal/content"
	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/internal/render"
)

const (
	// codeResolution is that of the part of a page that is read, in pixels per inch, and
	// leastCodeResolution that of a page on which codes can be found.
	codeResolution      = 600
	leastCodeResolution = 60
	// codeSide bounds the side of a matrix code that is read, in pixels: 36 for each module of the
	// smallest QR code, and 4 for one of the largest.
	codeSide = 756
	// maxCodes bounds the parts of a document that are read, and maxPageCodes those of a page.
	maxCodes     = 24
	maxPageCodes = 6
	// quietReach is how far beside bars the quiet zone is measured, in millimetres: ten of the
	// widest modules.
	quietReach = 11.0
	// barReach is how far beyond a region its bars may end, in millimetres.
	barReach = 3.0
	// inkedBars is the mean amount from which an ink belongs to the bars, in 1/255.
	inkedBars = 26
)

// codeFinder finds the codes of the pages of a document.
type codeFinder struct {
	interpreter *content.Interpreter
	painter     *render.Renderer
	roles       facts.Roles
	doc         *facts.Document
	read        int
	// buffer is the memory for the reflectances of pages.
	buffer []uint8
}

// page adds the codes of a page, which the painter has just finished, to the facts.
func (c *codeFinder) page(ctx context.Context, page *document.Page) error {
	fact := &c.doc.Pages[page.Number-1]
	if fact.Ink == nil || fact.Parts < facts.CodeParts || fact.Ink.Resolution < leastCodeResolution || c.read >= maxCodes {
		return nil
	}
	painted := c.painter.Painted(barcode.Cell)
	c.buffer = c.painter.Reflectance(painted, c.buffer, c.mixed)
	regions := barcode.Find(barcode.Image{Width: painted.Dx(), Height: painted.Dy(), Pix: c.buffer})
	device, _ := c.painter.Device().Invert()
	for _, region := range regions[:min(len(regions), maxPageCodes)] {
		box := pixelBox(device, region.Box.Add(painted.Min))
		resolution := float64(codeResolution)
		if region.Kind == barcode.QR || region.Kind == barcode.DataMatrix {
			resolution = min(resolution, codeSide*25.4/(max(box.Width(), box.Height())*geom.Millimetres(page.UserUnit)))
		}
		if c.read++; c.read > maxCodes || !c.painter.Zoom(page, reach(box, region.Kind, page.UserUnit).Intersect(page.Media), resolution) {
			return nil
		}
		if err := c.interpreter.Again(ctx, page); err != nil {
			return fmt.Errorf("read a code: %w", err)
		}
		if code, ok := c.code(region, page); ok && !c.known(&code) {
			c.doc.Codes = append(c.doc.Codes, code)
		}
	}
	return nil
}

// known reports whether the same code was read in another region of the page.
func (c *codeFinder) known(code *facts.Code) bool {
	return slices.ContainsFunc(c.doc.Codes, func(k facts.Code) bool { return k.Page == code.Page && k.Box.Touches(code.Box) })
}

// pixelBox returns pixels in the user space of the page.
func pixelBox(device geom.Matrix, r image.Rectangle) geom.Rect {
	return device.Rect(geom.Rect{float64(r.Min.X), float64(r.Min.Y), float64(r.Max.X), float64(r.Max.Y)})
}

// reach returns the box of a region with its quiet zones.
func reach(box geom.Rect, kind barcode.Kind, unit float64) geom.Rect {
	across, along := quietReach/geom.Millimetres(unit), barReach/geom.Millimetres(unit)
	switch kind {
	case barcode.Upright:
		return geom.Rect{box[0] - across, box[1] - along, box[2] + across, box[3] + along}
	case barcode.Lying:
		return geom.Rect{box[0] - along, box[1] - across, box[2] + along, box[3] + across}
	default:
		return box.Grow(box.Width() / 4)
	}
}

// code reads the code of the zoomed part of a page.
func (c *codeFinder) code(region barcode.Region, page *document.Page) (facts.Code, bool) {
	kind := region.Kind
	part := c.painter.Box()
	red := c.painter.Reflectance(part, nil, c.red)
	read := func(pixels []uint8) (barcode.Symbol, bool) {
		if region.Reversed {
			pixels = inverse(pixels)
		}
		return barcode.Read(barcode.Image{Width: part.Dx(), Height: part.Dy(), Pix: pixels}, kind)
	}
	s, ok := read(red)
	if (!ok || s.Text == "") && slices.ContainsFunc(c.painter.Inks(), c.unseen) {
		// The bars may be in an ink that red light does not show.
		if other, found := read(c.painter.Reflectance(part, nil, c.absorbed)); found && (!ok || other.Text != "") {
			s, ok = other, true
		}
	}
	bars := kind == barcode.Upright || kind == barcode.Lying
	if bars && !ok {
		// Black bars on an ink that red light shows as dark, such as cyan.
		s, ok = read(c.painter.Reflectance(part, nil, c.mixed))
		ok = ok && s.Text != ""
	}
	if bars && !ok {
		// Bars that are lighter than their background.
		s, ok = read(inverse(red))
		ok = ok && s.Text != ""
	}
	if !ok || c.painter.Incomplete() && s.Text == "" {
		return facts.Code{}, false
	}
	if region.Reversed {
		// Scanners read matrix codes of light modules (ISO/IEC 18004 and 16022); the inks are those around them.
		s.Bars, s.Spaces = s.Spaces, s.Bars
	}
	device, _ := c.painter.Device().Invert()
	pixel := geom.Millimetres(page.UserUnit) * device[0]
	out := facts.Code{
		Page: page.Number, Symbology: s.Symbology, Text: document.Clean(s.Text, 200), Box: pixelBox(device, s.Box), Module: s.Module * pixel, Quiet: s.Quiet,
		Height: float64(s.Box.Dy()) * pixel,
	}
	if kind == barcode.Lying {
		out.Height = float64(s.Box.Dx()) * pixel
	}
	out.Contrast = (mean(red, s.Spaces) - mean(red, s.Bars)) / 255 * 100
	for _, ink := range c.painter.Inks() {
		if plane, _ := c.painter.Plane(ink); plane != nil && c.roles.Of(ink) == "" && mean(plane, s.Bars) >= inkedBars {
			out.Inks = append(out.Inks, ink)
		}
	}
	return out, true
}

// inverse returns pixels with dark and light exchanged.
func inverse(pixels []uint8) []uint8 {
	out := make([]uint8, len(pixels))
	for i, v := range pixels {
		out[i] = 255 - v
	}
	return out
}

// mean returns the mean of pixels at places.
func mean(pixels []uint8, places []int) float64 {
	sum := 0
	for _, at := range places {
		sum += int(pixels[at])
	}
	return float64(sum) / float64(max(len(places), 1))
}

// red returns the reflectance of an ink for the red light of scanners, of about 660 nm. Technical
// inks count as clear.
func (c *codeFinder) red(ink string) float64 {
	return c.reflects(ink, [4]float64{0.1, 0.9, 0.95, 0.03})
}

// unseen reports whether an ink is painted that red light does not show in its full amount.
func (c *codeFinder) unseen(ink string) bool {
	plane, _ := c.painter.Plane(ink)
	return plane != nil && c.absorbed(ink) != c.red(ink)
}

// absorbed returns the reflectance of an ink in the colour of light that it absorbs most.
func (c *codeFinder) absorbed(ink string) float64 {
	return min(c.red(ink), c.reflects(ink, [4]float64{0.1, 0.15, 0.15, 0.03}))
}

// mixed returns the reflectance of an ink for the search: codes in cyan, magenta and yellow are darker
// than paper, and black codes are darker than areas in these inks.
func (c *codeFinder) mixed(ink string) float64 {
	return c.reflects(ink, [4]float64{0.4, 0.45, 0.6, 0.03})
}

// reflects returns the reflectance of an ink in its full amount by those of the process inks. That
// of a spot colour follows its alternate colour.
func (c *codeFinder) reflects(ink string, process [4]float64) float64 {
	if i := slices.Index(processInks[:], ink); i >= 0 {
		return process[i]
	}
	if c.roles.Of(ink) != "" {
		return 1
	}
	at := slices.IndexFunc(c.doc.Inks, func(i *facts.Ink) bool { return i.Name == ink })
	if at < 0 {
		return 0.1
	}
	switch full := c.doc.Inks[at].Full; len(full) {
	case 4:
		out := 1.0
		for i, v := range full {
			out *= 1 - v*(1-process[i])
		}
		return out
	case 3:
		if c.doc.Inks[at].Space == color.Lab {
			// Red light sees reds lighter and greens darker than their lightness.
			return min(max((full[0]+full[1]/2)/100, 0.03), 1)
		}
		return min(max(full[0], 0.03), 1)
	default:
		return 0.1
	}
}

// processInks are the names of the process inks of a page.
var processInks = [4]string{"Cyan", "Magenta", "Yellow", "Black"} // constant
