// SPDX-License-Identifier: Apache-2.0

package content

// Fonts (ISO 32000-2, 9.5 to 9.9) are described by their dictionaries: the name,
// whether the file embeds the font program, and the advance width of each glyph.
// Font programs are not read.

import (
	"math"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
)

// Font is a font resource. It does not change.
type Font struct {
	// Type3 tells that the glyphs are content.
	Type3 *Type3
	// Ascent and Descent are how far glyphs reach above and below the line, in
	// units of the size of the font.
	Ascent, Descent float64
	// Vertical tells that lines run downwards.
	Vertical bool

	codes  codes
	widths widths
}

// The heights of a font that does not say, or says nonsense.
const (
	usualAscent  = 0.75
	usualDescent = -0.21
)

// NewFont reads a font. The page is where incidents are noted.
func NewFont(file *document.File, dict types.Dict, page int) *Font {
	f := &Font{Ascent: usualAscent, Descent: usualDescent}
	switch file.Name(dict["Subtype"]) {
	case "Type0":
		descendants := file.Array(dict["DescendantFonts"])
		var descendant types.Dict
		if len(descendants) > 0 {
			descendant = file.Dict(descendants[0])
		}
		f.codes = readCodes(file, dict["Encoding"], page)
		f.Vertical = f.codes.vertical
		f.widths = compositeWidths(file, descendant, f.Vertical)
		f.heights(file, file.Dict(descendant["FontDescriptor"]))
	case "Type3":
		f.Type3 = newType3(file, dict)
		f.widths = simpleWidths(file, dict, math.Abs(f.Type3.Matrix[0]))
		f.Ascent, f.Descent = f.Type3.heights(file, dict)
	default:
		f.widths = simpleWidths(file, dict, 0.001)
		f.heights(file, file.Dict(dict["FontDescriptor"]))
	}
	return f
}

// heights believes the descriptor where it is plausible.
func (f *Font) heights(file *document.File, descriptor types.Dict) {
	if v, ok := file.Number(descriptor["Ascent"]); ok && v > 200 && v < 1500 {
		f.Ascent = v / 1000
	}
	if v, ok := file.Number(descriptor["Descent"]); ok && v < 0 && v > -1000 {
		f.Descent = v / 1000
	}
}

// Next splits the first code off a text that is not empty.
func (f *Font) Next(text []byte) (code, size int) { return f.codes.next(text) }

// Advance is how far the glyph of a code moves the pen, in units of the size of
// the font; of a vertical font it is downwards.
func (f *Font) Advance(code int) float64 { return f.widths.of(code) }

// Em is the height of the em square in units of the size of the font. Glyphs that
// are content may have any unit; then it is the height of the box around them.
func (f *Font) Em() float64 {
	if f.Type3 == nil || math.Abs(math.Abs(f.Type3.Matrix[3])-0.001) < 1e-4 || f.Ascent <= f.Descent {
		return 1
	}
	return f.Ascent - f.Descent
}

// DescribeFont finds name, type and whether the font program is in the file.
// resource is the name under which a page knows the font.
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
	fact.Name, fact.Subset = cutSubsetTag(document.Clean(fact.Name, 120))
	fact.Type = document.Clean(fact.Type, 20)
	return fact
}

// cutSubsetTag removes the six letters that mark a subset (9.9.2).
func cutSubsetTag(name string) (string, bool) {
	tag, rest, found := strings.Cut(name, "+")
	if !found || len(tag) != 6 || strings.Trim(tag, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return name, false
	}
	return rest, true
}

// Type3 is what a font has whose glyphs are content.
type Type3 struct {
	// Matrix maps the space of glyphs to that of text.
	Matrix geom.Matrix
	// Resources of the glyphs; nil means those of the page.
	Resources types.Dict
	glyphs    [256]types.Object
}

// Glyph is the content of a code's glyph, or nil.
func (t *Type3) Glyph(code int) types.Object { return t.glyphs[code&0xff] }

func newType3(file *document.File, dict types.Dict) *Type3 {
	t := &Type3{Matrix: file.Matrix(dict["FontMatrix"]), Resources: file.Dict(dict["Resources"])}
	if _, ok := file.Numbers(dict["FontMatrix"], 6); !ok {
		t.Matrix = geom.Matrix{0.001, 0, 0, 0.001, 0, 0}
	}
	procedures := file.Dict(dict["CharProcs"])
	code := 0
	differences := file.Array(file.Dict(dict["Encoding"])["Differences"])
	for _, o := range differences[:min(len(differences), 1024)] {
		if v, ok := file.Number(o); ok {
			code = int(min(max(v, 0), 256))
			continue
		}
		if code < len(t.glyphs) {
			t.glyphs[code] = procedures[file.Name(o)]
		}
		code++
	}
	return t
}

// heights come from the box around all glyphs, if there is one.
func (t *Type3) heights(file *document.File, dict types.Dict) (ascent, descent float64) {
	box, ok := file.Rect(dict["FontBBox"])
	if !ok {
		return usualAscent, usualDescent
	}
	image := t.Matrix.Rect(box)
	return image[3], image[1]
}
