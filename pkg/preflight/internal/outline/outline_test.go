// SPDX-License-Identifier: Apache-2.0

package outline

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"

	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
)

// urw holds the fonts of the Debian package fonts-urw-base35, which Ghostscript needs:
// each face as Type 1 and as OpenType with a CFF table.
const urw = "/usr/share/fonts"

func read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("os.ReadFile: %v (run make setup)", err)
	}
	return data
}

// shape is the box of an outline and the area inside its curves, in units of the font
// size.
type shape struct {
	box  geom.Rect
	area float64
}

// same reports whether two shapes are equal up to the rounding of points.
func (s shape) same(o shape) bool {
	for i := range s.box {
		if math.Abs(s.box[i]-o.box[i]) > 0.004 {
			return false
		}
	}
	return math.Abs(s.area-o.area) < 0.002
}

func square(left, bottom, right, top, area float64) shape {
	return shape{geom.Rect{left, bottom, right, top}, area}
}

func shapeOf(p *geom.Path) shape {
	if p == nil || p.Empty() {
		return shape{}
	}
	var at, start geom.Point
	twice := 0.0
	cross := func(a, b geom.Point) float64 { return a.X*b.Y - a.Y*b.X }
	p.Each(func(v geom.Verb, to []geom.Point) {
		switch v {
		case geom.MoveTo:
			twice += cross(at, start)
			at, start = to[0], to[0]
		case geom.LineTo:
			twice += cross(at, to[0])
			at = to[0]
		case geom.CurveTo:
			a, b, c, d := at, to[0], to[1], to[2]
			twice += (6*cross(a, b) + 3*cross(a, c) + cross(a, d) + 3*cross(b, c) + 3*cross(b, d) + 6*cross(c, d)) / 10
			at = d
		default:
			twice += cross(at, start)
			at = start
		}
	})
	twice += cross(at, start)
	return shape{p.Bounds(), math.Abs(twice) / 2}
}

func TestTypeOneAndCompactProgramsHaveTheSameOutlines(t *testing.T) {
	t.Parallel()
	for _, face := range []string{"NimbusSans-Regular", "NimbusRoman-Italic", "URWBookman-Demi"} {
		one, err := readTypeOne(read(t, filepath.Join(urw, "type1/urw-base35", face+".t1")))
		if err != nil {
			t.Fatalf("readTypeOne(%s): %v", face, err)
		}
		s, err := readSFNT(read(t, filepath.Join(urw, "opentype/urw-base35", face+".otf")))
		if err != nil {
			t.Fatalf("readSFNT(%s): %v", face, err)
		}
		compact, err := readCompact(s.tables["CFF "])
		if err != nil {
			t.Fatalf("readCompact(%s): %v", face, err)
		}
		compared, different := 0, []string{}
		for id, sid := range compact.charset {
			name := compact.name(sid)
			other, ok := one.byName[name]
			if !ok || name == ".notdef" {
				continue
			}
			a, _ := one.glyph(other)
			b, _ := compact.glyph(id)
			compared++
			// The three places that state a width agree.
			narrow, ok := one.advance(other)
			width, ok2 := compact.advance(id)
			natural, ok3 := s.advance(id)
			if !ok || !ok2 || !ok3 || math.Abs(narrow-width) > 1e-9 || math.Abs(natural-width) > 1e-9 {
				t.Errorf("%s: width of %s: %v in Type 1, %v in CFF, %v in OpenType", face, name, narrow, width, natural)
			}
			if !shapeOf(a).same(shapeOf(b)) {
				different = append(different, fmt.Sprintf("%s: %v, %v", name, shapeOf(a), shapeOf(b)))
			}
		}
		// Hinting moves a few points by a unit when the format is converted.
		if compared < 800 || len(different) > compared/100 {
			t.Errorf("%s: %d of %d glyphs differ between Type 1 and CFF, such as %v", face, len(different), compared, different[:min(len(different), 5)])
		}
	}
}

