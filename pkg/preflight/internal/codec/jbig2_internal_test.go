// SPDX-License-Identifier: Apache-2.0

package codec

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
)

// mqEncoder is the arithmetic encoder (ISO/IEC 15444-1, C.2).
type mqEncoder struct {
	out   []byte
	c, a  uint32
	count int
}

func newEncoder() *mqEncoder { return &mqEncoder{out: []byte{0}, a: 0x8000, count: 12} }

func (e *mqEncoder) bit(context *mqContext, bit int) {
	state, mps := &mqStates[*context>>1], *context&1
	e.a -= state.qe
	if mqContext(bit) == mps { // #nosec G115 -- 0 or 1
		if e.a&0x8000 != 0 {
			e.c += state.qe
			return
		}
		if e.a < state.qe {
			e.a = state.qe
		} else {
			e.c += state.qe
		}
		*context = mqContext(state.afterMPS<<1) | mps
	} else {
		if e.a < state.qe {
			e.c += state.qe
		} else {
			e.a = state.qe
		}
		*context = mqContext(state.afterLPS<<1) | mps ^ mqContext(state.exchange)
	}
	for {
		e.a <<= 1
		e.c <<= 1
		if e.count--; e.count == 0 {
			e.byte()
		}
		if e.a&0x8000 != 0 {
			return
		}
	}
}

func (e *mqEncoder) byte() {
	last := &e.out[len(e.out)-1]
	if *last != 0xff && e.c >= 0x8000000 {
		*last++
		e.c &= 0x7ffffff
	}
	if *last == 0xff {
		e.out = append(e.out, byte(e.c>>20)) // #nosec G115 -- the highest byte
		e.c &= 0xfffff
		e.count = 7
		return
	}
	e.out = append(e.out, byte(e.c>>19)) // #nosec G115 -- the highest byte
	e.c &= 0x7ffff
	e.count = 8
}

func (e *mqEncoder) flush() []byte {
	end := e.c + e.a
	if e.c |= 0xffff; e.c >= end {
		e.c -= 0x8000
	}
	for range 2 {
		e.c <<= e.count
		e.byte()
	}
	return append(e.out[1:], 0xff, 0xac)
}

// integer encodes a value, or the one that is out of band.
func (e *mqEncoder) integer(d *intDecoder, v int, outOfBand bool) {
	previous := 1
	bit := func(b int) {
		e.bit(&d[previous], b)
		if previous < 256 {
			previous = previous<<1 | b
		} else {
			previous = (previous<<1|b)&511 | 256
		}
	}
	negative := 0
	if v < 0 || outOfBand {
		negative, v = 1, -v
	}
	bit(negative)
	class := 0
	for class+1 < len(intRanges) && v >= intRanges[class+1].offset {
		bit(1)
		class++
	}
	if class < len(intRanges)-1 {
		bit(0)
	}
	for i := intRanges[class].bits - 1; i >= 0; i-- {
		bit((v - intRanges[class].offset) >> i & 1)
	}
}

func (e *mqEncoder) id(d *idDecoder, v int) {
	previous := 1
	for i := d.length - 1; i >= 0; i-- {
		b := v >> i & 1
		e.bit(&d.contexts[previous], b)
		previous = previous<<1 | b
	}
}

// contextPixels are the pixels of the contexts of each template, from the lowest bit on, as
// figures 3 to 6 of T.88 show them.
var contextPixels = [4][]point{
	{{-1, 0}, {-2, 0}, {-3, 0}, {-4, 0}, {3, -1}, {2, -1}, {1, -1}, {0, -1}, {-1, -1}, {-2, -1}, {-3, -1}, {2, -2}, {1, -2}, {0, -2}, {-1, -2}, {-2, -2}},
	{{-1, 0}, {-2, 0}, {-3, 0}, {3, -1}, {2, -1}, {1, -1}, {0, -1}, {-1, -1}, {-2, -1}, {2, -2}, {1, -2}, {0, -2}, {-1, -2}},
	{{-1, 0}, {-2, 0}, {2, -1}, {1, -1}, {0, -1}, {-1, -1}, {-2, -1}, {1, -2}, {0, -2}, {-1, -2}},
	{{-1, 0}, {-2, 0}, {-3, 0}, {-4, 0}, {2, -1}, {1, -1}, {0, -1}, {-1, -1}, {-2, -1}, {-3, -1}},
}

