// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"fmt"
	"maps"

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
	stack := append(types.Array{}, x.file.Array(x.file.Dict(root["AcroForm"])["Fields"])...)
	seen := map[types.Object]bool{}
	for len(stack) > 0 && len(seen) < maxFields {
		o := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if _, ok := o.(types.IndirectRef); !ok || seen[o] {
			continue
		}
		seen[o] = true
		field := x.file.Dict(o)
		stack = append(stack, x.file.Array(field["Kids"])...)
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
	}
	return changes
}

// maxFields bounds the form fields that are visited.
const maxFields = 20_000

// attachments removes attached files, and the annotations that hold one.
func (x *fixer) attachments() ([]report.ObjectChange, error) {
	root, ok := x.edit(x.file.RootObject())
	if !ok {
		return nil, report.RefusedStructure
	}
	changes := x.unname(root, "EmbeddedFiles")
	for _, key := range [...]string{"AF", "Collection"} { // a collection presents the attached files
		if _, ok := root[key]; ok {
			delete(root, key)
			changes = append(changes, removed(0, document.Ref(x.file.RootObject()), key))
		}
	}
	for i := range x.pages {
		page, err := x.page(i)
		if err != nil {
			return nil, err
		}
		if _, ok := page["AF"]; ok {
			delete(page, "AF")
			changes = append(changes, removed(i+1, document.Ref(x.pages[i].Object), "AF"))
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
	if _, ok := names[key]; !ok {
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
	return []report.ObjectChange{removed(0, object, "Names/"+key)}
}

// removedAction is the change of an entry that was an action, with its type, or another entry.
func (x *fixer) removedAction(page int, object, name string, action types.Object) report.ObjectChange {
	change := removed(page, object, name)
	if kind := x.file.Name(x.file.Dict(action)["S"]); kind != "" {
		change.Before = document.Clean(kind, 40)
	}
	return change
}

// removed is the change of an entry that exists no longer.
func removed(page int, object, name string) report.ObjectChange {
	return report.ObjectChange{Page: page, Object: object, Name: name, Before: "present"}
}
