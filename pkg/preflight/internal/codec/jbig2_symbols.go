// SPDX-License-Identifier: Apache-2.0

package codec

import (
	"encoding/binary"
	"errors"
	"math/bits"
)

// symbolCodeLength returns the bits of the index of a symbol.
func symbolCodeLength(n int) int { return bits.Len(uint(max(n-1, 0))) } // #nosec G115 -- not negative

// intDecoder decodes integers (T.88, annex A).
type intDecoder [512]mqContext

// intRanges are the ranges of table A.1: the bits of a value, and what is added to it.
var intRanges = [...]struct{ bits, offset int }{{2, 0}, {4, 4}, {6, 20}, {8, 84}, {12, 340}, {32, 4436}}

// decode returns an integer, or false for the value that is out of band.
func (d *intDecoder) decode(mq *mqDecoder) (int, bool) {
	previous := 1
	bit := func() int {
		v := mq.bit(&d[previous])
		if previous < 256 {
			previous = previous<<1 | v
		} else {
			previous = (previous<<1|v)&511 | 256
		}
		return v
	}
	negative := bit()
	class := 0
	for class < len(intRanges)-1 && bit() == 1 {
		class++
	}
	v := 0
	for range intRanges[class].bits {
		v = v<<1 | bit()
	}
	v += intRanges[class].offset
	if negative == 1 {
		return -v, v != 0
	}
	return v, true
}

// idDecoder decodes the indices of symbols (A.3).
type idDecoder struct {
	length   int
	contexts []mqContext
}

func newIDDecoder(symbols int) idDecoder {
	length := symbolCodeLength(symbols)
	return idDecoder{length: length, contexts: make([]mqContext, 1<<length)}
}

func (d *idDecoder) decode(mq *mqDecoder) int {
	previous := 1
	for range d.length {
		previous = previous<<1 | mq.bit(&d.contexts[previous])
	}
	return previous - 1<<d.length
}

// textCoder decodes the numbers of a text region, and the bitmaps in it.
type textCoder interface {
	strip() int
	first() int
	// next returns the gap to the next symbol, or false at the end of a strip.
	next() (int, bool)
	// offset returns the place of a symbol in its strip, which has so many bits.
	offset(bits int) int
	id() int
	refined() bool
	// grow and place return how a refined symbol differs in size and place.
	grow() (wider, higher int)
	place() (right, down int)
	refine(d *jbig2, r *refinement, width, height int) (*bilevel, error)
	// ended reports whether the data has ended too early.
	ended() bool
}

// arithmeticText is the [textCoder] in arithmetic coding. Its decoders are those that all instances share.
type arithmeticText struct {
	mq                                          *mqDecoder
	strips, firsts, nexts, offsets, refinements intDecoder
	widers, highers, rightwards, downwards      intDecoder
	ids                                         idDecoder
	refinement                                  []mqContext
}

func (c *arithmeticText) strip() int { v, _ := c.strips.decode(c.mq); return v }

func (c *arithmeticText) first() int { v, _ := c.firsts.decode(c.mq); return v }

func (c *arithmeticText) next() (int, bool) { return c.nexts.decode(c.mq) }

func (c *arithmeticText) offset(int) int { v, _ := c.offsets.decode(c.mq); return v }

func (c *arithmeticText) id() int { return c.ids.decode(c.mq) }

func (c *arithmeticText) refined() bool { v, _ := c.refinements.decode(c.mq); return v != 0 }

func (c *arithmeticText) grow() (wider, higher int) {
	wider, _ = c.widers.decode(c.mq)
	higher, _ = c.highers.decode(c.mq)
	return wider, higher
}

func (c *arithmeticText) place() (right, down int) {
	right, _ = c.rightwards.decode(c.mq)
	down, _ = c.downwards.decode(c.mq)
	return right, down
}

func (c *arithmeticText) refine(d *jbig2, r *refinement, width, height int) (*bilevel, error) {
	return d.refine(c.mq, c.refinement, r, width, height)
}

func (c *arithmeticText) ended() bool { return false }

// text are the parameters of a text region (6.4).
type text struct {
	instances  int
	strips     int
	corner     int
	transposed bool
	operator   int
	gap        int
	refine     bool
	refinement refinement
	symbols    []*bilevel
}

// The corners of a symbol that is placed (6.4.5).
const (
	cornerBottomLeft = iota
	cornerTopLeft
	cornerBottomRight
	cornerTopRight
)

var errSymbols = errors.New("a symbol that does not exist")

