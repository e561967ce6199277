// SPDX-License-Identifier: Apache-2.0

// Package color evaluates the colours of a PDF: colour spaces (ISO 32000-2, 8.6),
// functions (7.10) and the pixels of images.
//
// It converts no colours. Grey, CMYK, Separation and DeviceN colours are inks by
// their names; all other spaces have unknown inks. A [Resolver] reads the spaces of
// one document and caches them.
package color

import (
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
)

// The families of colour that a report names.
const (
	DeviceGray = "DeviceGray"
	DeviceRGB  = "DeviceRGB"
	DeviceCMYK = "DeviceCMYK"
	CalGray    = "CalGray"
	CalRGB     = "CalRGB"
	Lab        = "Lab"
	ICCGray    = "ICCBased-Gray"
	ICCRGB     = "ICCBased-RGB"
	ICCCMYK    = "ICCBased-CMYK"
	Separation = "Separation"
	DeviceN    = "DeviceN"
	Pattern    = "Pattern"
)

// MaxComponents bounds the colorants of a space (ISO 32000-2, annex C).
const MaxComponents = 32

// trace is an invisible amount of ink, which results from rounding in the file.
const trace = 0.0005

// kind is the relation of the components of a space to inks.
type kind uint8

const (
	// foreign components are not inks.
	foreign kind = iota
	light
	additive
	process
	tints
	indexed
	pattern
)

// Space is a colour space. It is immutable.
type Space struct {
	// Family is one of the constants, or "" for an invalid space. An Indexed space has
	// the family of its base.
	Family string
	// Components is the number of components of a colour.
	Components int
	// Profile is the profile of an ICCBased space.
	Profile *facts.ICC
	// Under is the base of an Indexed space, or the space below uncoloured patterns;
	// nil for other spaces.
	Under *Space
	// Inks are the named colorants, but for None.
	Inks []Ink
	// Alternate is the family of the alternate space of several colorants together.
	Alternate string

	// source is the profile of an ICCBased space.
	source  types.Object
	kind    kind
	targets []int
	spots   []string
	table   []byte
}

// Ink is a colorant of a Separation or DeviceN space.
type Ink struct {
	Name string
	Kind facts.InkKind
	// Space is the family of the alternate space.
	Space string
	// Definition is a digest of alternate space and tint transform; "" when the file
	// does not define this colorant alone.
	Definition string
	// Full is the full tint in the alternate space.
	Full []float64
}

// Targets of a component other than the four process inks and the spots.
const (
	none = -1
	all  = -2
	// firstSpot is the index of the first spot in the amounts.
	firstSpot = 4
)

// Known reports whether colours of this space are inks.
func (s *Space) Known() bool {
	if s.kind == indexed {
		return s.Under.Known()
	}
	return s.kind == light || s.kind == process || s.kind == tints
}

// Usable reports whether colours of this space can be converted.
func (s *Space) Usable() bool { return s.Components > 0 && s.kind != pattern }

// Pattern reports whether the colours of this space are patterns.
func (s *Space) Pattern() bool { return s.kind == pattern }

// Indexed reports whether the colours of this space are indices of a table.
func (s *Space) Indexed() bool { return s.kind == indexed }

// Entries returns the number of colours of an Indexed space.
func (s *Space) Entries() int {
	if s.kind != indexed || s.Under.Components == 0 {
		return 0
	}
	return len(s.table) / s.Under.Components
}

// RGB reports whether a group can blend in this space as one of red, green and blue.
func (s *Space) RGB() bool { return s.kind == additive && s.Components == 3 && s.Family != Lab }

// RGBOrLab reports whether the colours of this space are neither inks nor shades of grey.
func (s *Space) RGBOrLab() bool {
	if s.kind == indexed {
		return s.Under.RGBOrLab()
	}
	return s.kind == additive || s.kind == foreign
}

// Process reports whether the components are the amounts of cyan, magenta, yellow
// and black.
func (s *Space) Process() bool { return s.kind == process }

// Paints reports whether the space paints at all: it does not when all colorants
// are None.
func (s *Space) Paints() bool {
	if s.kind == indexed {
		return s.Under.Paints()
	}
	return s.kind != tints || len(s.Inks) > 0
}

// Single reports whether no colour of this space has more than one ink.
func (s *Space) Single() bool {
	switch s.kind {
	case light:
		return true
	case tints:
		return len(s.Inks) == 1 && s.Inks[0].Kind != facts.Registration
	case indexed:
		return s.Under.Single()
	default:
		return false
	}
}

// Registration reports whether the only colorant is All.
func (s *Space) Registration() bool {
	return s.kind == tints && len(s.Inks) == 1 && s.Inks[0].Kind == facts.Registration
}

// Named returns the colorants of a Separation or DeviceN space, but for None, and nil
// for other spaces.
func (s *Space) Named() []Ink {
	if s.kind == indexed {
		return s.Under.Named()
	}
	if s.kind == tints && s.Inks == nil {
		return []Ink{}
	}
	return s.Inks
}

