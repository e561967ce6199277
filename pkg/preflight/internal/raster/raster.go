// SPDX-License-Identifier: Apache-2.0

// Package raster computes which share of each pixel a shape covers.
//
// A pixel is a unit square; x runs to the right and y down. Coverage is exact for
// polygons, but for parts of one shape that overlap inside a pixel. Shapes are
// paths ([geom.Path]) in pixels; a [Stroker] converts lines with a width to shapes.
//
// [DoParts] divides work for many pixels among the CPUs of the process.
package raster

import (
	"bytes"
	"image"
	"math"
	"math/bits"
	"slices"

	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
)

// farAway bounds coordinates: beyond it, precision does not matter and integers
// could overflow.
const farAway = 1 << 24

// Rasterizer converts paths to coverage. It keeps its buffers between calls and is
// not safe for concurrent use. The zero value is ready.
type Rasterizer struct {
	box   image.Rectangle
	cells []cell
	// rows holds for each row of the box the index of its first cell plus one.
	rows []int32
	// small holds the second differences of the coverage of a small box: for each pixel, row by row, by how much
	// the step from the pixel before to it differs from the step before. Each row has three more numbers, for
	// the pixels behind it. A bit of marks, with as many words for each row, stands for a number that may not be
	// zero. All are zero between calls. extents holds for each row which pixels have an
	// outline. It is empty for another box.
	small   []float32
	marks   []uint64
	words   int
	extents []extent
	low     int
	high    int
	sorted  []cell
	dense   []cell
	cover   []uint8
	at      geom.Point
	start   geom.Point
	started bool
	work    int64
}

// extent is a range of pixels of a row, with its last one.
type extent struct{ first, last int32 }

// smallBox is the number of pixels up to which a box has a number for each pixel: larger boxes have a list of
// cells.
const smallBox = 1 << 13

// The work of the parts of a shape, about a nanosecond each. smallWork is that of a cell of a small box.
const (
	edgeWork  = 10
	cellWork  = 15
	smallWork = 4
	pixelWork = 1
)

// Work returns the work of all calls so far, in about nanoseconds.
func (r *Rasterizer) Work() int64 { return r.work }

// cell is the part of a shape's outline in one pixel.
type cell struct {
	x    int32
	next int32
	// cover is the height of the outline in the pixel, downwards positive; area is
	// the part of it that lies to the right of the outline within the pixel.
	cover, area float32
}

// Row receives the coverage of the pixels of row y from x on. The slice is valid
// during the call.
type Row func(y, x int, cover []uint8)

// Fill calls row for each row of the box that the path covers, from top to bottom.
// Open subpaths are closed.
func (r *Rasterizer) Fill(p *geom.Path, evenOdd bool, box image.Rectangle, row Row) {
	if box.Empty() || p.Empty() {
		return
	}
	r.reset(box)
	p.Each(func(v geom.Verb, to []geom.Point) {
		switch v {
		case geom.MoveTo:
			r.close()
			r.start = near(to[0])
			r.at, r.started = r.start, true
		case geom.LineTo:
			r.line(to[0])
		case geom.CurveTo:
			flatten(r.at, to[0], to[1], to[2], r.line)
		default:
			r.close()
		}
	})
	r.close()
	if len(r.extents) > 0 {
		r.sweepSmall(evenOdd, row)
		return
	}
	r.sweep(evenOdd, row)
}

func (r *Rasterizer) reset(box image.Rectangle) {
	r.box, r.cells = box, r.cells[:0]
	r.low, r.high = box.Dy(), -1
	r.extents = r.extents[:0]
	if area := box.Dx() * box.Dy(); area <= smallBox {
		if r.small == nil {
			r.small, r.marks = make([]float32, 4*smallBox), make([]uint64, smallBox)
		}
		r.words = (box.Dx()+2)/64 + 1
		for range box.Dy() {
			r.extents = append(r.extents, extent{first: math.MaxInt32, last: -1})
		}
	} else if n := box.Dy(); cap(r.rows) < n {
		r.rows = make([]int32, n)
	} else {
		r.rows = r.rows[:n]
		clear(r.rows)
	}
	if n := box.Dx(); cap(r.cover) < n {
		r.cover = make([]uint8, n)
	}
	r.started = false
}

func (r *Rasterizer) close() {
	if r.started && r.at != r.start {
		r.line(r.start)
	}
}

