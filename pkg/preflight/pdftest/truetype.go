// SPDX-License-Identifier: Apache-2.0

package pdftest

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// TrueType returns a font program with the glyphs .notdef, A and B, each a box of another height.
// It is complete, so that other programs accept it (ISO/IEC 14496-22).
func TrueType() []byte { return trueType(0) }

// trueType returns the program with an fsType, the licence for embedding.
func trueType(licence int) []byte {
	glyphs := [][]byte{boxGlyph(100), boxGlyph(700), boxGlyph(500)}
	var glyf, loca []byte
	for _, g := range glyphs {
		loca = binary.BigEndian.AppendUint32(loca, uint32(len(glyf)))
		glyf = append(glyf, g...)
	}
	loca = binary.BigEndian.AppendUint32(loca, uint32(len(glyf)))
	return sfnt([]table{
		{"OS/2", os2(licence)},
		{"cmap", cmap()},
		{"glyf", glyf},
		{"head", words(1, 0, 1, 0, 0, 0, 0x5F0F, 0x3CF5, 3, 1000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 600, 700, 0, 8, 2, 1, 0)},
		{"hhea", words(1, 0, 800, -200, 0, 600, 0, 0, 600, 1, 0, 0, 0, 0, 0, 0, 0, 3)},
		{"hmtx", words(600, 50, 600, 50, 600, 50)},
		{"loca", loca},
		{"maxp", words(1, 0, 3, 4, 1, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0)},
		{"name", name("Boxes")},
		{"post", words(3, 0, 0, 0, -100, 50, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)},
	})
}

type table struct {
	tag  string
	data []byte
}

// words encodes big-endian numbers of 16 bits.
func words(values ...int) []byte {
	out := make([]byte, 0, 2*len(values))
	for _, v := range values {
		out = binary.BigEndian.AppendUint16(out, uint16(v))
	}
	return out
}

// sfnt writes tables, which must be in alphabetical order, as a font file.
func sfnt(tables []table) []byte {
	power := 1
	for power*2 <= len(tables) {
		power *= 2
	}
	log := 0
	for 1<<log < power {
		log++
	}
	out := append([]byte{0, 1, 0, 0}, words(len(tables), power*16, log, len(tables)*16-power*16)...)
	offset := len(out) + 16*len(tables)
	var body []byte
	head := 0
	for _, t := range tables {
		if t.tag == "head" {
			head = offset + len(body)
		}
		out = append(out, t.tag...)
		out = binary.BigEndian.AppendUint32(out, checksum(t.data))
		out = binary.BigEndian.AppendUint32(out, uint32(offset+len(body)))
		out = binary.BigEndian.AppendUint32(out, uint32(len(t.data)))
		body = append(body, t.data...)
		body = append(body, make([]byte, -len(body)&3)...)
	}
	out = append(out, body...)
	binary.BigEndian.PutUint32(out[head+8:], 0xB1B0AFBA-checksum(out))
	return out
}

func checksum(data []byte) uint32 {
	sum := uint32(0)
	for chunk := range slices.Chunk(data, 4) {
		var word [4]byte
		copy(word[:], chunk)
		sum += binary.BigEndian.Uint32(word[:])
	}
	return sum
}

// boxGlyph returns a glyph of one contour with four points on the curve.
func boxGlyph(height int) []byte {
	out := words(1, 50, 0, 550, height, 3, 0)
	out = append(out, 1, 1, 1, 1)
	out = append(out, words(50, 0, 500, 0)...)
	out = append(out, words(0, height, 0, -height)...)
	return append(out, make([]byte, -len(out)&3)...)
}

// cmap maps A and B in the tables for Windows (format 4) and Macintosh (0).
func cmap() []byte {
	out := words(0, 2, 1, 0, 0, 20, 3, 1, 0, 20+262)
	mac := append(words(0, 262, 0), make([]byte, 256)...)
	mac[6+'A'], mac[6+'B'] = 1, 2
	out = append(out, mac...)
	return append(out, words(4, 32, 0, 4, 4, 1, 0, 'B', 0xFFFF, 0, 'A', 0xFFFF, 1-'A', 1, 0, 0)...)
}

// name returns the family, the style, the full and the PostScript name.
func name(family string) []byte {
	var records, text []byte
	values := []struct {
		id   int
		text string
	}{{1, family}, {2, "Regular"}, {4, family}, {6, family}}
	for _, v := range values {
		records = append(records, words(3, 1, 0x409, v.id, 2*len(v.text), len(text))...)
		for _, c := range []byte(v.text) {
			text = append(text, 0, c)
		}
	}
	return append(append(words(0, len(values), 6+len(records)), records...), text...)
}

func os2(licence int) []byte {
	out := words(3, 600, 400, 5, licence, 500, 500, 0, 0, 500, 500, 0, 0, 50, 250, 0)
	out = append(out, make([]byte, 10+16)...)
	out = append(out, "NONE"...)
	return append(out, words(0x40, 'A', 'B', 800, -200, 0, 800, 200, 0, 1, 0, 0, 500, 700, 0, 32, 1)...)
}

// ProgramFont writes a TrueType font with a usable program.
func (b *Builder) ProgramFont(name string) Ref { return b.programFont(name, "600 600", TrueType()) }

// programFont writes a TrueType font with the widths of A and B and a program.
func (b *Builder) programFont(name, widths string, data []byte) Ref {
	program := b.Flate(fmt.Sprintf("/Length1 %d", len(data)), data)
	descriptor := b.Add("<< /Type /FontDescriptor /FontName /%s /Flags 32 /FontBBox [0 0 600 700] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 /MissingWidth 600 /FontFile2 %s >>", name, program)
	return b.Add("<< /Type /Font /Subtype /TrueType /BaseFont /%s /FirstChar 65 /LastChar 66 /Widths [%s] /Encoding /WinAnsiEncoding /FontDescriptor %s >>", name, widths, descriptor)
}
