// SPDX-License-Identifier: Apache-2.0

package barcode

import (
	"image"
	"math"
	"slices"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/datamatrix/decoder"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
)

// The search for a Data Matrix: its least side in pixels, the reflectance below which a pixel of a
// coarse image is dark, the largest ratio of its sides, the shares of its area that are dark, and
// the least mean difference of neighbouring pixels.
const (
	leastSide    = 8
	coarseDark   = 160
	longestSide  = 5
	leastDark    = 0.2
	mostDark     = 0.75
	leastTexture = 12
)

// view is an image turned by quarters of a turn, with u to the right and v down.
type view struct {
	pix           []uint8
	origin        int
	du, dv        int
	width, height int
}

// views returns an image in the four directions that a code may have.
func views(m Image) [4]view {
	last := m.Width*m.Height - 1
	return [4]view{
		{m.Pix, 0, 1, m.Width, m.Width, m.Height},
		{m.Pix, m.Width - 1, m.Width, -1, m.Height, m.Width},
		{m.Pix, last, -1, -m.Width, m.Width, m.Height},
		{m.Pix, last - m.Width + 1, -m.Width, 1, m.Height, m.Width},
	}
}

func (w view) at(u, v int) int { return w.origin + u*w.du + v*w.dv }

// in returns a rectangle of the view in pixels of the image.
func (w view) in(m Image, r image.Rectangle) image.Rectangle {
	a, b := w.at(r.Min.X, r.Min.Y), w.at(r.Max.X-1, r.Max.Y-1)
	out := image.Rectangle{Min: image.Pt(a%m.Width, a/m.Width), Max: image.Pt(b%m.Width, b/m.Width)}.Canon()
	return image.Rectangle{Min: out.Min, Max: out.Max.Add(image.Pt(1, 1))}
}

// maxElls bounds the boxes of a view.
const maxElls = 500

// ells returns the boxes of a view with a dark line at the left and one at the bottom, both with
// light pixels outside, the finder pattern of a Data Matrix.
func (w view) ells(least, dark int) []image.Rectangle {
	var out []image.Rectangle
	up := make([]int, w.width) // the number of dark pixels that end at this row, for each column
	for v := range w.height {
		start, at := -1, w.at(0, v)
		for u := 0; u <= w.width; u, at = u+1, at+w.du {
			if u < w.width && int(w.pix[at]) < dark {
				if up[u]++; start < 0 {
					start = u
				}
				continue
			}
			if from := start; from >= 0 && u-from >= least && up[from] >= least {
				if box := image.Rect(from, v+1-up[from], u, v+1); w.alone(box, dark) && len(out) < maxElls {
					out = append(out, box)
				}
			}
			start = -1
			if u < w.width {
				up[u] = 0
			}
		}
	}
	return out
}

// alone reports whether a box has the ratio of a Data Matrix, and light pixels below its bottom and
// before its left side.
func (w view) alone(box image.Rectangle, dark int) bool {
	width, height := box.Dx(), box.Dy()
	if width > longestSide*height || height > longestSide*width {
		return false
	}
	light := func(u, v, du, dv, length int) bool {
		for i := range length {
			if x, y := u+i*du, v+i*dv; x >= 0 && y < w.height && int(w.pix[w.at(x, y)]) < dark {
				return false
			}
		}
		return true
	}
	// The pixels at an edge are partly dark, and that at the corner least of all: one line further out
	// may be the first light one.
	below := func(v int) bool { return light(box.Min.X, v, 1, 0, width) }
	before := func(u int) bool { return light(u, box.Min.Y, 0, 1, height) }
	return (below(box.Max.Y) || below(box.Max.Y+1)) && (before(box.Min.X-1) || before(box.Min.X-2))
}

// textured reports whether a box of a view is filled with modules: its area is neither mostly dark
// nor mostly light, its top and its right side are not dark, and its pixels differ from their
// neighbours.
func (w view) textured(box image.Rectangle) bool {
	top := image.Rect(box.Min.X, box.Min.Y, box.Max.X, box.Min.Y+1)
	right := image.Rect(box.Max.X-1, box.Min.Y, box.Max.X, box.Max.Y)
	if w.darkness(top) > mostDark || w.darkness(right) > mostDark {
		return false
	}
	if share := w.darkness(box); share < leastDark || share > mostDark {
		return false
	}
	differences := 0
	for v := box.Min.Y; v < box.Max.Y; v++ {
		for u := box.Min.X + 1; u < box.Max.X; u++ {
			differences += distance(w.pix[w.at(u, v)], w.pix[w.at(u-1, v)])
		}
	}
	return differences > leastTexture*box.Dx()*box.Dy()
}

