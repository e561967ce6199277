// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"bytes"
	"compress/zlib"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"math"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/color"
	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/render"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// renderingIntents are the values of [report.Output.Intent].
var renderingIntents = map[string]color.Intent{
	"relative": color.RelativeColorimetric, "perceptual": color.Perceptual, "saturation": color.Saturation,
} // constant

// intentOf returns the rendering intent of conversions.
func intentOf(output *report.Output) color.Intent {
	if output == nil {
		return color.RelativeColorimetric
	}
	return renderingIntents[output.Intent]
}

// intents names the output intent of the document, or adds the one of the options.
func (x *fixer) intents() ([]report.ObjectChange, error) {
	output := x.opts.Output
	var stated *facts.OutputIntent
	for i := range x.facts.Intents {
		if x.facts.Intents[i].Subtype == "GTS_PDFX" {
			stated = &x.facts.Intents[i]
		}
	}
	if stated != nil && (stated.Profile != nil || stated.Referenced) {
		return nil, nil
	}
	if output == nil || len(output.Profile) == 0 {
		return nil, &impossibleError{Fix: report.FixIntent, Reason: report.FixNoProfile}
	}
	header, err := document.ParseICC(output.Profile)
	if err != nil || header.Space != "CMYK" || header.Class != "prtr" {
		return nil, &impossibleError{Fix: report.FixIntent, Reason: report.FixOtherProfile, Detail: header.Description}
	}
	condition := output.Condition
	if condition == "" {
		condition = header.Description
	}
	if stated != nil && stated.Condition != condition {
		return nil, &impossibleError{Fix: report.FixIntent, Reason: report.FixOtherProfile, Detail: stated.Condition}
	}
	root, ok := x.edit(x.file.RootObject())
	if !ok {
		return nil, report.RefusedStructure
	}
	profile := x.update.stream(types.Dict{"N": types.Integer(4), "Filter": types.Name("FlateDecode")}, compressed(output.Profile))
	kept := types.Array{}
	for _, o := range x.file.Array(root["OutputIntents"]) {
		if x.file.Name(x.file.Dict(o)["S"]) != "GTS_PDFX" {
			kept = append(kept, o)
		}
	}
	made := types.Dict{
		"Type": types.Name("OutputIntent"), "S": types.Name("GTS_PDFX"), "OutputConditionIdentifier": text(condition), "Info": text(condition), "DestOutputProfile": profile,
	}
	root["OutputIntents"] = append(kept, x.update.add(made))
	change := report.ObjectChange{Object: document.Ref(x.file.RootObject()), Name: "OutputIntents", After: condition}
	if stated != nil {
		change.Before = stated.Condition + " without a profile"
	}
	return []report.ObjectChange{change}, nil
}

// conversion converts colours to the inks of the printing condition.
type conversion struct {
	x       *fixer
	output  *color.Output
	changes []report.ObjectChange
}

// conversion returns the conversion of the file to its printing condition, or to that of the
// options.
func (x *fixer) conversion() (*conversion, error) {
	profile, sum := printing(x.file, x.facts, x.opts.Output)
	output, err := color.NewOutput(x.file, profile, sum, intentOf(x.opts.Output))
	switch {
	case err != nil:
		return nil, &impossibleError{Fix: report.FixColors, Reason: report.FixOtherProfile}
	case !output.Profiled():
		return nil, &impossibleError{Fix: report.FixColors, Reason: report.FixNoProfile}
	}
	return &conversion{x: x, output: output}, nil
}

// printing returns the profile of the first output intent for CMYK, or that of a given output, with
// its digest. It returns nil when there is none.
func printing(file *document.File, doc *facts.Document, given *report.Output) (profile []byte, sum string) {
	for i := range doc.Intents {
		if p := doc.Intents[i].Profile; p != nil && p.Fault == "" && p.Space == "CMYK" {
			return file.Profile(p), p.SHA256
		}
	}
	if given == nil || len(given.Profile) == 0 {
		return nil, ""
	}
	digest := sha256.Sum256(given.Profile)
	return given.Profile, hex.EncodeToString(digest[:])
}

