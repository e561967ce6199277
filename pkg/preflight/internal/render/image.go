// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"slices"

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
	// mask is set on the canvas of a soft mask, and light in a group in RGB.
	mask, light bool
	visible     strip
}

// strip is a part of an image, from a share of its height down to another.
type strip struct{ from, to float64 }

// picture is an image in inks: the rows of a bitmap from top on, of a height in all.
type picture struct {
	*planes.Bitmap
	top, height int
}

const (
	// maxBitmaps bounds the memory of images in inks.
	maxBitmaps = 48 << 20
	// edge is the number of rows of the bitmap that are kept above and below the visible ones.
	edge = 2
)

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
	inverse, ok := device.Invert()
	if !ok {
		return facts.Paint{}, false
	}
	visible := strip{0, 1}
	if part := inverse.Rect(geom.Rect{float64(box.Min.X), float64(box.Min.Y), float64(box.Max.X), float64(box.Max.Y)}); r.zooming && part.Finite() {
		visible = strip{min(max(1-part[3], 0), 1), min(max(1-part[1], 0), 1)}
	}
	sampler := &planes.Sampler{}
	source := r.inInks(i.Space, func() colored {
		shown := r.bitmap(i, device, visible)
		if shown == nil {
			return nil
		}
		sampler.Bitmap, sampler.Inverse = shown.Bitmap, shown.pixels(inverse)
		return sampler
	})
	bitmap := sampler.Bitmap
	if bitmap == nil {
		r.Unpainted(s.Mark)
		return facts.Paint{}, false
	}
	if i.Stencil {
		t = r.suited(t)
		sampler.Flat, source = &t.amounts, sampler
	}
	if i.Mask != nil {
		mask := r.bitmap(i.Mask, device, visible)
		if mask == nil {
			r.Unpainted(s.Mark)
			return facts.Paint{}, false
		}
		sampler.Alpha, sampler.AlphaInverse = mask.Bitmap, mask.pixels(inverse)
	}
	paint := r.paint(t, s, i.Stencil)
	r.shape.Reset()
	var unit geom.Path
	unit.Rect(geom.Rect{0, 0, 1, 1})
	r.shape.Append(&unit, device)
	r.surface.canvas.Draw(source, &r.shape, region, &paint)
	if i.Stencil || r.surface.mask {
		return facts.Paint{}, false
	}
	inks := r.paintOf(i.Space, bitmap.Highest())
	inks.Flat = bitmap.Flat() && i.Mask == nil
	return inks, true
}

// pixels returns the matrix from the canvas to the pixels of the bitmap, by the one from the canvas to the
// unit square. The first row is at the top.
func (p *picture) pixels(inverse geom.Matrix) geom.Matrix {
	return inverse.Then(geom.Matrix{float64(p.Width), 0, 0, -float64(p.height), 0, float64(p.height - p.top)})
}

// bitmap returns the visible rows of an image in inks, at about the resolution of the canvas, or nil.
func (r *Renderer) bitmap(i *Image, device geom.Matrix, visible strip) *picture {
	sx, sy := device.Scale()
	// Few sizes, so that copies of an image share a bitmap.
	size := func(v float64) int { return 1 << int(math.Ceil(math.Log2(min(max(v, 1), 1<<14)))) }
	key := bitmapKey{key: i.Key, width: size(sx), height: size(sy), stencil: i.Stencil, softMask: i.SoftMask, mask: r.surface.mask, light: r.surface.light != nil, visible: visible}
	if known, ok := r.bitmaps[key]; ok {
		return known
	}
	// At least the resolution of the canvas: the sampler takes means of what is finer.
	made := r.convert(i, int(math.Ceil(sx)), int(math.Ceil(sy)), visible)
	if made != nil {
		if r.bytes += made.Size(); r.bytes > maxBitmaps {
			clear(r.bitmaps)
			r.bytes = made.Size()
		}
	}
	r.bitmaps[key] = made
	return made
}

