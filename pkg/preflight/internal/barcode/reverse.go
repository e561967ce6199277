// SPDX-License-Identifier: Apache-2.0

package barcode

import (
	"image"
	"slices"
)

// The search for matrix codes of light modules: the reflectance up to which a pixel belongs to a dark area, by how much
// the pixels of a cell of such an area differ, the side of a cell in pixels, the least side of an area in cells, the least
// share of its cells that are dark, in percent, and how many areas of a page are searched.
const (
	darkest       = 140
	darkNoise     = 20
	darkCell      = 4
	leastDarkArea = 4
	leastDarkPart = 5
	maxDarkAreas  = 8
)

// reversed returns the boxes of QR codes and of Data Matrix codes with light modules, which lie in dark areas.
func reversed(m Image) (squares, corners []image.Rectangle) {
	for _, box := range darkAreas(m) {
		part := m.inverse(box)
		found := finders(part)
		for _, b := range found {
			squares = append(squares, b.Add(box.Min))
		}
		for _, b := range matrices(part) {
			if !slices.ContainsFunc(found, b.Overlaps) {
				corners = append(corners, b.Add(box.Min))
			}
		}
	}
	return squares, corners
}

// darkAreas returns the boxes of the largest connected areas of cells that are wholly dark and have about one colour.
// Text, thin lines and most photos have none.
func darkAreas(m Image) []image.Rectangle {
	columns, rows := m.Width/darkCell, m.Height/darkCell
	cells := make([]uint8, columns*rows)
	for row := range rows {
		middle := m.Row(row*darkCell + darkCell/2)
		for x := skip(middle, 0, 255); x/darkCell < columns; x = skip(middle, x, 255) {
			column := x / darkCell
			if m.dark(column*darkCell, row*darkCell) {
				cells[row*columns+column] = 1
			}
			x = (column + 1) * darkCell
		}
	}
	type area struct {
		box   image.Rectangle
		count int
	}
	var areas []area
	for at := range cells {
		if cells[at] == 0 {
			continue
		}
		box, count := connected(cells, columns, at)
		if min(box.Dx(), box.Dy()) >= leastDarkArea && 100*count >= leastDarkPart*box.Dx()*box.Dy() {
			areas = append(areas, area{box, count})
		}
	}
	slices.SortStableFunc(areas, func(a, b area) int { return b.count - a.count })
	var out []image.Rectangle
	for _, a := range areas[:min(len(areas), maxDarkAreas)] {
		// The margin of a code may end inside of the next cells.
		box := image.Rect(a.box.Min.X*darkCell, a.box.Min.Y*darkCell, a.box.Max.X*darkCell, a.box.Max.Y*darkCell).Inset(-darkCell)
		out = append(out, box.Intersect(image.Rect(0, 0, m.Width, m.Height)))
	}
	return out
}

// dark reports whether a cell is dark and has about one colour, by nine of its pixels. Most cells differ at the first.
func (m Image) dark(x, y int) bool {
	least, most := uint8(255), uint8(0)
	for _, dy := range [...]int{darkCell / 2, 0, darkCell - 1} {
		row := m.Pix[(y+dy)*m.Width+x:]
		a, b, c := row[darkCell/2], row[0], row[darkCell-1]
		least, most = min(least, a, b, c), max(most, a, b, c)
		if most > darkest || most-least > darkNoise {
			return false
		}
	}
	return true
}

// connected clears the cells that are connected with one, and returns the box around them and their number.
func connected(cells []uint8, columns, first int) (box image.Rectangle, count int) {
	cells[first] = 0
	members := []int{first}
	left, right := columns, 0
	top, bottom := first, first // of their rows
	for i := 0; i < len(members); i++ {
		at := members[i]
		x := at % columns
		left, right, top, bottom = min(left, x), max(right, x), min(top, at), max(bottom, at)
		for _, next := range [...]int{at + 1, at - 1, at + columns, at - columns} {
			aside := next == at+1 && x == columns-1 || next == at-1 && x == 0
			if !aside && next >= 0 && next < len(cells) && cells[next] != 0 {
				cells[next] = 0
				members = append(members, next)
			}
		}
	}
	return image.Rect(left, top/columns, right+1, bottom/columns+1), len(members)
}

// inverse returns a part of an image in which the darkness that most dark pixels have at most is white, also with
// noise, and white is black.
func (m Image) inverse(box image.Rectangle) Image {
	out := Image{Width: box.Dx(), Height: box.Dy(), Pix: make([]uint8, box.Dx()*box.Dy())}
	var counts [256]int
	all := 0
	for y := range out.Height {
		for _, v := range m.Row(box.Min.Y + y)[box.Min.X:box.Max.X] {
			if v <= darkest {
				counts[v]++
				all++
			}
		}
	}
	background, below := 0, 0
	for v, n := range counts {
		if below += n; below*10 >= all*9 {
			background = v
			break
		}
	}
	var table [256]uint8
	for v := range table {
		if table[v] = uint8(min((255-v)*255/(255-background), 255)); v <= background+darkNoise { // #nosec G115 -- limited
			table[v] = 255
		}
	}
	for y := range out.Height {
		to := out.Row(y)
		for x, v := range m.Row(box.Min.Y + y)[box.Min.X:box.Max.X] {
			to[x] = table[v]
		}
	}
	return out
}
