// SPDX-License-Identifier: Apache-2.0

package content

import (
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/internal/preflight/document"
	"github.com/printmarket/printmarket/internal/preflight/geom"
)

// The families of colour that a report names.
const (
	deviceGray = "DeviceGray"
	deviceRGB  = "DeviceRGB"
	deviceCMYK = "DeviceCMYK"
	calGray    = "CalGray"
	calRGB     = "CalRGB"
	lab        = "Lab"
	iccGray    = "ICCBased-Gray"
	iccRGB     = "ICCBased-RGB"
	iccCMYK    = "ICCBased-CMYK"
	separation = "Separation"
	deviceN    = "DeviceN"
	pattern    = "Pattern"
	unknown    = ""
)

// space is a colour space as far as we look into it.
type space struct {
	// family is one of the constants; an Indexed space has that of its base.
	family string
	// under is the family below an uncoloured pattern.
	under string
}

// color is a current colour.
type color struct {
	space space
	// pattern is set when the colour is a pattern.
	pattern types.Object
}

// black is the colour that every page starts with.
func black() color { return color{space: space{family: deviceGray}} }

func colorOperators(name string) (operation, bool) {
	switch name {
	case "g":
		return device(deviceGray, false), true
	case "G":
		return device(deviceGray, true), true
	case "rg":
		return device(deviceRGB, false), true
	case "RG":
		return device(deviceRGB, true), true
	case "k":
		return device(deviceCMYK, false), true
	case "K":
		return device(deviceCMYK, true), true
	case "cs":
		return setSpace(false), true
	case "CS":
		return setSpace(true), true
	case "sc", "scn":
		return setColor(false), true
	case "SC", "SCN":
		return setColor(true), true
	case "d1":
		return func(_ *Interpreter, f *frame) { f.muted = true }, true
	}
	return nil, false
}

func (f *frame) set(stroke bool, c color) {
	switch {
	case f.muted:
	case stroke:
		f.state.stroke = c
	default:
		f.state.fill = c
	}
}

func device(family string, stroke bool) operation {
	return func(_ *Interpreter, f *frame) { f.set(stroke, color{space: space{family: family}}) }
}

func setSpace(stroke bool) operation {
	return func(in *Interpreter, f *frame) {
		f.set(stroke, color{space: in.namedSpace(f, f.lastName())})
	}
}

func setColor(stroke bool) operation {
	return func(in *Interpreter, f *frame) {
		c := f.state.fill
		if stroke {
			c = f.state.stroke
		}
		c.pattern = nil
		if c.space.family == pattern {
			c.pattern = in.resource(f, "Pattern", f.lastName())
		}
		f.set(stroke, c)
	}
}

// namedSpace resolves the operand of cs, or the /ColorSpace of an inline image.
func (in *Interpreter) namedSpace(f *frame, name string) space {
	switch name {
	case deviceGray, "G":
		return space{family: deviceGray}
	case deviceRGB, "RGB":
		return space{family: deviceRGB}
	case deviceCMYK, "CMYK":
		return space{family: deviceCMYK}
	case pattern:
		return space{family: pattern}
	}
	return in.space(in.resource(f, "ColorSpace", name))
}

// space resolves a colour space object. Spaces may stand in each other, so it
// looks at most four deep and never follows the alternate of a spot colour.
func (in *Interpreter) space(o types.Object) space {
	ref, isRef := o.(types.IndirectRef)
	if isRef {
		if known, ok := in.spaces[int(ref.ObjectNumber)]; ok {
			return known
		}
	}
	s := in.resolveSpace(o, 4)
	if isRef {
		in.spaces[int(ref.ObjectNumber)] = s
	}
	return s
}

func (in *Interpreter) resolveSpace(o types.Object, depth int) space {
	if depth == 0 {
		return space{}
	}
	if name := in.file.Name(o); name != "" {
		switch name {
		case deviceGray, deviceRGB, deviceCMYK, calGray, calRGB, lab, pattern:
			return space{family: name}
		}
		return space{}
	}
	array := in.file.Array(o)
	if len(array) == 0 {
		return space{}
	}
	at := func(i int) types.Object {
		if i < len(array) {
			return array[i]
		}
		return nil
	}
	switch name := in.file.Name(array[0]); name {
	case deviceGray, deviceRGB, deviceCMYK, calGray, calRGB, lab, separation, deviceN:
		return space{family: name}
	case "Indexed", "I":
		return in.resolveSpace(at(1), depth-1)
	case pattern:
		return space{family: pattern, under: in.resolveSpace(at(1), depth-1).family}
	case "ICCBased":
		return space{family: iccFamily(in.file.Int(in.file.Dict(at(1))["N"]))}
	}
	return space{}
}

func iccFamily(components int) string {
	switch components {
	case 1:
		return iccGray
	case 3:
		return iccRGB
	case 4:
		return iccCMYK
	}
	return unknown
}

// use notes that something is painted in a colour; where may be nil.
func (in *Interpreter) use(f *frame, c color, where *geom.Rect) {
	switch {
	case f.mask:
	case c.space.family == pattern:
		in.usePattern(f, c, where)
	case c.space.family != unknown:
		in.collector.Color(c.space.family, in.page.Number, where)
	}
}

// usePattern looks inside a pattern, once for each page.
func (in *Interpreter) usePattern(f *frame, c color, where *geom.Rect) {
	dict := in.file.Dict(c.pattern)
	if dict == nil {
		return
	}
	if shading, ok := dict["Shading"]; ok {
		in.useShading(f, shading, where)
		return
	}
	uncolored := in.file.Int(dict["PaintType"]) == 2
	if uncolored && c.space.under != unknown {
		in.collector.Color(c.space.under, in.page.Number, where)
	}
	if !in.first(dict, 0) {
		return
	}
	inner := &frame{resources: in.file.Dict(dict["Resources"]), muted: uncolored}
	inner.state = initial(geom.Everything())
	inner.state.ctm = in.file.Matrix(dict["Matrix"]).Then(f.base)
	if uncolored {
		inner.state.fill, inner.state.stroke = color{}, color{}
	}
	in.nested(c.pattern, inner)
}

// first reports whether a stream is read for the first time on this page.
func (in *Interpreter) first(dict types.Dict, scale int) bool {
	v := visit{dict: document.Identity(dict), scale: scale}
	if in.visited[v] {
		return false
	}
	in.visited[v] = true
	return true
}

func (in *Interpreter) useShading(f *frame, shading types.Object, where *geom.Rect) {
	if s := in.space(in.file.Dict(shading)["ColorSpace"]); s.family != unknown && s.family != pattern && !f.mask {
		in.collector.Color(s.family, in.page.Number, where)
	}
}

// shadingFill is sh: it paints the clip.
func (in *Interpreter) shadingFill(f *frame) {
	if f.state.clip.Empty() {
		return
	}
	where := f.state.clip
	in.useShading(f, in.resource(f, "Shading", f.lastName()), &where)
}