// darkness returns the mean of a box: 1 is black.
func (w view) darkness(box image.Rectangle) float64 {
	sum := 0
	for v := box.Min.Y; v < box.Max.Y; v++ {
		for u := box.Min.X; u < box.Max.X; u++ {
			sum += 255 - int(w.pix[w.at(u, v)])
		}
	}
	return float64(sum) / 255 / float64(box.Dx()*box.Dy())
}

// matrices returns the boxes that may hold a Data Matrix.
func matrices(m Image) []image.Rectangle {
	var out []image.Rectangle
	for _, w := range views(m) {
		for _, box := range w.ells(leastSide, coarseDark) {
			if found := w.in(m, box); w.textured(box) && !slices.ContainsFunc(out, found.Overlaps) {
				out = append(out, found)
			}
		}
	}
	return out
}

// readDataMatrix reads the Data Matrix of an image. Its structure is certain if two sides are dark
// lines, and modules of one size alternate on the other two.
func readDataMatrix(m Image) (Symbol, bool) {
	var out Symbol
	// With its margins, the shorter side of the code is a third of the image at least. Modules are
	// smaller.
	least := max(min(m.Width, m.Height)/6, leastSide)
	for _, w := range views(m) {
		for _, box := range w.ells(least, middle) {
			columns, rows, ok := w.sides(box)
			if !ok {
				continue
			}
			s := Symbol{Symbology: facts.DataMatrix, Box: w.in(m, box)}
			s.Module = (float64(box.Dx())/float64(columns) + float64(box.Dy())/float64(rows)) / 2
			s.Text = decodeDataMatrix(w, box, columns, rows)
			if s.measure(m); s.Text != "" {
				return s, true
			}
			if out.Symbology == "" {
				out = s
			}
		}
	}
	return out, out.Symbology != ""
}

// leastModules and mostModules bound the sides of a Data Matrix by ISO/IEC 16022.
const (
	leastModules = 8
	mostModules  = 144
)

// sides returns the numbers of columns and rows of a box, or false unless the modules at its top and
// at its right alternate and are squares.
func (w view) sides(box image.Rectangle) (columns, rows int, ok bool) {
	columns = alternating(box.Dx(), box.Dy()/leastModules, func(i, depth int) uint8 { return w.pix[w.at(box.Min.X+i, box.Min.Y+depth)] })
	rows = alternating(box.Dy(), box.Dx()/leastModules, func(i, depth int) uint8 { return w.pix[w.at(box.Max.X-1-depth, box.Max.Y-1-i)] })
	if columns == 0 || rows == 0 {
		return 0, 0, false
	}
	across, down := float64(box.Dx())/float64(columns), float64(box.Dy())/float64(rows)
	return columns, rows, math.Abs(across-down) < 0.15*across
}

// alternating returns the number of modules of a side that begins with a dark one, ends with a light
// one, and alternates between them, or 0. It tries the lines of the outermost modules.
func alternating(length, depths int, at func(i, depth int) uint8) int {
	line := make([]uint8, length)
	var edges []float64
	for depth := 1; depth <= depths; depth++ {
		for i := range line {
			line[i] = at(i, depth)
		}
		edges = crossings(line, edges[:0])
		n := len(edges)
		if n < leastModules || n > mostModules || n%2 == 1 {
			continue
		}
		module := float64(length) / float64(n)
		even := true
		for i, edge := range edges {
			even = even && math.Abs(edge-float64(i)*module) <= 0.3*module+0.5
		}
		if even {
			return n
		}
	}
	return 0
}

// decodeDataMatrix decodes the modules of a Data Matrix. It returns "" if they do not decode; so is
// a panic of the library, which reads any bits.
func decodeDataMatrix(w view, box image.Rectangle, columns, rows int) (text string) {
	defer func() {
		if recover() != nil {
			text = ""
		}
	}()
	bits, err := gozxing.NewBitMatrix(columns, rows)
	if err != nil {
		return ""
	}
	across, down := float64(box.Dx())/float64(columns), float64(box.Dy())/float64(rows)
	for row := range rows {
		for column := range columns {
			u, v := box.Min.X+int((float64(column)+0.5)*across), box.Min.Y+int((float64(row)+0.5)*down)
			if w.pix[w.at(u, v)] < middle {
				bits.Set(column, row)
			}
		}
	}
	result, err := decoder.NewDecoder().Decode(bits)
	if err != nil {
		return ""
	}
	return result.GetText()
}
