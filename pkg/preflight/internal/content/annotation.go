// SPDX-License-Identifier: Apache-2.0

package content

import (
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
)

// The bits of an annotation's /F entry (12.5.3).
const (
	annotHidden = 1 << 1
	annotPrint  = 1 << 2
	annotNoView = 1 << 5
)

// annotations records all annotations of the page and executes the appearance of
// those that are printed.
func (in *Interpreter) annotations() {
	for _, o := range in.file.Array(in.page.Annots) {
		annot := in.file.Dict(o)
		if annot == nil {
			continue
		}
		if !in.file.Budget.Operator(in.page.Number, streamCost) {
			return
		}
		rect, layer, printed := in.printed(annot)
		flags := in.file.Int(annot["F"])
		in.collector.Annotation(facts.Annotation{
			Page: in.page.Number, Object: document.Ref(o), Subtype: document.Clean(in.file.Name(annot["Subtype"]), 40),
			Printed: printed, Hidden: flags&(annotHidden|annotNoView) != 0, Box: rect,
		})
		if printed && !rect.Empty() {
			in.appearance(annot, rect, layer, false)
		}
	}
}

// printed returns the rectangle and the layer of an annotation, and whether it is printed.
func (in *Interpreter) printed(annot types.Dict) (rect geom.Rect, layer *facts.Layer, printed bool) {
	flags := in.file.Int(annot["F"])
	printed = flags&annotPrint != 0 && flags&annotHidden == 0
	if oc, ok := annot["OC"]; ok {
		printed, layer = in.layers.visible(oc, in.page.Number) && printed, in.layers.of(oc)
	}
	if v, ok := in.file.Numbers(annot["Rect"], 4); ok && geom.Rect(v).Finite() {
		rect = geom.Rect(v).Normal()
	}
	return rect, layer, printed
}

// appearance executes the normal appearance of an annotation on a layer, or only paints it again.
func (in *Interpreter) appearance(annot types.Dict, rect geom.Rect, layer *facts.Layer, again bool) {
	normal, matrix := placed(in.file, annot, rect)
	form := in.file.Dict(normal)
	if form == nil {
		return
	}
	outer := in.frame(in.page.Resources)
	outer.state = in.initial(in.page.Media)
	outer.state.ctm, outer.layers.layer = matrix, layer
	outer.mask, outer.again = again, again
	in.form(outer, normal, form)
	in.release(outer)
}

// placed returns the normal appearance of an annotation, and the matrix that fits it into the
// annotation's rectangle, by the algorithm of 12.5.5.
func placed(file *document.File, annot types.Dict, rect geom.Rect) (normal types.Object, matrix geom.Matrix) {
	normal = file.Dict(annot["AP"])["N"]
	if _, isStream := file.Stream(normal); !isStream {
		normal = file.Dict(normal)[file.Name(annot["AS"])]
	}
	matrix = geom.Identity()
	form := file.Dict(normal)
	if box, ok := file.Rect(form["BBox"]); ok {
		if from := file.Matrix(form["Matrix"]).Rect(box); !from.Empty() {
			x, y := rect.Width()/from.Width(), rect.Height()/from.Height()
			matrix = geom.Matrix{x, 0, 0, y, rect[0] - from[0]*x, rect[1] - from[1]*y}
		}
	}
	return normal, matrix
}

// Appearance returns the form that a printed annotation paints, with the matrix of its place. It
// returns false for an annotation that is not printed or paints nothing. It ignores layers.
func Appearance(file *document.File, annot types.Dict) (form types.Object, matrix geom.Matrix, printed bool) {
	flags := file.Int(annot["F"])
	rect, ok := file.Rect(annot["Rect"])
	if !ok || flags&annotPrint == 0 || flags&annotHidden != 0 {
		return nil, matrix, false
	}
	form, matrix = placed(file, annot, rect)
	return form, matrix, file.Dict(form) != nil
}
