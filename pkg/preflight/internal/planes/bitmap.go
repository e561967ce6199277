// SPDX-License-Identifier: Apache-2.0

package planes

import (
	"bytes"
	"image"
	"math"
	"slices"

	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/internal/raster"
)

// Bitmap is an image in inks. A plane without samples has no ink.
type Bitmap struct {
	Width, Height int
	Amounts       [Max][]uint8
	// Alpha is the opacity of the pixels; nil for opaque.
	Alpha []uint8
	// Textured is set when the pixels are means of different colours.
	Textured bool

	highest *Amounts
	flat    bool
}

// FlatNoise is the difference of amounts that compression makes in one colour.
const FlatNoise = 2

// Highest returns the highest amount of each ink.
func (b *Bitmap) Highest() Amounts {
	b.measure()
	return *b.highest
}

// Flat reports whether all pixels have one colour, are opaque, and are no means of
// different colours.
func (b *Bitmap) Flat() bool {
	b.measure()
	return b.flat && !b.Textured
}

func (b *Bitmap) measure() {
	if b.highest != nil {
		return
	}
	b.highest, b.flat = &Amounts{}, b.Alpha == nil
	var inked []int
	for p, plane := range b.Amounts {
		if len(plane) > 0 {
			inked = append(inked, p)
		}
	}
	var lowest Amounts
	count := min(raster.Parts(int(b.Size()), raster.LeastSamples), len(inked))
	raster.DoParts(count, func(k int) {
		for i := k; i < len(inked); i += count {
			plane := b.Amounts[inked[i]]
			b.highest[inked[i]], lowest[inked[i]] = slices.Max(plane), slices.Min(plane)
		}
	})
	for p, highest := range b.highest {
		b.flat = b.flat && highest-lowest[p] <= FlatNoise
	}
}

// Size returns the bytes of the bitmap.
func (b *Bitmap) Size() int64 {
	n := int64(len(b.Alpha))
	for _, plane := range b.Amounts {
		n += int64(len(plane))
	}
	return n
}

// MaxSamples bounds the samples that a [Sampler] takes for a pixel in each direction.
const MaxSamples = 4

// Sampler is a [Source] that takes the nearest pixels of a bitmap: one for each pixel of
// the canvas, or the mean of several of a bitmap with a finer resolution.
type Sampler struct {
	Bitmap *Bitmap
	// Inverse maps the canvas to the pixels of the bitmap.
	Inverse geom.Matrix
	// Repeat continues the bitmap in all directions; otherwise pixels outside take the
	// nearest at the edge.
	Repeat bool
	// Alpha, if not nil, is the opacity by another bitmap, which AlphaInverse maps to.
	Alpha        *Bitmap
	AlphaInverse geom.Matrix
	// Flat, if not nil, replaces the colours of the bitmap.
	Flat *Amounts

	index [MaxSamples * MaxSamples][]int
	sums  []uint32
	// weights are the sums of the opacities of the located pixels.
	weights []uint32
	// upright is set when the located pixels of a row lie in whole rows of the bitmap: the first side
	// indices are then columns, of n pixels from x on, and rows are where the rows begin.
	upright bool
	columns columns
	rows    [MaxSamples]int
}

// columns describes columns of a bitmap that were located.
type columns struct {
	bitmap     *Bitmap
	side, x, n int
}

// Highest returns the highest amount of each ink in the bitmap.
func (s *Sampler) Highest() Amounts { return s.Bitmap.Highest() }

// highest returns the highest amount of each ink that the sampler returns.
func (s *Sampler) highest() Amounts {
	if s.Flat != nil {
		return *s.Flat
	}
	return s.Bitmap.Highest()
}

// size returns the bytes of the bitmaps.
func (s *Sampler) size() int64 {
	size := s.Bitmap.Size()
	if s.Alpha != nil {
		size += s.Alpha.Size()
	}
	return size
}

// use makes the sampler take the pixels that another one takes. It keeps its buffers.
func (s *Sampler) use(o *Sampler) {
	s.Bitmap, s.Inverse, s.Repeat, s.Alpha, s.AlphaInverse, s.Flat = o.Bitmap, o.Inverse, o.Repeat, o.Alpha, o.AlphaInverse, o.Flat
	s.columns = columns{}
}

