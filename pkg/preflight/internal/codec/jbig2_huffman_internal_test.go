// SPDX-License-Identifier: Apache-2.0

package codec

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
)

// bitWriter writes Huffman codes.
type bitWriter struct {
	out  []byte
	left int
}

func (w *bitWriter) put(v, n int) {
	for i := n - 1; i >= 0; i-- {
		if w.left == 0 {
			w.out, w.left = append(w.out, 0), 8
		}
		w.left--
		w.out[len(w.out)-1] |= byte(v>>i&1) << w.left // #nosec G115 -- 0 or 1
	}
}

func (w *bitWriter) bytes(data []byte) {
	w.out, w.left = append(w.out, data...), 0
}

// line writes the code of a line.
func (w *bitWriter) line(t *huffmanTable, line int) {
	length := t.lines[line].length
	w.put(t.first[length]+slices.Index(t.order, line)-t.start[length], length)
}

// value writes a value.
func (w *bitWriter) value(tb testing.TB, t *huffmanTable, v int) {
	tb.Helper()
	for i, line := range t.lines {
		most := 1<<line.bits - 1
		switch {
		case line.length == 0 || line.kind == outOfBand:
		case line.kind == rangeLine && v >= line.low && v <= line.low+most:
			w.line(t, i)
			w.put(v-line.low, line.bits)
			return
		case line.kind == lowerLine && v <= line.low:
			w.line(t, i)
			w.put(line.low-v, line.bits)
			return
		}
	}
	tb.Fatalf("no code of %d", v)
}

func (w *bitWriter) outOfBand(t *huffmanTable) {
	w.line(t, slices.IndexFunc(t.lines, func(l huffmanLine) bool { return l.kind == outOfBand }))
}

// samples returns values of all ranges of a table, and numbers near them.
func samples(t *huffmanTable) (out []int) {
	for _, line := range t.lines {
		switch {
		case line.kind == outOfBand:
		case line.kind == lowerLine:
			out = append(out, line.low, line.low-7)
		case line.bits == 32:
			out = append(out, line.low, line.low+9)
		default:
			out = append(out, line.low, line.low+1<<line.bits-1)
		}
	}
	return out
}

func TestStandardTablesHaveACodeForEachValue(t *testing.T) {
	t.Parallel()
	tables := standardTables()
	for number, table := range tables[1:] {
		share, at, begun := 0, 0, false
		for _, line := range table.lines {
			share += 1 << (maxCode - line.length)
			if line.kind != rangeLine {
				continue
			}
			if begun && line.low != at {
				t.Errorf("table B.%d has a range from %d on, want %d", number+1, line.low, at)
			}
			begun, at = true, line.low+1<<line.bits
		}
		if share != 1<<maxCode {
			t.Errorf("codes of table B.%d take %d of %d", number+1, share, 1<<maxCode)
		}
	}
}

// table writes a table of the file, and returns it as the decoder should read it.
func (s *stream) table(t testing.TB, outOfBandLength, low int, lines ...huffmanLine) (byte, *huffmanTable) {
	t.Helper()
	const lengthBits, rangeBits = 4, 5
	w := &bitWriter{}
	flags, at := (lengthBits-1)<<1|(rangeBits-1)<<4, low
	for i := range lines {
		lines[i].low = at
		at += 1 << lines[i].bits
		w.put(lines[i].length, lengthBits)
		w.put(lines[i].bits, rangeBits)
	}
	lines = append(lines, huffmanLine{4, 32, low - 1, lowerLine}, huffmanLine{4, 32, at, rangeLine})
	w.put(4, lengthBits)
	w.put(4, lengthBits)
	if outOfBandLength > 0 {
		flags |= 1
		lines = append(lines, huffmanLine{length: outOfBandLength, kind: outOfBand})
		w.put(outOfBandLength, lengthBits)
	}
	table, err := newHuffmanTable(lines)
	if err != nil {
		t.Fatalf("newHuffmanTable: %v", err)
	}
	return s.segment(segmentTable, nil, []byte{byte(flags)}, words(low, at), w.out), table // #nosec G115 -- below 128
}

