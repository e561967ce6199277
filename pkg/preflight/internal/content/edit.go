// SPDX-License-Identifier: Apache-2.0

package content

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/color"
	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/internal/lexer"
)

// Editor changes content streams. [Interpreter.Edit] reads a page with it: an interpreter executes the
// content, and collects the changes of each stream.
type Editor struct {
	// Change returns the changes of a visible mark; nil for none.
	Change func(page int, m *facts.Mark) Change
	// Convert returns the process inks that replace a colour in RGB or Lab; nil keeps all colours.
	Convert func(space *color.Space, values []float64) [4]float64
	// Picture converts an image in RGB or Lab. Gradient converts a shading, of a pattern unless it is
	// nil, and returns the shading that replaces it. Inline converts an inline image, and returns the
	// XObject that replaces it. Each returns false if it cannot.
	Picture  func(o types.Object, dict types.Dict, image color.Image) bool
	Gradient func(o types.Object, dict types.Dict, space *color.Space, pattern types.Object) (types.IndirectRef, bool)
	Inline   func(image color.Image) (types.IndirectRef, bool)
	// Hidden removes the content of hidden layers, except those of processing steps.
	Hidden bool

	// Streams holds the changed streams, in the order of their execution.
	Streams []*Stream
	// Boxes holds the boxes of changed marks on each page, in its default user space.
	Boxes map[int][]geom.Rect
	// Faults holds the edits that are not possible, with the page.
	Faults map[EditKind]int

	streams map[uintptr]*Stream
	// masked holds the streams of soft masks, whose colours are no ink.
	masked map[uintptr]bool
	// converted holds the images and shadings that were converted, or could not be, and gradients the
	// shadings that replace others.
	converted map[uintptr]bool
	gradients map[uintptr]types.IndirectRef
}

// Change is what changes about a mark. The zero value changes nothing.
type Change struct {
	// Black paints text in black only, which overprints.
	Black bool
	// Knockout switches overprinting off.
	Knockout bool
	// Width is the least width of a line in points on paper, 0 for none.
	Width float64
}

// EditKind is a kind of edit.
type EditKind int

// The kinds.
const (
	EditColor EditKind = iota
	EditBlack
	EditKnockout
	EditWidth
	EditHidden
)

// Stream is a content stream with its edits.
type Stream struct {
	// Page is the number of the page whose content this is, 0 for a form, a pattern or a glyph.
	Page int
	// Parts are the objects of the stream: of a page, its streams that are not empty.
	Parts types.Array
	// Resources are those by which the stream was executed, and Added are new ones by category.
	Resources types.Dict
	Added     map[string]types.Dict

	id    uintptr
	edits map[place]edit
}

// place is the range of bytes that an edit replaces; it is empty for an insertion.
type place struct {
	from, to lexer.Position
	slot     slot
}

// slot orders the edits at one position: text that follows an operator comes before text that
// precedes the next one.
type slot int

const (
	strokeAfter slot = iota
	fillAfter
	widthAfter
	strokeBefore
	fillBefore
	widthBefore
	replaced
)

type edit struct {
	Edit
	text string
	// rank selects one of several edits of a stream that is executed several times.
	rank float64
}

// Edit describes a change, for a log.
type Edit struct {
	Kind EditKind
	// Name is the operator or the parameter, with its values before and after.
	Name, Before, After string
}

// NewEditor returns an editor without changes.
func NewEditor() *Editor {
	return &Editor{
		Boxes: map[int][]geom.Rect{}, Faults: map[EditKind]int{},
		streams: map[uintptr]*Stream{}, masked: map[uintptr]bool{}, converted: map[uintptr]bool{}, gradients: map[uintptr]types.IndirectRef{},
	}
}

// Edits lists the changes of the stream in the order of their places, without repetitions.
func (s *Stream) Edits() []Edit {
	var out []Edit
	known := map[Edit]bool{}
	for _, at := range s.places() {
		if e := s.edits[at].Edit; e.Name != "" && !known[e] {
			known[e] = true
			out = append(out, e)
		}
	}
	return out
}

func (s *Stream) places() []place {
	return slices.SortedFunc(maps.Keys(s.edits), func(a, b place) int {
		return cmp.Or(cmp.Compare(a.from.Chunk, b.from.Chunk), cmp.Compare(a.from.Offset, b.from.Offset), cmp.Compare(a.slot, b.slot))
	})
}

