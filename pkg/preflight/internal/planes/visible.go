// SPDX-License-Identifier: Apache-2.0

package planes

import (
	"image"
	"math"
	"slices"

	"github.com/printmarket/printmarket/pkg/preflight/internal/raster"
)

// sight is what is known of a mark.
type sight struct {
	// printed marks have ink on a pixel, or remove some; owners have covered a pixel.
	printed, owner bool
	// left, top, right and bottom bound the pixels that the mark paints; right and bottom are
	// behind the last.
	left, top, right, bottom int32
}

// leastCover is the least opacity of a pixel that counts as painted in the bounds of a mark.
const leastCover = 64

// extend adds the painted pixels of a row to the bounds.
func (s *sight) extend(y, x int, cover []uint8) {
	from, until := 0, len(cover)
	for from < until && cover[from] < leastCover {
		from++
	}
	for until > from && cover[until-1] < leastCover {
		until--
	}
	if from == until {
		return
	}
	left, top, right, bottom := int32(x+from), int32(y), int32(x+until), int32(y+1)
	if s.right > s.left {
		left, top, right, bottom = min(s.left, left), min(s.top, top), max(s.right, right), max(s.bottom, bottom)
	}
	s.left, s.top, s.right, s.bottom = left, top, right, bottom
}

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
	state.extend(y, x, cover)
	covers := paint.Planes == All && paint.Blend == Normal && c.opaque()
	if !covers {
		state.printed = state.printed || slices.ContainsFunc(cover, func(v uint8) bool { return v != 0 })
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
			raster.Set(owners[i:end], paint.Mark)
			state.printed, state.owner = true, true
			i = end
		default:
			state.printed = true
			i++
		}
	}
}

func (c *Canvas) sight(mark uint32) *sight {
	for int(mark) >= len(c.seen) {
		c.seen = append(c.seen, sight{})
	}
	return &c.seen[mark]
}

// Assume records that a mark can be seen: it could not be painted.
func (c *Canvas) Assume(mark uint32) {
	state := c.sight(mark)
	state.printed, state.left, state.top, state.right, state.bottom = true, math.MinInt32, math.MinInt32, math.MaxInt32, math.MaxInt32
}

// opaque reports whether what is painted now covers what is on the page: inside a group,
// only its end decides.
func (c *Canvas) opaque() bool { return c.top == c.page }

// Visible reports for each mark whether it can be seen on the page: it has painted, and
// later marks have not covered all of it. Mark 0 is always visible. The rectangle contains the
// pixels that the mark paints; it is empty for a mark that paints less than a quarter of each.
func (c *Canvas) Visible() func(mark uint32) (image.Rectangle, bool) {
	remains := make([]bool, len(c.seen))
	for _, mark := range c.owners {
		remains[mark] = true
	}
	return func(mark uint32) (image.Rectangle, bool) {
		if mark == 0 {
			return image.Rect(math.MinInt32, math.MinInt32, math.MaxInt32, math.MaxInt32), true
		}
		if int(mark) >= len(c.seen) {
			return image.Rectangle{}, false
		}
		s := &c.seen[mark]
		return image.Rect(int(s.left), int(s.top), int(s.right), int(s.bottom)), s.printed && (!s.owner || remains[mark])
	}
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
