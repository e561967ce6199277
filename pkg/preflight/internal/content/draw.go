// SPDX-License-Identifier: Apache-2.0

package content

import (
	"errors"
	"image"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/color"
	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/internal/lexer"
	"github.com/printmarket/printmarket/pkg/preflight/internal/outline"
	"github.com/printmarket/printmarket/pkg/preflight/internal/planes"
	"github.com/printmarket/printmarket/pkg/preflight/internal/raster"
	"github.com/printmarket/printmarket/pkg/preflight/internal/render"
)

// drawing holds what the renderer has made for one page.
type drawing struct {
	// number is that of the mark that was rendered last, 0 when it was not rendered.
	number   uint32
	masks    map[maskKey]*planes.Soft
	patterns map[patternKey]*render.Pattern
	// parts counts the tiles of which only a part was painted, and costs holds the operators of patterns.
	parts int
	costs map[uintptr]int
}

// maskKey identifies a soft mask as it lies on the page.
type maskKey struct {
	dict   uintptr
	matrix geom.Matrix
	box    image.Rectangle
}

// patternKey identifies a tiling pattern as it lies on the page, with the colour of an
// uncoloured one.
type patternKey struct {
	dict   uintptr
	matrix geom.Matrix
	tone   render.Tone
	// light is set in a group that blends in RGB.
	light bool
	// box is the box of a tile, and x and y are the steps to the next ones. Of a tile that is painted once,
	// box can be a part, and x and y are its sides.
	box  geom.Rect
	x, y float64
}

// tint sets a colour, in the terms of the facts and in inks.
func (in *Interpreter) tint(to *ink, space *color.Space, values []float64) {
	to.paint = space.Paint(values)
	to.tone = in.renderer.Tone(space, values)
}

// draws reports whether marks are rendered in the current state. Editors need none.
func (in *Interpreter) draws(f *frame) bool {
	return in.editor == nil && !f.layers.hidden() && !f.state.region.Empty()
}

// startMark numbers the next mark, and reports whether it is rendered. A mark outside the
// clip has a number, and cannot be seen; the marks of patterns and masks, which are rendered
// apart, have none.
func (in *Interpreter) startMark(f *frame) bool {
	in.number = 0
	if f.over == nil && !f.mask && !f.layers.hidden() {
		in.number = in.renderer.Mark()
	}
	return in.draws(f)
}

// style returns the current parameters of compositing.
func (in *Interpreter) style(f *frame, stroked bool) render.Style {
	s := &f.state
	if stroked {
		return render.Style{Alpha: s.strokeAlpha, Blend: s.blend, Overprint: s.overprintStroke, Mode: s.overprintMode, Soft: s.soft, Mark: in.number}
	}
	return render.Style{Alpha: s.fillAlpha, Blend: s.blend, Overprint: s.overprintFill, Mode: s.overprintMode, Soft: s.soft, Mark: in.number}
}

func (in *Interpreter) clipInk(f *frame, shape *geom.Path, evenOdd bool) {
	f.state.region = in.renderer.Clip(f.state.region, shape, evenOdd)
}

// fillShape fills a shape as a part of the current mark.
func (in *Interpreter) fillShape(f *frame, shape *geom.Path, evenOdd bool) {
	with := &f.state.fill
	switch {
	case with.space.Pattern():
		in.drawPattern(f, with, shape, evenOdd, f.state.region, in.style(f, false))
	case with.space.Paints():
		in.renderer.Fill(shape, evenOdd, f.state.region, with.tone, in.style(f, false))
	}
}

// strokeShape strokes a shape as a part of the current mark.
func (in *Interpreter) strokeShape(f *frame, shape *geom.Path) {
	with, line := &f.state.stroke, f.state.line
	line.Width, line.Pen = f.state.lineWidth, f.state.ctm
	switch {
	case with.space.Pattern():
		in.drawPattern(f, with, nil, false, in.renderer.ClipStroke(f.state.region, shape, line), in.style(f, true))
	case with.space.Paints():
		in.renderer.Stroke(shape, line, f.state.region, with.tone, in.style(f, true))
	}
}

