// SPDX-License-Identifier: Apache-2.0

package render

import (
	"image"
	"math"

	"github.com/printmarket/printmarket/pkg/preflight/internal/color"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/internal/planes"
	"github.com/printmarket/printmarket/pkg/preflight/internal/raster"
)

// maxSurfaces bounds the nesting of masks and patterns.
const maxSurfaces = 8

// Mask paints a soft mask by calling content, and returns it. With luminosity, the
// backdrop is the colour of the group's space below it; else the opacity counts
// (ISO 32000-2, 11.5). transfer maps the values, when it is not nil. It returns nil
// when masks are nested too deeply.
func (r *Renderer) Mask(region *raster.Clip, luminosity bool, space *color.Space, backdrop []float64, transfer func(float64) float64, content func()) *planes.Soft {
	outer := r.surface
	cell := r.within(region.Box, outer.device, true, content)
	if cell == nil {
		return nil
	}
	soft := &planes.Soft{Mask: cell.Opacity()}
	if luminosity {
		below := planes.Amounts{planes.Black: 255}
		if space != nil {
			below = complements(space, backdrop)
		}
		soft.Mask = cell.Luminosity(below)
		soft.Outside = planes.Light([planes.FirstSpot]uint8(below[:planes.FirstSpot]))
	}
	if transfer != nil {
		var table [256]uint8
		for i := range table {
			table[i] = eighth(transfer(float64(i) / 255))
		}
		for i, v := range soft.Mask.Pix {
			soft.Mask.Pix[i] = table[v]
		}
		soft.Outside = table[soft.Outside]
	}
	return soft
}

// within calls content with a canvas of its own as the surface, and returns the canvas,
// or nil when there are too many canvases.
func (r *Renderer) within(box image.Rectangle, device geom.Matrix, mask bool, content func()) *planes.Canvas {
	size := int64(box.Dx()) * int64(box.Dy()) * 5
	if r.depth >= maxSurfaces || r.spent() || r.memory+size > maxSurface {
		r.cut()
		return nil
	}
	r.memory += size
	outer := r.surface
	cell := planes.NewCell(box)
	r.surface = &surface{canvas: cell, device: device, spots: outer.spots, mask: mask}
	if !mask {
		r.surface.light = outer.light
	}
	r.around += outer.canvas.Work()
	r.depth++
	content()
	r.depth--
	r.around -= outer.canvas.Work()
	outer.canvas.Charge(cell.Work() + size)
	r.surface = outer
	return cell
}

// Pattern is the cell of a tiling pattern in inks.
type Pattern struct {
	bitmap *planes.Bitmap
	// inverse maps the page to the pixels of the cell.
	inverse geom.Matrix
}

const (
	// smallCell is the side of a cell, in pixels of the canvas, below which its bitmap is finer.
	smallCell = 16
	// mostCell bounds the side of the bitmap of a cell, in pixels.
	mostCell = 1024
	// maxOverlap bounds the neighbours that reach into a cell.
	maxOverlap = 64
)

// cellSide returns the side of the bitmap of a cell with a side on the canvas. Where it is finer, it has about as many
// pixels for one of the canvas as a sampler takes, so that each counts once.
func cellSide(pixels float64) int {
	times := min(max(math.Ceil(smallCell/pixels), 1), planes.MaxSamples)
	return int(min(max(math.Round(pixels*times), 1), mostCell))
}

// Tile paints the cell of a tiling pattern by calling content with the matrix of the
// pattern, and returns it. box is the cell's box and x and y are the steps, in the space
// of the pattern. It returns nil for a cell that cannot be painted.
func (r *Renderer) Tile(matrix geom.Matrix, box geom.Rect, x, y float64, content func(shift geom.Matrix, region *raster.Clip)) *Pattern {
	x, y = math.Abs(x), math.Abs(y)
	whole := matrix.Then(r.surface.device)
	sx, sy := whole.Scale()
	if !(x > 0) || !(y > 0) || !(sx > 0) || !(sy > 0) {
		return nil
	}
	width, height := cellSide(x*sx), cellSide(y*sy)
	// The cell from (0, 0) to (x, y) of the lattice contains parts of the neighbours.
	toCell := geom.Matrix{float64(width) / x, 0, 0, float64(height) / y, 0, 0}
	inverse, ok := matrix.Invert()
	if !ok {
		return nil
	}
	left, right := int(math.Floor(box[0]/x)), int(math.Ceil(box[2]/x))
	low, high := int(math.Floor(box[1]/y)), int(math.Ceil(box[3]/y))
	if (right-left)*(high-low) > maxOverlap {
		r.cut()
		left, right, low, high = 0, 1, 0, 1
	}
	cell := r.within(image.Rect(0, 0, width, height), inverse.Then(toCell), r.surface.mask, func() {
		for row := low; row < high; row++ {
			for column := left; column < right; column++ {
				content(geom.Matrix{1, 0, 0, 1, -float64(column) * x, -float64(row) * y}, r.Region())
			}
		}
	})
	if cell == nil {
		return nil
	}
	return &Pattern{bitmap: cell.Bitmap(), inverse: inverse.Then(toCell)}
}

// Extent returns a rectangle of the page that contains the part of a region inside a shape, or all of it if
// the shape is nil, with the neighbouring pixels.
func (r *Renderer) Extent(region *raster.Clip, shape *geom.Path) geom.Rect {
	box := region.Box
	if shape != nil {
		box = box.Intersect(raster.Pixels(r.toDevice(shape).Bounds()))
	}
	const neighbours = 2
	box = box.Inset(-neighbours)
	page, _ := r.surface.device.Invert()
	return page.Rect(geom.Rect{float64(box.Min.X), float64(box.Min.Y), float64(box.Max.X), float64(box.Max.Y)})
}

// FillTiles fills a shape, or a whole region when it is nil, with a pattern.
func (r *Renderer) FillTiles(p *Pattern, shape *geom.Path, evenOdd bool, region *raster.Clip, s Style) {
	if region.Empty() || p == nil || r.spent() {
		return
	}
	back, ok := r.surface.device.Invert()
	if !ok {
		return
	}
	paint := r.paint(Tone{named: planes.All}, s, false)
	r.draw(&planes.Sampler{Bitmap: p.bitmap, Inverse: back.Then(p.inverse), Repeat: true}, shape, evenOdd, region, &paint)
}
