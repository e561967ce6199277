// SPDX-License-Identifier: Apache-2.0

package content

import (
	"math"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/internal/lexer"
)

// invisible is the text rendering mode that paints nothing; modes from clipping
// on add to the clip, and the last does only that (table 104).
const (
	invisible = 3
	clipping  = 4
	clipsOnly = 7
)

// How much of its box a text inks, roughly: filled and outlined.
const (
	filledShare   = 0.25
	outlinedShare = 0.1
)

// textOperator executes those of 9.3 and 9.4.
func (in *Interpreter) textOperator(f *frame, name []byte) bool {
	s := &f.state
	switch string(name) {
	case "BT":
		f.text = text{matrix: geom.Identity(), line: geom.Identity(), clip: geom.Nothing()}
	case "ET":
		if f.text.clips {
			s.clip = s.clip.Intersect(f.text.clip)
			f.text.clips = false
		}
	case "Tf":
		in.setFont(f)
	case "Tc":
		s.charSpace = f.number(0)
	case "Tw":
		s.wordSpace = f.number(0)
	case "Tz":
		s.stretch = f.number(0) / 100
	case "TL":
		s.leading = f.number(0)
	case "Ts":
		s.rise = f.number(0)
	case "Tr":
		s.renderMode = int(min(max(f.number(0), 0), clipsOnly))
	default:
		return in.showOperator(f, name)
	}
	return true
}

// showOperator executes those that move the pen.
func (in *Interpreter) showOperator(f *frame, name []byte) bool {
	switch string(name) {
	case "Tm":
		f.text.matrix, f.text.line = f.matrix(), f.matrix()
	case "Td":
		f.nextLine(f.number(0), f.number(1))
	case "TD":
		f.state.leading = -f.number(1)
		f.nextLine(f.number(0), f.number(1))
	case "T*":
		f.nextLine(0, -f.state.leading)
	case "Tj", "TJ":
		in.show(f)
	case "'":
		f.nextLine(0, -f.state.leading)
		in.show(f)
	case "\"":
		f.state.wordSpace, f.state.charSpace = f.number(0), f.number(1)
		f.nextLine(0, -f.state.leading)
		in.show(f)
	default:
		return false
	}
	return true
}

func (in *Interpreter) setFont(f *frame) {
	if len(f.operands) < 2 {
		return
	}
	n := len(f.operands)
	name := f.operands[n-2].Text
	f.state.size = f.operands[n-1].Value
	o := in.resource(f, "Font", name)
	if dict := in.file.Dict(o); dict != nil {
		if known, ok := in.fonts[document.Identity(dict)]; ok {
			f.state.font = known
			return
		}
	}
	if f.state.font = in.font(o, string(name)); f.state.font == nil {
		f.state.font = in.missingFont(string(name))
	}
}

func (f *frame) nextLine(x, y float64) {
	f.text.line = geom.Matrix{1, 0, 0, 1, x, y}.Then(f.text.line)
	f.text.matrix = f.text.line
}

// run is the text of one operator. Its places are along the line, from where the
// pen was.
type run struct {
	shape *Font
	pen   float64
	codes int
	// low and high are the ends of what is inked, or, while nothing is, of all.
	low, high float64
	inked     bool
	// outlined and colored tell what the glyphs of a Type 3 font are.
	outlined, colored bool
}

// show executes a string, or an array of strings and distances.
func (in *Interpreter) show(f *frame) {
	if f.state.font == nil || len(f.operands) == 0 {
		return
	}
	r := run{shape: in.shaped(f.state.font), low: math.MaxFloat64, high: -math.MaxFloat64}
	o := &f.operands[len(f.operands)-1]
	in.showItem(f, &r, o)
	for i := range o.Items {
		in.showItem(f, &r, &o.Items[i])
	}
	if r.codes > 0 {
		in.paintText(f, &r)
	}
	x, y := f.along(&r, r.pen)
	f.text.matrix = geom.Matrix{1, 0, 0, 1, x, y}.Then(f.text.matrix)
}

// along is a place on the line in text space.
func (f *frame) along(r *run, at float64) (x, y float64) {
	if r.shape.Vertical {
		return 0, at
	}
	return at, 0
}

