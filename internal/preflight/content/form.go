// SPDX-License-Identifier: Apache-2.0

package content

import (
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/internal/preflight/geom"
)

// xobject is Do.
func (in *Interpreter) xobject(f *frame) {
	o := in.resource(f, "XObject", f.lastName())
	dict := in.file.Dict(o)
	switch in.file.Name(dict["Subtype"]) {
	case "Image":
		in.image(f, o, dict)
	case "Form":
		in.form(f, o, dict)
	}
}

// form executes a form XObject in the current state (8.10.1).
func (in *Interpreter) form(f *frame, o types.Object, dict types.Dict) {
	inner := &frame{resources: in.file.Dict(dict["Resources"]), muted: f.muted, mask: f.mask, state: f.state}
	if inner.resources == nil {
		inner.resources = f.resources
	}
	inner.state.ctm = in.file.Matrix(dict["Matrix"]).Then(f.state.ctm)
	if box, ok := in.file.Rect(dict["BBox"]); ok {
		inner.clipTo(box)
	}
	in.nested(o, inner)
}

// extGState is gs: of its entries, a font and a soft mask matter here.
func (in *Interpreter) extGState(f *frame) {
	dict := in.file.Dict(in.resource(f, "ExtGState", f.lastName()))
	if pair := in.file.Array(dict["Font"]); len(pair) == 2 {
		f.state.font = in.font(pair[0], "ExtGState")
		f.state.size, _ = in.file.Number(pair[1])
	}
	group := in.file.Dict(dict["SMask"])["G"]
	if form := in.file.Dict(group); form != nil && in.first(form, scaleClass(f.state.ctm)) {
		masked := *f
		masked.mask = true
		masked.saved = nil
		in.form(&masked, group, form)
	}
}

// The bits of an annotation's /F entry (12.5.3).
const (
	annotHidden = 1 << 1
	annotPrint  = 1 << 2
)

// maxAnnotations bounds the annotations of one page that are read.
const maxAnnotations = 10_000

// annotations executes the appearance of those annotations that are printed.
func (in *Interpreter) annotations() {
	list := in.file.Array(in.page.Annots)
	for _, o := range list[:min(len(list), maxAnnotations)] {
		annot := in.file.Dict(o)
		flags := in.file.Int(annot["F"])
		if annot == nil || flags&annotHidden != 0 || flags&annotPrint == 0 {
			continue
		}
		if !in.file.Budget.Operator(in.page.Number, streamCost) {
			return
		}
		in.appearance(annot)
	}
}

// appearance fits the normal appearance into the annotation's rectangle, by the
// algorithm of 12.5.5.
func (in *Interpreter) appearance(annot types.Dict) {
	normal := in.file.Dict(annot["AP"])["N"]
	if _, isStream := in.file.Stream(normal); !isStream {
		normal = in.file.Dict(normal)[in.file.Name(annot["AS"])]
	}
	form := in.file.Dict(normal)
	rect, ok := in.file.Rect(annot["Rect"])
	if form == nil || !ok {
		return
	}
	outer := &frame{resources: in.page.Resources, state: initial(in.page.Media)}
	if box, ok := in.file.Rect(form["BBox"]); ok {
		outer.state.ctm = fit(in.file.Matrix(form["Matrix"]).Rect(box), rect)
	}
	in.form(outer, normal, form)
}

// fit is the matrix that scales and moves one rectangle onto another.
func fit(from, to geom.Rect) geom.Matrix {
	if from.Empty() {
		return geom.Identity()
	}
	x, y := to.Width()/from.Width(), to.Height()/from.Height()
	return geom.Matrix{x, 0, 0, y, to[0] - from[0]*x, to[1] - from[1]*y}
}
