// SPDX-License-Identifier: Apache-2.0

// Package planes composites the inks of a page: one plane for each of cyan, magenta,
// yellow, black and the spot colours, in which a byte is the amount of ink on a pixel,
// 0 for none and 255 for full.
//
// It implements the imaging model of ISO 32000-2, clause 11, in the colour space of
// the planes: constant and soft opacity, blend modes, groups and overprinting. A
// [Canvas] belongs to one page and is not safe for concurrent use.
package planes

import (
	"image"
	"math/bits"

	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/internal/raster"
)

// The process inks are the first planes; spots follow.
const (
	Cyan = iota
	Magenta
	Yellow
	Black
	FirstSpot
	// Max bounds the planes of a page.
	Max = 16
)

// Set is a set of planes: bit i stands for plane i.
type Set uint32

// All and Process are the sets of all planes and of the process inks.
const (
	All     Set = 1<<Max - 1
	Process Set = 1<<FirstSpot - 1
)

// Has reports whether the set contains a plane.
func (s Set) Has(plane int) bool { return s&(1<<plane) != 0 }

// Amounts is a colour: the amount of each ink.
type Amounts [Max]uint8

// Inked returns the planes with ink.
func (a *Amounts) Inked() (s Set) {
	for p, v := range a {
		if v != 0 {
			s |= 1 << p
		}
	}
	return s
}

// Paint describes how a shape is composited.
type Paint struct {
	// Amounts is the colour of a flat paint.
	Amounts Amounts
	// Planes are those that the paint sets; others keep what is below (overprinting).
	Planes Set
	Alpha  uint8
	Blend  Blend
	// Soft is the current soft mask, or nil.
	Soft *Soft
	// Mark is the number of the mark that is painted, or 0.
	Mark uint32
	// Erased, if not nil, counts the pixels at which the paint removes other inks.
	Erased *Erased
	// Wanted, if not nil, keeps what the paint puts on the page.
	Wanted *Wanted
}

// dim reduces the coverage of pixels to the opacity of the paint.
func (p *Paint) dim(y, x int, cover []uint8) {
	if p.Soft != nil {
		p.Soft.apply(y, x, cover)
	}
	if p.Alpha < 255 {
		for i, v := range cover {
			cover[i] = raster.Times(v, p.Alpha)
		}
	}
}

// Soft is a soft mask: the opacity of each pixel of the mask, and Outside of it.
type Soft struct {
	Mask    *raster.Mask
	Outside uint8
}

// apply reduces the coverage of pixels to the opacity of the mask.
func (s *Soft) apply(y, x int, cover []uint8) {
	box := s.Mask.Box
	var row []uint8
	if y >= box.Min.Y && y < box.Max.Y {
		row = s.Mask.Row(y)
	}
	for i, v := range cover {
		if v == 0 {
			continue
		}
		opacity := s.Outside
		if at := x + i - box.Min.X; at >= 0 && at < len(row) {
			opacity = row[at]
		}
		cover[i] = raster.Times(v, opacity)
	}
}

// Pixels holds the colours of a part of a row. Planes that are not in the set of the
// paint are not read.
type Pixels struct {
	Amounts [Max][]uint8
	// Inked are the planes in which a pixel may have ink. The amounts of the others are undefined.
	Inked Set
	// Alpha is the opacity of each pixel.
	Alpha []uint8
	// Shape is the share of each pixel that the source covers, or nil if that is its opacity.
	Shape []uint8
}

// Complete sets the first n amounts of the given planes to zero where they are undefined.
func (p *Pixels) Complete(all Set, n int) {
	for i, amounts := range p.Amounts {
		if all.Has(i) && !p.Inked.Has(i) {
			clear(amounts[:n])
		}
	}
	p.Inked |= all
}

// Source provides the colours of an image, a shading or a pattern.
type Source interface {
	// Row sets the colours and the opacities of n pixels of row y from x on, and the planes with ink. All
	// slices have room for n values, and hold those of the last call.
	Row(y, x, n int, to *Pixels)
	// Work is the work of one pixel, in about nanoseconds.
	Work() int64
}

