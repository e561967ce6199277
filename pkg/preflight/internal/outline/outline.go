// SPDX-License-Identifier: Apache-2.0

// Package outline reads the font programs of a PDF and returns the outlines of glyphs
// (ISO 32000-2, 9.6 to 9.9): TrueType, CFF, OpenType and Type 1. Fonts that the file
// does not embed get the outlines of a substitute with the widths of the PDF.
package outline

import (
	"errors"
	"fmt"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
)

// The bounds of a font program and of what is kept of it.
const (
	maxProgram  = 16 << 20
	maxSegments = 20_000
	maxKept     = 8_192
)

// State is the origin of an outline.
type State int

// The states.
const (
	// Drawn is a glyph of the font program.
	Drawn State = iota
	// Blank is a glyph of the font program without an outline.
	Blank
	// NotDefined is .notdef: the encoding has no glyph for the code, or the program
	// lacks it.
	NotDefined
	// Substitute is a glyph of another font: the file does not embed the program, or the program is of
	// a kind that is not read.
	Substitute
	// Unknown means that the program cannot be read.
	Unknown
)

// ErrProgram means that a font program is damaged.
var ErrProgram = errors.New("font program cannot be read")

// ErrUnsupported means that a font program may be sound, but is of a kind that is not read.
var ErrUnsupported = errors.New("font program is of a kind that is not read")

// program is a font program.
type program interface {
	// glyph returns the outline of a glyph, in units of the font size. It returns false
	// for a glyph that the program lacks.
	glyph(id int) (*geom.Path, bool)
	// advance returns the width of a glyph in units of the font size. It returns false where
	// the program has none.
	advance(id int) (float64, bool)
}

// Font provides the outlines of a font resource. It is not safe for concurrent use.
type Font struct {
	program program
	// find returns the glyph of a code, 0 for .notdef.
	find func(code int) int
	// width returns the width of a code for a substitute, nil for an embedded font.
	width func(code int) float64
	// cmap is that of a composite font, and vertical its W2 and DW2.
	cmap     *CMap
	vertical *vertical
	kept     map[int]*Glyph
	fault    error
	// names is the encoding of a simple font, and restricted the licence of the program.
	names      simpleNames
	restricted bool
}

// Glyph is the glyph of a code.
type Glyph struct {
	// Path is the outline in units of the font size, nil for a glyph without one. It must not
	// be changed.
	Path  *geom.Path
	State State
	// Advance is the width that the font program states, in units of the font size; Stated is
	// false for a substitute, and where the program states none.
	Advance float64
	Stated  bool
	// Examined is for the caller, false at first.
	Examined bool
}

// Load reads the font program of a font resource other than Type 3. It never returns
// nil. cmap is that of a composite font, nil for a simple one. width returns the width of a
// code in units of the font size; it is used for substitutes.
func Load(file *document.File, dict types.Dict, cmap *CMap, width func(code int) float64) *Font {
	f := &Font{kept: map[int]*Glyph{}, cmap: cmap}
	composite := cmap != nil
	described := dict
	if composite {
		if descendants := file.Array(dict["DescendantFonts"]); len(descendants) > 0 {
			described = file.Dict(descendants[0])
		}
		f.vertical = readVertical(file, described)
	}
	descriptor := file.Dict(described["FontDescriptor"])
	names := simpleNames{}
	if !composite {
		names = readNames(file, dict)
	}
	f.names = names
	symbolic := file.Int(descriptor["Flags"])&4 != 0
	data := programData(file, descriptor)
	if data == nil {
		f.substitute(file, dict, descriptor, width)
		return f
	}
	err := guarded(func() error {
		switch {
		case isSFNT(data):
			return f.openType(file, described, data, names, composite, symbolic)
		case len(data) > 4 && data[0] == 1 && data[1] == 0:
			return f.compact(file, described, data, nil, names, composite)
		case !composite:
			return f.typeOne(data, names)
		}
		return ErrUnsupported
	})
	if err == nil && composite && cmap.predefined {
		err = fmt.Errorf("%w: predefined CMap", ErrUnsupported)
	}
	if err != nil {
		f.fault, f.program = err, nil
		if errors.Is(err, ErrUnsupported) {
			f.substitute(file, dict, descriptor, width)
		}
		return f
	}
	if composite {
		byCID := f.find
		f.find = func(code int) int { return byCID(cmap.CID(code)) }
	}
	return f
}

// programData returns the decoded font program, or nil.
func programData(file *document.File, descriptor types.Dict) []byte {
	for _, key := range [...]string{"FontFile", "FontFile2", "FontFile3"} {
		if _, ok := file.Stream(descriptor[key]); ok {
			data := file.Quietly(descriptor[key])
			if len(data) == 0 || len(data) > maxProgram {
				return []byte{}
			}
			return data
		}
	}
	return nil
}

