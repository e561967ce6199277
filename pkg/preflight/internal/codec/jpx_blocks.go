// SPDX-License-Identifier: Apache-2.0

package codec

// The coding of code-blocks: bit planes of coefficients in three passes (ISO/IEC 15444-1, annex D).

// The styles of code-blocks (table A.19).
const (
	styleBypass = 1 << iota
	styleReset
	styleTerminate
	styleCausal
	stylePredictable
	styleSymbols
)

// The flags of a coefficient: which of its neighbours are significant, the signs of the
// neighbours above, below and beside it, and its own state.
const (
	nearNE = 1 << iota
	nearSE
	nearSW
	nearNW
	nearN
	nearE
	nearS
	nearW
	minusN
	minusE
	minusS
	minusW
	significant
	refined
	visited

	near = 0xff
	// below are the flags of the next stripe.
	below = nearS | nearSE | nearSW | minusS
)

// The contexts (table D.7 and before).
const (
	contextSign    = 9
	contextRefine  = 14
	contextRun     = 17
	contextUniform = 18
	contexts       = 19
)

// orientation is the direction of a subband.
type orientation int

const (
	bandLL orientation = iota
	bandHL
	bandLH
	bandHH
)

// zeroContexts holds, for each orientation and flags of neighbours, the context of a
// coefficient that is not yet significant (table D.1).
var zeroContexts = func() (table [4][256]uint8) {
	for flags := range 256 {
		has := func(flag int) int { return min(flags&flag, 1) }
		h, v := has(nearE)+has(nearW), has(nearN)+has(nearS)
		d := has(nearNE) + has(nearSE) + has(nearSW) + has(nearNW)
		table[bandLL][flags] = sidesContext(h, v, d)
		table[bandLH][flags] = table[bandLL][flags]
		table[bandHL][flags] = sidesContext(v, h, d)
		table[bandHH][flags] = diagonalContext(h+v, d)
	}
	return table
}()

func sidesContext(h, v, d int) uint8 {
	switch {
	case h == 2:
		return 8
	case h == 1 && v >= 1:
		return 7
	case h == 1 && d >= 1:
		return 6
	case h == 1:
		return 5
	case v == 2:
		return 4
	case v == 1:
		return 3
	}
	return uint8(min(d, 2)) // #nosec G115 -- at most 2
}

func diagonalContext(sides, d int) uint8 {
	switch {
	case d >= 3:
		return 8
	case d == 2:
		return uint8(6 + min(sides, 1)) // #nosec G115 -- at most 7
	case d == 1:
		return uint8(3 + min(sides, 2)) // #nosec G115 -- at most 5
	}
	return uint8(min(sides, 2)) // #nosec G115 -- at most 2
}

// blockDecoder decodes code-blocks; it is used for one after the other.
type blockDecoder struct {
	width, height int
	stride        int
	flags         []uint16
	// values are magnitudes, with the sign in the highest bit.
	values []uint32
	style  int
	zero   *[256]uint8
	states [contexts]mqContext
	mq     *mqDecoder
	raw    stuffedBits
	// plane is that of the present pass.
	plane uint
}

const minus = 1 << 31

// decode decodes the passes of a block whose highest bit plane is the given one. It returns
// false for planes that do not fit.
func (d *blockDecoder) decode(b *codeBlock, band orientation, planes, style int) bool {
	d.width, d.height, d.style = b.x1-b.x0, b.y1-b.y0, style
	d.stride = d.width + 2
	d.flags = cleared(d.flags, d.stride*(d.height+2))
	d.values = cleared(d.values, d.width*d.height)
	d.zero = &zeroContexts[band]
	d.reset()
	highest := planes - 1 - b.zeroPlanes
	if highest < 0 || highest > 30 {
		return b.passes == 0
	}
	pass := 0
	for _, segment := range b.segments {
		direct := style&styleBypass != 0 && pass >= 10 && pass%3 != 0
		if direct {
			d.raw = stuffedBits{data: segment.data}
		} else {
			d.mq = newMQ(segment.data)
		}
		for range segment.passes {
			down := (pass + 2) / 3
			if down > highest {
				return true
			}
			d.plane = uint(highest - down) // #nosec G115 -- not negative
			switch pass % 3 {
			case 0:
				d.cleanUp()
			case 1:
				d.propagate(direct)
			case 2:
				d.refine(direct)
			}
			if style&styleReset != 0 {
				d.reset()
			}
			pass++
		}
	}
	return true
}