// line adds an edge from the current point.
func (r *Rasterizer) line(end geom.Point) {
	from, to := r.at, near(end)
	r.at = to
	r.work += edgeWork
	if from.Y == to.Y {
		return
	}
	direction := 1.0
	if from.Y > to.Y {
		from, to, direction = to, from, -1
	}
	left, top := float64(r.box.Min.X), float64(r.box.Min.Y)
	bottom := float64(r.box.Dy())
	x0, y0, x1, y1 := from.X-left, from.Y-top, to.X-left, to.Y-top
	if y1 <= 0 || y0 >= bottom {
		return
	}
	slope := (x1 - x0) / (y1 - y0)
	if y0 < 0 {
		x0, y0 = x0-y0*slope, 0
	}
	if y1 > bottom {
		x1, y1 = x1+(bottom-y1)*slope, bottom
	}
	first, last := int(y0), int(math.Ceil(y1))-1
	r.low, r.high = min(r.low, first), max(r.high, last)
	for y := first; y < last; y++ {
		height := float64(y+1) - y0
		end := x0 + height*slope
		r.inRow(y, x0, end, height*direction)
		x0, y0 = end, float64(y+1)
	}
	r.inRow(last, x0, x1, (y1-y0)*direction)
}

// near moves a point that is very far away nearer.
func near(p geom.Point) geom.Point {
	if math.Abs(p.X) <= farAway && math.Abs(p.Y) <= farAway {
		return p
	}
	limit := func(v float64) float64 {
		if v > -farAway {
			return min(v, farAway)
		}
		return -farAway // also for NaN
	}
	return geom.Point{X: limit(p.X), Y: limit(p.Y)}
}

// inRow adds an edge that lies in one row; height is its signed height.
func (r *Rasterizer) inRow(y int, x0, x1, height float64) {
	width := float64(r.box.Dx())
	if x0 > x1 {
		x0, x1 = x1, x0
	}
	if x0 >= width {
		return
	}
	if x1 <= 0 {
		r.add(y, 0, float32(height), float32(height))
		return
	}
	if span := x1 - x0; x0 < 0 || x1 > width {
		// Cut the edge at the sides of the box; the part to the left covers whole rows.
		if x0 < 0 {
			part := height * -x0 / span
			r.add(y, 0, float32(part), float32(part))
			height, x0 = height-part, 0
		}
		if x1 > width {
			span = x1 - x0
			height *= (width - x0) / span
			x1 = width
		}
	}
	first := int(x0)
	last := int(math.Ceil(x1)) - 1
	if last <= first {
		// The part to the right of the edge, within its pixel.
		r.add(y, first, float32(height), float32(height*(1-((x0+x1)/2-float64(first)))))
		return
	}
	rate := height / (x1 - x0)
	if len(r.extents) > 0 && last > first+1 {
		e := &r.extents[y]
		e.first, e.last = min(e.first, int32(first)), max(e.last, int32(last)) // #nosec G115 -- inside the box
		r.bend(y, x0, rate)
		r.bend(y, x1, -rate)
		return
	}
	part := rate * (float64(first+1) - x0)
	r.add(y, first, float32(part), float32(part*(float64(first+1)-x0)/2))
	whole, half := float32(rate), float32(rate/2)
	for x := first + 1; x < last; x++ {
		r.add(y, x, whole, half)
	}
	part = rate * (x1 - float64(last))
	r.add(y, last, float32(part), float32(part*(1-(x1-float64(last))/2)))
}

// bend adds a point from which on the coverage of a row of a small box increases by a rate for each pixel.
func (r *Rasterizer) bend(y int, at, rate float64) {
	x := int(at)
	before := at - float64(x)
	first, last := rate*(1-before)*(1-before)/2, rate*before*before/2
	r.step(y, x, float32(first), float32(rate-first-last), float32(last))
}

// step adds to the numbers of three pixels of a small box.
func (r *Rasterizer) step(y, x int, first, second, third float32) {
	steps := r.small[y*(r.box.Dx()+3)+x:][:3]
	steps[0] += first
	steps[1] += second
	steps[2] += third
	word, bit := y*r.words+x>>6, x&63
	r.marks[word] |= 7 << bit
	if bit > 61 {
		r.marks[word+1] |= 7 >> (64 - bit)
	}
}

