// SPDX-License-Identifier: Apache-2.0

package content

import (
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/internal/preflight/document"
	"github.com/printmarket/printmarket/internal/preflight/facts"
	"github.com/printmarket/printmarket/internal/preflight/geom"
	"github.com/printmarket/printmarket/internal/preflight/lexer"
)

// image notes the placement of an image XObject.
func (in *Interpreter) image(f *frame, o types.Object, dict types.Dict) {
	fact := facts.Image{
		Object: document.Ref(o),
		Width:  in.file.Int(dict["Width"]),
		Height: in.file.Int(dict["Height"]),
		Bits:   in.file.Int(dict["BitsPerComponent"]),
		Filter: in.filter(dict["Filter"]),
		Mask:   in.file.Bool(dict["ImageMask"]),
	}
	var s space
	if !fact.Mask {
		s = in.space(dict["ColorSpace"])
	}
	in.place(f, fact, s)
}

// filter is the last filter of a pipeline, the one that codes the image.
func (in *Interpreter) filter(o types.Object) string {
	name := in.file.Name(o)
	if list := in.file.Array(o); len(list) > 0 {
		name = in.file.Name(list[len(list)-1])
	}
	return document.Clean(name, 40)
}

// place completes a placement: the image fills the unit square of the current
// user space.
func (in *Interpreter) place(f *frame, fact facts.Image, s space) {
	if fact.Mask {
		fact.Bits = 1
	}
	box := f.state.ctm.Rect(geom.Rect{0, 0, 1, 1})
	width, height := f.state.ctm.Scale()
	unit := in.page.UserUnit / 72
	if fact.Width <= 0 || fact.Height <= 0 || width == 0 || height == 0 || !box.Finite() {
		return
	}
	fact.Page, fact.Box = in.page.Number, box
	fact.PPIX = float64(fact.Width) / (width * unit)
	fact.PPIY = float64(fact.Height) / (height * unit)
	fact.ColorSpace = s.family
	fact.Hidden = !box.Touches(f.state.clip) || f.state.clip.Empty()
	in.collector.Image(fact)
	if fact.Hidden {
		return
	}
	where := box.Intersect(f.state.clip)
	if fact.Mask {
		in.use(f, f.state.fill, &where)
		return
	}
	in.use(f, color{space: s}, &where)
}

// inlineImage reads BI ... ID ... EI.
func (in *Interpreter) inlineImage(f *frame, tokens *lexer.Lexer) {
	var fact facts.Image
	var s space
	length := -1
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
		if string(key.Text) == "L" || string(key.Text) == "Length" {
			length = int(min(max(value.Value, -1), 1<<30))
		}
		in.inlineEntry(f, &fact, &s, string(key.Text), value)
	}
	if length < 0 && fact.Filter == "" {
		length = rawLength(&fact, s)
	}
	tokens.InlineData(length)
	fact.Object = "inline"
	if fact.Mask {
		s = space{}
	}
	in.place(f, fact, s)
}

// inlineEntry takes one entry; keys may be abbreviated (8.9.7).
func (in *Interpreter) inlineEntry(f *frame, fact *facts.Image, s *space, key string, value lexer.Object) {
	whole := func() int { return int(min(max(value.Value, 0), 1<<30)) }
	switch key {
	case "W", "Width":
		fact.Width = whole()
	case "H", "Height":
		fact.Height = whole()
	case "BPC", "BitsPerComponent":
		fact.Bits = whole()
	case "IM", "ImageMask":
		fact.Mask = value.Kind == lexer.Bool && value.Value == 1
	case "F", "Filter":
		if value.Kind == lexer.Array && len(value.Items) > 0 {
			value = value.Items[len(value.Items)-1]
		}
		fact.Filter = document.Clean(string(value.Text), 40)
	case "CS", "ColorSpace":
		if value.Kind == lexer.Array && len(value.Items) > 1 {
			value = value.Items[1] // the base of an Indexed space
		}
		*s = in.namedSpace(f, string(value.Text))
	}
}

// rawLength is how long the samples of an image without a filter are, or -1.
func rawLength(fact *facts.Image, s space) int {
	components := 0
	switch s.family {
	case deviceGray, calGray, iccGray:
		components = 1
	case deviceRGB, calRGB, iccRGB, lab:
		components = 3
	case deviceCMYK, iccCMYK:
		components = 4
	}
	bits := fact.Bits
	if fact.Mask {
		components, bits = 1, 1
	}
	if components == 0 || bits == 0 || bits > 16 || fact.Width > 1<<20 || fact.Height > 1<<20 {
		return -1
	}
	return (fact.Width*components*bits + 7) / 8 * fact.Height
}
