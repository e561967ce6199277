// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/content"
	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/internal/lexer"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/pkg/preflight/rules"
)

// trim sets the TrimBox and the BleedBox of pages that are the ordered size with the same bleed on
// all sides.
func (x *fixer) trim() ([]report.ObjectChange, error) {
	if x.opts.Ticket.Empty() || x.opts.Ticket.TrimSize == nil {
		return nil, &impossibleError{Fix: report.FixTrim, Reason: report.FixNoTrimSize}
	}
	var changes []report.ObjectChange
	for i := range x.pages {
		size := x.opts.Ticket.TrimSize
		if (x.pages[i].Trim != nil || x.pages[i].Art != nil) && rules.Fits(&x.pages[i].Page, x.opts.Ticket) {
			continue
		}
		page, ok := x.assumed(x.pages[i])
		if !ok {
			return nil, &impossibleError{Fix: report.FixTrim, Page: i + 1, Reason: report.FixOtherSize, Detail: fmt.Sprintf("%g x %g mm", size.Width, size.Height)}
		}
		dict, err := x.page(i)
		if err != nil {
			return nil, err
		}
		changes = append(changes, x.set(i, dict, "TrimBox", x.pages[i].Trim, *page.Trim), x.set(i, dict, "BleedBox", x.pages[i].Bleed, *page.Bleed))
		if art := x.pages[i].Art; art != nil {
			delete(dict, "ArtBox")
			changes = append(changes, report.ObjectChange{Page: i + 1, Object: document.Ref(page.Object), Name: "ArtBox", Before: boxText(*art)})
		}
		x.pages[i].Trim, x.pages[i].Bleed, x.pages[i].Art = page.Trim, page.Bleed, nil
	}
	return changes, nil
}

// sameProportions is the greatest difference of the proportions of two sizes that have the same.
const sameProportions = 0.005

// scale scales the pages that have the proportions of the ordered size, but not this size.
func (x *fixer) scale() ([]report.ObjectChange, error) {
	if x.opts.Ticket.Empty() || x.opts.Ticket.TrimSize == nil {
		return nil, &impossibleError{Fix: report.FixScale, Reason: report.FixNoTrimSize}
	}
	size := x.opts.Ticket.TrimSize
	var changes []report.ObjectChange
	for i := range x.pages {
		page := &x.pages[i]
		_, fits := x.assumed(*page)
		if x.repeated(i) || rules.Fits(&page.Page, x.opts.Ticket) || page.Trim == nil && page.Art == nil && fits {
			continue
		}
		width, height := page.Size()
		factor := size.Width / width
		if (width > height) != (size.Width > size.Height) {
			factor = size.Height / width
			width, height = height, width
		}
		if math.Abs(height/width/(size.Height/size.Width)-1) > sameProportions {
			return nil, &impossibleError{Fix: report.FixScale, Page: i + 1, Reason: report.FixProportions, Detail: fmt.Sprintf("%g x %g mm", size.Width, size.Height)}
		}
		made, err := x.resize(i, factor)
		if err != nil {
			return nil, err
		}
		changes = append(changes, made...)
	}
	return changes, nil
}

// resize scales a page by a factor: its content becomes a form, which is drawn in another size.
func (x *fixer) resize(i int, factor float64) ([]report.ObjectChange, error) {
	page := &x.pages[i]
	dict, err := x.page(i)
	if err != nil {
		return nil, err
	}
	form, ok := x.artwork(i, dict)
	if !ok {
		return nil, &impossibleError{Fix: report.FixScale, Page: i + 1, Reason: report.FixContent}
	}
	dict["Contents"] = x.stream(fmt.Sprintf("q %s 0 0 %[1]s 0 0 cm /Artwork Do Q\n", lexer.Numbers(factor)))
	dict["Resources"] = types.Dict{"XObject": types.Dict{"Artwork": form}}
	x.scales[i] = factor
	changes := []report.ObjectChange{{
		Page: i + 1, Object: document.Ref(page.Object), Name: "Contents", Before: "100 %", After: fmt.Sprintf("%g %%", geom.Round(factor*100, 2)),
	}}
	for _, box := range []struct {
		name string
		box  *geom.Rect
	}{{"MediaBox", &page.Media}, {"CropBox", page.Crop}, {"BleedBox", page.Bleed}, {"TrimBox", page.Trim}, {"ArtBox", page.Art}} {
		if box.box != nil {
			before := *box.box
			*box.box = scaled([]geom.Rect{before}, factor)[0]
			changes = append(changes, x.set(i, dict, box.name, &before, *box.box))
		}
	}
	for _, o := range x.file.Array(page.Annots) {
		annot, ok := x.edit(o)
		if !ok {
			return nil, report.RefusedStructure
		}
		for _, key := range [...]string{"Rect", "QuadPoints", "Vertices", "L", "CL", "RD", "InkList"} {
			if v, ok := annot[key]; ok {
				annot[key] = x.multiplied(v, factor, 0)
			}
		}
	}
	return changes, nil
}