func (c *conversion) color(space *color.Space, values []float64) [4]float64 {
	return [4]float64(c.output.Amounts(nil, space, values)[:4])
}

// change records the conversion of an object.
func (c *conversion) change(o types.Object, space *color.Space) {
	c.changes = append(c.changes, report.ObjectChange{Object: document.Ref(o), Name: "ColorSpace", Before: space.Family, After: color.DeviceCMYK})
}

// picture converts an image.
func (c *conversion) picture(o types.Object, dict types.Dict, image color.Image) bool {
	ref, isRef := o.(types.IndirectRef)
	stream, isStream := c.x.file.Stream(o)
	if !isRef || !isStream || c.x.file.Int(dict["SMaskInData"]) > 0 || c.x.file.Dict(dict["SMask"])["Matte"] != nil {
		return false
	}
	defer c.change(o, image.Space)
	generation := c.x.file.Generation(ref)
	if image.Space.Indexed() {
		// The Indexed space gets the inks of its colours.
		var table []byte
		entries := image.Space.Entries()
		for i := range entries {
			for _, v := range c.color(image.Space, []float64{float64(i)}) {
				table = append(table, byte(v*255+0.5))
			}
		}
		out := maps.Clone(stream.Dict)
		out["ColorSpace"] = types.Array{
			types.Name("Indexed"), types.Name(color.DeviceCMYK), types.Integer(entries - 1), types.HexLiteral(hex.EncodeToString(table)),
		}
		c.x.update.replaceStream(ref, generation, out, string(stream.Raw))
		return true
	}
	var key []int
	for _, v := range c.x.file.Array(dict["Mask"]) {
		key = append(key, c.x.file.Int(v))
	}
	made, data, mask, ok := c.samples(image, key)
	if !ok {
		return false
	}
	out := unfiltered(stream.Dict)
	delete(out, "Decode")
	delete(out, "Intent")
	maps.Copy(out, made)
	if mask != "" {
		out["Mask"] = c.x.update.stream(types.Dict{
			"Type": types.Name("XObject"), "Subtype": types.Name("Image"), "ImageMask": types.Boolean(true), "BitsPerComponent": types.Integer(1),
			"Width": made["Width"], "Height": made["Height"], "Filter": types.Name("FlateDecode"),
		}, mask)
	}
	c.x.update.replaceStream(ref, generation, out, data)
	return true
}

// inline makes an image XObject of an inline image.
func (c *conversion) inline(image color.Image) (types.IndirectRef, bool) {
	made, data, _, ok := c.samples(image, nil)
	if !ok {
		return types.IndirectRef{}, false
	}
	made["Type"], made["Subtype"] = types.Name("XObject"), types.Name("Image")
	return c.x.update.stream(made, data), true
}

// samples converts the samples of an image to CMYK with eight bits. With a colour key, mask is a
// stencil of the pixels that are not painted.
func (c *conversion) samples(image color.Image, key []int) (dict types.Dict, data, mask string, ok bool) {
	room := func(n int64) bool { return n <= c.x.opts.Limits.StreamBytes }
	plain, ok := color.Unpack(image, image.Width, image.Height, room)
	if !ok {
		return nil, "", "", false
	}
	reader := color.NewReader(plain)
	if reader == nil || plain.Bits == 16 && len(key) > 0 {
		return nil, "", "", false
	}
	inks := c.output.Pixels(plain.Space, reader)
	n := plain.Space.Components
	var out, hidden bytes.Buffer
	pixels, stencil := zlib.NewWriter(&out), zlib.NewWriter(&hidden)
	row, bits := make([]byte, 4*plain.Width), make([]byte, (plain.Width+7)/8)
	for range plain.Height {
		in := reader.Next()
		if in == nil || out.Len() > report.MaxUpdate {
			return nil, "", "", false
		}
		clear(bits)
		for i := range plain.Width {
			pixel := in[i*n : (i+1)*n]
			converted := inks(pixel)
			copy(row[4*i:], converted[:])
			if len(key) >= 2*n && keyed(pixel, key) {
				bits[i/8] |= 0x80 >> (i % 8)
			}
		}
		// A bytes.Buffer takes all writes.
		_, _ = pixels.Write(row)
		_, _ = stencil.Write(bits)
	}
	_, _ = pixels.Close(), stencil.Close()
	dict = types.Dict{
		"Width": types.Integer(plain.Width), "Height": types.Integer(plain.Height), "BitsPerComponent": types.Integer(8),
		"ColorSpace": types.Name(color.DeviceCMYK), "Filter": types.Name("FlateDecode"),
	}
	if len(key) >= 2*n {
		mask = hidden.String()
	}
	return dict, out.String(), mask, true
}

