// SPDX-License-Identifier: Apache-2.0

// Package content executes page descriptions, as a printer would, but draws
// nothing: it keeps the graphics state (transformation, clip, colour, font) and
// notes what is painted, where and in what.
//
// It follows forms, tiling patterns, glyphs of Type 3 fonts, soft masks and the
// printed appearance of annotations. Everything is bounded: by the budget of
// the document, by nesting, and by depth of saved states. Optional content is
// taken as visible.
package content

import (
	"context"
	"fmt"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/internal/preflight/document"
	"github.com/printmarket/printmarket/internal/preflight/facts"
	"github.com/printmarket/printmarket/internal/preflight/geom"
	"github.com/printmarket/printmarket/internal/preflight/lexer"
)

// cancelEvery is how many operators go between two looks at the context.
const cancelEvery = 4096

// streamCost is what starting another stream costs, in plain operators.
const streamCost = 16

// Interpreter reads the pages of one document, in order.
type Interpreter struct {
	file      *document.File
	collector *facts.Collector
	limits    document.Limits
	page      *document.Page
	steps     int
	// stopped is the context's Err during one call of Page.
	stopped   func() error
	fonts     map[uintptr]*font
	resources map[uintptr]bool
	spaces    map[int]space
	// visited are the patterns, masks and glyphs that were read on this page.
	visited map[visit]bool
	// active are the streams that are being executed, outermost first.
	active []uintptr
}

// visit is one reading of a content stream that does not depend on where on the
// page it is painted.
type visit struct {
	dict uintptr
	// scale tells readings apart that differ in size, in 1/16 of a power of two.
	scale int
}

// New prepares to read a document.
func New(file *document.File, collector *facts.Collector, limits document.Limits) *Interpreter {
	return &Interpreter{
		file: file, collector: collector, limits: limits,
		fonts: map[uintptr]*font{}, resources: map[uintptr]bool{}, spaces: map[int]space{},
	}
}

// Page reads one page. The error is that of the context.
func (in *Interpreter) Page(ctx context.Context, page *document.Page) error {
	in.stopped, in.page, in.visited, in.active = ctx.Err, page, map[visit]bool{}, in.active[:0]
	root := &frame{resources: page.Resources, state: initial(page.Media)}
	in.declare(root.resources)
	in.run(root, in.streams(page.Contents))
	in.annotations()
	return context.Cause(ctx)
}

// frame is one content stream that is being executed.
type frame struct {
	resources types.Dict
	state     state
	saved     []state
	// base is the matrix at the start of the stream: patterns hang from it.
	base geom.Matrix
	text text
	path path
	// muted is set for streams that may not set colours: uncoloured patterns
	// and glyphs, and masks, whose colours are not printed.
	muted bool
	mask  bool
	// operands waits for an operator.
	operands []lexer.Object
}

// run executes streams. It stops quietly when the budget is used up or the
// context is done; both are noted elsewhere.
func (in *Interpreter) run(f *frame, chunks func() ([]byte, bool)) {
	f.base = f.state.ctm
	f.path.reset()
	tokens := lexer.New(chunks)
	for {
		o := tokens.Next()
		switch o.Kind {
		case lexer.EOF:
			return
		case lexer.Keyword:
			if !in.step(f, tokens, string(o.Text)) {
				return
			}
			f.operands = f.operands[:0]
		default:
			if len(f.operands) < in.limits.Operands {
				f.operands = append(f.operands, o)
			}
		}
	}
}

// step executes one operator.
func (in *Interpreter) step(f *frame, tokens *lexer.Lexer, name string) bool {
	budget := in.file.Budget
	if !budget.Operator(in.page.Number, 1) {
		return false
	}
	if in.steps++; in.steps%cancelEvery == 0 && in.stopped() != nil {
		return false
	}
	if name == "BI" {
		in.inlineImage(f, tokens)
		return true
	}
	if run, ok := operators(name); ok {
		run(in, f)
	}
	return !budget.Spent()
}

// streams yields the streams of a /Contents entry, one after the other, so that
// they are never in memory together.
func (in *Interpreter) streams(contents types.Object) func() ([]byte, bool) {
	parts := in.file.Array(contents)
	if parts == nil {
		parts = types.Array{contents}
	}
	return func() ([]byte, bool) {
		for len(parts) > 0 && !in.file.Budget.Spent() {
			part := parts[0]
			parts = parts[1:]
			if data := in.load(part); len(data) > 0 {
				return data, true
			}
			// An endless list of empty streams is work, too.
			if !in.file.Budget.Operator(in.page.Number, streamCost) {
				break
			}
		}
		return nil, false
	}
}

// load decodes a stream that is about to be executed.
func (in *Interpreter) load(o types.Object) []byte {
	data := in.file.Decode(o, in.page.Number)
	if !in.file.Budget.Content(in.page.Number, len(data)) {
		return nil
	}
	return data
}

// nested executes the stream o inside another one.
func (in *Interpreter) nested(o types.Object, f *frame) {
	dict := in.file.Dict(o)
	if dict == nil || f.state.clip.Empty() || !in.file.Budget.Operator(in.page.Number, streamCost) {
		return
	}
	id := document.Identity(dict)
	for _, running := range in.active {
		if running == id {
			in.incident(o, "The drawing instructions contain themselves.")
			return
		}
	}
	if len(in.active) >= in.limits.Nesting {
		in.collector.Incomplete()
		in.incident(o, fmt.Sprintf("Drawings are nested more than %d deep; what lies deeper was not looked at.", in.limits.Nesting))
		return
	}
	in.active = append(in.active, id)
	in.declare(f.resources)
	once := false
	in.run(f, func() ([]byte, bool) {
		if once {
			return nil, false
		}
		once = true
		data := in.load(o)
		return data, len(data) > 0
	})
	in.active = in.active[:len(in.active)-1]
}

func (in *Interpreter) incident(o types.Object, detail string) {
	in.collector.Incident(facts.Incident{Rule: document.RuleNesting, Page: in.page.Number, Object: document.Ref(o), Detail: detail})
}

// resource looks up a named resource: in.resource(f, "Font", "F1").
func (in *Interpreter) resource(f *frame, category, name string) types.Object {
	return in.file.Dict(f.resources[category])[name]
}
