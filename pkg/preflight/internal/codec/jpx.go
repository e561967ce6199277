// SPDX-License-Identifier: Apache-2.0

// Package codec decodes the images of PDF files that Go's library does not: JPEG 2000 (ISO/IEC
// 15444-1) and JBIG2 (ITU-T T.88).
//
// Decoders call room with the number of bytes before they allocate, and with a like number before
// long work; they stop with an error when it returns false. Damaged data gives an error, or the
// image as far as it is known.
package codec

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"github.com/printmarket/printmarket/pkg/preflight/internal/raster"
)

// Pixels are samples of eight bits or fewer, row by row, with the components of a pixel side by
// side.
type Pixels struct {
	Width, Height, Components int
	// Opacity is the index of the component of opacity plus one, or 0.
	Opacity int
	Samples []byte
}

// Options describe how a JPEG 2000 image is decoded.
type Options struct {
	// Width and Height are the least size in pixels. A larger image is decoded at half its
	// resolution, or a quarter, and so on.
	Width, Height int
	// Index keeps the values of samples that are indices of colours in the PDF, whatever palette
	// the file has. All other samples are scaled to eight bits.
	Index bool
	Room  func(bytes int64) bool
}

// maxPixels is the largest size of a decoded image; a larger one is reduced to it.
const maxPixels = 1 << 24

// DecodeJPX decodes a JPEG 2000 file or codestream.
func DecodeJPX(data []byte, o Options) (*Pixels, error) {
	file := readJPXFile(data)
	stream, err := readCodestream(file.stream)
	if err != nil {
		return nil, err
	}
	if o.Index {
		file.palette = nil
	}
	if len(file.palette) > 0 || o.Index {
		o.Width, o.Height, o.Index = maxSide, maxSide, true // means of indices are no colours
	}
	discard := stream.discard(&o)
	z := &stream.size
	first := z.components[0].at(z, discard)
	out := &Pixels{Width: first.x1 - first.x0, Height: first.y1 - first.y0, Components: len(z.components), Opacity: file.opacity}
	total := int64(out.Width) * int64(out.Height)
	if total <= 0 || total > maxPixels || !o.Room(total*int64(out.Components)) {
		return nil, errRoom
	}
	out.Samples = make([]byte, int(total)*out.Components)
	for index := range stream.tiles {
		if err := stream.decodeTile(index, discard, out, &o); err != nil {
			return nil, err
		}
	}
	if len(file.palette) > 0 {
		// Replace indices by the colours of the palette.
		n := len(file.palette[0])
		colors := &Pixels{Width: out.Width, Height: out.Height, Components: n}
		if !o.Room(total * int64(n)) {
			return nil, errRoom
		}
		colors.Samples = make([]byte, 0, int(total)*n)
		for i := 0; i < len(out.Samples); i += out.Components {
			colors.Samples = append(colors.Samples, file.palette[min(int(out.Samples[i]), len(file.palette)-1)]...)
		}
		return colors, nil
	}
	if file.luminance && out.Components >= 3 {
		// Convert luminance and chrominance (enumerated colour space 18).
		for i := 0; i+2 < len(out.Samples); i += out.Components {
			red, green, blue := unmixIrreversible(float32(out.Samples[i]), float32(out.Samples[i+1])-128, float32(out.Samples[i+2])-128)
			for k, value := range [3]float32{red, green, blue} {
				out.Samples[i+k] = byte(min(max(value+0.5, 0), 255))
			}
		}
	}
	return out, nil
}

// at returns the rectangle of a component on the reference grid, at a lower resolution.
func (c *channel) at(z *size, discard int) plane[int32] {
	return plane[int32]{
		x0: ceilShift(ceil(z.x0, c.stepX), discard), y0: ceilShift(ceil(z.y0, c.stepY), discard),
		x1: ceilShift(ceil(z.x1, c.stepX), discard), y1: ceilShift(ceil(z.y1, c.stepY), discard),
	}
}

// discard returns how many resolutions are not needed.
func (s *codestream) discard(o *Options) int {
	most := maxLevels
	for _, tile := range s.tiles {
		for c := range tile.parameters.coding {
			most = min(most, tile.parameters.coding[c].levels)
		}
	}
	width, height := s.size.x1-s.size.x0, s.size.y1-s.size.y0
	n := 0
	for n < most && (width>>(n+1) >= o.Width && height>>(n+1) >= o.Height || int64(width>>n)*int64(height>>n) > maxPixels) {
		n++
	}
	return n
}

// decodeTile decodes a tile into the pixels of the image.
func (s *codestream) decodeTile(index, discard int, out *Pixels, o *Options) error {
	t, err := newTile(s, index, o.Room)
	if err != nil {
		return err
	}
	t.readPackets(discard, o.Room)
	same := len(t.components) >= 3
	for c := range min(3, len(t.components)) {
		part, first := &t.components[c], &t.components[0]
		same = same && part.coding.reversible == first.coding.reversible && s.size.components[c].stepX == s.size.components[0].stepX &&
			s.size.components[c].stepY == s.size.components[0].stepY
	}
	together := 0 // the first components that the transform mixes
	if same && t.parameters.transform {
		together = 3
	}
	for c := 0; c < len(t.components); {
		n := max(together-c, 1)
		var err error
		if t.components[c].coding.reversible {
			err = decodeComponents(t, c, n, discard, out, o, reversible, wholeValue, unmixReversible)
		} else {
			err = decodeComponents(t, c, n, discard, out, o, irreversible, realValue, unmixIrreversible)
		}
		if err != nil {
			return err
		}
		c += n
	}
	return nil
}

