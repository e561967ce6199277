// SPDX-License-Identifier: Apache-2.0

package content

import (
	"github.com/printmarket/printmarket/pkg/preflight/internal/color"
	"github.com/printmarket/printmarket/pkg/preflight/internal/lexer"
)

// colorOperator executes the operators of 8.6.8. They have no effect in streams
// that may not set colours.
func (in *Interpreter) colorOperator(f *frame, name []byte) bool {
	to := &f.state.fill
	switch string(name) {
	case "G", "RG", "K", "CS", "SC", "SCN":
		to = &f.state.stroke
	case "g", "rg", "k", "cs", "sc", "scn":
	default:
		return false
	}
	if f.muted {
		return true
	}
	switch string(name) {
	case "g", "G":
		in.setDevice(f, to, color.DeviceGray)
	case "rg", "RG":
		in.setDevice(f, to, color.DeviceRGB)
	case "k", "K":
		in.setDevice(f, to, color.DeviceCMYK)
	case "cs", "CS":
		// Choose a space, and its initial colour.
		s := in.namedSpace(f, f.last())
		to.choose(s, in.remap(f, s))
		if !to.space.Pattern() {
			var buffer [color.MaxComponents]float64
			in.tint(to, to.space, to.space.Initial(buffer[:0]))
		}
	default:
		in.setColor(f, to)
	}
	if f.stream != nil {
		in.recolor(f, name, to)
	}
	return true
}

// setDevice selects a device space and a colour in it.
func (in *Interpreter) setDevice(f *frame, to *ink, family string) {
	device := in.spaces.Device(family)
	to.choose(device, in.remap(f, device))
	in.setColor(f, to)
}

// choose selects the space that the resources use instead of the requested one.
func (c *ink) choose(requested, effective *color.Space) {
	c.space, c.pattern, c.remapped = effective, nil, ""
	if requested == effective {
		return
	}
	if requested.Indexed() {
		requested = requested.Under
	}
	switch requested.Family {
	case color.DeviceGray:
		c.remapped = "DefaultGray"
	case color.DeviceRGB:
		c.remapped = "DefaultRGB"
	default:
		c.remapped = "DefaultCMYK"
	}
}

// setColor sets the components, or the pattern, that the operands give.
func (in *Interpreter) setColor(f *frame, to *ink) {
	var buffer [color.MaxComponents]float64
	values := f.numbers(buffer[:0])
	if !to.space.Pattern() {
		in.tint(to, to.space, values)
		return
	}
	to.pattern = in.resource(f, "Pattern", f.last())
	if to.space.Under != nil {
		in.tint(to, to.space.Under, values)
	}
}

// numbers appends the operands that are numbers, up to the capacity of a slice.
func (f *frame) numbers(to []float64) []float64 {
	for i := range f.operands {
		if o := &f.operands[i]; o.Kind == lexer.Number && len(to) < cap(to) {
			to = append(to, o.Value)
		}
	}
	return to
}

// namedSpace resolves the operand of cs, or the /ColorSpace of an inline image.
func (in *Interpreter) namedSpace(f *frame, name []byte) *color.Space {
	switch string(name) {
	case "G":
		return in.spaces.Device(color.DeviceGray)
	case "RGB":
		return in.spaces.Device(color.DeviceRGB)
	case "CMYK":
		return in.spaces.Device(color.DeviceCMYK)
	}
	if device := in.spaces.Device(string(name)); device != nil {
		return device
	}
	return in.spaces.Resolve(in.resource(f, "ColorSpace", name), in.page.Number)
}

// remap replaces a device space as the resources require. Broken replacements are
// ignored.
func (in *Interpreter) remap(f *frame, s *color.Space) *color.Space {
	if !f.defaultsRead {
		f.defaultsRead = true
		spaces := in.file.Dict(f.resources["ColorSpace"])
		for i, key := range [...]string{"DefaultGray", "DefaultRGB", "DefaultCMYK"} {
			o, ok := spaces[key]
			if !ok {
				continue
			}
			if s := in.spaces.Resolve(o, in.page.Number); s.Family != "" && !s.Pattern() {
				f.defaults[i] = s
			}
		}
	}
	if f.defaults == ([3]*color.Space{}) {
		return s
	}
	return in.spaces.Remap(s, func(device *color.Space) *color.Space {
		switch device.Family {
		case color.DeviceGray:
			return f.defaults[0]
		case color.DeviceRGB:
			return f.defaults[1]
		}
		return f.defaults[2]
	})
}
