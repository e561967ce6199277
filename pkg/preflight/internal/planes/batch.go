// SPDX-License-Identifier: Apache-2.0

package planes

import (
	"image"
	"runtime"
	"sync/atomic"

	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/internal/raster"
)

// The bounds of a batch, after which it is painted: its shapes, their points, the work for the pixels of their boxes,
// and the bytes of their images. Paths with more than shapePoints are painted at once, because each band reads all
// points.
const (
	batchShapes = 2048
	batchPoints = 1 << 16
	batchWork   = flatWork << 23
	batchImages = 8 << 20
	shapePoints = 256
)

// bands is the number of parts of a batch that can be painted at the same time. A batch with less than leastShapes and
// leastWork has one part. They do not depend on the number of CPUs, so the result does not.
const (
	bands       = 4
	leastShapes = 64
	leastWork   = 1 << 20
)

// batch holds shapes that are painted together on the paper, in one colour each or with an image: the shapes of each
// band of rows one after the other, and several bands at the same time.
type batch struct {
	shapes []shape
	// paths holds the paths of all shapes, and box contains them. work is that of the pixels of their boxes, and images
	// has the bytes of their images.
	paths  geom.Path
	box    image.Rectangle
	work   int64
	images int64
	// bands is the number of bands, and next the first that no painter has begun.
	bands int
	next  atomic.Int32
}

type shape struct {
	path    geom.Path
	evenOdd bool
	// box contains the pixels of the shape inside the clip.
	box   image.Rectangle
	clip  *raster.Clip
	paint Paint
	// source has the pixels of an image; it is nil for a shape in one colour.
	source *Sampler
}

// inked returns the planes that the shape puts ink on.
func (s *shape) inked() Set {
	amounts := s.paint.Amounts
	if s.source != nil {
		amounts = s.source.highest()
	}
	return amounts.Inked() & s.paint.Planes
}

// painter has what a goroutine needs to paint.
type painter struct {
	raster raster.Rasterizer
	// pixels and cover have room for a row, as shape, behind and ratio do. shape holds the coverage of pixels without the
	// opacity of the paint, for knockout groups.
	pixels        Pixels
	cover         []uint8
	shape, behind []uint8
	ratio         []uint16
	sampler       Sampler
	// counted is the work of the rasterizer that the canvas has counted, and work the other work of the batch.
	counted, work int64
	// seen is what the batch shows of marks.
	seen []glimpse
	// fault is a panic.
	fault any
}

func newPainter(width int) *painter {
	p := &painter{cover: make([]uint8, width), shape: make([]uint8, width), behind: make([]uint8, width), ratio: make([]uint16, width)}
	for i := range p.pixels.Amounts {
		p.pixels.Amounts[i] = make([]uint8, width)
	}
	p.pixels.Alpha = make([]uint8, width)
	return p
}

// glimpse is what a band shows of a mark.
type glimpse struct {
	mark uint32
	sight
}

// waits reports whether a shape can be painted in a batch: it changes the paper alone, and counts nothing.
func (c *Canvas) waits(paint *Paint) bool {
	return c.top.alpha == nil && paint.Blend == Normal && paint.Erased == nil
}

// add adds a shape to the batch. A full batch is painted while the next one is filled.
func (c *Canvas) add(s shape) {
	b := c.filling
	b.shapes = append(b.shapes, s)
	b.box = b.box.Union(s.box)
	work := int64(flatWork)
	if s.source != nil {
		work = s.source.Work()
		b.images += s.source.size()
	}
	b.work += work * int64(s.box.Dx()) * int64(s.box.Dy())
	switch {
	case b.images >= batchImages:
		c.Flush()
	case len(b.shapes) == batchShapes || b.work >= batchWork || b.paths.Points() >= batchPoints:
		c.exchange()
	}
}

// Flush paints what has been added so far.
func (c *Canvas) Flush() {
	if len(c.filling.shapes) > 0 {
		c.exchange()
	}
	c.join()
}

// exchange starts to paint the batch after the one before, and begins another.
func (c *Canvas) exchange() {
	c.join()
	c.filling, c.painting = c.painting, c.filling
	b := c.painting
	for i := range b.shapes {
		c.page.ensure(b.shapes[i].inked())
	}
	if b.bands = 1; len(b.shapes) >= leastShapes || b.work >= leastWork {
		b.bands = bands
	}
	for i := range min(runtime.GOMAXPROCS(0), b.bands) - 1 {
		if i == len(c.helpers) {
			c.helpers = append(c.helpers, newPainter(c.page.box.Dx()))
		}
		helper := c.helpers[i]
		c.group.Go(func() {
			defer func() { helper.fault = recover() }()
			c.paintBands(helper)
		})
	}
}

// join takes part in painting the batch until that is done. A panic of a helper becomes that of the caller.
func (c *Canvas) join() {
	b := c.painting
	if len(b.shapes) == 0 {
		return
	}
	func() {
		defer c.group.Wait()
		c.paintBands(c.own)
	}()
	c.collect(c.own)
	for _, helper := range c.helpers {
		if helper.fault != nil {
			panic(helper.fault)
		}
		c.collect(helper)
		c.work += helper.raster.Work() - helper.counted
		helper.counted = helper.raster.Work()
	}
	clear(b.shapes)
	b.shapes, b.box, b.work, b.images = b.shapes[:0], image.Rectangle{}, 0, 0
	b.paths.Reset()
	b.next.Store(0)
}

// collect takes the results of a painter.
func (c *Canvas) collect(p *painter) {
	c.work += p.work
	for i := range p.seen {
		c.sight(p.seen[i].mark).join(&p.seen[i].sight)
	}
	p.work, p.seen = 0, p.seen[:0]
}

// paintBands paints the bands that no other painter has begun.
func (c *Canvas) paintBands(p *painter) {
	b := c.painting
	height := (b.box.Dy() + b.bands - 1) / b.bands
	for {
		i := int(b.next.Add(1)) - 1
		if i >= b.bands {
			return
		}
		band := b.box
		band.Min.Y += i * height
		band.Max.Y = min(band.Min.Y+height, b.box.Max.Y)
		for k := range b.shapes {
			if s := &b.shapes[k]; s.box.Min.Y < band.Max.Y && s.box.Max.Y > band.Min.Y {
				c.paintShape(p, s, s.box.Intersect(band))
			}
		}
	}
}

// paintShape paints the part of a shape in a box.
func (c *Canvas) paintShape(p *painter, s *shape, box image.Rectangle) {
	p.seen = append(p.seen, glimpse{mark: s.paint.Mark})
	state := &p.seen[len(p.seen)-1].sight
	if s.source != nil {
		p.sampler.use(s.source)
		p.raster.Fill(&s.path, s.evenOdd, box, func(y, x int, cover []uint8) {
			c.draw(p, &p.sampler, y, x, cover, s.clip, &s.paint, state)
		})
		return
	}
	p.raster.Fill(&s.path, s.evenOdd, box, func(y, x int, cover []uint8) {
		s.clip.Apply(y, x, cover)
		s.paint.dim(y, x, cover)
		c.put(y, x, cover, &s.paint, state)
		p.work += flatWork * int64(len(cover))
	})
}
