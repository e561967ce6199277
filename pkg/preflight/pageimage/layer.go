// SPDX-License-Identifier: Apache-2.0

package pageimage

import (
	"fmt"
	"image"
	"image/color"
	"slices"

	"golang.org/x/image/draw"
)

// The layers of a page beside its inks, which have their names.
const (
	// Printed is the page as it is printed.
	Printed = ""
	// Heat is where the page has more ink than [HeatFrom] percent, on a pale page.
	Heat = "heat"
)

// HeatFrom is the total of the inks, in percent, from which [Heat] has a colour. The colours
// change at HeatStep percent more.
const (
	HeatFrom = 200
	HeatStep = 50
)

// heat holds the colours of the totals above HeatFrom, one for each step.
var heat = [...]color.RGBA{
	{0xff, 0xe0, 0x82, 0xff}, {0xff, 0xb7, 0x4d, 0xff}, {0xf5, 0x7c, 0x00, 0xff}, {0xd8, 0x1b, 0x1b, 0xff}, {0x7b, 0x00, 0x2c, 0xff},
} // constant

// MaxWidth and MinWidth bound the width of [Set.Picture] in pixels.
const (
	MinWidth = 16
	MaxWidth = 4000
)

// Picture returns a layer of a page: [Printed], [Heat], or the name of an ink, whose full amount is
// black. It is as wide as given, or as stored if that is less or width is 0. It returns
// [ErrNotFound] for a page or a layer that the set does not have, and [ErrInvalid] for a damaged
// picture.
func (s *Set) Picture(number int, layer string, width int) (image.Image, error) {
	page, err := s.page(number)
	if err != nil {
		return nil, err
	}
	var made image.Image
	switch layer {
	case Printed:
		made, err = s.decode(page, 0)
	case Heat:
		made, err = s.heat(page)
	default:
		ink := slices.Index(page.Inks, layer)
		if ink < 0 {
			return nil, fmt.Errorf("%w: layer %q of page %d", ErrNotFound, layer, number)
		}
		if made, err = s.decode(page, ink+1); err == nil {
			made = inverted(made)
		}
	}
	if err != nil {
		return nil, err
	}
	return scaled(made, width), nil
}

// JPEG returns the file of a picture as it is stored: [Printed], or the name of an ink, whose full
// amount is white. Its errors are those of [Set.Picture].
func (s *Set) JPEG(number int, layer string) ([]byte, error) {
	page, err := s.page(number)
	if err != nil {
		return nil, err
	}
	picture := 0
	if layer != Printed {
		if picture = 1 + slices.Index(page.Inks, layer); picture == 0 {
			return nil, fmt.Errorf("%w: layer %q of page %d", ErrNotFound, layer, number)
		}
	}
	return s.stored(page, picture)
}

// CloseUp returns the JPEG file of a close-up of a page, by its index. Its errors are those of
// [Set.Picture].
func (s *Set) CloseUp(number, i int) ([]byte, error) {
	page, err := s.page(number)
	if err != nil {
		return nil, err
	}
	if i < 0 || i >= len(page.CloseUps) {
		return nil, fmt.Errorf("%w: close-up %d of page %d", ErrNotFound, i, number)
	}
	data, size, err := s.jpeg(closeUpFile(number, i))
	if err != nil {
		return nil, err
	}
	if size.X > MaxPixels || size.Y > MaxPixels || size.X*size.Y > MaxPixels {
		return nil, fmt.Errorf("%w: a close-up of page %d is too large", ErrInvalid, number)
	}
	return data, nil
}

// page returns the entry of a page in the directory.
func (s *Set) page(number int) (*Page, error) {
	at := slices.IndexFunc(s.pages, func(p Page) bool { return p.Number == number })
	if at < 0 {
		return nil, fmt.Errorf("%w: page %d", ErrNotFound, number)
	}
	return &s.pages[at], nil
}

// heat returns the page with the colours of its totals.
func (s *Set) heat(page *Page) (image.Image, error) {
	printed, err := s.decode(page, 0)
	if err != nil {
		return nil, err
	}
	bounds := image.Rect(0, 0, page.PixelWidth, page.PixelHeight)
	totals := make([]int, page.PixelWidth*page.PixelHeight)
	for i := range page.Inks {
		ink, err := s.decode(page, i+1)
		if err != nil {
			return nil, err
		}
		plane := grey(ink)
		for y := range page.PixelHeight {
			for x, v := range plane.Pix[y*plane.Stride:][:page.PixelWidth] {
				totals[y*page.PixelWidth+x] += int(v)
			}
		}
	}
	pale := grey(printed)
	out := image.NewRGBA(bounds)
	for i, total := range totals {
		x, y := i%page.PixelWidth, i/page.PixelWidth
		light := 255 - (255-pale.Pix[y*pale.Stride+x])/3
		at := color.RGBA{light, light, light, 255}
		if over := total*100/255 - HeatFrom; over >= 0 {
			at = heat[min(over/HeatStep, len(heat)-1)]
		}
		out.SetRGBA(x, y, at)
	}
	return out, nil
}

// grey returns a picture in grey.
func grey(picture image.Image) *image.Gray {
	if made, ok := picture.(*image.Gray); ok {
		return made
	}
	bounds := picture.Bounds()
	out := image.NewGray(image.Rect(0, 0, bounds.Dx(), bounds.Dy()))
	draw.Draw(out, out.Bounds(), picture, bounds.Min, draw.Src)
	return out
}

// inverted returns a plane with black for the full amount.
func inverted(picture image.Image) *image.Gray {
	plane := grey(picture)
	// The rows of decoded pictures may be longer than the picture.
	out := &image.Gray{Pix: make([]uint8, len(plane.Pix)), Stride: plane.Stride, Rect: plane.Rect}
	for i, v := range plane.Pix {
		out.Pix[i] = 255 - v
	}
	return out
}

// scaled returns a picture of a smaller width, in grey or RGB of 8 bits: encoders write the colours of
// JPEG with 16 bits.
func scaled(picture image.Image, width int) image.Image {
	bounds := picture.Bounds()
	size := bounds.Sub(bounds.Min)
	if width > 0 && width < bounds.Dx() {
		size = image.Rect(0, 0, width, max(bounds.Dy()*width/bounds.Dx(), 1))
	}
	var out draw.Image = image.NewRGBA(size)
	switch picture.(type) {
	case *image.Gray:
		out = image.NewGray(size)
	case *image.RGBA:
		if size == bounds {
			return picture
		}
	}
	draw.CatmullRom.Scale(out, size, picture, bounds, draw.Src, nil)
	return out
}
