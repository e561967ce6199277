// SPDX-License-Identifier: Apache-2.0

package color

import (
	"slices"
)

// scan reads the means of the planes of one scan. Of a progressive JPEG it reads only
// the first scan of each plane, whose means are almost exact. It returns the position
// of the next segment.
func (b *blocks) scan(body []byte, at int) (int, bool) {
	if len(body) < 1 || len(body) < 1+2*int(body[0])+3 {
		return 0, false
	}
	n := int(body[0])
	if n < 1 || n > len(b.planes) {
		return 0, false
	}
	var parts []*component
	for k := range n {
		index := slices.IndexFunc(b.planes, func(c component) bool { return c.id == body[1+2*k] })
		if index < 0 {
			return 0, false
		}
		p := &b.planes[index]
		p.dcTable, p.acTable = int(body[2+2*k]>>4), int(body[2+2*k]&15)
		if p.dcTable > 3 || p.acTable > 3 {
			return 0, false
		}
		parts = append(parts, p)
	}
	tail := body[1+2*n:]
	if b.progressive && (tail[0] != 0 || tail[2]>>4 != 0) {
		return b.skip(at), true
	}
	r := reader{data: b.data, at: at}
	ok := b.units(&r, parts, int(tail[2]&15))
	for _, p := range parts {
		p.seen = true
	}
	return b.skip(r.at), ok
}

// skip returns the position of the next marker other than a restart marker.
func (b *blocks) skip(at int) int {
	for ; at+1 < len(b.data); at++ {
		if b.data[at] == 0xff && b.data[at+1] != 0 && b.data[at+1] != 0xff && b.data[at+1]&0xf8 != 0xd0 {
			return at
		}
	}
	return len(b.data)
}

// units reads the units of a scan: one block, or several blocks of each plane.
func (b *blocks) units(r *reader, parts []*component, shift int) bool {
	across, down := ceil(b.width, 8*b.hMax), ceil(b.height, 8*b.vMax)
	if len(parts) == 1 {
		across, down = parts[0].wide, parts[0].high
	}
	var last [maxComponents]int
	for unit := range across * down {
		if b.restart > 0 && unit > 0 && unit%b.restart == 0 {
			if !r.restart() {
				return false
			}
			last = [maxComponents]int{}
		}
		x, y := unit%across, unit/across
		for k, p := range parts {
			h, v := p.h, p.v
			if len(parts) == 1 {
				h, v = 1, 1
			}
			for block := range h * v {
				value, ok := b.block(r, p, &last[k])
				if !ok {
					return false
				}
				x, y, mean := x*h+block%h, y*v+block/h, (value<<shift)*b.quants[p.quant][0]
				if x < p.wide && y < p.high {
					b.put(p, x, y, mean)
				}
				if b.filled > 0 {
					b.low, b.filled = [64]float32{}, 0
				}
			}
		}
	}
	return true
}

// block reads the mean of one block and skips the rest of it.
func (b *blocks) block(r *reader, p *component, last *int) (int, bool) {
	dc := b.tables[0][p.dcTable]
	if dc == nil {
		return 0, false
	}
	if r.n < enough && !r.fill() {
		return 0, false
	}
	size, length := r.code(dc)
	if length == 0 || size > 15 {
		return 0, false
	}
	*last += r.number(length, int(size))
	if b.progressive {
		return *last, true
	}
	ac := b.tables[1][p.acTable]
	if ac == nil {
		return 0, false
	}
	for k := 1; k < 64; k++ {
		if r.n < enough && !r.fill() {
			return 0, false
		}
		symbol, length := r.code(ac)
		if length == 0 {
			return 0, false
		}
		run, size := int(symbol>>4), int(symbol&15)
		if k += run; size == 0 && run != 15 {
			r.number(length, 0)
			break
		}
		if k > highest[p.side] || size == 0 {
			r.bits <<= length + size
			r.n -= length + size
			continue
		}
		value := r.number(length, size)
		if at := places[k]; at.u < p.side && at.v < p.side {
			b.low[at.v*p.side+at.u] = float32(value * b.quants[p.quant][k])
			b.filled = max(b.filled, at.v+1)
		}
	}
	return *last, true
}

// highest is the last frequency, in the order of the data, that a number of samples needs.
var highest = [9]int{2: 4, 4: 24, 8: 63} // constant

// places are the frequencies of a block in the order of the data (figure A.6).
var places = func() (out [64]struct{ u, v int }) {
	u, v := 0, 0
	for k := range out {
		out[k].u, out[k].v = u, v
		switch up := (u+v)%2 == 0; {
		case up && u == 7, !up && v < 7 && u == 0:
			v++
		case up && v == 0, !up && v == 7:
			u++
		case up:
			u, v = u+1, v-1
		default:
			u, v = u-1, v+1
		}
	}
	return out
}()