// Light appends the complements of light of a colour as four amounts, without a
// profile: grey is black, red is the complement of cyan and so on. A tint counts as
// black.
func (s *Space) Light(dst, values []float64) []float64 {
	switch {
	case s.kind == indexed:
		var buffer [MaxComponents]float64
		return s.Under.Light(dst, s.Entry(values, buffer[:0]))
	case s.Family == Lab:
		return append(dst, 0, 0, 0, 1-share(at(values, 0)/100))
	case s.kind == additive:
		return append(dst, 1-share(at(values, 0)), 1-share(at(values, 1)), 1-share(at(values, 2)), 0)
	case s.kind == tints:
		return append(dst, 0, 0, 0, share(at(values, 0)))
	case s.Known():
		return s.Amounts(dst, values)
	}
	return append(dst, 0, 0, 0, 0)
}

// Spots returns the names of the spots, in the order of [Space.Amounts].
func (s *Space) Spots() []string {
	if s.kind == indexed {
		return s.Under.spots
	}
	return s.spots
}

// Initial appends the initial colour of the space (ISO 32000-2, table 73).
func (s *Space) Initial(dst []float64) []float64 {
	for range s.Components {
		dst = append(dst, 0)
	}
	v := dst[len(dst)-s.Components:]
	switch {
	case s.kind == tints:
		for i := range v {
			v[i] = 1
		}
	case s.Family == DeviceCMYK && s.kind == process:
		v[3] = 1
	}
	return dst
}

// Paint returns the paint of one flat colour. Missing components count as 0.
func (s *Space) Paint(values []float64) facts.Paint {
	p := facts.Paint{Space: s.Family, Known: s.Known()}
	switch s.kind {
	case indexed:
		var buffer [MaxComponents]float64
		return s.Under.Paint(s.Entry(values, buffer[:0]))
	case additive:
		p.White, p.Black = s.white(values), s.black(values)
	case light, process, tints:
		var buffer [firstSpot + MaxComponents]float64
		amounts := s.Amounts(buffer[:0], values)
		copy(p.CMYK[:], amounts)
		if len(s.spots) > 0 {
			p.Spots = make([]facts.Tint, len(s.spots))
			for i, name := range s.spots {
				p.Spots[i] = facts.Tint{Name: name, Amount: amounts[firstSpot+i]}
			}
		}
		p.White = true
		for _, v := range amounts {
			p.White = p.White && v <= trace
		}
	default:
	}
	return p
}

// white reports whether a colour of an additive space is white.
func (s *Space) white(values []float64) bool {
	if s.Family == Lab {
		return at(values, 0) >= 100*(1-trace) && at(values, 1) == 0 && at(values, 2) == 0
	}
	for i := range s.Components {
		if at(values, i) < 1-trace {
			return false
		}
	}
	return true
}

// darkest is the most light, of full light, that looks black.
const darkest = 0.1

// black reports whether a colour of an additive space is black.
func (s *Space) black(values []float64) bool {
	if s.Family == Lab {
		return at(values, 0) <= 100*darkest
	}
	for i := range s.Components {
		if at(values, i) > darkest {
			return false
		}
	}
	return true
}

// Amounts appends the amount of each ink, 0 to 1: cyan, magenta, yellow, black,
// and the spots. The space must be [Space.Known].
func (s *Space) Amounts(dst, values []float64) []float64 {
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	switch s.kind {
	case indexed:
		var buffer [MaxComponents]float64
		return s.Under.Amounts(dst[:start], s.Entry(values, buffer[:0]))
	case light:
		dst[start+3] = 1 - share(at(values, 0))
	case process:
		for i := range 4 {
			dst[start+i] = share(at(values, i))
		}
	case tints:
		for range s.spots {
			dst = append(dst, 0)
		}
		out := dst[start:]
		for i, target := range s.targets {
			v := share(at(values, i))
			switch target {
			case none:
			case all:
				for k := range 4 {
					out[k] = max(out[k], v)
				}
			default:
				out[target] = max(out[target], v)
			}
		}
	default:
	}
	return dst
}

// Entry appends the colour of an index of an Indexed space, in the base space.
func (s *Space) Entry(values, dst []float64) []float64 {
	n := s.Under.Components
	if n == 0 || len(s.table) < n {
		return dst
	}
	i := int(min(max(at(values, 0), 0), 255) + 0.5)
	i = min(i, len(s.table)/n-1)
	for k, b := range s.table[i*n : (i+1)*n] {
		v := float64(b) / 255
		// The usual ranges of L*, a* and b*.
		if s.Under.Family == Lab && k == 0 {
			v *= 100
		} else if s.Under.Family == Lab {
			v = v*200 - 100
		}
		dst = append(dst, v)
	}
	return dst
}

// at returns the i-th value, or 0.
func at(values []float64, i int) float64 {
	if i < len(values) {
		return values[i]
	}
	return 0
}

// share limits a value to the range 0 to 1.
func share(v float64) float64 {
	if v > 0 {
		return min(v, 1)
	}
	return 0 // also for NaN
}
