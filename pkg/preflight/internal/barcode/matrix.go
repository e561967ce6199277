// SPDX-License-Identifier: Apache-2.0

package barcode

import (
	"bytes"
	"image"
	"math"
	"slices"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode/decoder"
	"github.com/makiuchi-d/gozxing/qrcode/detector"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
)

// finder is the centre of a finder pattern of a QR code, with the width of a module.
type finder struct {
	x, y, module float64
	count        int
}

// maxFinders bounds the finder patterns of a page, and largestModule the width of a module.
const (
	maxFinders    = 60
	largestModule = 40
)

// finders returns the boxes of QR codes: of three finder patterns in the corners of a square.
func finders(m Image) []image.Rectangle {
	var found []finder
	var edges []float64
	// The middle of a finder pattern has three modules.
	before := bytes.Repeat([]byte{255}, m.Width) // the last row without a pattern
	for y := range m.Height {
		row := m.Row(y)
		if bytes.Equal(row, before) {
			continue
		}
		before = row
		for _, threshold := range thresholds {
			edges = crossings(row, threshold, edges[:0])
			// Runs alternate, and begin with a light one.
			for i := 0; i+5 < len(edges); i += 2 {
				module, ok := ratio(edges[i : i+6])
				if !ok {
					continue
				}
				before = nil
				x := (edges[i+2] + edges[i+3]) / 2
				if f, ok := crossed(m, x, y, module); ok {
					found = gather(found, f)
				}
			}
		}
	}
	var out []image.Rectangle
	for i := range found {
		for j := i + 1; j < len(found); j++ {
			for k := j + 1; k < len(found); k++ {
				if box, ok := square(found[i], found[j], found[k]); ok && !slices.Contains(out, box) && len(out) < maxRegions {
					out = append(out, box)
				}
			}
		}
	}
	return out
}

// middle is the reflectance between dark and light of a matrix code.
const middle = 128

// thresholds are the reflectances at which finder patterns are sought: a module of about a pixel that
// lies on two pixels makes both of them grey.
var thresholds = [...]uint8{middle, 90, 165} // constant

// crossings appends the places at which a line of pixels becomes darker and lighter than a threshold in
// turn, the first darker one first.
func crossings(line []uint8, threshold uint8, edges []float64) []float64 {
	dark := false
	for x := 0; x < len(line); x++ {
		if x > 0 {
			if x = skip(line, x, line[x-1]); x == len(line) {
				break
			}
		}
		v := line[x]
		if (v < threshold) == dark {
			continue
		}
		dark = !dark
		edge := float64(x)
		if x > 0 {
			before := float64(line[x-1]) // #nosec G602 -- x is positive
			edge = float64(x) - 0.5 + (float64(threshold)-0.5-before)/(float64(v)-before)
		}
		edges = append(edges, edge)
	}
	return edges
}

// ratio reports whether five runs have the widths 1 1 3 1 1 of a finder pattern, and returns the
// width of a module.
func ratio(edges []float64) (float64, bool) {
	module := (edges[5] - edges[0]) / 7
	if module < 0.8 || module > largestModule {
		return 0, false
	}
	for i, want := range [...]float64{1, 1, 3, 1, 1} {
		if math.Abs((edges[i+1]-edges[i])/module-want) > 0.35*want+0.15 {
			return 0, false
		}
	}
	return module, true
}

// crossed looks for the same pattern in the column through the centre of a row.
func crossed(m Image, x float64, y int, module float64) (finder, bool) {
	column := int(x)
	reach := int(module*5) + 2
	top, bottom := max(y-reach, 0), min(y+reach+1, m.Height)
	var buffer [2*(5*largestModule+2) + 1]uint8
	line := buffer[:bottom-top]
	for i := range line {
		line[i] = m.Pix[(top+i)*m.Width+column]
	}
	var places [32]float64
	at := float64(y - top)
	for _, threshold := range thresholds {
		edges := crossings(line, threshold, places[:0])
		for i := 0; i+5 < len(edges); i += 2 {
			if edges[i+2] > at+0.5 || edges[i+3] < at+0.5 {
				continue
			}
			if other, ok := ratio(edges[i : i+6]); ok && math.Abs(other-module) < 0.25*module {
				return finder{x: x, y: float64(top) + (edges[i+2]+edges[i+3])/2, module: (module + other) / 2, count: 1}, true
			}
		}
	}
	return finder{}, false
}

// gather adds a finder pattern, or counts it as one that is known.
func gather(found []finder, f finder) []finder {
	for i := range found {
		k := &found[i]
		if math.Abs(k.x-f.x) < 2*k.module && math.Abs(k.y-f.y) < 2*k.module {
			k.count++
			return found
		}
	}
	if len(found) >= maxFinders {
		return found
	}
	return append(found, f)
}

