// SPDX-License-Identifier: Apache-2.0

package document

import (
	"maps"
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
)

// catalog reads the facts below the document catalog (ISO 32000-2, table 29) that
// need no page.
func (f *File) catalog() {
	doc, root := f.collector.Document(), f.Dict(rootOf(f))
	doc.Tagged = f.Bool(f.Dict(root["MarkInfo"])["Marked"])
	f.outputIntents(root)
	// Attached files (ISO 32000-2, 7.11.4 and 14.13).
	f.nameTree(f.Dict(root["Names"])["EmbeddedFiles"], f.attachment)
	for _, o := range f.Array(root["AF"]) {
		if !f.step() {
			break
		}
		f.attachment("", o)
	}
	f.form(root)
	// The actions of the catalog, of the named scripts and of the bookmarks.
	f.action(root["OpenAction"], 0)
	f.triggers(root["AA"], 0)
	f.nameTree(f.Dict(root["Names"])["JavaScript"], func(_ string, value types.Object) { f.action(value, 0) })
	f.outlines(f.Dict(root["Outlines"]))
	if f.Dict(root["Names"])["AlternatePresentations"] != nil {
		f.collector.Feature(facts.Presentation, "AlternatePresentations", "", 0, nil)
	}
	// The boxes that viewers show and print (ISO 32000-2, table 147).
	preferences := f.Dict(root["ViewerPreferences"])
	for _, key := range [...]string{"ViewArea", "ViewClip", "PrintArea", "PrintClip"} {
		if box := f.Name(preferences[key]); box != "" && box != "MediaBox" && box != "BleedBox" {
			f.collector.Feature(facts.ViewerArea, key, Ref(rootOf(f)), 0, nil)
		}
	}
	f.privateData(root, Ref(rootOf(f)), 0)
}

// crawl walks structures that may be damaged on purpose: no object is entered
// twice, and all crawls of a document share one bound.
type crawl struct {
	file *File
	seen map[int]bool
}

func (f *File) crawl() *crawl { return &crawl{file: f, seen: map[int]bool{}} }

// step counts one element. It returns false when the bound is reached.
func (f *File) step() bool {
	if f.steps++; f.steps <= f.limits.Elements {
		return true
	}
	f.collector.Exhausted(facts.Incident{Rule: RuleStructure, Variant: "elements", Parameters: facts.Values{"limit": float64(f.limits.Elements)}})
	return false
}

// enter reports whether an element is new and within the bound.
func (c *crawl) enter(o types.Object) bool {
	if !c.file.step() {
		return false
	}
	ref, ok := o.(types.IndirectRef)
	if !ok {
		return true
	}
	number := int(ref.ObjectNumber)
	if c.seen[number] {
		return false
	}
	c.seen[number] = true
	return true
}

// nameTree visits the leaves of a name tree (ISO 32000-2, 7.9.6).
func (f *File) nameTree(root types.Object, visit func(key string, value types.Object)) {
	c, stack := f.crawl(), []types.Object{root}
	for len(stack) > 0 {
		node := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if !c.enter(node) || node == nil {
			continue
		}
		dict := f.Dict(node)
		names := f.Array(dict["Names"])
		for i := 0; i+1 < len(names) && f.step(); i += 2 {
			visit(f.Text(names[i]), names[i+1])
		}
		stack = c.push(stack, f.Array(dict["Kids"]))
	}
}

// push adds elements to the stack, the first on top.
func (c *crawl) push(stack []types.Object, kids types.Array) []types.Object {
	if room := c.file.limits.Elements - c.file.steps - len(stack); len(kids) > room {
		// Keep one more than there is room for, so that the bound is reported.
		kids = kids[:max(0, room)+1]
	}
	for _, kid := range slices.Backward(kids) {
		stack = append(stack, kid)
	}
	return stack
}

// The bounds of private data: applications of one dictionary and of the
// document. Its names must not crowd out other features.
const (
	maxApplications    = 16
	maxApplicationsAll = 64
)

// privateData records the private data of applications (ISO 32000-2, 14.5).
func (f *File) privateData(dict types.Dict, object string, page int) {
	pieces := f.Dict(dict["PieceInfo"])
	for i, name := range slices.Sorted(maps.Keys(pieces)) {
		if i >= maxApplications {
			return
		}
		name = Clean(name, 60)
		if !f.applications[name] {
			if len(f.applications) >= maxApplicationsAll {
				continue
			}
			f.applications[name] = true
		}
		f.collector.Feature(facts.PrivateData, name, object, page, nil)
	}
}
