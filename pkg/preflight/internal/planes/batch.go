// SPDX-License-Identifier: Apache-2.0

package planes

import (
	"image"
	"runtime"
	"sync"

	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/internal/raster"
)

// The bounds of a batch: its shapes, their points, and the work for the pixels of their boxes. Paths with more than
// shapePoints are painted at once, because each band reads all points. maxImages bounds the bytes of the images of all
// batches that wait.
const (
	batchShapes = 2048
	batchPoints = 1 << 16
	batchWork   = flatWork << 23
	shapePoints = 256
	maxImages   = 8 << 20
)

// bands is the number of parts of a batch that can be painted at the same time. A batch with less than leastShapes and
// leastWork has one part. maxQueue is the number of batches that wait to be painted. None of them depends on the number
// of CPUs, so the result does not.
const (
	bands       = 4
	leastShapes = 64
	leastWork   = 1 << 20
	maxQueue    = 8
)

// batch holds shapes that are painted together on the paper, in one colour each or with an image: the shapes of each
// band of rows one after the other, and several bands at the same time.
type batch struct {
	shapes []shape
	// paths holds the paths of all shapes, and box contains them. expected is the work for the pixels of their boxes.
	paths    geom.Path
	box      image.Rectangle
	expected int64
	// bands is the number of bands; begun and done count those that painters have taken and painted.
	bands, begun, done int
	// work is the work of the painters, and seen is what they know of marks.
	work int64
	seen []glimpse
}

// queue holds the batches of a canvas that are not painted. Painters paint the first.
type queue struct {
	mu      sync.Mutex
	changed sync.Cond // a batch is painted, or a painter has failed
	batches []*batch
	// running is the number of goroutines that paint, and free are painters for others.
	running int
	free    []*painter
	group   sync.WaitGroup
	// fault is the panic of a painter.
	fault any
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
	// work is the work so far, without that of the rasterizer.
	work int64
	// pixels and cover have room for a row, as shape, behind and ratio do. shape holds the coverage of pixels without the
	// opacity of the paint, for knockout groups.
	pixels        Pixels
	cover         []uint8
	shape, behind []uint8
	ratio         []uint16
	sampler       Sampler
	// seen is what a band shows of marks.
	seen []glimpse
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
		c.images += s.source.size()
	}
	b.expected += work * int64(s.box.Dx()) * int64(s.box.Dy())
	switch {
	case c.images >= maxImages:
		c.Flush()
	case len(b.shapes) == batchShapes || b.expected >= batchWork || b.paths.Points() >= batchPoints:
		c.send()
		c.paint(maxQueue)
	}
}

// Flush paints what has been added so far. Without a change since the last call, it only reads.
func (c *Canvas) Flush() {
	if len(c.filling.shapes) > 0 {
		c.send()
	}
	if len(c.sent) > 0 {
		c.paint(0)
	}
	if c.images > 0 {
		c.images = 0
	}
}

// send adds the batch to the queue, and begins another.
func (c *Canvas) send() {
	b := c.filling
	var inked Set
	for i := range b.shapes {
		inked |= b.shapes[i].inked()
	}
	if inked&^c.page.inked != 0 {
		// Painters use the planes.
		c.paint(0)
		c.page.ensure(inked)
	}
	if b.bands = 1; len(b.shapes) >= leastShapes || b.expected >= leastWork {
		b.bands = bands
	}
	c.sent = append(c.sent, b)
	if n := len(c.idle); n > 0 {
		c.filling, c.idle = c.idle[n-1], c.idle[:n-1]
	} else {
		c.filling = &batch{}
	}
	q := &c.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	q.batches = append(q.batches, b)
	for q.running < min(runtime.GOMAXPROCS(0), b.bands)-1 {
		if len(q.free) == 0 {
			q.free = append(q.free, newPainter(c.page.box.Dx()))
		}
		n := len(q.free) - 1
		helper := q.free[n]
		q.free = q.free[:n]
		q.running++
		q.group.Go(func() { c.help(helper) })
	}
}

// paint waits until at most so many batches are not painted, and collects the results of all but so many. It takes part
// in painting while more than half of them wait. A panic of a painter becomes that of the caller.
func (c *Canvas) paint(most int) {
	if c.batchPainter == nil {
		c.batchPainter = newPainter(c.page.box.Dx())
	}
	q := &c.queue
	q.mu.Lock()
	for len(q.batches) > most/2 && q.fault == nil {
		if c.paintNext(c.batchPainter) {
			continue
		}
		if len(q.batches) <= most {
			break
		}
		q.changed.Wait()
	}
	fault := q.fault
	q.mu.Unlock()
	if most == 0 || fault != nil {
		q.group.Wait()
	}
	if fault != nil {
		panic(fault)
	}
	for len(c.sent) > most {
		b := c.sent[0]
		c.sent = c.sent[1:]
		c.work += b.work
		for i := range b.seen {
			c.sight(b.seen[i].mark).join(&b.seen[i].sight)
		}
		clear(b.shapes)
		b.paths.Reset()
		*b = batch{shapes: b.shapes[:0], paths: b.paths, seen: b.seen[:0]}
		c.idle = append(c.idle, b)
	}
}

// help paints until no batch is left.
func (c *Canvas) help(p *painter) {
	q := &c.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.batches) > 0 && q.fault == nil {
		if !c.paintNext(p) {
			q.changed.Wait()
		}
	}
	q.running--
	q.free = append(q.free, p)
}

// paintNext paints the next band of the first batch, or returns false if all its bands have begun. The caller holds the
// mutex of the queue.
func (c *Canvas) paintNext(p *painter) bool {
	q := &c.queue
	b := q.batches[0]
	if b.begun == b.bands {
		return false
	}
	b.begun++
	band := b.begun - 1
	q.mu.Unlock()
	fault := c.paintBand(p, b, band)
	q.mu.Lock()
	b.work += p.work + p.raster.Work()
	p.work = -p.raster.Work()
	b.seen, p.seen = append(b.seen, p.seen...), p.seen[:0]
	if b.done++; b.done == b.bands {
		q.batches = q.batches[1:]
	}
	if fault != nil {
		q.fault = fault
	}
	if b.done == b.bands || fault != nil {
		q.changed.Broadcast()
	}
	return true
}

// paintBand paints one band of a batch, and returns its panic.
func (c *Canvas) paintBand(p *painter, b *batch, i int) (fault any) {
	defer func() { fault = recover() }()
	height := (b.box.Dy() + b.bands - 1) / b.bands
	band := b.box
	band.Min.Y += i * height
	band.Max.Y = min(band.Min.Y+height, b.box.Max.Y)
	for k := range b.shapes {
		if s := &b.shapes[k]; s.box.Min.Y < band.Max.Y && s.box.Max.Y > band.Min.Y {
			c.paintShape(p, s, s.box.Intersect(band))
		}
	}
	return nil
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
		p.sampler.use(&Sampler{})
		return
	}
	p.raster.Fill(&s.path, s.evenOdd, box, func(y, x int, cover []uint8) {
		s.clip.Apply(y, x, cover)
		s.paint.dim(y, x, cover)
		c.put(y, x, cover, &s.paint, state)
		p.work += flatWork * int64(len(cover))
	})
}