// decodeText draws the instances of symbols.
func (d *jbig2) decodeText(t *text, c textCoder, out *bilevel) error {
	strip, first := -c.strip()*t.strips, 0
	for n := 0; n < t.instances; {
		strip += c.strip() * t.strips
		first += c.first()
		s := first
		for {
			at := 0
			if t.strips > 1 {
				at = c.offset(symbolCodeLength(t.strips))
			}
			symbol, err := d.instance(t, c)
			if err != nil {
				return err
			}
			// The time that it takes to draw.
			if !d.room(16 + int64(len(symbol.pixels))/4) {
				return errRoom
			}
			s = t.place(out, symbol, s, strip+at)
			if n++; n > t.instances {
				return nil
			}
			gap, ok := c.next()
			if c.ended() && n < t.instances {
				return errBits
			}
			if !ok {
				break
			}
			if s += gap + t.gap; s > 1<<30 || s < -1<<30 {
				return errSymbols
			}
		}
		if strip > 1<<30 || strip < -1<<30 || first > 1<<30 || first < -1<<30 {
			return errSymbols
		}
	}
	return nil
}

// instance decodes which symbol is next, and how it differs (6.4.11).
func (d *jbig2) instance(t *text, c textCoder) (*bilevel, error) {
	id := c.id()
	if id >= len(t.symbols) {
		return nil, errSymbols
	}
	symbol := t.symbols[id]
	if !t.refine || !c.refined() {
		return symbol, nil
	}
	wider, higher := c.grow()
	right, down := c.place()
	r := t.refinement
	r.reference, r.dx, r.dy = symbol, wider>>1+right, higher>>1+down
	return c.refine(d, &r, symbol.width+wider, symbol.height+higher)
}

// place draws a symbol, and returns where the next one begins (6.4.5, step 3c).
func (t *text) place(out, symbol *bilevel, s, across int) int {
	right := t.corner == cornerBottomRight || t.corner == cornerTopRight
	bottom := t.corner == cornerBottomLeft || t.corner == cornerBottomRight
	step, before := symbol.width-1, right
	if t.transposed {
		step, before = symbol.height-1, bottom
	}
	if before {
		s += step
	}
	x, y := s, across
	if t.transposed {
		x, y = across, s
	}
	if right {
		x -= symbol.width - 1
	}
	if bottom {
		y -= symbol.height - 1
	}
	out.combine(symbol, x, y, t.operator)
	if !before {
		s += step
	}
	return s
}

// symbolsOf returns the symbols of the dictionaries that a segment refers to.
func (d *jbig2) symbolsOf(h *header) ([]*bilevel, error) {
	var symbols []*bilevel
	for _, number := range h.referred {
		if s := d.segments[number]; s != nil {
			// A segment may refer to one dictionary many times.
			if len(symbols)+len(s.symbols) > maxSymbols || !d.room(8*int64(len(s.symbols))) {
				return nil, errSymbols
			}
			symbols = append(symbols, s.symbols...)
		}
	}
	return symbols, nil
}

// textRegion is 7.4.3.
func (d *jbig2) textRegion(h *header, data []byte, width, height int) (*bilevel, error) {
	if len(data) < 2 {
		return nil, errBits
	}
	flags := int(data[0])<<8 | int(data[1])
	t := &text{
		refine: flags&2 != 0, strips: 1 << (flags >> 2 & 3), corner: flags >> 4 & 3,
		transposed: flags&0x40 != 0, operator: flags >> 7 & 3,
	}
	var err error
	if t.symbols, err = d.symbolsOf(h); err != nil {
		return nil, err
	}
	// A signed number of five bits.
	t.gap = (flags>>10&31 ^ 16) - 16
	t.refinement.template = flags >> 15
	data = data[2:]
	var codes *huffmanText
	if flags&1 != 0 {
		if len(data) < 2 {
			return nil, errBits
		}
		// The tables of 7.4.3.1.2.
		which, tables := int(data[0])<<8|int(data[1]), d.tablesOf(h)
		codes = &huffmanText{
			firsts: tables.of(which&3, 6, 7), nexts: tables.of(which>>2&3, 8, 9, 10), strips: tables.of(which>>4&3, 11, 12, 13),
			widers: tables.of(which>>6&3, 14, 15), highers: tables.of(which>>8&3, 14, 15),
			rightwards: tables.of(which>>10&3, 14, 15), downwards: tables.of(which>>12&3, 14, 15), sizes: tables.of(which>>14&1, 1),
		}
		if tables.err != nil {
			return nil, tables.err
		}
		data = data[2:]
	}
	if t.refine {
		if t.refinement.adaptive, data, err = readRefinementAdaptive(data, t.refinement.template); err != nil {
			return nil, err
		}
	}
	if len(data) < 4 {
		return nil, errBits
	}
	t.instances = int(binary.BigEndian.Uint32(data))
	out, err := d.newBitmap(width, height)
	if err != nil {
		return nil, err
	}
	if flags&0x200 != 0 {
		for i := range out.pixels {
			out.pixels[i] = 1
		}
	}
	contexts := make([]mqContext, refinementSizes[t.refinement.template])
	if codes == nil {
		return out, d.decodeText(t, &arithmeticText{mq: newMQ(data[4:]), ids: newIDDecoder(len(t.symbols)), refinement: contexts}, out)
	}
	codes.b, codes.refinement = &bitReader{data: data[4:]}, contexts
	if codes.ids, err = symbolCodes(codes.b, len(t.symbols)); err != nil {
		return nil, err
	}
	return out, d.decodeText(t, codes, out)
}

