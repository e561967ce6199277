// SPDX-License-Identifier: Apache-2.0

package outline

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"github.com/go-text/typesetting/font/cff"
	"github.com/go-text/typesetting/font/opentype"
	"github.com/go-text/typesetting/font/opentype/tables"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
)

// compactFont is a CFF program. The library interprets its charstrings; the encoding,
// the character set and the matrix, which the library keeps to itself, are read here.
type compactFont struct {
	font *cff.CFF
	top  top
	// choose returns the Private DICT of a glyph.
	choose func(id int) int
	// metrics is the OpenType font around the program, or nil.
	metrics *trueType
}

// glyph implements program.
func (c *compactFont) glyph(id int) (*geom.Path, bool) {
	if id < 0 || id >= len(c.font.Charstrings) {
		return nil, false
	}
	segments, _, err := c.font.LoadGlyph(tables.GlyphID(id)) // #nosec G115 -- checked
	if err != nil && len(segments) == 0 {
		return nil, false
	}
	path := &geom.Path{}
	at := func(p opentype.SegmentPoint) (float64, float64) {
		return c.top.matrix.Point(float64(p.X), float64(p.Y))
	}
	for i := range segments {
		a := &segments[i].Args
		switch segments[i].Op {
		case opentype.SegmentOpMoveTo:
			path.Close()
			path.Move(at(a[0]))
		case opentype.SegmentOpLineTo:
			path.Line(at(a[0]))
		case opentype.SegmentOpQuadTo:
			x1, y1 := at(a[0])
			x2, y2 := at(a[1])
			path.Quad(x1, y1, x2, y2)
		default:
			x1, y1 := at(a[0])
			x2, y2 := at(a[1])
			x3, y3 := at(a[2])
			path.Curve(x1, y1, x2, y2, x3, y3)
		}
	}
	path.Close()
	return path, true
}

// compact selects the glyphs of a CFF program, which may be that of an OpenType font.
func (f *Font) compact(file *document.File, described types.Dict, data []byte, metrics *trueType, names simpleNames, composite bool) error {
	font, err := cff.Parse(data)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrProgram, err)
	}
	top, err := readTop(data)
	if err != nil {
		return err
	}
	n := len(font.Charstrings)
	f.program = &compactFont{font: font, top: top, choose: top.selection(data, n), metrics: metrics}
	if composite {
		table := file.Quietly(described["CIDToGIDMap"])
		if file.Name(described["CIDToGIDMap"]) != "" {
			table = nil
		}
		var byCID map[int]int
		if top.keyed {
			byCID = top.charset(data, n)
		}
		f.find = func(cid int) int {
			switch {
			case byCID != nil:
				return byCID[cid]
			case len(table) >= 2*cid+2:
				return int(binary.BigEndian.Uint16(table[2*cid:]))
			}
			return cid
		}
		return nil
	}
	byName := make(map[string]int, n)
	for id := n - 1; id >= 0; id-- {
		byName[font.GlyphName(opentype.GID(id))] = id // #nosec G115 -- at most 65,535
	}
	builtin := top.codes(data)
	f.find = func(code int) int {
		name := names.of(code)
		if name == "" {
			switch {
			case builtin != nil:
				return builtin[code]
			case names.base != "":
				return 0
			}
			name = standard()[code&0xff]
		}
		return byName[name]
	}
	return nil
}

// top holds the entries of a CFF's Top DICT (Adobe Technical Note 5176, 9).
type top struct {
	charsetAt, encodingAt int
	keyed                 bool
	matrix                geom.Matrix
	// privates are the Private DICTs: one, or one for each font of a CID-keyed program, which
	// the table at selectAt selects. subroutines are the global ones.
	privates    []privateDict
	selectAt    int
	subroutines [][]byte
}

// index returns the parts of an INDEX at a position, and the position after it.
func index(data []byte, at int) (parts [][]byte, next int, ok bool) {
	if at < 0 || at+2 > len(data) {
		return nil, 0, false
	}
	count := int(binary.BigEndian.Uint16(data[at:]))
	if count == 0 {
		return nil, at + 2, true
	}
	if at+3 > len(data) {
		return nil, 0, false
	}
	size := int(data[at+2])
	base := at + 3 + (count+1)*size - 1
	if size < 1 || size > 4 || base > len(data) {
		return nil, 0, false
	}
	offset := func(i int) int {
		v := 0
		for _, b := range data[at+3+i*size : at+3+(i+1)*size] {
			v = v<<8 | int(b)
		}
		return v
	}
	for i := range count {
		from, until := base+offset(i), base+offset(i+1)
		if from < base || until < from || until > len(data) {
			return nil, 0, false
		}
		parts = append(parts, data[from:until])
	}
	return parts, base + offset(count), true
}

