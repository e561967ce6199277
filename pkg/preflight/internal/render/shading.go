// SPDX-License-Identifier: Apache-2.0

package render

import (
	"math"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/color"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/internal/planes"
	"github.com/printmarket/printmarket/pkg/preflight/internal/raster"
)

// Shading is a shading dictionary with its parts resolved (ISO 32000-2, 8.7.4.5).
type Shading struct {
	Object    types.Object
	Dict      types.Dict
	Space     *color.Space
	Functions []*color.Function
	// Pattern reports whether the shading is the colour of a shape; then its background
	// counts.
	Pattern bool
}

// colored is a source of several colours.
type colored interface {
	planes.Source
	// Highest returns the highest amount of each ink.
	Highest() planes.Amounts
}

// Shade paints a shading inside a shape, or inside a whole region when the shape is
// nil. m maps the space of the shading to the page. It returns the highest amounts of
// ink, or false when it painted nothing or a mask.
func (r *Renderer) Shade(sh *Shading, m geom.Matrix, shape *geom.Path, evenOdd bool, region *raster.Clip, s Style) (facts.Paint, bool) {
	if region.Empty() || r.spent() {
		return facts.Paint{}, false
	}
	device := m.Then(r.surface.device)
	inverse, ok := device.Invert()
	if !ok {
		return facts.Paint{}, false
	}
	t := r.named(sh.Space)
	if r.surface.mask {
		t = Tone{named: planes.All}
	}
	paint := r.paint(t, s, false)
	var back planes.Source
	if values, ok := r.file.Numbers(sh.Dict["Background"], sh.Space.Components); ok && sh.Pattern {
		amounts := r.Tone(sh.Space, values).amounts
		back = flat(amounts)
	}
	if box, ok := r.file.Rect(sh.Dict["BBox"]); ok {
		if back != nil {
			r.draw(back, shape, evenOdd, region, &paint)
			back = nil
		}
		var outline geom.Path
		outline.Append(boxPath(box), m)
		region = r.Clip(region, &outline, false)
	}
	source := r.inInks(sh.Space, func() (source colored) {
		switch kind := r.file.Int(sh.Dict["ShadingType"]); kind {
		case 1:
			source, region = r.byFunction(sh, inverse, m, region)
		case 2, 3:
			source = r.gradient(sh, kind == 3, inverse)
		case 4, 5, 6, 7:
			source = r.mesh(sh, device, region)
		}
		return source
	})
	if back != nil {
		r.draw(back, shape, evenOdd, region, &paint)
	}
	if source == nil {
		r.Unpainted(s.Mark)
		return facts.Paint{}, false
	}
	r.draw(source, shape, evenOdd, region, &paint)
	return r.paintOf(sh.Space, source.Highest()), !r.surface.mask
}

func boxPath(box geom.Rect) *geom.Path {
	p := &geom.Path{}
	p.Rect(box)
	return p
}

// flat is a source of one colour.
type flat planes.Amounts

// Work implements [planes.Source].
func (f flat) Work() int64 { return planes.Max }

// Row implements [planes.Source].
func (f flat) Row(_, _, n int, to *planes.Pixels) {
	raster.Set(to.Alpha[:n], 255)
	amounts := planes.Amounts(f)
	to.Inked = amounts.Inked()
	for p, v := range amounts {
		raster.Set(to.Amounts[p][:n], v)
	}
}

// steps is the number of colours of a gradient that are distinguished.
const steps = 256

// parametric returns the tone that the functions of a shading give.
func (r *Renderer) parametric(sh *Shading, in ...float64) planes.Amounts {
	var buffer [color.MaxComponents]float64
	values := buffer[:0]
	for _, f := range sh.Functions {
		values = f.Eval(values, in)
	}
	return r.Tone(sh.Space, values).amounts
}

// parametric is a source whose colour depends on a parameter of the position.
type parametric struct {
	inverse geom.Matrix
	tones   []planes.Amounts
	// inks are the planes with ink in a tone.
	inks []int
	// at returns the parameter from 0 to 1; false where nothing is painted.
	at func(x, y float64) (float64, bool)
}

// Work implements [planes.Source].
func (g *parametric) Work() int64 { return 60 }

// Highest implements [colored].
func (g *parametric) Highest() planes.Amounts {
	var out planes.Amounts
	for _, tone := range g.tones {
		for p, v := range tone {
			out[p] = max(out[p], v)
		}
	}
	return out
}

// Row implements [planes.Source].
func (g *parametric) Row(y, x, n int, to *planes.Pixels) {
	to.Inked = 0
	for _, p := range g.inks {
		to.Inked |= 1 << p
	}
	for i := range n {
		u, v := g.inverse.Point(float64(x+i)+0.5, float64(y)+0.5)
		t, ok := g.at(u, v)
		if !ok {
			to.Alpha[i] = 0
			continue
		}
		to.Alpha[i] = 255
		tone := &g.tones[int(min(max(t, 0), 1)*(steps-1)+0.5)]
		for _, p := range g.inks {
			to.Amounts[p][i] = tone[p]
		}
	}
}

