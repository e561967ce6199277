// SPDX-License-Identifier: Apache-2.0

package content

import (
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/raster"
)

// parameters holds the entries of a graphics state parameter dictionary that
// matter here (8.4.5). Missing entries leave the state unchanged.
type parameters struct {
	// dict keeps the dictionary alive, whose address is the key.
	dict                   types.Dict
	lineWidth, miterLimit  *float64
	lineCap, lineJoin      *int
	dash                   *dashes
	font                   types.Object
	size                   float64
	fillAlpha, strokeAlpha *float64
	blend                  string
	overprintFill          *bool
	overprintStroke        *bool
	overprintMode          *int
	masks                  bool
	mask                   types.Object
	features               []usedFeature
}

// usedFeature is a feature that the page uses by selecting the dictionary.
type usedFeature struct {
	kind   facts.FeatureKind
	detail string
}

// extGState executes gs.
func (in *Interpreter) extGState(f *frame) {
	o := in.resource(f, "ExtGState", f.last())
	dict := in.file.Dict(o)
	if dict == nil {
		return
	}
	id := document.Identity(dict)
	p := in.states[id]
	if p == nil {
		p = in.parameters(dict)
		in.states[id] = p
	}
	s := &f.state
	set(&s.lineWidth, p.lineWidth)
	set(&s.line.Cap, p.lineCap)
	set(&s.line.Join, p.lineJoin)
	set(&s.line.MiterLimit, p.miterLimit)
	if p.dash != nil {
		s.line.Dash, s.line.Phase = p.dash.lengths, p.dash.phase
	}
	set(&s.fillAlpha, unit(p.fillAlpha))
	set(&s.strokeAlpha, unit(p.strokeAlpha))
	set(&s.overprintFill, p.overprintFill)
	set(&s.overprintStroke, p.overprintStroke)
	set(&s.overprintMode, p.overprintMode)
	if p.blend != "" {
		s.blend = p.blend
	}
	if p.font != nil {
		s.font, s.size = in.font(p.font, "ExtGState"), p.size
	}
	if p.masks {
		in.softMask(f, p.mask)
	}
	if f.layers.hidden() {
		return
	}
	for _, used := range p.features {
		in.feature(used.kind, used.detail, o, nil)
	}
}

// dashes is the pattern of a dashed line (8.4.3.6).
type dashes struct {
	lengths []float64
	phase   float64
}

// lineStyle returns a style of caps or joins, 0 to 2.
func lineStyle(v *float64) *int {
	if v == nil {
		return nil
	}
	style := min(max(int(*v), 0), 2)
	return &style
}

func (in *Interpreter) parameters(dict types.Dict) *parameters {
	p := &parameters{dict: dict}
	p.lineWidth, p.miterLimit = in.optional(dict["LW"]), in.optional(dict["ML"])
	p.lineCap, p.lineJoin = lineStyle(in.optional(dict["LC"])), lineStyle(in.optional(dict["LJ"]))
	if pair := in.file.Array(dict["D"]); len(pair) == 2 {
		p.dash = &dashes{}
		lengths := in.file.Array(pair[0])
		for _, o := range lengths[:min(len(lengths), maxDash)] {
			if v, ok := in.file.Number(o); ok {
				p.dash.lengths = append(p.dash.lengths, v)
			}
		}
		p.dash.phase, _ = in.file.Number(pair[1])
	}
	p.fillAlpha, p.strokeAlpha = in.optional(dict["ca"]), in.optional(dict["CA"])
	if pair := in.file.Array(dict["Font"]); len(pair) == 2 {
		p.font = pair[0]
		p.size, _ = in.file.Number(pair[1])
	}
	if v := in.optional(dict["OPM"]); v != nil {
		mode := min(max(int(*v), 0), 1)
		p.overprintMode = &mode
	}
	p.overprintStroke = in.flag(dict["OP"])
	// OP without op applies to both (table 57).
	if p.overprintFill = in.flag(dict["op"]); p.overprintFill == nil {
		p.overprintFill = p.overprintStroke
	}
	p.blend = in.blendMode(dict["BM"])
	if mask, ok := dict["SMask"]; ok && in.file.Resolve(mask) != nil {
		p.masks, p.mask = true, mask
	}
	p.features = in.prepressFeatures(dict)
	return p
}

func (in *Interpreter) optional(o types.Object) *float64 {
	if v, ok := in.file.Number(o); ok {
		return &v
	}
	return nil
}

func (in *Interpreter) flag(o types.Object) *bool {
	if v, ok := in.file.Resolve(o).(types.Boolean); ok {
		on := bool(v)
		return &on
	}
	return nil
}

