// SPDX-License-Identifier: Apache-2.0

package render

import (
	"image"
	"math"
	"slices"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/internal/planes"
	"github.com/printmarket/printmarket/pkg/preflight/internal/raster"
)

// zoomWork bounds the work for all zooms of a document, in about nanoseconds, and zoomPixels the
// pixels of one.
const (
	zoomWork   = 3_000_000_000
	zoomPixels = 4_000_000
)

// Zoom begins a part of a page again, in a finer resolution in pixels per inch of paper, or less
// if it is large. The next content is painted on that part alone. It returns false if the zooms of
// the document have cost too much.
func (r *Renderer) Zoom(page *document.Page, box geom.Rect, resolution float64) bool {
	r.leave()
	if r.zoomed > zoomWork || box.Empty() {
		return false
	}
	scale := resolution * page.UserUnit / 72
	scale = min(scale, math.Sqrt(zoomPixels/(box.Width()*box.Height())), maxSide/max(box.Width(), box.Height()))
	r.page, r.depth, r.mark, r.memory, r.around = page, 0, 0, 0, 0
	r.partial, r.limited, r.exhausted, r.zooming = false, false, false, true
	clear(r.glyphs)
	spots := []string{}
	r.surface = &surface{
		canvas: planes.New(max(int(box.Width()*scale), 1), max(int(box.Height()*scale), 1)), spots: &spots,
		device: geom.Matrix{scale, 0, 0, -scale, -box[0] * scale, box[3] * scale},
	}
	return true
}

// leave adds the work of the surface to that of the document or of the zooms.
func (r *Renderer) leave() {
	if r.surface == nil {
		return
	}
	r.surface.canvas.Flush()
	switch {
	case r.zooming:
		r.zoomed += r.surface.canvas.Work() + leastWork
	default:
		r.done += r.surface.canvas.Work() + leastWork
	}
	r.surface, r.zooming = nil, false
}

// Close ends the page or the zoom, and waits for its painters.
func (r *Renderer) Close() { r.leave() }

// Incomplete reports whether a part of the surface was not painted.
func (r *Renderer) Incomplete() bool { return r.partial }

// Box returns the pixels of the surface.
func (r *Renderer) Box() image.Rectangle { return r.surface.canvas.Box() }

// Painted returns the box of the pixels of the surface that objects may have painted, with a margin.
// Its sides lie at multiples of the margin, or are those of the surface.
func (r *Renderer) Painted(margin int) image.Rectangle {
	box := r.surface.canvas.Extent()
	if box.Empty() {
		return image.Rectangle{}
	}
	down, up := func(v int) int { return (v/margin - 1) * margin }, func(v int) int { return (v/margin + 2) * margin }
	return image.Rect(down(box.Min.X), down(box.Min.Y), up(box.Max.X), up(box.Max.Y)).Intersect(r.surface.canvas.Box())
}

// Reflectance returns the reflectance of each pixel of a box of the surface, row by row from the top: 255 for white
// paper. full returns the reflectance of an ink in its full amount, from 0 to 1; inks together reflect the product.
// It uses the memory of buffer if that is large enough.
func (r *Renderer) Reflectance(box image.Rectangle, buffer []uint8, full func(ink string) float64) []uint8 {
	canvas, width := r.surface.canvas, box.Dx()
	out := slices.Grow(buffer[:0], width*box.Dy())[:width*box.Dy()]
	var inks []absorbing
	for p := range planes.Max {
		name, used := r.name(p)
		plane := canvas.Plane(p)
		if !used || plane == nil {
			continue
		}
		if reflects := full(name); reflects < 1 {
			ink := absorbing{plane: plane}
			for v := range ink.table {
				ink.table[v] = eighth(1 - float64(v)/255*(1-reflects))
			}
			inks = append(inks, ink)
		}
	}
	count := raster.Parts(2*len(out), raster.LeastSamples)
	raster.DoParts(count, func(k int) {
		for row := k * box.Dy() / count; row < (k+1)*box.Dy()/count; row++ {
			to := out[row*width:][:width]
			raster.Set(to, 255)
			from, until := canvas.Painted(box.Min.Y+row, box.Min.X, box.Max.X)
			first := (box.Min.Y + row) * canvas.Box().Dx()
			for x := from; x < until; x += absorbed {
				n := min(absorbed, until-x)
				absorb(to[x-box.Min.X:][:n], first+x, inks)
			}
		}
	})
	canvas.Charge(4 * int64(len(out)))
	return out
}

// absorbing is an ink that absorbs light, with the reflectance of each amount.
type absorbing struct {
	plane []uint8
	table [256]uint8
}

// absorbed is the number of pixels that absorb light at once: most have the colour of their neighbours.
const absorbed = 64

// absorb multiplies the reflectances of white pixels by those of the amounts from an index on.
func absorb(to []uint8, at int, inks []absorbing) {
	for i := range inks {
		amounts, table := inks[i].plane[at:][:len(to)], &inks[i].table
		switch flat := raster.Flat(amounts); {
		case flat && amounts[0] == 0:
		case flat && raster.Flat(to):
			raster.Set(to, raster.Times(to[0], table[amounts[0]]))
		default:
			for x, v := range amounts {
				to[x] = raster.Times(to[x], table[v])
			}
		}
	}
}
