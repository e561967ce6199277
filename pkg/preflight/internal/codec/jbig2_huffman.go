// SPDX-License-Identifier: Apache-2.0

package codec

import (
	"encoding/binary"
	"errors"
	"math"
	"sync"
)

// bitReader reads the bits of a segment in Huffman codes. After the end of the data it reads zeros, and
// ended is set.
type bitReader struct {
	data  []byte
	at    int // in bits
	ended bool
}

// take reads up to 32 bits.
func (b *bitReader) take(n int) int {
	v := 0
	for range n {
		v <<= 1
		if i := b.at / 8; i < len(b.data) {
			v |= int(b.data[i]>>(7-b.at%8)) & 1
		} else {
			b.ended = true
		}
		b.at++
	}
	return v
}

// bytes returns n bytes from the next whole byte on.
func (b *bitReader) bytes(n int) []byte {
	from := min((b.at+7)/8, len(b.data))
	if n < 0 || n > len(b.data)-from {
		b.ended = true
		n = len(b.data) - from
	}
	b.at = 8 * (from + n)
	return b.data[from : from+n]
}

// huffmanLine is a line of a table (T.88, annex B): the length of its code, and a range of values.
type huffmanLine struct {
	length, bits, low int
	kind              lineKind
}

type lineKind uint8

const (
	// rangeLine stands for low and the values that its bits add; lowerLine subtracts them.
	rangeLine lineKind = iota
	lowerLine
	outOfBand
)

// maxCode is the longest code of a table that is supported, and maxLines bounds the lines of a table that
// the file has.
const (
	maxCode  = 32
	maxLines = 1 << 12
)

// huffmanTable decodes values.
type huffmanTable struct {
	lines []huffmanLine
	// first is the first code of each length, and order are the lines in the order of their codes; those of
	// a length begin at start.
	first, count, start [maxCode + 1]int
	order               []int
}

var errHuffman = errors.New("a table of Huffman codes that is not supported")

// newHuffmanTable assigns codes to lines by their lengths (B.3).
func newHuffmanTable(lines []huffmanLine) (*huffmanTable, error) {
	t := &huffmanTable{lines: lines, order: make([]int, 0, len(lines))}
	for _, line := range lines {
		if line.length < 0 || line.length > maxCode {
			return nil, errHuffman
		}
		if line.length > 0 {
			t.count[line.length]++
		}
	}
	code := 0
	for length := 1; length <= maxCode; length++ {
		code = (code + t.count[length-1]) << 1
		if code+t.count[length] > 1<<length {
			return nil, errHuffman
		}
		t.first[length], t.start[length] = code, t.start[length-1]+t.count[length-1]
	}
	for length := 1; length <= maxCode; length++ {
		if t.count[length] == 0 {
			continue
		}
		for i, line := range lines {
			if line.length == length {
				t.order = append(t.order, i)
			}
		}
	}
	return t, nil
}

// line reads a code, and returns the index of its line; -1 for an unknown code.
func (t *huffmanTable) line(b *bitReader) int {
	code := 0
	for length := 1; length <= maxCode; length++ {
		code = code<<1 | b.take(1)
		if i := code - t.first[length]; i >= 0 && i < t.count[length] {
			return t.order[t.start[length]+i]
		}
	}
	b.ended = true
	return -1
}

// decode returns a value, or false for the one that is out of band.
func (t *huffmanTable) decode(b *bitReader) (int, bool) {
	i := t.line(b)
	if i < 0 {
		return 0, false
	}
	switch line := &t.lines[i]; line.kind {
	case outOfBand:
		return 0, false
	case lowerLine:
		return line.low - b.take(line.bits), true
	default:
		return line.low + b.take(line.bits), true
	}
}

