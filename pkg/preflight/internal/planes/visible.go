// SPDX-License-Identifier: Apache-2.0

package planes

import (
	"bytes"
	"encoding/binary"
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

// leastCover is the least opacity of a pixel that counts as painted in the bounds of a mark. One of eight pixels
// has it if one of leastBits is set.
const (
	leastCover = 64
	leastBits  = 0xc0c0c0c0c0c0c0c0
)

// extend adds the painted pixels of a row to the bounds.
func (s *sight) extend(y, x int, cover []uint8) {
	from, until := 0, len(cover)
	for from+8 <= until && binary.LittleEndian.Uint64(cover[from:])&leastBits == 0 {
		from += 8
	}
	for until-8 >= from && binary.LittleEndian.Uint64(cover[until-8:])&leastBits == 0 {
		until -= 8
	}
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

// join adds what is known of another part of the mark.
func (s *sight) join(o *sight) {
	s.printed, s.owner = s.printed || o.printed, s.owner || o.owner
	switch {
	case o.right == o.left:
	case s.right == s.left:
		s.left, s.top, s.right, s.bottom = o.left, o.top, o.right, o.bottom
	default:
		s.left, s.top, s.right, s.bottom = min(s.left, o.left), min(s.top, o.top), max(s.right, o.right), max(s.bottom, o.bottom)
	}
}

// note records in the state of a mark that it paints pixels with the opacities of cover. A mark owns the
// pixels that it covers: what is below cannot be seen.
func (c *Canvas) note(y, x int, cover []uint8, paint *Paint, state *sight) {
	c.top.touch(y, x, len(cover))
	if paint.Mark == 0 {
		return
	}
	state.extend(y, x, cover)
	state.printed = state.printed || nonzero(cover)
	if paint.Planes != All || paint.Blend != Normal || !c.opaque() {
		return
	}
	row := &c.owners[y-c.page.box.Min.Y]
	if *row == nil {
		*row = make([]uint32, c.page.box.Dx())
	}
	owners := (*row)[x-c.page.box.Min.X:][:len(cover)]
	for from := 0; from < len(cover); {
		first := bytes.IndexByte(cover[from:], 255)
		if first < 0 {
			return
		}
		first += from
		from = covered(cover, first)
		raster.Set(owners[first:from], paint.Mark)
		state.owner = true
	}
}

// nonzero reports whether a value is not zero.
func nonzero(values []uint8) bool {
	return slices.ContainsFunc(values, func(v uint8) bool { return v != 0 })
}

// sights is the number of marks in a part of the list of marks, which grows by whole parts.
const sights = 256

func (c *Canvas) sight(mark uint32) *sight {
	for int(mark/sights) >= len(c.seen) {
		c.seen = append(c.seen, new([sights]sight))
	}
	return &c.seen[mark/sights][mark%sights]
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
	c.Flush()
	parts := make([][]bool, raster.Parts(len(c.owners)*c.page.box.Dx(), raster.LeastSamples))
	raster.DoParts(len(parts), func(k int) {
		remains, last := make([]bool, len(c.seen)*sights), uint32(0)
		for y := k * len(c.owners) / len(parts); y < (k+1)*len(c.owners)/len(parts); y++ {
			row := c.owners[y]
			if row == nil {
				continue
			}
			for _, mark := range row[c.page.rows[y].from:c.page.rows[y].until] {
				if mark != last {
					last, remains[mark] = mark, true
				}
			}
		}
		parts[k] = remains
	})
	remains := func(mark uint32) bool {
		return slices.ContainsFunc(parts, func(remains []bool) bool { return remains[mark] })
	}
	return func(mark uint32) (image.Rectangle, bool) {
		if mark == 0 {
			return image.Rect(math.MinInt32, math.MinInt32, math.MaxInt32, math.MaxInt32), true
		}
		if int(mark) >= len(parts[0]) {
			return image.Rectangle{}, false
		}
		s := c.sight(mark)
		return image.Rect(int(s.left), int(s.top), int(s.right), int(s.bottom)), s.printed && (!s.owner || remains(mark))
	}
}

// Extent returns the box of the pixels that objects may have painted on the page.
func (c *Canvas) Extent() (box image.Rectangle) {
	c.Flush()
	for y := c.page.box.Min.Y; y < c.page.box.Max.Y; y++ {
		from, until := c.page.painted(y, c.page.box.Min.X, c.page.box.Max.X)
		box = box.Union(image.Rect(from, y, until, y+1))
	}
	return box
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
