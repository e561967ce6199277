// SPDX-License-Identifier: Apache-2.0

package render

import (
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
}

// Tone converts a colour to inks.
func (r *Renderer) Tone(space *color.Space, values []float64) Tone {
	var buffer [planes.FirstSpot + color.MaxComponents]float64
	if r.surface.mask {
		return Tone{amounts: complements(space, values), named: planes.All}
	}
	t := r.named(space)
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
