// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"slices"

	"github.com/printmarket/printmarket/pkg/preflight/internal/content"
	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/internal/render"
	"github.com/printmarket/printmarket/pkg/preflight/pageimage"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// maxPicturePixels bounds the pixels of all pictures of a document: those of 50 A4 pages with four inks.
const maxPicturePixels = 250_000_000

// photographer adds the pictures of the pages of a document to a set. The zero value adds none.
type photographer struct {
	interpreter *content.Interpreter
	painter     *render.Renderer
	roles       facts.Roles
	doc         *facts.Document
	pages       []document.Page
	// pictures is the set, or nil; full is set once it has no room for a page, and taken holds the numbers
	// of its pages.
	pictures *pageimage.Writer
	full     bool
	taken    map[int]bool
	pixels   int
}

// close ends the work that has begun ahead.
func (p *photographer) close() {
	if p.interpreter != nil {
		p.interpreter.Close()
	}
}

// page adds the pictures of a page, which the painter has just finished. A picture that cannot be made
// ends the set, because the report needs none.
func (p *photographer) page(page *document.Page) {
	if p.pictures == nil || p.full || p.doc.Pages[page.Number-1].Ink == nil {
		return
	}
	view := geom.View(page.Media, page.Rotate, page.UserUnit).Rect(page.Media)
	described := pageimage.Page{Number: page.Number, Width: view.Width(), Height: view.Height(), Inks: []string{}}
	var inks []*image.Gray
	for _, name := range p.painter.Inks() {
		plane, width := p.painter.Plane(name)
		if name == "" || plane == nil || bytes.Count(plane, []byte{0}) == len(plane) {
			continue
		}
		turned, stride := turn(plane, width, 1, page.Rotate)
		described.Inks = append(described.Inks, name)
		inks = append(inks, &image.Gray{Pix: turned, Stride: stride, Rect: image.Rect(0, 0, stride, len(plane)/stride)})
	}
	printed := p.printed(page)
	p.pixels += printed.Rect.Dx() * printed.Rect.Dy() * (1 + len(inks))
	added := false
	if p.pixels <= maxPicturePixels {
		added, _ = p.pictures.Add(described, printed, inks)
	}
	if p.full = !added; added {
		if p.taken == nil {
			p.taken = map[int]bool{}
		}
		p.taken[page.Number] = true
	}
}

// printed returns what the painter has painted as a viewer shows it.
func (p *photographer) printed(page *document.Page) *image.RGBA {
	printed := p.painter.Picture(p.shown)
	if page.Rotate == 0 {
		return printed
	}
	turned, stride := turn(printed.Pix, printed.Rect.Dx(), 4, page.Rotate)
	return &image.RGBA{Pix: turned, Stride: stride, Rect: image.Rect(0, 0, stride/4, len(turned)/stride)}
}

const (
	// closeUpWidth is the width of the picture of a close-up in pixels: twice that of a report on the screen.
	closeUpWidth = 480
	// leastGain is how many times finer than the picture of its page a close-up must be.
	leastGain = 1.25
)

// closeUps adds close-ups of the places of findings, the gravest first, where the picture of the page is too
// coarse. It ends when the set is full, or all have cost too much. It returns the error of the context.
func (p *photographer) closeUps(ctx context.Context, findings []report.Finding) error {
	ordered := slices.Clone(findings)
	slices.SortStableFunc(ordered, func(a, b report.Finding) int { return a.Severity.Rank() - b.Severity.Rank() })
	type part struct {
		page int
		pageimage.CloseUp
	}
	var known []part
	for i := range ordered {
		f := &ordered[i]
		if f.BBox == nil || !p.taken[f.Page] {
			continue
		}
		page := &p.pages[f.Page-1]
		view := geom.View(page.Media, page.Rotate, page.UserUnit)
		sheet := view.Rect(page.Media)
		place := geom.Rect(*f.BBox).Intersect(sheet)
		// Close-ups count from the top, the page from the bottom.
		flipped := func(r geom.Rect) geom.Rect { return geom.Rect{r[0], sheet[3] - r[3], r[2], sheet[3] - r[1]} }
		shown := geom.CloseUp(flipped(place), sheet.Width(), sheet.Height()).Intersect(sheet)
		one := part{f.Page, pageimage.CloseUp{X: shown[0], Y: shown[1], Width: shown.Width(), Height: shown.Height()}}
		resolution := closeUpWidth * 72 / shown.Width()
		if slices.Contains(known, one) || resolution < leastGain*p.painter.Resolution(page) {
			continue
		}
		known = append(known, one)
		user, _ := view.Invert()
		if !p.painter.Zoom(page, user.Rect(flipped(shown)), resolution) {
			return nil
		}
		if err := p.interpreter.Again(ctx, page); err != nil {
			return fmt.Errorf("close-up of page %d: %w", f.Page, err)
		}
		if added, err := p.pictures.AddCloseUp(f.Page, one.CloseUp, p.printed(page)); !added || err != nil {
			return nil //nolint:nilerr // a picture that cannot be made ends the set
		}
	}
	return nil
}

// shown returns the colour of a spot colour. Varnish, embossing and Braille have none, and white has
// none on paper.
func (p *photographer) shown(ink string) (space string, full []float64, shown bool) {
	switch p.roles.Of(ink) {
	case report.RoleVarnish, report.RoleEmboss, report.RoleBraille, report.RoleWhite:
		return "", nil, false
	}
	if at := slices.IndexFunc(p.doc.Inks, func(i *facts.Ink) bool { return i.Name == ink }); at >= 0 {
		return p.doc.Inks[at].Space, p.doc.Inks[at].Full, true
	}
	return "", nil, true
}

// turn returns pixels of a number of bytes, which are turned clockwise, and the bytes of their rows. It
// returns the same pixels for a rotation of 0.
func turn(pixels []uint8, width, size, rotate int) (turned []uint8, stride int) {
	if rotate == 0 {
		return pixels, width * size
	}
	height := len(pixels) / size / width
	turned, stride = make([]uint8, len(pixels)), width*size
	if rotate != 180 {
		stride = height * size
	}
	for y := range height {
		at, step := (height-1-y)*size, stride // 90 degrees
		switch rotate {
		case 180:
			at, step = len(pixels)-(y*width+1)*size, -size
		case 270:
			at, step = (width-1)*stride+y*size, -stride
		}
		for x := range width {
			copy(turned[at:at+size], pixels[(y*width+x)*size:])
			at += step
		}
	}
	return turned, stride
}