// decodeComponents decodes n components of a tile from the first one on, and undoes the transform of
// three.
func decodeComponents[T number](t *tile, first, n, discard int, out *Pixels, o *Options, line func([]T, int), value func(uint32, int, float64) T, unmix func(a, b, c T) (T, T, T)) error {
	var decoded []plane[T]
	for c := first; c < first+n; c++ {
		p, err := decodeComponent(t, c, discard, o.Room, line, value)
		if err != nil {
			return err
		}
		decoded = append(decoded, p)
	}
	if n == 3 {
		a, b, c := decoded[0].values, decoded[1].values, decoded[2].values
		for i := range a {
			a[i], b[i], c[i] = unmix(a[i], b[i], c[i])
		}
	}
	for k := range decoded {
		store(out, t.stream, &decoded[k], first+k, discard, o.Index)
	}
	return nil
}

func wholeValue(v uint32, _ int, _ float64) int32 { return int32(v) } // #nosec G115 -- at most 31 bits

// realValue adds half of the interval that the missing bit planes leave open (equation G-1, r = 0.5).
func realValue(v uint32, last int, step float64) float32 {
	if v == 0 {
		return 0
	}
	return float32((float64(v) + 0.5*float64(int64(1)<<last)) * step)
}

// unmixReversible undoes the reversible transform of components (G.2).
func unmixReversible(luma, u, v int32) (red, green, blue int32) {
	green = luma - (u+v)>>2
	return v + green, green, u + green
}

// unmixIrreversible undoes the irreversible transform of components (G.3).
func unmixIrreversible(luma, u, v float32) (red, green, blue float32) {
	return luma + 1.402*v, luma - 0.344136*u - 0.714136*v, luma + 1.772*u
}

// decodeComponent decodes the code-blocks of a component and transforms them. The value of a
// coefficient depends on its bits, the number of bit planes that were not coded, and the step.
func decodeComponent[T number](t *tile, index, discard int, room func(int64) bool, line func([]T, int), value func(uint32, int, float64) T) (plane[T], error) {
	c, q := &t.components[index], &t.parameters.quantization[index]
	shift := t.parameters.shift[index]
	var result plane[T]
	for r := range c.coding.levels - discard + 1 {
		resolution := &c.resolutions[r]
		area := int64(resolution.x1-resolution.x0) * int64(resolution.y1-resolution.y0)
		if !room(8 * max(area, 0)) {
			return result, errRoom
		}
		into := newPlane[T](resolution.x0, resolution.y0, resolution.x1, resolution.y1)
		for i := range resolution.bands {
			b := &resolution.bands[i]
			exponent, mantissa, ok := q.step(b.index)
			if !ok {
				return result, errors.New("a subband without a quantization")
			}
			planes := q.guardBits + exponent - 1 + shift
			gain := [...]int{bandLL: 0, bandHL: 1, bandLH: 1, bandHH: 2}[b.orientation]
			// Equation E-3.
			step := math.Ldexp(1+float64(mantissa)/2048, t.stream.size.components[index].bits+gain-exponent)
			band := newPlane[T](b.x0, b.y0, b.x1, b.y1)
			blocks, work := b.coded()
			if !room(int64(work) / 4) {
				return result, errRoom
			}
			decoded := make([]bool, raster.Parts(work, blocksWork))
			raster.DoParts(len(decoded), func(part int) {
				var decoder blockDecoder
				for k := part; k < len(blocks); k += len(decoded) {
					block := blocks[k]
					if !decoder.decode(block, b.orientation, planes, c.coding.style) {
						return
					}
					last := max(planes-1-block.zeroPlanes-(block.passes+1)/3, 0)
					place(&band, block, decoder.values, func(v uint32) T {
						// Coefficients of the region of interest are shifted up (annex H).
						if shift > 0 && v >= 1<<shift {
							v >>= shift
						}
						return value(v, last, step)
					})
				}
				decoded[part] = true
			})
			if slices.Contains(decoded, false) {
				return result, errors.New("a code-block of too many bits")
			}
			if r == 0 {
				into = band
			} else {
				into.interleave(&band, b.orientation)
			}
		}
		if r > 0 {
			low := result
			into.interleave(&low, bandLL)
			into.inverse(line)
		}
		result = into
	}
	return result, nil
}

// blocksWork is the least number of coefficients, each counted once for each pass, for which another CPU is used.
const blocksWork = 1 << 19

