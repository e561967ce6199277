// SPDX-License-Identifier: Apache-2.0

package content

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/internal/outline"
)

// fontUse is a font resource that the interpreter has read.
type fontUse struct {
	fact *facts.Font
	dict types.Dict
	// shape is read when the font is used for the first time, and outlines when a glyph
	// is rendered for the first time.
	shape    *Font
	outlines *outline.Font
	// examined are the codes of a Type 3 font that pages have shown.
	examined map[int]bool
}

// compareWidths records a width of the file that differs from the one that the glyph states, both
// in units of the font size.
func (u *fontUse) compareWidths(code int, stated, width float64, page int, box geom.Rect) {
	if off := math.Abs(stated-width) * 1000; off > widthNoise {
		u.fact.Width.Add(codeName(code), off, page, box)
	}
}

// widthNoise is the difference of widths that rounding causes, in thousandths of the font size
// (ISO 19005-2, 6.2.11.5 allows it, too).
const widthNoise = 1.0

func codeName(code int) string { return fmt.Sprintf("%02X", code) }

// declare records the fonts of a resource dictionary, used or not, sorted by name:
// the order of facts must not depend on the order of a map.
func (in *Interpreter) declare(resources types.Dict) {
	if resources == nil || in.declared[document.Identity(resources)] != nil {
		return
	}
	in.declared[document.Identity(resources)] = resources
	fonts := in.file.Dict(resources["Font"])
	for _, name := range slices.Sorted(maps.Keys(fonts)) {
		in.font(fonts[name], name)
	}
}

// font returns a font resource, which it reads once. It returns nil for an object
// that is not a font.
func (in *Interpreter) font(o types.Object, name string) *fontUse {
	dict := in.file.Dict(o)
	if dict == nil {
		return nil
	}
	id := document.Identity(dict)
	if known, ok := in.fonts[id]; ok {
		return known
	}
	fact := DescribeFont(in.file, dict, name)
	fact.Object = document.Ref(o)
	known := &fontUse{dict: dict, fact: in.collector.Font(fact)}
	if known.fact == nil {
		known = nil
	}
	in.fonts[id] = known
	return known
}
