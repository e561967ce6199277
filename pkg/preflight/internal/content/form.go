// SPDX-License-Identifier: Apache-2.0

package content

import (
	"cmp"
	"maps"
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/color"
	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
)

// xobject executes Do.
func (in *Interpreter) xobject(f *frame) {
	o := in.resource(f, "XObject", f.last())
	dict := in.file.Dict(o)
	if dict == nil {
		return
	}
	outside, around := f.layers.outside, f.layers.layer
	if oc, ok := dict["OC"]; ok {
		shown := in.layers.visible(oc, in.page.Number)
		f.layers.outside, f.skips = outside || !shown, !shown && in.layers.ordinary(oc)
		f.layers.layer = cmp.Or(in.layers.of(oc), around)
	}
	switch in.file.Name(dict["Subtype"]) {
	case "Image":
		in.image(f, o, dict)
	case "Form":
		in.form(f, o, dict)
	case "PS":
		in.formFeature(f, facts.PostScript, o)
	}
	f.layers.outside, f.layers.layer = outside, around
}

// formFeature records a feature of an XObject, unless it is on a hidden layer.
func (in *Interpreter) formFeature(f *frame, kind facts.FeatureKind, o types.Object) {
	if !f.layers.hidden() {
		in.feature(kind, "", o, nil)
	}
}

// form executes a form XObject in the current state (8.10.1).
func (in *Interpreter) form(f *frame, o types.Object, dict types.Dict) {
	if in.file.Name(dict["Subtype2"]) == "PS" || dict["PS"] != nil {
		in.formFeature(f, facts.PostScript, o)
	}
	if dict["OPI"] != nil {
		in.formFeature(f, facts.OPI, o)
	}
	if dict["Ref"] != nil {
		in.formFeature(f, facts.ReferenceXObject, o)
	}
	inner := in.within(f, in.file.Dict(dict["Resources"]))
	group := in.file.Dict(dict["Group"])
	if in.file.Name(group["S"]) != "Transparency" {
		in.runForm(inner, o, dict)
		return
	}
	in.formFeature(f, facts.FormGroup, o)
	space := in.groupSpace(f, group, o)
	// Start a transparency group: the outer transparency applies to the group as a
	// whole, not to its parts (11.6.6).
	outer := f.state.transparency
	inner.group.fillAlpha = f.group.fillAlpha * outer.fillAlpha
	inner.group.softMask = f.group.softMask || outer.softMask
	if outer.blend != normal {
		inner.group.blend = outer.blend
	}
	inner.state.transparency, inner.state.soft = opaque(), nil
	isolated, knockout := in.file.Bool(group["I"]), in.file.Bool(group["K"])
	separate := outer != opaque() || isolated || knockout || in.renderer.Knockout()
	region := f.state.region
	if separate {
		in.beginGroup(f, dict, isolated, knockout, space)
	}
	before := in.blended
	in.runForm(inner, o, dict)
	if separate && in.draws(f) {
		in.renderer.End(region, in.style(f, false))
	}
	if in.blended > before && (isolated || knockout) {
		in.feature(facts.Transparency, "Group", o, nil)
	}
}

// groupSpace returns the colour space of a transparency group, or nil, and records it.
func (in *Interpreter) groupSpace(f *frame, group types.Dict, o types.Object) *color.Space {
	cs := in.file.Resolve(group["CS"])
	if cs == nil || f.layers.hidden() {
		return nil
	}
	space := in.remap(f, in.spaces.Resolve(cs, in.page.Number))
	in.feature(facts.GroupSpace, space.Family, o, nil)
	return space
}

// maxSought bounds the dictionaries in which [Interpreter.seesThrough] looks for transparency.
const maxSought = 1000

// seesThrough reports whether resources contain transparency: the page then blends in the space of its
// group (11.4.7). Only resources can say so before the page is painted.
func (in *Interpreter) seesThrough(resources types.Dict, known map[uintptr]bool) bool {
	id := document.Identity(resources)
	if resources == nil || known[id] || len(known) > maxSought {
		return false
	}
	known[id] = true
	// The order must not depend on chance, because the number is bounded.
	sorted := func(entries types.Dict) []string { return slices.Sorted(maps.Keys(entries)) }
	states := in.file.Dict(resources["ExtGState"])
	for _, name := range sorted(states) {
		state := in.file.Dict(states[name])
		for _, key := range [...]string{"ca", "CA"} {
			if v, ok := in.file.Number(state[key]); ok && v < 1 {
				return true
			}
		}
		mode := in.file.Name(state["BM"])
		if modes := in.file.Array(state["BM"]); len(modes) > 0 {
			mode = in.file.Name(modes[0])
		}
		if mode != "" && mode != "Normal" && mode != "Compatible" || in.file.Dict(state["SMask"]) != nil {
			return true
		}
	}
	for _, category := range [...]string{"XObject", "Pattern"} {
		entries := in.file.Dict(resources[category])
		for _, name := range sorted(entries) {
			dict := in.file.Dict(entries[name])
			if dict["SMask"] != nil || in.file.Int(dict["SMaskInData"]) > 0 || in.seesThrough(in.file.Dict(dict["Resources"]), known) {
				return true
			}
		}
	}
	return false
}

// runForm executes a form in a frame, and releases the frame.
func (in *Interpreter) runForm(inner *frame, o types.Object, dict types.Dict) {
	inner.state.ctm = in.file.Matrix(dict["Matrix"]).Then(inner.state.ctm)
	if box, ok := in.file.Numbers(dict["BBox"], 4); ok && geom.Rect(box).Finite() {
		in.clipTo(inner, geom.Rect(box).Normal()) // a box without an area clips everything
	}
	in.nested(o, inner)
	in.release(inner)
}
