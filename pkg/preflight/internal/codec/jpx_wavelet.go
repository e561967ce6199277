// SPDX-License-Identifier: Apache-2.0

package codec

// The inverse wavelet transforms (ISO/IEC 15444-1, annex F).

// number is a coefficient of the reversible or the irreversible transform.
type number interface{ int32 | float32 }

// plane holds the coefficients or samples of a rectangle.
type plane[T number] struct {
	x0, y0, x1, y1 int
	values         []T
}

func newPlane[T number](x0, y0, x1, y1 int) plane[T] {
	return plane[T]{x0: x0, y0: y0, x1: x1, y1: y1, values: make([]T, max(x1-x0, 0)*max(y1-y0, 0))}
}

func (p *plane[T]) width() int { return p.x1 - p.x0 }

// interleave puts the coefficients of a subband where the transform expects them (F.3.3).
func (p *plane[T]) interleave(from *plane[T], o orientation) {
	dx, dy := 0, 0
	if o == bandHL || o == bandHH {
		dx = 1
	}
	if o == bandLH || o == bandHH {
		dy = 1
	}
	w := from.width()
	for y := from.y0; y < from.y1; y++ {
		row := from.values[(y-from.y0)*w : (y-from.y0+1)*w]
		at := (2*y+dy-p.y0)*p.width() + 2*from.x0 + dx - p.x0
		for _, v := range row {
			p.values[at] = v
			at += 2
		}
	}
}

// inverse transforms the interleaved coefficients of a resolution, rows first, then columns
// (F.3.2).
func (p *plane[T]) inverse(line func(values []T, odd int)) {
	w, h := p.width(), p.y1-p.y0
	for y := range h {
		line(p.values[y*w:(y+1)*w], p.x0&1)
	}
	// Several columns at once, so that rows are read whole.
	const many = 16
	column := make([]T, h)
	block := make([]T, many*h)
	for x := 0; x < w; x += many {
		n := min(many, w-x)
		for y := range h {
			for k, v := range p.values[y*w+x : y*w+x+n] {
				block[k*h+y] = v
			}
		}
		for k := range n {
			copy(column, block[k*h:(k+1)*h])
			line(column, p.y0&1)
			copy(block[k*h:(k+1)*h], column)
		}
		for y := range h {
			row := p.values[y*w+x : y*w+x+n]
			for k := range row {
				row[k] = block[k*h+y]
			}
		}
	}
}

// lift adds to every second value, from the given one on, a function of its neighbours. At the
// edges, the only neighbour counts twice.
func lift[T number](v []T, from int, add func(sum T) T) {
	last := len(v) - 1
	for i := from; i <= last; i += 2 {
		switch i {
		case 0:
			v[i] += add(v[1] + v[1])
		case last:
			v[i] += add(v[i-1] + v[i-1])
		default:
			v[i] += add(v[i-1] + v[i+1])
		}
	}
}

// reversible is the 5-3 transform (F.3.8.1); odd is 1 for a line that begins at an odd place.
func reversible(v []int32, odd int) {
	if len(v) == 1 {
		if odd == 1 {
			v[0] /= 2
		}
		return
	}
	lift(v, odd, func(sum int32) int32 { return -((sum + 2) >> 2) })
	lift(v, 1-odd, func(sum int32) int32 { return sum >> 1 })
}

// The parameters of the 9-7 transform (table F.4).
const (
	liftAlpha = -1.586134342059924
	liftBeta  = -0.052980118572961
	liftGamma = 0.882911075530934
	liftDelta = 0.443506852043971
	liftK     = 1.230174104914001
)

// irreversible is the 9-7 transform (F.3.8.2).
func irreversible(v []float32, odd int) {
	if len(v) == 1 {
		if odd == 1 {
			v[0] /= 2
		}
		return
	}
	for i := range v {
		if i&1 == odd {
			v[i] *= liftK
		} else {
			v[i] *= 1 / liftK
		}
	}
	lift(v, odd, func(sum float32) float32 { return -liftDelta * sum })
	lift(v, 1-odd, func(sum float32) float32 { return -liftGamma * sum })
	lift(v, odd, func(sum float32) float32 { return -liftBeta * sum })
	lift(v, 1-odd, func(sum float32) float32 { return -liftAlpha * sum })
}
