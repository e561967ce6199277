// SPDX-License-Identifier: Apache-2.0

package content

import (
	"github.com/printmarket/printmarket/pkg/preflight/internal/color"
	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/lexer"
)

// inline is an image within the content stream (8.9.7).
type inline struct {
	fact    facts.Image
	space   *color.Space
	decode  []float64
	length  int
	filters int
}

// inlineImage reads BI ... ID ... EI.
func (in *Interpreter) inlineImage(f *frame, tokens *lexer.Lexer) {
	i := inline{length: -1, space: in.spaces.Device(color.DeviceGray)}
	for {
		key := tokens.Next()
		if key.Kind == lexer.EOF {
			return
		}
		if key.Kind == lexer.Keyword {
			if string(key.Text) != "ID" {
				continue
			}
			break
		}
		value := tokens.Next()
		if value.Kind == lexer.EOF {
			return
		}
		in.inlineEntry(f, &i, string(key.Text), value)
	}
	tokens.Release()
	i.fact.Object = "inline"
	if i.fact.Mask {
		i.fact.Bits, i.fact.Components = 1, 1
	} else {
		i.fact.ColorSpace, i.fact.Components = i.space.Family, i.space.Components
	}
	if i.length < 0 && i.filters == 0 {
		i.length = i.rawLength()
	}
	in.placeInline(f, &i, tokens.InlineData(i.length))
}

// placeInline records the image, and renders one without filters.
func (in *Interpreter) placeInline(f *frame, i *inline, data []byte) {
	in.placement = i.fact
	if !in.position(f, &in.placement) {
		return
	}
	if in.placement.Hidden {
		in.note(f)
		return
	}
	var with ink
	with.choose(i.space, in.remap(f, i.space))
	with.paint = in.drawInline(f, i, with.space, data)
	in.placement.Mark, in.placement.Flat = in.number, with.paint.Flat
	in.note(f)
	in.paintImage(f, &with, false)
}

// inlineEntry reads one entry; keys may be abbreviated.
func (in *Interpreter) inlineEntry(f *frame, i *inline, key string, value lexer.Object) {
	whole := func() int { return int(min(max(value.Value, 0), 1<<30)) }
	switch key {
	case "W", "Width":
		i.fact.Width = whole()
	case "H", "Height":
		i.fact.Height = whole()
	case "BPC", "BitsPerComponent":
		i.fact.Bits = whole()
	case "L", "Length":
		i.length = int(min(max(value.Value, -1), 1<<30))
	case "IM", "ImageMask":
		i.fact.Mask = value.Kind == lexer.Bool && value.Value == 1
	case "I", "Interpolate":
		i.fact.Interpolate = value.Kind == lexer.Bool && value.Value == 1
	case "D", "Decode":
		for k := range value.Items[:min(len(value.Items), 2*color.MaxComponents)] {
			i.decode = append(i.decode, value.Items[k].Value)
		}
	case "F", "Filter":
		i.filters = 1
		if value.Kind == lexer.Array {
			i.filters = len(value.Items)
			if i.filters == 0 {
				return
			}
			value = value.Items[len(value.Items)-1]
		}
		i.fact.Filter = document.Clean(wholeName(string(value.Text)), 40)
	case "CS", "ColorSpace":
		switch {
		case value.Kind != lexer.Array:
			i.space = in.namedSpace(f, value.Text)
		case len(value.Items) < 4:
			i.space = in.spaces.Device(color.DeviceGray)
		default: // an Indexed space
			base := in.namedSpace(f, value.Items[1].Text)
			i.space = color.Indexed(base, lexer.AppendText(nil, &value.Items[3]))
		}
	}
}

// wholeName spells out the abbreviation of a filter (table 92).
func wholeName(filter string) string {
	switch filter {
	case "AHx":
		return "ASCIIHexDecode"
	case "A85":
		return "ASCII85Decode"
	case "LZW":
		return "LZWDecode"
	case "Fl":
		return "FlateDecode"
	case "RL":
		return "RunLengthDecode"
	case "CCF":
		return "CCITTFaxDecode"
	case "DCT":
		return dct
	}
	return filter
}

// rawLength returns the size in bytes of the samples of an image without filters,
// or -1.
func (i *inline) rawLength() int {
	components, bits := i.fact.Components, i.fact.Bits
	if components == 0 || bits == 0 || bits > 16 || i.fact.Width > 1<<20 || i.fact.Height > 1<<20 {
		return -1
	}
	return (i.fact.Width*components*bits + 7) / 8 * i.fact.Height
}
