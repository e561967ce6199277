// SPDX-License-Identifier: Apache-2.0

package outline

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-text/typesetting/font/cff"
	"github.com/go-text/typesetting/font/opentype"
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
		font, err := cff.Parse(s.tables["CFF "])
		if err != nil {
			t.Fatalf("cff.Parse(%s): %v", face, err)
		}
		entries, err := readTop(s.tables["CFF "])
		if err != nil {
			t.Fatalf("readTop(%s): %v", face, err)
		}
		n := len(font.Charstrings)
		compact := &compactFont{font: font, top: entries, choose: entries.selection(s.tables["CFF "], n)}
		compared, different := 0, []string{}
		for id := range font.Charstrings {
			name := font.GlyphName(opentype.GID(id)) // #nosec G115 -- at most 65,535
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
func charstring(parts ...any) string {
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
			charstring(3, 0, "callothersubr", "pop", "pop", "setcurrentpoint", "return"),
			charstring(0, 1, "callothersubr", "return"),
			charstring(0, 2, "callothersubr", "return"),
			charstring(append(append([]any{}, box...), "return")...),
		},
		map[string]string{
			".notdef": charstring(0, 600, "hsbw", "endchar"),
			"A":       charstring(append(append([]any{0, 600, "hsbw"}, box...), "endchar")...),
			"B":       charstring(0, 600, "hsbw", 3, "callsubr", "endchar"),
			"C":       charstring(0, 600, "hsbw", 2000, 20, "div", 0, "rmoveto", 500, "hlineto", 700, "vlineto", -500, "hlineto", "closepath", "endchar"),
			"acute":   charstring(50, 300, "hsbw", 0, 0, "rmoveto", 100, "hlineto", 100, "vlineto", -100, "hlineto", "closepath", "endchar"),
			"Aacute":  charstring(0, 600, "hsbw", 50, 300, 800, 65, 194, "seac"),
			"D": charstring(0, 600, "hsbw", 0, 0, "rmoveto",
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
	f.Add(typeOneProgram([]string{charstring("return")}, map[string]string{"A": charstring(0, 600, "hsbw", 10, 10, "rlineto", "endchar")}))
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
		if t, err := readTop(data); err == nil {
			t.charset(data, 100)
			t.codes(data)
		}
		// A panic of the library is a fault of the program, not of the inspection.
		_ = guarded(func() error {
			font, err := cff.Parse(data)
			if err != nil {
				return err
			}
			entries, _ := readTop(data)
			c := compactFont{font: font, top: entries, choose: entries.selection(data, len(font.Charstrings))}
			for id := range min(len(font.Charstrings), 32) {
				c.glyph(id)
				c.advance(id)
			}
			return nil
		})
	})
}