// standardTables are the tables B.1 to B.15.
var standardTables = sync.OnceValue(func() (tables [16]*huffmanTable) {
	const unbounded = 32
	for i, lines := range [16][]huffmanLine{
		1: {{1, 4, 0, 0}, {2, 8, 16, 0}, {3, 16, 272, 0}, {3, unbounded, 65808, 0}},
		2: {{1, 0, 0, 0}, {2, 0, 1, 0}, {3, 0, 2, 0}, {4, 3, 3, 0}, {5, 6, 11, 0}, {6, unbounded, 75, 0}, {6, 0, 0, outOfBand}},
		3: {
			{8, 8, -256, 0},
			{1, 0, 0, 0},
			{2, 0, 1, 0},
			{3, 0, 2, 0},
			{4, 3, 3, 0},
			{5, 6, 11, 0},
			{8, unbounded, -257, lowerLine},
			{7, unbounded, 75, 0},
			{6, 0, 0, outOfBand},
		},
		4: {{1, 0, 1, 0}, {2, 0, 2, 0}, {3, 0, 3, 0}, {4, 3, 4, 0}, {5, 6, 12, 0}, {5, unbounded, 76, 0}},
		5: {
			{7, 8, -255, 0},
			{1, 0, 1, 0},
			{2, 0, 2, 0},
			{3, 0, 3, 0},
			{4, 3, 4, 0},
			{5, 6, 12, 0},
			{7, unbounded, -256, lowerLine},
			{6, unbounded, 76, 0},
		},
		6: {
			{5, 10, -2048, 0},
			{4, 9, -1024, 0},
			{4, 8, -512, 0},
			{4, 7, -256, 0},
			{5, 6, -128, 0},
			{5, 5, -64, 0},
			{4, 5, -32, 0},
			{2, 7, 0, 0},
			{3, 7, 128, 0},
			{3, 8, 256, 0},
			{4, 9, 512, 0},
			{4, 10, 1024, 0},
			{6, unbounded, -2049, lowerLine},
			{6, unbounded, 2048, 0},
		},
		7: {
			{4, 9, -1024, 0},
			{3, 8, -512, 0},
			{4, 7, -256, 0},
			{5, 6, -128, 0},
			{5, 5, -64, 0},
			{4, 5, -32, 0},
			{4, 5, 0, 0},
			{5, 5, 32, 0},
			{5, 6, 64, 0},
			{4, 7, 128, 0},
			{3, 8, 256, 0},
			{3, 9, 512, 0},
			{3, 10, 1024, 0},
			{5, unbounded, -1025, lowerLine},
			{5, unbounded, 2048, 0},
		},
		8: {
			{8, 3, -15, 0},
			{9, 1, -7, 0},
			{8, 1, -5, 0},
			{9, 0, -3, 0},
			{7, 0, -2, 0},
			{4, 0, -1, 0},
			{2, 1, 0, 0},
			{5, 0, 2, 0},
			{6, 0, 3, 0},
			{3, 4, 4, 0},
			{6, 1, 20, 0},
			{4, 4, 22, 0},
			{4, 5, 38, 0},
			{5, 6, 70, 0},
			{5, 7, 134, 0},
			{6, 7, 262, 0},
			{7, 8, 390, 0},
			{6, 10, 646, 0},
			{9, unbounded, -16, lowerLine},
			{9, unbounded, 1670, 0},
			{2, 0, 0, outOfBand},
		},
		9: {
			{8, 4, -31, 0},
			{9, 2, -15, 0},
			{8, 2, -11, 0},
			{9, 1, -7, 0},
			{7, 1, -5, 0},
			{4, 1, -3, 0},
			{3, 1, -1, 0},
			{3, 1, 1, 0},
			{5, 1, 3, 0},
			{6, 1, 5, 0},
			{3, 5, 7, 0},
			{6, 2, 39, 0},
			{4, 5, 43, 0},
			{4, 6, 75, 0},
			{5, 7, 139, 0},
			{5, 8, 267, 0},
			{6, 8, 523, 0},
			{7, 9, 779, 0},
			{6, 11, 1291, 0},
			{9, unbounded, -32, lowerLine},
			{9, unbounded, 3339, 0},
			{2, 0, 0, outOfBand},
		},
		10: {
			{7, 4, -21, 0},
			{8, 0, -5, 0},
			{7, 0, -4, 0},
			{5, 0, -3, 0},
			{2, 2, -2, 0},
			{5, 0, 2, 0},
			{6, 0, 3, 0},
			{7, 0, 4, 0},
			{8, 0, 5, 0},
			{2, 6, 6, 0},
			{5, 5, 70, 0},
			{6, 5, 102, 0},
			{6, 6, 134, 0},
			{6, 7, 198, 0},
			{6, 8, 326, 0},
			{6, 9, 582, 0},
			{6, 10, 1094, 0},
			{7, 11, 2118, 0},
			{8, unbounded, -22, lowerLine},
			{8, unbounded, 4166, 0},
			{2, 0, 0, outOfBand},
		},
		11: {
			{1, 0, 1, 0},
			{2, 1, 2, 0},
			{4, 0, 4, 0},
			{4, 1, 5, 0},
			{5, 1, 7, 0},
			{5, 2, 9, 0},
			{6, 2, 13, 0},
			{7, 2, 17, 0},
			{7, 3, 21, 0},
			{7, 4, 29, 0},
			{7, 5, 45, 0},
			{7, 6, 77, 0},
			{7, unbounded, 141, 0},
		},
		12: {
			{1, 0, 1, 0},
			{2, 0, 2, 0},
			{3, 1, 3, 0},
			{5, 0, 5, 0},
			{5, 1, 6, 0},
			{6, 1, 8, 0},
			{7, 0, 10, 0},
			{7, 1, 11, 0},
			{7, 2, 13, 0},
			{7, 3, 17, 0},
			{7, 4, 25, 0},
			{8, 5, 41, 0},
			{8, unbounded, 73, 0},
		},
		13: {
			{1, 0, 1, 0},
			{3, 0, 2, 0},
			{4, 0, 3, 0},
			{5, 0, 4, 0},
			{4, 1, 5, 0},
			{3, 3, 7, 0},
			{6, 1, 15, 0},
			{6, 2, 17, 0},
			{6, 3, 21, 0},
			{6, 4, 29, 0},
			{6, 5, 45, 0},
			{7, 6, 77, 0},
			{7, unbounded, 141, 0},
		},
		14: {{3, 0, -2, 0}, {3, 0, -1, 0}, {1, 0, 0, 0}, {3, 0, 1, 0}, {3, 0, 2, 0}},
		15: {
			{7, 4, -24, 0},
			{6, 2, -8, 0},
			{5, 1, -4, 0},
			{4, 0, -2, 0},
			{3, 0, -1, 0},
			{1, 0, 0, 0},
			{3, 0, 1, 0},
			{4, 0, 2, 0},
			{5, 1, 3, 0},
			{6, 2, 5, 0},
			{7, 4, 9, 0},
			{7, unbounded, -25, lowerLine},
			{7, unbounded, 25, 0},
		},
	} {
		// The lengths above are valid.
		tables[i], _ = newHuffmanTable(lines)
	}
	return tables
}) // constant

