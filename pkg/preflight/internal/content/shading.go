// SPDX-License-Identifier: Apache-2.0

package content

import (
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/color"
	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
)

// The number of samples of a shading, in each direction.
const (
	axialSamples = 17
	planeSamples = 9
)

// shade is a shading that the interpreter has read.
type shade struct {
	// dict keeps the dictionary alive, whose address is the key.
	dict  types.Dict
	space *color.Space
	paint facts.Paint
}

type shadingKey struct {
	dict  uintptr
	space *color.Space
}

// shadingFill executes sh: it paints the clip.
func (in *Interpreter) shadingFill(f *frame) {
	o := in.resource(f, "Shading", f.last())
	dict := in.file.Dict(o)
	if dict == nil {
		return
	}
	in.drawShading(f, o, f.state.ctm, nil, false)
	region := f.state.clip
	if box, ok := in.file.Rect(dict["BBox"]); ok {
		region = region.Intersect(f.state.ctm.Rect(box))
	}
	if !region.Empty() && region.Finite() {
		in.paintShading(f, o, region, region.Area()*in.mm2)
	}
}

// paintShading paints the mark of a shading in a region.
func (in *Interpreter) paintShading(f *frame, o types.Object, region geom.Rect, area float64) {
	dict := in.file.Dict(o)
	if dict == nil {
		return
	}
	m := in.begin(f, facts.Shading, region)
	if m == nil {
		return
	}
	space := in.spaces.Resolve(dict["ColorSpace"], in.page.Number)
	var with ink
	with.choose(space, in.remap(f, space))
	if with.space.Pattern() {
		return
	}
	key := shadingKey{dict: document.Identity(dict), space: with.space}
	known, ok := in.shadings[key]
	if !ok {
		known = shade{dict: dict, space: with.space, paint: in.shade(o, dict, with.space)}
		in.shadings[key] = known
	}
	with.paint = known.paint
	m.Object, m.Area = document.Ref(o), area
	in.paint(f, &with, m)
}

// shade returns the highest inks and the coverage of the colours of a shading.
func (in *Interpreter) shade(o types.Object, dict types.Dict, space *color.Space) facts.Paint {
	if !space.Known() {
		return facts.Paint{Space: space.Family}
	}
	c := colors{space: space, coverage: &facts.Coverage{}, functions: in.functions(dict["Function"])}
	switch in.file.Int(dict["ShadingType"]) {
	case 1:
		c.plane()
	case 2, 3:
		low, high := 0.0, 1.0
		if domain, ok := in.file.Numbers(dict["Domain"], 2); ok {
			low, high = domain[0], domain[1]
		}
		c.line(low, high)
	default:
		in.mesh(o, dict, &c)
	}
	p := facts.Paint{Space: c.space.Family}
	if !c.seen {
		return p
	}
	p.Known, p.Coverage = true, c.coverage
	p.White = c.coverage.Max() < 0.1
	copy(p.CMYK[:], c.highest)
	for i, name := range c.space.Spots() {
		p.Spots = append(p.Spots, facts.Tint{Name: name, Amount: c.highest[4+i]})
	}
	return p
}

// functions reads one function, or one for each component.
func (in *Interpreter) functions(o types.Object) []*color.Function {
	list := in.file.Array(o)
	if list == nil {
		list = types.Array{o}
	}
	var out []*color.Function
	for _, o := range list[:min(len(list), color.MaxComponents)] {
		f, err := color.ParseFunction(in.file, o, in.page.Number)
		if err != nil {
			return nil
		}
		out = append(out, f)
	}
	return out
}

// colors gathers the inks of some colours.
type colors struct {
	space     *color.Space
	functions []*color.Function
	coverage  *facts.Coverage
	highest   []float64
	buffer    []float64
	seen      bool
}

// line samples the parameter of an axial or radial shading.
func (c *colors) line(low, high float64) {
	for i := range axialSamples {
		c.parametric(low + (high-low)*float64(i)/(axialSamples-1))
	}
}

// parametric adds the colour that the functions return for an input.
func (c *colors) parametric(in ...float64) {
	if len(c.functions) == 0 {
		return
	}
	c.buffer = c.buffer[:0]
	for _, f := range c.functions {
		c.buffer = f.Eval(c.buffer, in)
	}
	c.add(c.buffer)
}

// plane samples the domain of a function-based shading.
func (c *colors) plane() {
	if len(c.functions) == 0 {
		return
	}
	xLow, xHigh := c.functions[0].Domain(0)
	yLow, yHigh := c.functions[0].Domain(1)
	for i := range planeSamples {
		for k := range planeSamples {
			c.parametric(xLow+(xHigh-xLow)*float64(i)/(planeSamples-1), yLow+(yHigh-yLow)*float64(k)/(planeSamples-1))
		}
	}
}

// add adds one colour.
func (c *colors) add(values []float64) {
	amounts := c.space.Amounts(nil, values)
	if c.highest == nil {
		c.highest = slices.Clone(amounts)
	}
	total := 0.0
	for i, v := range amounts {
		c.highest[i] = max(c.highest[i], v)
		total += v
	}
	c.coverage.Add(total * 100)
	c.seen = true
}
