// SPDX-License-Identifier: Apache-2.0

package content

import (
	"math"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/internal/lexer"
)

// Text rendering modes (table 104): invisible paints nothing, modes from clipping
// on add to the clip, and clipsOnly does only that.
const (
	invisible = 3
	clipping  = 4
	clipsOnly = 7
)

// textOperator executes the operators of 9.3 and 9.4.
func (in *Interpreter) textOperator(f *frame, name []byte) bool {
	s := &f.state
	switch string(name) {
	case "BT":
		f.text.shape.Reset()
		f.text = text{matrix: geom.Identity(), line: geom.Identity(), clip: geom.Nothing(), shape: f.text.shape}
	case "ET":
		if f.text.clips {
			s.clip = s.clip.Intersect(f.text.clip)
			in.clipInk(f, &f.text.shape, false)
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
	case "Tm":
		f.text.matrix, f.text.line = f.matrix(), f.matrix()
	case "Td":
		f.nextLine(f.number(0), f.number(1))
	case "TD":
		s.leading = -f.number(1)
		f.nextLine(f.number(0), f.number(1))
	case "T*":
		f.nextLine(0, -s.leading)
	case "Tj", "TJ":
		in.show(f)
	case "'":
		f.nextLine(0, -s.leading)
		in.show(f)
	case "\"":
		s.wordSpace, s.charSpace = f.number(0), f.number(1)
		f.nextLine(0, -s.leading)
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
	if f.state.font = in.font(o, string(name)); f.state.font != nil {
		return
	}
	// Viewers show text in a font of their own when the file lacks the font that
	// the page names.
	missing := in.absent[string(name)]
	if missing == nil {
		missing = &fontUse{fact: in.collector.Font(facts.Font{Name: document.Clean(string(name), 40), Type: "missing"})}
		if missing.fact == nil {
			return
		}
		in.absent[string(name)] = missing
	}
	f.state.font = missing
}

func (f *frame) nextLine(x, y float64) {
	f.text.line = geom.Matrix{1, 0, 0, 1, x, y}.Then(f.text.line)
	f.text.matrix = f.text.line
}

// run is the text of one operator. Positions are distances along the line from
// where the pen was.
type run struct {
	shape *Font
	pen   float64
	codes int
	// low and high are the ends of the glyphs with ink, or of all glyphs while none
	// has ink.
	low, high float64
	inked     bool
	// outlined and colored report whether glyphs of a Type 3 font take the current
	// colour or have colours of their own.
	outlined, colored bool
}

// show executes a string, or an array of strings and distances.
func (in *Interpreter) show(f *frame) {
	if f.state.font == nil || len(f.operands) == 0 {
		return
	}
	font := f.state.font
	if font.shape == nil {
		font.shape = NewFont(in.file, font.dict, in.page.Number)
	}
	// All glyphs are one mark. The glyphs of Type 3 fonts have marks of their own.
	if in.startMark(f); font.shape.Type3 != nil {
		in.number = 0
	}
	number := in.number
	r := run{shape: font.shape, low: math.MaxFloat64, high: -math.MaxFloat64}
	o := &f.operands[len(f.operands)-1]
	in.showItem(f, &r, o)
	for i := range o.Items {
		in.showItem(f, &r, &o.Items[i])
	}
	if in.number = number; r.codes > 0 {
		in.paintText(f, &r)
	}
	f.pen = r.pen
	x, y := f.along(&r, r.pen)
	f.text.matrix = geom.Matrix{1, 0, 0, 1, x, y}.Then(f.text.matrix)
}

// along returns the point at a position of the line, in text space.
func (f *frame) along(r *run, at float64) (x, y float64) {
	if r.shape.Vertical {
		return 0, at
	}
	return at, 0
}

// showItem moves the pen by a distance, or over a string.
func (in *Interpreter) showItem(f *frame, r *run, o *lexer.Object) {
	switch o.Kind {
	case lexer.Number:
		distance := -o.Value / 1000 * f.state.size
		if !r.shape.Vertical {
			distance *= f.state.stretch
		}
		r.pen += distance
	case lexer.String:
		s := &f.state
		stretch, towards := s.stretch, 1.0
		if r.shape.Vertical {
			stretch, towards = 1, -1
		}
		in.text = lexer.AppendText(in.text[:0], o)
		in.file.Budget.Operator(in.page.Number, int64(len(in.text)/8))
		for text := in.text; len(text) > 0; {
			code, size := r.shape.Next(text)
			blank := code == ' ' && size == 1
			width := r.shape.Advance(code) * s.size * stretch * towards
			r.cover(r.pen, r.pen+width, !blank)
			if r.shape.Type3 != nil {
				in.showGlyph(f, r, code)
			} else {
				in.drawGlyph(f, r, code)
			}
			space := s.charSpace
			if blank {
				space += s.wordSpace
			}
			r.pen += width + space*stretch
			text = text[size:]
		}
	default:
	}
}

// cover extends the run by a glyph. After the first glyph with ink, blanks do not
// count.
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

// box returns the box around a run, in text space.
func (f *frame) box(r *run) geom.Rect {
	s := &f.state
	if r.shape.Vertical {
		half := math.Abs(s.size) / 2
		return geom.Rect{-half, r.low + s.rise, half, r.high + s.rise}
	}
	a, d := r.shape.Ascent*s.size, r.shape.Descent*s.size
	return geom.Rect{r.low, s.rise + min(a, d), r.high, s.rise + max(a, d)}
}

// paintText records the marks, the font and the clip that result from a run.
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
	if mode == invisible && !in.invisible && !f.mask {
		in.invisible = true
		in.collector.Feature(facts.InvisibleText, "", s.font.fact.Object, in.page.Number, &box)
	}
	if mode == invisible || mode == clipsOnly {
		return
	}
	in.collector.UseFont(s.font.fact, in.page.Number)
	if !r.inked || r.colored && !r.outlined {
		return
	}
	_, scale := matrix.Scale()
	t := typeset{
		box:  box,
		size: math.Abs(s.size) * r.shape.Em() * scale * in.page.UserUnit,
	}
	if r.shape.Type3 != nil {
		mode = 0
	}
	if mode%4 != 1 {
		if m := in.textMark(f, t); m != nil {
			in.paint(f, &s.fill, m)
		}
	}
	if mode%4 == 1 || mode%4 == 2 {
		if m := in.textMark(f, t); m != nil {
			least, _ := s.ctm.Stretch()
			m.Stroked, m.Width = true, math.Abs(s.lineWidth)*least*in.page.UserUnit
			in.paint(f, &s.stroke, m)
		}
	}
}

// typeset is a run of text on the page. The size is the height of the em square on
// paper.
type typeset struct {
	box  geom.Rect
	size float64
}

func (in *Interpreter) textMark(f *frame, t typeset) *facts.Mark {
	m := in.begin(f, facts.Text, t.box)
	if m != nil {
		m.Font, m.Object, m.Size = f.state.font.fact, f.state.font.fact.Object, t.size
	}
	return m
}
