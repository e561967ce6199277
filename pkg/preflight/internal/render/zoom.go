// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bytes"
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

// Reflectance returns the reflectance of each pixel of the surface, row by row from the top, with
// the width of a row: 255 for white paper. full returns the reflectance of an ink in its full
// amount, from 0 to 1; inks together reflect the product. It uses the memory of buffer if that is
// large enough.
func (r *Renderer) Reflectance(buffer []uint8, full func(ink string) float64) (pixels []uint8, width int) {
	box := r.surface.canvas.Box()
	width = box.Dx()
	out := slices.Grow(buffer[:0], width*box.Dy())[:width*box.Dy()]
	type absorbing struct {
		plane []uint8
		// table has the reflectance of each amount.
		table [256]uint8
	}
	var inks []absorbing
	for p := range planes.Max {
		name, used := r.name(p)
		plane := r.surface.canvas.Plane(p)
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
	blank := make([]uint8, width)
	count := raster.Parts(len(out), raster.LeastSamples)
	raster.DoParts(count, func(k int) {
		for y := k * box.Dy() / count; y < (k+1)*box.Dy()/count; y++ {
			to := out[y*width:][:width]
			raster.Set(to, 255)
			for i := range inks {
				row := inks[i].plane[y*width:][:width]
				if bytes.Equal(row, blank) {
					continue
				}
				for x, v := range row {
					if v > 0 {
						to[x] = raster.Times(to[x], inks[i].table[v])
					}
				}
			}
		}
	})
	r.surface.canvas.Charge(4 * int64(len(out)))
	return out, width
}