// adaptiveBytes are the nominal adaptive pixels as segments state them.
var adaptiveBytes = [4][]byte{{3, 0xff, 0xfd, 0xff, 2, 0xfe, 0xfe, 0xfe}, {3, 0xff}, {2, 0xff}, {2, 0xff}}

// bitmap encodes a bitmap by contexts.
func (e *mqEncoder) bitmap(contexts []mqContext, b *bilevel, template int, typical bool) {
	same := func(y int) bool {
		for x := range b.width {
			if b.at(x, y) != b.at(x, y-1) {
				return false
			}
		}
		return true
	}
	before := false
	for y := range b.height {
		if typical {
			flip := 0
			if same(y) != before {
				flip, before = 1, !before
			}
			if e.bit(&contexts[templates[template].typical], flip); before {
				continue
			}
		}
		for x := range b.width {
			context := 0
			for i, p := range contextPixels[template] {
				context |= b.at(x+p.x, y+p.y) << i
			}
			e.bit(&contexts[context], b.at(x, y))
		}
	}
}

// drawing is a test bitmap.
func drawing(width, height, seed int) *bilevel {
	b := &bilevel{width: width, height: height, pixels: make([]byte, width*height)}
	for y := range height {
		for x := range width {
			dx, dy := x-width/2, y-height/2
			if (dx*dx+dy*dy+seed)%97 < 40 != (x*y%(7+seed%5) == 3) && y%9 < 7 {
				b.pixels[y*width+x] = 1
			}
		}
	}
	return b
}

// stream writes segments.
type stream struct {
	bytes.Buffer
	next byte
}

func (s *stream) segment(kind byte, referred []byte, data ...[]byte) byte {
	all := bytes.Join(data, nil)
	s.Write([]byte{0, 0, 0, s.next, kind})
	if n := len(referred); n <= 4 {
		s.WriteByte(byte(n << 5)) // #nosec G115 -- at most 4
	} else {
		s.Write(words(7<<29 | n))
		s.Write(make([]byte, (n+8)/8))
	}
	s.Write(referred)
	s.WriteByte(1)
	_ = binary.Write(s, binary.BigEndian, uint32(len(all))) // #nosec G115 -- small
	s.Write(all)
	s.next++
	return s.next - 1
}

func words(values ...int) (out []byte) {
	for _, v := range values {
		out = binary.BigEndian.AppendUint32(out, uint32(v)) // #nosec G115 -- two's complement
	}
	return out
}

func (s *stream) page(width, height int) {
	s.segment(segmentPage, nil, words(width, height, 0, 0), []byte{0, 0, 0})
}

// wantPage decodes a stream, and compares the page with a bitmap and with what jbig2dec reads.
func (s *stream) wantPage(t *testing.T, want *bilevel) {
	t.Helper()
	s.wantPageOf(t, want, func(in, out string) *exec.Cmd {
		if err := os.WriteFile(in, s.Bytes(), 0o600); err != nil {
			t.Fatalf("os.WriteFile: %v", err)
		}
		return exec.CommandContext(t.Context(), "jbig2dec", "-e", "-t", "pbm", "-o", out+"-000.pbm", in)
	})
}