// Row implements [Source].
func (s *Sampler) Row(y, x, n int, to *Pixels) {
	opacities := s.Bitmap.Alpha
	weighted := opacities != nil && s.Flat == nil && sampleSide(s.Inverse) > 1
	samples := s.locate(s.Bitmap, s.Inverse, y, x, n, s.Repeat, !weighted)
	if opacities == nil {
		raster.Set(to.Alpha[:n], 255)
	} else {
		s.mean(to.Alpha[:n], opacities, samples)
	}
	if weighted {
		s.weights = append(s.weights[:0], s.sums...)
	}
	to.Inked = 0
	for p, plane := range s.Bitmap.Amounts {
		switch {
		case s.Flat != nil && s.Flat[p] != 0:
			raster.Set(to.Amounts[p][:n], s.Flat[p])
		case s.Flat != nil, plane == nil:
			continue
		case weighted:
			s.weightedMean(to.Amounts[p][:n], plane, opacities, samples)
		default:
			s.mean(to.Amounts[p][:n], plane, samples)
		}
		to.Inked |= 1 << p
	}
	if s.Alpha == nil {
		return
	}
	samples = s.locate(s.Alpha, s.AlphaInverse, y, x, n, false, true)
	s.add(n, s.Alpha.Alpha, samples)
	for i, sum := range s.sums {
		to.Alpha[i] = raster.Times(to.Alpha[i], uint8(sum/uint32(samples))) // #nosec G115 -- a mean of bytes
	}
}

// Work implements [Source].
func (s *Sampler) Work() int64 {
	n := sampleSide(s.Inverse)
	work := sampleWork * n * n
	for _, plane := range s.Bitmap.Amounts {
		if plane != nil {
			work += n * n
		}
	}
	if s.Alpha != nil {
		n = sampleSide(s.AlphaInverse)
		work += sampleWork * n * n
	}
	return int64(work)
}

// sampleWork is the work of locating a pixel of a bitmap, in about nanoseconds.
const sampleWork = 6

// sampleSide returns the number of samples for a pixel in each direction.
func sampleSide(inverse geom.Matrix) int {
	_, greatest := inverse.Stretch()
	return int(min(max(math.Ceil(greatest-0.01), 1), MaxSamples))
}

// mean sets values to those at the located pixels.
func (s *Sampler) mean(out, plane []uint8, samples int) {
	if samples == 1 && s.upright {
		row := plane[s.rows[0]:]
		for i, at := range s.index[0][:len(out)] {
			out[i] = row[at]
		}
		return
	}
	if samples == 1 {
		for i, at := range s.index[0][:len(out)] {
			out[i] = plane[at]
		}
		return
	}
	if s.upright && samples == 4 {
		width := s.Bitmap.Width
		above, below := plane[s.rows[0]:][:width], plane[s.rows[1]:][:width]
		left, right := s.index[0][:len(out)], s.index[1][:len(out)]
		for i := range out {
			a, b := left[i], right[i]
			out[i] = uint8((uint32(above[a]) + uint32(above[b]) + uint32(below[a]) + uint32(below[b]) + 2) / 4) // #nosec G115 -- a mean of bytes
		}
		return
	}
	s.add(len(out), plane, samples)
	n := uint32(samples) // #nosec G115 -- at most 16
	for i, sum := range s.sums {
		out[i] = uint8((sum + n/2) / n) // #nosec G115 -- a mean of bytes
	}
}

// weightedMean sets values to the means of those at the located pixels, weighted by their opacities: a
// transparent pixel has no colour.
func (s *Sampler) weightedMean(out, plane, opacities []uint8, samples int) {
	clear(s.sums)
	for k := range samples {
		for i, at := range s.index[k][:len(out)] {
			s.sums[i] += uint32(plane[at]) * uint32(opacities[at])
		}
	}
	for i, sum := range s.sums {
		out[i] = 0
		if weight := s.weights[i]; weight > 0 {
			out[i] = uint8((sum + weight/2) / weight) // #nosec G115 -- a mean of bytes
		}
	}
}

