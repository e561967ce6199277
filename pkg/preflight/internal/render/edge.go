// SPDX-License-Identifier: Apache-2.0

package render

import (
	"image"
	"math"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/planes"
)

// leastInk is the least total on a pixel that counts as ink, in 1/255.
const leastInk = 3

// otherColor is the difference of two colours, over all inks, that shows as an edge, in 1/255.
const otherColor = 64

// edges measures how far ink reaches beyond the edges of the finished page: upper,
// right, lower and left. mm is the side of a pixel.
func (r *Renderer) edges(mm float64) [4]facts.EdgeInk {
	ink := newInkReader(r.surface.canvas)
	trim := r.surface.device.Rect(r.page.Finished())
	var out [4]facts.EdgeInk
	for i, e := range [4]struct {
		// edge is the position of the edge on the axis outwards, from and until are its
		// ends along it.
		edge, from, until float64
		// at returns a pixel.
		at func(outwards, along int) image.Point
	}{
		{float64(ink.height) - trim[1], trim[0], trim[2], func(k, i int) image.Point { return image.Pt(i, ink.height-1-k) }},
		{trim[2], trim[1], trim[3], func(k, i int) image.Point { return image.Pt(k, i) }},
		{trim[3], trim[0], trim[2], func(k, i int) image.Point { return image.Pt(i, k) }},
		{float64(ink.width) - trim[0], trim[1], trim[3], func(k, i int) image.Point { return image.Pt(ink.width-1-k, i) }},
	} {
		out[i].Step = mm
		for along := int(math.Ceil(e.from)); along < int(e.until); along++ {
			reach := float32(facts.NoInk)
			if end, ok := inkEnd(e.edge, func(k int) int { return ink.total(e.at(k, along)) }); ok {
				reach = float32((end - e.edge) * mm)
			}
			out[i].Reach = append(out[i].Reach, reach)
			depth := float32(facts.NoInk)
			first := int(math.Floor(e.edge)) - 1
			if start := e.at(first, along); ink.total(start) > otherColor {
				for k := first - 1; e.edge-float64(k) <= facts.EdgeDepth/mm; k-- {
					at := e.at(k, along)
					if !ink.has(at) {
						break
					}
					if ink.differ(start, at) {
						depth = float32((e.edge - float64(k+1)) * mm)
						break
					}
				}
			}
			out[i].Depth = append(out[i].Depth, depth)
		}
	}
	return out
}

// inkReader reads pixels of a canvas.
type inkReader struct {
	width, height int
	planes        [][]uint8
	// painted has the ranges of the rows that may have ink.
	painted [][2]int
}

func newInkReader(c *planes.Canvas) *inkReader {
	r := &inkReader{width: c.Box().Dx(), height: c.Box().Dy()}
	for p := range planes.Max {
		if plane := c.Plane(p); plane != nil {
			r.planes = append(r.planes, plane)
		}
	}
	for y := range r.height {
		from, until := c.Painted(y, 0, r.width)
		r.painted = append(r.painted, [2]int{from, until})
	}
	return r
}

// has reports whether a pixel is on the canvas.
func (r *inkReader) has(p image.Point) bool {
	return p.X >= 0 && p.Y >= 0 && p.X < r.width && p.Y < r.height
}

// total returns the sum of the inks on a pixel, 0 outside of the canvas. It does not read memory that was not
// painted.
func (r *inkReader) total(p image.Point) (sum int) {
	if !r.has(p) || p.X < r.painted[p.Y][0] || p.X >= r.painted[p.Y][1] {
		return 0
	}
	for _, plane := range r.planes {
		sum += int(plane[p.Y*r.width+p.X])
	}
	return sum
}

// differ reports whether two pixels have different colours.
func (r *inkReader) differ(a, b image.Point) bool {
	sum := 0
	for _, plane := range r.planes {
		d := int(plane[a.Y*r.width+a.X]) - int(plane[b.Y*r.width+b.X])
		sum += max(d, -d)
	}
	return sum > otherColor
}

// inkEnd returns where the ink ends that comes from inside of an edge: beyond it, or less
// than two pixels before it. The amount on the last pixel shows how much of it is covered.
func inkEnd(edge float64, at func(k int) int) (float64, bool) {
	k := int(math.Floor(edge)) - 2
	if at(k) < leastInk {
		return 0, false
	}
	for at(k+1) >= leastInk {
		k++
	}
	before, last := at(k-1), at(k)
	part := 1.0
	if before > last {
		part = float64(last) / float64(before)
	}
	return float64(k) + part, true
}
