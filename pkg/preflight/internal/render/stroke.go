// SPDX-License-Identifier: Apache-2.0

package render

import (
	"math"

	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/internal/raster"
)

// Line describes a stroke; Pen maps the user space in which Width and Dash are given
// to the page.
type Line struct {
	Width      float64
	Pen        geom.Matrix
	Cap, Join  int
	MiterLimit float64
	Dash       []float64
	Phase      float64
}

// leastLine is the width of the thinnest line that is printed, in points.
const leastLine = 0.1

// outline returns the shape of the lines of a path, in pixels. It is valid until the
// next call.
func (r *Renderer) outline(p *geom.Path, l Line) *geom.Path {
	r.lines.Reset()
	if !r.stroker.Stroke(&r.lines, r.toDevice(p), raster.Style{
		Width: l.Width, Pen: l.Pen.Then(r.surface.device), Cap: raster.Cap(l.Cap), Join: raster.Join(l.Join), Miter: l.MiterLimit,
		Dash: l.Dash, Phase: l.Phase, Least: leastLine * math.Abs(r.surface.device[0]) / r.page.UserUnit,
	}) {
		r.cut()
	}
	r.surface.canvas.Charge(segmentWork * int64(r.lines.Len()))
	return &r.lines
}

// ClipStroke returns the part of a region inside the lines of a path.
func (r *Renderer) ClipStroke(region *raster.Clip, p *geom.Path, l Line) *raster.Clip {
	if region.Empty() || r.spent() {
		return region
	}
	return r.intersect(region, r.outline(p, l), false)
}

// Stroke strokes a path.
func (r *Renderer) Stroke(p *geom.Path, l Line, region *raster.Clip, t Tone, s Style) {
	if region.Empty() || r.spent() {
		return
	}
	paint := r.paint(t, s, true)
	r.surface.canvas.Fill(r.outline(p, l), false, region, &paint)
}
