// SPDX-License-Identifier: Apache-2.0

package outline

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gobolditalic"
	"golang.org/x/image/font/gofont/goitalic"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/gomonobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/text/encoding/charmap"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
)

// The bounds of a TrueType program.
const (
	maxTables    = 128
	maxComposite = 8
	maxPoints    = 20_000
)

// trueType is a TrueType program (ISO/IEC 14496-22). Tables that PDF subsets lack are not
// needed.
type trueType struct {
	tables map[string][]byte
	units  float64
	loca   func(i int) int
	glyphs int
	cmaps  []cmap
	hmtx   []byte
	long   int
	post   map[string]int
}

func isSFNT(data []byte) bool {
	if len(data) < 12 {
		return false
	}
	switch string(data[:4]) {
	case "\x00\x01\x00\x00", "true", "OTTO", "ttcf":
		return true
	}
	return false
}

// readSFNT reads the directory and the tables of all glyphs.
func readSFNT(data []byte) (*trueType, error) {
	start := 0
	if string(data[:4]) == "ttcf" && len(data) >= 16 {
		start = int(binary.BigEndian.Uint32(data[12:]))
	}
	if start+12 > len(data) {
		return nil, ErrProgram
	}
	s := &trueType{tables: map[string][]byte{}, units: 1000}
	count := int(binary.BigEndian.Uint16(data[start+4:]))
	for i := range min(count, maxTables) {
		entry := start + 12 + 16*i
		if entry+16 > len(data) {
			break
		}
		offset, size := int64(binary.BigEndian.Uint32(data[entry+8:])), int64(binary.BigEndian.Uint32(data[entry+12:]))
		if offset >= int64(len(data)) {
			continue
		}
		s.tables[string(data[entry:entry+4])] = data[offset:min(offset+size, int64(len(data)))]
	}
	head := s.tables["head"]
	if len(head) >= 54 {
		if u := binary.BigEndian.Uint16(head[18:]); u > 0 {
			s.units = float64(u)
		}
	}
	if hhea := s.tables["hhea"]; len(hhea) >= 36 {
		s.long = int(binary.BigEndian.Uint16(hhea[34:]))
	}
	s.hmtx = s.tables["hmtx"]
	s.cmaps = readCmaps(s.tables["cmap"])
	if s.tables["CFF "] != nil {
		return s, nil
	}
	loca := s.tables["loca"]
	if len(head) < 54 || loca == nil || s.tables["glyf"] == nil {
		return nil, fmt.Errorf("%w: TrueType without head, loca or glyf", ErrProgram)
	}
	if binary.BigEndian.Uint16(head[50:]) != 0 { // 1, which some programs write in the other byte order
		s.glyphs = len(loca)/4 - 1
		s.loca = func(i int) int { return int(binary.BigEndian.Uint32(loca[4*i:])) }
	} else {
		s.glyphs = len(loca)/2 - 1
		s.loca = func(i int) int { return 2 * int(binary.BigEndian.Uint16(loca[2*i:])) }
	}
	if s.glyphs < 1 || len(s.tables["glyf"]) > 16 && len(bytes.Trim(loca, "\x00")) == 0 {
		return nil, fmt.Errorf("%w: loca without glyphs", ErrProgram)
	}
	return s, nil
}

// advance implements program.
func (s *trueType) advance(id int) (float64, bool) {
	if s.long == 0 || id < 0 {
		return 0, false
	}
	at := 4 * min(id, s.long-1)
	if at+2 > len(s.hmtx) {
		return 0, false
	}
	return float64(binary.BigEndian.Uint16(s.hmtx[at:])) / s.units, true
}

// glyph implements program.
func (s *trueType) glyph(id int) (*geom.Path, bool) {
	if id < 0 || id >= s.glyphs {
		return nil, false
	}
	path := &geom.Path{}
	points := 0
	scale := 1 / s.units
	ok := s.append(path, id, geom.Matrix{scale, 0, 0, scale, 0, 0}, 0, &points)
	return path, ok || !path.Empty()
}