// A character string of a simple font may name a base and an accent instead of drawing them.
func TestCompactProgramsComposeAccentedGlyphs(t *testing.T) {
	t.Parallel()
	s, err := readSFNT(read(t, filepath.Join(urw, "opentype/urw-base35/NimbusSans-Regular.otf")))
	if err != nil {
		t.Fatalf("readSFNT: %v", err)
	}
	program := s.tables["CFF "]
	tests := map[string]struct {
		charstring   []byte
		width        float64
		base, accent string
	}{
		"with a width":            {[]byte{239, 189, 149, 204, 247, 86, 14}, 0.1, "A", "acute"},
		"without a width":         {[]byte{189, 149, 204, 247, 86, 14}, 0, "A", "acute"},
		"after hints":             {[]byte{239, 139, 149, 1, 189, 149, 204, 247, 86, 14}, 0.1, "A", "acute"},
		"of a code without glyph": {[]byte{189, 149, 204, 139, 14}, 0, "A", ".notdef"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &Font{}
			if err := f.compact(nil, nil, program, nil, simpleNames{}, false); err != nil {
				t.Fatalf("compact: %v", err)
			}
			c := f.program.(*compactFont)
			id := c.byName["Aacute"]
			c.charstrings[id] = tc.charstring
			c.privates[0].nominalWidth, c.privates[0].defaultWidth = 0, 0

			var want geom.Path
			base, _, _ := c.outline(c.byName[tc.base])
			accent, _, _ := c.outline(c.byName[tc.accent])
			want.Append(base, geom.Identity())
			want.Append(accent, geom.Matrix{1, 0, 0, 1, 0.05, 0.01})
			got, ok := c.glyph(id)
			if !ok || !shapeOf(got).same(shapeOf(&want)) {
				t.Errorf("%v, want %v", shapeOf(got), shapeOf(&want))
			}
			if width, ok := c.advance(id); !ok || width != tc.width {
				t.Errorf("width %v, want %v", width, tc.width)
			}
		})
	}
}

func TestMatrixOfAFontInACIDKeyedProgram(t *testing.T) {
	t.Parallel()
	scale := func(v float64) geom.Matrix { return geom.Matrix{v, 0, 0, v, 0, 0} }
	thousandth, identity := scale(0.001), geom.Identity()
	tests := map[string]struct {
		own     geom.Matrix
		program *geom.Matrix
		want    float64
	}{
		"none":                       {geom.Matrix{}, nil, 0.001},
		"that of the program":        {geom.Matrix{}, &thousandth, 0.001},
		"its own":                    {scale(1.0 / 2048), nil, 1.0 / 2048},
		"one that scales, and one":   {identity, &thousandth, 0.001},
		"both scale, by mistake":     {scale(0.001), &thousandth, 0.001},
		"both scale one after other": {scale(0.5), &thousandth, 0.0005},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := matrixOf(tc.own, tc.program); math.Abs(got[0]-tc.want) > 1e-12 {
				t.Errorf("%v, want a scale of %v", got, tc.want)
			}
		})
	}
}

// Old fonts mark the dots of i and j with an operator that has no effect any more.
func TestCompactProgramsMayContainDotsection(t *testing.T) {
	t.Parallel()
	s, err := readSFNT(read(t, filepath.Join(urw, "opentype/urw-base35/NimbusSans-Regular.otf")))
	if err != nil {
		t.Fatalf("readSFNT: %v", err)
	}
	f := &Font{}
	if err := f.compact(nil, nil, s.tables["CFF "], nil, simpleNames{}, false); err != nil {
		t.Fatalf("compact: %v", err)
	}
	c := f.program.(*compactFont)
	// 100 100 rmoveto, dotsection, 100 hlineto 100 vlineto -100 hlineto, endchar
	c.charstrings[1] = []byte{239, 239, 21, 12, 0, 239, 6, 239, 7, 39, 6, 14}
	got, _ := c.glyph(1)
	if want := square(0.1, 0.1, 0.2, 0.2, 0.01); !shapeOf(got).same(want) {
		t.Errorf("%v, want %v", shapeOf(got), want)
	}
}

