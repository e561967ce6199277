// SPDX-License-Identifier: Apache-2.0

package planes

import (
	"image"

	"github.com/printmarket/printmarket/pkg/preflight/internal/raster"
)

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
			raster.Set(owners[i:end], paint.Mark)
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
