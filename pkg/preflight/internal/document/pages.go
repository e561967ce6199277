// SPDX-License-Identifier: Apache-2.0

package document

import (
	"maps"
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
)

// Page is one leaf of the page tree, with its inherited entries.
type Page struct {
	facts.Page
	// Object is the entry of the page tree: a reference, in a valid file.
	Object types.Object
	// Dict is the page's own dictionary.
	Dict      types.Dict
	Resources types.Dict
	Contents  types.Object
	Annots    types.Object
}

// node is an entry of the tree that is not visited yet.
type node struct {
	object types.Object
	// inherited holds Resources, MediaBox, CropBox and Rotate of the ancestors.
	inherited map[string]types.Object
}

// letter is the size that viewers use for a page without a MediaBox.
var letter = geom.Rect{0, 0, 612, 792}

// Pages walks the page tree. It does not recurse, visits each node once, and reads
// /Count only to report a wrong one.
func (f *File) Pages() []Page {
	root := f.Dict(rootOf(f))
	tree, ok := root["Pages"]
	if !ok || f.Dict(tree) == nil {
		f.pageTree(0, "", "missing", nil)
		f.collector.Incomplete()
		return nil
	}
	w := walk{file: f, seen: map[int]bool{}, stack: []node{{object: tree}}}
	for len(w.stack) > 0 {
		last := w.stack[len(w.stack)-1]
		w.stack = w.stack[:len(w.stack)-1]
		if !w.visit(last) {
			break
		}
	}
	count, ok := f.Number(f.Dict(tree)["Count"])
	switch {
	case ok && int(count) == len(w.pages) && count == float64(int(count)), f.Budget.Spent():
	case !ok:
		f.pageTree(0, Ref(tree), "count_missing", facts.Values{"found": float64(len(w.pages))})
	default:
		f.pageTree(0, Ref(tree), "count_wrong", facts.Values{"declared": geom.Round(count, 0), "found": float64(len(w.pages))})
	}
	return w.pages
}

func rootOf(f *File) types.Object {
	if f.pdf.Root == nil {
		return nil
	}
	return *f.pdf.Root
}

func (f *File) pageTree(page int, object, variant string, values facts.Values) {
	f.collector.Incident(facts.Incident{Rule: RulePageTree, Page: page, Object: object, Variant: variant, Parameters: values})
}

type walk struct {
	file  *File
	seen  map[int]bool
	stack []node
	pages []Page
	nodes int
}

// visit handles one node; false ends the walk.
func (w *walk) visit(n node) bool {
	f := w.file
	if w.nodes++; w.nodes > 10*f.limits.Pages || len(w.pages) >= f.limits.Pages {
		f.Budget.exhaust(facts.Incident{Rule: RulePages, Parameters: facts.Values{"limit": float64(f.limits.Pages)}})
		return false
	}
	dict := f.Dict(n.object)
	if dict == nil {
		f.pageTree(0, Ref(n.object), "no_page", nil)
		return true
	}
	kids, inner := dict["Kids"]
	// Some programs refer many times to one branch without pages.
	if array, isArray := f.Resolve(kids).(types.Array); isArray && len(array) == 0 && f.Name(dict["Type"]) == "Pages" {
		return true
	}
	if inner = inner && f.Name(dict["Type"]) != "Page"; inner && !w.enter(n.object) {
		f.pageTree(0, Ref(n.object), "cycle", nil)
		return true
	}
	above := n.inherited
	inherited, copied := above, false
	for _, key := range [...]string{"Resources", "MediaBox", "CropBox", "Rotate"} {
		value, ok := dict[key]
		if !ok || value == nil {
			continue
		}
		if !copied {
			inherited, copied = make(map[string]types.Object, 4), true
			maps.Copy(inherited, above)
		}
		inherited[key] = value
	}
	if !inner {
		w.leaf(n.object, dict, inherited)
		return true
	}
	array := f.Array(kids)
	if room := 10*f.limits.Pages - w.nodes - len(w.stack); len(array) > room {
		array = array[:max(0, room)+1]
	}
	for i := len(array) - 1; i >= 0; i-- {
		w.stack = append(w.stack, node{object: array[i], inherited: inherited})
	}
	return true
}

// enter marks a node as visited and reports whether it is new. Direct nodes cannot
// repeat.
func (w *walk) enter(o types.Object) bool {
	ref, ok := o.(types.IndirectRef)
	if !ok {
		return true
	}
	number := int(ref.ObjectNumber)
	if w.seen[number] {
		return false
	}
	w.seen[number] = true
	return true
}

// leaf adds a page. A page that the tree contains twice is printed twice, and
// reported.
func (w *walk) leaf(object types.Object, dict types.Dict, inherited map[string]types.Object) {
	f, number := w.file, len(w.pages)+1
	if !w.enter(object) {
		f.pageTree(number, Ref(object), "repeated", nil)
	}
	page := Page{
		Page:      facts.Page{Number: number, Object: Ref(object), Media: letter, UserUnit: 1},
		Object:    object,
		Dict:      dict,
		Resources: f.Dict(inherited["Resources"]),
		Contents:  dict["Contents"],
		Annots:    dict["Annots"],
	}
	if media, ok := f.Rect(inherited["MediaBox"]); ok {
		page.Media = media
	} else {
		f.pageTree(number, Ref(object), "media_missing", nil)
	}
	page.Crop = f.box(inherited["CropBox"])
	page.Bleed = f.box(dict["BleedBox"])
	page.Trim = f.box(dict["TrimBox"])
	page.Art = f.box(dict["ArtBox"])
	if unit, ok := f.Number(dict["UserUnit"]); ok && unit > 0 && unit <= 1e6 {
		page.UserUnit = unit
	}
	page.RawRotate = f.Int(inherited["Rotate"])
	if page.RawRotate%90 == 0 {
		page.Rotate = (page.RawRotate%360 + 360) % 360
	}
	intents := f.Array(dict["OutputIntents"])
	page.Intended = slices.ContainsFunc(intents[:min(len(intents), maxIntents)], func(o types.Object) bool {
		return f.Name(f.Dict(o)["S"]) == "GTS_PDFX"
	})
	w.pages = append(w.pages, page)
	f.collector.Page(page.Page)
	if !f.opaque {
		f.pageActions(dict, number)
		f.privateData(dict, Ref(object), number)
		if f.Dict(dict["SeparationInfo"]) != nil {
			f.collector.Feature(facts.Separated, "", Ref(object), number, nil)
		}
		if f.Resolve(dict["PresSteps"]) != nil {
			f.collector.Feature(facts.Presentation, "PresSteps", Ref(object), number, nil)
		}
	}
}

func (f *File) box(o types.Object) *geom.Rect {
	if r, ok := f.Rect(o); ok {
		return &r
	}
	return nil
}