// own writes two tables of the file: without and with a value that is out of band.
func (s *stream) own(t testing.TB) (numbers [2]byte, tables [2]*huffmanTable) {
	t.Helper()
	numbers[0], tables[0] = s.table(t, 0, -256, huffmanLine{length: 2, bits: 8}, huffmanLine{length: 1, bits: 5}, huffmanLine{length: 3, bits: 9})
	numbers[1], tables[1] = s.table(t, 3, -64, huffmanLine{length: 3, bits: 6}, huffmanLine{length: 1, bits: 4}, huffmanLine{length: 3, bits: 9})
	return numbers, tables
}

// stripes is a bitmap of stripes that come in from the right, three pixels in each row, so that the
// vertical modes of a fax can code it.
func stripes(width, height, period int) *bilevel {
	b := &bilevel{width: width, height: height, pixels: make([]byte, width*height)}
	for i := range b.pixels {
		if at := i%width + 3*(i/width) - width + 1; at >= 0 && at/period%2 == 0 {
			b.pixels[i] = 1
		}
	}
	return b
}

// fax codes a bitmap in the vertical modes and the pass mode of ITU-T T.6, with the end of the block.
func fax(t testing.TB, b *bilevel) []byte {
	t.Helper()
	codes := map[int][2]int{0: {1, 1}, 1: {3, 3}, 2: {3, 6}, 3: {3, 7}, -1: {2, 3}, -2: {2, 6}, -3: {2, 7}}
	w := &bitWriter{}
	// change returns the next place after x from which a row has another colour than color.
	change := func(y, x, color int) int {
		for x++; x < b.width && (b.at(x, y) == color || b.at(x-1, y) != color); x++ {
		}
		return min(x, b.width)
	}
	for y := range b.height {
		color := 0
		for x := -1; x < b.width; color ^= 1 {
			next := max(x, 0)
			for next < b.width && b.at(next, y) == color {
				next++
			}
			above := change(y-1, x, color)
			if second := change(y-1, above, color^1); above < b.width && second < next {
				w.put(1, 4) // the pass mode
				x, color = second, color^1
				continue
			}
			code, ok := codes[next-above]
			if !ok {
				t.Fatalf("row %d changes at %d, and the row above at %d", y, next, above)
			}
			w.put(code[0], code[1])
			x = next
		}
	}
	w.put(0x001001, 24)
	return w.out
}

// refinedData codes a bitmap by its difference from another. It returns false unless a decoder has read all of
// the data before the end marker at the last pixel: poppler then does not find what follows the bitmap.
func refinedData(t *testing.T, contexts []mqContext, reference, want *bilevel, dx, dy int) ([]byte, bool) {
	t.Helper()
	e, after := newEncoder(), slices.Clone(contexts)
	e.refine(after, reference, want, 1, dx, dy)
	data := e.flush()
	d, mq := &jbig2{room: func(int64) bool { return true }}, newMQ(data)
	if _, err := d.refine(mq, slices.Clone(contexts), &refinement{template: 1, reference: reference, dx: dx, dy: dy}, want.width, want.height); err != nil {
		t.Fatalf("refine: %v", err)
	}
	if mq.at < len(data)-2 {
		return nil, false
	}
	copy(contexts, after)
	return data, true
}

// placedTables are tables of a text region, with the bits of the flags that select them.
type placedTables struct {
	flags               int
	first, next, strip  *huffmanTable
	wider, higher       *huffmanTable
	rightward, downward *huffmanTable
	size                *huffmanTable
	referred            []byte
}

// choices returns tables of text regions: each standard table at least once, and tables of the file.
func choices(own [2]byte, tables [2]*huffmanTable) map[string]placedTables {
	of := func(i int) *huffmanTable { return standardTables()[i] }
	return map[string]placedTables{
		"B.6, B.8, B.11, B.14":  {0, of(6), of(8), of(11), of(14), of(14), of(14), of(14), of(1), nil},
		"B.7, B.9, B.12, B.15":  {1 | 1<<2 | 1<<4 | 1<<6 | 1<<8 | 1<<10 | 1<<12, of(7), of(9), of(12), of(15), of(15), of(15), of(15), of(1), nil},
		"B.6, B.10, B.13, B.15": {2<<2 | 2<<4 | 1<<6 | 1<<10, of(6), of(10), of(13), of(15), of(14), of(15), of(14), of(1), nil},
		"tables of the file": {
			3 | 3<<2 | 3<<4 | 3<<6 | 3<<8 | 3<<10 | 3<<12 | 1<<14, tables[0], tables[1], tables[0], tables[0], tables[0], tables[0], tables[0], tables[0],
			append([]byte{own[0], own[1]}, bytes.Repeat([]byte{own[0]}, 12)...),
		},
	}
}

