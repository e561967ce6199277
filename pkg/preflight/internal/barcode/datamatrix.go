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
// coarse image is dark, how much lighter a pixel is where modules meet at the edge of a line, the shares
// of its area that are dark, those of a quarter of a side with modules, and the least mean difference of
// neighbouring pixels.
const (
	leastSide     = 8
	coarseDark    = 160
	seam          = 30
	leastDark     = 0.2
	mostDark      = 0.75
	leastSideDark = 0.05
	mostSideDark  = 0.85
	leastTexture  = 12
)

// The ratios of the sides: codes are squares, or rectangles from 26 by 12 to 32 by 8 modules (ISO/IEC
// 16022, table 7). Each side may be a pixel too long or too short.
const (
	leastRatio = 26. / 12
	mostRatio  = 32. / 8
)

// proportioned reports whether a Data Matrix can have the sides, in pixels.
func proportioned(width, height int) bool {
	short, long := float64(min(width, height)), float64(max(width, height))
	return long-short <= 2+short/10 || long+1 >= leastRatio*(short-1) && long-1 <= mostRatio*(short+1)
}

// view is an image turned by quarters of a turn, with u to the right and v down.
type view struct {
	image         Image
	width, height int
	// origin is the index of the pixel at 0, 0; the pixels right of it and below it are these steps away.
	origin, right, down int
}

// viewsOf returns an image in the four directions that a code may have. The last two are the first two, turned by 180
// degrees.
func viewsOf(m Image) [4]view {
	w, h, last := m.Width, m.Height, len(m.Pix)-1
	return [4]view{
		{m, w, h, 0, 1, w},
		{m, h, w, w - 1, w, -1},
		{m, w, h, last, -1, -w},
		{m, h, w, last + 1 - w, -w, 1},
	}
}

// index returns the index of a pixel in the image.
func (w view) index(u, v int) int { return w.origin + u*w.right + v*w.down }

// at returns a pixel.
func (w view) at(u, v int) uint8 { return w.image.Pix[w.index(u, v)] }

// in returns a rectangle of the view in pixels of the image.
func (w view) in(r image.Rectangle) image.Rectangle {
	width := w.image.Width
	a, b := w.index(r.Min.X, r.Min.Y), w.index(r.Max.X-1, r.Max.Y-1)
	out := image.Rectangle{Min: image.Pt(a%width, a/width), Max: image.Pt(b%width, b/width)}.Canon()
	return image.Rectangle{Min: out.Min, Max: out.Max.Add(image.Pt(1, 1))}
}

// maxFinderBoxes bounds the boxes of a view.
const maxFinderBoxes = 500

// finderBoxes returns for each of the views of an image the boxes with a dark line at the left and one at the
// bottom, both with light pixels outside, the finder pattern of a Data Matrix.
func finderBoxes(m Image, least, dark int) (views [4]view, boxes [4][]image.Rectangle) {
	views = viewsOf(m)
	add := func(i, u, v, width int) {
		if len(boxes[i]) == maxFinderBoxes {
			return
		}
		if box := views[i].finderBox(u, v, width, dark); box.Dy() >= least && proportioned(box.Dx(), box.Dy()) {
			boxes[i] = append(boxes[i], box)
		}
	}
	for i, w := range views[:2] {
		w.runs(least, dark, func(u, v, width int) {
			add(i, u, v, width)
			add(i+2, w.width-u-width, w.height-1-v, width)
		})
	}
	return views, boxes
}

// runs calls found for each run of dark pixels in a row of the view that has the least length. It looks at one of as
// many pixels, and then for the ends of the run.
func (w view) runs(least, dark int, found func(u, v, width int)) {
	for v := range w.height {
		at := w.index(least-1, v)
		for u := least - 1; u < w.width; u, at = u+least, at+least*w.right {
			if int(w.image.Pix[at]) >= dark {
				continue
			}
			from, until := u, u+1
			for i := at - w.right; from > 0 && int(w.image.Pix[i]) < dark; i -= w.right {
				from--
			}
			for i := at + w.right; until < w.width && int(w.image.Pix[i]) < dark; i += w.right {
				until++
			}
			if until-from >= least {
				found(from, v, until-from)
			}
			at += (until - u) * w.right
			u = until
		}
	}
}

