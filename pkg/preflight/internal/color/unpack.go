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
