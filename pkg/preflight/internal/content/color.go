// SPDX-License-Identifier: Apache-2.0

package content

import (
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/color"
	"github.com/printmarket/printmarket/pkg/preflight/internal/lexer"
)

// colorOperator executes those of 8.6.8. Streams that may not set colours do
// nothing by them.
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
			to.paint = to.space.Paint(to.space.Initial(buffer[:0]))
		}
	default:
		in.setColor(f, to)
	}
	return true
}

// setDevice chooses a device space and a colour in it.
func (in *Interpreter) setDevice(f *frame, to *ink, family string) {
	device := in.spaces.Device(family)
	to.choose(device, in.remap(f, device))
	in.setColor(f, to)
}

// choose takes what stands in for a space that was asked for.
func (c *ink) choose(asked, taken *color.Space) {
	c.space, c.pattern, c.remapped = taken, nil, ""
	if asked != taken {
		c.remapped = defaultName(asked)
	}
}

// defaultName is the resource that redefines a device space.
func defaultName(s *color.Space) string {
	if s.Indexed() {
		s = s.Under
	}
	switch s.Family {
	case color.DeviceGray:
		return "DefaultGray"
	case color.DeviceRGB:
		return "DefaultRGB"
	}
	return "DefaultCMYK"
}

// setColor takes the operands as components, or as a pattern.
func (in *Interpreter) setColor(f *frame, to *ink) {
	var buffer [color.MaxComponents]float64
	values := buffer[:0]
	for i := range f.operands {
		if o := &f.operands[i]; o.Kind == lexer.Number && len(values) < len(buffer) {
			values = append(values, o.Value)
		}
	}
	if !to.space.Pattern() {
		to.paint = to.space.Paint(values)
		return
	}
	to.pattern = in.resource(f, "Pattern", f.last())
	if to.space.Under != nil {
		to.paint = to.space.Under.Paint(values)
	}
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

// remap is what the resources put in the place of a device space.
func (in *Interpreter) remap(f *frame, s *color.Space) *color.Space {
	if !f.defaultsRead {
		f.defaultsRead = true
		spaces := in.file.Dict(f.resources["ColorSpace"])
		for i, key := range [...]string{"DefaultGray", "DefaultRGB", "DefaultCMYK"} {
			if o, ok := spaces[key]; ok {
				f.defaults[i] = in.usable(o)
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

// usable is a space that can stand in for another; nil for a broken one.
func (in *Interpreter) usable(o types.Object) *color.Space {
	s := in.spaces.Resolve(o, in.page.Number)
	if s.Family == "" || s.Pattern() {
		return nil
	}
	return s
}
