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
	dict := in.file.Dict(o)
	if dict == nil || s.renderMode == invisible || f.layers.hidden() {
		return
	}
	x, y := f.along(r, r.pen)
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
	if inner.advanced && !s.font.examined[code] {
		in.compareWidth(f, code, math.Abs(inner.advance*t.Matrix[0]), x, y)
	}
	if inner.muted && !f.muted || in.outlines[id] {
		in.outlines[id], r.outlined = true, true
	} else {
		r.colored = true
	}
	in.release(inner)
}

// compareWidth compares the width that a glyph of a Type 3 font states with that of the font, the
// first time that a page shows it.
func (in *Interpreter) compareWidth(f *frame, code int, stated, x, y float64) {
	font := f.state.font
	width, box := f.cell(code, x, y)
	if f.mask || !font.shape.Stated() || !f.visible(box) {
		return
	}
	if font.examined == nil {
		font.examined = map[int]bool{}
	}
	font.examined[code] = true
	font.compareWidths(code, stated, width, in.page.Number, box)
}

// scaleClass classifies a matrix by size, in sixteen classes for each power of two.
func scaleClass(m geom.Matrix) int {
	x, y := m.Scale()
	if v := math.Log2(x*y) * 16; !math.IsNaN(v) && !math.IsInf(v, 0) {
		return int(v)
	}
	return math.MinInt32
}
