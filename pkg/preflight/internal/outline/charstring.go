// SPDX-License-Identifier: Apache-2.0

package outline

import (
	"encoding/binary"
	"fmt"
	"sort"

	ps "github.com/go-text/typesetting/font/cff/interpreter"

	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
)

// The bounds of the Private DICTs, of which a CID-keyed program has at most 256, and of their subroutines.
const (
	maxPrivates         = 256
	maxLocalSubroutines = 1 << 18
)

// privateDict holds what the glyphs need of a Private DICT (Adobe Technical Note 5176, 15 and 16),
// and of the font in a CID-keyed program that it belongs to.
type privateDict struct {
	defaultWidth, nominalWidth float64
	subroutines                [][]byte
	// matrix converts the outlines to units of the font size.
	matrix geom.Matrix
}

// readPrivate reads the Private DICT of the given size and offset. room is the number of subroutines that
// may be read.
func readPrivate(data []byte, operands []float64, room *int) privateDict {
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
			if parts, _, _ := index(data, at+int(operands[0])); len(parts) <= *room {
				p.subroutines = parts
				*room -= len(parts)
			}
		}
	})
	return p
}

// selection returns the function that selects the Private DICT of a glyph (chapter 19).
func selection(data []byte, start, glyphs int) func(id int) int {
	first := func(int) int { return 0 }
	if start <= 0 || start+3 > len(data) {
		return first
	}
	table := data[start+1:]
	switch data[start] {
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
	private := c.private(id)
	if private == nil {
		return 0, false
	}
	run := charstring{width: private.defaultWidth, nominal: private.nominalWidth, headOnly: true}
	if err := c.run(id, private, &run); err != nil || !run.started {
		return 0, false
	}
	return run.width * private.matrix[0], true
}

// private returns the Private DICT of a glyph, or nil for a glyph that the program lacks.
func (c *compactFont) private(id int) *privateDict {
	if id < 0 || id >= len(c.charstrings) {
		return nil
	}
	if i := c.choose(id); i >= 0 && i < len(c.privates) {
		return &c.privates[i]
	}
	return nil
}

func (c *compactFont) run(id int, private *privateDict, to *charstring) error {
	var machine ps.Machine
	return machine.Run(c.charstrings[id], private.subroutines, c.subroutines, to)
}

// charstring executes a charstring (Adobe Technical Note 5177). The library interprets the operators of
// outlines; the width, accented glyphs and an obsolete operator, which it does not, are read here.
type charstring struct {
	outline ps.CharstringReader
	// headOnly stops at the first operator of the outline.
	headOnly bool
	// width is that of the glyph, which the first operator takes (3.1 and 4). started is set by it.
	width, nominal float64
	started        bool
	// accented holds the place of an accent, and the codes of its base and of the accent; empty for a
	// glyph with an outline of its own.
	accented []float64
}

// Context implements [ps.OperatorHandler].
func (*charstring) Context() ps.Context { return ps.Type2Charstring }

// Apply implements [ps.OperatorHandler].
func (c *charstring) Apply(m *ps.Machine, op ps.Operator) (err error) {
	n := m.ArgStack.Top
	switch number := op.Operator; {
	case op.IsEscaped:
		err = c.escaped(m, op)
	case number == 10: // callsubr
		return ps.LocalSubr(m)
	case number == 29: // callgsubr
		return ps.GlobalSubr(m)
	case number == 11: // return
		return m.Return()
	case number == 1 || number == 18: // hstem, hstemhm
		c.start(m, n%2 != 0)
		c.outline.Hstem(m)
	case number == 3 || number == 23: // vstem, vstemhm
		c.start(m, n%2 != 0)
		c.outline.Vstem(m)
	case number == 19 || number == 20: // hintmask, cntrmask
		c.start(m, n%2 != 0)
		c.outline.Hintmask(m)
	case number == 14: // endchar, which may have four arguments of an accented glyph
		if c.start(m, n == 1 || n == 5); n >= 4 {
			c.accented = append(c.accented, m.ArgStack.Vals[n-4:n]...)
		}
		c.outline.ClosePath()
		return ps.ErrInterrupt
	default:
		err = c.draw(m, op)
	}
	m.ArgStack.Clear()
	return err
}

// start notes the width, if the first operator has it.
func (c *charstring) start(m *ps.Machine, given bool) {
	if given && !c.started {
		c.width = c.nominal + m.ArgStack.Vals[0]
	}
	c.started = true
}

// draw executes an operator of the outline.
func (c *charstring) draw(m *ps.Machine, op ps.Operator) error {
	n := m.ArgStack.Top
	switch op.Operator {
	case 21: // rmoveto
		c.start(m, n > 2)
	case 4, 22: // vmoveto, hmoveto
		c.start(m, n > 1)
	}
	if c.headOnly {
		return ps.ErrInterrupt
	}
	switch op.Operator {
	case 4:
		return c.outline.Vmoveto(m)
	case 5:
		c.outline.Rlineto(m)
	case 6:
		c.outline.Hlineto(m)
	case 7:
		c.outline.Vlineto(m)
	case 8:
		c.outline.Rrcurveto(m)
	case 21:
		return c.outline.Rmoveto(m)
	case 22:
		return c.outline.Hmoveto(m)
	case 24:
		return c.outline.Rcurveline(m)
	case 25:
		return c.outline.Rlinecurve(m)
	case 26:
		c.outline.Vvcurveto(m)
	case 27:
		c.outline.Hhcurveto(m)
	case 30:
		c.outline.Vhcurveto(m)
	case 31:
		c.outline.Hvcurveto(m)
	default:
		return fmt.Errorf("operator %s in a charstring", op)
	}
	return nil
}

// escaped executes an operator of two bytes.
func (c *charstring) escaped(m *ps.Machine, op ps.Operator) error {
	switch op.Operator {
	case 0: // dotsection, which has no effect any more (appendix A)
		return nil
	case 34:
		return c.outline.Hflex(m)
	case 35:
		return c.outline.Flex(m)
	case 36:
		return c.outline.Hflex1(m)
	case 37:
		return c.outline.Flex1(m)
	}
	return fmt.Errorf("operator %s in a charstring", op)
}
