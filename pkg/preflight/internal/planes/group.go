// SPDX-License-Identifier: Apache-2.0

package planes

import (
	"image"
	"math/bits"

	"github.com/printmarket/printmarket/pkg/preflight/internal/raster"
)

// layer is a group that is being painted, or the page.
type layer struct {
	box image.Rectangle
	// planes are those of inked; the others are nil.
	planes [Max][]uint8
	inked  Set
	// alpha is the opacity of what the group has painted; nil for the paper, which is
	// opaque.
	alpha              []uint8
	isolated, knockout bool
	below              *layer
	// shape is the share of each pixel that objects of the group cover, regardless of their opacity. It is nil unless
	// the group is inside of a knockout group.
	shape []uint8
	// base and baseAlpha hold what was below a group that is not isolated when it began.
	base      [Max][]uint8
	baseAlpha []uint8
	// rows holds for each row the pixels that objects may have painted.
	rows []span
	// memory is about the size of the planes, in bytes.
	memory int64
}

// span is a range of pixels of a row, relative to the box of the layer. It is empty if until is 0.
type span struct{ from, until int32 }

// touch records that an object paints n pixels of a row.
func (l *layer) touch(y, x, n int) {
	s := &l.rows[y-l.box.Min.Y]
	from := int32(x - l.box.Min.X) // #nosec G115 -- inside of the box
	until := from + int32(n)       // #nosec G115 -- inside of the box
	if s.until > 0 {
		from, until = min(s.from, from), max(s.until, until)
	}
	*s = span{from, until}
}

// painted returns the range of the pixels from left to right that objects may have painted in a row.
func (l *layer) painted(y, left, right int) (from, until int) {
	s := l.rows[y-l.box.Min.Y]
	from, until = max(left, l.box.Min.X+int(s.from)), min(right, l.box.Min.X+int(s.until))
	return from, max(from, until)
}

func (l *layer) index(y, x int) int { return (y-l.box.Min.Y)*l.box.Dx() + x - l.box.Min.X }

func (l *layer) allocate(p int) {
	l.planes[p] = make([]uint8, l.box.Dx()*l.box.Dy())
	l.inked |= 1 << p
}

// ensure allocates planes.
func (l *layer) ensure(set Set) {
	for set &^= l.inked; set != 0; set &= set - 1 {
		l.allocate(bits.TrailingZeros32(uint32(set)))
	}
}

// backdrop sets the opacities of what is below the next object, from an index on. The page
// is a group that is put on the paper in the end (11.4.7): where it has no ink, there
// is nothing to blend with.
func (l *layer) backdrop(at int, to []uint8) {
	switch {
	case l.alpha == nil:
		clear(to)
		for _, plane := range l.planes {
			if plane == nil {
				continue
			}
			for i, v := range plane[at : at+len(to)] {
				if v != 0 {
					to[i] = 255
				}
			}
		}
	case l.isolated:
		copy(to, l.alpha[at:])
	default:
		for i := range to {
			to[i] = union(l.baseAlpha[at+i], l.alpha[at+i])
		}
	}
}

// absent reports whether the backdrop must be asked for before blending: the modes
// that white does not change look the same on paper and on nothing.
func (l *layer) absent(b Blend) bool {
	return l.alpha != nil || b != Normal && b != Multiply && b != Darken
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
	c.Flush()
	box := g.Box.Intersect(c.top.box)
	area := int64(box.Dx()) * int64(box.Dy())
	l := &layer{box: box, below: c.top, isolated: g.Isolated, knockout: g.Knockout, rows: make([]span, box.Dy()), memory: area * 6}
	if !g.Isolated {
		for _, plane := range c.top.planes {
			if plane != nil {
				l.memory += 2 * area
			}
		}
	}
	if c.top.shaped() {
		l.memory += area
	}
	if c.memory+l.memory > maxGroups {
		c.Flatten()
		return false
	}
	c.memory += l.memory
	c.begun = append(c.begun, l)
	l.alpha = make([]uint8, area)
	if c.top.shaped() {
		l.shape = make([]uint8, area)
	}
	if !g.Isolated && !box.Empty() {
		l.begin()
	}
	c.work += l.memory
	c.top = l
	return true
}

// shaped reports whether the shapes of objects count: they replace others in this group or in one around it.
func (l *layer) shaped() bool { return l.knockout || l.shape != nil }

// begin copies what is below a group that is not isolated. In a knockout group, that is what was below
// the knockout group itself (11.4.6).
func (l *layer) begin() {
	outer := l.below
	l.baseAlpha = make([]uint8, len(l.alpha))
	below := &outer.planes
	if outer.knockout {
		below = &outer.base
	}
	for p, plane := range below {
		if plane != nil {
			l.planes[p] = outer.cut(plane, l.box)
			l.inked |= 1 << p
			l.base[p] = outer.cut(plane, l.box)
		}
	}
	switch {
	case !outer.knockout:
		for y := l.box.Min.Y; y < l.box.Max.Y; y++ {
			outer.backdrop(outer.index(y, l.box.Min.X), l.baseAlpha[l.index(y, l.box.Min.X):][:l.box.Dx()])
		}
	case !outer.isolated:
		l.baseAlpha = outer.cut(outer.baseAlpha, l.box)
	}
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
	region := raster.NewClip(clip.Box.Intersect(group.box))
	for y := region.Box.Min.Y; y < region.Box.Max.Y; y++ {
		if from, until := group.painted(y, region.Box.Min.X, region.Box.Max.X); from < until {
			cover := c.own.cover[:until-from]
			raster.Set(cover, 255)
			c.draw(c.own, group, y, from, cover, region, &paint, c.sight(paint.Mark))
		}
	}
}

// Work implements [Source].
func (l *layer) Work() int64 { return groupWork }

// Row returns the colours of the group without what was below it (11.4.8).
func (l *layer) Row(y, x, n int, to *Pixels) {
	at := l.index(y, x)
	copy(to.Alpha[:n], l.alpha[at:at+n])
	if l.shape != nil {
		to.Shape = l.shape[at : at+n]
	}
	to.Inked = 0
	for p, plane := range l.planes {
		if plane == nil {
			continue
		}
		to.Inked |= 1 << p
		out := to.Amounts[p][:n]
		copy(out, plane[at:at+n])
		if l.isolated || l.knockout {
			continue
		}
		for i, v := range out {
			alpha := int(l.alpha[at+i])
			if alpha == 0 || alpha == 255 {
				continue
			}
			behind, base := int(l.baseAlpha[at+i]), 0
			if l.base[p] != nil {
				base = int(l.base[p][at+i])
			}
			// C = Cn + (Cn - C0) x a0 x (1 - ag)/ag
			change := (int(v) - base) * behind * (255 - alpha) / (255 * alpha)
			out[i] = uint8(min(max(int(v)+change, 0), 255)) // #nosec G115 -- limited
		}
	}
}