// wantPageOfPoppler is [stream.wantPage] for what jbig2dec does not read: refinements in Huffman codes.
func (s *stream) wantPageOfPoppler(t *testing.T, want *bilevel) {
	t.Helper()
	s.wantPageOf(t, want, func(in, out string) *exec.Cmd {
		var b pdftest.Builder
		image := b.Stream(fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height %d /BitsPerComponent 1 /ColorSpace /DeviceGray /Filter /JBIG2Decode", want.width, want.height), s.Bytes())
		file := b.Document(pdftest.Print("q 400 0 0 400 100 200 cm /I Do Q", fmt.Sprintf("/XObject << /I %s >>", image)))
		if err := os.WriteFile(in, file, 0o600); err != nil {
			t.Fatalf("os.WriteFile: %v", err)
		}
		return exec.CommandContext(t.Context(), "pdfimages", in, out)
	})
}

// wantPageOf compares the page with a bitmap, and with what a command that reads the stream writes, unless
// it is nil.
func (s *stream) wantPageOf(t *testing.T, want *bilevel, read func(in, out string) *exec.Cmd) {
	t.Helper()
	got, err := DecodeJBIG2(s.Bytes(), nil, want.width, want.height, func(int64) bool { return true })
	if err != nil {
		t.Fatalf("DecodeJBIG2: %v", err)
	}
	stride := (want.width + 7) / 8
	page := &bilevel{width: want.width, height: want.height}
	for y := range want.height {
		for x := range want.width {
			page.pixels = append(page.pixels, 1-got[y*stride+x/8]>>(7-x%8)&1)
		}
	}
	if !bytes.Equal(want.pixels, page.pixels) {
		t.Errorf("the page differs (-want +got):\n%.600s", cmp.Diff(want.pixels, page.pixels))
	}
	if read == nil {
		return
	}
	directory := t.TempDir()
	command := read(filepath.Join(directory, "in"), filepath.Join(directory, "out"))
	if text, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, text)
	}
	file, err := os.ReadFile(filepath.Join(directory, "out-000.pbm"))
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	pixels := file[len(file)-stride*want.height:]
	for i, v := range got {
		x := i % stride * 8
		mask := byte(0xff)
		if over := x + 8 - want.width; over > 0 {
			mask <<= over
		}
		if (^v)&mask != pixels[i]&mask {
			t.Fatalf("byte %d is %08b, %s reads %08b", i, ^v&mask, filepath.Base(command.Path), pixels[i]&mask)
		}
	}
}

func TestGenericRegionsOfJBIG2(t *testing.T) {
	t.Parallel()
	for template := range templates {
		for _, typical := range []bool{false, true} {
			want := drawing(67, 45, template)
			e := newEncoder()
			e.bitmap(make([]mqContext, templates[template].size), want, template, typical)
			flags := byte(template << 1) // #nosec G115 -- at most 6
			if typical {
				flags |= 8
			}
			var s stream
			s.page(want.width, want.height)
			s.segment(segmentGenericNow, nil, words(want.width, want.height, 0, 0), []byte{0, flags}, adaptiveBytes[template], e.flush())
			s.wantPage(t, want)
		}
	}
}

// TestGenericRegionsOfJBIG2InMMR decodes two rows of three white, two black and three white pixels: the
// first in the horizontal mode, the second like the row above (ITU-T T.6, table 1).
func TestGenericRegionsOfJBIG2InMMR(t *testing.T) {
	t.Parallel()
	const rows = "001" + "1000" + "11" + "1" + "111"
	const end = "000000000001" + "000000000001"
	var coded []byte
	for i, bit := range rows + end {
		if i%8 == 0 {
			coded = append(coded, 0)
		}
		coded[len(coded)-1] |= byte(bit-'0') << (7 - i%8) // #nosec G115 -- 0 or 1
	}
	want := &bilevel{width: 8, height: 2, pixels: []byte{0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0}}
	var s stream
	s.page(8, 2)
	s.segment(segmentGenericNow, nil, words(8, 2, 0, 0), []byte{0, 1}, coded)
	s.wantPage(t, want)
}