// tableSegment reads a table of the file (B.2).
func (d *jbig2) tableSegment(h *header) error {
	if len(h.data) < 9 {
		return errBits
	}
	flags := int(h.data[0])
	low, high := int(int32(binary.BigEndian.Uint32(h.data[1:]))), int(int32(binary.BigEndian.Uint32(h.data[5:]))) // #nosec G115 -- signed
	lengthBits, rangeBits := flags>>1&7+1, flags>>4&7+1
	b := &bitReader{data: h.data[9:]}
	var lines []huffmanLine
	for at := low; at < high; {
		line := huffmanLine{length: b.take(lengthBits), bits: b.take(rangeBits), low: at}
		if line.bits > 32 || len(lines) == maxLines || b.ended {
			return errHuffman
		}
		lines = append(lines, line)
		at += 1 << line.bits
	}
	lines = append(lines, huffmanLine{b.take(lengthBits), 32, low - 1, lowerLine}, huffmanLine{b.take(lengthBits), 32, high, rangeLine})
	if flags&1 != 0 {
		lines = append(lines, huffmanLine{length: b.take(lengthBits), kind: outOfBand})
	}
	table, err := newHuffmanTable(lines)
	if err != nil || b.ended {
		return errHuffman
	}
	d.segments[h.number] = &segment{table: table}
	return nil
}

