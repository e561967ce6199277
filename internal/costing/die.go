// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"fmt"
	"iter"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/money"
	"github.com/printmarket/printmarket/pkg/xjdf"
)

// pathShape is the ShapeType of a shape that needs a die.
const pathShape = "Path"

// maxBlanks bounds the blanks of a die.
const maxBlanks = 1000

// die cuts the blanks of a box from printed sheets.
type die struct {
	// tool is the die to make, or nil if it exists. Its knives are knife ten-thousandths of a
	// metre long.
	tool   *authority.Service
	knife  int64
	blanks int64
	// strip removes the waste of a blank by hand, or is nil.
	strip *authority.Service
	// folded is set if blanks are folded, with points of glue.
	folded bool
	points int64
	glue   *authority.Service
}

// resources yields each Resource of the sets of a name, with its element of that name.
func (r *reader) resources(name string) iter.Seq2[*xjdf.Node, *xjdf.Node] {
	return func(yield func(resource, element *xjdf.Node) bool) {
		for set := range r.document.Root.All("ResourceSet") {
			if attr(set, "Name") != name {
				continue
			}
			for resource := range set.All("Resource") {
				if one := resource.Child(name); one != nil && !yield(resource, one) {
					return
				}
			}
		}
	}
}

// dieline reads the die of a flat part from the DieLayout of the document. The flat size is the
// rectangle of a blank, each Station is a blank, and RuleLength are the knives of the whole die.
func (r *reader) dieline(p *part) {
	intent := intentOf("ShapeCuttingIntent", p.node)
	if intent == nil || p.role != roleFlat || attr(intent.Child("ShapeCut"), "ShapeType") != pathShape {
		return
	}
	var layout *xjdf.Node
	for _, one := range r.resources("DieLayout") {
		if layout != nil {
			r.stop(DieUnknown, one, "", "the document has several dies")
			return
		}
		layout = one
	}
	if layout == nil {
		return
	}
	d := &die{
		tool:  r.priced(authority.CuttingDie, func(*authority.Service) bool { return true }),
		strip: r.priced(authority.Stripping, func(*authority.Service) bool { return true }),
		glue:  r.priced(authority.GluePoint, func(*authority.Service) bool { return true }),
	}
	length := int64(0)
	for rule := range layout.All("RuleLength") {
		points, _ := r.float(rule, "Length")
		length = plus(length, max(fromPoints(points), 0))
	}
	for range layout.All("Station") {
		d.blanks++
	}
	d.knife = money.MulDiv(length, 1, 100)
	switch {
	case p.open == (rectangle{}):
		r.stop(SizeMissing, p.layout, "Dimensions", "a blank requires its flat size")
	case p.fold != "":
		r.stop(FoldUnknown, intentOf("FoldingIntent", p.node), "FoldCatalog", "a die-cut blank has no fold of the catalogue")
	case d.knife == 0:
		r.stop(DieUnknown, layout, "RuleLength", "the die has no length of its knives")
	case d.blanks == 0 || d.blanks > maxBlanks:
		r.stop(DieUnknown, layout, "Station", fmt.Sprintf("the die has %d blanks; it must have 1 to %d", d.blanks, maxBlanks))
	}
	r.existingDie(d, intent)
	r.boxFolding(d)
	p.die = d
}

// existingDie leaves out the die if the document has a Tool for it, and reports a die that the owner
// does not offer.
func (r *reader) existingDie(d *die, intent *xjdf.Node) {
	for resource, tool := range r.resources("Tool") {
		if attr(tool, "ToolType") == "CutDie" && attr(resource, "Status") == "Available" {
			d.tool = nil
			r.assume(AssumedDie, "the die exists, because the document has an available Tool for it")
			return
		}
	}
	if d.tool == nil {
		r.left(intent, "", "the owner offers no die, which is not included in the figures")
	}
}

// boxFolding counts the points of glue of the folded box.
func (r *reader) boxFolding(d *die) {
	for _, params := range r.resources("BoxFoldingParams") {
		if d.folded {
			r.left(params, "", "the second BoxFoldingParams is not included in the figures")
			continue
		}
		d.folded = true
		for action := range params.All("BoxFoldAction") {
			if attr(action, "Action") == "Glue" {
				d.points++
			}
		}
		if d.points > 0 && d.glue == nil {
			r.stop(ProcessNotOffered, params, "", "the owner offers no points of glue")
		}
	}
}

// dieCut adds the lines of cutting sheets with the die, and returns the number of printed sheets
// for a number of good ones.
func (w *way) dieCut(t *tally, sheets int64) int64 {
	m, d := w.dieCutter, w.sort.part.die
	if !m.Strips {
		blanks := times(sheets, w.layout.up)
		t.add(row{m.Process, ItemStripping, authority.FamilyService, d.strip.ID, times(blanks, quantityOne), d.strip.Price.Per, d.strip.Price.Amount}, t.text("%d blanks", blanks))
	}
	sheets = m.spoiled(sheets, 1)
	t.run(m, "sheets", 1, sheets)
	if d.tool != nil {
		t.add(row{m.Process, ItemTools, authority.FamilyService, d.tool.ID, d.knife, d.tool.Price.Per, d.tool.Price.Amount}, t.text("the knives of a die of %d blanks", d.blanks))
	}
	return sheets
}
