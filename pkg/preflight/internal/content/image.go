// SPDX-License-Identifier: Apache-2.0

package content

import (
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

// cheapPixels is the largest size of an image with a single ink that is measured.
// Larger images count as fully covered.
const cheapPixels = 1 << 18

// picture is an image XObject that the interpreter has read.
type picture struct {
	fact  facts.Image
	space *color.Space
	// stream keeps the dictionary.
	dict     types.Dict
	paint    facts.Paint
	softMask types.Object
}

// imageKey identifies an image by its dictionary and by the space that replaces
// its own.
type imageKey struct {
	dict  uintptr
	space *color.Space
}

// image records the placement of an image XObject and of its soft mask.
func (in *Interpreter) image(f *frame, o types.Object, dict types.Dict) {
	p := in.picture(o, dict)
	if !f.layers.hidden() {
		if dict["OPI"] != nil {
			in.feature(facts.OPI, "", o, nil)
		}
		if in.file.Array(dict["Alternates"]) != nil {
			in.feature(facts.Alternate, "", o, nil)
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
	if !in.position(f, &in.placement) {
		return
	}
	in.note(f)
	// The soft mask lies on the image.
	if p.softMask != nil && !f.again {
		mask := in.picture(p.softMask, in.file.Dict(p.softMask)).fact
		mask.Soft = true
		if in.position(f, &mask) {
			in.collector.Image(mask)
		}
	}
	if in.placement.Hidden {
		return
	}
	in.drawImage(f, o, p, with.space)
	if !p.fact.Mask {
		with.paint = in.measure(f, o, p, with.space)
	}
	in.paintImage(f, &with, p.softMask != nil)
}

// picture reads the dictionary of an image, once.
func (in *Interpreter) picture(o types.Object, dict types.Dict) *picture {
	key := imageKey{dict: document.Identity(dict)}
	if known := in.images[key]; known != nil {
		return known
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
		p.space = &color.Space{Family: header.Family, Components: header.Components}
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

// measure returns the inks of an image, measured once for each space.
func (in *Interpreter) measure(f *frame, o types.Object, p *picture, space *color.Space) facts.Paint {
	if f.mask {
		return facts.Paint{}
	}
	key := imageKey{dict: document.Identity(p.dict), space: space}
	m := in.images[key]
	if m == nil {
		m = &picture{dict: p.dict, paint: in.inks(o, p, space)}
		in.images[key] = m
	}
	return m.paint
}

// inks measures the samples. An image that is too large to measure counts as fully
// covered with its ink; the inks of an image that cannot be measured are unknown.
//
// One-bit codings are not decoded: their ink is all or nothing, and the parser does
// not support every fax format.
func (in *Interpreter) inks(o types.Object, p *picture, space *color.Space) facts.Paint {
	unknown := facts.Paint{Space: space.Family}
	bilevel := p.fact.Filter == "JBIG2Decode" || p.fact.Filter == "CCITTFaxDecode"
	if !space.Known() || p.fact.Filter == jpx || bilevel && !space.Single() {
		return unknown
	}
	if space.Single() && (p.fact.Width > cheapPixels/p.fact.Height || bilevel) {
		return most(space)
	}
	decode, _ := in.file.Numbers(p.dict["Decode"], 2*space.Components)
	paint, ok := color.MeasureImage(color.Image{
		Width: p.fact.Width, Height: p.fact.Height, Bits: p.fact.Bits, Space: space, Decode: decode,
		JPEG: p.fact.Filter == dct, Data: in.file.ImageData(o, in.page.Number),
	}, in.room)
	if !ok {
		return unknown
	}
	return paint
}

// room takes the samples of an image from the budget.
func (in *Interpreter) room(n int64) bool { return in.file.Budget.Samples(in.page.Number, n) }

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
	m.Area = in.visibleArea(f.state.ctm.Area(), box, m.Box)
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
