// SPDX-License-Identifier: Apache-2.0

package preflight

// Fixes of contents: an editor executes the pages, and replaces operators.

import (
	"bytes"
	"compress/zlib"
	"context"
	"maps"
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/content"
	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/pkg/preflight/rules"
)

// edits holds the fixes of contents by the kind of their edits.
var edits = [...]report.Fix{
	content.EditHidden: report.FixLayers, content.EditColor: report.FixColors, content.EditBlack: report.FixBlack,
	content.EditKnockout: report.FixWhite, content.EditWidth: report.FixHairlines,
} // constant

// edited applies those of the given fixes that edit contents, and returns their changes.
func (x *fixer) edited(ctx context.Context, fixes []report.Fix) (map[report.Fix][]report.ObjectChange, error) {
	changes := map[report.Fix][]report.ObjectChange{}
	if !slices.ContainsFunc(fixes, func(fix report.Fix) bool { return slices.Contains(edits[:], fix) }) {
		return changes, nil
	}
	converting := &conversion{}
	editor := content.NewEditor()
	editor.Hidden = slices.Contains(fixes, report.FixLayers)
	editor.Change = x.change(fixes)
	if slices.Contains(fixes, report.FixColors) {
		var err error
		if converting, err = x.conversion(); err != nil {
			return nil, err
		}
		editor.Convert, editor.Picture = converting.color, converting.picture
		editor.Gradient, editor.Inline = converting.gradient, converting.inline
	}
	drawing := renderer(x.file, len(x.pages), x.facts, nil)
	drawing.Limit(1)
	interpreter := content.New(x.file, x.collector, x.opts.Limits, drawing)
	defer interpreter.Close()
	for i := range x.pages {
		if x.repeated(i) {
			continue
		}
		if err := interpreter.Edit(ctx, &x.pages[i], editor); err != nil {
			return nil, err
		}
		if x.file.Budget.Spent() {
			return nil, &impossibleError{Page: i + 1, Reason: report.FixContent}
		}
	}
	for kind, fix := range edits {
		if page, faulty := editor.Faults[content.EditKind(kind)]; faulty {
			return nil, &impossibleError{Fix: fix, Page: page, Reason: report.FixContent}
		}
	}
	x.changed = editor.Boxes
	for _, s := range editor.Streams {
		object, err := x.rewrite(s)
		if err != nil {
			return nil, err
		}
		for _, e := range s.Edits() {
			fix := edits[e.Kind]
			changes[fix] = append(changes[fix], report.ObjectChange{Page: s.Page, Object: object, Name: e.Name, Before: e.Before, After: e.After})
		}
	}
	if len(converting.changes) > 0 {
		changes[report.FixColors] = append(changes[report.FixColors], converting.changes...)
	}
	return changes, nil
}

// change returns the function that decides about the changes of a mark.
func (x *fixer) change(fixes []report.Fix) func(page int, m *facts.Mark) content.Change {
	check := func(fix report.Fix) func(*facts.Mark) (float64, bool) {
		if !slices.Contains(fixes, fix) {
			return func(*facts.Mark) (float64, bool) { return 0, false }
		}
		return rules.Broken(x.profile, fix.Rules()...)
	}
	black, white, hairlines := check(report.FixBlack), check(report.FixWhite), check(report.FixHairlines)
	converts := slices.Contains(fixes, report.FixColors)
	return func(_ int, m *facts.Mark) content.Change {
		var c content.Change
		_, c.Black = black(m)
		_, c.Knockout = white(m)
		line := *m
		if converts && !m.Paint.Known && !m.Paint.White {
			// The conversion makes several inks of nearly every colour.
			line.Paint = facts.Paint{Space: "DeviceCMYK", Known: true, CMYK: [4]float64{1, 1, 1, 1}}
		}
		c.Width, _ = hairlines(&line)
		return c
	}
}

// rewrite writes an edited stream, and returns its object. The content of a page becomes one stream.
func (x *fixer) rewrite(s *content.Stream) (string, error) {
	if s.Page > 0 {
		page := &x.pages[s.Page-1]
		dict, err := x.page(s.Page - 1)
		if err != nil {
			return "", err
		}
		var whole []byte
		for i, part := range s.Parts {
			whole = append(append(whole, s.Apply(i, x.file.Decode(part, s.Page))...), '\n')
		}
		dict["Contents"] = x.stream(string(whole))
		dict["Resources"] = x.extended(x.resources(dict, page), s.Added)
		return document.Ref(page.Object), nil
	}
	ref, isRef := s.Parts[0].(types.IndirectRef)
	stream, isStream := x.file.Stream(s.Parts[0])
	if !isRef || !isStream {
		return "", report.RefusedStructure
	}
	dict := unfiltered(stream.Dict)
	dict["Resources"] = x.extended(s.Resources, s.Added)
	dict["Filter"] = types.Name("FlateDecode")
	x.update.replaceStream(ref, x.file.Generation(ref), dict, compressed(s.Apply(0, x.file.Decode(ref, 0))))
	return document.Ref(ref), nil
}

