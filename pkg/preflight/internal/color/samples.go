// SPDX-License-Identifier: Apache-2.0

package color

import (
	"bytes"
	"encoding/binary"
	"io"
)

// maxSide bounds width and height.
const maxSide = 1 << 20

// Image is an image without its general filters.
type Image struct {
	Width, Height int
	// Bits of a component, 1, 2, 4, 8 or 16. A JPEG brings its own.
	Bits  int
	Space *Space
	// Decode is the array of that name, or nil.
	Decode []float64
	// Codec is the format of Data.
	Codec Codec
	Data  []byte
	// Rows has the plain samples where Data is nil.
	Rows io.Reader
	// Ahead is the JPEG if it is decoded already, or nil.
	Ahead *Decoding
	// Globals are the segments that a JBIG2 image shares with others.
	Globals []byte
	// Opacity reads the channel of opacity of a JPEG 2000 image, of which Space is grey.
	Opacity bool
}

// Codec is the format of the data of an image.
type Codec int

// The formats.
const (
	Plain Codec = iota
	JPEG
	JPEG2000
	JBIG2
)

// Rest returns a number of rows of a plain image, from one on. It reads Rows up to there.
func (i Image) Rest(top, rows int) Image {
	skipped := top * Stride(i.Width, i.Space.Components, i.Bits)
	i.Height = rows
	if i.Data != nil {
		i.Data = i.Data[min(skipped, len(i.Data)):]
		return i
	}
	switch in := i.Rows.(type) {
	case nil:
	case *pixelRows:
		i.Rows = &pixelRows{y: in.y + top, height: in.height, stride: in.stride, fill: in.fill}
	default:
		_, _ = io.CopyN(io.Discard, in, int64(skipped)) // reading the rows fails, too
	}
	return i
}

// Reader reads the samples of an image row by row.
type Reader struct {
	image  Image
	in     io.Reader
	packed []byte
	levels [][]float64
	row    []byte
	y      int
}

// NewReader returns a reader of plain samples, or nil for an unusual depth.
func NewReader(i Image) *Reader {
	switch i.Bits {
	case 1, 2, 4, 8, 16:
	default:
		return nil
	}
	n := i.Space.Components
	r := &Reader{image: i, in: i.Rows, packed: make([]byte, Stride(i.Width, n, i.Bits))}
	if i.Data != nil {
		r.in = bytes.NewReader(i.Data)
	}
	if r.row = r.packed; i.Bits != 8 {
		r.row = make([]byte, i.Width*n)
	}
	depth := min(i.Bits, 8)
	for c := range n {
		low, high := 0.0, 1.0
		if i.Space.Indexed() {
			high = float64(uint(1)<<i.Bits - 1)
		}
		if len(i.Decode) >= 2*n {
			low, high = i.Decode[2*c], i.Decode[2*c+1]
		}
		levels := make([]float64, 1<<depth)
		for v := range levels {
			levels[v] = low + float64(v)*(high-low)/float64(len(levels)-1)
		}
		r.levels = append(r.levels, levels)
	}
	return r
}

// Parts returns readers of at most n parts of the image, from top to bottom, each but the last of a multiple
// of step rows. They may be used at the same time. It returns r alone where the samples can only be read in
// order. Call it before the first row is read.
func (r *Reader) Parts(n, step int) []*Reader {
	decoded, ok := r.in.(*pixelRows)
	if r.image.Data == nil && !ok {
		return []*Reader{r}
	}
	var parts []*Reader
	rows := max((r.image.Height/n+step-1)/step, 1) * step
	for y := 0; y < r.image.Height; y += rows {
		part := *r
		part.image.Height = min(rows, r.image.Height-y)
		if ok {
			part.in = &pixelRows{y: decoded.y + y, height: decoded.height, stride: decoded.stride, fill: decoded.fill}
		} else {
			part.in = bytes.NewReader(r.image.Data[min(y*len(r.packed), len(r.image.Data)):])
		}
		part.packed = make([]byte, len(r.packed))
		if part.row = part.packed; r.image.Bits != 8 {
			part.row = make([]byte, len(r.row))
		}
		parts = append(parts, &part)
	}
	return parts
}

// Rows returns the number of rows.
func (r *Reader) Rows() int { return r.image.Height }

// Width returns the pixels of a row.
func (r *Reader) Width() int { return r.image.Width }

// Levels returns the value of a component for each sample.
func (r *Reader) Levels(component int) []float64 { return r.levels[component] }

// Next returns the samples of the next row, one byte for each component; of 16 bits the upper ones. It
// returns nil after the last whole row. The slice is valid until the next call.
func (r *Reader) Next() []byte {
	if r.in == nil || r.y >= r.image.Height {
		return nil
	}
	r.y++
	if _, err := io.ReadFull(r.in, r.packed); err != nil {
		r.in = nil
		return nil
	}
	switch bits := r.image.Bits; bits {
	case 8:
	case 16:
		for k := range r.row {
			r.row[k] = r.packed[2*k]
		}
	default:
		k := 0
		if bits == 1 {
			for ; k+8 <= len(r.row); k += 8 {
				binary.LittleEndian.PutUint64(r.row[k:], eightBits(r.packed[k/8]))
			}
		}
		mask := byte(1)<<bits - 1
		for ; k < len(r.row); k++ {
			first := k * bits
			r.row[k] = r.packed[first/8] >> (8 - bits - first%8) & mask
		}
	}
	return r.row
}

// eightBits returns the bits of a byte, each in a byte, with the highest in the lowest byte.
func eightBits(packed byte) uint64 {
	const each, places, most = 0x0101010101010101, 0x0102040810204080, 0x7f7f7f7f7f7f7f7f
	return (uint64(packed)*each&places + most) >> 7 & each
}

// Stride returns the length of a row in bytes.
func Stride(width, components, bits int) int { return (width*components*bits + 7) / 8 }