// symbols writes a dictionary of symbols of one height.
func (s *stream) symbols(symbols []*bilevel, template int) byte {
	e := newEncoder()
	var heights, widths, runs intDecoder
	contexts := make([]mqContext, templates[template].size)
	e.integer(&heights, symbols[0].height, false)
	width := 0
	for _, symbol := range symbols {
		e.integer(&widths, symbol.width-width, false)
		width = symbol.width
		e.bitmap(contexts, symbol, template, false)
	}
	e.integer(&widths, 0, true)
	e.integer(&runs, 0, false)
	e.integer(&runs, len(symbols), false)
	return s.segment(segmentSymbols, nil, []byte{byte(template << 2), 0}, adaptiveBytes[template], words(len(symbols), len(symbols)), e.flush()) // #nosec G115 -- at most 12
}

func TestTextOfJBIG2(t *testing.T) {
	t.Parallel()
	symbols := []*bilevel{drawing(9, 12, 1), drawing(14, 12, 2), drawing(5, 12, 3)}
	for corner := range 4 {
		for _, transposed := range []bool{false, true} {
			for _, strips := range []int{1, 4} {
				var s stream
				s.page(120, 90)
				dictionary := s.symbols(symbols, corner)
				want := &bilevel{width: 120, height: 90, pixels: make([]byte, 120*90)}
				placed := &text{corner: corner, transposed: transposed}
				e := newEncoder()
				c := &arithmeticText{ids: newIDDecoder(len(symbols))}
				e.integer(&c.strips, 0, false)
				strip, first := 0, 0
				for line, ids := range [][]int{{0, 1, 2, 1}, {2, 2, 0}} {
					down := 20 + 16*line
					e.integer(&c.strips, (down-strip)/strips, false)
					strip = down
					start := 15 + 7*line
					e.integer(&c.firsts, start-first, false)
					first = start
					at := start
					for i, id := range ids {
						if i > 0 {
							e.integer(&c.nexts, i-2, false)
							at += i - 2 + 3 // with the gap of the region
						}
						offset := 0
						if strips > 1 {
							offset = i % strips
							e.integer(&c.offsets, offset, false)
						}
						e.id(&c.ids, id)
						at = placed.place(want, symbols[id], at, strip+offset)
					}
					e.integer(&c.nexts, 0, true)
				}
				flags := bits.Len(uint(strips-1))<<2 | corner<<4 | 3<<10
				if transposed {
					flags |= 0x40
				}
				s.segment(segmentTextNow, []byte{dictionary}, words(120, 90, 0, 0), []byte{0, byte(flags >> 8), byte(flags)}, words(7), e.flush()) // #nosec G115 -- 16 bits
				s.wantPage(t, want)
			}
		}
	}
}

// refine encodes a bitmap by its difference from another, moved by dx and dy.
func (e *mqEncoder) refine(contexts []mqContext, reference, want *bilevel, template, dx, dy int) {
	for y := range want.height {
		for x := range want.width {
			near := func(i, k int) int { return reference.at(x-dx+i, y-dy+k) }
			// Figures 12 and 13.
			context, shift := 0, 0
			add := func(v int) { context |= v << shift; shift++ }
			add(want.at(x-1, y))
			add(want.at(x+1, y-1))
			add(want.at(x, y-1))
			add(want.at(x-1, y-1))
			if template == 0 {
				for _, p := range []point{{1, 1}, {0, 1}, {-1, 1}, {1, 0}, {0, 0}, {-1, 0}, {1, -1}, {0, -1}, {-1, -1}} {
					add(near(p.x, p.y))
				}
			} else {
				for _, p := range []point{{1, 1}, {0, 1}, {1, 0}, {0, 0}, {-1, 0}, {0, -1}} {
					add(near(p.x, p.y))
				}
			}
			e.bit(&contexts[context], want.at(x, y))
		}
	}
}

