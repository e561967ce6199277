// SPDX-License-Identifier: Apache-2.0

package barcode

import (
	"bytes"
	"image"
	"slices"
)

// Cell is the side of a cell in pixels, by which an image is searched. A part of an image that begins at
// multiples of it has the same regions, if the rest is white.
const Cell = 8

// The search for bars: the least mean difference of neighbouring pixels across the bars, how many times larger it
// is than along them, and the least cells and edges of a code.
const (
	leastSlope  = 10
	direction   = 5
	leastLength = 4
	leastHeight = 2
	leastEdges  = 16
)

// bars returns the regions in which neighbouring pixels differ much in one direction and hardly in
// the other one.
func bars(m Image) (upright, lying []image.Rectangle) {
	columns, rows := m.Width/Cell, m.Height/Cell
	// across holds for each cell 1 for upright bars and 2 for lying ones.
	across := make([]uint8, columns*rows)
	white := bytes.Repeat([]byte{255}, m.Width)
	for row := range rows {
		blank := func(offset int) bool { return bytes.Equal(m.Row(min(row*Cell+offset, m.Height-1)), white) }
		if blank(1) && blank(Cell/2) && blank(Cell-2) && blank(Cell) {
			continue
		}
		for column := range columns {
			across[row*columns+column] = slope(m, column*Cell, row*Cell)
		}
	}
	for at, kind := range across {
		if kind == 0 {
			continue
		}
		box, count := component(across, columns, at)
		length, height := box.Dx(), box.Dy()
		if kind == 2 {
			length, height = height, length
		}
		if length < leastLength || height < leastHeight || 2*count < box.Dx()*box.Dy() {
			continue
		}
		pixels := image.Rect(box.Min.X*Cell, box.Min.Y*Cell, box.Max.X*Cell, box.Max.Y*Cell)
		switch {
		case !barred(m, pixels, kind):
		case kind == 1:
			upright = append(upright, pixels)
		default:
			lying = append(lying, pixels)
		}
	}
	return upright, lying
}

// slope returns the direction of the bars in a cell: 1 for upright, 2 for lying, 0 for none.
func slope(m Image, x, y int) uint8 {
	across, along := 0, 0
	// One row and one column of the cell suffice to exclude most of them.
	// The edge of a wide bar may lie between two cells.
	wide, high := min(Cell+1, m.Width-x), min(Cell+1, m.Height-y)
	here := m.Pix[(y+Cell/2)*m.Width+x:][:wide]
	for i := range here[:wide-1] {
		across += distance(here[i], here[i+1])
	}
	for i := range high - 1 {
		at := (y+i)*m.Width + x + Cell/2
		along += distance(m.Pix[at], m.Pix[at+m.Width])
	}
	if max(across, along) < leastSlope*(Cell-1) || max(across, along) < direction*min(across, along) {
		return 0
	}
	across, along = 0, 0
	for dy := range high {
		at := (y+dy)*m.Width + x
		if dy < Cell {
			here := m.Pix[at:][:wide]
			for i := range here[:wide-1] {
				across += distance(here[i], here[i+1])
			}
		}
		if dy < high-1 {
			here, below := m.Pix[at:][:Cell], m.Pix[at+m.Width:][:Cell]
			for i := range here {
				along += distance(here[i], below[i])
			}
		}
	}
	const least = leastSlope * Cell * (Cell - 1)
	switch {
	case across >= least && across >= direction*along:
		return 1
	case along >= least && along >= direction*across:
		return 2
	}
	return 0
}

func distance(a, b uint8) int {
	if a > b {
		return int(a - b)
	}
	return int(b - a)
}

// component clears the cells that are connected with one and have its kind, and returns the box
// around those of the fullest rows across the bars, and their number. A code may have a gap of one
// cell. A line or an area beside a code, which may be higher than its bars, makes sparse rows.
func component(cells []uint8, columns, first int) (box image.Rectangle, count int) {
	kind := cells[first]
	row := func(at int) int { // across the bars
		if kind == 2 {
			return at % columns
		}
		return at / columns
	}
	counts := make([]int, max(columns, len(cells)/columns+1))
	cells[first] = 0
	members := []int{first}
	for i := 0; i < len(members); i++ {
		x, y := members[i]%columns, members[i]/columns
		counts[row(members[i])]++
		for _, step := range [...]image.Point{{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {2, 0}, {-2, 0}} {
			if kind == 2 {
				step.X, step.Y = step.Y, step.X
			}
			to := image.Pt(x+step.X, y+step.Y)
			if to.X < 0 || to.X >= columns || to.Y < 0 || to.Y*columns+to.X >= len(cells) {
				continue
			}
			if next := to.Y*columns + to.X; cells[next] == kind {
				cells[next] = 0
				members = append(members, next)
			}
		}
	}
	most := slices.Max(counts)
	for _, at := range members {
		if 2*counts[row(at)] >= most {
			box, count = box.Union(image.Rect(at%columns, at/columns, at%columns+1, at/columns+1)), count+1
		}
	}
	return box, count
}

// barred reports whether the rows of a region are alike, as those of letters are not, and have as
// many bars as a code, of different widths, as hatching has not.
func barred(m Image, box image.Rectangle, kind uint8) bool {
	var lines [3][]uint8
	for i := range lines {
		share := func(from, to int) int { return from + (to-from)*(2*i+1)/6 }
		if kind == 1 {
			lines[i] = m.Row(share(box.Min.Y, box.Max.Y))[box.Min.X:box.Max.X]
			continue
		}
		for y := box.Min.Y; y < box.Max.Y; y++ {
			lines[i] = append(lines[i], m.Pix[y*m.Width+share(box.Min.X, box.Max.X)])
		}
	}
	across, along := 0, 0
	for x, v := range lines[1] {
		along += distance(lines[0][x], v) + distance(lines[2][x], v)
		if x > 0 {
			across += distance(lines[1][x-1], v)
		}
	}
	turns := turns(lines[1])
	if 3*along > across || len(turns) < leastEdges {
		return false
	}
	bars, pitches := distances(turns, 1), distances(turns, 2)
	// Code 128 may have few bars of more than two modules, but its bars stand at different distances.
	return bars[len(bars)-2] >= 2*bars[len(bars)/2] || 2*pitches[len(pitches)-2] >= 3*pitches[len(pitches)/4]+2
}

// distances returns the sorted distances of places from the one that is some steps before.
func distances(places []int, steps int) []int {
	out := make([]int, 0, len(places))
	for i := steps; i < len(places); i++ {
		out = append(out, places[i]-places[i-steps])
	}
	slices.Sort(out)
	return out
}

// turns returns the places at which a line turns between dark and light, by more than a tenth of
// the full range.
func turns(line []uint8) []int {
	const least = 26
	var out []int
	extreme, rising := line[0], true
	for x, v := range line {
		switch {
		case rising == (v > extreme):
			extreme = v
		case distance(extreme, v) > least:
			out = append(out, x)
			extreme, rising = v, !rising
		}
	}
	return out
}