// add sets the sums of the values at the located pixels.
func (s *Sampler) add(n int, plane []uint8, samples int) {
	if cap(s.sums) < n {
		s.sums = make([]uint32, n)
	}
	s.sums = s.sums[:n]
	clear(s.sums)
	if s.upright {
		side := s.columns.side
		for _, from := range s.rows[:side] {
			row := plane[from:]
			for _, columns := range s.index[:side] {
				for i, at := range columns[:n] {
					s.sums[i] += uint32(row[at])
				}
			}
		}
		return
	}
	for k := range samples {
		for i, at := range s.index[k][:n] {
			s.sums[i] += uint32(plane[at])
		}
	}
}

// locate sets the indices of the pixels of a bitmap for each pixel of a row, and returns
// how many there are for each. byRows uses the rows of a bitmap that is not turned.
func (s *Sampler) locate(b *Bitmap, inverse geom.Matrix, y, x, n int, repeat, byRows bool) int {
	side := sampleSide(inverse)
	if s.upright = byRows && inverse[1] == 0 && inverse[2] == 0 && !repeat; s.upright {
		s.locateUpright(b, inverse, y, x, n, side)
		return side * side
	}
	s.columns = columns{}
	for k := range side * side {
		dx, dy := (float64(k%side)+0.5)/float64(side), (float64(k/side)+0.5)/float64(side)
		s.row(k, b, inverse, float64(x)+dx, float64(y)+dy, n, repeat)
	}
	return side * side
}

// locateUpright does the same for a bitmap that is not turned. The columns are those of the row before, as
// a rule.
func (s *Sampler) locateUpright(b *Bitmap, inverse geom.Matrix, y, x, n, side int) {
	for k := range side {
		_, v := inverse.Point(0, float64(y)+(float64(k)+0.5)/float64(side))
		s.rows[k] = min(max(int(math.Floor(v)), 0), b.Height-1) * b.Width
	}
	columns := columns{bitmap: b, side: side, x: x, n: n}
	if s.columns == columns {
		return
	}
	s.columns = columns
	for k := range side {
		s.row(k, &Bitmap{Width: b.Width, Height: 1}, inverse, float64(x)+(float64(k)+0.5)/float64(side), 0, n, false)
	}
}

// row sets one index for each pixel of a row that begins at a point.
func (s *Sampler) row(k int, b *Bitmap, inverse geom.Matrix, x, y float64, n int, repeat bool) {
	if cap(s.index[k]) < n {
		s.index[k] = make([]int, n)
	}
	index := s.index[k][:n]
	s.index[k] = index
	u, v := inverse.Point(x, y)
	for i := range index {
		column, row := int(math.Floor(u+float64(i)*inverse[0])), int(math.Floor(v+float64(i)*inverse[1]))
		if repeat {
			column, row = column%b.Width, row%b.Height
			if column < 0 {
				column += b.Width
			}
			if row < 0 {
				row += b.Height
			}
		} else {
			column, row = min(max(column, 0), b.Width-1), min(max(row, 0), b.Height-1)
		}
		index[i] = row*b.Width + column
	}
}

// Bitmap returns what was painted on the top layer, with its opacity. Only a group
// that is isolated has one.
func (c *Canvas) Bitmap() *Bitmap {
	l := c.top
	return &Bitmap{Width: l.box.Dx(), Height: l.box.Dy(), Amounts: l.planes, Alpha: l.alpha}
}

// Luminosity returns the luminosity of what was painted, composited with a colour
// (11.5.3); the planes hold complements of light.
func (c *Canvas) Luminosity(backdrop Amounts) *raster.Mask {
	l := c.page
	out := raster.NewMask(l.box)
	for i := range out.Pix {
		var inks [FirstSpot]uint8
		for p := range inks {
			if l.planes[p] != nil {
				inks[p] = l.planes[p][i]
			}
			inks[p] = between(backdrop[p], inks[p], l.alpha[i])
		}
		out.Pix[i] = Light(inks)
	}
	return out
}

