// SPDX-License-Identifier: Apache-2.0

package render

import (
	"slices"

	"github.com/printmarket/printmarket/pkg/preflight/internal/color"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/planes"
)

// Tone is a colour in inks.
type Tone struct {
	amounts planes.Amounts
	// named are the planes that the colour specifies.
	named planes.Set
	// direct is set for DeviceCMYK, whose zeros OPM 1 skips.
	direct bool
	// light is set for amounts that are complements of light, for a group in RGB.
	light bool
}

// Tone converts a colour to inks.
func (r *Renderer) Tone(space *color.Space, values []float64) Tone {
	var buffer [planes.FirstSpot + color.MaxComponents]float64
	if r.surface.mask {
		return Tone{amounts: complements(space, values), named: planes.All}
	}
	t := r.named(space)
	if r.surface.light != nil {
		t.light, t.direct = true, false
		for p, v := range r.output.Light(space, values) {
			t.amounts[p] = eighth(1 - v)
		}
		if t.named&planes.Process != 0 {
			t.named |= planes.Process
		}
		var amounts []float64
		if len(space.Spots()) > 0 {
			amounts = space.Amounts(buffer[:0], values)
		}
		for i, name := range space.Spots() {
			if p, ok := r.spot(name); ok {
				t.amounts[p] = eighth(amounts[planes.FirstSpot+i])
			}
		}
		return t
	}
	amounts := r.output.Amounts(buffer[:0], space, values)
	for p, v := range amounts[:planes.FirstSpot] {
		t.amounts[p] = eighth(v)
	}
	if space.Registration() {
		for i := range *r.surface.spots {
			t.amounts[planes.FirstSpot+i] = t.amounts[planes.Black]
		}
		return t
	}
	for i, name := range space.Spots() {
		if p, ok := r.spot(name); ok {
			t.amounts[p] = eighth(amounts[planes.FirstSpot+i])
		}
	}
	return t
}

// suited returns a tone in the space in which the surface blends: a colour may be chosen before a group
// begins.
func (r *Renderer) suited(t Tone) Tone {
	light := r.surface.light != nil
	if t.light == light || r.surface.mask {
		return t
	}
	process := [planes.FirstSpot]uint8(t.amounts[:planes.FirstSpot])
	if light {
		process = r.lit(process)
		if t.named&planes.Process != 0 {
			t.named |= planes.Process
		}
	} else {
		for _, space := range slices.Backward(r.surface.lights) {
			if space != nil {
				process = r.inked(process, space)
				break
			}
		}
	}
	copy(t.amounts[:], process[:])
	t.light, t.direct = light, t.direct && !light
	return t
}

// lit converts process inks to complements of light.
func (r *Renderer) lit(inks [planes.FirstSpot]uint8) (out [planes.FirstSpot]uint8) {
	var in [4]float64
	for p, v := range inks {
		in[p] = float64(v) / 255
	}
	for p, v := range r.output.InksToLight(in) {
		out[p] = eighth(1 - v)
	}
	return out
}

// inked converts complements of light of a space to process inks.
func (r *Renderer) inked(light [planes.FirstSpot]uint8, space *color.Space) [planes.FirstSpot]uint8 {
	return r.output.LightTable(space).Amounts([]uint8{255 - light[0], 255 - light[1], 255 - light[2]})
}

// litSource is a source in inks, for a surface that blends in RGB.
type litSource struct {
	colored
	r    *Renderer
	last [planes.FirstSpot]uint8
	out  [planes.FirstSpot]uint8
}

// Work implements [planes.Source].
func (l *litSource) Work() int64 { return l.colored.Work() + litWork }

// litWork is the work of converting a pixel between inks and light, in about nanoseconds.
const litWork = 60

// Row implements [planes.Source].
func (l *litSource) Row(y, x, n int, to *planes.Pixels) {
	l.colored.Row(y, x, n, to)
	to.Complete(planes.Process, n)
	for i := range n {
		var inks [planes.FirstSpot]uint8
		for p := range inks {
			inks[p] = to.Amounts[p][i]
		}
		if inks != l.last {
			l.last, l.out = inks, l.r.lit(inks)
		}
		for p, v := range l.out {
			to.Amounts[p][i] = v
		}
	}
}

// inInks calls create, which makes a source of the colours of a space, and returns a source for the surface.
// Colours that are inks are made as such, because the facts are about inks.
func (r *Renderer) inInks(space *color.Space, create func() colored) colored {
	light := r.surface.light
	if light == nil || space == nil || !space.Known() {
		return create()
	}
	r.surface.light = nil
	source := create()
	r.surface.light = light
	if source == nil {
		return nil
	}
	return &litSource{colored: source, r: r}
}

// named returns a tone without amounts, with the planes that a space specifies.
func (r *Renderer) named(space *color.Space) Tone {
	t := Tone{named: planes.Process, direct: space.Family == color.DeviceCMYK && !space.Indexed()}
	if space.Registration() {
		t.named = planes.All
		return t
	}
	if inks := space.Named(); inks != nil {
		t.named = 0
		for _, ink := range inks {
			switch ink.Name {
			case "Cyan", "Magenta", "Yellow", "Black":
				for p := range planes.FirstSpot {
					if name, _ := r.name(p); name == ink.Name {
						t.named |= 1 << p
					}
				}
			default:
				if p, ok := r.spot(ink.Name); ok {
					t.named |= 1 << p
				}
			}
		}
	}
	return t
}

// paintOf returns the paint of an image or a shading that consists of several colours,
// with the highest amount of each ink.
func (r *Renderer) paintOf(space *color.Space, highest planes.Amounts) facts.Paint {
	p := facts.Paint{Space: space.Family, Known: space.Known()}
	if !p.Known {
		return p
	}
	p.White = highest == planes.Amounts{}
	for i := range p.CMYK {
		p.CMYK[i] = float64(highest[i]) / 255
	}
	for _, name := range space.Spots() {
		if plane, ok := r.spot(name); ok {
			p.Spots = append(p.Spots, facts.Tint{Name: name, Amount: float64(highest[plane]) / 255})
		}
	}
	return p
}

// complements converts a colour to the planes of a mask: complements of light, without
// a profile.
func complements(space *color.Space, values []float64) planes.Amounts {
	var buffer [4]float64
	inks := space.Light(buffer[:0], values)
	var out planes.Amounts
	for p, v := range inks {
		out[p] = eighth(v)
	}
	return out
}

// eighth converts a share to eight bits.
func eighth(v float64) uint8 {
	if v > 0 {
		return uint8(min(v, 1)*255 + 0.5)
	}
	return 0
}
