// SPDX-License-Identifier: Apache-2.0

package render

import (
	"math"

	"github.com/printmarket/printmarket/pkg/preflight/internal/color"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/internal/planes"
	"github.com/printmarket/printmarket/pkg/preflight/internal/raster"
)

// Image is an image that is painted into the unit square of its matrix.
type Image struct {
	// Key identifies the image and the space of its colours.
	Key any
	// Space is that of the colours.
	Space *color.Space
	// Samples reads the samples; false when they cannot be read. It is called only
	// when the image is not in the cache.
	Samples func() (color.Image, bool)
	// Stencil marks an image mask, whose samples are opacities of the current colour.
	Stencil bool
	// Ranges is the colour key: a low and a high value for each component that is
	// transparent (ISO 32000-2, 8.9.6.4).
	Ranges []int
	// Mask and SoftMask are images of opacities, at most one of which is set.
	Mask     *Image
	SoftMask bool
}

type bitmapKey struct {
	key               any
	width, height     int
	stencil, softMask bool
	// light is set on the canvas of a soft mask.
	light bool
}

// maxBitmaps bounds the memory of images in inks.
const maxBitmaps = 48 << 20

// Image paints an image. For a stencil, the tone is its colour. It returns the highest
// amounts of ink of an image that is no stencil, or false when it painted nothing or a
// mask.
func (r *Renderer) Image(i *Image, m geom.Matrix, region *raster.Clip, t Tone, s Style) (facts.Paint, bool) {
	if region.Empty() || r.spent() {
		return facts.Paint{}, false
	}
	device := m.Then(r.surface.device)
	box := raster.Pixels(device.Rect(geom.Rect{0, 0, 1, 1})).Intersect(region.Box)
	if box.Empty() {
		return facts.Paint{}, false
	}
	bitmap := r.bitmap(i, device)
	if bitmap == nil {
		r.Unpainted(s.Mark)
		return facts.Paint{}, false
	}
	sampler := &planes.Sampler{Bitmap: bitmap}
	var ok bool
	if sampler.Inverse, ok = toPixels(device, bitmap); !ok {
		return facts.Paint{}, false
	}
	if i.Stencil {
		sampler.Flat = &t.amounts
	}
	if i.Mask != nil {
		if sampler.Alpha = r.bitmap(i.Mask, device); sampler.Alpha == nil {
			r.Unpainted(s.Mark)
			return facts.Paint{}, false
		}
		sampler.AlphaInverse, _ = toPixels(device, sampler.Alpha)
	}
	paint := r.paint(t, s, i.Stencil)
	r.shape.Reset()
	var unit geom.Path
	unit.Rect(geom.Rect{0, 0, 1, 1})
	r.shape.Append(&unit, device)
	r.surface.canvas.Draw(sampler, &r.shape, region, &paint)
	if i.Stencil || r.surface.mask {
		return facts.Paint{}, false
	}
	return r.paintOf(i.Space, bitmap.Highest()), true
}

// toPixels returns the matrix from the canvas to the pixels of a bitmap in the unit
// square; its first row is at the top.
func toPixels(device geom.Matrix, b *planes.Bitmap) (geom.Matrix, bool) {
	inverse, ok := device.Invert()
	return inverse.Then(geom.Matrix{float64(b.Width), 0, 0, -float64(b.Height), 0, float64(b.Height)}), ok
}

// bitmap returns an image in inks at about the resolution of the canvas, or nil.
func (r *Renderer) bitmap(i *Image, device geom.Matrix) *planes.Bitmap {
	sx, sy := device.Scale()
	// Few sizes, so that copies of an image share a bitmap.
	size := func(v float64) int { return 1 << int(math.Ceil(math.Log2(min(max(v, 1), 1<<14)))) }
	key := bitmapKey{key: i.Key, width: size(sx), height: size(sy), stencil: i.Stencil, softMask: i.SoftMask, light: r.surface.mask}
	if known, ok := r.bitmaps[key]; ok {
		return known
	}
	// Twice the resolution of the canvas, of which the sampler takes means.
	made := r.convert(i, int(math.Ceil(2*sx)), int(math.Ceil(2*sy)))
	if made != nil {
		if r.bytes += made.Size(); r.bytes > maxBitmaps {
			clear(r.bitmaps)
			r.bytes = made.Size()
		}
	}
	r.bitmaps[key] = made
	return made
}

// convert reads an image and reduces it to at most about the given size.
func (r *Renderer) convert(i *Image, width, height int) *planes.Bitmap {
	from, ok := i.Samples()
	if !ok {
		return nil
	}
	if from, ok = color.Unpack(from, width, height, r.room); !ok {
		return nil
	}
	// Each pixel of the bitmap is the mean of whole pixels of the image.
	stepX, stepY := max(from.Width/max(width, 1), 1), max(from.Height/max(height, 1), 1)
	out := &planes.Bitmap{Width: (from.Width + stepX - 1) / stepX, Height: (from.Height + stepY - 1) / stepY}
	if !r.room(int64(out.Width) * int64(out.Height)) {
		return nil
	}
	reader := color.NewReader(from)
	if reader == nil {
		return nil
	}
	work := reduction{out: out, stepX: stepX, stepY: stepY, reader: reader}
	switch {
	case i.Stencil:
		// A sample of 0 paints, unless Decode is [1 0] (8.9.6.2).
		work.opacity(func(v float64) float64 { return 1 - v })
	case i.SoftMask:
		work.opacity(func(v float64) float64 { return v })
	case from.Space.Components == 1:
		r.single(&work, from, i.Ranges)
	default:
		r.several(&work, from, i.Ranges)
	}
	return out
}

