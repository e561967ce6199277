// SPDX-License-Identifier: Apache-2.0

package content

import (
	"sort"
	"strings"

	standard "github.com/pdfcpu/pdfcpu/pkg/font"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
)

// The bounds of a table of widths.
const (
	maxWidths = 1 << 16
	// maxAdvance is wider than any glyph, in units of the size of the font, which is small for a
	// Type 3 font whose glyphs are drawn in points.
	maxAdvance = 10_000
	// usualAdvance is the advance of glyphs without a known width.
	usualAdvance = 0.5
)

// widths holds the advances of the codes from first on, or of the CIDs of a composite font in
// runs, which are sorted by their first CID.
type widths struct {
	first  int
	table  []float32
	runs   []widthRun
	others float32
	// stated is false for a font whose widths are not in the file, or run downwards.
	stated bool
}

// widthRun is a range of CIDs, with one width each or one for all.
type widthRun struct {
	first, last int
	table       []float32
	same        float32
}

// Advance returns the distance that the glyph of a code moves the pen, in units of
// the size of the font. In a vertical font the pen moves downwards.
func (f *Font) Advance(code int) float64 {
	w := &f.widths
	if f.cmap != nil {
		code = f.cmap.CID(code) // W lists CIDs (9.7.4.3)
	}
	if k := code - w.first; k >= 0 && k < len(w.table) {
		return float64(w.table[k])
	}
	if len(w.runs) > 0 {
		k := sort.Search(len(w.runs), func(i int) bool { return w.runs[i].first > code }) - 1
		if k >= 0 && code <= w.runs[k].last {
			r := &w.runs[k]
			if r.table != nil {
				return float64(r.table[code-r.first])
			}
			return float64(r.same)
		}
	}
	return float64(w.others)
}

// Stated reports whether the file states the horizontal widths of the font.
func (f *Font) Stated() bool { return f.widths.stated }

// advance converts a width to units of the size of the font.
func advance(v, unit float64) float32 {
	return float32(min(max(v*unit, -maxAdvance), maxAdvance))
}

// simpleWidths reads the widths of a font with codes of one byte.
func simpleWidths(file *document.File, dict types.Dict, unit float64) widths {
	list := file.Array(dict["Widths"])
	if len(list) == 0 {
		return standardWidths(file.Name(dict["BaseFont"]))
	}
	missing, _ := file.Number(file.Dict(dict["FontDescriptor"])["MissingWidth"])
	w := widths{first: file.Int(dict["FirstChar"]), others: advance(missing, unit), stated: true}
	for _, o := range list[:min(len(list), 256)] {
		v, _ := file.Number(o)
		w.table = append(w.table, advance(v, unit))
	}
	return w
}

// standardWidths returns the widths of the fourteen standard fonts, which need no
// widths in the file.
func standardWidths(name string) widths {
	name = standardName(name)
	if !standard.IsCoreFont(name) {
		return widths{others: usualAdvance}
	}
	w := widths{others: usualAdvance, table: make([]float32, 256)}
	for code := range w.table {
		w.table[code] = usualAdvance
		if v, err := standard.CharWidth(name, rune(code)); err == nil && v > 0 {
			w.table[code] = advance(float64(v), 0.001)
		}
	}
	return w
}

// standardName returns the standard font for a name that Windows uses.
func standardName(name string) string {
	family, style, _ := strings.Cut(name, ",")
	if style == "" {
		family, style, _ = strings.Cut(strings.TrimSuffix(name, "MT"), "-")
	}
	bold, italic := strings.Contains(style, "Bold"), strings.Contains(style, "Italic") || strings.Contains(style, "Oblique")
	switch family {
	case "Arial", "Helvetica":
		return styled("Helvetica", "", "Oblique", bold, italic)
	case "CourierNew", "CourierNewPS", "Courier":
		return styled("Courier", "", "Oblique", bold, italic)
	case "TimesNewRoman", "TimesNewRomanPS", "Times":
		return styled("Times", "Roman", "Italic", bold, italic)
	}
	return name
}

func styled(family, plain, slanted string, bold, italic bool) string {
	style := plain
	switch {
	case bold && italic:
		style = "Bold" + slanted
	case bold:
		style = "Bold"
	case italic:
		style = slanted
	}
	if style == "" {
		return family
	}
	return family + "-" + style
}

// compositeWidths reads /W and /DW, or for lines that run downwards /DW2.
func compositeWidths(file *document.File, descendant types.Dict, vertical bool) widths {
	if vertical {
		w := widths{others: 1}
		if v, ok := file.Numbers(descendant["DW2"], 2); ok {
			w.others = advance(-v[1], 0.001)
		}
		return w
	}
	w := widths{others: 1, stated: true}
	if v, ok := file.Number(descendant["DW"]); ok {
		w.others = advance(v, 0.001)
	}
	list := file.Array(descendant["W"])
	for room := maxWidths; len(list) >= 2 && room > 0; {
		first := file.Int(list[0])
		if each := file.Array(list[1]); each != nil {
			r := widthRun{first: first}
			for _, o := range each[:min(len(each), room)] {
				v, _ := file.Number(o)
				r.table = append(r.table, advance(v, 0.001))
			}
			room -= len(each) + 1
			r.last = first + len(r.table) - 1
			w.add(r)
			list = list[2:]
			continue
		}
		if len(list) < 3 {
			break
		}
		v, _ := file.Number(list[2])
		w.add(widthRun{first: first, last: file.Int(list[1]), same: advance(v, 0.001)})
		room--
		list = list[3:]
	}
	sort.SliceStable(w.runs, func(i, k int) bool { return w.runs[i].first < w.runs[k].first })
	return w
}

func (w *widths) add(r widthRun) {
	if r.last >= r.first {
		w.runs = append(w.runs, r)
	}
}
