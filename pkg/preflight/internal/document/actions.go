// SPDX-License-Identifier: Apache-2.0

package document

import (
	"maps"
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
)

// maxSameAction bounds the listed actions of one type. Unknown types share one
// bound, so that they cannot crowd out others.
const maxSameAction = 60

const unknownAction = "Unknown"

// actionTypes lists the types of ISO 32000-2, table 201, and of Adobe's extensions.
var actionTypes = []string{
	"GoTo", "GoToR", "GoToE", "GoToDp", "Launch", "Thread", "URI", "Sound", "Movie", "Hide", "Named",
	"SubmitForm", "ResetForm", "ImportData", "JavaScript", "SetOCGState", "Rendition", "Trans",
	"GoTo3DView", "RichMediaExecute",
} // constant

// triggers records the actions of an AA dictionary, in a fixed order.
func (f *File) triggers(o types.Object, page int) {
	dict := f.Dict(o)
	for _, key := range slices.Sorted(maps.Keys(dict)) {
		if !f.step() {
			return
		}
		f.action(dict[key], page)
	}
}

// action records an action and the actions that follow it. A destination, which is
// an array, is not an action.
func (f *File) action(o types.Object, page int) {
	if o == nil {
		return
	}
	c, stack := f.crawl(), []types.Object{o}
	for len(stack) > 0 {
		next := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if !c.enter(next) {
			continue
		}
		dict, isDict := f.Resolve(next).(types.Dict)
		if !isDict {
			continue
		}
		if name := f.Name(dict["S"]); name != "" {
			if !slices.Contains(actionTypes, name) {
				name = unknownAction
			}
			if f.actions[name]++; f.actions[name] <= maxSameAction {
				doc := f.collector.Document()
				doc.Actions = append(doc.Actions, facts.Action{Type: name, Page: page, Object: Ref(next)})
			}
		}
		switch follow := dict["Next"]; {
		case follow == nil:
		case f.Array(follow) != nil:
			stack = c.push(stack, f.Array(follow))
		default:
			stack = append(stack, follow)
		}
	}
}

// outlines records the actions of the bookmarks (ISO 32000-2, 12.3.3).
func (f *File) outlines(root types.Dict) {
	c, stack := f.crawl(), []types.Object{root["First"]}
	for len(stack) > 0 {
		item := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if item == nil || !c.enter(item) {
			continue
		}
		dict := f.Dict(item)
		f.action(dict["A"], 0)
		stack = append(stack, dict["Next"], dict["First"])
	}
}

// pageActions records the actions of a page and of its annotations, and the files
// that are attached to them.
func (f *File) pageActions(dict types.Dict, page int) {
	f.triggers(dict["AA"], page)
	for _, o := range f.Array(dict["Annots"]) {
		if !f.step() {
			return
		}
		annotation := f.Dict(o)
		f.action(annotation["A"], page)
		f.triggers(annotation["AA"], page)
		if f.Name(annotation["Subtype"]) == "FileAttachment" {
			f.attachment("", annotation["FS"])
		}
	}
}