func readTop(data []byte) (top, error) {
	t := top{matrix: geom.Matrix{0.001, 0, 0, 0.001, 0, 0}}
	_, next, ok := index(data, int(data[2]))
	if !ok {
		return t, ErrProgram
	}
	dicts, next, ok := index(data, next)
	if !ok || len(dicts) == 0 {
		return t, ErrProgram
	}
	if _, next, ok = index(data, next); ok { // strings
		t.subroutines, _, _ = index(data, next)
	}
	err := readDict(dicts[0], func(operator int, operands []float64) {
		switch operator {
		case opCharset:
			t.charsetAt = int(operands[0])
		case opEncoding:
			t.encodingAt = int(operands[0])
		case opROS:
			t.keyed = true
		case opPrivate:
			t.privates = append(t.privates, readPrivate(data, operands))
		case opFDArray:
			parts, _, _ := index(data, int(operands[0]))
			for _, part := range parts[:min(len(parts), maxPrivates)] {
				var private privateDict
				_ = readDict(part, func(operator int, operands []float64) {
					if operator == opPrivate {
						private = readPrivate(data, operands)
					}
				})
				t.privates = append(t.privates, private)
			}
		case opFDSelect:
			t.selectAt = int(operands[0])
		case opFontMatrix:
			if len(operands) == 6 && operands[0] != 0 && operands[3] != 0 {
				t.matrix = geom.Matrix(operands)
			}
		}
	})
	return t, err
}

// The operators of a DICT that are read; 12 and another byte count as 1200 and that byte.
const (
	opCharset    = 15
	opEncoding   = 16
	opPrivate    = 18
	opSubrs      = 19
	opDefault    = 20
	opNominal    = 21
	opFontMatrix = 1207
	opROS        = 1230
	opFDArray    = 1236
	opFDSelect   = 1237
)

// readDict calls each with the operators of a DICT and their operands, of which there is at
// least one (chapter 4).
func readDict(dict []byte, each func(operator int, operands []float64)) error {
	var operands []float64
	for len(dict) > 0 {
		b := int(dict[0])
		dict = dict[1:]
		switch {
		case b <= 21:
			if b == 12 && len(dict) > 0 {
				b = 1200 + int(dict[0])
				dict = dict[1:]
			}
			if len(operands) == 0 {
				operands = append(operands, 0)
			}
			each(b, operands)
			operands = operands[:0]
		case b == 28 && len(dict) >= 2:
			operands = append(operands, float64(int16(binary.BigEndian.Uint16(dict)))) // #nosec G115 -- a signed number
			dict = dict[2:]
		case b == 29 && len(dict) >= 4:
			operands = append(operands, float64(int32(binary.BigEndian.Uint32(dict)))) // #nosec G115 -- a signed number
			dict = dict[4:]
		case b == 30:
			var v float64
			v, dict = realNumber(dict)
			operands = append(operands, v)
		case b >= 32 && b <= 246:
			operands = append(operands, float64(b-139))
		case b >= 247 && b <= 250 && len(dict) >= 1:
			operands = append(operands, float64((b-247)*256+int(dict[0])+108))
			dict = dict[1:]
		case b >= 251 && b <= 254 && len(dict) >= 1:
			operands = append(operands, float64(-(b-251)*256-int(dict[0])-108))
			dict = dict[1:]
		default:
			return ErrProgram
		}
	}
	return nil
}

// realNumber reads a number in nibbles.
func realNumber(data []byte) (float64, []byte) {
	var text []byte
	for i, b := range data {
		for _, nibble := range [2]byte{b >> 4, b & 15} {
			switch {
			case nibble < 10:
				text = append(text, '0'+nibble)
			case nibble == 10:
				text = append(text, '.')
			case nibble == 11:
				text = append(text, 'e')
			case nibble == 12:
				text = append(text, 'e', '-')
			case nibble == 14:
				text = append(text, '-')
			case nibble == 15:
				v, err := strconv.ParseFloat(string(text), 64)
				if err != nil || math.IsInf(v, 0) {
					v = 0
				}
				return v, data[i+1:]
			}
		}
		if len(text) > 64 {
			break
		}
	}
	return 0, nil
}

// charset returns the glyphs of a CID-keyed program by CID.
func (t *top) charset(data []byte, glyphs int) map[int]int {
	out := map[int]int{0: 0}
	if t.charsetAt <= 2 || t.charsetAt >= len(data) {
		for id := range glyphs {
			out[id] = id
		}
		return out
	}
	format, at := data[t.charsetAt], t.charsetAt+1
	u16 := func() int {
		if at+2 > len(data) {
			at = len(data)
			return 0
		}
		at += 2
		return int(binary.BigEndian.Uint16(data[at-2:]))
	}
	for id := 1; id < glyphs && at < len(data); {
		first, left := u16(), 0
		switch format {
		case 1:
			if at < len(data) {
				left = int(data[at])
				at++
			}
		case 2:
			left = u16()
		}
		for k := 0; k <= left && id < glyphs; k++ {
			out[first+k] = id
			id++
		}
	}
	return out
}

// codes returns the glyphs of the built-in encoding by code, or nil for the standard
// encoding.
func (t *top) codes(data []byte) map[int]int {
	if t.encodingAt <= 1 || t.encodingAt+2 > len(data) {
		return nil
	}
	out := map[int]int{}
	format, count := data[t.encodingAt], int(data[t.encodingAt+1])
	rest := data[t.encodingAt+2:]
	id := 1
	switch format & 0x7f {
	case 0:
		for i := 0; i < count && i < len(rest); i++ {
			out[int(rest[i])] = id
			id++
		}
	case 1:
		for i := 0; i < count && 2*i+1 < len(rest); i++ {
			for k := range int(rest[2*i+1]) + 1 {
				out[int(rest[2*i])+k] = id
				id++
			}
		}
	}
	return out
}