// Light returns the luminosity of process inks that are complements of light.
func Light(inks [FirstSpot]uint8) uint8 {
	light := (77*uint32(255-inks[0]) + 151*uint32(255-inks[1]) + 28*uint32(255-inks[2]) + 128) >> 8
	return raster.Times(uint8(light), 255-inks[3]) // #nosec G115 -- at most 255
}

// Opacity returns the opacity of what was painted.
func (c *Canvas) Opacity() *raster.Mask { return &raster.Mask{Box: c.page.box, Pix: c.page.alpha} }

// Measurement is the ink on a part of the canvas.
type Measurement struct {
	// Pixels is their number.
	Pixels int64
	// Sum adds up the amounts of each plane, and Highest is the most of each.
	Sum     [Max]uint64
	Highest Amounts
	// Totals counts the pixels by their total of inks in percent, rounded.
	Totals []uint32
	// Cells holds the highest total in percent of each cell of a grid of Columns x Rows
	// squares of Side pixels, row by row from the top left.
	Cells               []uint16
	Columns, Rows, Side int
}

// Measure measures the ink inside a box. Cells have at least the given side.
func (c *Canvas) Measure(box image.Rectangle, side int) Measurement {
	c.Flush()
	l := c.page
	box = box.Intersect(l.box)
	m := Measurement{Pixels: int64(box.Dx()) * int64(box.Dy()), Side: side, Totals: make([]uint32, Max*100+1)}
	m.Columns, m.Rows = (box.Dx()+side-1)/side, (box.Dy()+side-1)/side
	m.Cells = make([]uint16, m.Columns*m.Rows)
	// Each part has rows of cells of its own.
	parts := make([]Measurement, min(raster.Parts(int(m.Pixels), raster.LeastSamples), max(m.Rows, 1)))
	raster.DoParts(len(parts), func(k int) {
		part := &parts[k]
		part.Side, part.Totals = side, make([]uint32, len(m.Totals))
		for row := k * m.Rows / len(parts); row < (k+1)*m.Rows/len(parts); row++ {
			top := box.Min.Y + row*side
			for y := top; y < min(top+side, box.Max.Y); y++ {
				from, until := l.painted(y, box.Min.X, box.Max.X)
				part.Totals[0] += uint32(box.Dx() - (until - from)) // #nosec G115 -- inside of the box
				for x := from; x < until; x += measured {
					part.row(l, y, x, min(measured, until-x), x-box.Min.X, m.Cells[row*m.Columns:])
				}
			}
		}
	})
	for i := range parts {
		m.add(&parts[i])
	}
	return m
}

// add adds the inks of a part of the box.
func (m *Measurement) add(part *Measurement) {
	for p, sum := range part.Sum {
		m.Sum[p] += sum
		m.Highest[p] = max(m.Highest[p], part.Highest[p])
	}
	for percent, pixels := range part.Totals {
		m.Totals[percent] += pixels
	}
}

// measured is the number of pixels that are measured at once: most parts of most planes
// are blank.
const measured = 64

// row measures n pixels of a row from x on, which are the pixels from at on of the cells.
func (m *Measurement) row(l *layer, y, x, n, at int, cells []uint16) {
	first := l.index(y, x)
	if l.flat(first, n) {
		m.flat(l, first, n, at, cells)
		return
	}
	var blank [measured]uint8
	var sums [measured]uint16
	totals := sums[:n]
	for p, plane := range l.planes {
		if plane == nil {
			continue
		}
		part := plane[first : first+n]
		if bytes.Equal(part, blank[:n]) {
			continue
		}
		sum, highest := uint64(0), m.Highest[p]
		for i, v := range part {
			sum += uint64(v)
			highest = max(highest, v)
			totals[i] += uint16(v)
		}
		m.Sum[p] += sum
		m.Highest[p] = highest
	}
	for i, total := range totals {
		percent := percentOf(total)
		m.Totals[percent]++
		if cell := &cells[(at+i)/m.Side]; percent > *cell {
			*cell = percent
		}
	}
}

// flat reports whether n pixels from an index on have one colour.
func (l *layer) flat(first, n int) bool {
	for _, plane := range l.planes {
		if plane != nil && !raster.Flat(plane[first:first+n]) {
			return false
		}
	}
	return true
}

