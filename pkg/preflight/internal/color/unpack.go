// SPDX-License-Identifier: Apache-2.0

package color

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
)

// Unpack converts an image to plain samples. A JPEG that is much larger than width x
// height pixels is reduced on the way. It calls room with the number of bytes before it
// unpacks, and stops when room returns false; it returns false for data that it cannot
// read.
func Unpack(i Image, width, height int, room func(bytes int64) bool) (Image, bool) {
	switch {
	case i.Space == nil || i.Width <= 0 || i.Height <= 0 || i.Width > maxSide || i.Height > maxSide:
		return i, false
	case !i.JPEG:
		return i, true
	}
	if i.Width >= 6*max(width, 1) && i.Height >= 6*max(height, 1) || i.Width > mostPixels/i.Height {
		if unpacked, ok := unpackBlocks(i, room); ok {
			return unpacked, true
		}
	}
	return unpackWhole(i, room)
}

// unpackWhole converts all samples of a JPEG.
func unpackWhole(i Image, room func(bytes int64) bool) (Image, bool) {
	data := withAdobe(i.Data)
	config, err := jpeg.DecodeConfig(bytes.NewReader(data))
	if err != nil || config.Width <= 0 || config.Height <= 0 || config.Width > maxSide || config.Height > maxSide || config.Width > mostPixels/config.Height {
		return i, false
	}
	if !room(int64(config.Width) * int64(config.Height) * 4) {
		return i, false
	}
	picture, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		return i, false
	}
	i.Width, i.Height, i.Bits, i.JPEG = config.Width, config.Height, 8, false
	switch p := picture.(type) {
	case *image.Gray:
		i.Data = plane(p.Pix, p.Stride, i.Width, i.Height)
		return i, i.Space.Components == 1
	case *image.CMYK:
		i.Data = plane(p.Pix, p.Stride, 4*i.Width, i.Height)
		// The decoder inverts every CMYK JPEG. In a PDF, Decode states whether it is
		// inverted.
		for k, v := range i.Data {
			i.Data[k] = 255 - v
		}
		return i, i.Space.Components == 4
	case *image.YCbCr:
		i.Data = make([]byte, 0, 3*i.Width*i.Height)
		for y := range i.Height {
			for x := range i.Width {
				chroma := p.COffset(x, y)
				r, g, b := color.YCbCrToRGB(p.Y[p.YOffset(x, y)], p.Cb[chroma], p.Cr[chroma])
				i.Data = append(i.Data, r, g, b)
			}
		}
		return i, i.Space.Components == 3
	case *image.RGBA: // without the transform of colours
		i.Data = make([]byte, 0, 3*i.Width*i.Height)
		for y := range i.Height {
			row := p.Pix[y*p.Stride:]
			for x := range i.Width {
				i.Data = append(i.Data, row[4*x:4*x+3]...)
			}
		}
		return i, i.Space.Components == 3
	}
	return i, false
}

// Reader reads the samples of an image row by row.
type Reader struct {
	meter *meter
	row   []byte
}

// NewReader returns a reader of plain samples, or nil for an unusual depth.
func NewReader(i Image) *Reader {
	switch i.Bits {
	case 1, 2, 4, 8, 16:
		m := newMeter(i)
		return &Reader{meter: m, row: make([]byte, i.Width*m.n)}
	}
	return nil
}

// Width returns the pixels of a row.
func (r *Reader) Width() int { return r.meter.image.Width }

// Levels returns the value of a component for each sample.
func (r *Reader) Levels(component int) []float64 { return r.meter.levels[component] }

// Row returns the samples of a row, one byte for each component; of 16 bits the upper
// ones. It returns nil after the last row of the data. The slice is valid until the
// next call.
func (r *Reader) Row(y int) []byte {
	m := r.meter
	if y >= m.image.Height || (y+1)*m.row > len(m.image.Data) {
		return nil
	}
	data := m.image.Data[y*m.row : (y+1)*m.row]
	if m.image.Bits == 8 {
		return data
	}
	for k := range r.row {
		r.row[k] = byte(m.at(data, k)) // #nosec G115 -- at most eight bits
	}
	return r.row
}