// append adds the contours of a glyph, or of the parts of a composite one. It returns false if the
// data of the glyph is missing or damaged.
func (s *trueType) append(path *geom.Path, id int, m geom.Matrix, depth int, points *int) bool {
	if id < 0 || id >= s.glyphs || depth > maxComposite {
		return false
	}
	glyf := s.tables["glyf"]
	from, until := s.loca(id), s.loca(id+1)
	if from < 0 || until > len(glyf) || from+10 > until {
		// Some programs list glyphs in another order than their data. Their ends are unknown then.
		if from < 0 || from+10 > len(glyf) || until == from {
			return until == from
		}
		until = len(glyf)
	}
	data := glyf[from:until]
	contours := int(int16(binary.BigEndian.Uint16(data))) // #nosec G115 -- a signed number
	data = data[10:]
	switch {
	case contours < 0:
		return s.composite(path, data, m, depth, points)
	case contours == 0: // a space, unless zeros replace its data
		return len(data) <= 2 || len(bytes.Trim(glyf[from:until], "\x00")) > 0
	case len(data) < 2*contours+2:
		return false
	}
	ends := make([]int, contours)
	for i := range ends {
		ends[i] = int(binary.BigEndian.Uint16(data[2*i:]))
		if i > 0 && ends[i] < ends[i-1] {
			return false
		}
	}
	n := ends[contours-1] + 1
	if *points += n; *points > maxPoints {
		return false
	}
	skip := 2*contours + 2 + int(binary.BigEndian.Uint16(data[2*contours:]))
	if skip > len(data) {
		return false
	}
	outline, ok := readPoints(data[skip:], n)
	if !ok {
		return false
	}
	first := 0
	for _, end := range ends {
		contour(path, outline[first:end+1], m)
		first = end + 1
	}
	return true
}

// dot is a point of a contour.
type dot struct {
	x, y float64
	on   bool
}

// readPoints reads the flags and the coordinates of n points.
func readPoints(data []byte, n int) ([]dot, bool) {
	flags := make([]byte, 0, n)
	for len(flags) < n {
		if len(data) == 0 {
			return nil, false
		}
		flag, repeat := data[0], 1
		data = data[1:]
		if flag&8 != 0 {
			if len(data) == 0 {
				return nil, false
			}
			repeat += int(data[0])
			data = data[1:]
		}
		for ; repeat > 0 && len(flags) < n; repeat-- {
			flags = append(flags, flag)
		}
	}
	out := make([]dot, n)
	read := func(short, same byte, set func(i int, v float64)) bool {
		v := 0
		for i, flag := range flags {
			switch {
			case flag&short != 0:
				if len(data) < 1 {
					return false
				}
				d := int(data[0])
				if flag&same == 0 {
					d = -d
				}
				v += d
				data = data[1:]
			case flag&same == 0:
				if len(data) < 2 {
					return false
				}
				v += int(int16(binary.BigEndian.Uint16(data))) // #nosec G115 -- a signed number
				data = data[2:]
			}
			set(i, float64(v))
		}
		return true
	}
	ok := read(2, 16, func(i int, v float64) { out[i].x, out[i].on = v, flags[i]&1 != 0 }) &&
		read(4, 32, func(i int, v float64) { out[i].y = v })
	return out, ok
}

// contour adds a contour: between two points off the curve there is one on it.
func contour(path *geom.Path, dots []dot, m geom.Matrix) {
	n := len(dots)
	if n < 2 {
		return
	}
	middle := func(a, b dot) dot { return dot{(a.x + b.x) / 2, (a.y + b.y) / 2, true} }
	start, first := dots[0], 1
	if !start.on {
		if dots[n-1].on {
			start, first, n = dots[n-1], 0, n-1
		} else {
			start, first = middle(start, dots[n-1]), 0
		}
	}
	path.Move(m.Point(start.x, start.y))
	var control *dot
	quad := func(c, to dot) {
		cx, cy := m.Point(c.x, c.y)
		x, y := m.Point(to.x, to.y)
		path.Quad(cx, cy, x, y)
	}
	for i := first; i < n; i++ {
		d := dots[i]
		switch {
		case d.on && control == nil:
			path.Line(m.Point(d.x, d.y))
		case d.on:
			quad(*control, d)
			control = nil
		default:
			if control != nil {
				quad(*control, middle(*control, d))
			}
			control = &dots[i]
		}
	}
	if control != nil {
		quad(*control, start)
	}
	path.Close()
}

