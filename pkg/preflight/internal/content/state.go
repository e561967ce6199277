// SPDX-License-Identifier: Apache-2.0

package content

import (
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/color"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/internal/lexer"
	"github.com/printmarket/printmarket/pkg/preflight/internal/planes"
	"github.com/printmarket/printmarket/pkg/preflight/internal/raster"
	"github.com/printmarket/printmarket/pkg/preflight/internal/render"
)

// state is the graphics state, which q saves and Q restores.
type state struct {
	ctm geom.Matrix
	// clip is a box around the clipping path: it may be too large, never too small.
	clip         geom.Rect
	fill, stroke ink
	lineWidth    float64
	// line holds the other parameters of lines, for rendering.
	line render.Line
	// region is the exact clip in pixels, and soft the current soft mask; both are nil
	// while nothing is rendered.
	region *raster.Clip
	soft   *planes.Soft
	textState
	transparency
	overprintFill, overprintStroke bool
	overprintMode                  int
}

// textState holds the parameters of 9.3.
type textState struct {
	font       *fontUse
	size       float64
	stretch    float64
	rise       float64
	charSpace  float64
	wordSpace  float64
	leading    float64
	renderMode int
}

// transparency holds the parameters of clause 11 that a mark contains.
type transparency struct {
	fillAlpha, strokeAlpha float64
	blend                  string
	softMask               bool
}

// ink is a current colour.
type ink struct {
	space *color.Space
	paint facts.Paint
	// tone is the colour in inks, for rendering.
	tone render.Tone
	// pattern is set when the colour is a pattern.
	pattern types.Object
	// remapped is the resource that replaces a device space, or "".
	remapped string
	// choice holds the operators that choose this colour, for an editor; nil if the stream cannot
	// choose it.
	choice *choice
}

func opaque() transparency {
	return transparency{fillAlpha: 1, strokeAlpha: 1, blend: normal}
}

// initial returns the state at the start of a page (tables 51 and 52).
func (in *Interpreter) initial(clip geom.Rect) state {
	gray := in.spaces.Device(color.DeviceGray)
	black := ink{space: gray}
	in.tint(&black, gray, []float64{0})
	s := state{
		ctm: geom.Identity(), clip: clip, fill: black, stroke: black, lineWidth: 1, line: render.Line{MiterLimit: 10},
		textState: textState{stretch: 1}, transparency: opaque(),
	}
	if in.editor != nil {
		s.fill.choice, s.stroke.choice = &choice{source: "0 g"}, &choice{source: "0 G"}
	}
	s.region = in.renderer.Region()
	return s
}

// frame is one content stream that is being executed.
type frame struct {
	resources types.Dict
	state     state
	saved     []state
	// base is the matrix at the start of the stream, to which patterns are relative.
	base geom.Matrix
	text text
	path path
	// muted is set for streams that may not set colours: uncoloured patterns
	// and glyphs.
	muted bool
	// mask is set inside soft masks, whose colours are not printed.
	mask bool
	// silent is set while marks are not recorded: the mark of a text includes the
	// outlines of its glyphs.
	silent bool
	// again is set when the images of the stream have been recorded before.
	again bool
	glyph bool
	// advance is the width that a glyph of a Type 3 font states, if advanced is set.
	advance  float64
	advanced bool
	// over is the box of the region that the marks of a pattern cover; nil outside
	// patterns. once is set for a pattern that paints one tile, whose marks are where they are.
	over *geom.Rect
	once bool
	// group is the transparency of the transparency group as a whole.
	group  transparency
	layers marked
	// compatible is the depth of BX.
	compatible int
	// defaults holds DefaultGray, DefaultRGB and DefaultCMYK.
	defaults     [3]*color.Space
	defaultsRead bool
	// operands holds the operands before the next operator.
	operands []lexer.Object
	editing
}

// frame returns an idle frame, or a new frame.
func (in *Interpreter) frame(resources types.Dict) *frame {
	n := len(in.idle)
	if n == 0 {
		return &frame{resources: resources, group: opaque()}
	}
	f := in.idle[n-1]
	in.idle = in.idle[:n-1]
	*f = frame{resources: resources, group: opaque(), saved: f.saved[:0], operands: f.operands[:0]}
	return f
}

// within returns a frame for a stream that starts in the state of another stream.
func (in *Interpreter) within(f *frame, resources types.Dict) *frame {
	if resources == nil {
		resources = f.resources
	}
	inner := in.frame(resources)
	inner.state, inner.muted, inner.mask, inner.silent, inner.again = f.state, f.muted, f.mask, f.silent, f.again
	inner.over, inner.once, inner.group = f.over, f.once, f.group
	inner.layers.outside, inner.layers.layer = f.layers.hidden(), f.layers.layer
	if in.editor != nil {
		inner.state.fill.choice, inner.state.stroke.choice = f.state.fill.choice.inherited(), f.state.stroke.choice.inherited()
	}
	return inner
}

// release returns a frame for reuse. The caller must not use it again.
func (in *Interpreter) release(f *frame) { in.idle = append(in.idle, f) }

// text is the state of a text object, between BT and ET.
type text struct {
	matrix, line geom.Matrix
	// clip is the box around the text that becomes the clip.
	clip  geom.Rect
	clips bool
	// shape holds the outlines of the glyphs that become the clip, for rendering.
	shape geom.Path
}

// number returns the i-th operand, or 0.
func (f *frame) number(i int) float64 {
	if i < len(f.operands) {
		return f.operands[i].Value
	}
	return 0
}

// last returns the text of the last operand, or nil.
func (f *frame) last() []byte {
	if n := len(f.operands); n > 0 {
		return f.operands[n-1].Text
	}
	return nil
}

// matrix returns six operands as a matrix.
func (f *frame) matrix() geom.Matrix {
	var m geom.Matrix
	for i := range m {
		m[i] = f.number(i)
	}
	return m
}

// clipTo narrows the clip to a box in the current user space.
func (in *Interpreter) clipTo(f *frame, box geom.Rect) {
	f.state.clip = f.state.clip.Intersect(f.state.ctm.Rect(box))
	var own, shape geom.Path
	own.Rect(box)
	shape.Append(&own, f.state.ctm)
	in.clipInk(f, &shape, false)
}
