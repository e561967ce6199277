// SPDX-License-Identifier: Apache-2.0

package content

import (
	"math"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/color"
	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/internal/raster"
)

// maxRecorded bounds the marks of a pattern that are recorded again for each
// further use of the pattern.
const maxRecorded = 64

// tilingKey identifies a reading of a tiling pattern: by pattern, by size, and for
// uncoloured patterns by the colour.
type tilingKey struct {
	visit
	space *color.Space
	cmyk  [4]float64
	spots float64
	white bool
}

// tiling holds the marks of a pattern, in their places for the matrix.
type tiling struct {
	marks  []recorded
	matrix geom.Matrix
}

// recorded is a mark of one tile. Its image is a copy.
type recorded struct {
	mark  facts.Mark
	image facts.Image
}

func (t *tiling) record(m *facts.Mark) {
	if len(t.marks) >= maxRecorded {
		return
	}
	r := recorded{mark: *m}
	r.mark.Shape = nil
	if m.Image != nil {
		r.image = *m.Image
	}
	t.marks = append(t.marks, r)
}

// paintPattern paints the region of a mark with a pattern.
func (in *Interpreter) paintPattern(f *frame, with *ink, m *facts.Mark) {
	dict := in.file.Dict(with.pattern)
	if dict == nil {
		return
	}
	if shading, ok := dict["Shading"]; ok {
		in.paintShading(f, shading, m.Box, with.pattern)
		return
	}
	matrix := in.file.Matrix(dict["Matrix"]).Then(f.base)
	uncolored := in.file.Int(dict["PaintType"]) == 2
	key := tilingKey{visit: visit{dict: document.Identity(dict), scale: scaleClass(matrix)}}
	if uncolored {
		if with.space.Under == nil {
			return
		}
		key.space, key.cmyk, key.white = with.space.Under, with.paint.CMYK, with.paint.White
		key.spots = with.paint.Total()
	}
	region := m.Box
	// Inside another pattern, the marks cover the region of the outer pattern.
	if f.over != nil {
		region = *f.over
	}
	once := (f.over == nil || f.once) && in.paintsOnce(dict, matrix, region)
	if known := in.tilings[key]; known != nil {
		in.repeat(known, region, once && known.matrix == matrix)
		return
	}
	t := &tiling{matrix: matrix}
	in.tilings[key] = t
	in.tile(f, with, dict, matrix, t, region, once, uncolored)
}

// paintsOnce reports whether a region shows one tile of a pattern only, the one at its origin. Programs
// paint backgrounds in that way. The marks of such a pattern are where they are; those of other patterns
// can be anywhere in the region.
func (in *Interpreter) paintsOnce(dict types.Dict, matrix geom.Matrix, region geom.Rect) bool {
	box, x, y, ok := in.cell(dict)
	inverse, invertible := matrix.Invert()
	if !ok || !invertible {
		return false
	}
	x, y = math.Abs(x), math.Abs(y)
	part := inverse.Rect(region).Grow(-min(x, y) / 1000) // for rounding
	return part[0] >= box[2]-x && part[2] <= box[0]+x && part[1] >= box[3]-y && part[3] <= box[1]+y
}

// covered returns the box that a mark of a pattern covers in a region.
func covered(mark, region geom.Rect, once bool) geom.Rect {
	if once {
		return mark.Intersect(region)
	}
	return region
}

// cell returns the box of a tile and the steps to the next ones.
func (in *Interpreter) cell(dict types.Dict) (box geom.Rect, x, y float64, ok bool) {
	box, ok = in.file.Rect(dict["BBox"])
	x, _ = in.file.Number(dict["XStep"])
	y, _ = in.file.Number(dict["YStep"])
	if x == 0 || y == 0 {
		x, y = box.Width(), box.Height()
	}
	return box, x, y, ok
}

// tile reads the content of a pattern.
func (in *Interpreter) tile(f *frame, with *ink, dict types.Dict, matrix geom.Matrix, t *tiling, region geom.Rect, once, uncolored bool) {
	pattern := with.pattern
	colored := ink{space: with.space.Under, paint: with.paint, tone: with.tone}
	inner := in.frame(in.file.Dict(dict["Resources"]))
	inner.state = in.initial(geom.Everything())
	// drawPattern paints the pattern.
	inner.state.ctm, inner.state.region = matrix, &raster.Clip{}
	inner.muted, inner.mask, inner.again = uncolored, f.mask, f.again
	inner.layers.outside, inner.layers.layer = f.layers.hidden(), f.layers.layer
	inner.group = f.group
	if uncolored {
		inner.state.fill, inner.state.stroke = colored, colored
	}
	// Apply the current transparency to the pattern as a whole.
	inner.group.fillAlpha *= f.state.fillAlpha
	inner.group.softMask = inner.group.softMask || f.state.softMask
	if f.state.blend != normal {
		inner.group.blend = f.state.blend
	}
	if box, ok := in.file.Rect(dict["BBox"]); ok {
		in.clipTo(inner, box)
	}
	inner.over, inner.once = &region, once
	in.recordings = append(in.recordings, t)
	in.nested(pattern, inner)
	in.recordings = in.recordings[:len(in.recordings)-1]
	in.release(inner)
}

// repeat records the marks of a pattern in another region: in their places if the pattern paints once.
func (in *Interpreter) repeat(t *tiling, region geom.Rect, once bool) {
	for i := range t.marks {
		if !in.file.Budget.Operator(in.page.Number, 1) {
			return
		}
		r := t.marks[i]
		m := r.mark
		if m.Image != nil {
			m.Image = &r.image
		}
		if once && !m.Box.Touches(region) {
			continue
		}
		m.Box = covered(m.Box, region, once)
		in.collector.Mark(in.page.Number, &m)
	}
}