// drawPattern fills a shape, or a whole region when it is nil, with a pattern.
func (in *Interpreter) drawPattern(f *frame, with *ink, shape *geom.Path, evenOdd bool, region *raster.Clip, style render.Style) {
	dict := in.file.Dict(with.pattern)
	if dict == nil {
		return
	}
	matrix := in.file.Matrix(dict["Matrix"]).Then(f.base)
	if shading, ok := dict["Shading"]; ok {
		if sh := in.shadingOf(f, shading, true); sh != nil {
			in.shade(sh, matrix, shape, evenOdd, region, style)
		}
		return
	}
	box, x, y, ok := in.cell(dict)
	if !ok {
		return
	}
	// A cell of large steps would be coarse, and most of it empty.
	if extent := in.renderer.Extent(region, shape); in.paintsOnce(dict, matrix, extent) {
		inverse, _ := matrix.Invert() // as it paints
		needed := inverse.Rect(extent)
		if !box.Contains(needed, 0) {
			var own, page geom.Path
			own.Rect(box)
			page.Append(&own, matrix)
			region = in.renderer.Clip(region, &page, false)
		}
		box = in.part(document.Identity(dict), box, needed)
		x, y = box.Width(), box.Height()
	}
	key := patternKey{dict: document.Identity(dict), matrix: matrix, light: in.renderer.Light(), box: box, x: x, y: y}
	uncolored := in.file.Int(dict["PaintType"]) == 2
	if uncolored {
		if with.space.Under == nil {
			return
		}
		key.tone = with.tone
	}
	tiles, ok := in.patterns[key]
	if !ok {
		in.patterns[key] = nil // of a pattern that contains itself
		tiles = in.drawTiles(with, dict, key, uncolored)
		in.patterns[key] = tiles
	}
	in.renderer.FillTiles(tiles, shape, evenOdd, region, style)
}

// The bounds of tiles of which only a part is painted: their number on a page, and the operators of a pattern
// that has been read, because the content is read again for each part.
const (
	maxParts    = 500
	maxPartCost = 200
)

// part returns the part of a tile that is needed if it is small: programs paint patterns as large as the page
// into single shapes. Else it returns the tile, which other shapes can share.
func (in *Interpreter) part(pattern uintptr, tile, needed geom.Rect) geom.Rect {
	needed = needed.Intersect(tile)
	if in.parts >= maxParts || in.costs[pattern] > maxPartCost || needed.Empty() || 2*needed.Width()*needed.Height() > tile.Width()*tile.Height() {
		return tile
	}
	in.parts++
	return needed
}

// drawTiles renders the cell of a pattern.
func (in *Interpreter) drawTiles(with *ink, dict types.Dict, key patternKey, uncolored bool) *render.Pattern {
	return in.renderer.Tile(key.matrix, key.box, key.x, key.y, func(shift geom.Matrix, region *raster.Clip) {
		inner := in.frame(in.file.Dict(dict["Resources"]))
		inner.state = in.initial(geom.Everything())
		inner.state.ctm, inner.state.region = shift.Then(key.matrix), region
		inner.muted, inner.mask, inner.again = uncolored, true, true
		if uncolored {
			colored := ink{space: with.space.Under, paint: with.paint, tone: with.tone}
			inner.state.fill, inner.state.stroke = colored, colored
		}
		in.clipTo(inner, key.box)
		before := in.steps
		in.nested(with.pattern, inner)
		in.costs[key.dict] = in.steps - before
		in.release(inner)
	})
}

// shadingOf reads a shading for rendering, or returns nil.
func (in *Interpreter) shadingOf(f *frame, o types.Object, pattern bool) *render.Shading {
	dict := in.file.Dict(o)
	if dict == nil {
		return nil
	}
	space := in.remap(f, in.spaces.Resolve(dict["ColorSpace"], in.page.Number))
	function, parametric := dict["Function"]
	// The colours of a function must not be indices (ISO 32000-2, 8.7.4.4).
	if space.Pattern() || space.Family == "" || parametric && space.Indexed() {
		in.renderer.Unpainted(in.number)
		return nil
	}
	sh := &render.Shading{Object: o, Dict: dict, Space: space, Pattern: pattern}
	if parametric {
		sh.Functions = in.functions(function)
	}
	return sh
}