// dictionary are the parameters of a symbol dictionary (6.5).
type dictionary struct {
	aggregate          bool
	generic            generic
	refinement         refinement
	new                int
	symbols            []*bilevel
	genericContexts    []mqContext
	refinementContexts []mqContext
}

// symbolDictionary is 7.4.2.
func (d *jbig2) symbolDictionary(h *header) error {
	if len(h.data) < 2 {
		return errBits
	}
	flags, data := int(h.data[0])<<8|int(h.data[1]), h.data[2:]
	huffman := flags&1 != 0
	p := &dictionary{aggregate: flags&2 != 0}
	var err error
	if p.symbols, err = d.symbolsOf(h); err != nil {
		return err
	}
	p.generic.template, p.refinement.template = flags>>10&3, flags>>12&1
	if !huffman {
		if p.generic.adaptive, data, err = readAdaptive(data, len(templates[p.generic.template].adaptive)); err != nil {
			return err
		}
	}
	if p.aggregate {
		if p.refinement.adaptive, data, err = readRefinementAdaptive(data, p.refinement.template); err != nil {
			return err
		}
	}
	if len(data) < 8 {
		return errBits
	}
	p.new = int(binary.BigEndian.Uint32(data[4:])) // after the number of symbols that are exported
	if p.new > maxSymbols || len(p.symbols)+p.new > maxSymbols {
		return errSymbols
	}
	p.genericContexts = make([]mqContext, templates[p.generic.template].size)
	p.refinementContexts = make([]mqContext, refinementSizes[p.refinement.template])
	if flags&0x100 != 0 && len(h.referred) > 0 {
		if s := d.segments[h.referred[len(h.referred)-1]]; s != nil {
			copy(p.genericContexts, s.generic)
			copy(p.refinementContexts, s.refinement)
		}
	}
	var run func() int
	if huffman {
		run, err = d.huffmanSymbols(d.tablesOf(h), flags, &bitReader{data: data[8:]}, p)
	} else {
		run, err = d.decodeSymbols(newMQ(data[8:]), p)
	}
	if err != nil {
		return err
	}
	exported, err := exportedSymbols(run, p.symbols)
	if err != nil {
		return err
	}
	d.segments[h.number] = &segment{symbols: exported, generic: p.genericContexts, refinement: p.refinementContexts}
	return nil
}

// decodeSymbols adds the new symbols, by classes of height (6.5.5), and returns the decoder of the runs of
// symbols that are exported.
func (d *jbig2) decodeSymbols(mq *mqDecoder, p *dictionary) (runs func() int, err error) {
	var heights, widths, instances, exports intDecoder
	end := len(p.symbols) + p.new
	c := &arithmeticText{mq: mq, ids: newIDDecoder(end), refinement: p.refinementContexts}
	height := 0
	for len(p.symbols) < end {
		v, _ := heights.decode(mq)
		if height += v; height < 0 || height > maxSide {
			return nil, errSymbols
		}
		width := 0
		for {
			v, ok := widths.decode(mq)
			if !ok {
				break
			}
			if width += v; width < 0 || width > maxSide || len(p.symbols) == end {
				return nil, errSymbols
			}
			var symbol *bilevel
			if p.aggregate {
				n, _ := instances.decode(mq)
				symbol, err = d.aggregate(p, c, n, width, height)
			} else {
				symbol, err = d.decodeGeneric(mq, p.genericContexts, &p.generic, width, height)
			}
			if err != nil {
				return nil, err
			}
			p.symbols = append(p.symbols, symbol)
		}
		if !d.room(64) {
			return nil, errRoom
		}
	}
	return func() int { n, _ := exports.decode(mq); return n }, nil
}