// scaled returns boxes in another size.
func scaled(boxes []geom.Rect, factor float64) []geom.Rect {
	out := make([]geom.Rect, len(boxes))
	for i, box := range boxes {
		out[i] = geom.Rect{box[0] * factor, box[1] * factor, box[2] * factor, box[3] * factor}
	}
	return out
}

// multiplied returns an object with its numbers multiplied.
func (x *fixer) multiplied(o types.Object, factor float64, depth int) types.Object {
	if v, ok := x.file.Number(o); ok {
		return types.Float(v * factor)
	}
	list := x.file.Array(o)
	if list == nil || depth > maxDepth {
		return o
	}
	out := make(types.Array, len(list))
	for i, entry := range list {
		out[i] = x.multiplied(entry, factor, depth+1)
	}
	return out
}

// artwork makes a form of the content of a page. It returns false for content that cannot be read.
func (x *fixer) artwork(i int, dict types.Dict) (types.IndirectRef, bool) {
	page := &x.pages[i]
	form := types.Dict{
		"Type": types.Name("XObject"), "Subtype": types.Name("Form"), "BBox": boxArray(page.Media),
		"Resources": maps.Clone(x.resources(dict, page)), "Filter": types.Name("FlateDecode"),
	}
	if group, ok := dict["Group"]; ok {
		form["Group"] = group
	}
	drawing, ok := x.contents(dict["Contents"], i+1)
	if !ok {
		return types.IndirectRef{}, false
	}
	return x.update.stream(form, drawing), true
}

// set sets a box of a page. The page may have inherited the box before, nil for none.
func (x *fixer) set(i int, dict types.Dict, name string, before *geom.Rect, box geom.Rect) report.ObjectChange {
	change := report.ObjectChange{Page: i + 1, Object: document.Ref(x.pages[i].Object), Name: name, After: boxText(box)}
	if before != nil {
		change.Before = boxText(*before)
	}
	dict[name] = boxArray(box)
	return change
}

// The widths of the bleed that is made: usualBleed where neither the order nor the profile has
// one, and margin beyond it, for rounding, in millimetres.
const (
	usualBleed = 3.0
	margin     = 0.2
)

// bleed mirrors the artwork at the trim edges of the pages that have findings about the bleed.
func (x *fixer) bleed() ([]report.ObjectChange, error) { return x.bleeds(report.FixBleed, mirrored) }

// stretch scales the artwork of these pages into the bleed instead.
func (x *fixer) stretch() ([]report.ObjectChange, error) {
	return x.bleeds(report.FixStretch, stretched)
}

// bleeds makes the bleed of the pages that have findings about it.
func (x *fixer) bleeds(fix report.Fix, drawn func(trim, reach geom.Rect) string) ([]report.ObjectChange, error) {
	width := usualBleed
	if s, ok := x.profile.Rules["box.bleed_short"]; ok && s.Limit != nil {
		width = *s.Limit
	}
	if x.opts.Ticket != nil && x.opts.Ticket.Bleed != nil {
		width = *x.opts.Ticket.Bleed
	}
	var changes []report.ObjectChange
	for i := range x.pages {
		if !x.faulty(fix, i+1) || x.repeated(i) {
			continue
		}
		made, err := x.extend(i, fix, width, drawn)
		if err != nil {
			return nil, err
		}
		changes = append(changes, made...)
	}
	return changes, nil
}

// faulty reports whether a page has a finding that a fix removes. A finding lists its first pages
// only, and then counts for all.
func (x *fixer) faulty(fix report.Fix, page int) bool {
	return slices.ContainsFunc(x.findings, func(f report.Finding) bool {
		return slices.Contains(fix.Rules(), f.Rule) && (f.Page == page || slices.Contains(f.Pages, page) || f.Count > len(f.Pages) && len(f.Pages) > 0)
	})
}

// repeated reports whether a page is an earlier one again.
func (x *fixer) repeated(i int) bool {
	ref, ok := x.pages[i].Object.(types.IndirectRef)
	return ok && slices.ContainsFunc(x.pages[:i], func(p document.Page) bool { return p.Object == ref })
}

