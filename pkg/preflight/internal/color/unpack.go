// SPDX-License-Identifier: Apache-2.0

package color

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"io"

	"github.com/printmarket/printmarket/pkg/preflight/internal/codec"
)

// Unpack converts an image to plain samples. A JPEG that is much larger than width x
// height pixels is reduced on the way. It calls room with the number of bytes before it
// unpacks, and stops when room returns false; it returns false for data that it cannot
// read.
func Unpack(i Image, width, height int, room func(bytes int64) bool) (Image, bool) {
	switch {
	case i.Space == nil || i.Width <= 0 || i.Height <= 0 || i.Width > maxSide || i.Height > maxSide:
		return i, false
	case i.Codec == Plain:
		return i, true
	case i.Codec == JPEG2000:
		return unpackJPX(i, width, height, room)
	case i.Codec == JBIG2:
		data, err := codec.DecodeJBIG2(i.Data, i.Globals, i.Width, i.Height, room)
		i.Codec, i.Bits, i.Data = Plain, 1, data
		return i, err == nil && i.Space.Components == 1
	}
	side := blockSide(i.Width, i.Height, width, height)
	if i.Ahead != nil {
		i.Ahead.Wait()
		if side == 1 || i.Ahead.side < side {
			i.Ahead = nil
		} else {
			side = i.Ahead.side
		}
	}
	if side < 8 {
		if unpacked, ok := unpackBlocks(i, side, room); ok {
			return unpacked, true
		}
	}
	return unpackWhole(i, room)
}

// blockSide returns how many samples of a block of a JPEG, in each direction, suffice for a reduced size: 1, 2,
// 4, or 8 for all.
func blockSide(jpegWidth, jpegHeight, width, height int) int {
	switch times := min(jpegWidth/max(width, 1), jpegHeight/max(height, 1)); {
	case times >= 8 || jpegWidth > mostPixels/jpegHeight:
		return 1
	case times >= 4:
		return 2
	case times >= 2:
		return 4
	}
	return 8
}

// unpackJPX converts a JPEG 2000 image to the components of its space, or to its opacity. An array
// Decode has no effect (ISO 32000-2, 7.4.9).
func unpackJPX(i Image, width, height int, room func(bytes int64) bool) (Image, bool) {
	p, err := codec.DecodeJPX(i.Data, codec.Options{Width: width, Height: height, Index: i.Space.Indexed(), Room: room})
	if err != nil {
		return i, false
	}
	first, n := 0, i.Space.Components
	if i.Opacity {
		first, n = p.Opacity-1, 1
	}
	if first < 0 || first+n > p.Components {
		return i, false
	}
	i.Width, i.Height, i.Bits, i.Codec, i.Decode, i.Data = p.Width, p.Height, 8, Plain, nil, p.Samples
	if n == p.Components {
		return i, true
	}
	i.Data = make([]byte, 0, p.Width*p.Height*n)
	for at := first; at+n <= len(p.Samples); at += p.Components {
		i.Data = append(i.Data, p.Samples[at:at+n]...)
	}
	return i, true
}

// Decoding is a JPEG that another goroutine decodes: to blocks of side samples in each direction, or as a whole.
type Decoding struct {
	done    chan struct{}
	side    int
	blocks  *blocks
	picture image.Image
	err     error
}

// Decode starts to decode a JPEG for a reduced size, and takes its bytes from the budget. It returns nil without
// room, and for a JPEG that is too large.
func Decode(data []byte, width, height int, room func(bytes int64) bool) *Decoding {
	data = withAdobe(data)
	config, err := jpeg.DecodeConfig(bytes.NewReader(data))
	if err != nil || !decodable(config) || !room(jpegBytes(config)) {
		return nil
	}
	d := &Decoding{done: make(chan struct{}), side: blockSide(config.Width, config.Height, width, height)}
	go func() {
		defer close(d.done)
		defer func() {
			if fault := recover(); fault != nil {
				d.picture, d.err = nil, fmt.Errorf("decode JPEG: %v", fault)
			}
		}()
		if d.side < 8 {
			b := &blocks{data: data, side: d.side}
			if b.headers(func(int64) bool { return true }) {
				d.blocks = b
				return
			}
		}
		d.picture, d.err = jpeg.Decode(bytes.NewReader(data))
	}()
	return d
}

