// SPDX-License-Identifier: Apache-2.0

package codec

import (
	"errors"
	"math/bits"
)

// codeBlock is a rectangle of coefficients that is coded on its own.
type codeBlock struct {
	x0, y0, x1, y1 int
	included       bool
	zeroPlanes     int
	lengthBits     int
	passes         int
	segments       []blockSegment
}

// blockSegment is data that the arithmetic decoder reads in one go.
type blockSegment struct {
	data        []byte
	passes, max int
}

// cell holds the code-blocks of a subband in one precinct.
type cell struct {
	wide, high int
	blocks     []codeBlock
	inclusion  *tagTree
	zero       *tagTree
}

// subband is a band of a resolution, in its own coordinates.
type subband struct {
	orientation    orientation
	x0, y0, x1, y1 int
	index          int // that of the quantization
	cells          []cell
}

// resolution is one of a component of a tile, the smallest one first.
type resolution struct {
	x0, y0, x1, y1 int
	precinctX      int // a power of two
	precinctY      int
	across, down   int // precincts
	bands          []subband
	nextLayer      []int // of each precinct
}

// tileComponent is a component in a tile.
type tileComponent struct {
	x0, y0, x1, y1 int
	coding         *coding
	resolutions    []resolution
}

// tile is a tile that is decoded.
type tile struct {
	stream         *codestream
	parameters     *parameters
	x0, y0, x1, y1 int
	components     []tileComponent
	packets        packetReader
}

var errRoom = errors.New("the image needs more memory or time than it may")

// newTile divides a tile into resolutions, subbands, precincts and code-blocks (annex B).
func newTile(s *codestream, index int, room func(int64) bool) (*tile, error) {
	z, data := &s.size, s.tiles[index]
	p, q := index%z.tilesAcross, index/z.tilesAcross
	t := &tile{
		stream: s, parameters: data.parameters,
		x0: max(z.tileX+p*z.tileWidth, z.x0), y0: max(z.tileY+q*z.tileHeight, z.y0),
		x1: min(z.tileX+(p+1)*z.tileWidth, z.x1), y1: min(z.tileY+(q+1)*z.tileHeight, z.y1),
		packets: packetReader{data: data.data, startMarks: data.parameters.startMarks, endMarks: data.parameters.endMarks},
	}
	for c := range z.components {
		step := z.components[c]
		part := tileComponent{
			x0: ceil(t.x0, step.stepX), y0: ceil(t.y0, step.stepY), x1: ceil(t.x1, step.stepX), y1: ceil(t.y1, step.stepY),
			coding: &data.parameters.coding[c],
		}
		if len(part.coding.precinctX) == 0 {
			return nil, errors.New("a component without a style of coding")
		}
		for r := range part.coding.levels + 1 {
			made, ok := part.resolution(r, room)
			if !ok {
				return nil, errRoom
			}
			part.resolutions = append(part.resolutions, made)
		}
		t.components = append(t.components, part)
	}
	return t, nil
}

// What a precinct and a code-block take from the budget, in bytes.
const (
	precinctCost = 500
	blockCost    = 200
)