func TestRefinementOfJBIG2(t *testing.T) {
	t.Parallel()
	for template := range refinementSizes {
		reference, want := drawing(40, 30, 4), drawing(40, 30, 4)
		for i := 0; i < len(want.pixels); i += 37 {
			want.pixels[i] ^= 1
		}
		first, second := newEncoder(), newEncoder()
		first.bitmap(make([]mqContext, templates[0].size), reference, 0, false)
		second.refine(make([]mqContext, refinementSizes[template]), reference, want, template, 0, 0)
		var s stream
		s.page(40, 30)
		s.segment(segmentGenericNow, nil, words(40, 30, 0, 0), []byte{0, 0}, adaptiveBytes[0], first.flush())
		adaptive := []byte{0xff, 0xff, 0xff, 0xff}
		if template == 1 {
			adaptive = nil
		}
		s.segment(segmentRefineNow, nil, words(40, 30, 0, 0), []byte{combineReplace, byte(template)}, adaptive, second.flush()) // #nosec G115 -- 0 or 1
		s.wantPage(t, want)
	}
}

func TestHalftoneOfJBIG2(t *testing.T) {
	t.Parallel()
	const size, count, across, down = 4, 5, 9, 6
	patterns := &bilevel{width: size * count, height: size, pixels: make([]byte, size*count*size)}
	for i := range patterns.pixels {
		x, y := i%patterns.width, i/patterns.width
		if (x%size*5+y*3)%7 < x/size {
			patterns.pixels[i] = 1
		}
	}
	e := newEncoder()
	contexts := make([]mqContext, templates[0].size)
	for y := range patterns.height {
		for x := range patterns.width {
			context := 0
			for i, p := range contextPixels[0] {
				if i == 4 {
					p = point{-size, 0}
				}
				context |= patterns.at(x+p.x, y+p.y) << i
			}
			e.bit(&contexts[context], patterns.at(x, y))
		}
	}
	var s stream
	s.page(across*size, down*size)
	dictionary := s.segment(segmentPatterns, nil, []byte{0, size, size}, words(count-1), e.flush())
	want := &bilevel{width: across * size, height: down * size, pixels: make([]byte, across*size*down*size)}
	indices := make([]int, across*down)
	for i := range indices {
		indices[i] = (i*i + i/3) % count
		one := &bilevel{width: size, height: size, pixels: make([]byte, size*size)}
		one.combine(patterns, -indices[i]*size, 0, combineReplace)
		want.combine(one, i%across*size, i/across*size, combineOr)
	}
	e = newEncoder()
	contexts = make([]mqContext, templates[0].size)
	for plane := symbolCodeLength(count) - 1; plane >= 0; plane-- {
		b := &bilevel{width: across, height: down}
		for _, index := range indices {
			b.pixels = append(b.pixels, byte((index^index>>1)>>plane&1)) // #nosec G115 -- 0 or 1
		}
		e.bitmap(contexts, b, 0, false)
	}
	s.segment(segmentHalftoneNow, []byte{dictionary}, words(want.width, want.height, 0, 0), []byte{0, 0}, words(across, down, 0, 0), []byte{size, 0, 0, 0}, e.flush())
	s.wantPage(t, want)
}

// FuzzDecodeJBIG2 decodes any data within a budget.
func FuzzDecodeJBIG2(f *testing.F) {
	e := newEncoder()
	e.bitmap(make([]mqContext, templates[1].size), drawing(20, 20, 1), 1, true)
	var s stream
	s.page(20, 20)
	s.symbols([]*bilevel{drawing(5, 6, 1), drawing(7, 6, 2)}, 2)
	s.segment(segmentGenericNow, nil, words(20, 20, 0, 0), []byte{0, 10}, adaptiveBytes[1], e.flush())
	f.Add(s.Bytes())
	f.Add(huffmanStream(f))
	f.Fuzz(func(_ *testing.T, data []byte) {
		left := int64(4 << 20)
		_, _ = DecodeJBIG2(data, nil, 64, 64, func(n int64) bool { left -= n; return left >= 0 && n >= 0 })
	})
}