// symbolLengths writes the lengths of the codes of symbols, and returns their table.
func (w *bitWriter) symbolLengths(t testing.TB, lengths []int) *huffmanTable {
	t.Helper()
	runs := make([]huffmanLine, 35)
	for i := range runs {
		if i < 5 || i > 31 {
			runs[i] = huffmanLine{length: 3, low: i}
		}
		w.put(runs[i].length, 4)
	}
	table, err := newHuffmanTable(runs)
	if err != nil {
		t.Fatalf("newHuffmanTable: %v", err)
	}
	var lines []huffmanLine
	for i := 0; i < len(lengths); {
		n := 1
		for i+n < len(lengths) && lengths[i+n] == lengths[i] {
			n++
		}
		switch {
		case lengths[i] == 0 && n >= 11:
			n = min(n, 138)
			w.line(table, 34)
			w.put(n-11, 7)
		case lengths[i] == 0 && n >= 3:
			n = min(n, 10)
			w.line(table, 33)
			w.put(n-3, 3)
		case i > 0 && lengths[i] == lengths[i-1] && n >= 3:
			n = min(n, 6)
			w.line(table, 32)
			w.put(n-3, 2)
		default:
			n = 1
			w.line(table, lengths[i])
		}
		for range n {
			lines = append(lines, huffmanLine{length: lengths[i], low: i})
			i++
		}
	}
	w.left = 0
	if table, err = newHuffmanTable(lines); err != nil {
		t.Fatalf("newHuffmanTable: %v", err)
	}
	return table
}

func TestTextOfJBIG2InHuffmanCodes(t *testing.T) {
	t.Parallel()
	// Many symbols, most of which the text does not use.
	symbols, lengths, used := []*bilevel{}, make([]int, 60), []int{0, 1, 2, 3, 7, 25, 59}
	for i := range lengths {
		symbols = append(symbols, drawing(5+i%7, 12, i))
	}
	for _, i := range used {
		lengths[i] = 3
	}
	for _, refined := range []bool{false, true} {
		for _, strips := range []int{1, 4} {
			for name := range choices([2]byte{}, [2]*huffmanTable{}) {
				t.Run(fmt.Sprintf("%s, %d, %t", name, strips, refined), func(t *testing.T) {
					t.Parallel()
					var s stream
					const width, height = 1200, 900
					s.page(width, height)
					own, ownTables := s.own(t)
					tables := choices(own, ownTables)[name]
					dictionary := s.symbols(symbols, 0)
					want := &bilevel{width: width, height: height, pixels: make([]byte, width*height)}
					placed := &text{corner: cornerTopLeft}
					w := &bitWriter{}
					ids := w.symbolLengths(t, lengths)
					instances, strip, first, count := 0, 0, 0, 0
					contexts := make([]mqContext, refinementSizes[1])
					instance := func(at, offset int) int {
						if strips > 1 {
							w.put(offset, 2)
						} else {
							offset = 0
						}
						id := used[instances%len(used)]
						w.line(ids, id)
						symbol := symbols[id]
						instances++
						wider, higher, right, down := instances%4-2, instances/2%4-2, instances/3%5-2, instances/4%5-2
						changed := drawing(symbol.width+wider, symbol.height+higher, instances)
						data, changes := refinedData(t, contexts, symbol, changed, wider>>1+right, higher>>1+down)
						switch {
						case !refined:
						case !changes:
							w.put(0, 1)
						default:
							w.put(1, 1)
							w.value(t, tables.wider, wider)
							w.value(t, tables.higher, higher)
							w.value(t, tables.rightward, right)
							w.value(t, tables.downward, down)
							w.value(t, tables.size, len(data))
							w.bytes(data)
							symbol = changed
							count++
						}
						return placed.place(want, symbol, at, strip+offset)
					}
					w.value(t, tables.strip, 1)
					strip = -strips
					firsts, nexts, downs := samples(tables.first), samples(tables.next), samples(tables.strip)
					for i := range 2 * max(len(firsts), len(nexts), len(downs)) {
						down := 1
						if i < len(downs) && downs[i] > 0 && downs[i] < 60 {
							down = downs[i]
						}
						w.value(t, tables.strip, down)
						strip += down * strips
						// Each second line begins near the middle again.
						v := 600 - first
						if i%2 == 1 && i/2 < len(firsts) {
							v = firsts[i/2]
						}
						w.value(t, tables.first, v)
						first += v
						at := instance(first, i%4)
						gap := nexts[i/2%len(nexts)]
						w.value(t, tables.next, gap)
						instance(at+gap+3, (i+1)%4)
						w.outOfBand(tables.next)
					}
					if refined && count < instances/5 {
						t.Fatalf("%d of %d instances are refined", count, instances)
					}
					flags := 1 | symbolCodeLength(strips)<<2 | cornerTopLeft<<4 | 3<<10 | 1<<15
					if refined {
						flags |= 2
					}
					s.segment(segmentTextNow, append([]byte{dictionary}, tables.referred...), words(width, height, 0, 0),
						[]byte{0, byte(flags >> 8), byte(flags), byte(tables.flags >> 8), byte(tables.flags)}, words(instances), w.out) // #nosec G115 -- 16 bits
					switch {
					case refined && tables.referred != nil:
						// No decoder of Debian reads refinements with these tables.
						s.wantPageOf(t, want, nil)
					case refined:
						s.wantPageOfPoppler(t, want)
					default:
						s.wantPage(t, want)
					}
				})
			}
		}
	}
}

