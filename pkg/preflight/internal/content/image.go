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

// The codecs that are treated differently.
const (
	dct = "DCTDecode"
	jpx = "JPXDecode"
)

// codecs are the formats of image data by the filter.
var codecs = map[string]color.Codec{dct: color.JPEG, jpx: color.JPEG2000, "JBIG2Decode": color.JBIG2}

// picture is an image XObject that the interpreter has read.
type picture struct {
	fact  facts.Image
	space *color.Space
	// stream keeps the dictionary.
	dict     types.Dict
	softMask types.Object
}

// paintKey identifies an image or a shading by its dictionary and by the space that
// replaces its own.
type paintKey struct {
	dict  uintptr
	space *color.Space
}

// known is the paint of an image or a shading. It keeps the dictionary, whose address is
// the key.
type known struct {
	dict  types.Dict
	paint facts.Paint
}

// maxOthers bounds the alternates of an image that are read.
const maxOthers = 64

// image records the placement of an image XObject and of its soft mask.
func (in *Interpreter) image(f *frame, o types.Object, dict types.Dict) {
	p := in.picture(o, dict)
	if !f.layers.hidden() {
		if dict["OPI"] != nil {
			in.feature(facts.OPI, "", o, nil)
		}
		if others := in.file.Array(dict["Alternates"]); others != nil {
			in.feature(facts.Alternate, "", o, nil)
			if slices.ContainsFunc(others[:min(len(others), maxOthers)], func(other types.Object) bool {
				return in.file.Bool(in.file.Dict(other)["DefaultForPrinting"])
			}) {
				in.feature(facts.AlternateForPrint, "", o, nil)
			}
		}
		if intent := in.file.Name(dict["Intent"]); intent != "" && !knownIntent(intent) {
			in.feature(facts.RenderingIntent, document.Clean(intent, maxName), o, nil)
		}
		if in.file.Int(dict["SMaskInData"]) > 0 && !f.mask {
			in.feature(facts.Transparency, "SoftMask", o, nil)
		}
	}
	in.placement = p.fact
	with := ink{space: p.space}
	if !p.fact.Mask {
		with.choose(p.space, in.remap(f, p.space))
	}
	in.convertImage(f, o, p, with.space)
	if !in.position(f, &in.placement) {
		return
	}
	in.placement.Mark = 0
	if !in.placement.Hidden {
		in.drawImage(f, o, p, with.space)
		in.placement.Mark = in.number
		if !p.fact.Mask {
			with.paint = in.painted(p.dict, with.space)
			in.placement.Flat = with.paint.Flat
		}
	}
	in.note(f)
	// The soft mask lies on the image.
	if p.softMask != nil && !f.again {
		mask := in.picture(p.softMask, in.file.Dict(p.softMask)).fact
		mask.Soft = true
		if in.position(f, &mask) {
			mask.Mark = in.placement.Mark
			in.collector.Image(mask)
		}
	}
	if in.placement.Hidden {
		return
	}
	in.paintImage(f, &with, p.softMask != nil)
}

// picture reads the dictionary of an image, once.
func (in *Interpreter) picture(o types.Object, dict types.Dict) *picture {
	key := document.Identity(dict)
	if read := in.images[key]; read != nil {
		return read
	}
	// The last filter of a pipeline is the codec of the image.
	codec := in.file.Name(dict["Filter"])
	if list := in.file.Array(dict["Filter"]); len(list) > 0 {
		codec = in.file.Name(list[len(list)-1])
	}
	p := &picture{dict: dict, fact: facts.Image{
		Object:      document.Ref(o),
		Width:       in.file.Int(dict["Width"]),
		Height:      in.file.Int(dict["Height"]),
		Bits:        in.file.Int(dict["BitsPerComponent"]),
		Filter:      document.Clean(codec, 40),
		Mask:        in.file.Bool(dict["ImageMask"]),
		Interpolate: in.file.Bool(dict["Interpolate"]),
	}}
	p.space = in.spaces.Device(color.DeviceGray)
	if p.fact.Mask {
		p.fact.Bits, p.fact.Components = 1, 1
	} else {
		p.space = in.spaces.Resolve(dict["ColorSpace"], in.page.Number)
		p.fact.ColorSpace, p.fact.Components = p.space.Family, p.space.Components
	}
	if p.fact.Filter == jpx {
		in.jpx(p, o)
	}
	if p.fact.Filter == dct {
		p.fact.Bits = 8
		p.fact.Quality = color.JPEGQuality(in.coded(o, dict))
	}
	if mask, ok := dict["SMask"]; ok && in.file.Dict(mask) != nil {
		p.softMask = mask
	}
	in.images[key] = p
	return p
}