// put sets the samples of a block from its lowest frequencies. mean is eight times the mean.
func (b *blocks) put(p *component, x, y, mean int) {
	n, stride := p.side, p.wide*p.side
	to := p.means[y*n*stride+x*n:]
	if b.filled == 0 {
		v := limited(mean / 8)
		for i := range n {
			row := to[i*stride:][:n]
			for k := range row {
				row[k] = v
			}
		}
		return
	}
	b.low[0] = float32(mean)
	switch n {
	case 2:
		above, below := inverse2(b.low[0], b.low[1]), inverse2(b.low[2], b.low[3])
		for k := range n {
			column := inverse2(above[k], below[k])
			to[k], to[stride+k] = nearest(column[0]), nearest(column[1])
		}
	case 4:
		var rows [4][4]float32
		for v := range b.filled {
			rows[v] = inverse4(b.low[4*v], b.low[4*v+1], b.low[4*v+2], b.low[4*v+3])
		}
		if b.filled == 1 { // all rows are alike
			for k, v := range rows[0] {
				to[k] = nearest(cosine4 * v)
			}
			for i := 1; i < n; i++ {
				copy(to[i*stride:][:n], to)
			}
			return
		}
		for k := range n {
			for i, v := range inverse4(rows[0][k], rows[1][k], rows[2][k], rows[3][k]) {
				to[i*stride+k] = nearest(v)
			}
		}
	case 8:
		var rows [8][8]float32
		for v := range b.filled {
			rows[v] = inverse8((*[8]float32)(b.low[8*v:]))
		}
		// Rows at the same distance from both ends share their products, with another sign for odd frequencies.
		for i := range n / 2 {
			upper, lower := to[i*stride:][:8], to[(n-1-i)*stride:][:8]
			for k := range upper {
				var even, odd float32
				for v := 0; v < b.filled; v += 2 {
					even += waves[v][i] * rows[v][k]
					odd += waves[v+1][i] * rows[v+1][k] // #nosec G602 -- v is even, below 8
				}
				upper[k], lower[k] = nearest(even+odd), nearest(even-odd)
			}
		}
	}
}

// limited returns the sample of a value around 0.
func limited(v int) int16 { return int16(min(max(v+128, -1024), 1024)) } // #nosec G115 -- limited

func nearest(v float32) int16 { return limited(int(v+4096.5) - 4096) }

// The inverse transforms of a row of frequencies to two, four or eight samples (A.3.3), for coefficients of eight,
// use cos(k pi/16)/2.
const (
	cosine1 = 0.49039264020161522
	cosine2 = 0.46193976625564337
	cosine3 = 0.41573480615127262
	cosine4 = 0.35355339059327379
	cosine5 = 0.27778511650980114
	cosine6 = 0.19134171618254492
	cosine7 = 0.097545161008064124
)

// waves holds, by frequency, the first half of the samples of the transform to eight.
var waves = [8][4]float32{
	{cosine4, cosine4, cosine4, cosine4},
	{cosine1, cosine3, cosine5, cosine7},
	{cosine2, cosine6, -cosine6, -cosine2},
	{cosine3, -cosine7, -cosine1, -cosine5},
	{cosine4, -cosine4, -cosine4, cosine4},
	{cosine5, -cosine1, cosine7, cosine3},
	{cosine6, -cosine2, cosine2, -cosine6},
	{cosine7, -cosine5, cosine3, -cosine1},
} // constant

func inverse2(f0, f1 float32) [2]float32 { return [2]float32{cosine4 * (f0 + f1), cosine4 * (f0 - f1)} }

func inverse4(f0, f1, f2, f3 float32) [4]float32 {
	first, second := cosine4*(f0+f2), cosine4*(f0-f2)
	outer, inner := cosine2*f1+cosine6*f3, cosine6*f1-cosine2*f3
	return [4]float32{first + outer, second + inner, second - inner, first - outer}
}

func inverse8(f *[8]float32) (out [8]float32) {
	for x := range 4 {
		even := waves[0][x]*f[0] + waves[2][x]*f[2] + waves[4][x]*f[4] + waves[6][x]*f[6]
		odd := waves[1][x]*f[1] + waves[3][x]*f[3] + waves[5][x]*f[5] + waves[7][x]*f[7]
		out[x], out[7-x] = even+odd, even-odd
	}
	return out
}