// shade paints a shading and keeps its inks.
func (in *Interpreter) shade(sh *render.Shading, matrix geom.Matrix, shape *geom.Path, evenOdd bool, region *raster.Clip, style render.Style) {
	if paint, ok := in.renderer.Shade(sh, matrix, shape, evenOdd, region, style); ok {
		in.notePaint(sh.Dict, sh.Space, paint)
	}
}

// drawGlyph paints a glyph of a font program at the pen.
func (in *Interpreter) drawGlyph(f *frame, r *run, code int) {
	s := &f.state
	mode := s.renderMode
	if !in.draws(f) || mode == invisible || s.size == 0 {
		return
	}
	if s.font.outlines == nil {
		s.font.outlines = outline.Load(in.file, s.font.dict, s.font.shape.cmap, s.font.shape.Advance)
	}
	glyph := s.font.outlines.Glyph(code)
	x, y := f.along(r, r.pen)
	if !glyph.Examined && s.font.fact.Embedded {
		in.examine(f, code, glyph, x, y)
	}
	shape := glyph.Path
	if shape == nil || shape.Empty() {
		if glyph.State == outline.Unknown {
			in.renderer.Unpainted(in.number)
		}
		return
	}
	if r.shape.Vertical {
		dx, dy := s.font.outlines.Origin(code)
		x, y = x-dx*s.size*s.stretch, y-dy*s.size
	}
	m := f.glyphMatrix(x, y)
	fills, strokes := mode%4 == 0 || mode%4 == 2, mode%4 == 1 || mode%4 == 2
	if fills && !s.fill.space.Pattern() && s.fill.space.Paints() {
		in.renderer.Glyph(shape, m, s.region, s.fill.tone, in.style(f, false))
	}
	if mode >= clipping {
		f.text.shape.Append(shape, m)
	}
	if strokes || fills && s.fill.space.Pattern() {
		in.glyph.Reset()
		in.glyph.Append(shape, m)
		if fills && s.fill.space.Pattern() {
			in.fillShape(f, &in.glyph, false)
		}
		if strokes {
			in.strokeShape(f, &in.glyph)
		}
	}
}

// glyphMatrix returns the matrix from a glyph of size 1, at a place in text space, to the page.
func (f *frame) glyphMatrix(x, y float64) geom.Matrix {
	s := &f.state
	return geom.Matrix{s.size * s.stretch, 0, 0, s.size, x, y + s.rise}.Then(f.text.matrix).Then(s.ctm)
}

// cell returns the width of a code in units of the font size, and the box of its glyph on the page.
func (f *frame) cell(code int, x, y float64) (width float64, box geom.Rect) {
	shape := f.state.font.shape
	width = shape.Advance(code)
	return width, f.glyphMatrix(x, y).Rect(geom.Rect{0, shape.Descent, max(width, 0.1), shape.Ascent})
}

// examine records the faults of an embedded glyph, the first time that a page shows it.
func (in *Interpreter) examine(f *frame, code int, glyph *outline.Glyph, x, y float64) {
	font := f.state.font
	width, box := f.cell(code, x, y)
	if f.mask || !f.visible(box) {
		return
	}
	glyph.Examined = true
	font.fact.Damaged = font.fact.Damaged || errors.Is(font.outlines.Fault(), outline.ErrProgram)
	font.fact.Restricted = font.outlines.Restricted()
	switch {
	case glyph.State == outline.NotDefined && !font.outlines.Blank(code):
		font.fact.Missing.Add(codeName(code), 0, in.page.Number, box)
	case glyph.Stated && glyph.State != outline.NotDefined && font.shape.Stated():
		font.compareWidths(code, glyph.Advance, width, in.page.Number, box)
	}
}

// beginGroup starts a transparency group of the renderer, for the box of its form.
func (in *Interpreter) beginGroup(f *frame, form types.Dict, isolated, knockout bool, space *color.Space) {
	if !in.draws(f) {
		return
	}
	region := f.state.region
	if box, ok := in.file.Rect(form["BBox"]); ok {
		var own, shape geom.Path
		own.Rect(box)
		shape.Append(&own, in.file.Matrix(form["Matrix"]).Then(f.state.ctm))
		region = in.renderer.Clip(region, &shape, false)
	}
	in.renderer.Begin(region, isolated, knockout, space)
}