// composite adds the parts of a composite glyph. It returns false if one of them is missing or damaged.
func (s *trueType) composite(path *geom.Path, data []byte, m geom.Matrix, depth int, points *int) bool {
	const (
		words, offsets, scaled, more, two, four = 1, 2, 8, 32, 64, 128
	)
	whole := true
	for range 64 {
		if len(data) < 6 {
			return false
		}
		flags, id := int(binary.BigEndian.Uint16(data)), int(binary.BigEndian.Uint16(data[2:]))
		data = data[4:]
		number := func() float64 { // 2.14
			v := float64(int16(binary.BigEndian.Uint16(data))) / (1 << 14) // #nosec G115 -- a signed number
			data = data[2:]
			return v
		}
		part := geom.Identity()
		size := 2
		if flags&words != 0 {
			size = 4
		}
		switch {
		case flags&scaled != 0:
			size += 2
		case flags&two != 0:
			size += 4
		case flags&four != 0:
			size += 8
		}
		if len(data) < size {
			return false
		}
		var dx, dy float64
		if flags&words != 0 {
			dx, dy = float64(int16(binary.BigEndian.Uint16(data))), float64(int16(binary.BigEndian.Uint16(data[2:]))) // #nosec G115 -- signed numbers
			data = data[4:]
		} else {
			dx, dy = float64(int8(data[0])), float64(int8(data[1])) // #nosec G115 -- signed numbers
			data = data[2:]
		}
		switch {
		case flags&scaled != 0:
			part[0] = number()
			part[3] = part[0]
		case flags&two != 0:
			part[0], part[3] = number(), number()
		case flags&four != 0:
			part[0], part[1], part[2], part[3] = number(), number(), number(), number()
		}
		if flags&offsets != 0 {
			part[4], part[5] = dx, dy
		}
		whole = s.append(path, id, part.Then(m), depth+1, points) && whole
		if flags&more == 0 {
			break
		}
	}
	return whole
}

// cmap is a table from character codes to glyphs.
type cmap struct {
	platform, encoding int
	data               []byte
}

func readCmaps(data []byte) []cmap {
	if len(data) < 4 {
		return nil
	}
	var out []cmap
	for i := range min(int(binary.BigEndian.Uint16(data[2:])), 32) {
		at := 4 + 8*i
		if at+8 > len(data) {
			break
		}
		offset := int64(binary.BigEndian.Uint32(data[at+4:]))
		if offset+6 > int64(len(data)) {
			continue
		}
		out = append(out, cmap{int(binary.BigEndian.Uint16(data[at:])), int(binary.BigEndian.Uint16(data[at+2:])), data[offset:]})
	}
	return out
}

func (s *trueType) cmap(platform, encoding int) *cmap {
	for i := range s.cmaps {
		if s.cmaps[i].platform == platform && s.cmaps[i].encoding == encoding {
			return &s.cmaps[i]
		}
	}
	return nil
}

// glyph returns the glyph of a code, or 0. A nil table has no glyphs.
func (c *cmap) glyph(code int) int {
	if c == nil || code < 0 {
		return 0
	}
	d := c.data
	u16 := func(at int) int {
		if at < 0 || at+2 > len(d) {
			return 0
		}
		return int(binary.BigEndian.Uint16(d[at:]))
	}
	u32 := func(at int) int {
		if at < 0 || at+4 > len(d) {
			return 0
		}
		return int(binary.BigEndian.Uint32(d[at:]))
	}
	switch u16(0) {
	case 0:
		if code < 256 && 6+code < len(d) {
			return int(d[6+code])
		}
	case 4:
		n := u16(6)
		for i := 0; i < n; i += 2 {
			if code > u16(14+i) {
				continue
			}
			start := u16(16 + n + i)
			if code < start {
				return 0
			}
			delta, at := u16(16+2*n+i), 16+3*n+i
			if u16(at) == 0 {
				return (code + delta) & 0xffff
			}
			if id := u16(at + u16(at) + 2*(code-start)); id != 0 {
				return (id + delta) & 0xffff
			}
			return 0
		}
	case 6:
		if first := u16(6); code >= first && code < first+u16(8) {
			return u16(10 + 2*(code-first))
		}
	case 12:
		for i := range min(u32(12), 1<<16) {
			at := 16 + 12*i
			if first := u32(at); code >= first && code <= u32(at+4) {
				return u32(at+8) + code - first
			}
		}
	}
	return 0
}

// named returns the glyph of a name in the post table, or 0.
func (s *trueType) named(name string) int {
	if s.post == nil {
		s.post = map[string]int{}
		for id, name := range slices.Backward(postNames(s.tables["post"])) {
			s.post[name] = id
		}
	}
	return s.post[name]
}

// postNames returns the names of glyphs in a post table of format 1 or 2; others have none.
func postNames(data []byte) []string {
	if len(data) < 34 {
		return nil
	}
	usual := macintoshGlyphs()
	switch binary.BigEndian.Uint32(data) {
	case 0x00010000:
		return usual
	case 0x00020000:
	default:
		return nil
	}
	count := int(binary.BigEndian.Uint16(data[32:]))
	if 34+2*count > len(data) {
		return nil
	}
	own := slices.Clone(usual)
	for rest := data[34+2*count:]; len(rest) > 0 && int(rest[0]) < len(rest); rest = rest[1+int(rest[0]):] {
		own = append(own, string(rest[1:1+int(rest[0])]))
	}
	names := make([]string, count)
	for id := range names {
		if k := int(binary.BigEndian.Uint16(data[34+2*id:])); k < len(own) {
			names[id] = own[k]
		}
	}
	return names
}