// Apply returns the edited data of a part.
func (s *Stream) Apply(part int, data []byte) []byte {
	var out []byte
	done := 0
	for _, at := range s.places() {
		if at.from.Chunk != part || at.from.Offset < done || at.to.Offset > len(data) {
			continue
		}
		out = append(out, data[done:at.from.Offset]...)
		if text := s.edits[at].text; text != "" {
			out = append(append(append(out, ' '), text...), ' ')
		}
		done = at.to.Offset
	}
	return append(out, data[done:]...)
}

// put records an edit. Several executions of a stream must agree on it, except for ranks.
func (e *Editor) put(s *Stream, page int, at place, made edit) {
	if at.from.Chunk != at.to.Chunk {
		e.fault(made.Kind, page)
		return
	}
	old, known := s.edits[at]
	switch {
	case !known:
		if len(s.edits) == 0 {
			e.Streams = append(e.Streams, s)
		}
	case old.text == made.text || old.rank > made.rank:
		return
	case old.rank == made.rank:
		e.fault(made.Kind, page)
		return
	}
	s.edits[at] = made
	if e.masked[s.id] {
		e.fault(made.Kind, page)
	}
}

// fault records that an edit is not possible.
func (e *Editor) fault(kind EditKind, page int) {
	if e.Faults[kind] == 0 {
		e.Faults[kind] = page
	}
}

// stream returns the record of a stream that is executed in a frame, or nil in a soft mask.
func (in *Interpreter) stream(f *frame, id uintptr, page int, parts ...types.Object) *Stream {
	e := in.editor
	if f.mask {
		e.masked[id] = true
		if s := e.streams[id]; s != nil {
			for _, made := range s.edits {
				e.fault(made.Kind, in.page.Number)
			}
		}
		return nil
	}
	s := e.streams[id]
	if s == nil {
		s = &Stream{Page: page, Parts: parts, Resources: f.resources, Added: map[string]types.Dict{}, id: id, edits: map[place]edit{}}
		e.streams[id] = s
	}
	return s
}

// add adds a resource to the stream, and returns its name as content has it.
func (s *Stream) add(category, name string, o types.Object) string {
	if s.Added[category] == nil {
		s.Added[category] = types.Dict{}
	}
	name = "Fixed" + name
	s.Added[category][name] = o
	return "/" + name
}

// editing holds the places in a stream that its edits need.
type editing struct {
	stream *Stream
	// from and to enclose the current operator with its operands; begun is the place before the
	// current path.
	from, to, begun lexer.Position
	drawing         bool
	// skips is set when the current operator draws an object of a hidden layer.
	skips bool
	// pen is the distance that the current operator moved along the line of text.
	pen float64
}

// follow notes the place of an operator before its execution.
func (b *editing) follow(tokens *lexer.Lexer, name []byte) {
	b.to, b.skips, b.pen = tokens.End(), false, 0
	switch string(name) {
	case "m", "l", "c", "v", "y", "re":
		if !b.drawing {
			b.drawing, b.begun = true, b.from
		}
	}
}

// replace replaces the current operator.
func (in *Interpreter) replace(f *frame, text string, e Edit) {
	in.editor.put(f.stream, in.page.Number, place{f.from, f.to, replaced}, edit{Edit: e, text: text})
}

// around puts text before the current operator, or before its path, and after it.
func (in *Interpreter) around(f *frame, m *facts.Mark, slots [2]slot, before, after edit) {
	at := f.from
	if m.Kind == facts.Path {
		at = f.begun
	}
	in.editor.put(f.stream, in.page.Number, place{at, at, slots[0]}, before)
	after.Edit = Edit{Kind: before.Kind}
	in.editor.put(f.stream, in.page.Number, place{f.to, f.to, slots[1]}, after)
}