// drawMask renders the soft mask of a graphics state parameter dictionary.
func (in *Interpreter) drawMask(f *frame, o types.Object) {
	if !in.draws(f) {
		return
	}
	dict := in.file.Dict(o)
	form := in.file.Dict(dict["G"])
	key := maskKey{dict: document.Identity(dict), matrix: f.state.ctm, box: f.state.region.Box}
	if known, ok := in.masks[key]; ok {
		f.state.soft = known
		return
	}
	in.masks[key] = nil // of a mask that contains itself
	var space *color.Space
	if cs, ok := in.file.Dict(form["Group"])["CS"]; ok {
		space = in.spaces.Resolve(cs, in.page.Number)
	}
	var backdrop []float64
	if space != nil {
		var ok bool
		if backdrop, ok = in.file.Numbers(dict["BC"], space.Components); !ok {
			backdrop = space.Initial(nil)
		}
	}
	var transfer func(float64) float64
	if tr, ok := dict["TR"]; ok && in.file.Name(tr) == "" {
		if function, err := color.ParseFunction(in.file, tr, in.page.Number); err == nil && function.Outputs() > 0 {
			transfer = func(v float64) float64 { return function.Eval(nil, []float64{v})[0] }
		}
	}
	luminosity := in.file.Name(dict["S"]) == "Luminosity"
	soft := in.renderer.Mask(f.state.region, luminosity, space, backdrop, transfer, func() {
		inner := in.within(f, in.file.Dict(form["Resources"]))
		inner.mask, inner.again = true, true
		ctm, clip := f.state.ctm, f.state.clip
		inner.state = in.initial(clip)
		inner.state.ctm = ctm
		in.runForm(inner, dict["G"], form)
	})
	in.masks[key] = soft
	f.state.soft = soft
}

// drawImage paints an image XObject.
func (in *Interpreter) drawImage(f *frame, o types.Object, p *picture, space *color.Space) {
	if !in.startMark(f) {
		return
	}
	image := in.source(o, p, space)
	switch mask := in.file.Resolve(p.dict["Mask"]).(type) {
	case types.Array:
		for _, v := range mask[:min(len(mask), 2*color.MaxComponents)] {
			image.Ranges = append(image.Ranges, in.file.Int(v))
		}
	case nil:
	default:
		if dict := in.file.Dict(p.dict["Mask"]); dict != nil && p.softMask == nil {
			image.Mask = in.source(p.dict["Mask"], in.picture(p.dict["Mask"], dict), in.spaces.Device(color.DeviceGray))
			// Viewers use an image that is no stencil as a soft mask.
			image.Mask.Stencil = in.file.Bool(dict["ImageMask"])
			image.Mask.SoftMask = !image.Mask.Stencil
		}
	}
	if p.softMask != nil {
		image.Mask = in.source(p.softMask, in.picture(p.softMask, in.file.Dict(p.softMask)), in.spaces.Device(color.DeviceGray))
		image.Mask.Stencil, image.Mask.SoftMask = false, true
	}
	if p.softMask == nil && p.fact.Filter == jpx && in.file.Int(p.dict["SMaskInData"]) > 0 {
		image.Mask = in.source(o, p, in.spaces.Device(color.DeviceGray))
		image.Mask.SoftMask = true
		coded := image.Mask.Samples
		image.Mask.Samples = func() (color.Image, bool) {
			opacity, ok := coded()
			opacity.Opacity = true
			return opacity, ok
		}
	}
	if paint, ok := in.place(f, image); ok {
		in.notePaint(p.dict, space, paint)
	}
}

