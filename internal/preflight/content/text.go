// SPDX-License-Identifier: Apache-2.0

package content

import (
	"maps"
	"math"
	"slices"

	"github.com/printmarket/printmarket/internal/preflight/geom"
	"github.com/printmarket/printmarket/internal/preflight/lexer"
)

// invisible is the text rendering mode that paints nothing; 7 only clips.
const (
	invisible = 3
	clipsOnly = 7
)

// maxGlyphs bounds the glyphs of one Type 3 font that are read.
const maxGlyphs = 1024

func textOperators(name string) (operation, bool) {
	switch name {
	case "BT":
		return func(_ *Interpreter, f *frame) { f.text.matrix, f.text.line = geom.Identity(), geom.Identity() }, true
	case "Tf":
		return setFont, true
	case "Tm":
		return func(_ *Interpreter, f *frame) { f.text.matrix, f.text.line = f.matrix(), f.matrix() }, true
	case "Td":
		return func(_ *Interpreter, f *frame) { f.nextLine(f.number(0), f.number(1)) }, true
	case "TD":
		return func(_ *Interpreter, f *frame) {
			f.text.leading = -f.number(1)
			f.nextLine(f.number(0), f.number(1))
		}, true
	case "T*":
		return func(_ *Interpreter, f *frame) { f.nextLine(0, -f.text.leading) }, true
	case "TL":
		return func(_ *Interpreter, f *frame) { f.text.leading = f.number(0) }, true
	case "Tz":
		return func(_ *Interpreter, f *frame) { f.state.stretch = f.number(0) / 100 }, true
	case "Ts":
		return func(_ *Interpreter, f *frame) { f.state.rise = f.number(0) }, true
	case "Tr":
		return func(_ *Interpreter, f *frame) { f.state.mode = int(f.number(0)) }, true
	case "Tj", "TJ":
		return show, true
	case "'", "\"":
		return func(in *Interpreter, f *frame) {
			f.nextLine(0, -f.text.leading)
			show(in, f)
		}, true
	}
	return nil, false
}

func setFont(in *Interpreter, f *frame) {
	if len(f.operands) < 2 {
		return
	}
	n := len(f.operands)
	name := string(f.operands[n-2].Text)
	f.state.size = f.operands[n-1].Value
	f.state.font = in.font(in.resource(f, "Font", name), name)
}

func (f *frame) nextLine(x, y float64) {
	f.text.line = geom.Matrix{1, 0, 0, 1, x, y}.Then(f.text.line)
	f.text.matrix = f.text.line
}

// show notes the font and the colours of a text. Glyph widths are not followed,
// so where a text stands on its line is not known.
func show(in *Interpreter, f *frame) {
	if f.state.font == nil || !holdsText(f.operands) || f.state.clip.Empty() {
		return
	}
	mode := f.state.mode
	if mode == invisible || mode == clipsOnly {
		return
	}
	in.collector.UseFont(f.state.font.fact, in.page.Number)
	if f.state.font.type3 {
		in.glyphs(f)
		return
	}
	if mode%4 != 1 {
		in.use(f, f.state.fill, nil)
	}
	if mode%4 == 1 || mode%4 == 2 {
		in.use(f, f.state.stroke, nil)
	}
}

// holdsText looks for a string that is not empty.
func holdsText(operands []lexer.Object) bool {
	for i := range operands {
		switch o := &operands[i]; o.Kind {
		case lexer.String:
			if len(o.Text) > 0 {
				return true
			}
		case lexer.Array:
			if holdsText(o.Items) {
				return true
			}
		}
	}
	return false
}

// glyphs reads the glyph procedures of a Type 3 font. All of them are read, once
// for each page and size: which of them a string shows is not decoded.
func (in *Interpreter) glyphs(f *frame) {
	dict := f.state.font.dict
	s := &f.state
	size := geom.Matrix{s.size * s.stretch, 0, 0, s.size, 0, s.rise}
	ctm := in.file.Matrix(dict["FontMatrix"]).Then(size).Then(f.text.matrix).Then(s.ctm)
	if !in.first(dict, scaleClass(ctm)) {
		return
	}
	resources := in.file.Dict(dict["Resources"])
	if resources == nil {
		resources = f.resources
	}
	procedures := in.file.Dict(dict["CharProcs"])
	names := slices.Sorted(maps.Keys(procedures))
	for _, name := range names[:min(len(names), maxGlyphs)] {
		glyph := &frame{resources: resources, muted: f.muted, mask: f.mask, state: *s}
		glyph.state.ctm = ctm
		glyph.state.clip = geom.Everything()
		in.nested(procedures[name], glyph)
	}
}

// scaleClass sorts matrices by size, sixteen classes to a power of two.
func scaleClass(m geom.Matrix) int {
	x, y := m.Scale()
	if v := math.Log2(x*y) * 16; !math.IsNaN(v) && !math.IsInf(v, 0) {
		return int(v)
	}
	return math.MinInt32
}
