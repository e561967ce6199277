// SPDX-License-Identifier: Apache-2.0

package content

import (
	"math"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
)

// showGlyph executes a glyph of a Type 3 font. A glyph with colours of its own is
// painted each time. A glyph without colours is read once for each page and size,
// for its images; the mark of the text represents its other marks.
func (in *Interpreter) showGlyph(f *frame, r *run, code int) {
	t, s := r.shape.Type3, &f.state
	o := t.Glyph(code)
	if s.renderMode == invisible || f.layers.hidden() {
		return
	}
	dict := in.file.Dict(o)
	x, y := f.along(r, r.pen)
	if dict == nil {
		if box, fresh := in.examineGlyph(f, code, x, y); fresh && !t.blank[code] {
			s.font.fact.Missing.Add(codeName(code), 0, in.page.Number, box)
		}
		return
	}
	ctm := t.Matrix.Then(geom.Matrix{s.size * s.stretch, 0, 0, s.size, x, y + s.rise}).Then(f.text.matrix).Then(s.ctm)
	id := document.Identity(dict)
	fresh := in.first(dict, scaleClass(ctm))
	// The string that is being shown must not be overwritten.
	outer := in.text
	in.text = nil
	inner := in.within(f, t.Resources)
	inner.state.ctm, inner.glyph, inner.again = ctm, true, f.again || !fresh
	in.nested(o, inner)
	in.text = outer
	if inner.advanced && s.font.shape.Stated() {
		if box, fresh := in.examineGlyph(f, code, x, y); fresh {
			s.font.compareWidths(code, math.Abs(inner.advance*t.Matrix[0]), s.font.shape.Advance(code), in.page.Number, box)
		}
	}
	if inner.muted && !f.muted || in.outlines[id] {
		in.outlines[id], r.outlined = true, true
	} else {
		r.colored = true
	}
	in.release(inner)
}

// examineGlyph returns the box of a glyph of a Type 3 font, and whether a page shows it for the first
// time.
func (in *Interpreter) examineGlyph(f *frame, code int, x, y float64) (box geom.Rect, fresh bool) {
	font := f.state.font
	if font.examined[code] || f.mask {
		return box, false
	}
	if _, box = f.cell(code, x, y); !f.visible(box) {
		return box, false
	}
	if font.examined == nil {
		font.examined = map[int]bool{}
	}
	font.examined[code] = true
	return box, true
}

// scaleClass classifies a matrix by size, in sixteen classes for each power of two.
func scaleClass(m geom.Matrix) int {
	x, y := m.Scale()
	if v := math.Log2(x*y) * 16; !math.IsNaN(v) && !math.IsInf(v, 0) {
		return int(v)
	}
	return math.MinInt32
}
