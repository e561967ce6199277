// SPDX-License-Identifier: Apache-2.0

package render

import (
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
	s := r.surface
	box := s.canvas.Box()
	var inks [][]uint8
	for p := range planes.Max {
		if plane := s.canvas.Plane(p); plane != nil {
			inks = append(inks, plane)
		}
	}
	width, height := box.Dx(), box.Dy()
	total := func(at int) int {
		if at < 0 {
			return 0
		}
		if from, until := s.canvas.Painted(at/width, at%width, at%width+1); from == until {
			return 0
		}
		sum := 0
		for _, plane := range inks {
			sum += int(plane[at])
		}
		return sum
	}
	differ := func(a, b int) bool {
		sum := 0
		for _, plane := range inks {
			d := int(plane[a]) - int(plane[b])
			sum += max(d, -d)
		}
		return sum > otherColor
	}
	pixel := func(x, y int) int {
		if x < 0 || y < 0 || x >= width || y >= height {
			return -1
		}
		return y*width + x
	}
	trim := s.device.Rect(r.page.Finished())
	var out [4]facts.EdgeInk
	for i, e := range [4]struct {
		// edge is the position of the edge on the axis outwards, from and until are its
		// ends along it.
		edge, from, until float64
		// at returns the index of a pixel, negative outside of the planes.
		at func(outwards, along int) int
	}{
		{float64(height) - trim[1], trim[0], trim[2], func(k, i int) int { return pixel(i, height-1-k) }},
		{trim[2], trim[1], trim[3], func(k, i int) int { return pixel(k, i) }},
		{trim[3], trim[0], trim[2], func(k, i int) int { return pixel(i, k) }},
		{float64(width) - trim[0], trim[1], trim[3], func(k, i int) int { return pixel(width-1-k, i) }},
	} {
		out[i].Step = mm
		for along := int(math.Ceil(e.from)); along < int(e.until); along++ {
			reach := float32(facts.NoInk)
			if end, ok := inkEnd(e.edge, func(k int) int { return total(e.at(k, along)) }); ok {
				reach = float32((end - e.edge) * mm)
			}
			out[i].Reach = append(out[i].Reach, reach)
			depth := float32(facts.NoInk)
			first := int(math.Floor(e.edge)) - 1
			if start := e.at(first, along); total(start) > otherColor {
				for k := first - 1; e.edge-float64(k) <= facts.EdgeDepth/mm; k-- {
					at := e.at(k, along)
					if at < 0 {
						break
					}
					if differ(start, at) {
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