// square returns the box of a code with three finder patterns, or false if they are not in three
// corners of a square that stands upright.
func square(a, b, c finder) (image.Rectangle, bool) {
	for range 3 {
		// Let a be at the right angle.
		ab, ac := math.Hypot(b.x-a.x, b.y-a.y), math.Hypot(c.x-a.x, c.y-a.y)
		module := (a.module + b.module + c.module) / 3
		dot := math.Abs((b.x-a.x)*(c.x-a.x)+(b.y-a.y)*(c.y-a.y)) / (ab * ac)
		upright := min(math.Abs(b.x-a.x), math.Abs(b.y-a.y)) < module
		sizes := max(a.module, b.module, c.module) < 1.3*min(a.module, b.module, c.module)
		// The smallest code has 14 modules between two patterns, the largest 170.
		if sizes && upright && dot < 0.05 && math.Abs(ab-ac) < module && ab > 12*module && ab < 175*module {
			// The corners of a code that leans a little stick out.
			half := 3.5 * module * (1 + min(math.Abs(b.x-a.x), math.Abs(b.y-a.y))/ab)
			dx, dy := b.x+c.x-a.x, b.y+c.y-a.y
			left, right := min(a.x, b.x, c.x, dx)-half, max(a.x, b.x, c.x, dx)+half
			top, bottom := min(a.y, b.y, c.y, dy)-half, max(a.y, b.y, c.y, dy)+half
			return image.Rect(int(left), int(top), int(math.Ceil(right)), int(math.Ceil(bottom))), true
		}
		a, b, c = b, c, a
	}
	return image.Rectangle{}, false
}

// readQR reads the QR code of an image. Its structure is certain if there are three finder
// patterns in the corners of a square.
func readQR(m Image) (Symbol, bool) {
	boxes := finders(m)
	if len(boxes) != 1 {
		return Symbol{}, false
	}
	s := Symbol{Symbology: facts.QRCode, Box: boxes[0].Intersect(image.Rect(0, 0, m.Width, m.Height))}
	bits, err := gozxing.NewBitMatrix(m.Width, m.Height)
	if err != nil {
		return Symbol{}, false
	}
	for i, v := range m.Pix {
		if v < middle {
			bits.Set(i%m.Width, i/m.Width)
		}
	}
	module, text, ok := decodeQR(bits)
	if !ok {
		// Two timing patterns and the format have 21 modules at least.
		s.Module = float64(s.Box.Dx()) / 21
		return s, true
	}
	s.Text, s.Module = text, module
	s.measure(m)
	return s, true
}

// decodeQR decodes a QR code, and returns the width of its modules. A panic of the library, which
// reads any bits, is a code that does not decode.
func decodeQR(bits *gozxing.BitMatrix) (module float64, text string, ok bool) {
	defer func() {
		if recover() != nil {
			module, text, ok = 0, "", false
		}
	}()
	found, err := detector.NewDetector(bits).DetectWithoutHints()
	if err != nil {
		return 0, "", false
	}
	// The first three points are the centres of the finder patterns, the second one at the right angle.
	points := found.GetPoints()
	side := func(to gozxing.ResultPoint) float64 {
		return math.Hypot(to.GetX()-points[1].GetX(), to.GetY()-points[1].GetY())
	}
	module = (side(points[0]) + side(points[2])) / 2 / float64(found.GetBits().GetWidth()-7)
	result, err := decoder.NewDecoder().DecodeWithoutHint(found.GetBits())
	if err != nil {
		return 0, "", false
	}
	return module, result.GetText(), true
}

// widestQuiet bounds the modules of a quiet zone that are measured around a matrix code.
const widestQuiet = 5

// measure sets the quiet zone, the narrowest light band around the code, and the places inside of
// its dark and light modules.
func (s *Symbol) measure(m Image) {
	s.Quiet = [2]float64{}
	quiet := 0
	for ; quiet < int(widestQuiet*s.Module); quiet++ {
		ring := s.Box.Inset(-quiet - 2) // the pixels at the edge are partly dark
		if !ring.In(image.Rect(0, 0, m.Width, m.Height)) || !light(m, ring) {
			break
		}
	}
	s.Quiet[0] = (float64(quiet) + 1) / s.Module
	s.Quiet[1] = s.Quiet[0]
	step := s.Module
	for y := float64(s.Box.Min.Y) + step/2; y < float64(s.Box.Max.Y); y += step {
		for x := float64(s.Box.Min.X) + step/2; x < float64(s.Box.Max.X); x += step {
			at := int(y)*m.Width + int(x)
			if m.Pix[at] < middle {
				s.Bars = append(s.Bars, at)
			} else {
				s.Spaces = append(s.Spaces, at)
			}
		}
	}
}

// light reports whether the frame of a rectangle is light.
func light(m Image, r image.Rectangle) bool {
	for x := r.Min.X; x < r.Max.X; x++ {
		if m.Row(r.Min.Y)[x] < middle || m.Row(r.Max.Y - 1)[x] < middle {
			return false
		}
	}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		if m.Row(y)[r.Min.X] < middle || m.Row(y)[r.Max.X-1] < middle {
			return false
		}
	}
	return true
}
