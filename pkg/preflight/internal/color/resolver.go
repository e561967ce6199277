// SPDX-License-Identifier: Apache-2.0

package color

import (
	"reflect"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
)

// maxNested bounds the nesting of spaces; ISO 32000-2 needs four levels at most.
const maxNested = 5

// Resolver reads the colour spaces of one document. It is not safe for concurrent
// use.
type Resolver struct {
	file *document.File
	page int

	gray, rgb, cmyk, pattern, broken *Space
	// numbered holds the spaces of indirect objects, direct those of arrays.
	numbered map[int]*Space
	direct   map[uintptr]remembered
	remapped map[remap]*Space
}

// remembered keeps the array alive, whose address is the key.
type remembered struct {
	array types.Array
	space *Space
}

// remap is an Indexed space over a device space that a page redefines.
type remap struct{ space, base *Space }

// NewResolver returns a resolver with only the device spaces.
func NewResolver(file *document.File) *Resolver {
	return &Resolver{
		file:     file,
		gray:     &Space{Family: DeviceGray, Components: 1, kind: light},
		rgb:      &Space{Family: DeviceRGB, Components: 3, kind: additive},
		cmyk:     &Space{Family: DeviceCMYK, Components: 4, kind: process},
		pattern:  &Space{Family: Pattern, kind: pattern},
		broken:   &Space{},
		numbered: map[int]*Space{}, direct: map[uintptr]remembered{},
		remapped: map[remap]*Space{},
	}
}

// Device returns a space without parameters, or nil for another name.
func (r *Resolver) Device(name string) *Space {
	switch name {
	case DeviceGray:
		return r.gray
	case DeviceRGB:
		return r.rgb
	case DeviceCMYK:
		return r.cmyk
	case Pattern:
		return r.pattern
	}
	return nil
}

// Coded returns the space that an image states in its data: its colours are those of the device
// space of as many components.
func (r *Resolver) Coded(family string, components int) *Space {
	device := map[int]*Space{1: r.gray, 3: r.rgb, 4: r.cmyk}[components]
	if device == nil || family == Lab {
		return &Space{Family: family, Components: components}
	}
	made := *device
	made.Family = family
	return &made
}

// Resolve reads a colour space object. It never returns nil: an invalid space has no
// family and no components. It records incidents on the given page.
func (r *Resolver) Resolve(o types.Object, page int) *Space {
	r.page = page
	return r.resolve(o, maxNested)
}

func (r *Resolver) resolve(o types.Object, depth int) *Space {
	if depth == 0 {
		return r.broken
	}
	ref, isRef := o.(types.IndirectRef)
	if isRef {
		if known, ok := r.numbered[int(ref.ObjectNumber)]; ok {
			return known
		}
	}
	s := r.read(o, depth)
	if isRef && (depth == maxNested || s.Family != "") {
		r.numbered[int(ref.ObjectNumber)] = s
	}
	return s
}

func (r *Resolver) read(o types.Object, depth int) *Space {
	if name := r.file.Name(o); name != "" {
		return r.named(name)
	}
	array := r.file.Array(o)
	if len(array) == 0 {
		return r.broken
	}
	id := reflect.ValueOf(array).Pointer()
	if known, ok := r.direct[id]; ok {
		return known.space
	}
	s := r.array(array, depth)
	if depth == maxNested || s.Family != "" {
		r.direct[id] = remembered{array: array, space: s}
	}
	return s
}

// named returns a space by its name. The parameters of the Cal families do not
// matter here.
func (r *Resolver) named(name string) *Space {
	if device := r.Device(name); device != nil {
		return device
	}
	switch name {
	case "G":
		return r.gray
	case "RGB":
		return r.rgb
	case "CMYK":
		return r.cmyk
	}
	switch name {
	case CalGray:
		return &Space{Family: CalGray, Components: 1, kind: light}
	case CalRGB:
		return &Space{Family: CalRGB, Components: 3, kind: additive}
	case Lab:
		return &Space{Family: Lab, Components: 3, kind: additive}
	}
	return r.broken
}

func (r *Resolver) array(array types.Array, depth int) *Space {
	item := func(i int) types.Object {
		if i < len(array) {
			return array[i]
		}
		return nil
	}
	switch name := r.file.Name(array[0]); name {
	case "Indexed", "I":
		return Indexed(r.resolve(item(1), depth-1), r.file.Bytes(item(3), r.page))
	case Pattern:
		if len(array) == 1 {
			return r.pattern
		}
		under := r.resolve(item(1), depth-1)
		return &Space{Family: Pattern, Components: under.Components, Under: under, kind: pattern}
	case "ICCBased":
		return r.icc(item(1))
	case Separation:
		return r.tints(Separation, types.Array{item(1)}, item(2), item(3), nil, depth)
	case DeviceN:
		return r.tints(DeviceN, r.file.Array(item(1)), item(2), item(3), r.file.Dict(item(4)), depth)
	default:
		return r.named(name)
	}
}

// icc reads an ICCBased space. Its family is that of the profile, or, for an invalid
// profile, that of its number of components.
func (r *Resolver) icc(o types.Object) *Space {
	profile := r.file.ICC(o)
	if profile == nil {
		profile = &facts.ICC{Components: r.file.Int(r.file.Dict(o)["N"])}
	}
	s := &Space{Profile: profile, Components: profile.Components, source: o}
	switch {
	case profile.Space == "Lab" && profile.Fault == "":
		s.Family, s.kind = Lab, foreign
	case profile.Components == 1:
		s.Family, s.kind = ICCGray, light
	case profile.Components == 3:
		s.Family, s.kind = ICCRGB, additive
	case profile.Components == 4:
		s.Family, s.kind = ICCCMYK, process
	default:
		s.Components = 0
	}
	return s
}

// Indexed returns a space whose colours are the entries of a table of colours of the
// base. The space has no family when the base is not a possible one.
func Indexed(base *Space, table []byte) *Space {
	if base.Components == 0 || base.kind == indexed || base.kind == pattern {
		return &Space{}
	}
	return &Space{
		Family: base.Family, Components: 1, Profile: base.Profile, Under: base, Inks: base.Inks,
		kind: indexed, table: table[:min(len(table), 256*base.Components)],
	}
}

// Remap replaces a device space, or the device space below an Indexed one, by the
// default space of the page (ISO 32000-2, 8.6.5.6). byDefault returns that space,
// or nil.
func (r *Resolver) Remap(s *Space, byDefault func(device *Space) *Space) *Space {
	if s.kind == indexed {
		base := r.Remap(s.Under, byDefault)
		if base == s.Under {
			return s
		}
		key := remap{space: s, base: base}
		if r.remapped[key] == nil {
			changed := *s
			changed.Family, changed.Profile, changed.Under, changed.Inks = base.Family, base.Profile, base, base.Inks
			r.remapped[key] = &changed
		}
		return r.remapped[key]
	}
	if s != r.gray && s != r.rgb && s != r.cmyk {
		return s
	}
	if other := byDefault(s); other != nil && other.Components == s.Components && other.kind != indexed {
		return other
	}
	return s
}