func cleared[T uint16 | uint32](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// reset sets the contexts to their first states (table D.7).
func (d *blockDecoder) reset() {
	d.states = [contexts]mqContext{0: 4 << 1, contextRun: 3 << 1, contextUniform: 46 << 1}
}

// each calls visit for the coefficients in the order of stripes of four rows.
func (d *blockDecoder) each(visit func(at, flagAt int, mask uint16)) {
	for top := 0; top < d.height; top += 4 {
		for x := range d.width {
			for y := top; y < min(top+4, d.height); y++ {
				visit(y*d.width+x, d.flagAt(x, y), d.mask(y))
			}
		}
	}
}

func (d *blockDecoder) flagAt(x, y int) int { return (y+1)*d.stride + x + 1 }

// mask leaves out the next stripe where contexts may not depend on it (D.7).
func (d *blockDecoder) mask(y int) uint16 {
	if d.style&styleCausal != 0 && y%4 == 3 {
		return ^uint16(below)
	}
	return ^uint16(0)
}

// propagate is the significance propagation pass (D.3.1).
func (d *blockDecoder) propagate(direct bool) {
	d.each(func(at, flagAt int, mask uint16) {
		flags := d.flags[flagAt] & mask
		if flags&significant != 0 || flags&near == 0 {
			return
		}
		var bit int
		if direct {
			bit = d.raw.bit()
		} else {
			bit = d.mq.bit(&d.states[d.zero[flags&near]])
		}
		if bit == 1 {
			d.become(at, flagAt, d.sign(flags, direct))
		}
		d.flags[flagAt] |= visited
	})
}

// refine is the magnitude refinement pass (D.3.3).
func (d *blockDecoder) refine(direct bool) {
	d.each(func(at, flagAt int, mask uint16) {
		flags := d.flags[flagAt]
		if flags&(significant|visited) != significant {
			return
		}
		var bit int
		switch {
		case direct:
			bit = d.raw.bit()
		case flags&refined != 0:
			bit = d.mq.bit(&d.states[contextRefine+2])
		case flags&mask&near != 0:
			bit = d.mq.bit(&d.states[contextRefine+1])
		default:
			bit = d.mq.bit(&d.states[contextRefine])
		}
		d.values[at] |= uint32(bit) << d.plane // #nosec G115 -- 0 or 1
		d.flags[flagAt] |= refined
	})
}

// cleanUp is the cleanup pass (D.3.4).
func (d *blockDecoder) cleanUp() {
	for top := 0; top < d.height; top += 4 {
		for x := range d.width {
			y, found := top, false
			if top+4 <= d.height && d.quiet(x, top) {
				if d.mq.bit(&d.states[contextRun]) == 0 {
					continue
				}
				y += d.mq.bit(&d.states[contextUniform])<<1 | d.mq.bit(&d.states[contextUniform])
				found = true
			}
			for ; y < min(top+4, d.height); y++ {
				flagAt := d.flagAt(x, y)
				flags := d.flags[flagAt]
				if found || flags&(significant|visited) == 0 {
					masked := flags & d.mask(y)
					if found || d.mq.bit(&d.states[d.zero[masked&near]]) == 1 {
						d.become(y*d.width+x, flagAt, d.sign(masked, false))
					}
					found = false
				}
			}
		}
	}
	for i := range d.flags {
		d.flags[i] &^= visited
	}
	if d.style&styleSymbols != 0 {
		for range 4 {
			d.mq.bit(&d.states[contextUniform])
		}
	}
}

// quiet reports whether the four coefficients of a column have no significant neighbour.
func (d *blockDecoder) quiet(x, top int) bool {
	for y := top; y < top+4; y++ {
		if d.flags[d.flagAt(x, y)]&d.mask(y)&(significant|visited|near) != 0 {
			return false
		}
	}
	return true
}

// sign decodes a sign by those of the neighbours (tables D.2 and D.3).
func (d *blockDecoder) sign(flags uint16, direct bool) bool {
	if direct {
		return d.raw.bit() == 1
	}
	of := func(near, minus uint16) int {
		switch {
		case flags&near == 0:
			return 0
		case flags&minus != 0:
			return -1
		}
		return 1
	}
	h := min(max(of(nearE, minusE)+of(nearW, minusW), -1), 1)
	v := min(max(of(nearN, minusN)+of(nearS, minusS), -1), 1)
	index := 3*h + v
	flip := index < 0
	if flip {
		index = -index
	}
	// (0,0), (0,1), (1,-1), (1,0), (1,1)
	return (d.mq.bit(&d.states[contextSign+index]) == 1) != flip
}

// become makes a coefficient significant, and notes that at its neighbours.
func (d *blockDecoder) become(at, flagAt int, negative bool) {
	d.values[at] = 1 << d.plane
	f, s := d.flags, d.stride
	f[flagAt] |= significant
	f[flagAt-s-1] |= nearSE
	f[flagAt-s+1] |= nearSW
	f[flagAt+s-1] |= nearNE
	f[flagAt+s+1] |= nearNW
	f[flagAt-s] |= nearS
	f[flagAt+s] |= nearN
	f[flagAt-1] |= nearE
	f[flagAt+1] |= nearW
	if negative {
		d.values[at] |= minus
		f[flagAt-s] |= minusS
		f[flagAt+s] |= minusN
		f[flagAt-1] |= minusE
		f[flagAt+1] |= minusW
	}
}