// convert reads the visible rows of an image, and reduces them as if the whole image had at most about the
// given size.
func (r *Renderer) convert(i *Image, width, height int, visible strip) *picture {
	from, ok := i.Samples()
	if !ok {
		return nil
	}
	if from, ok = color.Unpack(from, width, height, r.room); !ok {
		return nil
	}
	// Each pixel of the bitmap is the mean of whole pixels of the image.
	stepX, stepY := max(from.Width/max(width, 1), 1), max(from.Height/max(height, 1), 1)
	made := &picture{height: (from.Height + stepY - 1) / stepY}
	// The sampler also reads the rows around.
	made.top = max(int(visible.from*float64(made.height))-edge, 0)
	end := min(int(math.Ceil(visible.to*float64(made.height)))+edge, made.height)
	rows := from.Rows
	if end-made.top < made.height {
		from = from.Rest(made.top*stepY, min(end*stepY, from.Height)-made.top*stepY)
	}
	out := &planes.Bitmap{Width: (from.Width + stepX - 1) / stepX, Height: end - made.top}
	made.Bitmap = out
	if !r.room(int64(out.Width) * int64(out.Height)) {
		return nil
	}
	reader := color.NewReader(from)
	if reader == nil {
		return nil
	}
	work := reduction{out: out, stepX: stepX, stepY: stepY, reader: reader, n: from.Space.Components}
	switch {
	case i.Stencil:
		// A sample of 0 paints, unless Decode is [1 0] (8.9.6.2).
		work.add(0, tableOf(reader.Levels(0), func(v float64) float64 { return 1 - v }), &out.Alpha)
	case i.SoftMask:
		work.add(0, tableOf(reader.Levels(0), func(v float64) float64 { return v }), &out.Alpha)
	default:
		if len(i.Ranges) >= 2*work.n {
			work.addColorKey(i.Ranges)
		}
		convert := r.several
		if work.n == 1 {
			convert = r.single
		}
		convert(&work, from)
	}
	work.run()
	if rows, ok := rows.(io.Closer); ok {
		_ = rows.Close()
	}
	for _, finish := range work.after {
		finish()
	}
	if !i.Stencil && !i.SoftMask && out.Flat() {
		out.Textured = !work.uniform
	}
	return made
}

// tableOf returns eight bits for the value of each sample.
func tableOf(levels []float64, of func(float64) float64) *[256]uint8 {
	var table [256]uint8
	for v, level := range levels {
		table[v] = eighth(of(level))
	}
	return &table
}

// reduction converts the rows of an image of n components to a smaller bitmap, in one pass.
type reduction struct {
	out          *planes.Bitmap
	stepX, stepY int
	reader       *color.Reader
	n            int
	parts        []part
	// after is called when all rows are read.
	after []func()
	// uniform reports whether all samples have the values of the first pixel, but for the noise of
	// compression in samples of eight bits.
	uniform bool
}

// part is a plane of means: of what a table has for the samples of a component.
type part struct {
	component int
	table     *[256]uint8
	means     []uint8
}

// add computes, for each pixel of the bitmap, the mean of what a table has for the samples of a
// component.
func (w *reduction) add(component int, table *[256]uint8, into *[]uint8) {
	*into = make([]uint8, w.out.Width*w.out.Height)
	w.parts = append(w.parts, part{component: component, table: table, means: *into})
}

// together reports whether the samples of a pixel are added up at once: each of three or four components has a plane
// with its own values.
func (w *reduction) together() bool {
	if w.n < 3 || w.n > 4 || len(w.parts) != w.n || w.stepX*w.stepY > maxTogether {
		return false
	}
	for k, p := range w.parts {
		for v, to := range p.table {
			if p.component != k || int(to) != v {
				return false
			}
		}
	}
	return true
}

// maxTogether bounds the pixels of a sum in 16 bits.
const maxTogether = 256

// band is a part of the rows of an image that is reduced beside others.
type band struct {
	*reduction
	reader *color.Reader
	// y is the first row of the bitmap.
	y int
	// plain is a row of the first pixel of the image.
	plain   []byte
	uniform bool
	// sums holds, plane by plane, the sums of the pixels of a row of the bitmap. packed holds them pixel by
	// pixel in 16 bits each instead: those of the first, third, second and fourth component.
	sums   []uint32
	packed []uint64
}

// bandSamples is the least number of samples for which another core is used.
const bandSamples = 1 << 18

