// SPDX-License-Identifier: Apache-2.0

package planes

import (
	"image"

	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/internal/raster"
)

// Wanted holds the ink that paints of one plane put on the page, as if no other paint removed any. Paints in
// groups are left out: what a group does to the page shows only when it ends.
type Wanted struct {
	// Plane is the plane of the paints.
	Plane int
	mask  *raster.Mask
	// box contains the painted pixels.
	box image.Rectangle
}

// fill adds a path, with the arguments of [Canvas.Fill].
func (w *Wanted) fill(c *Canvas, p *geom.Path, evenOdd bool, clip *raster.Clip, paint *Paint) {
	box := w.extend(c, raster.Pixels(p.Bounds()).Intersect(clip.Box), paint)
	if box.Empty() {
		return
	}
	c.own.raster.Fill(p, evenOdd, box, func(y, x int, cover []uint8) { w.put(y, x, cover, clip, paint) })
}

// fillMask adds a mask, with the arguments of [Canvas.FillMask].
func (w *Wanted) fillMask(c *Canvas, m *raster.Mask, at image.Point, clip *raster.Clip, paint *Paint) {
	moved := m.Box.Add(at)
	box := w.extend(c, moved.Intersect(clip.Box), paint)
	for y := box.Min.Y; y < box.Max.Y; y++ {
		cover := c.own.cover[:box.Dx()]
		copy(cover, m.Row(y - at.Y)[box.Min.X-moved.Min.X:])
		w.put(y, box.Min.X, cover, clip, paint)
	}
}

// extend returns the pixels of a box that are added, and charges for them. Blend modes that reduce ink count as
// intended.
func (w *Wanted) extend(c *Canvas, box image.Rectangle, paint *Paint) image.Rectangle {
	if c.top != c.page || paint.Blend != Normal && paint.Blend != Multiply && paint.Blend != Darken {
		return image.Rectangle{}
	}
	if w.mask == nil {
		w.mask = raster.NewMask(c.page.box)
	}
	box = box.Intersect(c.page.box)
	w.box = w.box.Union(box)
	c.work += flatWork * int64(box.Dx()) * int64(box.Dy())
	return box
}

func (w *Wanted) put(y, x int, cover []uint8, clip *raster.Clip, paint *Paint) {
	clip.Apply(y, x, cover)
	paint.dim(y, x, cover)
	mix(w.mask.Row(y)[x-w.mask.Box.Min.X:][:len(cover)], cover, paint.Amounts[w.Plane])
}

// Removed returns the wanted ink that the page does not have, in pixels with the full amount, and the box around it.
func (c *Canvas) Removed(w *Wanted) (pixels float64, box image.Rectangle) {
	c.Flush()
	plane := c.page.planes[w.Plane]
	if plane == nil {
		return 0, box
	}
	sum := 0
	for y := w.box.Min.Y; y < w.box.Max.Y; y++ {
		painted := plane[c.page.index(y, w.box.Min.X):]
		for i, v := range w.mask.Row(y)[w.box.Min.X-w.mask.Box.Min.X:][:w.box.Dx()] {
			if rest := painted[i]; v >= leastErased && rest <= v-leastErased {
				sum += int(v - rest)
				box = box.Union(image.Rect(w.box.Min.X+i, y, w.box.Min.X+i+1, y+1))
			}
		}
	}
	return float64(sum) / 255, box
}
