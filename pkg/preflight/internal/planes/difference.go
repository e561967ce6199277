// SPDX-License-Identifier: Apache-2.0

package planes

import (
	"image"
	"maps"
	"math"
	"slices"

	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/internal/raster"
)

// Page is a page on planes of ink.
type Page struct {
	// Device maps the default user space of the page to pixels.
	Device geom.Matrix
	// Left and Top are the corner at which pages are aligned, in pixels.
	Left, Top float64
	// Width and Height are those of the planes.
	Width, Height int
	// Planes are amounts from 0 to 255, row by row from the top, by the name of the ink.
	Planes map[string][]uint8

	within image.Rectangle
	// skipped marks the pixels that are not compared, nil for none.
	skipped []bool
}

// Limit limits a comparison, in which this is the second page, to the whole pixels of an area.
func (p *Page) Limit(area geom.Rect) {
	p.within = image.Rect(int(math.Ceil(area[0])), int(math.Ceil(area[1])), int(math.Floor(area[2])), int(math.Floor(area[3])))
}

// Skip excludes an area from a comparison, in which this is the second page, with the pixels around it.
func (p *Page) Skip(area geom.Rect) {
	const edge = 2 // of rounding, and of the pixels that are compared with a neighbour
	box := raster.Pixels(area.Grow(edge)).Intersect(image.Rect(0, 0, p.Width, p.Height))
	if p.skipped == nil {
		p.skipped = make([]bool, p.Width*p.Height)
	}
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			p.skipped[y*p.Width+x] = true
		}
	}
}

// skips reports whether a pixel is not compared.
func (p *Page) skips(x, y int) bool {
	return p.skipped != nil && x >= 0 && y >= 0 && x < p.Width && y < p.Height && p.skipped[y*p.Width+x]
}

// ToPage returns the matrix from pixels to the default user space.
func (p *Page) ToPage() geom.Matrix {
	m, _ := p.Device.Invert()
	return m
}

// InkDifference is the difference of one ink.
type InkDifference struct {
	Name string
	// Pixels is the number of pixels that differ, and Most the largest difference.
	Pixels int
	Most   uint8
}

// Region is a group of neighbouring differences, in pixels of the second page.
type Region struct {
	Box    image.Rectangle
	Pixels int
}

// Differences holds all differences. Inks are in alphabetical order, Regions by size.
type Differences struct {
	Inks    []InkDifference
	Regions []Region
}

const (
	// roundingTolerance is the difference of amounts that rounding causes, 5 %.
	roundingTolerance = 13
	// differenceCell is the side of a cell of the map of differences, in pixels.
	differenceCell = 8
	// maxRegions bounds the regions.
	maxRegions = 20
	// leastDifference is the number of pixels of an ink that count as a difference.
	leastDifference = 2
)

// Compare finds where two pages of the same resolution put other amounts of ink on paper.
//
// The pages are aligned at a corner to a whole pixel. Two programs, or two positions of a page
// in its medium, round edges in different ways. So an amount differs only if none of the nine
// pixels around the same place of the other page has about this amount, in both directions.
func Compare(a, b *Page) Differences {
	// The place of a pixel of the second page on the first one.
	dx, dy := int(math.Round(a.Left-b.Left)), int(math.Round(a.Top-b.Top))
	area := image.Rect(0, 0, b.Width, b.Height).Union(image.Rect(0, 0, a.Width, a.Height).Sub(image.Pt(dx, dy)))
	if !b.within.Empty() {
		area = area.Intersect(b.within)
	}
	found := Differences{}
	grid := &differenceMap{area: area, columns: (area.Dx() + differenceCell - 1) / differenceCell}
	grid.pixels = make([]int, grid.columns*((area.Dy()+differenceCell-1)/differenceCell))
	names := map[string]bool{}
	for name := range a.Planes {
		names[name] = true
	}
	for name := range b.Planes {
		names[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		first, second := a.Planes[name], b.Planes[name]
		if dx == 0 && dy == 0 && a.Width == b.Width && slices.Equal(first, second) {
			continue
		}
		x := window{plane: first, width: a.Width, height: a.Height, dx: dx, dy: dy}
		y := window{plane: second, width: b.Width, height: b.Height}
		ink := compareInk(&x, &y, b, area, grid, name)
		if ink.Pixels >= leastDifference {
			found.Inks = append(found.Inks, ink)
		}
	}
	if len(found.Inks) > 0 {
		found.Regions = grid.regions()
	}
	return found
}

// compareInk counts the pixels in which two planes differ.
func compareInk(a, b *window, page *Page, area image.Rectangle, grid *differenceMap, name string) InkDifference {
	ink := InkDifference{Name: name}
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			first, second := a.at(x, y), b.at(x, y)
			difference := max(first, second) - min(first, second)
			if difference <= roundingTolerance || page.skips(x, y) || b.near(x, y, first) || a.near(x, y, second) {
				continue
			}
			ink.Pixels++
			ink.Most = max(ink.Most, difference)
			grid.add(x, y)
		}
	}
	return ink
}

// window is a plane that is moved by a distance. Outside, it is paper.
type window struct {
	plane         []uint8
	width, height int
	dx, dy        int
}

func (w *window) at(x, y int) uint8 {
	x, y = x+w.dx, y+w.dy
	if w.plane == nil || x < 0 || y < 0 || x >= w.width || y >= w.height {
		return 0
	}
	return w.plane[y*w.width+x]
}

// near reports whether an amount is between those of the pixels around a place.
func (w *window) near(x, y int, amount uint8) bool {
	low, high := w.at(x, y), w.at(x, y)
	for v := y - 1; v <= y+1; v++ {
		for u := x - 1; u <= x+1; u++ {
			value := w.at(u, v)
			low, high = min(low, value), max(high, value)
		}
	}
	return int(amount) >= int(low)-roundingTolerance && int(amount) <= int(high)+roundingTolerance
}

// differenceMap is a map of the pixels that differ.
type differenceMap struct {
	area    image.Rectangle
	columns int
	pixels  []int
}

func (c *differenceMap) add(x, y int) {
	c.pixels[(y-c.area.Min.Y)/differenceCell*c.columns+(x-c.area.Min.X)/differenceCell]++
}

// regions joins neighbouring cells, the largest group first.
func (c *differenceMap) regions() []Region {
	seen := make([]bool, len(c.pixels))
	var out []Region
	for start, n := range c.pixels {
		if n == 0 || seen[start] {
			continue
		}
		region := Region{}
		stack := []int{start}
		seen[start] = true
		for len(stack) > 0 {
			at := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			column, row := at%c.columns, at/c.columns
			region.Pixels += c.pixels[at]
			corner := c.area.Min.Add(image.Pt(column*differenceCell, row*differenceCell))
			region.Box = region.Box.Union(image.Rectangle{Min: corner, Max: corner.Add(image.Pt(differenceCell, differenceCell))}.Intersect(c.area))
			for y := max(row-1, 0); y <= min(row+1, len(c.pixels)/c.columns-1); y++ {
				for x := max(column-1, 0); x <= min(column+1, c.columns-1); x++ {
					if next := y*c.columns + x; c.pixels[next] > 0 && !seen[next] {
						seen[next] = true
						stack = append(stack, next)
					}
				}
			}
		}
		out = append(out, region)
	}
	slices.SortStableFunc(out, func(a, b Region) int { return b.Pixels - a.Pixels })
	return out[:min(len(out), maxRegions)]
}