// resolution divides one resolution. It returns false for more code-blocks and precincts
// than there is room for.
func (c *tileComponent) resolution(r int, room func(int64) bool) (resolution, bool) {
	down := c.coding.levels - r
	out := resolution{
		x0: ceilShift(c.x0, down), y0: ceilShift(c.y0, down), x1: ceilShift(c.x1, down), y1: ceilShift(c.y1, down),
		precinctX: c.coding.precinctX[r], precinctY: c.coding.precinctY[r],
	}
	if out.x1 > out.x0 && out.y1 > out.y0 {
		out.across = ceilShift(out.x1, out.precinctX) - out.x0>>out.precinctX
		out.down = ceilShift(out.y1, out.precinctY) - out.y0>>out.precinctY
	}
	if !room(precinctCost * (1 + int64(out.across)*int64(out.down))) {
		return out, false
	}
	out.nextLayer = make([]int, out.across*out.down)
	orientations, level := []orientation{bandHL, bandLH, bandHH}, down+1
	px, py := out.precinctX-1, out.precinctY-1
	if r == 0 {
		orientations, level = []orientation{bandLL}, c.coding.levels
		px, py = px+1, py+1
	}
	for i, o := range orientations {
		b := subband{orientation: o, index: max(3*(r-1), 0) + i + min(r, 1)}
		// Equation B-15.
		half := func(high bool) int {
			if !high || level == 0 {
				return 0
			}
			return 1 << (level - 1)
		}
		hx, hy := half(o == bandHL || o == bandHH), half(o == bandLH || o == bandHH)
		b.x0, b.x1 = ceilShift(c.x0-hx, level), ceilShift(c.x1-hx, level)
		b.y0, b.y1 = ceilShift(c.y0-hy, level), ceilShift(c.y1-hy, level)
		cbx, cby := min(c.coding.blockX, px), min(c.coding.blockY, py)
		for py0 := range out.down {
			for px0 := range out.across {
				// The precinct in the coordinates of the subband.
				left, top := (out.x0>>out.precinctX+px0)<<px, (out.y0>>out.precinctY+py0)<<py
				x0, x1 := max(left, b.x0), min(left+1<<px, b.x1)
				y0, y1 := max(top, b.y0), min(top+1<<py, b.y1)
				made, ok := newCell(x0, y0, x1, y1, cbx, cby, room)
				if !ok {
					return out, false
				}
				b.cells = append(b.cells, made)
			}
		}
		out.bands = append(out.bands, b)
	}
	return out, true
}

func newCell(x0, y0, x1, y1, blockX, blockY int, room func(int64) bool) (cell, bool) {
	if x1 <= x0 || y1 <= y0 {
		return cell{}, true
	}
	left, top := x0>>blockX, y0>>blockY
	c := cell{wide: ceilShift(x1, blockX) - left, high: ceilShift(y1, blockY) - top}
	if !room(blockCost * int64(c.wide) * int64(c.high)) {
		return c, false
	}
	c.inclusion, c.zero = newTagTree(c.wide, c.high), newTagTree(c.wide, c.high)
	for y := range c.high {
		for x := range c.wide {
			c.blocks = append(c.blocks, codeBlock{
				x0: max((left+x)<<blockX, x0), y0: max((top+y)<<blockY, y0),
				x1: min((left+x+1)<<blockX, x1), y1: min((top+y+1)<<blockY, y1),
				lengthBits: 3,
			})
		}
	}
	return c, true
}

// tagTree codes an array of numbers (B.10.2).
type tagTree struct {
	levels []tagLevel
}

type tagLevel struct {
	wide, high int
	values     []int32
	lows       []int32
}

// unknownTag is the value of a node that is not yet known.
const unknownTag = 1 << 30

func newTagTree(wide, high int) *tagTree {
	t := &tagTree{}
	for {
		level := tagLevel{wide: wide, high: high, values: make([]int32, wide*high), lows: make([]int32, wide*high)}
		for i := range level.values {
			level.values[i] = unknownTag
		}
		t.levels = append(t.levels, level)
		if wide <= 1 && high <= 1 {
			return t
		}
		wide, high = (wide+1)/2, (high+1)/2
	}
}

// below reports whether the value at a leaf is below a threshold.
func (t *tagTree) below(r *stuffedBits, x, y int, threshold int32) bool {
	low := int32(0)
	for k := len(t.levels) - 1; k >= 0; k-- {
		level := &t.levels[k]
		i := y>>k*level.wide + x>>k
		low = max(low, level.lows[i])
		for low < threshold && low < level.values[i] && !r.ended {
			if r.bit() == 1 {
				level.values[i] = low
			} else {
				low++
			}
		}
		level.lows[i] = low
	}
	return t.levels[0].values[y*t.levels[0].wide+x] < threshold
}

// stuffedBits reads the bits of a packet header (B.10.1) and of passes that are not coded (D.6): a byte
// after 0xff has seven bits. After the end of the data it reads ones.
type stuffedBits struct {
	data  []byte
	at    int
	value byte
	left  int
	ended bool
}

func (r *stuffedBits) bit() int {
	if r.left == 0 {
		r.left = 8
		if r.value == 0xff {
			r.left = 7
		}
		r.value = 0xff
		if r.ended = r.at >= len(r.data); !r.ended {
			r.value = r.data[r.at]
			r.at++
		}
	}
	r.left--
	return int(r.value>>r.left) & 1
}

func (r *stuffedBits) bits(n int) int {
	v := 0
	for range n {
		v = v<<1 | r.bit()
	}
	return v
}