// blendMode returns the first known mode of a list, or "" for a missing entry.
func (in *Interpreter) blendMode(o types.Object) string {
	names := in.file.Array(o)
	if names == nil && in.file.Name(o) != "" {
		names = types.Array{o}
	}
	if len(names) == 0 {
		return ""
	}
	for _, o := range names[:min(len(names), 16)] {
		// Tables 134 and 135, without the modes that have no effect.
		switch name := in.file.Name(o); name {
		case "Multiply", "Screen", "Overlay", "Darken", "Lighten", "ColorDodge", "ColorBurn", "HardLight",
			"SoftLight", "Difference", "Exclusion", "Hue", "Saturation", "Color", "Luminosity":
			return name
		}
	}
	return normal
}

// prepressFeatures returns the features that PDF/X forbids and that are not at
// their neutral values. Of a pair the newer entry counts.
func (in *Interpreter) prepressFeatures(dict types.Dict) []usedFeature {
	var out []usedFeature
	use := func(kind facts.FeatureKind, keys ...string) {
		for _, key := range keys {
			o, ok := dict[key]
			if !ok || in.file.Resolve(o) == nil {
				continue
			}
			if !in.neutral(o) {
				out = append(out, usedFeature{kind, key})
			}
			return
		}
	}
	use(facts.TransferFunction, "TR2", "TR")
	use(facts.Halftone, "HT")
	use(facts.BlackGeneration, "BG2", "BG")
	use(facts.BlackGeneration, "UCR2", "UCR")
	if in.halftoneTransfers(dict) {
		out = append(out, usedFeature{facts.TransferFunction, "HT"})
	}
	if fault := in.halftoneFault(dict); fault != "" {
		out = append(out, usedFeature{facts.HalftoneKind, fault})
	}
	if name := in.file.Name(dict["RI"]); name != "" && !knownIntent(name) {
		out = append(out, usedFeature{facts.RenderingIntent, document.Clean(name, maxName)})
	}
	return out
}

// halftoneFault returns what PDF/X does not allow of a halftone: a type other than 1 and 5, a
// name, or a phase. Of a halftone of type 5 it examines those of the process colours.
func (in *Interpreter) halftoneFault(dict types.Dict) string {
	if in.file.Resolve(dict["HTP"]) != nil {
		return "phase"
	}
	for i, part := range in.halftones(dict) {
		if kind := in.file.Int(part["HalftoneType"]); kind != 1 && (kind != 5 || i > 0) {
			return "type"
		}
		if part["HalftoneName"] != nil {
			return "name"
		}
	}
	return ""
}

// halftoneTransfers reports whether a halftone has a transfer function. That of a spot colour needs
// one (table 128).
func (in *Interpreter) halftoneTransfers(dict types.Dict) bool {
	return slices.ContainsFunc(in.halftones(dict), func(part types.Dict) bool {
		o := in.file.Resolve(part["TransferFunction"])
		return o != nil && !in.neutral(o)
	})
}

// halftones returns the halftone of a graphics state, and those of the process inks in one of type 5.
func (in *Interpreter) halftones(dict types.Dict) []types.Dict {
	halftone := in.file.Dict(dict["HT"])
	if halftone == nil {
		return nil
	}
	out := []types.Dict{halftone}
	for _, key := range [...]string{"Default", "Cyan", "Magenta", "Yellow", "Black"} {
		if part := in.file.Dict(halftone[key]); part != nil {
			out = append(out, part)
		}
	}
	return out
}

// maxName bounds a name of the file in a report.
const maxName = 40

// knownIntent reports whether a rendering intent is one of table 69.
func knownIntent(name string) bool {
	switch name {
	case "AbsoluteColorimetric", "RelativeColorimetric", "Saturation", "Perceptual":
		return true
	}
	return false
}

// neutral reports whether an entry is Identity or Default, alone or for each ink.
func (in *Interpreter) neutral(o types.Object) bool {
	list := in.file.Array(o)
	if list == nil {
		name := in.file.Name(o)
		return name == "Identity" || name == "Default"
	}
	for _, o := range list[:min(len(list), 16)] {
		if name := in.file.Name(o); name != "Identity" && name != "Default" {
			return false
		}
	}
	return true
}

func set[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}

// unit limits an opacity to the range 0 to 1.
func unit(v *float64) *float64 {
	if v == nil {
		return nil
	}
	cut := min(max(*v, 0), 1)
	return &cut
}

// softMask selects a mask, or none. It records the images of the mask; its colours
// are not printed.
func (in *Interpreter) softMask(f *frame, o types.Object) {
	group := in.file.Dict(o)["G"]
	form := in.file.Dict(group)
	f.state.softMask, f.state.soft = form != nil, nil
	if form != nil {
		in.drawMask(f, o)
	}
	if form == nil || !in.first(form, scaleClass(f.state.ctm)) {
		return
	}
	inner := in.within(f, in.file.Dict(form["Resources"]))
	inner.mask, inner.state.region = true, &raster.Clip{}
	in.runForm(inner, group, form)
}