// change applies the changes of a mark.
func (in *Interpreter) change(f *frame, m *facts.Mark) {
	e, s := in.editor, &f.state
	if e == nil || e.Change == nil || f.stream == nil {
		return
	}
	c := e.Change(in.page.Number, m)
	if c == (Change{}) {
		return
	}
	box := m.Box
	with, overprint, slots := s.fill.choice, s.overprintFill, [2]slot{fillBefore, fillAfter}
	if m.Stroked {
		with, overprint, slots = s.stroke.choice, s.overprintStroke, [2]slot{strokeBefore, strokeAfter}
	}
	old := f.overprint(m.Stroked, overprint, s.overprintMode)
	switch {
	case c.Black && (f.muted || with == nil):
		e.fault(EditBlack, in.page.Number)
	case c.Black:
		black := "0 0 0 1 k"
		if m.Stroked {
			black = "0 0 0 1 K"
		}
		in.around(f, m, slots,
			edit{text: f.overprint(m.Stroked, true, 1) + " " + black, Edit: Edit{EditBlack, "text", with.source, black + ", overprint"}},
			edit{text: old + " " + with.source})
	case c.Knockout:
		in.around(f, m, slots,
			edit{text: f.overprint(m.Stroked, false, s.overprintMode), Edit: Edit{EditKnockout, "overprint", "true", "false"}}, edit{text: old})
	}
	least, greatest := s.ctm.Stretch()
	if c.Width > 0 && least > 0 {
		// A little more, because programs round.
		width := c.Width / (least * in.page.UserUnit) * 1.0005
		before := lexer.Numbers(math.Abs(s.lineWidth))
		in.around(f, m, [2]slot{widthBefore, widthAfter},
			edit{text: lexer.Numbers(width) + " w", rank: width, Edit: Edit{EditWidth, "line width", before, lexer.Numbers(width)}}, edit{text: before + " w"})
		box = box.Grow(width * greatest)
	}
	e.Boxes[in.page.Number] = append(e.Boxes[in.page.Number], box)
}

// overprint returns the operator that selects an overprint, of fills or of strokes, and adds its
// parameters to the resources. The other overprint stays.
func (f *frame) overprint(stroked, on bool, mode int) string {
	digit := func(b bool) string { return strconv.Itoa(map[bool]int{true: 1}[b]) }
	dict := types.Dict{"op": types.Boolean(on), "OPM": types.Integer(mode)}
	name := "Fill" + digit(on) + strconv.Itoa(mode)
	if stroked {
		dict["OP"], dict["op"] = types.Boolean(on), types.Boolean(f.state.overprintFill)
		name = "Stroke" + digit(on) + digit(f.state.overprintFill) + strconv.Itoa(mode)
	}
	return f.stream.add("ExtGState", name, dict) + " gs"
}

// choice holds the operators that choose a colour after all edits. It is immutable.
type choice struct {
	// source are all operators; space is the one of them that chooses the space, "" for none.
	source, space string
	// named reports whether they use names of the resources of the stream.
	named bool
}

// inherited returns the choice of a colour in a stream inside of the one that chose it, or nil if that
// stream cannot choose it.
func (c *choice) inherited() *choice {
	if c == nil || c.named {
		return nil
	}
	return c
}

// recolor follows a colour operator, and replaces a colour in RGB or Lab.
func (in *Interpreter) recolor(f *frame, name []byte, to *ink) {
	text := operation(f.operands, name)
	chooses := name[0]|0x20 == 'c'
	switch string(name) {
	case "g", "G", "rg", "RG", "k", "K":
		to.choice = &choice{source: text}
	case "cs", "CS":
		to.choice = &choice{source: text, space: text, named: true}
	default:
		to.choice = to.choice.of(text)
	}
	space := to.space
	if space.Pattern() {
		space = space.Under
	}
	if in.editor.Convert == nil || space == nil || !space.RGBOrLab() {
		return
	}
	var buffer [color.MaxComponents]float64
	values := f.numbers(buffer[:0])
	if chooses {
		values = space.Initial(buffer[:0])
	}
	inks := in.editor.Convert(space, values)
	made := lexer.Numbers(inks[:]...)
	switch {
	case !to.space.Pattern():
		made += map[bool]string{true: " K", false: " k"}[name[0] < 'a']
		to.choice = &choice{source: made}
	case chooses:
		made = f.stream.add("ColorSpace", "Pattern", types.Array{types.Name("Pattern"), types.Name("DeviceCMYK")}) + " " + string(name)
		to.choice = &choice{source: made, space: made, named: true}
	default:
		made += " " + operation(f.operands[len(f.operands)-1:], name)
		to.choice = to.choice.of(made)
	}
	in.replace(f, made, Edit{EditColor, string(name), strings.TrimSuffix(text, " "+string(name)), made})
}

// of returns the choice of another colour in the same space.
func (c *choice) of(components string) *choice {
	if c == nil {
		return nil
	}
	return &choice{source: strings.TrimSpace(c.space + " " + components), space: c.space, named: c.named}
}

// convertImage converts an image XObject in RGB or Lab.
func (in *Interpreter) convertImage(f *frame, o types.Object, p *picture, space *color.Space) {
	if in.editor == nil || in.editor.Convert == nil || p.fact.Mask || !space.RGBOrLab() ||
		!in.editor.converts(document.Identity(p.dict), f.mask, in.page.Number) {
		return
	}
	image, ok := in.source(o, p, space).Samples()
	if _, isRef := o.(types.IndirectRef); !ok || !isRef || !in.editor.Picture(o, p.dict, image) {
		in.editor.fault(EditColor, in.page.Number)
	}
}

