// SPDX-License-Identifier: Apache-2.0

package outline

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-text/typesetting/font/opentype"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
)

// compactFont is a CFF program (Adobe Technical Note 5176).
type compactFont struct {
	charstrings [][]byte
	// charset holds the name of each glyph as the number of a string, or its CID in a CID-keyed program.
	charset []int
	keyed   bool
	strings [][]byte
	// codes holds the glyphs of the encoding of the program by code, nil for the standard encoding.
	codes map[int]int
	// privates are the Private DICTs: one, or one for each font of a CID-keyed program. choose returns
	// that of a glyph. subroutines are the global ones.
	privates    []privateDict
	choose      func(id int) int
	subroutines [][]byte
	// byName holds the glyphs of a program that is not CID-keyed, and metrics is the OpenType font around
	// the program, or nil.
	byName  map[string]int
	metrics *trueType
}

// glyph implements program.
func (c *compactFont) glyph(id int) (*geom.Path, bool) {
	path, accented, ok := c.outline(id)
	if len(accented) == 0 {
		return path, ok
	}
	// The glyph is a base and an accent of the standard encoding (Technical Note 5177, appendix C).
	place := func(code, x, y float64) {
		if part, _, ok := c.outline(c.byName[standard()[int(code)&0xff]]); ok {
			path.Append(part, geom.Matrix{1, 0, 0, 1, x, y})
		}
	}
	m := c.private(id).matrix
	x, y := m.Point(accented[0], accented[1])
	place(accented[2], 0, 0)
	place(accented[3], x-m[4], y-m[5])
	return path, true
}

// outline returns the outline that the charstring of a glyph draws, or the parts that it is composed of.
func (c *compactFont) outline(id int) (path *geom.Path, accented []float64, ok bool) {
	private := c.private(id)
	if private == nil {
		return nil, nil, false
	}
	var run charstring
	if err := c.run(id, private, &run); err != nil && len(run.outline.Segments) == 0 {
		return nil, nil, false
	}
	path = &geom.Path{}
	at := func(p opentype.SegmentPoint) (float64, float64) {
		return private.matrix.Point(float64(p.X), float64(p.Y))
	}
	for i := range run.outline.Segments {
		a := &run.outline.Segments[i].Args
		switch run.outline.Segments[i].Op {
		case opentype.SegmentOpMoveTo:
			path.Close()
			path.Move(at(a[0]))
		case opentype.SegmentOpLineTo:
			path.Line(at(a[0]))
		default:
			x1, y1 := at(a[0])
			x2, y2 := at(a[1])
			x3, y3 := at(a[2])
			path.Curve(x1, y1, x2, y2, x3, y3)
		}
	}
	path.Close()
	return path, run.accented, true
}

// compact selects the glyphs of a CFF program, which may be that of an OpenType font.
func (f *Font) compact(file *document.File, described types.Dict, data []byte, metrics *trueType, names simpleNames, composite bool) error {
	c, err := readCompact(data)
	if err != nil {
		return err
	}
	c.metrics = metrics
	f.program = c
	switch {
	case composite && c.keyed:
		byCID := make(map[int]int, len(c.charset))
		for id, cid := range slices.Backward(c.charset) {
			byCID[cid] = id
		}
		f.find = func(cid int) int { return byCID[cid] }
	case composite:
		f.find = glyphsOfCIDs(file, described)
	default:
		f.find = func(code int) int {
			name := names.of(code)
			switch {
			case name != "":
				return c.byName[name]
			case c.codes != nil:
				return c.codes[code]
			case names.base != "":
				return 0
			}
			return c.byName[standard()[code&0xff]]
		}
	}
	return nil
}