// run reads all rows.
func (w *reduction) run() {
	count := raster.Parts(w.reader.Width()*w.reader.Rows()*w.n, bandSamples)
	readers := w.reader.Parts(count, w.stepY)
	bands := make([]band, len(readers))
	together := w.together()
	var plain []byte
	if len(readers) > 1 {
		if row := w.reader.Next(); row != nil {
			plain = bytes.Repeat(row[:w.n], w.reader.Width())
		}
	}
	y := 0
	for k, reader := range readers {
		bands[k] = band{reduction: w, reader: reader, y: y, plain: plain, uniform: true}
		if together {
			bands[k].packed = make([]uint64, w.out.Width)
		} else {
			bands[k].sums = make([]uint32, w.out.Width*len(w.parts))
		}
		y += (reader.Rows() + w.stepY - 1) / w.stepY
	}
	raster.DoParts(len(bands), func(k int) { bands[k].run() })
	w.uniform = !slices.ContainsFunc(bands, func(b band) bool { return !b.uniform })
}

// run reads the rows of a band.
func (b *band) run() {
	noise := uint8(0)
	if len(b.reader.Levels(0)) == 256 {
		noise = planes.FlatNoise
	}
	for y := b.y; y < b.out.Height; y++ {
		rows := 0
		for range b.stepY {
			row := b.reader.Next()
			if row == nil {
				break
			}
			rows++
			if b.plain == nil {
				b.plain = bytes.Repeat(row[:b.n], b.reader.Width())
			}
			b.uniform = b.uniform && (bytes.Equal(row, b.plain) || equals(row, b.plain, noise))
			switch {
			case b.packed != nil && b.stepX*b.stepY == 1:
				b.separate(y, row)
			case b.packed != nil:
				b.addPacked(row)
			default:
				for k := range b.parts {
					b.parts[k].sum(b.sums[k*b.out.Width:][:b.out.Width], row, b.n, b.stepX)
				}
			}
		}
		if rows > 0 && (b.packed == nil || b.stepX*b.stepY > 1) {
			b.means(y, rows)
		}
		if rows < b.stepY {
			return
		}
	}
}

// equals reports whether the samples of two rows differ by noise at most.
func equals(row, other []byte, noise uint8) bool {
	for k, v := range row {
		if was := other[k]; max(v, was)-min(v, was) > noise {
			return false
		}
	}
	return true
}

// sum adds a row of pixels of n components; each sum has step of them.
func (p *part) sum(sums []uint32, row []byte, n, step int) {
	at := p.component
	whole := len(row) / n / step // sums with all their pixels
	for x := range whole {
		sum := uint32(0)
		for range step {
			sum += uint32(p.table[row[at]])
			at += n
		}
		sums[x] += sum
	}
	for ; at < len(row); at += n {
		sums[whole] += uint32(p.table[row[at]])
	}
}

// addPacked adds a row of pixels of three or four components.
func (b *band) addPacked(row []byte) {
	n, at := b.n, 0
	for x := range b.packed {
		sum := b.packed[x]
		end := min(at+b.stepX*n, len(row))
		for ; at < end && at+4 <= len(row); at += n {
			v := uint64(binary.LittleEndian.Uint32(row[at:]))
			sum += v&0xff00ff | v<<24&0xff00ff00000000
		}
		for ; at < end; at += n { // the last one of three components
			sum += uint64(row[at]) | uint64(row[at+1])<<32 | uint64(row[at+2])<<16
		}
		b.packed[x] = sum
	}
}

// separate sets a row of the bitmap from pixels of three or four components.
func (b *band) separate(y int, row []byte) {
	width := b.out.Width
	first, second, third := b.parts[0].means[y*width:][:width], b.parts[1].means[y*width:][:width], b.parts[2].means[y*width:][:width]
	for x := range first {
		pixel := row[x*b.n:][:3]
		first[x], second[x], third[x] = pixel[0], pixel[1], pixel[2]
	}
	if b.n == 4 {
		for x := range width {
			b.parts[3].means[y*width+x] = row[4*x+3]
		}
	}
}

// means ends a row of the bitmap, which is that of some rows.
func (b *band) means(y, rows int) {
	width := b.out.Width
	means := make([][]uint8, len(b.parts))
	for k := range means {
		means[k] = b.parts[k].means[y*width:][:width]
	}
	pixels := func(x int) uint32 { return uint32(rows * min(b.stepX, b.reader.Width()-x*b.stepX)) } // #nosec G115 -- the pixels of a step
	if b.packed == nil {
		for x := range width {
			n := pixels(x)
			for k, to := range means {
				to[x] = uint8((b.sums[k*width+x] + n/2) / n) // #nosec G115 -- a mean of bytes
			}
		}
		clear(b.sums)
		return
	}
	for k, to := range means {
		at := k&1*32 + k>>1*16
		n := uint64(pixels(0))
		// The product with 2^32/n is exact for sums of 17 bits and n of 8.
		times := 1<<32/n + 1
		for x, sums := range b.packed {
			if x == width-1 {
				n = uint64(pixels(x))
				times = 1<<32/n + 1
			}
			to[x] = uint8((sums>>at&0xffff + n/2) * times >> 32) // #nosec G115 -- a mean of bytes
		}
	}
	clear(b.packed)
}