// keyed reports whether a pixel is in the ranges of a colour key (ISO 32000-2, 8.9.6.4).
func keyed(pixel []byte, ranges []int) bool {
	for i, v := range pixel {
		if int(v) < ranges[2*i] || int(v) > ranges[2*i+1] {
			return false
		}
	}
	return true
}

// gradientSteps is the number of colours of a converted gradient.
const gradientSteps = 1024

// gradient converts a shading. A shading without a number gets one; the pattern then refers to it.
func (c *conversion) gradient(o types.Object, dict types.Dict, space *color.Space, pattern types.Object) (types.IndirectRef, bool) {
	ref, isRef := o.(types.IndirectRef)
	stream, isStream := c.x.file.Stream(o)
	out, data := maps.Clone(dict), string(stream.Raw)
	kind := c.x.file.Int(dict["ShadingType"])
	var ok bool
	domain := []float64{0, 1}
	function, parametric := dict["Function"]
	switch {
	case parametric && space.Indexed():
		// The colours of a function must not be indices (ISO 32000-2, 8.7.4.4).
	case parametric && kind == 1:
		if domain, ok = c.x.file.Numbers(dict["Domain"], 4); !ok {
			domain = []float64{0, 1, 0, 1}
		}
		out["Function"], ok = c.placed(function, space, domain)
	case parametric:
		if given, ok := c.x.file.Numbers(dict["Domain"], 2); kind < render.FreeMesh && ok {
			domain = given
		} else if decode, ok := c.x.file.Numbers(dict["Decode"], 6); kind >= render.FreeMesh && ok {
			domain = decode[4:]
		}
		out["Function"], ok = c.parametric(function, space, domain)
	case isStream:
		out = unfiltered(out)
		data, ok = c.mesh(o, out, space)
	default:
		ok = false
	}
	if !ok {
		return ref, false
	}
	out["ColorSpace"] = types.Name(color.DeviceCMYK)
	if background, ok := c.x.file.Numbers(dict["Background"], space.Components); ok {
		var inks types.Array
		for _, v := range c.color(space, background) {
			inks = append(inks, types.Float(v))
		}
		out["Background"] = inks
	}
	owner, owned := pattern.(types.IndirectRef)
	switch {
	case isStream:
		c.x.update.replaceStream(ref, c.x.file.Generation(ref), out, data)
	case isRef:
		c.x.update.replace(ref, c.x.file.Generation(ref), out)
	case pattern == nil:
		return c.x.update.add(out), true
	case !owned:
		return ref, false
	default:
		ref, o = c.x.update.add(out), owner
		referring := maps.Clone(c.x.file.Dict(owner))
		referring["Shading"] = ref
		c.x.update.replace(owner, c.x.file.Generation(owner), referring)
	}
	c.change(o, space)
	return ref, true
}

// functions reads one function, or one for each component, of so many inputs.
func (c *conversion) functions(o types.Object, inputs int) (out []*color.Function, ok bool) {
	list := c.x.file.Array(o)
	if list == nil {
		list = types.Array{o}
	}
	for _, o := range list[:min(len(list), color.MaxComponents)] {
		f, err := color.ParseFunction(c.x.file, o, 0)
		if err != nil || f.Inputs() != inputs {
			return nil, false
		}
		out = append(out, f)
	}
	return out, true
}

