// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"bytes"
	"image"
	"slices"

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
	painter *render.Renderer
	roles   facts.Roles
	doc     *facts.Document
	// pictures is nil once the set is full.
	pictures *pageimage.Writer
	pixels   int
}

// page adds the pictures of a page, which the painter has just finished. A picture that cannot be made
// ends the set, because the report needs none.
func (p *photographer) page(page *document.Page) {
	if p.pictures == nil || p.doc.Pages[page.Number-1].Ink == nil {
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
	printed := p.painter.Picture(p.shown)
	if page.Rotate != 0 {
		turned, stride := turn(printed.Pix, printed.Rect.Dx(), 4, page.Rotate)
		printed = &image.RGBA{Pix: turned, Stride: stride, Rect: image.Rect(0, 0, stride/4, len(turned)/stride)}
	}
	p.pixels += printed.Rect.Dx() * printed.Rect.Dy() * (1 + len(inks))
	added := false
	if p.pixels <= maxPicturePixels {
		added, _ = p.pictures.Add(described, printed, inks)
	}
	if !added {
		p.pictures = nil
	}
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
