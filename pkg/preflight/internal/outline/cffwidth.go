// SPDX-License-Identifier: Apache-2.0

package outline

import (
	"encoding/binary"
	"sort"

	ps "github.com/go-text/typesetting/font/cff/interpreter"
)

// maxPrivates bounds the Private DICTs: a CID-keyed program has at most 256.
const maxPrivates = 256

// privateDict holds what the widths of glyphs need of a Private DICT (Adobe Technical Note 5176,
// 15 and 16).
type privateDict struct {
	defaultWidth, nominalWidth float64
	subroutines                [][]byte
}

// readPrivate reads the Private DICT of the given size and offset.
func readPrivate(data []byte, operands []float64) privateDict {
	var p privateDict
	if len(operands) < 2 {
		return p
	}
	size, at := int(operands[0]), int(operands[1])
	if size < 0 || at < 0 || at > len(data) || size > len(data)-at {
		return p
	}
	// What is read before damage is used.
	_ = readDict(data[at:at+size], func(operator int, operands []float64) {
		switch operator {
		case opDefault:
			p.defaultWidth = operands[0]
		case opNominal:
			p.nominalWidth = operands[0]
		case opSubrs:
			p.subroutines, _, _ = index(data, at+int(operands[0]))
		}
	})
	return p
}

// selection returns the function that selects the Private DICT of a glyph (chapter 19).
func (t *top) selection(data []byte, glyphs int) func(id int) int {
	first := func(int) int { return 0 }
	if t.selectAt <= 0 || t.selectAt+3 > len(data) {
		return first
	}
	table := data[t.selectAt+1:]
	switch data[t.selectAt] {
	case 0:
		if len(table) >= glyphs {
			return func(id int) int { return int(table[id]) }
		}
	case 3:
		count := int(binary.BigEndian.Uint16(table))
		if ranges := table[2:]; count > 0 && len(ranges) >= 3*count {
			from := func(i int) int { return int(binary.BigEndian.Uint16(ranges[3*i:])) }
			return func(id int) int {
				i := sort.Search(count, func(i int) bool { return from(i) > id }) - 1
				return int(ranges[3*max(i, 0)+2])
			}
		}
	}
	return first
}

// advance implements program. The width in an OpenType font is that of its metrics.
func (c *compactFont) advance(id int) (float64, bool) {
	if c.metrics != nil {
		return c.metrics.advance(id)
	}
	if id < 0 || id >= len(c.font.Charstrings) {
		return 0, false
	}
	private := c.choose(id)
	if private < 0 || private >= len(c.top.privates) {
		return 0, false
	}
	p := &c.top.privates[private]
	w := widthReader{width: p.defaultWidth, nominal: p.nominalWidth}
	var machine ps.Machine
	if err := machine.Run(c.font.Charstrings[id], p.subroutines, c.top.subroutines, &w); err != nil || !w.done {
		return 0, false
	}
	return w.width * c.top.matrix[0], true
}

// widthReader executes a charstring up to its first operator that takes the width (Adobe
// Technical Note 5177, 3.1 and 4).
type widthReader struct {
	width, nominal float64
	done           bool
}

// Context implements [ps.OperatorHandler].
func (*widthReader) Context() ps.Context { return ps.Type2Charstring }

// Apply implements [ps.OperatorHandler].
func (w *widthReader) Apply(m *ps.Machine, op ps.Operator) error {
	n := m.ArgStack.Top
	if op.IsEscaped {
		return ps.ErrInterrupt
	}
	var given bool
	switch op.Operator {
	case 10: // callsubr
		return ps.LocalSubr(m)
	case 29: // callgsubr
		return ps.GlobalSubr(m)
	case 11: // return
		return m.Return()
	case 1, 3, 18, 19, 20, 23: // stems and masks take pairs
		given = n%2 != 0
	case 21: // rmoveto
		given = n > 2
	case 4, 22: // vmoveto, hmoveto
		given = n > 1
	case 14: // endchar, which may have four arguments of an accented character
		given = n == 1 || n == 5
	default:
		return ps.ErrInterrupt
	}
	if w.done = true; given {
		w.width = w.nominal + m.ArgStack.Vals[0]
	}
	return ps.ErrInterrupt
}