// Wait waits until the JPEG is decoded.
func (d *Decoding) Wait() { <-d.done }

// decodable reports whether a JPEG is small enough to be decoded as a whole.
func decodable(c image.Config) bool {
	return c.Width > 0 && c.Height > 0 && c.Width <= maxSide && c.Height <= maxSide && c.Width <= mostPixels/c.Height
}

// jpegBytes returns the most memory that a decoded JPEG takes.
func jpegBytes(c image.Config) int64 { return int64(c.Width) * int64(c.Height) * 4 }

// unpackWhole converts all samples of a JPEG.
func unpackWhole(i Image, room func(bytes int64) bool) (Image, bool) {
	data := withAdobe(i.Data)
	config, err := jpeg.DecodeConfig(bytes.NewReader(data))
	if err != nil || !decodable(config) {
		return i, false
	}
	var picture image.Image
	switch {
	case i.Ahead != nil && i.Ahead.blocks == nil:
		picture, err = i.Ahead.picture, i.Ahead.err
	case room(jpegBytes(config)):
		picture, err = jpeg.Decode(bytes.NewReader(data))
	}
	if err != nil || picture == nil {
		return i, false
	}
	i.Width, i.Height, i.Bits, i.Codec, i.Data = config.Width, config.Height, 8, Plain, nil
	rows := &pixelRows{height: i.Height, stride: i.Width * i.Space.Components}
	i.Rows = rows
	switch p := picture.(type) {
	case *image.Gray:
		rows.fill = func(y int, row []byte) { copy(row, p.Pix[y*p.Stride:]) }
		return i, i.Space.Components == 1
	case *image.CMYK:
		// The decoder inverts every CMYK JPEG. In a PDF, Decode states whether it is
		// inverted.
		rows.fill = func(y int, row []byte) {
			for x, v := range p.Pix[y*p.Stride:][:len(row)] {
				row[x] = 255 - v
			}
		}
		return i, i.Space.Components == 4
	case *image.YCbCr:
		shift := map[image.YCbCrSubsampleRatio]int{
			image.YCbCrSubsampleRatio422: 1, image.YCbCrSubsampleRatio420: 1, image.YCbCrSubsampleRatio411: 2, image.YCbCrSubsampleRatio410: 2,
		}[p.SubsampleRatio]
		rows.fill = func(y int, row []byte) { fillRGB(p, shift, y, row) }
		return i, i.Space.Components == 3
	case *image.RGBA: // without the transform of colours
		rows.fill = func(y int, row []byte) {
			pixels := p.Pix[y*p.Stride:]
			for x := range i.Width {
				copy(row[3*x:3*x+3], pixels[4*x:])
			}
		}
		return i, i.Space.Components == 3
	}
	return i, false
}

// pixelRows reads the rows of a decoded image. fill may be called concurrently.
type pixelRows struct {
	y, height, stride int
	fill              func(y int, row []byte)
}

func (r *pixelRows) Read(p []byte) (int, error) {
	if r.y >= r.height {
		return 0, io.EOF
	}
	if len(p) < r.stride {
		return 0, io.ErrShortBuffer
	}
	r.fill(r.y, p[:r.stride])
	r.y++
	return r.stride, nil
}

// fillRGB converts a row of luminance and chrominance (ITU-T T.871). A sample of chrominance is that of
// 1<<shift pixels.
func fillRGB(p *image.YCbCr, shift, y int, row []byte) {
	luma, chroma := p.Y[y*p.YStride:], p.COffset(0, y)
	cb, cr := p.Cb[chroma:], p.Cr[chroma:]
	clamped := func(v int32) byte { return byte(min(max(v>>16, 0), 255)) } // #nosec G115 -- clamped
	for x := range len(row) / 3 {
		// In 1/65536, with half of one for rounding.
		v, u, w := int32(luma[x])<<16+1<<15, int32(cb[x>>shift])-128, int32(cr[x>>shift])-128
		row[3*x], row[3*x+1], row[3*x+2] = clamped(v+91881*w), clamped(v-22554*u-46802*w), clamped(v+116130*u)
	}
}