func TestTrueTypeGlyphs(t *testing.T) {
	t.Parallel()
	s, err := readSFNT(goregular.TTF)
	if err != nil {
		t.Fatalf("readSFNT: %v", err)
	}
	table := s.cmap(3, 1)
	// The font package of x/image reads the same program.
	other, err := sfnt.Parse(goregular.TTF)
	if err != nil {
		t.Fatalf("sfnt.Parse: %v", err)
	}
	var buffer sfnt.Buffer
	units := fixed.I(int(other.UnitsPerEm()))
	for r := rune(' '); r < 0x250; r++ {
		id, err := other.GlyphIndex(&buffer, r)
		if err != nil || id == 0 {
			continue
		}
		segments, err := other.LoadGlyph(&buffer, id, units, nil)
		if err != nil {
			t.Fatalf("LoadGlyph(%q): %v", r, err)
		}
		want := &geom.Path{}
		at := func(p fixed.Point26_6) (float64, float64) {
			return float64(p.X) / float64(units), -float64(p.Y) / float64(units)
		}
		for _, segment := range segments {
			x, y := at(segment.Args[0])
			switch segment.Op {
			case sfnt.SegmentOpMoveTo:
				want.Close()
				want.Move(x, y)
			case sfnt.SegmentOpLineTo:
				want.Line(x, y)
			default:
				x2, y2 := at(segment.Args[1])
				want.Quad(x, y, x2, y2)
			}
		}
		got, ok := s.glyph(table.glyph(int(r)))
		if !ok || !shapeOf(got).same(shapeOf(want)) {
			t.Errorf("glyph of %q: %v, want %v", r, shapeOf(got), shapeOf(want))
		}
	}
	// Ä is made of A and two dots.
	base, _ := s.glyph(table.glyph('A'))
	accented, _ := s.glyph(table.glyph('Ä'))
	if a, b := base.Bounds(), accented.Bounds(); b[3] <= a[3]+0.05 || math.Abs(a[0]-b[0]) > 0.01 || accented.Len() <= base.Len() {
		t.Errorf("boxes of A and Ä: %v and %v", a, b)
	}
	if _, ok := s.glyph(1 << 20); ok {
		t.Error("a glyph that the program lacks has an outline")
	}
	if got, ok := s.advance(table.glyph('m')); !ok || math.Abs(got-0.83) > 0.05 {
		t.Errorf("width of m: %.3f", got)
	}
}

func TestGlyphsOfSimpleTrueTypeFonts(t *testing.T) {
	t.Parallel()
	bytes256 := func(code, id byte) []byte { // format 0
		data := append([]byte{0, 0, 1, 6, 0, 0}, make([]byte, 256)...)
		data[6+code] = id
		return data
	}
	post := func(format, glyphs byte, names ...byte) []byte {
		data := append([]byte{0, format, 0, 0}, make([]byte, 28)...)
		return append(append(data, 0, glyphs), names...)
	}
	win := simpleNames{base: "WinAnsiEncoding", given: true}
	tests := map[string]struct {
		font  trueType
		names simpleNames
		code  int
		want  int
	}{
		"a table of an unusual platform":          {trueType{cmaps: []cmap{{0, 0, bytes256(7, 3)}}}, simpleNames{}, 7, 3},
		"codes in a table of characters":          {trueType{cmaps: []cmap{{3, 1, bytes256(7, 3)}}}, win, 7, 3},
		"no table, glyphs by code":                {trueType{}, win, 'A', 'A'},
		"no table, the usual names":               {trueType{tables: map[string][]byte{"post": post(1, 0)}}, win, 'A', 36},
		"no table, a usual name of another glyph": {trueType{tables: map[string][]byte{"post": post(2, 2, 0, 0, 0, 36)}}, win, 'A', 1},
		"no table, a name of the font":            {trueType{tables: map[string][]byte{"post": post(2, 2, 0, 0, 1, 2, 3, 'o', 'n', 'e')}}, simpleNames{given: true, differences: map[int]string{5: "one"}}, 5, 1},
		"no table, names that are cut":            {trueType{tables: map[string][]byte{"post": post(2, 2, 0, 0, 0, 36)[:36]}}, win, 'A', 'A'},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := tc.font.simple(tc.code, tc.names, false); got != tc.want {
				t.Errorf("glyph %d, want %d", got, tc.want)
			}
		})
	}
}

