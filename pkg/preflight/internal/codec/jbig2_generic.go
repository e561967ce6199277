// SPDX-License-Identifier: Apache-2.0

package codec

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"golang.org/x/image/ccitt"
)

// template describes which pixels around a pixel are its context (T.88, 6.2.5.3): windows of the
// row and of the two rows above, and the adaptive pixels.
type template struct {
	// row, above and above2 are the pixels of each window, and shift where they are in the
	// context. ahead is how far the windows above reach to the right.
	row                      int
	above, aboveShift, ahead int
	above2, above2Shift      int
	ahead2                   int
	// adaptive are the places of the adaptive pixels in the context.
	adaptive []int
	// typical is the context of the bit that repeats a row (6.2.5.7).
	typical int
	size    int
}

var templates = [4]template{
	{row: 4, above: 5, aboveShift: 5, ahead: 2, above2: 3, above2Shift: 12, ahead2: 1, adaptive: []int{4, 10, 11, 15}, typical: 0x9b25, size: 1 << 16},
	{row: 3, above: 5, aboveShift: 4, ahead: 2, above2: 4, above2Shift: 9, ahead2: 2, adaptive: []int{3}, typical: 0x0795, size: 1 << 13},
	{row: 2, above: 4, aboveShift: 3, ahead: 1, above2: 3, above2Shift: 7, ahead2: 1, adaptive: []int{2}, typical: 0x00e5, size: 1 << 10},
	{row: 4, above: 5, aboveShift: 5, ahead: 1, adaptive: []int{4}, typical: 0x0195, size: 1 << 10},
}

// point is the place of an adaptive pixel, relative to the pixel.
type point struct{ x, y int }

// generic are the parameters of a bitmap that is coded by contexts.
type generic struct {
	template int
	typical  bool
	adaptive []point
	skip     *bilevel
}

// readAdaptive reads the places of n adaptive pixels.
func readAdaptive(data []byte, n int) ([]point, []byte, error) {
	if len(data) < 2*n {
		return nil, nil, errBits
	}
	var points []point
	for i := range n {
		p := point{x: int(int8(data[2*i])), y: int(int8(data[2*i+1]))} // #nosec G115 -- signed
		if p.y > 0 || p.y == 0 && p.x >= 0 {
			return nil, nil, fmt.Errorf("an adaptive pixel at %d,%d", p.x, p.y)
		}
		points = append(points, p)
	}
	return points, data[2*n:], nil
}

// decodeGeneric decodes a bitmap (6.2.5).
func (d *jbig2) decodeGeneric(mq *mqDecoder, contexts []mqContext, g *generic, width, height int) (*bilevel, error) {
	out, err := d.newBitmap(width, height)
	if err != nil {
		return nil, err
	}
	t := &templates[g.template]
	repeat := 0
	for y := range height {
		if g.typical {
			if repeat ^= mq.bit(&contexts[t.typical]); repeat == 1 {
				if y > 0 {
					copy(out.row(y), out.row(y-1))
				}
				continue
			}
		}
		row := out.row(y)
		var above, above2, window int
		for x := range t.ahead {
			above = above<<1 | out.at(x, y-1)
		}
		for x := range t.ahead2 {
			above2 = above2<<1 | out.at(x, y-2)
		}
		for x := range row {
			above = (above<<1 | out.at(x+t.ahead, y-1)) & (1<<t.above - 1)
			context := window | above<<t.aboveShift
			if t.above2 > 0 {
				above2 = (above2<<1 | out.at(x+t.ahead2, y-2)) & (1<<t.above2 - 1)
				context |= above2 << t.above2Shift
			}
			for i, shift := range t.adaptive {
				context |= out.at(x+g.adaptive[i].x, y+g.adaptive[i].y) << shift
			}
			v := 0
			if g.skip == nil || g.skip.at(x, y) == 0 {
				v = mq.bit(&contexts[context])
			}
			row[x] = byte(v) // #nosec G115 -- 0 or 1
			window = (window<<1 | v) & (1<<t.row - 1)
		}
	}
	return out, nil
}

// genericRegion is 7.4.6.
func (d *jbig2) genericRegion(data []byte, width, height int) (*bilevel, error) {
	if len(data) < 1 {
		return nil, errBits
	}
	flags := data[0]
	if flags&1 != 0 {
		return d.decodeFax(data[1:], width, height)
	}
	g := generic{template: int(flags >> 1 & 3), typical: flags&8 != 0}
	var err error
	if g.adaptive, data, err = readAdaptive(data[1:], len(templates[g.template].adaptive)); err != nil {
		return nil, err
	}
	return d.decodeGeneric(newMQ(data), make([]mqContext, templates[g.template].size), &g, width, height)
}

