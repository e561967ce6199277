// SPDX-License-Identifier: Apache-2.0

// Package content executes page descriptions as a printer would: it keeps the graphics
// state (transformation, clip, colour, text, transparency) and records each mark with
// its position and its colour. A renderer, if there is one, paints the marks on planes
// of ink.
//
// It follows forms, patterns, shadings, glyphs of Type 3 fonts, soft masks and
// the printed appearance of annotations, and skips layers that are not printed.
// Everything is bounded: by the budget of the document, by nesting, and by the
// depth of saved states.
package content

import (
	"context"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/color"
	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/internal/lexer"
	"github.com/printmarket/printmarket/pkg/preflight/internal/planes"
	"github.com/printmarket/printmarket/pkg/preflight/internal/render"
)

// cancelEvery is the number of operators between two checks of the context.
const cancelEvery = 4096

// streamCost is the cost of starting another stream, in plain operators.
const streamCost = 16

// Interpreter reads the pages of one document, in order.
type Interpreter struct {
	file      *document.File
	collector *facts.Collector
	limits    document.Limits
	steps     int
	// stopped is the context's Err during one call of Page.
	stopped func() error

	// renderer paints the marks.
	renderer *render.Renderer
	// editor collects the changes of contents, nil in an inspection.
	editor *Editor
	drawing
	glyph geom.Path

	// The resources of the whole document that have been read.
	spaces   *color.Resolver
	layers   *layers
	fonts    map[uintptr]*fontUse
	absent   map[string]*fontUse
	declared map[uintptr]types.Dict
	images   map[uintptr]*picture
	paints   map[paintKey]known
	states   map[uintptr]*parameters
	// outlines holds the glyphs of Type 3 fonts that set no colours.
	outlines map[uintptr]bool
	ahead    ahead
	// unknown counts the unknown operators that were recorded.
	unknown int

	sheet
	// active holds the streams that are being executed, outermost first.
	active []uintptr
	// idle holds frames that can be reused.
	idle []*frame
	// recordings holds the patterns that are being read for the first time.
	recordings []*tiling
	mark       facts.Mark
	placement  facts.Image
	text       []byte
}

// sheet holds the state of one page.
type sheet struct {
	page *document.Page
	// visited holds the masks and glyphs that were read on this page.
	visited map[visit]bool
	tilings map[tilingKey]*tiling
	// colored holds the spaces whose inks and profile have been recorded.
	colored   map[*color.Space]bool
	invisible bool
	// blended counts the marks that are not opaque.
	blended int
}

// visit is one reading of a content stream, independent of its position on the
// page.
type visit struct {
	dict uintptr
	// scale is the size of the reading, in 1/16 of a power of two.
	scale int
}

// New prepares to read a document, and records its layers. The renderer paints the marks.
func New(file *document.File, collector *facts.Collector, limits document.Limits, renderer *render.Renderer) *Interpreter {
	return &Interpreter{
		file: file, collector: collector, limits: limits, renderer: renderer,
		spaces: color.NewResolver(file), layers: readLayers(file, collector),
		fonts: map[uintptr]*fontUse{}, absent: map[string]*fontUse{}, declared: map[uintptr]types.Dict{}, images: map[uintptr]*picture{},
		paints: map[paintKey]known{}, states: map[uintptr]*parameters{}, outlines: map[uintptr]bool{},
	}
}

// Edit reads one page, and collects its changes.
func (in *Interpreter) Edit(ctx context.Context, page *document.Page, editor *Editor) error {
	in.editor = editor
	defer func() { in.editor = nil }()
	return in.Page(ctx, page)
}

// Page reads one page. It returns the error of the context.
func (in *Interpreter) Page(ctx context.Context, page *document.Page) error {
	in.open(ctx, page)
	group := in.file.Dict(page.Dict["Group"])
	if in.file.Name(group["S"]) == "Transparency" {
		fact := &facts.Group{}
		if cs, ok := group["CS"]; ok {
			fact.Space = in.spaces.Resolve(cs, page.Number).Family
		}
		in.collector.Document().Pages[page.Number-1].Group = fact
	}
	in.renderer.Start(page)
	root := in.root()
	in.groupSpace(root, group, page.Object)
	in.blend(root)
	in.declare(root.resources)
	if in.editor != nil {
		root.stream = in.stream(root, document.Identity(page.Dict), page.Number)
	}
	in.run(root, in.streams(page.Contents, root.stream))
	in.release(root)
	in.annotations()
	fact := &in.collector.Document().Pages[page.Number-1]
	rgb := fact.Transparent && fact.Group != nil && (fact.Group.Space == color.DeviceRGB || fact.Group.Space == color.ICCRGB)
	in.collector.EndPage(page.Number, in.renderer.Finish(rgb), in.renderer.Visible())
	if in.renderer.Limited() {
		in.collector.Incident(facts.Incident{Rule: document.RulePainting, Page: page.Number})
	}
	return context.Cause(ctx)
}