// gradient returns the source of an axial or radial shading.
func (r *Renderer) gradient(sh *Shading, radial bool, inverse geom.Matrix) colored {
	low, high := 0.0, 1.0
	if domain, ok := r.file.Numbers(sh.Dict["Domain"], 2); ok {
		low, high = domain[0], domain[1]
	}
	var before, after bool
	if extend := r.file.Array(sh.Dict["Extend"]); len(extend) >= 2 {
		before, after = r.file.Bool(extend[0]), r.file.Bool(extend[1])
	}
	if len(sh.Functions) == 0 {
		return nil
	}
	g := &parametric{inverse: inverse, tones: make([]planes.Amounts, steps)}
	for i := range g.tones {
		g.tones[i] = r.parametric(sh, low+(high-low)*float64(i)/(steps-1))
	}
	highest := g.Highest()
	for p, v := range highest {
		if v != 0 {
			g.inks = append(g.inks, p)
		}
	}
	if radial {
		c, ok := r.file.Numbers(sh.Dict["Coords"], 6)
		if !ok {
			return nil
		}
		g.at = circles([6]float64(c), before, after)
		return g
	}
	c, ok := r.file.Numbers(sh.Dict["Coords"], 4)
	if !ok {
		return nil
	}
	dx, dy := c[2]-c[0], c[3]-c[1]
	square := dx*dx + dy*dy
	g.at = func(x, y float64) (float64, bool) {
		t := 0.0
		if square > 0 {
			t = ((x-c[0])*dx + (y-c[1])*dy) / square
		}
		return t, (t >= 0 || before) && (t <= 1 || after)
	}
	return g
}

// circles returns the parameter of a radial shading: the greatest one whose circle goes
// through the point (8.7.4.5.4).
func circles(c [6]float64, before, after bool) func(x, y float64) (float64, bool) {
	dx, dy, dr := c[3]-c[0], c[4]-c[1], c[5]-c[2]
	a := dx*dx + dy*dy - dr*dr
	allowed := func(t float64) bool {
		return c[2]+t*dr >= 0 && (t >= 0 || before) && (t <= 1 || after)
	}
	return func(x, y float64) (float64, bool) {
		px, py := x-c[0], y-c[1]
		b := px*dx + py*dy + c[2]*dr
		d := px*px + py*py - c[2]*c[2]
		if math.Abs(a) < 1e-12 {
			if b == 0 {
				return 0, false
			}
			t := d / (2 * b)
			return t, allowed(t)
		}
		root := b*b - a*d
		if root < 0 {
			return 0, false
		}
		root = math.Sqrt(root)
		first, second := (b+root)/a, (b-root)/a
		if first < second {
			first, second = second, first
		}
		if allowed(first) {
			return first, true
		}
		return second, allowed(second)
	}
}

// functionSteps is the number of points, in each direction, at which the function of a
// shading is evaluated.
const functionSteps = 96

// byFunction returns the source of a function-based shading, and the region of its
// domain.
func (r *Renderer) byFunction(sh *Shading, inverse geom.Matrix, m geom.Matrix, region *raster.Clip) (colored, *raster.Clip) {
	domain := geom.Rect{0, 0, 1, 1}
	if d, ok := r.file.Numbers(sh.Dict["Domain"], 4); ok {
		domain = geom.Rect{d[0], d[2], d[1], d[3]}
	}
	own := r.file.Matrix(sh.Dict["Matrix"])
	back, ok := own.Invert()
	if !ok || len(sh.Functions) == 0 || domain.Empty() || !domain.Finite() {
		return nil, region
	}
	var outline geom.Path
	outline.Append(boxPath(domain), own.Then(m))
	b := &planes.Bitmap{Width: functionSteps, Height: functionSteps}
	width, height := domain.Width()/functionSteps, domain.Height()/functionSteps
	for i := range functionSteps * functionSteps {
		x, y := domain[0]+(float64(i%functionSteps)+0.5)*width, domain[1]+(float64(i/functionSteps)+0.5)*height
		for p, v := range r.parametric(sh, x, y) {
			if v != 0 && b.Amounts[p] == nil {
				b.Amounts[p] = make([]uint8, functionSteps*functionSteps)
			}
			if b.Amounts[p] != nil {
				b.Amounts[p][i] = v
			}
		}
	}
	toPixels := geom.Matrix{1 / width, 0, 0, 1 / height, -domain[0] / width, -domain[1] / height}
	return &planes.Sampler{Bitmap: b, Inverse: inverse.Then(back).Then(toPixels)}, r.Clip(region, &outline, false)
}