// show draws all symbols of a dictionary in a row, in a text region in arithmetic coding.
func (s *stream) show(dictionary byte, symbols []*bilevel) (width int, draw func(*bilevel)) {
	e := newEncoder()
	c := &arithmeticText{ids: newIDDecoder(len(symbols))}
	e.integer(&c.strips, 0, false)
	e.integer(&c.strips, 2, false)
	e.integer(&c.firsts, 1, false)
	placed := &text{corner: cornerTopLeft}
	for i := range symbols {
		if i > 0 {
			e.integer(&c.nexts, 2, false)
		}
		e.id(&c.ids, i)
		width += symbols[i].width + 1
	}
	e.integer(&c.nexts, 0, true)
	width += 2
	s.segment(segmentTextNow, []byte{dictionary}, words(width, 40, 0, 0), []byte{0, 0, cornerTopLeft << 4}, words(len(symbols)), e.flush())
	return width, func(want *bilevel) {
		at := 1
		for i, symbol := range symbols {
			if i > 0 {
				at += 2
			}
			at = placed.place(want, symbol, at, 2)
		}
	}
}

func TestSymbolsOfJBIG2InHuffmanCodes(t *testing.T) {
	t.Parallel()
	classes := [][]*bilevel{
		{stripes(4, 7, 3), stripes(9, 7, 2), stripes(17, 7, 4)},
		{stripes(12, 8, 4)},
		{stripes(9, 21, 5), stripes(30, 21, 3)},
	}
	of := func(i int) *huffmanTable { return standardTables()[i] }
	tests := map[string]struct {
		flags          int
		height, widths func([2]*huffmanTable) *huffmanTable
		own            bool
		packed         bool
	}{
		"B.4 and B.2, not compressed": {0, func([2]*huffmanTable) *huffmanTable { return of(4) }, func([2]*huffmanTable) *huffmanTable { return of(2) }, false, false},
		"B.5 and B.3, as a fax":       {1<<2 | 1<<4, func([2]*huffmanTable) *huffmanTable { return of(5) }, func([2]*huffmanTable) *huffmanTable { return of(3) }, false, true},
		"tables of the file":          {3<<2 | 3<<4 | 1<<6, func(o [2]*huffmanTable) *huffmanTable { return o[0] }, func(o [2]*huffmanTable) *huffmanTable { return o[1] }, true, true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var s stream
			s.page(200, 40)
			own, tables := s.own(t)
			heights, widths, sizes := tc.height(tables), tc.widths(tables), of(1)
			var referred []byte
			if tc.own {
				sizes, referred = tables[0], []byte{own[0], own[1], own[0]}
			}
			w := &bitWriter{}
			var symbols []*bilevel
			height := 0
			for _, class := range classes {
				w.value(t, heights, class[0].height-height)
				height = class[0].height
				width, total := 0, 0
				for _, symbol := range class {
					w.value(t, widths, symbol.width-width)
					width = symbol.width
					total += width
				}
				w.outOfBand(widths)
				all := stripes(total, height, 3)
				at := 0
				for _, symbol := range class {
					if tc.packed {
						// The parts of stripes that continue.
						symbol.combine(all, -at, 0, combineReplace)
					} else {
						all.combine(symbol, at, 0, combineReplace)
					}
					at += symbol.width
					symbols = append(symbols, symbol)
				}
				if tc.packed {
					data := fax(t, all)
					w.value(t, sizes, len(data))
					w.bytes(data)
					continue
				}
				w.value(t, sizes, 0)
				w.left = 0
				for y := range all.height {
					for _, v := range all.row(y) {
						w.put(int(v), 1)
					}
					w.left = 0
				}
			}
			w.value(t, of(1), 0)
			w.value(t, of(1), len(symbols))
			dictionary := s.segment(segmentSymbols, referred, []byte{byte(tc.flags >> 8), byte(tc.flags | 1)}, words(len(symbols), len(symbols)), w.out) // #nosec G115 -- 8 bits
			_, draw := s.show(dictionary, symbols)
			want := &bilevel{width: 200, height: 40, pixels: make([]byte, 200*40)}
			draw(want)
			s.wantPage(t, want)
		})
	}
}

