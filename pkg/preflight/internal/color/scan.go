// SPDX-License-Identifier: Apache-2.0

package color

import (
	"math"
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
				if b.detailed {
					b.low, b.detailed = [64]float32{}, false
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
			b.detailed = true
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

// waves are the values of each frequency at the samples of a block, by the number of samples: the inverse
// transform of fewer samples (A.3.3), for coefficients of eight.
var waves = func() (out [9][8][8]float32) {
	for _, side := range [...]int{2, 4, 8} {
		n := float64(side)
		for u := range side {
			scale := math.Sqrt(n / 8 * 2 / n)
			if u == 0 {
				scale = math.Sqrt(n / 8 / n)
			}
			for x := range side {
				out[side][u][x] = float32(scale * math.Cos((2*float64(x)+1)*float64(u)*math.Pi/(2*n)))
			}
		}
	}
	return out
}()

// put sets the samples of a block from its lowest frequencies. mean is eight times the mean.
func (b *blocks) put(p *component, x, y, mean int) {
	n, stride := p.side, p.wide*p.side
	limited := func(v int) int16 { return int16(min(max(v+128, -1024), 1024)) } // #nosec G115 -- limited
	to := p.means[y*n*stride+x*n:]
	if !b.detailed {
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
	var sums [64]float32
	waves := &waves[n]
	for v := range n {
		var row [8]float32
		blank := true
		for u, f := range b.low[v*n : v*n+n] {
			if f != 0 {
				blank = false
				for k, w := range waves[u][:n] {
					row[k] += f * w
				}
			}
		}
		if blank {
			continue
		}
		for i, w := range waves[v][:n] {
			for k := range n {
				sums[i*n+k] += w * row[k]
			}
		}
	}
	for i := range n {
		for k, sum := range sums[i*n : i*n+n] {
			to[i*stride+k] = limited(int(sum+4096.5) - 4096)
		}
	}
}