// finderBox returns the box above a dark line and beside the dark line that goes up from its start, or an
// empty box if one of the lines has no light pixels outside.
func (w view) finderBox(u, v, width, dark int) image.Rectangle {
	isDark := func(u, v int) bool { return u >= 0 && v >= 0 && v < w.height && int(w.at(u, v)) < dark }
	light := func(u, v, du, dv, length int) bool {
		for i := range length {
			if isDark(u+i*du, v+i*dv) {
				return false
			}
		}
		return true
	}
	// The pixels at an edge are partly dark, and that at the corner least of all: one line further out
	// may be the first light one.
	if !light(u, v+1, 1, 0, width) && !light(u, v+2, 1, 0, width) {
		return image.Rectangle{}
	}
	// Where modules meet, the pixels at the edge of the line are lighter by up to a quarter.
	height := 1
	for v-height >= 0 && int(w.at(u, v-height)) < dark+seam {
		height++
	}
	if !light(u-1, v, 0, -1, height) && !light(u-2, v, 0, -1, height) {
		return image.Rectangle{}
	}
	return image.Rect(u, v+1-height, u+width, v+1)
}

// textured reports whether a box of a view is filled with modules: its area is neither mostly dark
// nor mostly light, its top and its right side are mixed, and its pixels differ from their neighbours.
func (w view) textured(box image.Rectangle) bool {
	top := image.Rect(box.Min.X, box.Min.Y, box.Max.X, box.Min.Y+1)
	right := image.Rect(box.Max.X-1, box.Min.Y, box.Max.X, box.Max.Y)
	if !w.mixed(top) || !w.mixed(right) {
		return false
	}
	if share := w.darkness(box); share < leastDark || share > mostDark {
		return false
	}
	// The direction of u is that of a row of the image, or that of a column.
	step, part := max(w.right, -w.right), w.in(box)
	if step == 1 {
		part.Max.X--
	} else {
		part.Max.Y--
	}
	differences := 0
	for y := part.Min.Y; y < part.Max.Y; y++ {
		first := y*w.image.Width + part.Min.X
		here, next := w.image.Pix[first:][:part.Dx()], w.image.Pix[first+step:][:part.Dx()]
		for i, v := range here {
			differences += distance(v, next[i])
		}
	}
	return differences > leastTexture*box.Dx()*box.Dy()
}

// mixed reports whether a line of pixels may have dark and light modules in turn: it is not mostly dark,
// and no quarter of it, which has two modules or more, is dark or light. The strokes of a letter are.
func (w view) mixed(line image.Rectangle) bool {
	if w.darkness(line) > mostDark {
		return false
	}
	const parts = 4
	size := line.Size()
	for i := range parts {
		part := line
		if size.X > size.Y {
			part.Min.X, part.Max.X = line.Min.X+i*size.X/parts, line.Min.X+(i+1)*size.X/parts
		} else {
			part.Min.Y, part.Max.Y = line.Min.Y+i*size.Y/parts, line.Min.Y+(i+1)*size.Y/parts
		}
		if share := w.darkness(part); share < leastSideDark || share > mostSideDark {
			return false
		}
	}
	return true
}

// darkness returns the mean of a box: 1 is black.
func (w view) darkness(box image.Rectangle) float64 {
	sum, part := 0, w.in(box)
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for _, p := range w.image.Row(y)[part.Min.X:part.Max.X] {
			sum += 255 - int(p)
		}
	}
	return float64(sum) / 255 / float64(box.Dx()*box.Dy())
}

// matrices returns the boxes that may hold a Data Matrix.
func matrices(m Image) []image.Rectangle {
	var out []image.Rectangle
	views, boxes := finderBoxes(m, leastSide, coarseDark)
	for i, w := range views {
		for _, box := range boxes[i] {
			if found := w.in(box); !slices.ContainsFunc(out, found.Overlaps) && w.textured(box) {
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
	views, boxes := finderBoxes(m, least, middle)
	for i, w := range views {
		for _, box := range boxes[i] {
			columns, rows, ok := w.sides(box)
			if !ok {
				continue
			}
			s := Symbol{Symbology: facts.DataMatrix, Box: w.in(box)}
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
	columns = alternating(box.Dx(), box.Dy()/leastModules, func(i, depth int) uint8 { return w.at(box.Min.X+i, box.Min.Y+depth) })
	rows = alternating(box.Dy(), box.Dx()/leastModules, func(i, depth int) uint8 { return w.at(box.Max.X-1-depth, box.Max.Y-1-i) })
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
		edges = crossings(line, middle, edges[:0])
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
			if w.at(u, v) < middle {
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