// TestAggregatesOfJBIG2InHuffmanCodes makes symbols of others: by the refinement of one, and by a text of two.
func TestAggregatesOfJBIG2InHuffmanCodes(t *testing.T) {
	t.Parallel()
	of := func(i int) *huffmanTable { return standardTables()[i] }
	for _, ownInstances := range []bool{false, true} {
		var s stream
		s.page(120, 40)
		own, tables := s.own(t)
		first := []*bilevel{drawing(9, 12, 1), drawing(14, 12, 2), drawing(5, 12, 3)}
		dictionary := s.symbols(first, 0)
		instances, referred, flags := of(1), []byte{dictionary}, 1|2|1<<12
		if ownInstances {
			instances, referred, flags = tables[0], append(referred, own[0]), flags|1<<7
		}
		w := &bitWriter{}
		contexts := make([]mqContext, refinementSizes[1])
		idLength := symbolCodeLength(len(first) + 2)
		refine := func(reference *bilevel, width, height, dx, dy int) *bilevel {
			for seed := range 50 {
				made := drawing(width, height, seed)
				if data, ok := refinedData(t, contexts, reference, made, dx, dy); ok {
					w.value(t, of(1), len(data))
					w.bytes(data)
					return made
				}
			}
			t.Fatal("the data of each refinement ends too late")
			return nil
		}
		w.value(t, of(4), 20)
		// The first new symbol refines one.
		w.value(t, of(2), 11)
		w.value(t, instances, 1)
		w.put(1, idLength)
		w.value(t, of(15), -3)
		w.value(t, of(15), 2)
		one := refine(first[1], 11, 20, -3, 2)
		// The second one is a text: a symbol as it is, and one that differs.
		two := &bilevel{width: 24, height: 20, pixels: make([]byte, 24*20)}
		placed := &text{corner: cornerTopLeft}
		w.value(t, of(2), 24-11)
		w.value(t, instances, 2)
		w.value(t, of(11), 1) // the strip before the first one is at -1
		w.value(t, of(11), 4)
		w.value(t, of(6), 2)
		w.put(0, idLength)
		w.put(0, 1)
		at := placed.place(two, first[0], 2, 3)
		w.value(t, of(8), 3)
		w.put(2, idLength)
		w.put(1, 1)
		for _, v := range []int{1, -1, 1, 0} {
			w.value(t, of(15), v)
		}
		changed := refine(first[2], 6, 11, 1>>1+1, -1>>1)
		placed.place(two, changed, at+3, 3)
		w.outOfBand(of(8))
		w.outOfBand(of(2))
		// Export only the new symbols.
		w.value(t, of(1), len(first))
		w.value(t, of(1), 2)
		made := s.segment(segmentSymbols, referred, []byte{byte(flags >> 8), byte(flags)}, words(2, 2), w.out) // #nosec G115 -- 16 bits
		_, draw := s.show(made, []*bilevel{one, two})
		want := &bilevel{width: 120, height: 40, pixels: make([]byte, 120*40)}
		draw(want)
		s.wantPageOfPoppler(t, want)
	}
}