// converts reports whether an image or a shading is to be converted: it is met for the first time, and
// is not in a soft mask, whose colours are no ink.
func (e *Editor) converts(id uintptr, mask bool, page int) bool {
	first := !mask && !e.converted[id]
	e.masked[id], e.converted[id] = e.masked[id] || mask, e.converted[id] || !mask
	if e.masked[id] && e.converted[id] {
		e.fault(EditColor, page)
		return false
	}
	return first
}

// convertInline converts an inline image in RGB or Lab.
func (in *Interpreter) convertInline(f *frame, i *inline, space *color.Space, data []byte) {
	if in.editor == nil || in.editor.Convert == nil || f.stream == nil || i.fact.Mask || !space.RGBOrLab() {
		return
	}
	if _, again := f.stream.edits[place{f.from, f.to, replaced}]; again {
		return
	}
	ref, ok := in.editor.Inline(i.samples(space, in.file.Inline(i.pipeline(), data)))
	if !ok {
		in.editor.fault(EditColor, in.page.Number)
		return
	}
	name := f.stream.add("XObject", fmt.Sprintf("Image%d", ref.ObjectNumber), ref)
	in.replace(f, name+" Do", Edit{EditColor, "inline image", space.Family, "DeviceCMYK"})
}

// convertGradient converts a shading in RGB or Lab, of a pattern unless it is nil.
func (in *Interpreter) convertGradient(f *frame, o types.Object, dict types.Dict, space *color.Space, pattern types.Object) {
	if in.editor == nil || in.editor.Convert == nil || !space.RGBOrLab() {
		return
	}
	id := document.Identity(dict)
	if in.editor.converts(id, f.mask, in.page.Number) {
		made, ok := in.editor.Gradient(o, dict, space, pattern)
		if !ok {
			in.editor.fault(EditColor, in.page.Number)
			return
		}
		in.editor.gradients[id] = made
	}
	_, numbered := o.(types.IndirectRef)
	if ref, ok := in.editor.gradients[id]; ok && !numbered && pattern == nil && f.stream != nil {
		name := f.stream.add("Shading", fmt.Sprintf("Gradient%d", ref.ObjectNumber), ref)
		in.replace(f, name+" sh", Edit{EditColor, "gradient", space.Family, color.DeviceCMYK})
	}
}

// dropHidden removes an operator that paints on a hidden layer, after its execution.
func (in *Interpreter) dropHidden(f *frame, name []byte) {
	switch string(name) {
	case "f", "F", "f*", "S", "s", "B", "B*", "b", "b*", "n":
		f.drawing = false
	}
	if !in.editor.Hidden {
		return
	}
	drop := func(text string) { in.replace(f, text, Edit{EditHidden, string(name), "on a hidden layer", ""}) }
	switch string(name) {
	case "BDC":
		if f.layers.opened(removed) {
			// Of the tag OC, viewers expect a layer.
			in.replace(f, "/Artifact BMC", Edit{Kind: EditHidden})
		}
		return
	case "Do":
		if f.skips {
			drop("")
			return
		}
	}
	if f.layers.removed == 0 {
		return
	}
	switch string(name) {
	case "f", "F", "f*", "S", "s", "B", "B*", "b", "b*":
		drop("n")
	case "sh", "Do", "BI":
		drop("")
	case "Tj", "TJ":
		drop(f.shift())
	case "'":
		drop("T* " + f.shift())
	case "\"":
		drop(lexer.Numbers(f.number(0)) + " Tw " + lexer.Numbers(f.number(1)) + " Tc T* " + f.shift())
	}
}

// shift returns the operator that moves the pen like the current one, without text.
func (f *frame) shift() string {
	s := &f.state
	unit := s.size
	if s.font != nil && s.font.shape != nil && !s.font.shape.Vertical {
		unit *= s.stretch
	}
	if f.pen == 0 || unit == 0 {
		return ""
	}
	return "[" + lexer.Numbers(-f.pen*1000/unit) + "] TJ"
}

// operation returns an operator with its operands, which are numbers and names.
func operation(operands []lexer.Object, name []byte) string {
	var out strings.Builder
	for i := range operands {
		switch o := &operands[i]; o.Kind {
		case lexer.Number:
			out.WriteString(lexer.Numbers(o.Value) + " ")
		case lexer.Name:
			out.WriteString("/" + lexer.EscapeName(o.Text) + " ")
		default:
		}
	}
	out.Write(name)
	return out.String()
}
