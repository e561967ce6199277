// SPDX-License-Identifier: Apache-2.0

package content

import (
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

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
	filters []types.PDFFilter
	// parms are the parameters of the filters, in the same order.
	parms []types.Dict
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
	components, bits := i.fact.Components, i.fact.Bits
	if i.length < 0 && len(i.filters) == 0 && components != 0 && bits != 0 && bits <= 16 && i.fact.Width <= 1<<20 && i.fact.Height <= 1<<20 {
		i.length = (i.fact.Width*components*bits + 7) / 8 * i.fact.Height
	}
	data := tokens.InlineData(i.length)
	f.to = tokens.End()
	in.placeInline(f, &i, data)
}

// placeInline records the image, and renders it.
func (in *Interpreter) placeInline(f *frame, i *inline, data []byte) {
	in.placement = i.fact
	var with ink
	with.choose(i.space, in.remap(f, i.space))
	in.convertInline(f, i, with.space, data)
	if !in.position(f, &in.placement) {
		return
	}
	if in.placement.Hidden {
		in.note(f)
		return
	}
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
		for _, name := range listOf(&value) {
			i.filters = append(i.filters, types.PDFFilter{Name: wholeName(string(name.Text))})
		}
		if n := len(i.filters); n > 0 {
			i.fact.Filter = document.Clean(i.filters[n-1].Name, 40)
		}
	case "DP", "DecodeParms":
		for _, parms := range listOf(&value) {
			i.parms = append(i.parms, filterParameters(&parms))
		}
	case "Intent":
		if intent := string(value.Text); !knownIntent(intent) && !f.layers.hidden() {
			in.feature(facts.RenderingIntent, document.Clean(intent, maxName), nil, nil)
		}
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

// maxFilters bounds the filters of an inline image.
const maxFilters = 8

// listOf returns the items of an array, or a single value.
func listOf(o *lexer.Object) []lexer.Object {
	if o.Kind != lexer.Array {
		return []lexer.Object{*o}
	}
	return o.Items[:min(len(o.Items), maxFilters)]
}

// filterParameters returns the numbers and booleans of a dictionary.
func filterParameters(o *lexer.Object) types.Dict {
	if o.Kind != lexer.Dict {
		return nil
	}
	dict := types.Dict{}
	for k := 0; k+1 < len(o.Items); k += 2 {
		switch value := &o.Items[k+1]; value.Kind {
		case lexer.Number:
			dict[string(o.Items[k].Text)] = types.Integer(int(min(max(value.Value, -1), 1<<30)))
		case lexer.Bool:
			dict[string(o.Items[k].Text)] = types.Boolean(value.Value == 1)
		}
	}
	return dict
}

// pipeline returns the filters with their parameters. The height of a fax is that of the image.
func (i *inline) pipeline() []types.PDFFilter {
	for k := range i.filters {
		f := &i.filters[k]
		if k < len(i.parms) {
			f.DecodeParms = i.parms[k]
		}
		if f.Name == "CCITTFaxDecode" {
			if f.DecodeParms == nil {
				f.DecodeParms = types.Dict{}
			}
			if f.DecodeParms["Rows"] == nil {
				f.DecodeParms["Rows"] = types.Integer(i.fact.Height)
			}
		}
	}
	return i.filters
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
