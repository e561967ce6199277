// SPDX-License-Identifier: Apache-2.0

package color

import (
	"reflect"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
)

// maxNested is how deep spaces may stand in each other; none of ISO 32000-2 needs
// more than four.
const maxNested = 5

// Resolver reads the colour spaces of one document. It is not safe for concurrent
// use.
type Resolver struct {
	file *document.File
	page int

	gray, rgb, cmyk, pattern, broken *Space
	// numbered are the spaces of indirect objects, direct those of arrays.
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

// NewResolver starts with nothing but the device spaces.
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

// Device is one of the families that have no parameters; nil for another name.
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

// Resolve reads a colour space object. It never returns nil: a space that is
// broken has no family and no components. The page is where incidents are noted.
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

// named is a space without parameters. The Cal families need some, but are what
// they are.
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
		return r.indexed(r.resolve(item(1), depth-1), item(3))
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

// indexed reads the table.
func (r *Resolver) indexed(base *Space, table types.Object) *Space {
	return Indexed(base, r.file.Bytes(table, r.page))
}

// Indexed is a space whose colours are entries of a table of colours of another.
// It has no family when the base cannot be one.
func Indexed(base *Space, table []byte) *Space {
	if base.Components == 0 || base.kind == indexed || base.kind == pattern {
		return &Space{}
	}
	return &Space{
		Family: base.Family, Components: 1, Profile: base.Profile, Under: base, Inks: base.Inks,
		kind: indexed, table: table[:min(len(table), 256*base.Components)],
	}
}

// Remap replaces a device space, or the device space below an Indexed one, by
// what the page has in its place (ISO 32000-2, 8.6.5.6). byDefault tells what
// that is, or nil.
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
