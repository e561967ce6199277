// SPDX-License-Identifier: Apache-2.0

package outline

import (
	"bytes"
	"encoding/hex"
	"math"
	"slices"
	"strconv"

	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
)

// The bounds of a Type 1 program.
const (
	maxSubroutines = 65_536
	maxCharstring  = 65_535
	maxCalls       = 10
	maxSteps       = 100_000
)

// typeOneFont is a Type 1 program (Adobe Type 1 Font Format, version 1.1).
type typeOneFont struct {
	matrix geom.Matrix
	// names and charstrings are in the order of the program; glyph 0 is .notdef.
	charstrings [][]byte
	byName      map[string]int
	subroutines map[int][]byte
	encoding    map[int]string
	fsType      int
}

// typeOne selects the glyphs of a Type 1 program.
func (f *Font) typeOne(data []byte, names simpleNames) error {
	t, err := readTypeOne(data)
	if err != nil {
		return err
	}
	f.program, f.restricted = t, forbidsEmbedding(t.fsType)
	f.find = func(code int) int {
		name := names.of(code)
		if name == "" && t.encoding != nil {
			name = t.encoding[code]
		} else if name == "" {
			name = names.orStandard(code)
		}
		return t.byName[name]
	}
	return nil
}

// readTypeOne reads a program with or without the headers of a PFB file.
func readTypeOne(data []byte) (*typeOneFont, error) {
	data = withoutHeaders(data)
	at := bytes.Index(data, []byte("eexec"))
	if at < 0 {
		return nil, ErrProgram
	}
	header, coded := data[:at], bytes.TrimLeft(data[at+5:], " \t\r\n")
	if len(coded) < 8 {
		return nil, ErrProgram
	}
	binary := slices.ContainsFunc(coded[:4], func(c byte) bool {
		return (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') && c > ' '
	})
	if !binary {
		plain := make([]byte, 0, len(coded)/2)
		var digits []byte
		for _, b := range coded {
			if b > ' ' {
				digits = append(digits, b)
			}
		}
		for i := 0; i+1 < len(digits); i += 2 {
			v, err := hex.DecodeString(string(digits[i : i+2]))
			if err != nil {
				break
			}
			plain = append(plain, v...)
		}
		coded = plain
	}
	private := decrypt(coded, 55665, 4)
	t := &typeOneFont{
		matrix: geom.Matrix{0.001, 0, 0, 0.001, 0, 0}, byName: map[string]int{}, subroutines: map[int][]byte{},
		charstrings: [][]byte{nil},
	}
	t.header(header)
	t.private(private)
	if len(t.byName) == 0 {
		return nil, ErrProgram
	}
	return t, nil
}

// withoutHeaders removes the segment headers of a PFB file.
func withoutHeaders(data []byte) []byte {
	if len(data) < 6 || data[0] != 0x80 {
		return data
	}
	var out []byte
	for len(data) >= 6 && data[0] == 0x80 && data[1] != 3 {
		size := int(data[2]) | int(data[3])<<8 | int(data[4])<<16 | int(data[5])<<24
		data = data[6:]
		if size < 0 || size > len(data) {
			size = len(data)
		}
		out = append(out, data[:size]...)
		data = data[size:]
	}
	return out
}

// decrypt undoes the encryption of chapter 7, and drops the first bytes.
func decrypt(data []byte, key uint16, drop int) []byte {
	out := make([]byte, len(data))
	for i, c := range data {
		out[i] = c ^ byte(key>>8)
		key = (uint16(c)+key)*52845 + 22719
	}
	return out[min(max(drop, 0), len(out)):]
}

// header reads the matrix and the encoding.
func (t *typeOneFont) header(text []byte) {
	if at := bytes.Index(text, []byte("/FontMatrix")); at >= 0 {
		if from := bytes.IndexByte(text[at:], '['); from >= 0 {
			if until := bytes.IndexByte(text[at+from:], ']'); until >= 0 {
				var m []float64
				for _, word := range bytes.Fields(text[at+from+1 : at+from+until]) {
					if v, err := strconv.ParseFloat(string(word), 64); err == nil && !math.IsInf(v, 0) && !math.IsNaN(v) {
						m = append(m, v)
					}
				}
				if len(m) == 6 && m[0] != 0 && m[3] != 0 {
					t.matrix = geom.Matrix(m)
				}
			}
		}
	}
	if at := bytes.Index(text, []byte("/FSType")); at >= 0 {
		if words := bytes.Fields(text[at+len("/FSType") : min(at+24, len(text))]); len(words) > 0 {
			t.fsType, _ = strconv.Atoi(string(words[0])) // 0 for anything else
		}
	}
	at := bytes.Index(text, []byte("/Encoding"))
	if at < 0 || bytes.HasPrefix(bytes.TrimSpace(text[at+9:]), []byte("StandardEncoding")) {
		return
	}
	t.encoding = map[int]string{}
	words := bytes.Fields(bytes.ReplaceAll(text[at+9:], []byte("/"), []byte(" /")))
	for i := 0; i+3 < len(words); i++ {
		if string(words[i]) == "def" || string(words[i]) == "readonly" {
			break
		}
		if string(words[i]) == "dup" && words[i+2][0] == '/' {
			if code, err := strconv.Atoi(string(words[i+1])); err == nil {
				t.encoding[code] = string(words[i+2][1:])
			}
		}
	}
}

// private reads the subroutines and the charstrings. Both hold strings as: a number of
// bytes, RD or a like word, a blank, and the bytes.
func (t *typeOneFont) private(data []byte) {
	skip := 4
	if at := bytes.Index(data, []byte("/lenIV")); at >= 0 {
		if words := bytes.Fields(data[at+6 : min(at+20, len(data))]); len(words) > 0 {
			if v, err := strconv.Atoi(string(words[0])); err == nil {
				skip = v
			}
		}
	}
	decode := func(b []byte) []byte {
		if skip < 0 {
			return b
		}
		return decrypt(b, 4330, skip)
	}
	glyphs := bytes.Index(data, []byte("/CharStrings"))
	subroutines := bytes.Index(data, []byte("/Subrs"))
	var last [3]string
	for at := max(min(subroutines, glyphs), 0); at < len(data); {
		from := at
		for at < len(data) && data[at] > ' ' && (at == from || data[at] != '/') {
			at++
		}
		word := string(data[from:at])
		if word == "" {
			at++
			continue
		}
		size, err := strconv.Atoi(last[2])
		if (word == "RD" || word == "-|") && err == nil && size >= 0 && size <= maxCharstring && at+1+size <= len(data) {
			body := decode(data[at+1 : at+1+size])
			at += 1 + size
			switch name := last[1]; {
			case name != "" && name[0] == '/':
				id := len(t.charstrings)
				if name == "/.notdef" {
					id = 0
					t.charstrings[0] = body
				} else {
					t.charstrings = append(t.charstrings, body)
				}
				t.byName[name[1:]] = id
			case last[0] == "dup":
				// Fonts for printers of high resolution have a second, simpler list for others.
				if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < maxSubroutines && t.subroutines[i] == nil {
					t.subroutines[i] = body
				}
			}
		}
		last[0], last[1], last[2] = last[1], last[2], word
		if len(t.charstrings) > maxSubroutines {
			return
		}
	}
}

// glyph implements program.
func (t *typeOneFont) glyph(id int) (*geom.Path, bool) {
	if id < 0 || id >= len(t.charstrings) {
		return nil, false
	}
	path := &geom.Path{}
	r := typeOneRun{font: t, path: path, m: t.matrix}
	r.run(t.charstrings[id], 0)
	path.Close()
	return path, true
}

// advance implements program.
func (t *typeOneFont) advance(id int) (float64, bool) {
	if id < 0 || id >= len(t.charstrings) {
		return 0, false
	}
	r := typeOneRun{font: t, path: &geom.Path{}, m: t.matrix}
	r.run(t.charstrings[id], 0)
	return r.width * t.matrix[0], r.stated
}

// typeOneRun is the execution of a charstring (chapter 6).
type typeOneRun struct {
	font  *typeOneFont
	path  *geom.Path
	m     geom.Matrix
	stack []float64
	// results holds what othersubrs have left for pop.
	results []float64
	x, y    float64
	// side is the left side bearing.
	side  float64
	flex  bool
	bends []geom.Point
	steps int
	done  bool
	// accented is set inside seac.
	accented bool
	// width is that of the glyph, and stated whether the charstring has one.
	width  float64
	stated bool
}

func (r *typeOneRun) move(dx, dy float64) {
	r.x, r.y = r.x+dx, r.y+dy
	if r.flex {
		r.bends = append(r.bends, geom.Point{X: r.x, Y: r.y})
		return
	}
	r.path.Close()
	r.path.Move(r.m.Point(r.x, r.y))
}

func (r *typeOneRun) line(dx, dy float64) {
	r.x, r.y = r.x+dx, r.y+dy
	r.path.Line(r.m.Point(r.x, r.y))
}

func (r *typeOneRun) curve(a, b, c, d, e, f float64) {
	x1, y1 := r.x+a, r.y+b
	x2, y2 := x1+c, y1+d
	r.x, r.y = x2+e, y2+f
	r.absolute(geom.Point{X: x1, Y: y1}, geom.Point{X: x2, Y: y2}, geom.Point{X: r.x, Y: r.y})
}

func (r *typeOneRun) absolute(a, b, c geom.Point) {
	x1, y1 := r.m.Point(a.X, a.Y)
	x2, y2 := r.m.Point(b.X, b.Y)
	x3, y3 := r.m.Point(c.X, c.Y)
	r.path.Curve(x1, y1, x2, y2, x3, y3)
}

func (r *typeOneRun) pop() float64 {
	n := len(r.stack)
	if n == 0 {
		return 0
	}
	v := r.stack[n-1]
	r.stack = r.stack[:n-1]
	return v
}

func (r *typeOneRun) run(code []byte, depth int) {
	if depth > maxCalls {
		return
	}
	arg := func(i int) float64 {
		if i < len(r.stack) {
			return r.stack[i]
		}
		return 0
	}
	for len(code) > 0 && !r.done {
		if r.steps++; r.steps > maxSteps {
			r.done = true
			return
		}
		b := code[0]
		code = code[1:]
		if b >= 32 {
			var v int
			switch {
			case b <= 246:
				v = int(b) - 139
			case b <= 250 && len(code) > 0:
				v, code = (int(b)-247)*256+int(code[0])+108, code[1:]
			case b <= 254 && len(code) > 0:
				v, code = -(int(b)-251)*256-int(code[0])-108, code[1:]
			case b == 255 && len(code) >= 4:
				v = int(int32(uint32(code[0])<<24 | uint32(code[1])<<16 | uint32(code[2])<<8 | uint32(code[3]))) // #nosec G115 -- a signed number
				code = code[4:]
			default:
				return
			}
			if len(r.stack) < 64 {
				r.stack = append(r.stack, float64(v))
			}
			continue
		}
		keep := false
		switch b {
		case 4:
			r.move(0, arg(0))
		case 5:
			r.line(arg(0), arg(1))
		case 6:
			r.line(arg(0), 0)
		case 7:
			r.line(0, arg(0))
		case 8:
			r.curve(arg(0), arg(1), arg(2), arg(3), arg(4), arg(5))
		case 9:
			r.path.Close()
		case 10:
			keep = true
			r.run(r.font.subroutines[int(r.pop())], depth+1)
		case 11:
			return
		case 13:
			r.width, r.stated = arg(1), true
			r.bearing(arg(0), 0)
		case 14:
			r.done = true
		case 21:
			r.move(arg(0), arg(1))
		case 22:
			r.move(arg(0), 0)
		case 30:
			r.curve(0, arg(0), arg(1), arg(2), arg(3), 0)
		case 31:
			r.curve(arg(0), 0, arg(1), arg(2), 0, arg(3))
		case 12:
			if len(code) == 0 {
				return
			}
			b, code = code[0], code[1:]
			keep = r.escaped(b, arg, depth)
		}
		if !keep {
			r.stack = r.stack[:0]
		}
	}
}

// bearing sets the start of a glyph; that of a part of an accented one is given.
func (r *typeOneRun) bearing(x, y float64) {
	if r.accented {
		r.x, r.y = r.x+x, r.y+y
		return
	}
	r.side = x
	r.x, r.y = x, y
}

// escaped executes an operator of two bytes, and reports whether the stack remains.
func (r *typeOneRun) escaped(b byte, arg func(int) float64, depth int) bool {
	switch b {
	case 6:
		r.seac(arg(0), arg(1), arg(2), int(arg(3)), int(arg(4)), depth)
	case 7:
		r.width, r.stated = arg(2), true
		r.bearing(arg(0), arg(1))
	case 12:
		d, n := r.pop(), r.pop()
		if d != 0 {
			n /= d
		}
		r.stack = append(r.stack, n)
		return true
	case 16:
		r.othersubr()
		return true
	case 17:
		v := 0.0
		if n := len(r.results); n > 0 {
			v = r.results[n-1]
			r.results = r.results[:n-1]
		}
		r.stack = append(r.stack, v)
		return true
	case 33:
		r.x, r.y = arg(0), arg(1)
	}
	return false
}

// othersubr executes the flex procedures and hint replacement (chapter 8).
func (r *typeOneRun) othersubr() {
	which, n := int(r.pop()), int(r.pop())
	var args []float64
	for range min(max(n, 0), len(r.stack)) {
		args = append(args, r.pop())
	}
	r.results = r.results[:0]
	switch which {
	case 0:
		r.flex = false
		if b := r.bends; len(b) >= 7 {
			r.absolute(b[1], b[2], b[3])
			r.absolute(b[4], b[5], b[6])
			r.x, r.y = b[6].X, b[6].Y
		}
		r.bends = r.bends[:0]
		r.results = append(r.results, r.y, r.x)
	case 1:
		r.flex = true
		r.bends = r.bends[:0]
	case 2:
	case 3:
		r.results = append(r.results, 3)
	default:
		r.results = append(r.results, args...)
	}
}

// seac draws a base and an accent of the standard encoding.
func (r *typeOneRun) seac(bearing, dx, dy float64, base, accent, depth int) {
	r.done = true
	part := func(code int, x, y float64) {
		id, ok := r.font.byName[standard()[code&0xff]]
		if !ok || depth > 2 {
			return
		}
		p := typeOneRun{font: r.font, path: r.path, m: r.m, steps: r.steps, accented: true, x: x, y: y}
		p.run(r.font.charstrings[id], depth+1)
		r.path.Close()
	}
	part(base, 0, 0)
	part(accent, r.side+dx-bearing, dy)
}