// coded returns the code-blocks of a subband that have data, and the sum of their coefficients, each counted once
// for each pass.
func (b *subband) coded() (blocks []*codeBlock, work int) {
	for k := range b.cells {
		for n := range b.cells[k].blocks {
			if block := &b.cells[k].blocks[n]; block.passes > 0 {
				blocks = append(blocks, block)
				work += (block.x1 - block.x0) * (block.y1 - block.y0) * block.passes
			}
		}
	}
	return blocks, work
}

// place writes the coefficients of a block into its subband.
func place[T number](band *plane[T], b *codeBlock, values []uint32, value func(uint32) T) {
	w := b.x1 - b.x0
	for y := b.y0; y < b.y1; y++ {
		row := band.values[(y-band.y0)*band.width()+b.x0-band.x0:]
		for x, v := range values[(y-b.y0)*w : (y-b.y0+1)*w] {
			made := value(v &^ minus)
			if v&minus != 0 {
				made = -made
			}
			row[x] = made
		}
	}
}

// store writes the samples of a component of a tile as bytes. A component of fewer samples than
// the first one is repeated.
func store[T number](out *Pixels, s *codestream, from *plane[T], index, discard int, keep bool) {
	if len(from.values) == 0 {
		return
	}
	c, first := &s.size.components[index], &s.size.components[0]
	all := first.at(&s.size, discard)
	low, high := 0.0, float64(int(1)<<c.bits-1)
	offset := high/2 + 0.5
	if c.signed {
		offset = float64(int(1) << (c.bits - 1))
	}
	scale := 255 / high
	if keep && c.bits <= 8 {
		scale = 1
	}
	// The pixels of the first component that the samples cover.
	x0, x1 := from.x0*c.stepX/first.stepX, ceil(from.x1*c.stepX, first.stepX)
	y0, y1 := from.y0*c.stepY/first.stepY, ceil(from.y1*c.stepY, first.stepY)
	for y := max(y0, all.y0); y < min(y1, all.y1); y++ {
		row := min(max(y*first.stepY/c.stepY, from.y0), from.y1-1) - from.y0
		values := from.values[row*from.width() : (row+1)*from.width()]
		at := ((y-all.y0)*out.Width+max(x0, all.x0)-all.x0)*out.Components + index
		for x := max(x0, all.x0); x < min(x1, all.x1); x++ {
			column := min(max(x*first.stepX/c.stepX, from.x0), from.x1-1) - from.x0
			v := min(max(float64(values[column])+offset, low), high)
			out.Samples[at] = byte(v*scale + 0.5)
			at += out.Components
		}
	}
}

// jpxFile is what the boxes of a file state of its codestream.
type jpxFile struct {
	stream []byte
	// palette has a row of components for each index, scaled to eight bits.
	palette   [][]byte
	luminance bool
	opacity   int
}

// readJPXFile reads the boxes; data without boxes is a codestream.
func readJPXFile(data []byte) jpxFile {
	file := jpxFile{stream: data}
	if len(data) >= 2 && binary.BigEndian.Uint16(data) == markerSOC {
		return file
	}
	EachBox(data, func(kind string, body []byte) {
		switch kind {
		case "jp2c":
			file.stream = body
		case "jp2h":
			EachBox(body, file.header)
		}
	})
	return file
}

func (f *jpxFile) header(kind string, body []byte) {
	switch {
	case kind == "colr" && len(body) >= 7 && body[0] == 1:
		f.luminance = binary.BigEndian.Uint32(body[3:]) == 18
	case kind == "cdef" && len(body) >= 2:
		for body = body[2:]; len(body) >= 6; body = body[6:] {
			if binary.BigEndian.Uint16(body[2:]) == 1 {
				f.opacity = int(binary.BigEndian.Uint16(body)) + 1
			}
		}
	case kind == "pclr" && len(body) >= 3:
		entries, columns := int(binary.BigEndian.Uint16(body)), int(body[2])
		depths := body[3:]
		if columns == 0 || entries > 1024 || len(depths) < columns {
			return
		}
		values := depths[columns:]
		for range entries {
			row := make([]byte, columns)
			for c := range row {
				depth := int(depths[c]&0x7f) + 1
				if n := (depth + 7) / 8; len(values) >= n && n <= 2 {
					v := int(values[0])
					if n == 2 {
						v = v<<8 | int(values[1])
					}
					row[c], values = byte(v*255/(1<<depth-1)), values[n:] // #nosec G115 -- at most 255
				}
			}
			f.palette = append(f.palette, row)
		}
	}
}

// maxBoxes bounds the boxes of a file that are read.
const maxBoxes = 256

// EachBox calls visit for each box of a sequence (ISO/IEC 15444-1, I.4). The last one may end early.
func EachBox(data []byte, visit func(kind string, body []byte)) {
	for range maxBoxes {
		if len(data) < 8 {
			return
		}
		size, head := uint64(binary.BigEndian.Uint32(data)), uint64(8)
		switch {
		case size == 0:
			size = uint64(len(data))
		case size == 1 && len(data) >= 16:
			size, head = binary.BigEndian.Uint64(data[8:]), 16
		}
		if size = min(size, uint64(len(data))); size < head {
			return
		}
		visit(string(data[4:8]), data[head:size])
		data = data[size:]
	}
}