// extend gives a page a bleed of a width in millimetres: the page becomes a form, which is drawn as it
// is, and outside of its trim edges again: below the page or, if the page covers that, above it.
func (x *fixer) extend(i int, fix report.Fix, width float64, drawn func(trim, reach geom.Rect) string) ([]report.ObjectChange, error) {
	page := &x.pages[i]
	impossible := func(reason report.FixReason, detail string) error {
		return &impossibleError{Fix: fix, Page: i + 1, Reason: reason, Detail: detail}
	}
	if page.Trim == nil && page.Art == nil {
		return nil, impossible(report.FixNoTrimBox, "")
	}
	for _, ink := range x.report.Inks {
		if ink.Role != "" && (slices.Contains(ink.Pages, i+1) || len(ink.Pages) >= facts.MaxUses) {
			return nil, impossible(report.FixTechnicalInk, ink.Name)
		}
	}
	dict, err := x.page(i)
	if err != nil {
		return nil, err
	}
	trim := page.Finished()
	unit := 72 / 25.4 / page.UserUnit
	bleed := trim.Grow(width * unit)
	reach := trim.Grow((width + margin) * unit)
	// The part of the page that is mirrored must be as wide as the bleed.
	if trim.Width() < 2*(reach[2]-trim[2]) || trim.Height() < 2*(reach[3]-trim[3]) {
		return nil, impossible(report.FixSmall, "")
	}
	form, ok := x.artwork(i, dict)
	if !ok {
		return nil, impossible(report.FixContent, "")
	}
	const whole = "/Artwork Do\n"
	// Marked content of this kind is no part of the real content (ISO 32000-2, 14.8.2.2).
	outside := "/Artifact BMC\n" + drawn(trim, reach) + "EMC\n"
	if x.above {
		dict["Contents"] = x.stream(whole + outside)
	} else {
		dict["Contents"] = x.stream(outside + whole)
	}
	dict["Resources"] = types.Dict{"XObject": types.Dict{"Artwork": form}}
	changes := []report.ObjectChange{{
		Page: i + 1, Object: document.Ref(page.Object), Name: "Contents", Before: "artwork ends near the trim edges",
		After: fmt.Sprintf("artwork drawn again in %g mm of bleed", geom.Round(width, 2)),
	}}
	for _, box := range []struct {
		name string
		have *geom.Rect
		want geom.Rect
	}{{"MediaBox", &page.Media, page.Media.Union(reach)}, {"CropBox", page.Crop, reach}, {"BleedBox", page.Bleed, bleed}} {
		switch {
		case box.have == nil && box.name == "CropBox":
			continue
		case box.have != nil && box.name != "MediaBox":
			box.want = box.have.Union(box.want)
		}
		if box.have == nil || boxText(*box.have) != boxText(box.want) {
			changes = append(changes, x.set(i, dict, box.name, box.have, box.want))
		}
	}
	page.Media, page.Bleed = page.Media.Union(reach), &bleed
	return changes, nil
}

// mirrored draws the artwork mirrored at each edge and each corner of the trim box.
func mirrored(trim, reach geom.Rect) string {
	var out strings.Builder
	columns, rows := [4]float64{reach[0], trim[0], trim[2], reach[2]}, [4]float64{reach[1], trim[1], trim[3], reach[3]}
	for column := range 3 {
		for row := range 3 {
			if column == 1 && row == 1 {
				continue
			}
			m := geom.Identity()
			if column != 1 {
				m[0], m[4] = -1, 2*columns[1+column/2]
			}
			if row != 1 {
				m[3], m[5] = -1, 2*rows[1+row/2]
			}
			x, y := columns[column], rows[row]
			fmt.Fprintf(&out, "q %s re W n %s cm /Artwork Do Q\n", lexer.Numbers(x, y, columns[column+1]-x, rows[row+1]-y), lexer.Numbers(m[:]...))
		}
	}
	return out.String()
}

// stretched draws the artwork as large as the bleed, outside of the trim box.
func stretched(trim, reach geom.Rect) string {
	x, y := reach.Width()/trim.Width(), reach.Height()/trim.Height()
	m := geom.Matrix{x, 0, 0, y, reach[0] - trim[0]*x, reach[1] - trim[1]*y}
	return fmt.Sprintf("q %s re %s re W* n %s cm /Artwork Do Q\n", lexer.Numbers(reach[0], reach[1], reach.Width(), reach.Height()),
		lexer.Numbers(trim[0], trim[1], trim.Width(), trim.Height()), lexer.Numbers(m[:]...))
}

func boxArray(r geom.Rect) types.Array {
	return types.Array{types.Float(r[0]), types.Float(r[1]), types.Float(r[2]), types.Float(r[3])}
}