func (r *Rasterizer) add(y, x int, cover, area float32) {
	if len(r.extents) > 0 {
		r.step(y, x, area, cover-2*area, area-cover)
		e := &r.extents[y]
		e.first, e.last = min(e.first, int32(x)), max(e.last, int32(x)) // #nosec G115 -- x is inside the box
		return
	}
	head := r.rows[y]
	if head > 0 && r.cells[head-1].x == int32(x) { // #nosec G115 -- x is inside the box
		c := &r.cells[head-1]
		c.cover += cover
		c.area += area
		return
	}
	r.cells = append(r.cells, cell{x: int32(x), next: head, cover: cover, area: area}) // #nosec G115 -- x is inside the box
	r.rows[y] = int32(len(r.cells))                                                    // #nosec G115 -- bounded by the segments of a path
}

// sweepSmall adds up the numbers of each row of a small box from left to right, and clears them.
func (r *Rasterizer) sweepSmall(evenOdd bool, row Row) {
	width := r.box.Dx()
	for y := max(r.low, 0); y <= r.high; y++ {
		first, end := int(r.extents[y].first), int(r.extents[y].last)+1
		if first >= end {
			continue
		}
		steps := r.small[y*(width+3)+first:][:end-first+3]
		marks := r.marks[y*r.words:][:r.words]
		cover := r.cover[first:end]
		var sum, slope float32
		for x := 0; x < len(cover); {
			if next := min(marked(marks, first+x)-first, len(cover)); x < next {
				ramp(cover[x:next], sum, slope, evenOdd)
				sum += slope * float32(next-x)
				x = next
			}
			for until := min(x+run(marks, first+x), len(cover)); x < until; x++ {
				slope += steps[x]
				sum += slope
				steps[x] = 0
				cover[x] = share(sum, evenOdd)
			}
		}
		sum += slope + steps[len(cover)]
		clear(steps[len(cover):])
		clear(marks)
		r.work += int64((end - first) * smallWork)
		r.finish(y, first, end, sum, evenOdd, row)
	}
}

// marked returns the first pixel from an index on whose bit is set, or one behind all.
func marked(marks []uint64, from int) int {
	word := from >> 6
	rest := marks[word] >> (from & 63)
	if rest != 0 {
		return from + bits.TrailingZeros64(rest)
	}
	for word++; word < len(marks); word++ {
		if marks[word] != 0 {
			return word<<6 + bits.TrailingZeros64(marks[word])
		}
	}
	return word << 6
}

// run returns the number of pixels from an index on whose bits are set, up to the end of a word.
func run(marks []uint64, from int) int {
	rest := marks[from>>6] >> (from & 63)
	return bits.TrailingZeros64(^rest)
}

// ramp sets the coverage of pixels to a sum that increases by a slope for each pixel.
func ramp(cover []uint8, sum, slope float32, evenOdd bool) {
	end := sum + slope*float32(len(cover))
	if sum+end < 0 {
		sum, slope, end = -sum, -slope, -end
	}
	const margin = 1e-3 // less than half of a level
	if sum < -margin || end < -margin || sum > 1+margin || end > 1+margin {
		for x := range cover {
			sum += slope
			cover[x] = share(sum, evenOdd)
		}
		return
	}
	const one = 1 << 16
	level, step := int32(sum*255*one)+one/2, int32(slope*255*one)
	if step == 0 {
		Set(cover, uint8(level>>16)) // #nosec G115 -- from 0 to 255
		return
	}
	for ; len(cover) >= 4; cover = cover[4:] {
		cover[0] = uint8((level + step) >> 16)   // #nosec G115 -- from 0 to 255
		cover[1] = uint8((level + 2*step) >> 16) // #nosec G115 -- from 0 to 255
		cover[2] = uint8((level + 3*step) >> 16) // #nosec G115 -- from 0 to 255
		level += 4 * step
		cover[3] = uint8(level >> 16) // #nosec G115 -- from 0 to 255
	}
	for x := range cover {
		level += step
		cover[x] = uint8(level >> 16) // #nosec G115 -- from 0 to 255
	}
}

// finish passes on a row whose edges from first to end have a height together.
func (r *Rasterizer) finish(y, first, end int, sum float32, evenOdd bool, row Row) {
	width := r.box.Dx()
	cover := r.cover[first:width]
	// Edges beyond the right side of the box were left out.
	if rest := share(sum, evenOdd); rest > 0 && end < width {
		Set(cover[end-first:], rest)
		end = width
	}
	r.work += int64((end - first) * pixelWork)
	row(r.box.Min.Y+y, r.box.Min.X+first, cover[:end-first])
}