// blend makes the page blend in the space of its group if that is RGB and the page has transparency.
func (in *Interpreter) blend(root *frame) {
	if cs := in.file.Resolve(in.file.Dict(in.page.Dict["Group"])["CS"]); cs != nil {
		space := in.remap(root, in.spaces.Resolve(cs, in.page.Number))
		if space.RGB() && in.seesThrough(root.resources, map[uintptr]bool{}) {
			in.renderer.Blend(space)
		}
	}
}

// open prepares to read a page.
func (in *Interpreter) open(ctx context.Context, page *document.Page) {
	in.stopped, in.active = ctx.Err, in.active[:0]
	in.sheet = sheet{
		page:    page,
		visited: map[visit]bool{}, tilings: map[tilingKey]*tiling{}, colored: map[*color.Space]bool{},
	}
	in.drawing = drawing{masks: map[maskKey]*planes.Soft{}, patterns: map[patternKey]*render.Pattern{}, costs: map[uintptr]int{}}
}

// root returns the frame of the content of the page, on the surface that the renderer has begun.
func (in *Interpreter) root() *frame {
	root := in.frame(in.page.Resources)
	root.state = in.initial(in.page.Media)
	for _, with := range [...]*ink{&root.state.fill, &root.state.stroke} {
		with.choose(with.space, in.remap(root, with.space))
		in.tint(with, with.space, []float64{0})
	}
	return root
}

// run executes streams. It stops when the budget is spent or the context is done;
// others record both.
func (in *Interpreter) run(f *frame, chunks func() ([]byte, bool)) {
	f.base = f.state.ctm
	f.path.reset()
	tokens := lexer.New(chunks)
	budget := in.file.Budget
	for {
		n := len(f.operands)
		switch {
		case n > in.limits.Operands:
			n--
		case n < cap(f.operands):
			f.operands = f.operands[:n+1]
		default:
			f.operands = append(f.operands, lexer.Object{})
		}
		o := &f.operands[n]
		tokens.Read(o)
		if n == 0 && f.stream != nil {
			f.from = tokens.Start()
		}
		switch o.Kind {
		case lexer.EOF:
			return
		case lexer.Keyword:
			name := o.Text
			f.operands = f.operands[:len(f.operands)-1]
			if !budget.Operator(in.page.Number, 1) {
				return
			}
			if in.steps++; in.steps%cancelEvery == 0 && in.stopped() != nil {
				return
			}
			if f.stream != nil {
				f.follow(tokens, name)
			}
			if string(name) == "BI" {
				in.inlineImage(f, tokens)
			} else if in.operator(f, name); budget.Spent() {
				return
			}
			if f.stream != nil {
				in.dropHidden(f, name)
			}
			f.operands = f.operands[:0]
			tokens.Release()
		default:
		}
	}
}

// streams yields the streams of a /Contents entry, one after the other, so that
// they are never in memory together. It notes them as the parts of an edited stream, if any.
func (in *Interpreter) streams(contents types.Object, edited *Stream) func() ([]byte, bool) {
	parts := in.file.Array(contents)
	if parts == nil {
		parts = types.Array{contents}
	}
	return func() ([]byte, bool) {
		for len(parts) > 0 && !in.file.Budget.Spent() {
			part := parts[0]
			parts = parts[1:]
			if data := in.load(part); len(data) > 0 {
				if edited != nil {
					edited.Parts = append(edited.Parts, part)
				}
				return data, true
			}
			// An endless list of empty streams costs time, too.
			if !in.file.Budget.Operator(in.page.Number, streamCost) {
				break
			}
		}
		return nil, false
	}
}

// load decodes a stream for execution.
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
			in.incident(o, "cycle", nil)
			return
		}
	}
	if len(in.active) >= in.limits.Nesting {
		in.collector.Incomplete()
		in.incident(o, "depth", facts.Values{"limit": float64(in.limits.Nesting)})
		return
	}
	in.active = append(in.active, id)
	if in.editor != nil {
		f.stream = in.stream(f, id, 0, o)
	}
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

func (in *Interpreter) incident(o types.Object, variant string, values facts.Values) {
	in.collector.Incident(facts.Incident{
		Rule: document.RuleNesting, Page: in.page.Number, Object: document.Ref(o), Variant: variant, Parameters: values,
	})
}

// feature records that the page uses a feature.
func (in *Interpreter) feature(kind facts.FeatureKind, detail string, o types.Object, where *geom.Rect) {
	in.collector.Feature(kind, detail, document.Ref(o), in.page.Number, where)
}

// resource returns a named resource: in.resource(f, "Font", "F1").
func (in *Interpreter) resource(f *frame, category string, name []byte) types.Object {
	return in.file.Dict(f.resources[category])[string(name)]
}

// first reports whether this is the first reading of a stream on this page.
func (in *Interpreter) first(dict types.Dict, scale int) bool {
	v := visit{dict: document.Identity(dict), scale: scale}
	if in.visited[v] {
		return false
	}
	in.visited[v] = true
	return true
}