// addColorKey makes the colours of a range transparent. Where a pixel of the bitmap stands for several
// pixels, the component with the least share in its range decides.
func (w *reduction) addColorKey(ranges []int) {
	opacities := make([][]uint8, w.n)
	for c := range w.n {
		var outside [256]uint8
		for v := range outside {
			if v < ranges[2*c] || v > ranges[2*c+1] {
				outside[v] = 255
			}
		}
		w.add(c, &outside, &opacities[c])
	}
	w.after = append(w.after, func() {
		w.out.Alpha = opacities[0]
		for _, opacity := range opacities[1:] {
			for i, v := range opacity {
				w.out.Alpha[i] = max(w.out.Alpha[i], v)
			}
		}
	})
}

// single converts an image of one component: each of its at most 256 samples is
// converted once.
func (r *Renderer) single(w *reduction, from color.Image) {
	var tables [planes.Max][256]uint8
	var used planes.Set
	for v, level := range w.reader.Levels(0) {
		for p, amount := range r.Tone(from.Space, []float64{level}).amounts {
			if tables[p][v] = amount; amount != 0 {
				used |= 1 << p
			}
		}
	}
	for p := range planes.Max {
		if used.Has(p) {
			w.add(0, &tables[p], &w.out.Amounts[p])
		}
	}
}

// several converts an image of several components: it converts the mean of each step.
func (r *Renderer) several(w *reduction, from color.Image) {
	if from.Space.Process() && !r.surface.mask && !r.output.Converts(from.Space) {
		for c := range w.n {
			w.add(c, tableOf(w.reader.Levels(c), func(v float64) float64 { return v }), &w.out.Amounts[c])
		}
		return
	}
	var identity [256]uint8
	for v := range identity {
		identity[v] = uint8(v) // #nosec G115 -- at most 255
	}
	means := make([][]uint8, w.n)
	for c := range means {
		w.add(c, &identity, &means[c])
	}
	if r.surface.light != nil && !r.surface.mask && from.Space.RGB() {
		// A group in RGB keeps the values of each component.
		w.after = append(w.after, func() {
			for c, plane := range means {
				complement := tableOf(w.reader.Levels(c), func(v float64) float64 { return 1 - v })
				for i, v := range plane {
					plane[i] = complement[v]
				}
				w.out.Amounts[c] = plane
			}
		})
		return
	}
	w.after = append(w.after, func() { r.convertMeans(w, from.Space, means) })
}

// convertMeans converts the colours of the pixels of a bitmap to amounts of ink.
func (r *Renderer) convertMeans(w *reduction, space *color.Space, means [][]uint8) {
	size := w.out.Width * w.out.Height
	var table *color.Table
	if !r.surface.mask && r.surface.light == nil {
		table = r.output.Table(space, w.reader)
	}
	if table != nil {
		var inks [planes.FirstSpot][]uint8
		for p := range inks {
			inks[p] = make([]uint8, size)
			w.out.Amounts[p] = inks[p]
		}
		count := raster.Parts(size, bandSamples)
		raster.DoParts(count, func(k int) {
			from, end := k*size/count, (k+1)*size/count
			var to [planes.FirstSpot][]uint8
			for p := range to {
				to[p] = inks[p][from:end]
			}
			samples := make([][]uint8, len(means))
			for c := range samples {
				samples[c] = means[c][from:end]
			}
			table.Convert(to, samples)
		})
		return
	}
	values := make([]float64, w.n)
	var last planes.Amounts
	lastAt := -1
	same := func(i int) bool {
		for _, plane := range means {
			if lastAt < 0 || plane[i] != plane[lastAt] {
				return false
			}
		}
		return true
	}
	for i := range size {
		if !same(i) {
			for c, plane := range means {
				values[c] = w.reader.Levels(c)[plane[i]]
			}
			last, lastAt = r.Tone(space, values).amounts, i
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