// glyphsOfCIDs returns the function of CIDToGIDMap, the glyph of a CID (table 115).
func glyphsOfCIDs(file *document.File, described types.Dict) func(cid int) int {
	if file.Name(described["CIDToGIDMap"]) != "" {
		return func(cid int) int { return cid }
	}
	table := file.Quietly(described["CIDToGIDMap"])
	return func(cid int) int {
		switch {
		case len(table) == 0:
			return cid
		case 2*cid+2 > len(table):
			return 0
		}
		return int(binary.BigEndian.Uint16(table[2*cid:]))
	}
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

// readCompact reads the tables of a program.
func readCompact(data []byte) (*compactFont, error) {
	if len(data) < 4 {
		return nil, ErrProgram
	}
	_, next, ok := index(data, int(data[2])) // names
	if !ok {
		return nil, ErrProgram
	}
	dicts, next, ok := index(data, next)
	if !ok || len(dicts) == 0 {
		return nil, ErrProgram
	}
	c := &compactFont{}
	if c.strings, next, ok = index(data, next); ok {
		c.subroutines, _, _ = index(data, next)
	}
	var matrix *geom.Matrix
	charsetAt, encodingAt, selectAt, room := 0, 0, 0, maxLocalSubroutines
	err := readDict(dicts[0], func(operator int, operands []float64) {
		switch operator {
		case opCharset:
			charsetAt = int(operands[0])
		case opEncoding:
			encodingAt = int(operands[0])
		case opCharStrings:
			c.charstrings, _, _ = index(data, int(operands[0]))
		case opROS:
			c.keyed = true
		case opPrivate:
			c.privates = append(c.privates, readPrivate(data, operands, &room))
		case opFDArray:
			parts, _, _ := index(data, int(operands[0]))
			for _, part := range parts[:min(len(parts), maxPrivates)] {
				c.privates = append(c.privates, readFontDict(data, part, &room))
			}
		case opFDSelect:
			selectAt = int(operands[0])
		case opFontMatrix:
			matrix = readMatrix(operands)
		}
	})
	if err != nil || len(c.charstrings) == 0 {
		return nil, ErrProgram
	}
	if len(c.privates) == 0 {
		c.privates = []privateDict{{}}
	}
	for i := range c.privates {
		c.privates[i].matrix = matrixOf(c.privates[i].matrix, matrix)
	}
	c.charset = readCharset(data, charsetAt, len(c.charstrings), c.keyed)
	c.choose = selection(data, selectAt, len(c.charstrings))
	if !c.keyed {
		c.byName = make(map[string]int, len(c.charset))
		for id, sid := range slices.Backward(c.charset) {
			c.byName[c.name(sid)] = id
		}
		c.codes = c.readEncoding(data, encodingAt)
	}
	return c, nil
}

// readFontDict reads a font of a CID-keyed program.
func readFontDict(data, dict []byte, room *int) privateDict {
	var private privateDict
	var own *geom.Matrix
	// What is read before damage is used.
	_ = readDict(dict, func(operator int, operands []float64) {
		switch operator {
		case opPrivate:
			private = readPrivate(data, operands, room)
		case opFontMatrix:
			own = readMatrix(operands)
		}
	})
	if own != nil {
		private.matrix = *own
	}
	return private
}

// matrixOf returns the matrix of a font from its own and that of the program. Usually one of them scales;
// in damaged programs both do.
func matrixOf(own geom.Matrix, program *geom.Matrix) geom.Matrix {
	const leastScale = 1e-5
	switch {
	case own == geom.Matrix{} && program == nil:
		return geom.Matrix{0.001, 0, 0, 0.001, 0, 0}
	case own == geom.Matrix{}:
		return *program
	case program == nil:
		return own
	}
	if both := own.Then(*program); math.Abs(both[0]) > leastScale {
		return both
	}
	return own
}

// readMatrix returns the operands of FontMatrix, or nil for a matrix that cannot be used.
func readMatrix(operands []float64) *geom.Matrix {
	if len(operands) != 6 || operands[0] == 0 || operands[3] == 0 {
		return nil
	}
	m := geom.Matrix(operands)
	return &m
}

// The operators of a DICT that are read; 12 and another byte count as 1200 and that byte.
const (
	opCharset     = 15
	opEncoding    = 16
	opCharStrings = 17
	opPrivate     = 18
	opSubrs       = 19
	opDefault     = 20
	opNominal     = 21
	opFontMatrix  = 1207
	opROS         = 1230
	opFDArray     = 1236
	opFDSelect    = 1237
)

// readDict calls each with the operators of a DICT and their operands, of which there is at
// least one (chapter 4). Of an operator that is repeated, the first counts.
func readDict(dict []byte, each func(operator int, operands []float64)) error {
	var operands []float64
	seen := map[int]bool{}
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
			if !seen[b] {
				seen[b] = true
				each(b, operands)
			}
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

// readCharset returns the names of the glyphs as numbers of strings, or their CIDs (chapter 13).
func readCharset(data []byte, start, glyphs int, keyed bool) []int {
	out := make([]int, 1, glyphs)
	add := func(first, last int) {
		for v := first; v <= last && len(out) < glyphs; v++ {
			out = append(out, v)
		}
	}
	if start <= 2 || start >= len(data) {
		if keyed || start != 1 && start != 2 {
			add(1, glyphs)
			return out
		}
		for _, r := range expertCharsets[start-1] {
			add(r[0], r[1])
		}
		return out
	}
	format, rest := data[start], data[start+1:]
	size := map[byte]int{0: 2, 1: 3, 2: 4}[format]
	for size > 0 && len(rest) >= size && len(out) < glyphs {
		first, left := int(binary.BigEndian.Uint16(rest)), 0
		switch format {
		case 1:
			left = int(rest[2])
		case 2:
			left = int(binary.BigEndian.Uint16(rest[2:]))
		}
		add(first, first+left)
		rest = rest[size:]
	}
	return out
}

// name returns a string by its number.
func (c *compactFont) name(sid int) string {
	known := compactStrings()
	if sid < len(known) {
		return known[sid]
	}
	if sid -= len(known); sid < len(c.strings) {
		return string(c.strings[sid])
	}
	return ""
}

// readEncoding returns the glyphs of the encoding by code, or nil for the standard encoding (chapter 12).
func (c *compactFont) readEncoding(data []byte, start int) map[int]int {
	out := map[int]int{}
	if start == 1 {
		for code, sid := range expertEncoding() {
			if id, ok := c.byName[c.name(sid)]; ok {
				out[code] = id
			}
		}
		return out
	}
	if start < 1 || start+2 > len(data) {
		return nil
	}
	format, count, rest := data[start], int(data[start+1]), data[start+2:]
	id := 1
	size := 1 + int(format&1)
	for ; count > 0 && len(rest) >= size; count-- {
		last := int(rest[0])
		if size == 2 {
			last += int(rest[1])
		}
		for code := int(rest[0]); code <= last; code++ {
			out[code] = id
			id++
		}
		rest = rest[size:]
	}
	if format&0x80 != 0 && len(rest) > 0 { // more codes of glyphs that have one
		for count, rest = int(rest[0]), rest[1:]; count > 0 && len(rest) >= 3; count-- {
			if id, ok := c.byName[c.name(int(binary.BigEndian.Uint16(rest[1:])))]; ok {
				out[int(rest[0])] = id
			}
			rest = rest[3:]
		}
	}
	return out
}

// expertCodes are the ranges of codes of the encoding Expert (appendix B). Its glyphs are those of the charset
// Expert, in the same order.
var expertCodes = [][2]int{
	{0x20, 0x22},
	{0x24, 0x3f},
	{0x41, 0x45},
	{0x49, 0x49},
	{0x4c, 0x4f},
	{0x52, 0x54},
	{0x56, 0x5b},
	{0x5d, 0x7e},
	{0xa1, 0xa3},
	{0xa6, 0xaa},
	{0xac, 0xac},
	{0xaf, 0xaf},
	{0xb2, 0xb3},
	{0xb6, 0xb8},
	{0xbc, 0xc5},
	{0xc8, 0xff},
} // constant

// expertEncoding returns the encoding Expert: numbers of strings by code.
func expertEncoding() map[int]int {
	out := map[int]int{}
	names := readCharset(nil, 1, 1+256, false)[1:]
	for _, r := range expertCodes {
		for code := r[0]; code <= r[1]; code++ {
			out[code], names = names[0], names[1:]
		}
	}
	return out
}

// expertCharsets are the ranges of the charsets Expert and ExpertSubset (appendix C).
var expertCharsets = [2][][2]int{
	{
		{1, 1},
		{229, 238},
		{13, 15},
		{99, 99},
		{239, 248},
		{27, 28},
		{249, 266},
		{109, 110},
		{267, 318},
		{158, 158},
		{155, 155},
		{163, 163},
		{319, 326},
		{150, 150},
		{164, 164},
		{169, 169},
		{327, 378},
	},
	{
		{1, 1},
		{231, 232},
		{235, 238},
		{13, 15},
		{99, 99},
		{239, 248},
		{27, 28},
		{249, 251},
		{253, 266},
		{109, 110},
		{267, 270},
		{272, 272},
		{300, 302},
		{305, 305},
		{314, 315},
		{158, 158},
		{155, 155},
		{163, 163},
		{320, 326},
		{150, 150},
		{164, 164},
		{169, 169},
		{327, 346},
	},
} // constant

// compactStrings returns the standard strings (appendix A).
var compactStrings = sync.OnceValue(func() []string { return strings.Fields(compactStringList) })

const compactStringList = `.notdef space exclam quotedbl numbersign dollar percent ampersand quoteright parenleft parenright asterisk plus comma
hyphen period slash zero one two three four five six seven eight nine colon semicolon less equal greater question at A
B C D E F G H I J K L M N O P Q R S T U V W X Y Z bracketleft backslash bracketright asciicircum underscore quoteleft
a b c d e f g h i j k l m n o p q r s t u v w x y z braceleft bar braceright asciitilde exclamdown cent sterling
fraction yen florin section currency quotesingle quotedblleft guillemotleft guilsinglleft guilsinglright fi fl endash
dagger daggerdbl periodcentered paragraph bullet quotesinglbase quotedblbase quotedblright guillemotright ellipsis
perthousand questiondown grave acute circumflex tilde macron breve dotaccent dieresis ring cedilla hungarumlaut ogonek
caron emdash AE ordfeminine Lslash Oslash OE ordmasculine ae dotlessi lslash oslash oe germandbls onesuperior
logicalnot mu trademark Eth onehalf plusminus Thorn onequarter divide brokenbar degree thorn threequarters twosuperior
registered minus eth multiply threesuperior copyright Aacute Acircumflex Adieresis Agrave Aring Atilde Ccedilla Eacute
Ecircumflex Edieresis Egrave Iacute Icircumflex Idieresis Igrave Ntilde Oacute Ocircumflex Odieresis Ograve Otilde
Scaron Uacute Ucircumflex Udieresis Ugrave Yacute Ydieresis Zcaron aacute acircumflex adieresis agrave aring atilde
ccedilla eacute ecircumflex edieresis egrave iacute icircumflex idieresis igrave ntilde oacute ocircumflex odieresis
ograve otilde scaron uacute ucircumflex udieresis ugrave yacute ydieresis zcaron exclamsmall Hungarumlautsmall
dollaroldstyle dollarsuperior ampersandsmall Acutesmall parenleftsuperior parenrightsuperior twodotenleader
onedotenleader zerooldstyle oneoldstyle twooldstyle threeoldstyle fouroldstyle fiveoldstyle sixoldstyle sevenoldstyle
eightoldstyle nineoldstyle commasuperior threequartersemdash periodsuperior questionsmall asuperior bsuperior
centsuperior dsuperior esuperior isuperior lsuperior msuperior nsuperior osuperior rsuperior ssuperior tsuperior ff
ffi ffl parenleftinferior parenrightinferior Circumflexsmall hyphensuperior Gravesmall Asmall Bsmall Csmall Dsmall
Esmall Fsmall Gsmall Hsmall Ismall Jsmall Ksmall Lsmall Msmall Nsmall Osmall Psmall Qsmall Rsmall Ssmall Tsmall Usmall
Vsmall Wsmall Xsmall Ysmall Zsmall colonmonetary onefitted rupiah Tildesmall exclamdownsmall centoldstyle Lslashsmall
Scaronsmall Zcaronsmall Dieresissmall Brevesmall Caronsmall Dotaccentsmall Macronsmall figuredash hypheninferior
Ogoneksmall Ringsmall Cedillasmall questiondownsmall oneeighth threeeighths fiveeighths seveneighths onethird
twothirds zerosuperior foursuperior fivesuperior sixsuperior sevensuperior eightsuperior ninesuperior zeroinferior
oneinferior twoinferior threeinferior fourinferior fiveinferior sixinferior seveninferior eightinferior nineinferior
centinferior dollarinferior periodinferior commainferior Agravesmall Aacutesmall Acircumflexsmall Atildesmall
Adieresissmall Aringsmall AEsmall Ccedillasmall Egravesmall Eacutesmall Ecircumflexsmall Edieresissmall Igravesmall
Iacutesmall Icircumflexsmall Idieresissmall Ethsmall Ntildesmall Ogravesmall Oacutesmall Ocircumflexsmall Otildesmall
Odieresissmall OEsmall Oslashsmall Ugravesmall Uacutesmall Ucircumflexsmall Udieresissmall Yacutesmall Thornsmall
Ydieresissmall 001.000 001.001 001.002 001.003 Black Bold Book Light Medium Regular Roman Semibold`