// flat is [Measurement.row] of pixels in one colour.
func (m *Measurement) flat(l *layer, first, n, at int, cells []uint16) {
	total := uint16(0)
	for p, plane := range l.planes {
		if plane != nil {
			m.Sum[p] += uint64(plane[first]) * uint64(n) // #nosec G115 -- at most 64
			m.Highest[p] = max(m.Highest[p], plane[first])
			total += uint16(plane[first])
		}
	}
	percent := percentOf(total)
	m.Totals[percent] += uint32(n) // #nosec G115 -- at most 64
	for i := at / m.Side; i <= (at+n-1)/m.Side; i++ {
		cells[i] = max(cells[i], percent)
	}
}

// percentOf returns a total of inks in percent, rounded.
func percentOf(total uint16) uint16 { return uint16((uint32(total)*100 + 127) / 255) } // #nosec G115 -- at most 1600

// Mean returns the highest mean of the totals of the first inks inside a box, in percent, in squares
// of a side, and the first of these squares. The square is smaller where the box is.
func (c *Canvas) Mean(box image.Rectangle, side, inks int) (percent float64, square image.Rectangle) {
	c.Flush()
	l := c.page
	box = box.Intersect(l.box)
	width, height := min(side, box.Dx()), min(side, box.Dy())
	if width < 1 || height < 1 {
		return 0, image.Rectangle{}
	}
	// columns holds for each column the sum of the rows of the square.
	columns := make([]int, box.Dx())
	add := func(y, sign int) {
		for _, plane := range l.planes[:min(inks, len(l.planes))] {
			if plane == nil {
				continue
			}
			for x, v := range plane[l.index(y, box.Min.X):][:box.Dx()] {
				columns[x] += sign * int(v)
			}
		}
	}
	highest := -1
	for y := box.Min.Y; y < box.Max.Y; y++ {
		add(y, 1)
		top := y + 1 - height
		if top < box.Min.Y {
			continue
		}
		sum := 0
		for x, v := range columns {
			if sum += v; x >= width {
				sum -= columns[x-width]
			}
			if left := x + 1 - width; left >= 0 && sum > highest {
				highest = sum
				square = image.Rect(box.Min.X+left, top, box.Min.X+x+1, y+1)
			}
		}
		add(top, -1)
	}
	return float64(highest) / 255 / float64(width*height) * 100, square
}

// Convert replaces the process inks of each pixel that has some.
func (c *Canvas) Convert(to func([FirstSpot]uint8) [FirstSpot]uint8) {
	c.Flush()
	c.page.convert(to)
}

// ConvertGroup is [Canvas.Convert] for the group that is being painted, and returns the number of the
// pixels that may have ink.
func (c *Canvas) ConvertGroup(to func([FirstSpot]uint8) [FirstSpot]uint8) int64 {
	c.Flush()
	return c.top.convert(to)
}

func (l *layer) convert(to func([FirstSpot]uint8) [FirstSpot]uint8) (pixels int64) {
	var last, result [FirstSpot]uint8
	for y, row := range l.rows {
		pixels += int64(row.until - row.from)
		for i := y*l.box.Dx() + int(row.from); i < y*l.box.Dx()+int(row.until); i++ {
			var inks [FirstSpot]uint8
			for p := range inks {
				if l.planes[p] != nil {
					inks[p] = l.planes[p][i]
				}
			}
			if inks == ([FirstSpot]uint8{}) {
				continue
			}
			if inks != last {
				last, result = inks, to(inks)
			}
			for p, v := range result {
				if l.planes[p] == nil {
					if v == 0 {
						continue
					}
					l.allocate(p)
				}
				l.planes[p][i] = v
			}
		}
	}
	return pixels
}

// Painted returns the range of the pixels from left to right that may have ink in a row.
func (c *Canvas) Painted(y, left, right int) (from, until int) {
	c.Flush()
	return c.page.painted(y, left, right)
}

// Plane returns the amounts of a plane, row by row, or nil for a plane without ink.
func (c *Canvas) Plane(p int) []uint8 {
	c.Flush()
	return c.page.planes[p]
}