// sweep adds up the cells of each row from left to right.
func (r *Rasterizer) sweep(evenOdd bool, row Row) {
	width := r.box.Dx()
	for y := max(r.low, 0); y <= r.high; y++ {
		r.sorted = r.sorted[:0]
		for i := r.rows[y]; i > 0; i = r.cells[i-1].next {
			r.sorted = append(r.sorted, r.cells[i-1])
		}
		if len(r.sorted) == 0 {
			continue
		}
		count := len(r.sorted)
		low, high := r.sorted[0].x, r.sorted[0].x
		for i := range r.sorted {
			low, high = min(low, r.sorted[i].x), max(high, r.sorted[i].x)
		}
		first, end := int(low), min(int(high)+1, width)
		if first >= width {
			continue
		}
		cover := r.cover[first:width]
		var sum float32
		if end-first < sparse*count {
			sum = r.addUp(first, cover[:end-first], evenOdd)
		} else {
			sum = r.fill(first, cover[:end-first], evenOdd)
		}
		r.work += int64(count * cellWork)
		r.finish(y, first, end, sum, evenOdd, row)
	}
}

// sparse is the number of pixels for one cell from which the cells of a row are sorted. Those of
// other rows are added up by pixel.
const sparse = 8

// addUp computes the coverage of a row from pixel first on, and returns the height of the edges
// in it.
func (r *Rasterizer) addUp(first int, cover []uint8, evenOdd bool) (sum float32) {
	if cap(r.dense) < len(cover) {
		r.dense = make([]cell, r.box.Dx())
	}
	dense := r.dense[:len(cover)]
	clear(dense)
	for i := range r.sorted {
		if x := int(r.sorted[i].x) - first; x < len(dense) {
			dense[x].cover += r.sorted[i].cover
			dense[x].area += r.sorted[i].area
		}
	}
	for x := range dense {
		cover[x] = share(sum+dense[x].area, evenOdd)
		sum += dense[x].cover
	}
	return sum
}

// fill does the same for a row with few cells.
func (r *Rasterizer) fill(first int, cover []uint8, evenOdd bool) (sum float32) {
	slices.SortFunc(r.sorted, func(a, b cell) int { return int(a.x - b.x) })
	end := 0
	for i := 0; i < len(r.sorted); {
		x := r.sorted[i].x
		var height, area float32
		for ; i < len(r.sorted) && r.sorted[i].x == x; i++ {
			height += r.sorted[i].cover
			area += r.sorted[i].area
		}
		if at := int(x) - first; at < len(cover) {
			if at > end {
				Set(cover[end:at], share(sum, evenOdd))
			}
			cover[at] = share(sum+area, evenOdd)
			end = at + 1
		}
		sum += height
	}
	return sum
}

// Set sets all values of a slice.
func Set[T uint8 | uint32](to []T, v T) {
	if len(to) == 0 {
		return
	}
	n := min(len(to), 16)
	for i := range to[:n] {
		to[i] = v
	}
	for ; n < len(to); n *= 2 {
		copy(to[n:], to[:n])
	}
}

// Flat reports whether all values are equal.
func Flat(values []uint8) bool {
	return len(values) == 0 || bytes.Equal(values[1:], values[:len(values)-1])
}

// share converts a signed coverage to 0 to 255.
func share(sum float32, evenOdd bool) uint8 {
	sum = math.Float32frombits(math.Float32bits(sum) &^ (1 << 31)) // without the sign
	if evenOdd && sum > 1 {
		if sum -= 2 * float32(int(sum/2)); sum > 1 {
			sum = 2 - sum
		}
	}
	return uint8(min(int32(sum*255+0.5), 255)) // #nosec G115 -- at most 255
}

// tolerance is the distance between a curve and the lines that replace it, in pixels.
const tolerance = 0.05

// flatten calls line for the ends of the lines that replace a curve.
func flatten(a, b, c, d geom.Point, line func(geom.Point)) {
	// The second differences bound the distance from the chord.
	x := max(math.Abs(a.X-2*b.X+c.X), math.Abs(b.X-2*c.X+d.X))
	y := max(math.Abs(a.Y-2*b.Y+c.Y), math.Abs(b.Y-2*c.Y+d.Y))
	n := math.Ceil(math.Sqrt(0.75 * math.Hypot(x, y) / tolerance))
	if !(n < 512) {
		n = 512
	}
	for i := 1.0; i < n; i++ {
		t := i / n
		s := 1 - t
		u, v, w, z := s*s*s, 3*s*s*t, 3*s*t*t, t*t*t
		line(geom.Point{X: u*a.X + v*b.X + w*c.X + z*d.X, Y: u*a.Y + v*b.Y + w*c.Y + z*d.Y})
	}
	line(d)
}