// The work of one pixel, in about nanoseconds.
const (
	flatWork      = 3
	compositeWork = 16
	replaceWork   = 120
	groupWork     = 8
)

// Canvas holds the planes of a page while it is painted.
type Canvas struct {
	page *layer
	top  *layer
	// begun holds the groups that are open, nil for those that are painted directly, and
	// memory the bytes of their planes.
	begun  []*layer
	memory int64
	// work is the work so far, without that of own.
	work int64
	// filling is the batch that shapes are added to, sent are those whose results have not been collected, and idle
	// those without shapes. images has the bytes of the images of filling and sent.
	filling    *batch
	sent, idle []*batch
	images     int64
	// queue holds what is not painted. The goroutine of the canvas paints with own at once, and batches with
	// batchPainter.
	queue             queue
	own, batchPainter *painter
	// owners holds for each row of the page the last mark that covered each pixel, or nil; seen holds
	// what is known of each mark.
	owners [][]uint32
	seen   []*[sights]sight
}

// New returns a canvas of white paper.
func New(width, height int) *Canvas {
	return newCanvas(&layer{box: image.Rect(0, 0, width, height)})
}

// NewCell returns a canvas without paper, for a soft mask or the cell of a pattern.
func NewCell(box image.Rectangle) *Canvas {
	return newCanvas(&layer{box: box, alpha: make([]uint8, box.Dx()*box.Dy()), isolated: true})
}

func newCanvas(page *layer) *Canvas {
	page.rows = make([]span, page.box.Dy())
	c := &Canvas{page: page, top: page, filling: &batch{}, own: newPainter(page.box.Dx()), owners: make([][]uint32, page.box.Dy())}
	c.queue.changed.L = &c.queue.mu
	return c
}

// Knockout reports whether an object that is painted now replaces others of its group.
func (c *Canvas) Knockout() bool { return c.top.knockout }

// Box returns the pixels of the canvas.
func (c *Canvas) Box() image.Rectangle { return c.page.box }

// Rasterizer returns the rasterizer of the canvas, for clips.
func (c *Canvas) Rasterizer() *raster.Rasterizer { return &c.own.raster }

// Work returns the work so far in about nanoseconds, also the work that was charged. It contains that of shapes
// once they have been painted.
func (c *Canvas) Work() int64 { return c.work + c.own.work + c.own.raster.Work() }

// Charge adds work that was done elsewhere.
func (c *Canvas) Charge(work int64) { c.work += work }

// Fill paints a path in one colour.
func (c *Canvas) Fill(p *geom.Path, evenOdd bool, clip *raster.Clip, paint *Paint) {
	if paint.Wanted != nil {
		paint.Wanted.fill(c, p, evenOdd, clip, paint)
	}
	box := raster.Pixels(p.Bounds()).Intersect(clip.Box).Intersect(c.top.box)
	switch {
	case box.Empty():
	case c.waits(paint) && p.Points() <= shapePoints:
		c.add(shape{path: c.filling.paths.Store(p), evenOdd: evenOdd, box: box, clip: clip, paint: *paint})
	default:
		c.Flush()
		c.top.ensure(paint.Amounts.Inked() & paint.Planes)
		c.own.raster.Fill(p, evenOdd, box, func(y, x int, cover []uint8) {
			clip.Apply(y, x, cover)
			c.flat(y, x, cover, paint)
		})
	}
}

// FillMask paints a mask, moved to a pixel, in one colour.
func (c *Canvas) FillMask(m *raster.Mask, at image.Point, clip *raster.Clip, paint *Paint) {
	if paint.Wanted != nil {
		paint.Wanted.fillMask(c, m, at, clip, paint)
	}
	moved := m.Box.Add(at)
	box := moved.Intersect(clip.Box).Intersect(c.top.box)
	if box.Empty() {
		return
	}
	c.Flush()
	c.top.ensure(paint.Amounts.Inked() & paint.Planes)
	for y := box.Min.Y; y < box.Max.Y; y++ {
		cover := c.own.cover[:box.Dx()]
		copy(cover, m.Row(y - at.Y)[box.Min.X-moved.Min.X:])
		clip.Apply(y, box.Min.X, cover)
		c.flat(y, box.Min.X, cover, paint)
	}
}

