// SPDX-License-Identifier: Apache-2.0

package view

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/hajimehoshi/bitmapfont/v3"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/text/unicode/bidi"
)

const (
	// lastRune is the last character of the Basic Multilingual Plane. fpdf writes none beyond it.
	lastRune = 0xffff
	// maxAdded limits the characters that are added to a font.
	maxAdded = 5000
)

// withCharacters returns the fonts of Go with the given characters, as far as the bitmap font has them;
// nothing if it has none of them.
func withCharacters(runes []rune) (regular, bold []byte, err error) {
	regularFont, err := readFont(goregular.TTF)
	if err != nil {
		return nil, nil, err
	}
	boldFont, err := readFont(gobold.TTF)
	if err != nil {
		return nil, nil, err
	}
	for _, r := range runes[:min(len(runes), maxAdded)] {
		regularFont.add(r, 0)
		boldFont.add(r, boldFont.unitsPerEm/30)
	}
	if len(regularFont.outlines) == len(regularFont.tables["glyf"]) {
		return nil, nil, nil
	}
	return regularFont.bytes(), boldFont.bytes(), nil
}

// trueType is a TrueType font to which glyphs are added. Its tables are those of OpenType
// (ISO/IEC 14496-22).
type trueType struct {
	tables map[string][]byte
	// glyphs has the glyph of each character, and count the number of all glyphs.
	glyphs map[rune]uint16
	count  uint16
	// unitsPerEm is the size of the font in units.
	unitsPerEm int
	// outlines and metrics are the tables glyf and hmtx; offsets is loca with 32 bits.
	outlines, metrics, offsets []byte
}

// readFont reads a font whose table loca has 16 bits, as those of Go.
func readFont(program []byte) (*trueType, error) {
	parsed, err := sfnt.Parse(program)
	if err != nil {
		return nil, fmt.Errorf("read a font: %w", err)
	}
	f := &trueType{tables: map[string][]byte{}, glyphs: map[rune]uint16{}, count: uint16(parsed.NumGlyphs()), unitsPerEm: int(parsed.UnitsPerEm())}
	for i := range int(binary.BigEndian.Uint16(program[4:])) {
		entry := program[12+16*i:]
		from, length := binary.BigEndian.Uint32(entry[8:]), binary.BigEndian.Uint32(entry[12:])
		f.tables[string(entry[:4])] = slices.Clone(program[from : from+length])
	}
	var buffer sfnt.Buffer
	for r := rune(0); r <= lastRune; r++ {
		if glyph, err := parsed.GlyphIndex(&buffer, r); err == nil && glyph > 0 {
			f.glyphs[r] = uint16(glyph)
		}
	}
	f.outlines = f.tables["glyf"]
	// The last glyphs have the advance of the one before them, and in hmtx only their bearing.
	complete := 4 * int(binary.BigEndian.Uint16(f.tables["hhea"][34:]))
	f.metrics = slices.Clone(f.tables["hmtx"][:complete])
	for bearing := range slices.Chunk(f.tables["hmtx"][complete:], 2) {
		f.metrics = append(append(f.metrics, f.metrics[complete-4:complete-2]...), bearing...)
	}
	for half := range slices.Chunk(f.tables["loca"], 2) {
		f.offsets = put32(f.offsets, 2*int(binary.BigEndian.Uint16(half)))
	}
	return f, nil
}

// add draws a character as the bitmap font has it: in 12 pixels of the size of the font, or in 6 for
// half the width. Each row of adjacent pixels is a rectangle, wider by the given units. A character that
// the bitmap font lacks is not added.
func (f *trueType) add(r rune, wider int) {
	const pixels = 12
	box, mask, at, width, ok := bitmapfont.Face.Glyph(fixed.Point26_6{}, r)
	if !ok || r > lastRune || !unicode.IsPrint(r) {
		return
	}
	unit := func(pixel int) int { return pixel * f.unitsPerEm / pixels }
	isSet := func(x, y int) bool {
		_, _, _, alpha := mask.At(at.X+x, at.Y+y).RGBA()
		return x < box.Dx() && alpha > 0
	}
	var xs, ys []int
	for y := range box.Dy() {
		for x := 0; x < box.Dx(); x++ {
			from := x
			for isSet(x, y) {
				x++
			}
			if x > from {
				left, right := unit(box.Min.X+from), unit(box.Min.X+x)+wider
				bottom, top := unit(-box.Min.Y-y-1), unit(-box.Min.Y-y)
				xs, ys = append(xs, left, left, right, right), append(ys, bottom, top, top, bottom)
			}
		}
	}
	if len(xs) == 0 {
		return
	}
	f.glyphs[r] = f.count
	f.count++
	f.outlines = put16(f.outlines, len(xs)/4, slices.Min(xs), slices.Min(ys), slices.Max(xs), slices.Max(ys))
	for last := 3; last < len(xs); last += 4 {
		f.outlines = put16(f.outlines, last)
	}
	f.outlines = put16(f.outlines, 0)                                     // instructions
	f.outlines = append(f.outlines, slices.Repeat([]byte{1}, len(xs))...) // points on the curve, with coordinates of 16 bits
	for _, coordinates := range [][]int{xs, ys} {
		before := 0
		for _, c := range coordinates {
			f.outlines = put16(f.outlines, c-before)
			before = c
		}
	}
	f.outlines = aligned(f.outlines)
	f.offsets = put32(f.offsets, len(f.outlines))
	f.metrics = put16(f.metrics, unit(width.Round()), slices.Min(xs))
}

