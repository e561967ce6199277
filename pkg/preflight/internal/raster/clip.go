// SPDX-License-Identifier: Apache-2.0

package raster

import (
	"image"
	"math"

	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
)

// Mask is the coverage of the pixels of a box, row by row.
type Mask struct {
	Box image.Rectangle
	Pix []uint8
}

// NewMask returns a mask without coverage.
func NewMask(box image.Rectangle) *Mask {
	return &Mask{Box: box, Pix: make([]uint8, box.Dx()*box.Dy())}
}

// Row returns the coverage of row y, which must be inside the box.
func (m *Mask) Row(y int) []uint8 {
	at := (y - m.Box.Min.Y) * m.Box.Dx()
	return m.Pix[at : at+m.Box.Dx()]
}

// Clip is a region of pixels. It does not change; states of graphics share it.
type Clip struct {
	// Box contains the region.
	Box image.Rectangle
	// rect and mask are the exact region, together; mask may be nil. All of the pixels in whole are inside rect.
	rect  geom.Rect
	mask  *Mask
	whole image.Rectangle
}

// NewClip returns the region of a box.
func NewClip(box image.Rectangle) *Clip {
	return &Clip{Box: box, rect: geom.Rect{float64(box.Min.X), float64(box.Min.Y), float64(box.Max.X), float64(box.Max.Y)}, whole: box}
}

// Empty reports whether the region has no pixels.
func (c *Clip) Empty() bool { return c.Box.Empty() }

// Intersect returns the part of the region inside a path. Upright rectangles cost
// nothing.
func (c *Clip) Intersect(r *Rasterizer, p *geom.Path, evenOdd bool) *Clip {
	if rect, ok := upright(p); ok {
		return c.IntersectRect(rect)
	}
	box := Pixels(p.Bounds()).Intersect(c.Box)
	if box.Empty() {
		return &Clip{}
	}
	mask := NewMask(box)
	r.Fill(p, evenOdd, box, func(y, x int, cover []uint8) {
		c.Apply(y, x, cover)
		copy(mask.Row(y)[x-box.Min.X:], cover)
	})
	out := NewClip(box)
	out.mask = mask
	return out
}

// IntersectRect returns the part of the region inside a rectangle.
func (c *Clip) IntersectRect(rect geom.Rect) *Clip {
	out := &Clip{rect: c.rect.Intersect(rect), mask: c.mask}
	if out.rect.Empty() {
		return &Clip{}
	}
	out.Box = Pixels(out.rect).Intersect(c.Box)
	out.whole = Pixels(geom.Rect{math.Ceil(out.rect[0]), math.Ceil(out.rect[1]), math.Floor(out.rect[2]), math.Floor(out.rect[3])})
	return out
}

// Apply reduces the coverage of pixels of row y from x on to the region. The pixels
// must be inside the box of the clip.
func (c *Clip) Apply(y, x int, cover []uint8) {
	if c.mask != nil {
		row := c.mask.Row(y)[x-c.mask.Box.Min.X:]
		for i, v := range cover {
			if v != 0 && row[i] != 255 {
				cover[i] = Times(v, row[i])
			}
		}
	}
	if y >= c.whole.Min.Y && y < c.whole.Max.Y && x >= c.whole.Min.X && x+len(cover) <= c.whole.Max.X {
		return
	}
	if share := overlap(c.rect[1], c.rect[3], y); share < 255 {
		for i := range cover {
			cover[i] = Times(cover[i], share)
		}
	}
	first, last := overlap(c.rect[0], c.rect[2], x), overlap(c.rect[0], c.rect[2], x+len(cover)-1)
	cover[0] = Times(cover[0], first)
	if n := len(cover); n > 1 {
		cover[n-1] = Times(cover[n-1], last)
	}
}

// overlap returns the share of the unit from at on that lies between low and high.
func overlap(low, high float64, at int) uint8 {
	from, until := max(low, float64(at)), min(high, float64(at+1))
	if until-from >= 1 {
		return 255
	}
	return uint8(max(until-from, 0)*255 + 0.5)
}

// Times returns the product of two shares.
func Times(a, b uint8) uint8 {
	v := uint32(a)*uint32(b) + 128
	return uint8((v + v>>8) >> 8) // #nosec G115 -- at most 255
}

// Pixels returns the pixels that a rectangle touches.
func Pixels(r geom.Rect) image.Rectangle {
	if r[0] > r[2] || r[1] > r[3] {
		return image.Rectangle{}
	}
	whole := func(v float64) int { return int(min(max(v, -farAway), farAway)) }
	return image.Rect(whole(math.Floor(r[0])), whole(math.Floor(r[1])), whole(math.Ceil(r[2])), whole(math.Ceil(r[3])))
}

// upright returns the rectangle that a path consists of, if it is one.
func upright(p *geom.Path) (geom.Rect, bool) {
	if n := p.Len(); n < 4 || n > 6 {
		return geom.Rect{}, false
	}
	var corners []geom.Point
	plain := true
	var buffer [6]geom.Point
	corners = buffer[:0]
	p.Each(func(v geom.Verb, to []geom.Point) {
		switch {
		case v == geom.CurveTo, v == geom.MoveTo && len(corners) > 0:
			plain = false
		case len(to) == 1:
			corners = append(corners, to[0])
		}
	})
	if len(corners) == 5 && corners[4] == corners[0] {
		corners = corners[:4]
	}
	if !plain || len(corners) != 4 {
		return geom.Rect{}, false
	}
	a, b, c, d := corners[0], corners[1], corners[2], corners[3]
	across := a.Y == b.Y && b.X == c.X && c.Y == d.Y && d.X == a.X
	down := a.X == b.X && b.Y == c.Y && c.X == d.X && d.Y == a.Y
	return geom.Rect{a.X, a.Y, c.X, c.Y}.Normal(), across || down
}