func TestFormatOfGlyphPositionsInEitherByteOrder(t *testing.T) {
	t.Parallel()
	short, err := readSFNT(goregular.TTF)
	if err != nil {
		t.Fatalf("readSFNT: %v", err)
	}
	for _, format := range [][]byte{{0, 1}, {1, 0}} {
		data := slices.Clone(goregular.TTF)
		at := bytes.Index(data, short.tables["head"])
		copy(data[at+50:], format)
		if s, err := readSFNT(data); err != nil || s.glyphs != len(s.tables["loca"])/4-1 {
			t.Errorf("format %v: %v, %d glyphs", format, err, s.glyphs)
		}
	}
}

func TestGlyphsInAnotherOrderThanTheirData(t *testing.T) {
	t.Parallel()
	ordered, err := readSFNT(goregular.TTF)
	if err != nil {
		t.Fatalf("readSFNT: %v", err)
	}
	const id = 40
	want, _ := ordered.glyph(id)
	data := ordered.tables["glyf"][ordered.loca(id):ordered.loca(id+1)]
	const before = 64
	turned := *ordered
	turned.tables = map[string][]byte{"glyf": append(make([]byte, before), data...)}
	turned.glyphs, turned.loca = 3, func(i int) int { return [...]int{before, 0, before, before}[i] }
	if got, _ := turned.glyph(0); got.Bounds() != want.Bounds() || want.Empty() {
		t.Errorf("a glyph with its end before its start: bounds %v, want %v", got.Bounds(), want.Bounds())
	}
	if got, _ := turned.glyph(2); !got.Empty() {
		t.Errorf("a glyph without data: bounds %v", got.Bounds())
	}
}