// openType selects the glyphs of a TrueType or OpenType program.
func (f *Font) openType(file *document.File, described types.Dict, data []byte, names simpleNames, composite, symbolic bool) error {
	s, err := readSFNT(data)
	if err != nil {
		return err
	}
	if os2 := s.tables["OS/2"]; len(os2) >= 10 {
		f.restricted = forbidsEmbedding(int(binary.BigEndian.Uint16(os2[8:])))
	}
	if cff := s.tables["CFF "]; cff != nil {
		return f.compact(file, described, cff, s, names, composite)
	}
	f.program = s
	for _, table := range [...]string{"hhea", "hmtx", "maxp"} { // those that printers need beside the ones that are read (9.9.1)
		if s.tables[table] == nil {
			f.fault = fmt.Errorf("%w: TrueType without %s", ErrProgram, table)
		}
	}
	if composite {
		f.find = glyphsOfCIDs(file, described)
		return nil
	}
	f.find = func(code int) int { return s.simple(code, names, symbolic) }
	return nil
}

// simple returns the glyph of a code of a simple TrueType font (9.6.5.4).
func (s *trueType) simple(code int, names simpleNames, symbolic bool) int {
	direct := func() int {
		for _, offset := range [...]int{0, 0xf000, 0xf100, 0xf200} {
			if id := s.cmap(3, 0).glyph(code + offset); id != 0 {
				return id
			}
		}
		if id := s.cmap(1, 0).glyph(code); id != 0 {
			return id
		}
		return s.cmap(0, 0).glyph(code)
	}
	name := names.of(code)
	byName := func() int {
		if name == "" || name == ".notdef" {
			return 0
		}
		r := runeOf(name)
		for _, table := range []*cmap{s.cmap(3, 1), s.cmap(3, 10), s.cmap(0, 3), s.cmap(0, 4), s.cmap(0, 1)} {
			if id := table.glyph(int(r)); id != 0 && r != 0 {
				return id
			}
		}
		if b, ok := charmap.Macintosh.EncodeRune(r); ok && r != 0 {
			if id := s.cmap(1, 0).glyph(int(b)); id != 0 {
				return id
			}
		}
		return s.named(name)
	}
	first, second := byName, direct
	if symbolic && (s.cmap(3, 0) != nil || !names.given) {
		first, second = direct, byName
	}
	if id := first(); id != 0 {
		return id
	}
	if id := second(); id != 0 {
		return id
	}
	if len(s.cmaps) == 0 {
		return code // some producers number the glyphs by code
	}
	return s.cmap(3, 1).glyph(code)
}

// substitutes parses the substitutes once.
var substitutes = sync.OnceValue(func() map[string]*trueType {
	out := map[string]*trueType{}
	for name, data := range map[string][]byte{
		"regular": goregular.TTF, "bold": gobold.TTF, "italic": goitalic.TTF, "bold italic": gobolditalic.TTF,
		"mono": gomono.TTF, "mono bold": gomonobold.TTF,
	} {
		if s, err := readSFNT(data); err == nil {
			out[name] = s
		}
	}
	return out
})

// standIn is a character of about the usual weight, which stands for those that are unknown or that substitutes lack.
const standIn = 'o'

// substitute selects the font that stands for another one, and gives its glyphs the widths of the codes.
func (f *Font) substitute(file *document.File, dict, descriptor types.Dict, width func(code int) float64) {
	f.width = width
	character := f.names.character
	if f.cmap != nil {
		character = compositeCharacters(file, dict)
	}
	lower, flags := strings.ToLower(file.Name(dict["BaseFont"])), file.Int(descriptor["Flags"])
	has := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(lower, part) })
	}
	bold := has("bold", "black", "heavy") || flags&(1<<18) != 0
	italic, mono := has("italic", "oblique") || flags&(1<<6) != 0, has("courier", "mono") || flags&1 != 0
	face := "regular"
	switch {
	case mono && bold:
		face = "mono bold"
	case mono:
		face = "mono"
	case bold && italic:
		face = "bold italic"
	case bold:
		face = "bold"
	case italic:
		face = "italic"
	}
	s := substitutes()[face]
	f.program = s
	f.find = func(code int) int {
		table := s.cmap(3, 1)
		r := character(code)
		if r == ' ' || r == 0xa0 || r == 0x3000 {
			return 0
		}
		if id := table.glyph(int(r)); id != 0 {
			return id
		}
		return table.glyph(standIn)
	}
}