// guarded calls a reader of a font program and returns a panic as an error.
func guarded(call func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("%w: the reader panicked", ErrProgram)
		}
	}()
	return call()
}

// Fault returns the reason why the font program cannot be read, or is incomplete although its glyphs
// can be read, or nil.
func (f *Font) Fault() error { return f.fault }

// Restricted reports whether the font program forbids embedding without a permission of its
// owner, by fsType (OpenType, table OS/2) or /FSType of a Type 1 program.
func (f *Font) Restricted() bool { return f.restricted }

// forbidsEmbedding reports whether an fsType forbids embedding: bit 1 alone of the usage permissions,
// or bit 9, which allows bitmaps only.
func forbidsEmbedding(fsType int) bool { return fsType&0xf == 2 || fsType&0x200 != 0 }

// Glyph returns the glyph of a code. It is the same for the next call, unless the font has very
// many glyphs.
func (f *Font) Glyph(code int) *Glyph {
	if known, ok := f.kept[code]; ok {
		return known
	}
	if len(f.kept) >= maxKept {
		clear(f.kept)
	}
	g := &Glyph{State: Unknown}
	if f.program != nil {
		if err := guarded(func() error { *g = f.read(code); return nil }); err != nil {
			*g = Glyph{State: Unknown}
		}
	}
	f.kept[code] = g
	return g
}

func (f *Font) read(code int) Glyph {
	id := f.find(code)
	path, ok := f.program.glyph(id)
	g := Glyph{Path: path, State: Drawn}
	switch {
	case !ok || path != nil && path.Len() > maxSegments:
		return Glyph{State: NotDefined}
	case f.width != nil:
		if g.State = Substitute; id == 0 {
			g.Path = nil
			return g
		}
		if natural, ok := f.program.advance(id); ok && path != nil && natural > 0 && f.width(code) > 0 {
			g.Path = &geom.Path{}
			g.Path.Append(path, geom.Matrix{f.width(code) / natural, 0, 0, 1, 0, 0})
		}
		return g
	case id == 0:
		g.State = NotDefined
	case path == nil || path.Empty():
		g.State = Blank
	}
	g.Advance, g.Stated = f.program.advance(id)
	return g
}

// Blank reports whether a code of a simple font stands for a space or a control character, which
// needs no glyph.
func (f *Font) Blank(code int) bool {
	return f.cmap == nil && BlankCode(f.names.of(code), code)
}

// BlankCode reports whether the code of a glyph with a name, or without one, stands for a space or a
// control character.
func BlankCode(name string, code int) bool {
	switch name {
	case "space", "nbspace", "nonbreakingspace", "sfthyphen", ".notdef":
		return true
	case "":
		return code <= ' ' || code == 0x7f || code == 0xa0 || code == 0xad
	}
	return false
}

// Origin returns the position of the vertical origin of a glyph, in units of the font
// size (9.7.4.3).
func (f *Font) Origin(code int) (x, y float64) {
	if f.vertical == nil {
		return 0, 0
	}
	return f.vertical.at(f.cmap.CID(code))
}

// vertical holds the default position of vertical origins; W2 is rare and its
// positions are read as ranges.
type vertical struct {
	y      float64
	ranges []verticalRange
}

type verticalRange struct {
	first, last int
	x, y        float64
}

func readVertical(file *document.File, dict types.Dict) *vertical {
	v := &vertical{y: 0.88}
	if d, ok := file.Numbers(dict["DW2"], 2); ok {
		v.y = d[0] / 1000
	}
	list := file.Array(dict["W2"])
	for i := 0; i+1 < len(list) && len(v.ranges) < 4096; {
		first := file.Int(list[i])
		if each := file.Array(list[i+1]); each != nil {
			for k := 0; k+2 < len(each); k += 3 {
				x, _ := file.Number(each[k+1])
				y, _ := file.Number(each[k+2])
				v.ranges = append(v.ranges, verticalRange{first + k/3, first + k/3, x / 1000, y / 1000})
			}
			i += 2
			continue
		}
		if i+4 >= len(list) {
			break
		}
		x, _ := file.Number(list[i+3])
		y, _ := file.Number(list[i+4])
		v.ranges = append(v.ranges, verticalRange{first, file.Int(list[i+1]), x / 1000, y / 1000})
		i += 5
	}
	return v
}

func (v *vertical) at(cid int) (x, y float64) {
	for _, r := range v.ranges {
		if cid >= r.first && cid <= r.last {
			return r.x, r.y
		}
	}
	return 0.5, v.y
}