func TestTablesOfCompactPrograms(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		data   []byte
		start  int
		glyphs int
		keyed  bool
		want   []int
	}{
		"ISOAdobe":               {nil, 0, 4, false, []int{0, 1, 2, 3}},
		"Expert":                 {nil, 1, 6, false, []int{0, 1, 229, 230, 231, 232}},
		"ExpertSubset":           {nil, 2, 5, false, []int{0, 1, 231, 232, 235}},
		"one by one":             {[]byte{9, 9, 9, 0, 0, 7, 1, 0}, 3, 3, false, []int{0, 7, 256}},
		"short ranges":           {[]byte{9, 9, 9, 1, 0, 7, 2, 0, 1, 9}, 3, 5, false, []int{0, 7, 8, 9, 1}},
		"long ranges":            {[]byte{9, 9, 9, 2, 0, 7, 0, 9}, 3, 4, true, []int{0, 7, 8, 9}},
		"a table that is cut":    {[]byte{9, 9, 9, 0, 0, 7, 1}, 3, 5, false, []int{0, 7}},
		"CIDs without a charset": {nil, 0, 3, true, []int{0, 1, 2}},
	} {
		t.Run("charset: "+name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, readCharset(tc.data, tc.start, tc.glyphs, tc.keyed)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	c := &compactFont{strings: [][]byte{[]byte("ff")}, byName: map[string]int{"A": 1, "ff": 2}}
	for name, tc := range map[string]struct {
		data []byte
		want map[int]int
	}{
		"codes":                    {[]byte{0, 0, 0, 2, 65, 70}, map[int]int{65: 1, 70: 2}},
		"ranges":                   {[]byte{0, 0, 1, 1, 65, 2}, map[int]int{65: 1, 66: 2, 67: 3}},
		"more codes of one glyph":  {[]byte{0, 0, 0x80, 1, 65, 2, 174, 1, 135, 97, 0, 34}, map[int]int{65: 1, 174: 2, 97: 1}},
		"a supplement that is cut": {[]byte{0, 0, 0x80, 1, 65, 2, 174, 1}, map[int]int{65: 1}},
	} {
		t.Run("encoding: "+name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, c.readEncoding(tc.data, 2)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The codes of glyphs in the table of Technical Note 5176, appendix B.
func TestExpertEncoding(t *testing.T) {
	t.Parallel()
	c := &compactFont{strings: [][]byte{}}
	got := expertEncoding()
	for code, want := range map[int]string{
		0x20: "space", 0x21: "exclamsmall", 0x2f: "fraction", 0x30: "zerooldstyle", 0x3f: "questionsmall", 0x41: "asuperior", 0x49: "isuperior",
		0x56: "ff", 0x57: "fi", 0x5a: "ffl", 0x5d: "parenrightinferior", 0x61: "Asmall", 0x7e: "Tildesmall", 0xa1: "exclamdownsmall",
		0xaf: "Macronsmall", 0xb8: "Cedillasmall", 0xbc: "onequarter", 0xbf: "questiondownsmall", 0xc9: "onesuperior", 0xff: "Ydieresissmall",
	} {
		if name := c.name(got[code]); name != want {
			t.Errorf("code %#x is %q, want %q", code, name, want)
		}
	}
	if len(got) != 165 || got[0x40] != 0 {
		t.Errorf("%d codes, want 165", len(got))
	}
	small := &compactFont{byName: map[string]int{"Asmall": 3}}
	if diff := cmp.Diff(map[int]int{0x61: 3}, small.readEncoding(nil, 1)); diff != "" {
		t.Errorf("glyphs of a program (-want +got):\n%s", diff)
	}
}

func TestNamesOfCodes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		names simpleNames
		code  int
		want  string
	}{
		"WinAnsi":                       {simpleNames{base: "WinAnsiEncoding"}, 0x80, "Euro"},
		"WinAnsi, a space that holds":   {simpleNames{base: "WinAnsiEncoding"}, 0xa0, "space"},
		"MacRoman":                      {simpleNames{base: "MacRomanEncoding"}, 0x80, "Adieresis"},
		"Standard":                      {simpleNames{base: "StandardEncoding"}, 0xae, "fi"},
		"Standard has curly quotes":     {simpleNames{base: "StandardEncoding"}, 0x27, "quoteright"},
		"Differences win":               {simpleNames{base: "WinAnsiEncoding", differences: map[int]string{65: "alpha"}}, 65, "alpha"},
		"the encoding of the program":   {simpleNames{}, 65, ""},
		"a letter":                      {simpleNames{base: "WinAnsiEncoding"}, 'q', "q"},
		"a code that is not a byte":     {simpleNames{base: "WinAnsiEncoding"}, 999, ""},
		"a code that has no character":  {simpleNames{base: "StandardEncoding"}, 0, ""},
		"a digit is named by its word":  {simpleNames{base: "MacRomanEncoding"}, '7', "seven"},
		"the second name is not chosen": {simpleNames{base: "WinAnsiEncoding"}, 0xb5, "mu"},
	} {
		if got := c.names.of(c.code); got != c.want {
			t.Errorf("%s: code %#x is %q, want %q", name, c.code, got, c.want)
		}
	}
	for name, want := range map[string]string{"WinAnsiEncoding": "WinAnsiEncoding", "MacExpertEncoding": "", "Identity-H": ""} {
		if got := knownEncoding(name); got != want {
			t.Errorf("knownEncoding(%q) = %q, want %q", name, got, want)
		}
	}
	for name, want := range map[string]rune{"A": 'A', "Euro": '€', "uni20AC": '€', "u1F600": '😀', "a.sc": 'a', "ffi": 'ﬃ', "g123": 0, "uniXXXX": 0, "": 0} {
		if got := runeOf(name); got != want {
			t.Errorf("runeOf(%q) = %q, want %q", name, got, want)
		}
	}
}

// typeOneProgram returns a program with the given charstrings and subroutines, encrypted
// as in a file.
func typeOneProgram(subroutines []string, charstrings map[string]string) []byte {
	encrypt := func(plain string, key uint16) string {
		out := []byte(plain)
		for i, c := range out {
			out[i] = c ^ byte(key>>8)
			key = (uint16(out[i])+key)*52845 + 22719
		}
		return string(out)
	}
	var private strings.Builder
	private.WriteString("xxxx/Private 8 dict dup begin /lenIV 4 def\n/Subrs " + fmt.Sprint(len(subroutines)) + " array\n")
	for i, body := range subroutines {
		coded := encrypt("0000"+body, 4330)
		fmt.Fprintf(&private, "dup %d %d RD %s NP\n", i, len(coded), coded)
	}
	// The second list is for printers of low resolution.
	private.WriteString("ND\nhires {pop pop} {save} ifelse\n/Subrs " + fmt.Sprint(len(subroutines)) + " array\n")
	for i := range subroutines {
		coded := encrypt("0000"+encoded("return"), 4330)
		fmt.Fprintf(&private, "dup %d %d RD %s NP\n", i, len(coded), coded)
	}
	private.WriteString("ND\n/CharStrings 9 dict dup begin\n")
	for name, body := range charstrings {
		coded := encrypt("0000"+body, 4330)
		fmt.Fprintf(&private, "/%s %d RD %s ND\n", name, len(coded), coded)
	}
	private.WriteString("end")
	return []byte("%!PS-AdobeFont-1.0: Test\n/FontMatrix [0.001 0 0 0.001 0 0] readonly def\n/Encoding 256 array\ndup 65 /A put\nreadonly def\ncurrentfile eexec\n" + encrypt(private.String(), 55665))
}

// number encodes an operand of a charstring.
func number(v int) string {
	switch {
	case v >= -107 && v <= 107:
		return string([]byte{byte(v + 139)})
	case v >= 108 && v <= 1131:
		v -= 108
		return string([]byte{byte(v/256 + 247), byte(v)})
	default:
		return string([]byte{255, byte(v >> 24), byte(v >> 16), byte(v >> 8), byte(v)})
	}
}

// charstring encodes operands and operators; an operator of two bytes is 1200 more.
func encoded(parts ...any) string {
	var out strings.Builder
	for _, part := range parts {
		switch v := part.(type) {
		case int:
			out.WriteString(number(v))
		case string:
			code := map[string][]byte{
				"hsbw": {13}, "rmoveto": {21}, "rlineto": {5}, "hlineto": {6}, "vlineto": {7}, "closepath": {9}, "endchar": {14},
				"callsubr": {10}, "return": {11}, "rrcurveto": {8}, "seac": {12, 6}, "div": {12, 12}, "callothersubr": {12, 16},
				"pop": {12, 17}, "setcurrentpoint": {12, 33},
			}[v]
			out.Write(code)
		}
	}
	return out.String()
}

func TestCharstringsOfTypeOne(t *testing.T) {
	t.Parallel()
	box := []any{100, 0, "rmoveto", 500, "hlineto", 700, "vlineto", -500, "hlineto", "closepath"}
	program := typeOneProgram(
		[]string{
			encoded(3, 0, "callothersubr", "pop", "pop", "setcurrentpoint", "return"),
			encoded(0, 1, "callothersubr", "return"),
			encoded(0, 2, "callothersubr", "return"),
			encoded(append(append([]any{}, box...), "return")...),
		},
		map[string]string{
			".notdef": encoded(0, 600, "hsbw", "endchar"),
			"A":       encoded(append(append([]any{0, 600, "hsbw"}, box...), "endchar")...),
			"B":       encoded(0, 600, "hsbw", 3, "callsubr", "endchar"),
			"C":       encoded(0, 600, "hsbw", 2000, 20, "div", 0, "rmoveto", 500, "hlineto", 700, "vlineto", -500, "hlineto", "closepath", "endchar"),
			"acute":   encoded(50, 300, "hsbw", 0, 0, "rmoveto", 100, "hlineto", 100, "vlineto", -100, "hlineto", "closepath", "endchar"),
			"Aacute":  encoded(0, 600, "hsbw", 50, 300, 800, 65, 194, "seac"),
			"D": encoded(0, 600, "hsbw", 0, 0, "rmoveto",
				1, "callsubr", 100, 0, "rmoveto", 2, "callsubr", 0, 0, "rmoveto", 2, "callsubr", 50, 20, "rmoveto", 2, "callsubr", 50, 0, "rmoveto", 2, "callsubr",
				50, 0, "rmoveto", 2, "callsubr", 50, -20, "rmoveto", 2, "callsubr", 0, 0, "rmoveto", 2, "callsubr", 50, 300, 0, 0, "callsubr",
				400, "vlineto", "closepath", "endchar"),
		})
	font, err := readTypeOne(program)
	if err != nil {
		t.Fatalf("readTypeOne: %v", err)
	}
	letter := square(0.1, 0, 0.6, 0.7, 0.35)
	for name, want := range map[string]shape{
		".notdef": {}, "A": letter, "B": letter, "C": letter,
		"Aacute": square(0.1, 0, 0.6, 0.9, 0.36),
	} {
		p, ok := font.glyph(font.byName[name])
		if got := shapeOf(p); !ok || !got.same(want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	flex, _ := font.glyph(font.byName["D"])
	curves := 0
	flex.Each(func(v geom.Verb, _ []geom.Point) {
		if v == geom.CurveTo {
			curves++
		}
	})
	if curves != 2 {
		t.Errorf("flex: %d curves, want 2: %v", curves, shapeOf(flex))
	}
	if font.encoding[65] != "A" {
		t.Errorf("encoding %v", font.encoding)
	}
}

func FuzzTypeOne(f *testing.F) {
	f.Add(typeOneProgram([]string{encoded("return")}, map[string]string{"A": encoded(0, 600, "hsbw", 10, 10, "rlineto", "endchar")}))
	f.Add([]byte("%! eexec 0123456789abcdef0123456789"))
	f.Fuzz(func(t *testing.T, data []byte) {
		font, err := readTypeOne(data)
		if err != nil {
			return
		}
		for id := range min(len(font.charstrings), 32) {
			font.glyph(id)
		}
	})
}

func FuzzTrueType(f *testing.F) {
	f.Add(gobold.TTF[:4000])
	f.Add(goregular.TTF)
	f.Fuzz(func(t *testing.T, data []byte) {
		if !isSFNT(data) {
			return
		}
		s, err := readSFNT(data)
		if err != nil {
			return
		}
		for id := range min(s.glyphs, 32) {
			s.glyph(id)
			s.advance(id)
		}
		for i := range s.cmaps {
			for code := range 300 {
				s.cmaps[i].glyph(code)
			}
		}
		s.named("A")
	})
}

func FuzzCompact(f *testing.F) {
	f.Add([]byte{1, 0, 4, 1, 0, 1, 1, 1, 2, 'A', 0, 1, 1, 1, 4, 139, 15, 139, 16})
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 4 {
			return
		}
		// A panic of the library is a fault of the program, not of the inspection.
		_ = guarded(func() error {
			c, err := readCompact(data)
			if err != nil {
				return err
			}
			for id := range min(len(c.charstrings), 32) {
				c.glyph(id)
				c.advance(id)
			}
			return nil
		})
	})
}