// reduction converts the rows of an image to a smaller bitmap.
type reduction struct {
	out          *planes.Bitmap
	stepX, stepY int
	reader       *color.Reader
}

// opacity sets the alpha of the bitmap from the first component.
func (w *reduction) opacity(of func(float64) float64) {
	levels := w.reader.Levels(0)
	var table [256]uint32
	for v, level := range levels {
		table[v] = uint32(eighth(of(level)))
	}
	w.out.Alpha = w.mean(func(row []uint8, x int) uint32 { return table[row[x]] })
}

// mean returns the mean of a value for each pixel of the bitmap. Rows hold one byte for
// each component.
func (w *reduction) mean(value func(row []uint8, x int) uint32) []uint8 {
	out := make([]uint8, w.out.Width*w.out.Height)
	sums := make([]uint32, w.out.Width)
	for y := range w.out.Height {
		clear(sums)
		rows := 0
		for k := range w.stepY {
			row := w.reader.Row(y*w.stepY + k)
			if row == nil {
				break
			}
			rows++
			for x := range w.reader.Width() {
				sums[x/w.stepX] += value(row, x)
			}
		}
		for x, sum := range sums {
			columns := min(w.stepX, w.reader.Width()-x*w.stepX)
			if n := uint32(rows * columns); n > 0 { // #nosec G115 -- the pixels of a step
				out[y*w.out.Width+x] = uint8((sum + n/2) / n) // #nosec G115 -- a mean of bytes
			}
		}
	}
	return out
}

// components returns the mean of each of n components, in one pass over the rows.
func (w *reduction) components(n int) [][]uint8 {
	out := make([][]uint8, n)
	for c := range out {
		out[c] = make([]uint8, w.out.Width*w.out.Height)
	}
	sums := make([]uint32, w.out.Width*n)
	for y := range w.out.Height {
		clear(sums)
		rows := 0
		for k := range w.stepY {
			row := w.reader.Row(y*w.stepY + k)
			if row == nil {
				break
			}
			rows++
			for x := range w.out.Width {
				to := sums[x*n : x*n+n]
				from := row[x*w.stepX*n : min((x+1)*w.stepX*n, len(row))]
				for len(from) >= n {
					for c := range to {
						to[c] += uint32(from[c])
					}
					from = from[n:]
				}
			}
		}
		for x := range w.out.Width {
			count := uint32(rows * min(w.stepX, w.reader.Width()-x*w.stepX)) // #nosec G115 -- the pixels of a step
			if count == 0 {
				continue
			}
			for c := range n {
				out[c][y*w.out.Width+x] = uint8((sums[x*n+c] + count/2) / count) // #nosec G115 -- a mean of bytes
			}
		}
	}
	return out
}

// single converts an image of one component: each of its at most 256 samples is
// converted once.
func (r *Renderer) single(w *reduction, from color.Image, ranges []int) {
	levels := w.reader.Levels(0)
	tones := make([]planes.Amounts, len(levels))
	var used planes.Set
	for v, level := range levels {
		tones[v] = r.Tone(from.Space, []float64{level}).amounts
		for p, amount := range tones[v] {
			if amount != 0 {
				used |= 1 << p
			}
		}
	}
	for p := range planes.Max {
		if used.Has(p) {
			w.out.Amounts[p] = w.mean(func(row []uint8, x int) uint32 { return uint32(tones[row[x]][p]) })
		}
	}
	if len(ranges) >= 2 {
		w.out.Alpha = w.mean(func(row []uint8, x int) uint32 {
			if v := int(row[x]); v >= ranges[0] && v <= ranges[1] {
				return 0
			}
			return 255
		})
	}
}

// several converts an image of several components: it converts the mean of each step.
func (r *Renderer) several(w *reduction, from color.Image, ranges []int) {
	n := from.Space.Components
	means := w.components(n)
	if len(ranges) >= 2*n {
		w.out.Alpha = w.mean(func(row []uint8, x int) uint32 {
			for c := range n {
				if v := int(row[x*n+c]); v < ranges[2*c] || v > ranges[2*c+1] {
					return 255
				}
			}
			return 0
		})
	}
	size := w.out.Width * w.out.Height
	if from.Space.Process() && !r.surface.mask && !r.output.Converts(from.Space) {
		for c := range n {
			levels := w.reader.Levels(c)
			var table [256]uint8
			for v, level := range levels {
				table[v] = eighth(level)
			}
			for i, v := range means[c] {
				means[c][i] = table[v]
			}
			w.out.Amounts[c] = means[c]
		}
		return
	}
	values := make([]float64, n)
	var last planes.Amounts
	lastAt := -1
	same := func(i int) bool {
		for c := range n {
			if lastAt < 0 || means[c][i] != means[c][lastAt] {
				return false
			}
		}
		return true
	}
	for i := range size {
		if !same(i) {
			for c := range n {
				values[c] = w.reader.Levels(c)[means[c][i]]
			}
			last, lastAt = r.Tone(from.Space, values).amounts, i
		}
		for p, v := range last {
			if v == 0 && w.out.Amounts[p] == nil {
				continue
			}
			if w.out.Amounts[p] == nil {
				w.out.Amounts[p] = make([]uint8, size)
			}
			w.out.Amounts[p][i] = v
		}
	}
}