// resources returns those of a page as they are after the other fixes.
func (x *fixer) resources(dict types.Dict, page *document.Page) types.Dict {
	if own := x.file.Dict(dict["Resources"]); own != nil {
		return own
	}
	return page.Resources
}

// contents returns the compressed content of a page: its streams one after the other. It returns
// false for content that cannot be read.
func (x *fixer) contents(o types.Object, page int) (string, bool) {
	parts := x.file.Array(o)
	if parts == nil {
		parts = types.Array{o}
	}
	var out bytes.Buffer
	for _, part := range parts {
		ref, _ := part.(types.IndirectRef)
		if text, fixed := x.texts[ref]; fixed {
			out.WriteString(text)
		} else {
			data := x.file.Decode(part, page)
			if stream, ok := x.file.Stream(part); data == nil && ok && len(stream.Raw) > 0 {
				return "", false
			}
			out.Write(data)
		}
		out.WriteByte('\n')
	}
	return compressed(out.Bytes()), true
}

// annotations draws printed annotations into their pages, and removes the others, except
// printer's marks and traps. The interactive form goes with its fields.
func (x *fixer) annotations() ([]report.ObjectChange, error) {
	var changes []report.ObjectChange
	for i := range x.pages {
		annots := x.file.Array(x.pages[i].Annots)
		if len(annots) == 0 || x.repeated(i) {
			continue
		}
		dict, err := x.page(i)
		if err != nil {
			return nil, err
		}
		var kept types.Array
		var drawing strings.Builder
		forms := types.Dict{}
		for _, o := range annots {
			annot := x.file.Dict(o)
			if ref, ok := o.(types.IndirectRef); ok && x.edits[ref] != nil {
				annot = x.edits[ref]
			}
			subtype := x.file.Name(annot["Subtype"])
			change := report.ObjectChange{Page: i + 1, Object: document.Ref(o), Name: "Annots", Before: document.Clean(subtype, 40)}
			appearance, matrix, printed := content.Appearance(x.file, annot)
			ref, isRef := appearance.(types.IndirectRef)
			switch {
			case subtype == "PrinterMark" || subtype == "TrapNet":
				kept = append(kept, o)
				continue
			case printed && !isRef:
				return nil, report.RefusedStructure
			case printed:
				name := x.unused(i, dict, forms)
				forms[name] = ref
				fmt.Fprintf(&drawing, "q %s cm /%s Do Q\n", lexer.Numbers(matrix[:]...), name)
				change.After = "part of the page"
			}
			changes = append(changes, change)
		}
		if len(kept) == len(annots) {
			continue
		}
		if dict["Annots"] = kept; len(kept) == 0 {
			delete(dict, "Annots")
		}
		if len(forms) > 0 {
			x.draw(i, dict, forms, drawing.String())
		}
	}
	root, ok := x.edit(x.file.RootObject())
	if _, form := root["AcroForm"]; ok && form && len(changes) > 0 {
		delete(root, "AcroForm")
		changes = append(changes, removed(0, document.Ref(x.file.RootObject()), "AcroForm", counted(x.facts.Form.Fields, "field")))
	}
	return changes, nil
}

// unused returns a name for one more form of a page.
func (x *fixer) unused(i int, dict, forms types.Dict) string {
	own := x.file.Dict(x.resources(dict, &x.pages[i])["XObject"])
	for n := len(forms) + 1; ; n++ {
		name := fmt.Sprintf("Annotation%d", n)
		if own[name] == nil && forms[name] == nil {
			return name
		}
	}
}

// draw adds forms to a page, and content that draws them after its own content.
func (x *fixer) draw(i int, dict types.Dict, forms types.Dict, drawing string) {
	resources := maps.Clone(x.resources(dict, &x.pages[i]))
	if resources == nil {
		resources = types.Dict{}
	}
	known := maps.Clone(x.file.Dict(resources["XObject"]))
	if known == nil {
		known = types.Dict{}
	}
	maps.Copy(known, forms)
	resources["XObject"] = known
	dict["Resources"] = resources
	contents := append(types.Array{}, x.file.Array(dict["Contents"])...)
	if len(contents) == 0 && dict["Contents"] != nil {
		contents = types.Array{dict["Contents"]}
	}
	dict["Contents"] = append(append(types.Array{x.stream("q\n")}, contents...), x.stream("Q\n"+drawing))
}

// stream writes content that [fixer.contents] finds again.
func (x *fixer) stream(text string) types.IndirectRef {
	ref := x.update.stream(types.Dict{"Filter": types.Name("FlateDecode")}, compressed([]byte(text)))
	x.texts[ref] = text
	return ref
}