// decodeFax decodes a bitmap in MMR, which is Group 4 (6.2.6).
func (d *jbig2) decodeFax(data []byte, width, height int) (*bilevel, error) {
	out, err := d.newBitmap(width, height)
	if err != nil {
		return nil, err
	}
	reader := ccitt.NewReader(bytes.NewReader(data), ccitt.MSB, ccitt.Group4, width, height, &ccitt.Options{Invert: true})
	packed := make([]byte, (width+7)/8)
	for y := range height {
		// A fax that ends early keeps the rows before.
		if n, _ := io.ReadFull(reader, packed); n < len(packed) {
			break
		}
		for x := range width {
			out.pixels[y*width+x] = packed[x/8] >> (7 - x%8) & 1
		}
	}
	return out, nil
}

// faxLength returns the bytes up to the end of the block in which a fax ends: two times eleven zeros and a
// one, which no other code contains.
func faxLength(data []byte) int {
	window := uint32(0xffffffff)
	for i, b := range data {
		for bit := 7; bit >= 0; bit-- {
			if window = window<<1 | uint32(b>>bit)&1; window&0xffffff == 0x001001 {
				return i + 1
			}
		}
	}
	return len(data)
}

// refinement are the parameters of a bitmap that is coded by its difference from another.
type refinement struct {
	template  int
	typical   bool
	adaptive  []point
	reference *bilevel
	dx, dy    int
}

// The sizes of the contexts of refinement.
var refinementSizes = [2]int{1 << 13, 1 << 10}

// readRefinementAdaptive reads the adaptive pixels, which only the first template has.
func readRefinementAdaptive(data []byte, template int) ([]point, []byte, error) {
	if template == 1 {
		return nil, data, nil
	}
	if len(data) < 4 {
		return nil, nil, errBits
	}
	signed := func(i int) int { return int(int8(data[i])) } // #nosec G115 -- signed
	points := []point{{signed(0), signed(1)}, {signed(2), signed(3)}}
	if p := points[0]; p.y > 0 || p.y == 0 && p.x >= 0 {
		return nil, nil, fmt.Errorf("an adaptive pixel at %d,%d", p.x, p.y)
	}
	return points, data[4:], nil
}

// refine decodes a bitmap (6.3.5).
func (d *jbig2) refine(mq *mqDecoder, contexts []mqContext, r *refinement, width, height int) (*bilevel, error) {
	out, err := d.newBitmap(width, height)
	if err != nil {
		return nil, err
	}
	typicalContext := [2]int{0x0100, 0x0080}[r.template]
	repeat := 0
	for y := range height {
		if r.typical {
			repeat ^= mq.bit(&contexts[typicalContext])
		}
		for x := range width {
			near := func(dx, dy int) int { return r.reference.at(x-r.dx+dx, y-r.dy+dy) }
			if repeat == 1 {
				sum := 0
				for i := range 9 {
					sum += near(i%3-1, i/3-1)
				}
				if sum == 0 || sum == 9 {
					out.pixels[y*width+x] = byte(sum / 9) // #nosec G115 -- 0 or 1
					continue
				}
			}
			context := out.at(x-1, y) | out.at(x+1, y-1)<<1 | out.at(x, y-1)<<2
			if r.template == 0 {
				context |= out.at(x+r.adaptive[0].x, y+r.adaptive[0].y)<<3 |
					near(1, 1)<<4 | near(0, 1)<<5 | near(-1, 1)<<6 | near(1, 0)<<7 | near(0, 0)<<8 | near(-1, 0)<<9 |
					near(1, -1)<<10 | near(0, -1)<<11 | near(r.adaptive[1].x, r.adaptive[1].y)<<12
			} else {
				context |= out.at(x-1, y-1)<<3 | near(1, 1)<<4 | near(0, 1)<<5 | near(1, 0)<<6 | near(0, 0)<<7 | near(-1, 0)<<8 | near(0, -1)<<9
			}
			out.pixels[y*width+x] = byte(mq.bit(&contexts[context])) // #nosec G115 -- 0 or 1
		}
	}
	return out, nil
}

// refinementRegion is 7.4.7: it refines the bitmap that it refers to, or the page.
func (d *jbig2) refinementRegion(h *header, data []byte, width, height, x, y int) (*bilevel, error) {
	if len(data) < 1 {
		return nil, errBits
	}
	r := refinement{template: int(data[0] & 1), typical: data[0]&2 != 0, reference: d.page, dx: -x, dy: -y}
	for _, number := range h.referred {
		if s := d.segments[number]; s != nil && s.bitmap != nil {
			r.reference, r.dx, r.dy = s.bitmap, 0, 0
		}
	}
	if r.reference == nil {
		return nil, errors.New("a refinement of nothing")
	}
	var err error
	if r.adaptive, data, err = readRefinementAdaptive(data[1:], r.template); err != nil {
		return nil, err
	}
	return d.refine(newMQ(data), make([]mqContext, refinementSizes[r.template]), &r, width, height)
}