// inks returns the inks of the colour that functions give.
func (c *conversion) inks(functions []*color.Function, space *color.Space, in ...float64) [4]float64 {
	var values []float64
	for _, f := range functions {
		values = f.Eval(values, in)
	}
	return c.color(space, values)
}

// sampled returns a sampled function of eight bits with four outputs.
func (c *conversion) sampled(domain []float64, sizes types.Array, data []byte) types.IndirectRef {
	unit, limits := types.Array{}, types.Array{}
	for range 4 {
		unit = append(unit, types.Integer(0), types.Integer(1))
	}
	for _, v := range domain {
		limits = append(limits, types.Float(v))
	}
	return c.x.update.stream(types.Dict{
		"FunctionType": types.Integer(0), "Domain": limits, "Range": unit,
		"Size": sizes, "BitsPerSample": types.Integer(8), "Filter": types.Name("FlateDecode"),
	}, compressed(data))
}

// parametric returns a sampled function from the parameter of a shading to inks.
func (c *conversion) parametric(function types.Object, space *color.Space, domain []float64) (types.Object, bool) {
	functions, ok := c.functions(function, 1)
	if !ok {
		return nil, false
	}
	var data []byte
	for i := range gradientSteps {
		t := domain[0] + (domain[1]-domain[0])*float64(i)/(gradientSteps-1)
		for _, v := range c.inks(functions, space, t) {
			data = append(data, byte(v*255+0.5))
		}
	}
	return c.sampled(domain, types.Array{types.Integer(gradientSteps)}, data), true
}

// The table of a function of two inputs: the points in each direction, of which the first number that
// gives about the same inks is used, and the places at which inks are compared.
var placedSides = [...]int{65, 129, 257, 513} // constant

const (
	placedTrials = 4000
	// placedTolerance is the difference that counts, and placedFaults the most places with one, such as
	// those at an edge.
	placedTolerance = 0.015
	placedFaults    = placedTrials / 50
)

// placed returns a sampled function from the place of a shading to inks. It returns false if no table
// gives about the same inks.
func (c *conversion) placed(function types.Object, space *color.Space, domain []float64) (types.Object, bool) {
	functions, ok := c.functions(function, 2)
	if !ok || domain[1] <= domain[0] || domain[3] <= domain[2] {
		return nil, false
	}
	at := func(u, v float64) [4]float64 {
		return c.inks(functions, space, domain[0]+(domain[1]-domain[0])*u, domain[2]+(domain[3]-domain[2])*v)
	}
	var data []byte
	side, faults := 0, 0
	for _, side = range placedSides {
		data = data[:0]
		for i := range side * side {
			for _, v := range at(float64(i%side)/float64(side-1), float64(i/side)/float64(side-1)) {
				data = append(data, byte(v*255+0.5))
			}
		}
		faults = 0
		for i := range placedTrials {
			// Places that fill the square evenly, and do not repeat in the rows of a table.
			_, u := math.Modf(0.5 + float64(i)*0.7548776662466927)
			_, v := math.Modf(0.5 + float64(i)*0.5698402909980532)
			want := at(u, v)
			for k, got := range bilinear(data, side, u, v) {
				if math.Abs(want[k]-got) > placedTolerance {
					faults++
					break
				}
			}
		}
		if faults == 0 {
			break
		}
	}
	if faults > placedFaults {
		return nil, false
	}
	return c.sampled(domain, types.Array{types.Integer(side), types.Integer(side)}, data), true
}

// bilinear returns the inks of a table at a place from 0 to 1.
func bilinear(data []byte, side int, u, v float64) (out [4]float64) {
	u, v = u*float64(side-1), v*float64(side-1)
	x, y := min(int(u), side-2), min(int(v), side-2)
	u, v = u-float64(x), v-float64(y)
	for k := range out {
		value := func(x, y int) float64 { return float64(data[(y*side+x)*4+k]) / 255 }
		out[k] = (1-v)*((1-u)*value(x, y)+u*value(x+1, y)) + v*((1-u)*value(x, y+1)+u*value(x+1, y+1))
	}
	return out
}