// aggregate decodes a symbol from n others (6.5.8.2).
func (d *jbig2) aggregate(p *dictionary, c textCoder, n, width, height int) (*bilevel, error) {
	if n != 1 {
		out, err := d.newBitmap(width, height)
		if err != nil {
			return nil, err
		}
		t := &text{
			instances: n, strips: 1, corner: cornerTopLeft, refine: true,
			refinement: p.refinement, symbols: p.symbols,
		}
		return out, d.decodeText(t, c, out)
	}
	id := c.id()
	right, down := c.place()
	if id >= len(p.symbols) {
		return nil, errSymbols
	}
	r := p.refinement
	r.reference, r.dx, r.dy = p.symbols[id], right, down
	return c.refine(d, &r, width, height)
}

// huffmanSymbols is [jbig2.decodeSymbols] in Huffman codes.
func (d *jbig2) huffmanSymbols(tables *tableChoice, flags int, b *bitReader, p *dictionary) (runs func() int, err error) {
	heights, widths := tables.of(flags>>2&3, 4, 5), tables.of(flags>>4&3, 2, 3)
	sizes, instances := tables.of(flags>>6&1, 1), tables.of(flags>>7&1, 1)
	if tables.err != nil {
		return nil, tables.err
	}
	end := len(p.symbols) + p.new
	of := func(i int) *huffmanTable { return standardTables()[i] }
	c := &huffmanText{
		b: b, firsts: of(6), nexts: of(8), strips: of(11), widers: of(15), highers: of(15), rightwards: of(15), downwards: of(15), sizes: of(1),
		idLength: max(symbolCodeLength(end), 1), refinement: p.refinementContexts,
	}
	height := 0
	for len(p.symbols) < end {
		v, _ := heights.decode(b)
		if height += v; height < 0 || height > maxSide {
			return nil, errSymbols
		}
		width, total := 0, 0
		var class []int // the widths of the symbols in one bitmap
		for {
			v, ok := widths.decode(b)
			if b.ended {
				return nil, errBits
			}
			if !ok {
				break
			}
			if width += v; width < 0 || width > maxSide || len(p.symbols)+len(class) == end {
				return nil, errSymbols
			}
			if !p.aggregate {
				class = append(class, width)
				total += width
				continue
			}
			n, _ := instances.decode(b)
			symbol, err := d.aggregate(p, c, n, width, height)
			if err != nil {
				return nil, err
			}
			p.symbols = append(p.symbols, symbol)
		}
		if !d.room(64) {
			return nil, errRoom
		}
		if p.aggregate {
			continue
		}
		size, _ := sizes.decode(b)
		if err := d.collective(b, p, class, size, total, height); err != nil {
			return nil, err
		}
	}
	return func() int {
		n, _ := of(1).decode(b)
		if b.ended {
			return -1
		}
		return n
	}, nil
}

// collective reads the bitmap of all symbols of a height, and divides it (6.5.9). A size of 0 stands for
// pixels that are not compressed.
func (d *jbig2) collective(b *bitReader, p *dictionary, class []int, size, total, height int) error {
	var all *bilevel
	var err error
	if size > 0 {
		all, err = d.decodeFax(b.bytes(size), total, height)
	} else if all, err = d.newBitmap(total, height); err == nil {
		stride := (total + 7) / 8
		packed := b.bytes(stride * height)
		if len(packed) < stride*height {
			return errBits
		}
		for i := range all.pixels {
			x, y := i%total, i/total
			all.pixels[i] = packed[y*stride+x/8] >> (7 - x%8) & 1
		}
	}
	if err != nil {
		return err
	}
	at := 0
	for _, width := range class {
		symbol, err := d.newBitmap(width, height)
		if err != nil {
			return err
		}
		symbol.combine(all, -at, 0, combineReplace)
		p.symbols = append(p.symbols, symbol)
		at += width
	}
	return nil
}

// exportedSymbols reads which symbols other segments may use (6.5.10).
func exportedSymbols(runs func() int, symbols []*bilevel) ([]*bilevel, error) {
	var out []*bilevel
	export, empty := false, 0
	for i := 0; i < len(symbols); {
		n := runs()
		if n < 0 || i+n > len(symbols) {
			return nil, errSymbols
		}
		if n > 0 {
			empty = 0
		} else if empty++; empty > 4 {
			return nil, errSymbols
		}
		if export {
			out = append(out, symbols[i:i+n]...)
		}
		i += n
		export = !export
	}
	return out, nil
}