// tableChoice selects tables for a segment: standard ones, or those of the file, in the order in which
// the segment refers to them.
type tableChoice struct {
	own []*huffmanTable
	err error
}

func (d *jbig2) tablesOf(h *header) *tableChoice {
	c := &tableChoice{}
	for _, number := range h.referred {
		if s := d.segments[number]; s != nil && s.table != nil {
			c.own = append(c.own, s.table)
		}
	}
	return c
}

// of returns the table of a value of the flags: one of the standard tables, by number, or the next one of
// the file for a value beyond them.
func (c *tableChoice) of(value int, standard ...int) *huffmanTable {
	if value < len(standard) {
		return standardTables()[standard[value]]
	}
	if len(c.own) == 0 || value != 3 && len(standard) > 1 {
		c.err = errHuffman
		return standardTables()[1]
	}
	table := c.own[0]
	c.own = c.own[1:]
	return table
}

// symbolCodes reads the codes of the symbols of a text region (7.4.3.1.7).
func symbolCodes(b *bitReader, symbols int) (*huffmanTable, error) {
	const runs = 35
	lengths := make([]huffmanLine, runs)
	for i := range lengths {
		lengths[i] = huffmanLine{length: b.take(4), low: i}
	}
	table, err := newHuffmanTable(lengths)
	if err != nil {
		return nil, err
	}
	lines := make([]huffmanLine, 0, symbols)
	for len(lines) < symbols {
		v, ok := table.decode(b)
		if !ok || b.ended {
			return nil, errHuffman
		}
		length, count := v, 1
		switch v {
		case 32:
			if len(lines) == 0 {
				return nil, errHuffman
			}
			length, count = lines[len(lines)-1].length, 3+b.take(2)
		case 33:
			length, count = 0, 3+b.take(3)
		case 34:
			length, count = 0, 11+b.take(7)
		}
		for range min(count, symbols-len(lines)) {
			lines = append(lines, huffmanLine{length: length, low: len(lines)})
		}
	}
	b.bytes(0)
	return newHuffmanTable(lines)
}

// huffmanText decodes the instances of a text region in Huffman codes.
type huffmanText struct {
	b                                      *bitReader
	strips, firsts, nexts                  *huffmanTable
	widers, highers, rightwards, downwards *huffmanTable
	sizes                                  *huffmanTable
	// ids are the codes of symbols; without them, an index has idLength bits.
	ids        *huffmanTable
	idLength   int
	refinement []mqContext
}

func (c *huffmanText) strip() int { v, _ := c.strips.decode(c.b); return v }

func (c *huffmanText) first() int { v, _ := c.firsts.decode(c.b); return v }

func (c *huffmanText) next() (int, bool) { return c.nexts.decode(c.b) }

func (c *huffmanText) offset(bits int) int { return c.b.take(bits) }

func (c *huffmanText) id() int {
	if c.ids == nil {
		return c.b.take(c.idLength)
	}
	v, ok := c.ids.decode(c.b)
	if !ok {
		return math.MaxInt
	}
	return v
}

func (c *huffmanText) refined() bool { return c.b.take(1) == 1 }

func (c *huffmanText) grow() (wider, higher int) {
	wider, _ = c.widers.decode(c.b)
	higher, _ = c.highers.decode(c.b)
	return wider, higher
}

func (c *huffmanText) place() (right, down int) {
	right, _ = c.rightwards.decode(c.b)
	down, _ = c.downwards.decode(c.b)
	return right, down
}

// refine decodes a bitmap whose size in bytes precedes it.
func (c *huffmanText) refine(d *jbig2, r *refinement, width, height int) (*bilevel, error) {
	size, _ := c.sizes.decode(c.b)
	return d.refine(newMQ(c.b.bytes(size)), c.refinement, r, width, height)
}

func (c *huffmanText) ended() bool { return c.b.ended }