// coded returns the data of an image in the format of its codec, if the image has
// no other filter.
func (in *Interpreter) coded(o types.Object, dict types.Dict) []byte {
	if list := in.file.Array(dict["Filter"]); len(list) > 1 {
		return nil
	}
	stream, ok := in.file.Stream(o)
	if !ok {
		return nil
	}
	return stream.Raw
}

// jpx reads from a JPEG 2000 file the properties that the dictionary leaves out.
func (in *Interpreter) jpx(p *picture, o types.Object) {
	header, ok := color.ReadJPX(in.coded(o, p.dict))
	if !ok {
		return
	}
	if p.fact.Bits == 0 {
		p.fact.Bits = header.Bits
	}
	if _, ok := p.dict["ColorSpace"]; !ok && !p.fact.Mask {
		if header.Family == "" {
			// Viewers go by the number of components.
			switch header.Components {
			case 1:
				header.Family = color.DeviceGray
			case 4:
				header.Family = color.DeviceCMYK
			default:
				header.Family = color.DeviceRGB
			}
		}
		p.space = in.spaces.Coded(header.Family, header.Components)
		p.fact.ColorSpace, p.fact.Components = header.Family, header.Components
	}
}

// position completes a placement: the image fills the unit square of the current
// user space. It returns false for an image without extent.
func (in *Interpreter) position(f *frame, fact *facts.Image) bool {
	box := f.state.ctm.Rect(geom.Rect{0, 0, 1, 1})
	width, height := f.state.ctm.Scale()
	unit := in.page.UserUnit / 72
	if fact.Width <= 0 || fact.Height <= 0 || width == 0 || height == 0 || !box.Finite() {
		return false
	}
	fact.Page, fact.Box = in.page.Number, box
	fact.PPIX = float64(fact.Width) / (width * unit)
	fact.PPIY = float64(fact.Height) / (height * unit)
	fact.Soft = fact.Soft || f.mask
	fact.Hidden = f.layers.hidden() || !f.visible(box)
	return true
}

// note adds the placement to the facts, unless the same stream has added it before.
func (in *Interpreter) note(f *frame) {
	if !f.again {
		in.collector.Image(in.placement)
	}
}

// painted returns the highest inks of an image or a shading that has been rendered. The
// only ink of one that was not rendered counts as full; several inks are unknown.
func (in *Interpreter) painted(dict types.Dict, space *color.Space) facts.Paint {
	if known, ok := in.paints[paintKey{dict: document.Identity(dict), space: space}]; ok {
		return known.paint
	}
	return unpainted(space)
}

func unpainted(space *color.Space) facts.Paint {
	if space.Known() && space.Single() {
		return most(space)
	}
	return facts.Paint{Space: space.Family}
}

// notePaint keeps the inks of an image or a shading.
func (in *Interpreter) notePaint(dict types.Dict, space *color.Space, paint facts.Paint) {
	key := paintKey{dict: document.Identity(dict), space: space}
	if _, ok := in.paints[key]; !ok {
		in.paints[key] = known{dict: dict, paint: paint}
	}
}

// most returns the paint of a single ink at its full amount.
func most(space *color.Space) facts.Paint {
	if space.Indexed() {
		space = space.Under
	}
	full := 1.0
	if len(space.Inks) == 0 {
		full = 0 // of grey, black is the absence of light
	}
	return space.Paint([]float64{full})
}

// paintImage paints the mark of the placement.
func (in *Interpreter) paintImage(f *frame, with *ink, masked bool) {
	box := in.placement.Box
	m := in.begin(f, facts.Picture, box)
	if m == nil {
		return
	}
	m.Object, m.Image = in.placement.Object, &in.placement
	if masked {
		in.blended++
		in.feature(facts.Transparency, "SoftMask", nil, &m.Box)
	}
	if in.placement.Mask {
		m.Kind = facts.Stencil
		in.paint(f, &f.state.fill, m)
		return
	}
	in.paint(f, with, m)
}
