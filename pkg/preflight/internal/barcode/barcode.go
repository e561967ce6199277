// SPDX-License-Identifier: Apache-2.0

// Package barcode finds bar codes and matrix codes on an image of reflectances, and measures them.
//
// [Find] searches a page in a low resolution for regions that may hold a code, and [Read] decodes and
// measures one region in a higher resolution. Finding and measuring are done here, decoding by
// gozxing. Codes may be turned by quarters of a turn.
package barcode

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"image"
	"slices"

	"github.com/printmarket/printmarket/pkg/preflight/internal/raster"
)

// Image is an image of reflectances, row by row from the top: 255 is white paper.
type Image struct {
	Width, Height int
	Pix           []uint8
}

// Row returns a row.
func (m Image) Row(y int) []uint8 { return m.Pix[y*m.Width:][:m.Width] }

// transposed returns the image with rows and columns exchanged.
func (m Image) transposed() Image {
	out := Image{Width: m.Height, Height: m.Width, Pix: bytes.Repeat([]byte{255}, len(m.Pix))}
	for y := range m.Height {
		row := m.Row(y)
		for x := skip(row, 0, 255); x < len(row); x = skip(row, x+1, 255) {
			out.Pix[x*out.Width+y] = row[x]
		}
	}
	return out
}

// skip returns the end of the run of pixels with a value that begins at an index, in steps of eight: most pixels are
// like their neighbours.
func skip(row []uint8, from int, value uint8) int {
	eight := 0x0101010101010101 * uint64(value)
	for from+8 <= len(row) && binary.NativeEndian.Uint64(row[from:]) == eight {
		from += 8
	}
	return from
}

// Kind is the kind of a region.
type Kind int

// The kinds of regions: bars that stand upright, bars that lie, a QR code by its three finder
// patterns, and a Data Matrix by its two dark sides.
const (
	Upright Kind = iota
	Lying
	QR
	DataMatrix
)

// Region is a place that may hold a code.
type Region struct {
	Kind Kind
	Box  image.Rectangle
	// Reversed is set for a matrix code whose modules are lighter than its background. [Read] needs the inverse image.
	Reversed bool
}

// maxRegions bounds the regions of a page.
const maxRegions = 8

// searchWork is the work of a pixel, in about nanoseconds.
const searchWork = 4

// Find returns the regions of an image that may hold codes, the largest first.
func Find(m Image) []Region {
	if m.Width < 2*Cell || m.Height < 2*Cell {
		return nil
	}
	var out []Region
	var upright, lying, squares, corners, lightSquares, lightCorners []image.Rectangle
	// In this order, two cores have about the same work.
	searches := [...]func(){
		func() { squares = finders(m) },
		func() { corners = matrices(m) },
		func() { upright, lying = bars(m) },
		func() { lightSquares, lightCorners = reversed(m) },
	}
	count := min(raster.Parts(searchWork*len(m.Pix), raster.LeastSamples), len(searches))
	raster.DoParts(count, func(k int) {
		for ; k < len(searches); k += count {
			searches[k]()
		}
	})
	for _, box := range upright {
		out = append(out, Region{Kind: Upright, Box: box})
	}
	for _, box := range lying {
		out = append(out, Region{Kind: Lying, Box: box})
	}
	for _, box := range squares {
		out = append(out, Region{Kind: QR, Box: box})
	}
	for _, box := range corners {
		// Finder patterns have dark sides, too.
		if !slices.ContainsFunc(squares, box.Overlaps) {
			out = append(out, Region{Kind: DataMatrix, Box: box})
		}
	}
	for _, box := range lightSquares {
		out = append(out, Region{Kind: QR, Box: box, Reversed: true})
	}
	for _, box := range lightCorners {
		if !slices.ContainsFunc(squares, box.Overlaps) {
			out = append(out, Region{Kind: DataMatrix, Box: box, Reversed: true})
		}
	}
	area := func(r Region) int { return r.Box.Dx() * r.Box.Dy() }
	slices.SortStableFunc(out, func(a, b Region) int { return cmp.Compare(area(b), area(a)) })
	return out[:min(len(out), maxRegions)]
}

// Symbol is a code that was found, in pixels of the image.
type Symbol struct {
	// Symbology is one of the constants, and Text the content, "" if the code cannot be decoded.
	Symbology, Text string
	Box             image.Rectangle
	// Module is the width of a module, the narrowest bar.
	Module float64
	// Quiet holds the widths of the quiet zones in modules: before and after the bars, or the
	// narrowest on any side of a matrix code, twice. They end at the edge of the image.
	Quiet [2]float64
	// Bars and Spaces are places inside of bars and of spaces, as indices of pixels.
	Bars, Spaces []int
}

// Read decodes and measures the code of a region of a kind. It returns false if the image holds
// none. A symbol whose structure is certain but that does not decode has no text.
func Read(m Image, kind Kind) (Symbol, bool) {
	switch kind {
	case QR:
		return readQR(m)
	case DataMatrix:
		return readDataMatrix(m)
	case Lying:
		s, ok := readBars(m.transposed())
		s.Box = image.Rect(s.Box.Min.Y, s.Box.Min.X, s.Box.Max.Y, s.Box.Max.X)
		for _, places := range [...][]int{s.Bars, s.Spaces} {
			for i, at := range places {
				places[i] = at%m.Height*m.Width + at/m.Height
			}
		}
		return s, ok
	default:
		return readBars(m)
	}
}