func (in *Interpreter) showItem(f *frame, r *run, o *lexer.Object) {
	switch o.Kind {
	case lexer.Number:
		distance := -o.Value / 1000 * f.state.size
		if !r.shape.Vertical {
			distance *= f.state.stretch
		}
		r.pen += distance
	case lexer.String:
		in.text = lexer.AppendText(in.text[:0], o)
		in.showText(f, r, in.text)
	default:
	}
}

// showText moves the pen over a string.
func (in *Interpreter) showText(f *frame, r *run, text []byte) {
	s := &f.state
	stretch, towards := s.stretch, 1.0
	if r.shape.Vertical {
		stretch, towards = 1, -1
	}
	in.file.Budget.Operator(in.page.Number, int64(len(text)/8))
	for len(text) > 0 {
		code, size := r.shape.Next(text)
		blank := code == ' ' && size == 1
		width := r.shape.Advance(code) * s.size * stretch * towards
		r.cover(r.pen, r.pen+width, !blank)
		if r.shape.Type3 != nil {
			in.showGlyph(f, r, code)
		}
		space := s.charSpace
		if blank {
			space += s.wordSpace
		}
		r.pen += width + space*stretch
		text = text[size:]
	}
}

// cover adds a glyph to the ends. Once there is ink, blanks do not count.
func (r *run) cover(from, to float64, ink bool) {
	r.codes++
	if r.inked && !ink {
		return
	}
	if ink && !r.inked {
		r.inked, r.low, r.high = true, math.MaxFloat64, -math.MaxFloat64
	}
	r.low, r.high = min(r.low, from, to), max(r.high, from, to)
}

// box of the run, in text space.
func (f *frame) box(r *run) geom.Rect {
	s := &f.state
	if r.shape.Vertical {
		half := math.Abs(s.size) / 2
		return geom.Rect{-half, r.low + s.rise, half, r.high + s.rise}
	}
	a, d := r.shape.Ascent*s.size, r.shape.Descent*s.size
	return geom.Rect{r.low, s.rise + min(a, d), r.high, s.rise + max(a, d)}
}

// paintText notes what a run comes to on the page.
func (in *Interpreter) paintText(f *frame, r *run) {
	s := &f.state
	matrix := f.text.matrix.Then(s.ctm)
	local := f.box(r)
	box := matrix.Rect(local)
	mode := s.renderMode
	if mode >= clipping && box.Finite() {
		f.text.clip, f.text.clips = f.text.clip.Union(box), true
	}
	if f.layers.hidden() || !f.visible(box) {
		return
	}
	if mode == invisible {
		in.invisibleText(f, &box)
		return
	}
	if mode == clipsOnly {
		return
	}
	in.collector.UseFont(s.font.fact, in.page.Number)
	if !r.inked || r.colored && !r.outlined {
		return
	}
	t := typeset{box: box, area: local.Area() * matrix.Area(), size: in.textSize(f, r, matrix)}
	if r.shape.Type3 != nil {
		mode = 0
	}
	if mode%4 != 1 {
		if m := in.textMark(f, t, filledShare); m != nil {
			in.paint(f, &f.state.fill, m)
		}
	}
	if mode%4 == 1 || mode%4 == 2 {
		if m := in.textMark(f, t, outlinedShare); m != nil {
			least, _ := f.state.ctm.Stretch()
			m.Stroked, m.Width = true, math.Abs(f.state.lineWidth)*least*in.page.UserUnit
			in.paint(f, &f.state.stroke, m)
		}
	}
}

// typeset is a run of text in its place on the page.
type typeset struct {
	box        geom.Rect
	area, size float64
}

// textSize is the height of the em square on paper.
func (in *Interpreter) textSize(f *frame, r *run, matrix geom.Matrix) float64 {
	_, y := matrix.Scale()
	return math.Abs(f.state.size) * r.shape.Em() * y * in.page.UserUnit
}

func (in *Interpreter) invisibleText(f *frame, box *geom.Rect) {
	if !in.invisible && !f.mask {
		in.invisible = true
		in.collector.Feature(facts.InvisibleText, "", f.state.font.fact.Object, in.page.Number, box)
	}
}

func (in *Interpreter) textMark(f *frame, t typeset, share float64) *facts.Mark {
	m := in.begin(f, facts.Text, t.box)
	if m != nil {
		m.Font, m.Object, m.Size = f.state.font.fact, f.state.font.fact.Object, t.size
		m.Area = in.visibleArea(t.area*share, t.box, m.Box)
	}
	return m
}