// source describes an image for the renderer.
func (in *Interpreter) source(o types.Object, p *picture, space *color.Space) *render.Image {
	key := paintKey{dict: document.Identity(p.dict), space: space}
	return &render.Image{
		Key: key, Space: space, Stencil: p.fact.Mask,
		Samples: func() (color.Image, bool) {
			decode, _ := in.file.Numbers(p.dict["Decode"], 2*space.Components)
			if !space.Usable() {
				return color.Image{}, false
			}
			image := color.Image{
				Width: p.fact.Width, Height: p.fact.Height, Bits: p.fact.Bits, Space: space, Decode: decode, Codec: codecs[p.fact.Filter],
			}
			switch image.Codec {
			case color.JBIG2:
				parms := in.file.Dict(p.dict["DecodeParms"])
				if list := in.file.Array(p.dict["DecodeParms"]); len(list) > 0 {
					parms = in.file.Dict(list[len(list)-1])
				}
				if parms["JBIG2Globals"] != nil { // segments that the image shares with others
					image.Globals = in.file.Quietly(parms["JBIG2Globals"])
				}
			case color.JPEG:
				image.Ahead = in.takeAhead(document.Identity(p.dict))
			}
			// The faults of an image are reported once, and only where its inks are known. The
			// parser does not support every fax.
			_, again := in.paints[key]
			again = again || !space.Known() || p.fact.Filter == "CCITTFaxDecode"
			size := int64(color.Stride(image.Width, space.Components, image.Bits)) * int64(image.Height)
			rows, ok := in.file.Rows(o, in.page.Number, size, again)
			switch {
			case !ok:
				return image, false
			case rows != nil:
				image.Rows = rows
			case again:
				image.Data = in.file.ImageAgain(o)
			default:
				image.Data = in.file.ImageData(o, in.page.Number)
			}
			return image, true
		},
	}
}

// place paints an image in the unit square, and returns its highest inks. A stencil may
// have a pattern as its colour.
func (in *Interpreter) place(f *frame, image *render.Image) (facts.Paint, bool) {
	s := &f.state
	var tone render.Tone
	if image.Stencil {
		if s.fill.space.Pattern() {
			in.fillStencil(f, image)
			return facts.Paint{}, false
		}
		if !s.fill.space.Paints() {
			return facts.Paint{}, false
		}
		tone = s.fill.tone
	}
	style := in.style(f, false)
	if image.Mask != nil && image.Mask.SoftMask {
		style.Soft = nil // a soft mask of the image overrides that of the state (11.6.5.2)
	}
	return in.renderer.Image(image, s.ctm, s.region, tone, style)
}

// fillStencil paints a pattern through a stencil, which becomes the soft mask.
func (in *Interpreter) fillStencil(f *frame, stencil *render.Image) {
	s, outer := &f.state, f.state.soft
	var unit, shape geom.Path
	unit.Rect(geom.Rect{0, 0, 1, 1})
	shape.Append(&unit, s.ctm)
	region := in.renderer.Clip(s.region, &shape, false)
	s.soft = in.renderer.Mask(region, false, nil, nil, nil, func() {
		in.renderer.Image(stencil, s.ctm, region, render.Tone{}, render.Style{Alpha: 1, Blend: normal, Soft: outer})
	})
	if s.soft == nil {
		in.renderer.Unpainted(in.number)
	} else {
		in.fillShape(f, &shape, false)
	}
	s.soft = outer
}

// drawInline paints an inline image, and returns its highest inks.
func (in *Interpreter) drawInline(f *frame, i *inline, space *color.Space, data []byte) facts.Paint {
	if !in.startMark(f) {
		return unpainted(space)
	}
	if !space.Usable() {
		in.renderer.Unpainted(in.number)
		return unpainted(space)
	}
	// The data is only valid now, and no other image is at its address later.
	kept := append([]byte(nil), in.file.Inline(i.pipeline(), data)...)
	paint, ok := in.place(f, &render.Image{
		Key: &kept, Space: space, Stencil: i.fact.Mask,
		Samples: func() (color.Image, bool) { return i.samples(space, kept), true },
	})
	if !ok {
		return unpainted(space)
	}
	return paint
}

// samples describes the samples of an inline image, whose general filters are decoded.
func (i *inline) samples(space *color.Space, data []byte) color.Image {
	return color.Image{
		Width: i.fact.Width, Height: i.fact.Height, Bits: i.fact.Bits, Space: space, Decode: i.decode, Codec: codecs[i.fact.Filter], Data: data,
	}
}

// maxDash bounds the lengths of a dash pattern.
const maxDash = 32

// dash returns the array of d.
func (f *frame) dash() []float64 {
	if len(f.operands) == 0 {
		return nil
	}
	var out []float64
	items := f.operands[0].Items
	for i := range items[:min(len(items), maxDash)] {
		if items[i].Kind == lexer.Number {
			out = append(out, items[i].Value)
		}
	}
	return out
}
