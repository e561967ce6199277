// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// actions removes the actions of the catalog, of the pages, of annotations and of form fields.
func (x *fixer) actions() ([]report.ObjectChange, error) {
	var changes []report.ObjectChange
	root, ok := x.edit(x.file.RootObject())
	if !ok {
		return nil, report.RefusedStructure
	}
	for _, key := range [...]string{"OpenAction", "AA", "Outlines"} {
		if o, ok := root[key]; ok {
			delete(root, key)
			changes = append(changes, x.removedAction(0, document.Ref(x.file.RootObject()), key, o))
		}
	}
	changes = append(changes, x.unname(root, "JavaScript")...)
	for i := range x.pages {
		page, err := x.page(i)
		if err != nil {
			return nil, err
		}
		if o, ok := page["AA"]; ok {
			delete(page, "AA")
			changes = append(changes, x.removedAction(i+1, document.Ref(x.pages[i].Object), "AA", o))
		}
		annots := x.file.Array(page["Annots"])
		direct := false
		for k, o := range annots {
			annot := x.file.Dict(o)
			for _, key := range [...]string{"A", "AA", "PA"} {
				action, ok := annot[key]
				if !ok {
					continue
				}
				edited, replaceable := x.edit(o)
				if !replaceable {
					edited = maps.Clone(annot)
					if !direct {
						annots, direct = append(types.Array{}, annots...), true
					}
					annots[k], annot = edited, edited
				}
				delete(edited, key)
				object, name := document.Ref(o), key
				if !replaceable {
					object, name = document.Ref(x.pages[i].Object), fmt.Sprintf("Annots/%d/%s", k+1, key)
				}
				changes = append(changes, x.removedAction(i+1, object, name, action))
			}
		}
		if direct {
			page["Annots"] = annots
		}
	}
	return append(changes, x.fieldActions(root)...), nil
}

// fieldActions removes the actions of form fields that are no annotations of a page.
func (x *fixer) fieldActions(root types.Dict) []report.ObjectChange {
	var changes []report.ObjectChange
	x.walk(x.file.Array(x.file.Dict(root["AcroForm"])["Fields"]), func(o types.Object, field types.Dict) types.Array {
		for _, key := range [...]string{"A", "AA"} {
			action, ok := field[key]
			if !ok {
				continue
			}
			if edited, ok := x.edit(o); ok && edited[key] != nil {
				delete(edited, key)
				changes = append(changes, x.removedAction(0, document.Ref(o), key, action))
			}
		}
		return x.file.Array(field["Kids"])
	})
	return changes
}

// walk visits the dictionaries of a tree, each object once. visit returns those below a dictionary.
func (x *fixer) walk(roots types.Array, visit func(types.Object, types.Dict) types.Array) {
	stack := append(types.Array{}, roots...)
	seen := map[types.IndirectRef]bool{}
	for steps := 0; len(stack) > 0 && steps < maxFields; steps++ {
		o := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if ref, ok := o.(types.IndirectRef); ok {
			if seen[ref] {
				continue
			}
			seen[ref] = true
		}
		if dict := x.file.Dict(o); dict != nil {
			stack = append(stack, visit(o, dict)...)
		}
	}
}

// maxFields bounds the objects of a tree that are visited, such as form fields and bookmarks.
const maxFields = 20_000

// attachments removes attached files, and the annotations that hold one.
func (x *fixer) attachments() ([]report.ObjectChange, error) {
	root, ok := x.edit(x.file.RootObject())
	if !ok {
		return nil, report.RefusedStructure
	}
	changes := x.unname(root, "EmbeddedFiles")
	for _, key := range [...]string{"AF", "Collection"} { // a collection presents the attached files
		if o, ok := root[key]; ok {
			delete(root, key)
			changes = append(changes, removed(0, document.Ref(x.file.RootObject()), key, x.files(o)))
		}
	}
	for i := range x.pages {
		page, err := x.page(i)
		if err != nil {
			return nil, err
		}
		if o, ok := page["AF"]; ok {
			delete(page, "AF")
			changes = append(changes, removed(i+1, document.Ref(x.pages[i].Object), "AF", x.files(o)))
		}
		var kept types.Array
		annots := x.file.Array(page["Annots"])
		for _, o := range annots {
			annot := x.file.Dict(o)
			subtype := x.file.Name(annot["Subtype"])
			popup := subtype == "Popup" && x.file.Name(x.file.Dict(annot["Parent"])["Subtype"]) == "FileAttachment"
			if subtype == "FileAttachment" || popup {
				changes = append(changes, report.ObjectChange{Page: i + 1, Object: document.Ref(o), Name: "Annots", Before: subtype})
				continue
			}
			kept = append(kept, o)
		}
		if len(kept) < len(annots) {
			page["Annots"] = kept
		}
	}
	return changes, nil
}

// unname removes a name tree of the catalog.
func (x *fixer) unname(root types.Dict, key string) []report.ObjectChange {
	names := x.file.Dict(root["Names"])
	tree, ok := names[key]
	if !ok {
		return nil
	}
	object := document.Ref(root["Names"])
	if edited, ok := x.edit(root["Names"]); ok {
		delete(edited, key)
	} else {
		names = maps.Clone(names)
		delete(names, key)
		root["Names"], object = names, document.Ref(x.file.RootObject())
	}
	entries := 0
	x.walk(types.Array{tree}, func(_ types.Object, node types.Dict) types.Array {
		entries += len(x.file.Array(node["Names"])) / 2
		return x.file.Array(node["Kids"])
	})
	unit := map[string]string{"JavaScript": "script", "EmbeddedFiles": "file"}[key]
	return []report.ObjectChange{removed(0, object, "Names/"+key, counted(entries, unit))}
}

// files describes a list of attached files, or the presentation of a portfolio.
func (x *fixer) files(o types.Object) string {
	if list := x.file.Array(o); list != nil {
		return counted(len(list), "file")
	}
	return "portfolio"
}

// removedAction is the change of an entry that was an action, actions by their triggers, bookmarks, or the
// destination of one.
func (x *fixer) removedAction(page int, object, name string, action types.Object) report.ObjectChange {
	dict := x.file.Dict(action)
	switch {
	case name == "Outlines":
		bookmarks := 0
		x.walk(types.Array{dict["First"]}, func(_ types.Object, item types.Dict) types.Array {
			bookmarks++
			return types.Array{item["Next"], item["First"]}
		})
		return removed(page, object, name, counted(bookmarks, "bookmark"))
	case dict == nil:
		return removed(page, object, name, "destination")
	case dict["S"] != nil:
		return removed(page, object, name, document.Clean(x.file.Name(dict["S"]), maxActionName))
	}
	var kinds []string
	for _, trigger := range slices.Sorted(maps.Keys(dict)) {
		if kind := x.file.Name(x.file.Dict(dict[trigger])["S"]); kind != "" {
			kinds = append(kinds, document.Clean(kind, maxActionName))
		}
	}
	text := counted(len(kinds), "action")
	if slices.Sort(kinds); len(kinds) > 0 {
		kinds = slices.Compact(kinds)
		text += ": " + strings.Join(kinds[:min(len(kinds), maxActionKinds)], ", ")
	}
	return removed(page, object, name, text)
}

// maxActionName bounds the name of a type of actions, and maxActionKinds the types that a change lists.
const (
	maxActionName  = 40
	maxActionKinds = 5
)

// counted returns a number with its unit, such as "2 files".
func counted(n int, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}

// removed is the change of an entry that exists no longer.
func removed(page int, object, name, before string) report.ObjectChange {
	return report.ObjectChange{Page: page, Object: object, Name: name, Before: before}
}