// patternDictionary is 7.4.4.
func (d *jbig2) patternDictionary(h *header) error {
	if len(h.data) < 7 {
		return errBits
	}
	flags, width, height := h.data[0], int(h.data[1]), int(h.data[2])
	count := int(binary.BigEndian.Uint32(h.data[3:])) + 1
	if width == 0 || height == 0 || count > maxSymbols {
		return errors.New("patterns without an extent")
	}
	var all *bilevel
	var err error
	if data, template := h.data[7:], int(flags>>1&3); flags&1 != 0 {
		all, err = d.decodeFax(data, count*width, height)
	} else {
		g := generic{template: template, adaptive: halftoneAdaptive(template, point{-width, 0})}
		all, err = d.decodeGeneric(newMQ(data), make([]mqContext, templates[template].size), &g, count*width, height)
	}
	if err != nil {
		return err
	}
	s := &segment{}
	for i := range count {
		pattern, err := d.newBitmap(width, height)
		if err != nil {
			return err
		}
		pattern.combine(all, -i*width, 0, combineReplace)
		s.patterns = append(s.patterns, pattern)
	}
	d.segments[h.number] = s
	return nil
}

// halftoneAdaptive returns the adaptive pixels of patterns and of their indices (6.6.5.2, 6.7.5).
func halftoneAdaptive(template int, first point) []point {
	return []point{first, {-3, -1}, {2, -2}, {-2, -2}}[:len(templates[template].adaptive)]
}

// halftoneRegion is 7.4.5 and 6.6.
func (d *jbig2) halftoneRegion(h *header, data []byte, width, height int) (*bilevel, error) {
	if len(data) < 21 {
		return nil, errBits
	}
	var patterns []*bilevel
	for _, number := range h.referred {
		if s := d.segments[number]; s != nil && len(patterns)+len(s.patterns) <= maxSymbols {
			patterns = append(patterns, s.patterns...)
		}
	}
	flags := data[0]
	word := func(i int) int { return int(int32(binary.BigEndian.Uint32(data[1+4*i:]))) } // #nosec G115 -- signed
	across, down, left, top := word(0), word(1), word(2), word(3)
	stepX, stepY := int(data[17])<<8|int(data[18]), int(data[19])<<8|int(data[20])
	if len(patterns) == 0 || across < 0 || down < 0 || int64(across)*int64(down) > maxBilevel {
		return nil, errors.New("a halftone that is not supported")
	}
	out, err := d.newBitmap(width, height)
	if err != nil {
		return nil, err
	}
	if flags&0x80 != 0 {
		for i := range out.pixels {
			out.pixels[i] = 1
		}
	}
	cell := func(column, row int) (x, y int) {
		return (left + row*stepY + column*stepX) >> 8, (top + row*stepX - column*stepY) >> 8
	}
	g := generic{template: int(flags >> 1 & 3)}
	g.adaptive = halftoneAdaptive(g.template, point{3, -1})
	if g.template > 1 {
		g.adaptive[0].x = 2
	}
	if flags&8 != 0 {
		if g.skip, err = d.newBitmap(across, down); err != nil {
			return nil, err
		}
		for i := range g.skip.pixels {
			if x, y := cell(i%across, i/across); x+patterns[0].width <= 0 || x >= width || y+patterns[0].height <= 0 || y >= height {
				g.skip.pixels[i] = 1
			}
		}
	}
	// The planes of the indices, the highest one first, in Gray code (annex C.5).
	if !d.room(8*int64(across)*int64(down) + int64(across)*int64(down)*int64(patterns[0].width*patterns[0].height)) {
		return nil, errRoom
	}
	data = data[21:]
	mq, contexts := newMQ(data), make([]mqContext, templates[g.template].size)
	indices := make([]int, across*down)
	for range symbolCodeLength(len(patterns)) {
		var plane *bilevel
		if flags&1 != 0 {
			n := faxLength(data)
			plane, err = d.decodeFax(data[:n], across, down)
			data = data[n:]
		} else {
			plane, err = d.decodeGeneric(mq, contexts, &g, across, down)
		}
		if err != nil {
			return nil, err
		}
		for i, v := range plane.pixels {
			indices[i] = indices[i]<<1 | indices[i]&1 ^ int(v)
		}
	}
	for i, index := range indices {
		x, y := cell(i%across, i/across)
		out.combine(patterns[min(index, len(patterns)-1)], x, y, int(flags>>4&7))
	}
	return out, nil
}
