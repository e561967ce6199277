// SPDX-License-Identifier: Apache-2.0

package content

// Fonts (ISO 32000-2, 9.5 to 9.9) are described by their dictionaries: the name,
// whether the file embeds the font program, and the advance width of each glyph.

import (
	"math"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/internal/outline"
)

// Font is a font resource. It does not change.
type Font struct {
	// Type3 is set when the glyphs are content streams.
	Type3 *Type3
	// Ascent and Descent are the heights of glyphs above and below the line, in
	// units of the size of the font.
	Ascent, Descent float64
	// Vertical reports whether lines run downwards.
	Vertical bool

	// cmap is that of a composite font, nil for a simple one, whose codes are bytes.
	cmap   *outline.CMap
	widths widths
}

// Next splits the first code off a text, which must not be empty.
func (f *Font) Next(text []byte) (code, size int) {
	if f.cmap == nil {
		return int(text[0]), 1
	}
	return f.cmap.Next(text)
}

// The heights of a font whose descriptor has none, or implausible ones.
const (
	usualAscent  = 0.75
	usualDescent = -0.21
)

// NewFont reads a font. It records incidents on the given page.
func NewFont(file *document.File, dict types.Dict, page int) *Font {
	f := &Font{Ascent: usualAscent, Descent: usualDescent}
	switch file.Name(dict["Subtype"]) {
	case "Type0":
		descendants := file.Array(dict["DescendantFonts"])
		var descendant types.Dict
		if len(descendants) > 0 {
			descendant = file.Dict(descendants[0])
		}
		f.cmap = outline.ReadCMap(file, dict["Encoding"], page)
		f.Vertical = f.cmap.Vertical
		f.widths = compositeWidths(file, descendant, f.Vertical)
		f.heights(file, file.Dict(descendant["FontDescriptor"]))
	case "Type3":
		f.Type3 = newType3(file, dict)
		f.widths = simpleWidths(file, dict, math.Abs(f.Type3.Matrix[0]))
		if box, ok := file.Rect(dict["FontBBox"]); ok {
			box = f.Type3.Matrix.Rect(box)
			f.Ascent, f.Descent = box[3], box[1]
		}
	default:
		f.widths = simpleWidths(file, dict, 0.001)
		f.heights(file, file.Dict(dict["FontDescriptor"]))
	}
	return f
}

// heights takes the heights of the descriptor where they are plausible.
func (f *Font) heights(file *document.File, descriptor types.Dict) {
	if v, ok := file.Number(descriptor["Ascent"]); ok && v > 200 && v < 1500 {
		f.Ascent = v / 1000
	}
	if v, ok := file.Number(descriptor["Descent"]); ok && v < 0 && v > -1000 {
		f.Descent = v / 1000
	}
}

// Em returns the height of the em square in units of the size of the font. Type 3
// glyphs may have any unit; for them it returns the height of the box around them.
func (f *Font) Em() float64 {
	if f.Type3 == nil || math.Abs(math.Abs(f.Type3.Matrix[3])-0.001) < 1e-4 || f.Ascent <= f.Descent {
		return 1
	}
	return f.Ascent - f.Descent
}

// DescribeFont reads the name and the type of a font, and whether the file embeds
// the font program. resource is the name of the font in the page's resources.
func DescribeFont(file *document.File, dict types.Dict, resource string) facts.Font {
	fact := facts.Font{Type: file.Name(dict["Subtype"]), Name: file.Name(dict["BaseFont"])}
	described := dict
	if fact.Type == "Type0" {
		if descendants := file.Array(dict["DescendantFonts"]); len(descendants) > 0 {
			described = file.Dict(descendants[0])
			fact.Type = file.Name(described["Subtype"])
		}
	}
	descriptor := file.Dict(described["FontDescriptor"])
	fact.Embedded = fact.Type == "Type3"
	for _, key := range [...]string{"FontFile", "FontFile2", "FontFile3"} {
		if program, ok := file.Stream(descriptor[key]); ok && len(program.Raw) > 0 {
			fact.Embedded = true
		}
	}
	if fact.Name == "" {
		fact.Name = file.Name(descriptor["FontName"])
	}
	if fact.Name == "" {
		fact.Name = resource
	}
	fact.Name = document.Clean(fact.Name, 120)
	fact.Name, fact.Subset = withoutTag(fact.Name)
	_, fact.Resubset = withoutTag(fact.Name)
	fact.Type = document.Clean(fact.Type, 20)
	return fact
}

// withoutTag returns the name of a font without the tag of a subset: six letters and a plus sign
// (9.9.2).
func withoutTag(name string) (rest string, tagged bool) {
	tag, rest, found := strings.Cut(name, "+")
	if found && len(tag) == 6 && strings.Trim(tag, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" {
		return rest, true
	}
	return name, false
}

// Type3 holds the glyphs of a font whose glyphs are content streams.
type Type3 struct {
	// Matrix maps the space of glyphs to that of text.
	Matrix geom.Matrix
	// Resources of the glyphs; nil means those of the page.
	Resources types.Dict
	glyphs    [256]types.Object
	// blank reports whether a code stands for a space or a control character.
	blank [256]bool
}

// Glyph returns the content of a code's glyph, or nil.
func (t *Type3) Glyph(code int) types.Object { return t.glyphs[code&0xff] }

func newType3(file *document.File, dict types.Dict) *Type3 {
	t := &Type3{Matrix: file.Matrix(dict["FontMatrix"]), Resources: file.Dict(dict["Resources"])}
	if _, ok := file.Numbers(dict["FontMatrix"], 6); !ok {
		t.Matrix = geom.Matrix{0.001, 0, 0, 0.001, 0, 0}
	}
	procedures := file.Dict(dict["CharProcs"])
	name := outline.Names(file, dict)
	for code := range t.glyphs {
		t.glyphs[code], t.blank[code] = procedures[name(code)], outline.BlankCode(name(code), code)
	}
	return t
}
