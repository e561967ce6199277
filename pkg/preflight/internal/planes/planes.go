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
}

// Erased counts pixels at which a paint has removed inks other than its own.
type Erased struct {
	// Own are the planes of the paint.
	Own    Set
	Pixels int64
	// Box contains the pixels.
	Box image.Rectangle
}

// leastErased is the least amount of ink whose removal counts: a tenth.
const leastErased = 26

func (e *Erased) count(l *layer, y, x int, cover []uint8) {
	at := l.index(y, x)
	for i, v := range cover {
		if v < 128 {
			continue
		}
		for p, plane := range l.planes {
			if plane != nil && !e.Own.Has(p) && plane[at+i] >= leastErased {
				e.Pixels++
				e.Box = e.Box.Union(image.Rect(x+i, y, x+i+1, y+1))
				break
			}
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
		cover[i] = times(v, opacity)
	}
}

// Pixels holds the colours of a part of a row. Planes that are not in the set of the
// paint are not read.
type Pixels struct {
	Amounts [Max][]uint8
	// Alpha is the opacity of each pixel.
	Alpha []uint8
}

// Source provides the colours of an image, a shading or a pattern.
type Source interface {
	// Row sets the colours and the opacities of n pixels of row y from x on. All
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
	raster raster.Rasterizer
	// work is the work so far, without that of the rasterizer.
	work int64
	// owners holds for each pixel of the page the last mark that covered it; seen holds
	// what is known of each mark.
	owners []uint32
	seen   []sight
	pixels Pixels
	cover  []uint8
	behind []uint8
	ratio  []uint16
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
	c := &Canvas{page: page, top: page}
	width := page.box.Dx()
	c.ratio = make([]uint16, width)
	c.cover, c.behind = make([]uint8, width), make([]uint8, width)
	for i := range c.pixels.Amounts {
		c.pixels.Amounts[i] = make([]uint8, width)
	}
	c.pixels.Alpha = make([]uint8, width)
	return c
}

// sight is what is known of a mark.
type sight uint8

const (
	// printed marks have ink on a pixel, or remove some.
	printed sight = 1 << iota
	// owner is a mark that has covered a pixel.
	owner
)

// note records that a mark paints pixels with the opacities of cover. A mark owns the
// pixels that it covers: what is below cannot be seen.
func (c *Canvas) note(y, x int, cover []uint8, paint *Paint) {
	if paint.Erased != nil {
		paint.Erased.count(c.top, y, x, cover)
	}
	if paint.Mark == 0 {
		return
	}
	state := c.sight(paint.Mark)
	covers := paint.Planes == All && paint.Blend == Normal && c.opaque()
	if !covers {
		if *state&printed == 0 {
			for _, v := range cover {
				if v != 0 {
					*state |= printed
					return
				}
			}
		}
		return
	}
	if c.owners == nil {
		c.owners = make([]uint32, c.page.box.Dx()*c.page.box.Dy())
	}
	owners := c.owners[c.page.index(y, x):][:len(cover)]
	for i := 0; i < len(cover); {
		switch cover[i] {
		case 0:
			i++
		case 255:
			end := covered(cover, i)
			set(owners[i:end], paint.Mark)
			*state |= printed | owner
			i = end
		default:
			*state |= printed
			i++
		}
	}
}

func (c *Canvas) sight(mark uint32) *sight {
	for int(mark) >= len(c.seen) {
		c.seen = append(c.seen, 0)
	}
	return &c.seen[mark]
}

// Assume records that a mark can be seen: it could not be painted.
func (c *Canvas) Assume(mark uint32) { *c.sight(mark) |= printed }

// opaque reports whether what is painted now covers what is on the page: inside a group,
// only its end decides.
func (c *Canvas) opaque() bool { return c.top == c.page }

// Visible reports for each mark whether it can be seen on the page: it has painted, and
// later marks have not covered all of it. Mark 0 is always visible.
func (c *Canvas) Visible() func(mark uint32) bool {
	remains := make([]bool, len(c.seen))
	for _, mark := range c.owners {
		remains[mark] = true
	}
	return func(mark uint32) bool {
		if mark == 0 {
			return true
		}
		if int(mark) >= len(c.seen) {
			return false
		}
		state := c.seen[mark]
		return state&printed != 0 && (state&owner == 0 || remains[mark])
	}
}

// Box returns the pixels of the canvas.
func (c *Canvas) Box() image.Rectangle { return c.page.box }

// Rasterizer returns the rasterizer of the canvas, for clips.
func (c *Canvas) Rasterizer() *raster.Rasterizer { return &c.raster }

// Work returns the work so far in about nanoseconds, also the work that was charged.
func (c *Canvas) Work() int64 { return c.work + c.raster.Work() }

// Charge adds work that was done elsewhere.
func (c *Canvas) Charge(work int64) { c.work += work }

// Fill paints a shape in one colour.
func (c *Canvas) Fill(p *geom.Path, evenOdd bool, clip *raster.Clip, paint *Paint) {
	box := raster.Pixels(p.Bounds()).Intersect(clip.Box).Intersect(c.top.box)
	c.raster.Fill(p, evenOdd, box, func(y, x int, cover []uint8) {
		clip.Apply(y, x, cover)
		c.flat(y, x, cover, paint)
	})
}

// FillMask paints a mask, moved to a pixel, in one colour.
func (c *Canvas) FillMask(m *raster.Mask, at image.Point, clip *raster.Clip, paint *Paint) {
	moved := m.Box.Add(at)
	box := moved.Intersect(clip.Box).Intersect(c.top.box)
	for y := box.Min.Y; y < box.Max.Y; y++ {
		cover := c.cover[:box.Dx()]
		copy(cover, m.Row(y - at.Y)[box.Min.X-moved.Min.X:])
		clip.Apply(y, box.Min.X, cover)
		c.flat(y, box.Min.X, cover, paint)
	}
}

// Draw paints a source inside a shape, or inside the whole clip when the shape is nil.
func (c *Canvas) Draw(s Source, shape *geom.Path, clip *raster.Clip, paint *Paint) {
	if shape == nil {
		box := clip.Box.Intersect(c.top.box)
		for y := box.Min.Y; y < box.Max.Y; y++ {
			cover := c.cover[:box.Dx()]
			full(cover)
			c.draw(s, y, box.Min.X, cover, clip, paint)
		}
		return
	}
	box := raster.Pixels(shape.Bounds()).Intersect(clip.Box).Intersect(c.top.box)
	c.raster.Fill(shape, false, box, func(y, x int, cover []uint8) { c.draw(s, y, x, cover, clip, paint) })
}

func (c *Canvas) draw(s Source, y, x int, cover []uint8, clip *raster.Clip, paint *Paint) {
	clip.Apply(y, x, cover)
	if paint.Soft != nil {
		paint.Soft.apply(y, x, cover)
	}
	c.work += s.Work() * int64(len(cover))
	s.Row(y, x, len(cover), &c.pixels)
	for i, v := range cover {
		cover[i] = times(times(v, c.pixels.Alpha[i]), paint.Alpha)
	}
	c.composite(y, x, cover, paint, &c.pixels)
}

// flat paints a part of a row in one colour.
func (c *Canvas) flat(y, x int, cover []uint8, paint *Paint) {
	if paint.Soft != nil {
		paint.Soft.apply(y, x, cover)
	}
	l := c.top
	if paint.Alpha < 255 {
		for i, v := range cover {
			cover[i] = times(v, paint.Alpha)
		}
	}
	if l.alpha == nil && paint.Blend == Normal {
		c.note(y, x, cover, paint)
		c.work += flatWork * int64(len(cover))
		at := l.index(y, x)
		for p := range Max {
			if !paint.Planes.Has(p) {
				continue
			}
			v := paint.Amounts[p]
			if l.planes[p] == nil {
				if v == 0 {
					continue
				}
				l.allocate(p)
			}
			mix(l.planes[p][at:at+len(cover)], cover, v)
		}
		return
	}
	for p, v := range paint.Amounts {
		if paint.Planes.Has(p) {
			set(c.pixels.Amounts[p][:len(cover)], v)
		}
	}
	c.composite(y, x, cover, paint, &c.pixels)
}

// mix moves values towards one value by their coverage.
func mix(to, cover []uint8, v uint8) {
	to = to[:len(cover)]
	for i := 0; i < len(cover); {
		switch share := cover[i]; share {
		case 0:
			i++
		case 255:
			end := covered(cover, i)
			set(to[i:end], v)
			i = end
		default:
			to[i] = between(to[i], v, share)
			i++
		}
	}
}

// covered returns the end of the run of covered pixels that begins at an index.
func covered(cover []uint8, from int) int {
	for from < len(cover) && cover[from] == 255 {
		from++
	}
	return from
}

// layer is a group that is being painted, or the page.
type layer struct {
	box    image.Rectangle
	planes [Max][]uint8
	// alpha is the opacity of what the group has painted; nil for the paper, which is
	// opaque.
	alpha              []uint8
	isolated, knockout bool
	below              *layer
	// base and baseAlpha hold what was below a group that is not isolated when it
	// began; baseAlpha is nil where that was opaque.
	base      [Max][]uint8
	baseAlpha []uint8
	// memory is about the size of the planes, in bytes.
	memory int64
}

func (l *layer) index(y, x int) int { return (y-l.box.Min.Y)*l.box.Dx() + x - l.box.Min.X }

func (l *layer) allocate(p int) { l.planes[p] = make([]uint8, l.box.Dx()*l.box.Dy()) }

// backdrop returns the opacity of what is below the next object at an index. The page
// is a group that is put on the paper in the end (11.4.7): where it has no ink, there
// is nothing to blend with.
func (l *layer) backdrop(at int) uint8 {
	switch {
	case l.alpha == nil:
		for _, plane := range l.planes {
			if plane != nil && plane[at] != 0 {
				return 255
			}
		}
		return 0
	case l.isolated:
		return l.alpha[at]
	case l.baseAlpha == nil:
		return 255
	}
	return union(l.baseAlpha[at], l.alpha[at])
}

// absent reports whether the backdrop must be asked for before blending: the modes
// that white does not change look the same on paper and on nothing.
func (l *layer) absent(b Blend) bool {
	return l.alpha != nil || b != Normal && b != Multiply && b != Darken
}

// composite paints pixels with the opacities of cover (11.3.6, formula 3).
func (c *Canvas) composite(y, x int, cover []uint8, paint *Paint, from *Pixels) {
	c.note(y, x, cover, paint)
	l := c.top
	if c.work += paint.Blend.work() * int64(len(cover)); l.knockout {
		c.work += replaceWork * int64(len(cover))
		c.replace(y, x, cover, paint, from)
		return
	}
	at := l.index(y, x)
	n := len(cover)
	ratio, behind := c.ratio[:n], c.behind[:n]
	opaque := l.alpha == nil
	absent := l.absent(paint.Blend)
	for i, v := range cover {
		if v == 0 {
			ratio[i] = 0
			continue
		}
		if absent {
			behind[i] = l.backdrop(at + i)
		}
		// The share of the source in the result, in 1/256.
		if opaque {
			ratio[i] = uint16(v) + uint16(v>>7)
		} else {
			all := union(behind[i], v)
			ratio[i] = uint16((uint32(v)*256 + uint32(all)/2) / uint32(all)) // #nosec G115 -- at most 256
		}
	}
	if paint.Blend >= Hue {
		for p := range FirstSpot {
			if l.planes[p] == nil {
				l.allocate(p)
			}
		}
		c.blendTogether(at, ratio, behind, paint, from)
	}
	for p := range Max {
		separate := paint.Blend
		if separate >= Hue {
			if p < FirstSpot {
				continue
			}
			separate = Normal
		}
		// Modes that do not keep white change the appearance of spots only (11.7.4.2).
		if p >= FirstSpot && !separate.keepsWhite() {
			separate = Normal
		}
		c.plane(p, at, ratio, behind, paint.Planes.Has(p), separate, from)
	}
	if !opaque {
		for i, v := range cover {
			l.alpha[at+i] = union(l.alpha[at+i], v)
		}
	}
}

// plane composites one plane of a part of a row. A plane that is not painted keeps
// what is below it.
func (c *Canvas) plane(p, at int, ratio []uint16, behind []uint8, painted bool, blend Blend, from *Pixels) {
	l := c.top
	if !painted {
		if l.planes[p] == nil || l.alpha == nil {
			return
		}
		to := l.planes[p][at : at+len(ratio)]
		for i, share := range ratio {
			if share != 0 {
				kept := times(to[i], behind[i])
				to[i] = towards(to[i], kept, share)
			}
		}
		return
	}
	source := from.Amounts[p][:len(ratio)]
	if l.planes[p] == nil {
		if blend.keepsWhite() && blank(source, ratio) {
			return
		}
		l.allocate(p)
	}
	to := l.planes[p][at : at+len(ratio)]
	if blend == Normal {
		for i, share := range ratio {
			if share != 0 {
				to[i] = towards(to[i], source[i], share)
			}
		}
		return
	}
	absent := l.absent(blend)
	for i, share := range ratio {
		if share == 0 {
			continue
		}
		mixed := blend.mix(to[i], source[i])
		if absent {
			mixed = between(source[i], mixed, behind[i])
		}
		to[i] = towards(to[i], mixed, share)
	}
}

// blank reports whether no painted pixel has ink.
func blank(source []uint8, ratio []uint16) bool {
	for i, v := range source {
		if v != 0 && ratio[i] != 0 {
			return false
		}
	}
	return true
}

// blendTogether composites the process planes with a mode that uses them together.
func (c *Canvas) blendTogether(at int, ratio []uint16, behind []uint8, paint *Paint, from *Pixels) {
	l := c.top
	for i, share := range ratio {
		if share == 0 {
			continue
		}
		var below, source [FirstSpot]uint8
		for p := range FirstSpot {
			below[p] = l.planes[p][at+i]
			if paint.Planes.Has(p) {
				source[p] = from.Amounts[p][i]
			}
		}
		mixed := paint.Blend.together(below, source)
		for p := range FirstSpot {
			l.planes[p][at+i] = towards(below[p], between(source[p], mixed[p], behind[i]), share)
		}
	}
}

// replace paints into a knockout group: an object replaces earlier objects of the
// group where it is, and is composited with what was there before the group (11.4.6).
func (c *Canvas) replace(y, x int, cover []uint8, paint *Paint, from *Pixels) {
	l := c.top
	at := l.index(y, x)
	for i, v := range cover {
		if v == 0 {
			continue
		}
		behind := uint8(0)
		if !l.isolated {
			behind = 255
			if l.baseAlpha != nil {
				behind = l.baseAlpha[at+i]
			}
		}
		for p := range Max {
			base := uint8(0)
			if l.base[p] != nil {
				base = l.base[p][at+i]
			}
			v := base
			if paint.Planes.Has(p) {
				v = from.Amounts[p][i]
				if blend := paint.Blend; blend != Normal && blend < Hue && (p < FirstSpot || blend.keepsWhite()) {
					v = between(v, blend.mix(base, v), behind)
				}
			}
			if l.planes[p] == nil {
				if v == 0 {
					continue
				}
				l.allocate(p)
			}
			l.planes[p][at+i] = v
		}
		l.alpha[at+i] = v
	}
}

// Group describes a transparency group (11.6.6).
type Group struct {
	Box                image.Rectangle
	Isolated, Knockout bool
}

// maxGroups bounds the memory of the groups that are open, in bytes.
const maxGroups = 96 << 20

// Flatten starts a group whose parts are painted one by one, until [Canvas.End].
func (c *Canvas) Flatten() { c.begun = append(c.begun, nil) }

// Begin starts a group. What follows is painted into it, until [Canvas.End]. It returns
// false when the open groups have too much memory: the parts of the group are then
// painted one by one.
func (c *Canvas) Begin(g Group) bool {
	box := g.Box.Intersect(c.top.box)
	area := int64(box.Dx()) * int64(box.Dy())
	l := &layer{box: box, below: c.top, isolated: g.Isolated, knockout: g.Knockout, memory: area * 6}
	if !g.Isolated {
		for _, plane := range c.top.planes {
			if plane != nil {
				l.memory += 2 * area
			}
		}
	}
	if c.memory+l.memory > maxGroups {
		c.Flatten()
		return false
	}
	c.memory += l.memory
	c.begun = append(c.begun, l)
	l.alpha = make([]uint8, area)
	if !g.Isolated && !box.Empty() {
		outer := c.top
		for p, plane := range outer.planes {
			if plane != nil {
				l.planes[p] = outer.cut(plane, box)
				l.base[p] = outer.cut(plane, box)
			}
		}
		if outer.alpha != nil {
			l.baseAlpha = make([]uint8, len(l.alpha))
			for y := box.Min.Y; y < box.Max.Y; y++ {
				for x := box.Min.X; x < box.Max.X; x++ {
					l.baseAlpha[l.index(y, x)] = outer.backdrop(outer.index(y, x))
				}
			}
		}
	}
	c.work += l.memory
	c.top = l
	return true
}

// cut copies the part of a plane inside a box.
func (l *layer) cut(plane []uint8, box image.Rectangle) []uint8 {
	out := make([]uint8, 0, box.Dx()*box.Dy())
	for y := box.Min.Y; y < box.Max.Y; y++ {
		at := l.index(y, box.Min.X)
		out = append(out, plane[at:at+box.Dx()]...)
	}
	return out
}

// End composites the group with what is below it. The colour of the paint is not
// used.
func (c *Canvas) End(clip *raster.Clip, paint Paint) {
	n := len(c.begun) - 1
	group := c.begun[n]
	if c.begun = c.begun[:n]; group == nil {
		return
	}
	c.memory -= group.memory
	c.top = group.below
	paint.Planes = All
	c.Draw(group, nil, raster.NewClip(clip.Box.Intersect(group.box)), &paint)
}

// Work implements [Source].
func (l *layer) Work() int64 { return groupWork }

// Row returns the colours of the group without what was below it (11.4.8).
func (l *layer) Row(y, x, n int, to *Pixels) {
	at := l.index(y, x)
	copy(to.Alpha[:n], l.alpha[at:at+n])
	for p, plane := range l.planes {
		out := to.Amounts[p][:n]
		if plane == nil {
			clear(out)
			continue
		}
		copy(out, plane[at:at+n])
		if l.isolated || l.knockout {
			continue
		}
		for i, v := range out {
			alpha := int(l.alpha[at+i])
			if alpha == 0 || alpha == 255 {
				continue
			}
			behind, base := 255, 0
			if l.baseAlpha != nil {
				behind = int(l.baseAlpha[at+i])
			}
			if l.base[p] != nil {
				base = int(l.base[p][at+i])
			}
			// C = Cn + (Cn - C0) x a0 x (1 - ag)/ag
			change := (int(v) - base) * behind * (255 - alpha) / (255 * alpha)
			out[i] = uint8(min(max(int(v)+change, 0), 255)) // #nosec G115 -- limited
		}
	}
}

// full and set fill a slice.
func full(to []uint8) { set(to, 255) }

func set[T uint8 | uint32](to []T, v T) {
	if len(to) == 0 {
		return
	}
	to[0] = v
	for n := 1; n < len(to); n *= 2 {
		copy(to[n:], to[:n])
	}
}

// times returns the product of two shares.
func times(a, b uint8) uint8 {
	v := uint32(a)*uint32(b) + 128
	return uint8((v + v>>8) >> 8) // #nosec G115 -- at most 255
}

// union returns the opacity of two layers together.
func union(a, b uint8) uint8 { return a + times(255-a, b) }

// between returns the value at a share, in 1/255, of the way from a to b.
func between(a, b, share uint8) uint8 {
	v := uint32(a)*uint32(255-share) + uint32(b)*uint32(share) + 128
	return uint8((v + v>>8) >> 8) // #nosec G115 -- at most 255
}

// towards returns the value at a share, in 1/256, of the way from a to b.
func towards(a, b uint8, share uint16) uint8 {
	return uint8((uint32(a)*uint32(256-share) + uint32(b)*uint32(share) + 128) >> 8) // #nosec G115 -- at most 255
}
