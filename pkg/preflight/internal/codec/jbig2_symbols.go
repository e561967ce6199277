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

// textDecoders are the decoders that the instances of a text region share.
type textDecoders struct {
	strip, first, next, offset, refined intDecoder
	wider, higher, rightward, downward  intDecoder
	id                                  idDecoder
	refinement                          []mqContext
}

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
func (d *jbig2) decodeText(mq *mqDecoder, t *text, c *textDecoders, out *bilevel) error {
	v, _ := c.strip.decode(mq)
	strip, first := -v*t.strips, 0
	for n := 0; n < t.instances; {
		v, _ := c.strip.decode(mq)
		strip += v * t.strips
		v, _ = c.first.decode(mq)
		first += v
		s := first
		for {
			at := 0
			if t.strips > 1 {
				at, _ = c.offset.decode(mq)
			}
			symbol, err := d.instance(mq, t, c)
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
			gap, ok := c.next.decode(mq)
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
func (d *jbig2) instance(mq *mqDecoder, t *text, c *textDecoders) (*bilevel, error) {
	id := c.id.decode(mq)
	if id >= len(t.symbols) {
		return nil, errSymbols
	}
	symbol := t.symbols[id]
	if !t.refine {
		return symbol, nil
	}
	if refined, _ := c.refined.decode(mq); refined == 0 {
		return symbol, nil
	}
	wider, _ := c.wider.decode(mq)
	higher, _ := c.higher.decode(mq)
	right, _ := c.rightward.decode(mq)
	down, _ := c.downward.decode(mq)
	r := t.refinement
	r.reference, r.dx, r.dy = symbol, wider>>1+right, higher>>1+down
	return d.refine(mq, c.refinement, &r, symbol.width+wider, symbol.height+higher)
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
func (d *jbig2) symbolsOf(h *header) []*bilevel {
	var symbols []*bilevel
	for _, number := range h.referred {
		if s := d.segments[number]; s != nil {
			symbols = append(symbols, s.symbols...)
		}
	}
	return symbols
}

var errHuffman = errors.New("symbols in Huffman codes are not supported")

// textRegion is 7.4.3.
func (d *jbig2) textRegion(h *header, data []byte, width, height int) (*bilevel, error) {
	if len(data) < 2 {
		return nil, errBits
	}
	flags := int(data[0])<<8 | int(data[1])
	if flags&1 != 0 {
		return nil, errHuffman
	}
	t := &text{
		refine: flags&2 != 0, strips: 1 << (flags >> 2 & 3), corner: flags >> 4 & 3,
		transposed: flags&0x40 != 0, operator: flags >> 7 & 3, symbols: d.symbolsOf(h),
	}
	// A signed number of five bits.
	t.gap = (flags>>10&31 ^ 16) - 16
	t.refinement.template = flags >> 15
	data = data[2:]
	var err error
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
	c := &textDecoders{id: newIDDecoder(len(t.symbols)), refinement: make([]mqContext, refinementSizes[t.refinement.template])}
	return out, d.decodeText(newMQ(data[4:]), t, c, out)
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
	if flags&1 != 0 {
		return errHuffman
	}
	p := &dictionary{aggregate: flags&2 != 0, symbols: d.symbolsOf(h)}
	p.generic.template, p.refinement.template = flags>>10&3, flags>>12&1
	var err error
	if p.generic.adaptive, data, err = readAdaptive(data, len(templates[p.generic.template].adaptive)); err != nil {
		return err
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
	mq := newMQ(data[8:])
	if err := d.decodeSymbols(mq, p); err != nil {
		return err
	}
	exported, err := exportedSymbols(mq, p.symbols)
	if err != nil {
		return err
	}
	d.segments[h.number] = &segment{symbols: exported, generic: p.genericContexts, refinement: p.refinementContexts}
	return nil
}

// decodeSymbols adds the new symbols, by classes of height (6.5.5).
func (d *jbig2) decodeSymbols(mq *mqDecoder, p *dictionary) error {
	var heights, widths, instances intDecoder
	end := len(p.symbols) + p.new
	c := &textDecoders{id: newIDDecoder(end), refinement: p.refinementContexts}
	height := 0
	for len(p.symbols) < end {
		v, _ := heights.decode(mq)
		if height += v; height < 0 || height > maxSide {
			return errSymbols
		}
		width := 0
		for {
			v, ok := widths.decode(mq)
			if !ok {
				break
			}
			if width += v; width < 0 || width > maxSide || len(p.symbols) == end {
				return errSymbols
			}
			symbol, err := d.symbol(mq, p, c, &instances, width, height)
			if err != nil {
				return err
			}
			p.symbols = append(p.symbols, symbol)
		}
		if !d.room(64) {
			return errRoom
		}
	}
	return nil
}

// symbol decodes one symbol, directly or from others (6.5.8).
func (d *jbig2) symbol(mq *mqDecoder, p *dictionary, c *textDecoders, instances *intDecoder, width, height int) (*bilevel, error) {
	if !p.aggregate {
		return d.decodeGeneric(mq, p.genericContexts, &p.generic, width, height)
	}
	n, _ := instances.decode(mq)
	if n != 1 {
		out, err := d.newBitmap(width, height)
		if err != nil {
			return nil, err
		}
		t := &text{
			instances: n, strips: 1, corner: cornerTopLeft, refine: true,
			refinement: p.refinement, symbols: p.symbols,
		}
		return out, d.decodeText(mq, t, c, out)
	}
	id := c.id.decode(mq)
	right, _ := c.rightward.decode(mq)
	down, _ := c.downward.decode(mq)
	if id >= len(p.symbols) {
		return nil, errSymbols
	}
	r := p.refinement
	r.reference, r.dx, r.dy = p.symbols[id], right, down
	return d.refine(mq, c.refinement, &r, width, height)
}

// exportedSymbols reads which symbols other segments may use (6.5.10).
func exportedSymbols(mq *mqDecoder, symbols []*bilevel) ([]*bilevel, error) {
	var runs intDecoder
	var out []*bilevel
	export, empty := false, 0
	for i := 0; i < len(symbols); {
		n, _ := runs.decode(mq)
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