// align ends at a byte; a byte of 0xff is followed by one of stuffing.
func (r *stuffedBits) align() {
	if r.value == 0xff {
		r.at++
	}
	r.left, r.value = 0, 0
}

// packetReader reads packets one after the other.
type packetReader struct {
	data                 []byte
	startMarks, endMarks bool
}

// read reads the packet of a precinct in its next layer. It returns false at the end of the
// data.
func (p *packetReader) read(r *resolution, precinct int, c *coding, keep bool) bool {
	if len(p.data) == 0 {
		return false
	}
	if p.startMarks && len(p.data) >= 6 && p.data[0] == 0xff && p.data[1] == 0x91 {
		p.data = p.data[6:]
	}
	layer := r.nextLayer[precinct]
	r.nextLayer[precinct]++
	header := stuffedBits{data: p.data}
	type contribution struct {
		block *codeBlock
		from  int // the first of its segments with new data
		sizes []int
	}
	var found []contribution
	if header.bit() == 1 {
		for b := range r.bands {
			cell := &r.bands[b].cells[precinct]
			for i := range cell.blocks {
				block := &cell.blocks[i]
				passes := block.include(&header, cell, i, layer)
				if header.ended {
					return false
				}
				if passes > 0 {
					from, sizes := block.lengths(&header, passes, c.style)
					found = append(found, contribution{block: block, from: from, sizes: sizes})
				}
			}
		}
	}
	header.align()
	at := header.at
	if p.endMarks && at+2 <= len(p.data) && p.data[at] == 0xff && p.data[at+1] == 0x92 {
		at += 2
	}
	p.data = p.data[min(at, len(p.data)):]
	for _, f := range found {
		for i, size := range f.sizes {
			size = min(size, len(p.data))
			if keep {
				segment := &f.block.segments[f.from+i]
				segment.data = append(segment.data, p.data[:size]...)
			}
			p.data = p.data[size:]
		}
	}
	return !header.ended
}

// include reads whether a packet contributes to a block, and the number of its new passes.
func (b *codeBlock) include(r *stuffedBits, cell *cell, i, layer int) int {
	x, y := i%cell.wide, i/cell.wide
	if b.included {
		if r.bit() == 0 {
			return 0
		}
	} else {
		if !cell.inclusion.below(r, x, y, int32(layer+1)) { // #nosec G115 -- at most 65536
			return 0
		}
		for !cell.zero.below(r, x, y, int32(b.zeroPlanes+1)) && !r.ended && b.zeroPlanes < 64 { // #nosec G115 -- at most 64
			b.zeroPlanes++
		}
		b.included = true
	}
	return passes(r)
}

// passes reads a number of passes (table B.4).
func passes(r *stuffedBits) int {
	switch {
	case r.bit() == 0:
		return 1
	case r.bit() == 0:
		return 2
	}
	if n := r.bits(2); n < 3 {
		return 3 + n
	}
	if n := r.bits(5); n < 31 {
		return 6 + n
	}
	return 37 + r.bits(7)
}

// lengths reads the sizes in bytes of the new data of a block (B.10.7), and adds its segments.
func (b *codeBlock) lengths(r *stuffedBits, passes, style int) (from int, sizes []int) {
	for r.bit() == 1 && !r.ended {
		b.lengthBits++
	}
	from = len(b.segments)
	if from > 0 && b.segments[from-1].passes < b.segments[from-1].max {
		from--
	}
	for k := from; passes > 0 && b.lengthBits < 32; k++ {
		if k == len(b.segments) {
			b.segments = append(b.segments, blockSegment{max: mostPasses(k, style)})
		}
		segment := &b.segments[k]
		n := min(segment.max-segment.passes, passes)
		sizes = append(sizes, r.bits(b.lengthBits+bits.Len(uint(n))-1)) // #nosec G115 -- at least 1
		segment.passes += n
		b.passes += n
		passes -= n
	}
	return from, sizes
}

// mostPasses returns the number of passes of a segment, which the style of the block ends
// (table D.9).
func mostPasses(segment, style int) int {
	switch {
	case style&styleTerminate != 0:
		return 1
	case style&styleBypass == 0:
		return 1 << 10
	case segment == 0:
		return 10
	case segment%2 == 1:
		return 2
	}
	return 1
}