// extended returns resources with further ones.
func (x *fixer) extended(resources types.Dict, added map[string]types.Dict) types.Dict {
	out := maps.Clone(resources)
	if out == nil {
		out = types.Dict{}
	}
	for category, entries := range added {
		known := maps.Clone(x.file.Dict(out[category]))
		if known == nil {
			known = types.Dict{}
		}
		maps.Copy(known, entries)
		out[category] = known
	}
	return out
}

// unfiltered returns a copy of the dictionary of a stream, for other data.
func unfiltered(dict types.Dict) types.Dict {
	out := maps.Clone(dict)
	for _, key := range [...]string{"Filter", "DecodeParms", "Length", "DL", "F", "FFilter", "FDecodeParms"} {
		delete(out, key)
	}
	return out
}

// compressed returns data for the filter FlateDecode.
func compressed(data []byte) string {
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	// A bytes.Buffer takes all writes.
	_, _ = w.Write(data)
	_ = w.Close()
	return out.String()
}

// layers removes hidden layers from the configuration of the file, when their content has been
// removed, and the annotations on them. Layers of processing steps stay.
func (x *fixer) layers() ([]report.ObjectChange, error) {
	removed := map[types.IndirectRef]string{}
	properties := x.file.Dict(x.file.Root()["OCProperties"])
	for _, o := range x.file.Array(properties["OCGs"]) {
		ref, ok := o.(types.IndirectRef)
		for _, l := range x.facts.Layers {
			if ok && l.Object == document.Ref(ref) && !l.Printed && l.Group == "" {
				removed[ref] = l.Name
			}
		}
	}
	if len(removed) == 0 {
		return nil, nil
	}
	root, ok := x.edit(x.file.RootObject())
	if !ok {
		return nil, report.RefusedStructure
	}
	without, _ := x.without(properties, removed, 0).(types.Dict)
	if root["OCProperties"] = without; len(x.file.Array(without["OCGs"])) == 0 {
		delete(root, "OCProperties")
	}
	var changes []report.ObjectChange
	for _, o := range x.file.Array(properties["OCGs"]) {
		ref, _ := o.(types.IndirectRef)
		if name, ok := removed[ref]; ok {
			changes = append(changes, report.ObjectChange{Object: document.Ref(ref), Name: "OCGs", Before: name})
		}
	}
	for i := range x.pages {
		var kept types.Array
		annots := x.file.Array(x.pages[i].Annots)
		for _, o := range annots {
			layer := x.file.Dict(o)["OC"]
			if list := x.file.Array(x.file.Dict(layer)["OCGs"]); len(list) > 0 {
				layer = list[0]
			}
			ref, _ := layer.(types.IndirectRef)
			if _, hidden := removed[ref]; hidden {
				changes = append(changes, report.ObjectChange{Page: i + 1, Object: document.Ref(o), Name: "Annots", Before: "on a hidden layer"})
				continue
			}
			kept = append(kept, o)
		}
		if len(kept) == len(annots) {
			continue
		}
		page, err := x.page(i)
		if err != nil {
			return nil, err
		}
		page["Annots"], x.pages[i].Annots = kept, kept
	}
	return changes, nil
}

// without returns a copy of the properties of layers, without references to some of them.
func (x *fixer) without(o types.Object, removed map[types.IndirectRef]string, depth int) types.Object {
	if ref, ok := o.(types.IndirectRef); ok {
		// Layers stay references.
		if x.file.Name(x.file.Dict(ref)["Type"]) == "OCG" {
			return ref
		}
		o = x.file.Resolve(ref)
	}
	if depth > maxDepth {
		return nil
	}
	switch v := o.(type) {
	case types.Dict:
		out := types.Dict{}
		for key, entry := range v {
			out[key] = x.without(entry, removed, depth+1)
		}
		return out
	case types.Array:
		out := types.Array{}
		for _, entry := range v {
			if ref, ok := entry.(types.IndirectRef); ok {
				if _, gone := removed[ref]; gone {
					continue
				}
			}
			out = append(out, x.without(entry, removed, depth+1))
		}
		return out
	}
	return o
}