// bytes writes the font.
func (f *trueType) bytes() []byte {
	f.tables["glyf"], f.tables["hmtx"], f.tables["loca"], f.tables["cmap"] = f.outlines, f.metrics, f.offsets, f.characters()
	binary.BigEndian.PutUint16(f.tables["head"][50:], 1) // loca has 32 bits
	binary.BigEndian.PutUint16(f.tables["hhea"][34:], f.count)
	binary.BigEndian.PutUint16(f.tables["maxp"][4:], f.count)
	f.tables["post"] = append(put32(nil, 0x30000), f.tables["post"][4:32]...) // glyphs have no names
	names := slices.Sorted(maps.Keys(f.tables))
	head := put16(put32(nil, 0x10000), len(names), 0, 0, 0) // the rest serves a binary search
	var body []byte
	for _, name := range names {
		table := f.tables[name]
		head = put32(append(head, name...), 0, 12+16*len(names)+len(body), len(table)) // without a checksum
		body = aligned(append(body, table...))
	}
	return append(head, body...)
}

// characters returns the table cmap, in its format 4.
func (f *trueType) characters() []byte {
	var starts, ends, deltas []byte
	runes := slices.Sorted(maps.Keys(f.glyphs))
	for i := 0; i < len(runes); i++ {
		first := runes[i]
		delta := int(f.glyphs[first]) - int(first)
		for i+1 < len(runes) && runes[i+1] == runes[i]+1 && int(f.glyphs[runes[i+1]])-int(runes[i+1]) == delta {
			i++
		}
		starts, ends, deltas = put16(starts, int(first)), put16(ends, int(runes[i])), put16(deltas, delta)
	}
	starts, ends, deltas = put16(starts, lastRune), put16(ends, lastRune), put16(deltas, 1) // ends the table
	segments := len(ends)
	table := put32(put16(nil, 0, 1, 3, 1), 12) // one table, of Unicode for Windows
	table = put16(table, 4, 16+4*segments, 0, segments, 0, 0, 0)
	table = append(put16(append(table, ends...), 0), starts...)
	return append(append(table, deltas...), make([]byte, segments)...)
}

// isRightToLeft reports whether a letter belongs to a script such as Hebrew or Arabic.
func isRightToLeft(r rune) bool {
	if r < '\u0590' {
		return false // most text: Hebrew is the first such script
	}
	properties, _ := bidi.LookupRune(r)
	return properties.Class() == bidi.R || properties.Class() == bidi.AL
}

// visual returns a line in the order in which it is drawn.
func visual(line string) string {
	var paragraph bidi.Paragraph
	if _, err := paragraph.SetString(line); err != nil {
		return line
	}
	order, err := paragraph.Order()
	if err != nil {
		return line
	}
	var drawn strings.Builder
	for i := range order.NumRuns() {
		run := order.Run(i)
		if run.Direction() == bidi.RightToLeft {
			drawn.WriteString(bidi.ReverseString(run.String()))
		} else {
			drawn.WriteString(run.String())
		}
	}
	return drawn.String()
}

// put16 appends numbers in 16 bits each, and put32 in 32 bits.
func put16(to []byte, values ...int) []byte {
	for _, v := range values {
		to = binary.BigEndian.AppendUint16(to, uint16(v))
	}
	return to
}

func put32(to []byte, values ...int) []byte {
	for _, v := range values {
		to = binary.BigEndian.AppendUint32(to, uint32(v))
	}
	return to
}

// aligned appends zeros up to a multiple of four bytes.
func aligned(b []byte) []byte { return append(b, make([]byte, -len(b)&3)...) }