func TestHalftoneOfJBIG2InMMR(t *testing.T) {
	t.Parallel()
	const size, count, across, down = 6, 4, 13, 9
	patterns := stripes(size*count, size, 5)
	var s stream
	s.page(across*size, down*size)
	dictionary := s.segment(segmentPatterns, nil, []byte{1, size, size}, words(count-1), fax(t, patterns))
	high, low := stripes(across, down, 3), stripes(across, down, 4)
	want := &bilevel{width: across * size, height: down * size, pixels: make([]byte, across*size*down*size)}
	for i := range high.pixels {
		index := int(high.pixels[i])<<1 | int(high.pixels[i]^low.pixels[i])
		one := &bilevel{width: size, height: size, pixels: make([]byte, size*size)}
		one.combine(patterns, -index*size, 0, combineReplace)
		want.combine(one, i%across*size, i/across*size, combineOr)
	}
	s.segment(segmentHalftoneNow, []byte{dictionary}, words(want.width, want.height, 0, 0), []byte{0, 1}, words(across, down, 0, 0), []byte{size, 0, 0, 0}, fax(t, high), fax(t, low))
	s.wantPage(t, want)
}

// TestSymbolsThatManySegmentsShareAreBounded refers to one dictionary many times.
func TestSymbolsThatManySegmentsShareAreBounded(t *testing.T) {
	t.Parallel()
	d := &jbig2{room: func(int64) bool { return true }, segments: map[uint32]*segment{1: {symbols: make([]*bilevel, maxSymbols/2)}}}
	if got, err := d.symbolsOf(&header{referred: []uint32{1, 1}}); err != nil || len(got) != maxSymbols {
		t.Errorf("symbolsOf: %d symbols, %v, want %d", len(got), err, maxSymbols)
	}
	if got, err := d.symbolsOf(&header{referred: []uint32{1, 1, 1}}); err == nil {
		t.Errorf("symbolsOf: %d symbols, want an error", len(got))
	}
}

// huffmanStream returns symbols, a text with a refined one, and a halftone, all without arithmetic coding
// where possible.
func huffmanStream(t testing.TB) []byte {
	t.Helper()
	var s stream
	s.page(40, 40)
	own, tables := s.own(t)
	of := func(i int) *huffmanTable { return standardTables()[i] }
	symbols := []*bilevel{stripes(4, 7, 3), stripes(9, 7, 2)}
	w := &bitWriter{}
	w.value(t, of(4), 7)
	w.value(t, tables[1], 4)
	w.value(t, tables[1], 5)
	w.outOfBand(tables[1])
	data := fax(t, stripes(13, 7, 3))
	w.value(t, of(1), len(data))
	w.bytes(data)
	w.value(t, of(1), 0)
	w.value(t, of(1), 2)
	dictionary := s.segment(segmentSymbols, []byte{own[1]}, []byte{0, 1 | 3<<4}, words(2, 2), w.out)
	w = &bitWriter{}
	ids := w.symbolLengths(t, []int{1, 1})
	w.value(t, of(11), 1)
	w.value(t, of(11), 3)
	w.value(t, of(6), 2)
	w.line(ids, 0)
	w.put(1, 1)
	for range 4 {
		w.value(t, of(14), 1)
	}
	e := newEncoder()
	e.refine(make([]mqContext, refinementSizes[1]), symbols[0], drawing(5, 8, 1), 1, 1, 1)
	data = e.flush()
	w.value(t, of(1), len(data))
	w.bytes(data)
	w.value(t, of(8), 3)
	w.line(ids, 1)
	w.put(0, 1)
	w.outOfBand(of(8))
	s.segment(segmentTextNow, []byte{dictionary}, words(40, 40, 0, 0), []byte{0, 0x80, 3 | cornerTopLeft<<4, 0, 0}, words(2), w.out)
	patterns := s.segment(segmentPatterns, nil, []byte{1, 4, 4}, words(1), fax(t, stripes(8, 4, 3)))
	s.segment(segmentHalftoneNow, []byte{patterns}, words(40, 40, 0, 0), []byte{0, 1}, words(9, 9, 0, 0), []byte{4, 0, 0, 0}, fax(t, stripes(9, 9, 3)))
	return s.Bytes()
}

func TestSeedOfTheFuzzTargetIsValid(t *testing.T) {
	t.Parallel()
	if _, err := DecodeJBIG2(huffmanStream(t), nil, 40, 40, func(int64) bool { return true }); err != nil {
		t.Errorf("DecodeJBIG2: %v", err)
	}
	d := &jbig2{width: 40, height: 40, room: func(int64) bool { return true }, segments: map[uint32]*segment{}}
	if err := d.readSegments(huffmanStream(t)); err != nil {
		t.Errorf("readSegments: %v", err)
	}
}
