// SPDX-License-Identifier: Apache-2.0

package planes

import (
	"math"

	"github.com/printmarket/printmarket/pkg/preflight/internal/raster"
)

// Blend is a blend mode (ISO 32000-2, 11.3.5). Modes from Hue on use the process
// inks together.
type Blend uint8

// The blend modes.
const (
	Normal Blend = iota
	Multiply
	Screen
	Overlay
	Darken
	Lighten
	ColorDodge
	ColorBurn
	HardLight
	SoftLight
	Difference
	Exclusion
	Hue
	Saturation
	Color
	Luminosity
)

// names lists the names of the modes in the order of their values.
var names = [...]string{
	"Normal", "Multiply", "Screen", "Overlay", "Darken", "Lighten", "ColorDodge", "ColorBurn", "HardLight",
	"SoftLight", "Difference", "Exclusion", "Hue", "Saturation", "Color", "Luminosity",
} // constant

// BlendOf returns the mode of a name; unknown names are Normal.
func BlendOf(name string) Blend {
	for i, n := range names {
		if n == name {
			return Blend(i) // #nosec G115 -- 16 names
		}
	}
	return Normal
}

// work returns the work of compositing a pixel, in about nanoseconds.
func (b Blend) work() int64 {
	switch {
	case b == Normal || b == Multiply:
		return compositeWork
	case b < Hue:
		return 4 * compositeWork
	}
	return 12 * compositeWork
}

// keepsWhite reports whether white on white stays white.
func (b Blend) keepsWhite() bool { return b != Difference && b != Exclusion && b < Hue }

// mix blends two amounts of one ink. The modes are defined for light, of which ink is
// the complement.
func (b Blend) mix(below, source uint8) uint8 {
	if b == Multiply { // the commonest
		return 255 - raster.Times(255-below, 255-source)
	}
	return b.inLight(below, source)
}

func (b Blend) inLight(below, source uint8) uint8 {
	cb, cs := 1-float64(below)/255, 1-float64(source)/255
	return 255 - uint8(min(max(b.light(cb, cs), 0), 1)*255+0.5)
}

// light is the function B(cb, cs) of table 136.
func (b Blend) light(cb, cs float64) float64 {
	switch b {
	case Screen:
		return cb + cs - cb*cs
	case Overlay:
		return HardLight.light(cs, cb)
	case Darken:
		return min(cb, cs)
	case Lighten:
		return max(cb, cs)
	case ColorDodge:
		switch {
		case cb == 0:
			return 0
		case cb >= 1-cs:
			return 1
		}
		return cb / (1 - cs)
	case ColorBurn:
		switch {
		case cb == 1:
			return 1
		case 1-cb >= cs:
			return 0
		}
		return 1 - (1-cb)/cs
	case HardLight:
		if cs <= 0.5 {
			return cb * 2 * cs
		}
		return Screen.light(cb, 2*cs-1)
	case SoftLight:
		if cs <= 0.5 {
			return cb - (1-2*cs)*cb*(1-cb)
		}
		d := math.Sqrt(cb)
		if cb <= 0.25 {
			d = ((16*cb-12)*cb + 4) * cb
		}
		return cb + (2*cs-1)*(d-cb)
	case Difference:
		return math.Abs(cb - cs)
	case Exclusion:
		return cb + cs - 2*cb*cs
	default:
		return cs
	}
}

// together blends the process inks (11.3.5.3): cyan, magenta and yellow like red,
// green and blue; black is that of the source for Luminosity, else that below.
func (b Blend) together(below, source [FirstSpot]uint8) [FirstSpot]uint8 {
	var cb, cs rgb
	for p := range cb {
		cb[p], cs[p] = 1-float64(below[p])/255, 1-float64(source[p])/255
	}
	var mixed rgb
	black := below[Black]
	switch b {
	case Hue:
		mixed = cs.withSaturation(cb.saturation()).withLuminosity(cb.luminosity())
	case Saturation:
		mixed = cb.withSaturation(cs.saturation()).withLuminosity(cb.luminosity())
	case Color:
		mixed = cs.withLuminosity(cb.luminosity())
	default:
		mixed, black = cb.withLuminosity(cs.luminosity()), source[Black]
	}
	out := [FirstSpot]uint8{Black: black}
	for p, v := range mixed {
		out[p] = 255 - uint8(min(max(v, 0), 1)*255+0.5)
	}
	return out
}

// rgb is a colour of light, with the functions of 11.3.5.3.
type rgb [3]float64

func (c rgb) luminosity() float64 { return 0.3*c[0] + 0.59*c[1] + 0.11*c[2] }

func (c rgb) saturation() float64 { return max(c[0], c[1], c[2]) - min(c[0], c[1], c[2]) }

// withLuminosity returns the colour with another luminosity, moved into the range of
// colours.
func (c rgb) withLuminosity(l float64) rgb {
	d := l - c.luminosity()
	for i := range c {
		c[i] += d
	}
	l = c.luminosity()
	low, high := min(c[0], c[1], c[2]), max(c[0], c[1], c[2])
	for i := range c {
		if low < 0 && l > low {
			c[i] = l + (c[i]-l)*l/(l-low)
		}
	}
	for i := range c {
		if high > 1 && high > l {
			c[i] = l + (c[i]-l)*(1-l)/(high-l)
		}
	}
	return c
}

// withSaturation returns the colour with another saturation.
func (c rgb) withSaturation(s float64) rgb {
	low, high := min(c[0], c[1], c[2]), max(c[0], c[1], c[2])
	if high <= low {
		return rgb{}
	}
	for i := range c {
		c[i] = (c[i] - low) * s / (high - low)
	}
	return c
}