// Draw paints a source inside a path, or inside the whole clip when the path is nil.
func (c *Canvas) Draw(s Source, path *geom.Path, clip *raster.Clip, paint *Paint) {
	box := clip.Box.Intersect(c.top.box)
	if path == nil {
		c.Flush()
		for y := box.Min.Y; y < box.Max.Y; y++ {
			cover := c.own.cover[:box.Dx()]
			raster.Set(cover, 255)
			c.draw(c.own, s, y, box.Min.X, cover, clip, paint, c.sight(paint.Mark))
		}
		return
	}
	box = raster.Pixels(path.Bounds()).Intersect(box)
	sampler, ok := s.(*Sampler)
	switch {
	case box.Empty():
	case ok && c.waits(paint) && path.Points() <= shapePoints:
		c.add(shape{path: c.filling.paths.Store(path), source: sampler, box: box, clip: clip, paint: *paint})
	default:
		c.Flush()
		c.own.raster.Fill(path, false, box, func(y, x int, cover []uint8) {
			c.draw(c.own, s, y, x, cover, clip, paint, c.sight(paint.Mark))
		})
	}
}

// draw paints a part of a row with the pixels of a source.
func (c *Canvas) draw(p *painter, s Source, y, x int, cover []uint8, clip *raster.Clip, paint *Paint, state *sight) {
	clip.Apply(y, x, cover)
	p.work += s.Work() * int64(len(cover))
	p.pixels.Shape = nil
	s.Row(y, x, len(cover), &p.pixels)
	for i, share := range p.pixels.Shape {
		p.shape[i] = raster.Times(cover[i], share)
	}
	for i, alpha := range p.pixels.Alpha[:len(cover)] {
		if alpha < 255 {
			cover[i] = raster.Times(cover[i], alpha)
		}
	}
	if c.top.shaped() && p.pixels.Shape == nil {
		copy(p.shape, cover)
	}
	paint.dim(y, x, cover)
	c.composite(p, y, x, cover, paint, state)
}

// flat paints a part of a row in one colour.
func (c *Canvas) flat(y, x int, cover []uint8, paint *Paint) {
	l, own := c.top, c.own
	if l.shaped() {
		copy(own.shape, cover)
	}
	paint.dim(y, x, cover)
	if l.alpha == nil && paint.Blend == Normal {
		if paint.Erased != nil {
			paint.Erased.count(l, y, x, cover)
		}
		c.put(y, x, cover, paint, c.sight(paint.Mark))
		own.work += flatWork * int64(len(cover))
		return
	}
	own.pixels.Inked = paint.Amounts.Inked() & paint.Planes
	for p, v := range paint.Amounts {
		if own.pixels.Inked.Has(p) {
			raster.Set(own.pixels.Amounts[p][:len(cover)], v)
		}
	}
	c.composite(own, y, x, cover, paint, c.sight(paint.Mark))
}

// put paints a part of a row of the paper in one colour. The planes with ink have been allocated.
func (c *Canvas) put(y, x int, cover []uint8, paint *Paint, state *sight) {
	l := c.page
	c.note(y, x, cover, paint, state)
	at := l.index(y, x)
	for set := paint.Planes & l.inked; set != 0; set &= set - 1 {
		p := bits.TrailingZeros32(uint32(set))
		mix(l.planes[p][at:at+len(cover)], cover, paint.Amounts[p])
	}
}

// covered returns the end of the run of covered pixels that begins at an index.
func covered(cover []uint8, from int) int {
	for from < len(cover) && cover[from] == 255 {
		from++
	}
	return from
}
