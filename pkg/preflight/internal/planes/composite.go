// SPDX-License-Identifier: Apache-2.0

package planes

import "github.com/printmarket/printmarket/pkg/preflight/internal/raster"

// part is a part of a row that is composited: its first index, and for each pixel the share of the source in
// the result, in 1/256, and the opacity of what is below. It is whole if all shares are 256.
type part struct {
	at     int
	ratio  []uint16
	behind []uint8
	whole  bool
}

// composite paints the pixels of a painter with the opacities of cover (11.3.6, formula 3).
func (c *Canvas) composite(painter *painter, y, x int, cover []uint8, paint *Paint, state *sight) {
	l, from := c.top, &painter.pixels
	if paint.Erased != nil {
		paint.Erased.count(l, y, x, cover)
	}
	if l.shape != nil {
		at := l.index(y, x)
		for i, v := range painter.shape[:len(cover)] {
			l.shape[at+i] = union(l.shape[at+i], v)
		}
	}
	c.note(y, x, cover, paint, state)
	if painter.work += paint.Blend.work() * int64(len(cover)); l.knockout {
		painter.work += flatWork*int64(len(cover)) + replaceWork*int64(c.replace(y, x, cover, painter.shape, paint, from))
		return
	}
	n := len(cover)
	to := part{at: l.index(y, x), ratio: painter.ratio[:n], behind: painter.behind[:n], whole: true}
	blend := paint.Blend
	if l.absent(blend) {
		l.backdrop(to.at, to.behind)
		if !nonzero(to.behind) {
			blend = Normal // all modes are alike where nothing is below
		}
	}
	for i, v := range cover {
		switch {
		case v == 255:
			to.ratio[i] = 256
			continue
		case l.alpha == nil || v == 0:
			to.ratio[i] = uint16(v) + uint16(v>>7)
		default:
			all := union(to.behind[i], v)
			to.ratio[i] = uint16((uint32(v)*256 + uint32(all)/2) / uint32(all)) // #nosec G115 -- at most 256
		}
		to.whole = to.whole && to.ratio[i] == 256
	}
	if blend >= Hue {
		for p := range FirstSpot {
			if l.planes[p] == nil {
				l.allocate(p)
			}
		}
		from.Complete(Process, n)
		l.blendTogether(&to, paint, from)
	}
	for p := range Max {
		separate := blend
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
		if paint.Planes.Has(p) {
			l.paint(p, &to, separate, from)
		} else {
			l.keep(p, &to)
		}
	}
	if l.alpha != nil {
		for i, v := range cover {
			l.alpha[to.at+i] = union(l.alpha[to.at+i], v)
		}
	}
}

// keep composites a plane that is not painted: it keeps what is below.
func (l *layer) keep(p int, part *part) {
	if l.planes[p] == nil || l.alpha == nil {
		return
	}
	to := l.planes[p][part.at:][:len(part.ratio)]
	for i, share := range part.ratio {
		if share != 0 {
			to[i] = towards(to[i], raster.Times(to[i], part.behind[i]), share)
		}
	}
}

// paint composites a plane that is painted.
func (l *layer) paint(p int, part *part, blend Blend, from *Pixels) {
	source := from.Amounts[p][:len(part.ratio)]
	inked := from.Inked.Has(p)
	if l.planes[p] == nil {
		if blend.keepsWhite() && (!inked || blank(source, part.ratio)) {
			return
		}
		l.allocate(p)
	}
	if !inked {
		clear(source)
	}
	to := l.planes[p][part.at:][:len(source)]
	if blend == Normal && part.whole {
		copy(to, source)
		return
	}
	if blend == Normal {
		for i := 0; i < len(source); i++ {
			switch share := part.ratio[i]; share {
			case 0:
			case 256:
				n := 1
				for i+n < len(source) && part.ratio[i+n] == 256 {
					n++
				}
				copy(to[i:i+n], source[i:])
				i += n - 1
			default:
				to[i] = towards(to[i], source[i], share)
			}
		}
		return
	}
	absent := l.absent(blend)
	for i, share := range part.ratio {
		if share == 0 {
			continue
		}
		mixed := blend.mix(to[i], source[i])
		if absent {
			mixed = between(source[i], mixed, part.behind[i])
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
func (l *layer) blendTogether(part *part, paint *Paint, from *Pixels) {
	for i, share := range part.ratio {
		if share == 0 {
			continue
		}
		var below, source [FirstSpot]uint8
		for p := range FirstSpot {
			below[p] = l.planes[p][part.at+i]
			if paint.Planes.Has(p) {
				source[p] = from.Amounts[p][i]
			}
		}
		mixed := paint.Blend.together(below, source)
		for p := range FirstSpot {
			l.planes[p][part.at+i] = towards(below[p], between(source[p], mixed[p], part.behind[i]), share)
		}
	}
}

// replace paints into a knockout group: an object replaces earlier objects of the
// group where its shape is, also if it is transparent, and is composited with what was there
// before the group (11.4.6). It returns the number of pixels of the shape.
func (c *Canvas) replace(y, x int, cover, shapes []uint8, paint *Paint, from *Pixels) (pixels int) {
	l := c.top
	at := l.index(y, x)
	from.Complete(All, len(cover))
	for i, shape := range shapes[:len(cover)] {
		if shape == 0 {
			continue
		}
		pixels++
		opacity := cover[i]
		earlier := raster.Times(l.alpha[at+i], 255-shape)
		// The share of the object in the colour, in 1/255.
		share := uint8(255)
		if all := int(earlier) + int(opacity); earlier > 0 {
			share = uint8(int(opacity) * 255 / all) // #nosec G115 -- at most 255
		}
		behind := uint8(0)
		if !l.isolated {
			behind = l.baseAlpha[at+i]
		}
		var base, source Amounts
		for p := range Max {
			if l.base[p] != nil {
				base[p] = l.base[p][at+i]
			}
			source[p] = base[p]
			if paint.Planes.Has(p) {
				source[p] = from.Amounts[p][i]
			}
		}
		var together [FirstSpot]uint8
		if paint.Blend >= Hue {
			together = paint.Blend.together([FirstSpot]uint8(base[:]), [FirstSpot]uint8(source[:]))
		}
		for p := range Max {
			v := source[p]
			switch blend := paint.Blend; {
			case blend == Normal || !paint.Planes.Has(p):
			case blend >= Hue && p < FirstSpot:
				v = between(v, together[p], behind) // #nosec G602 -- p is below FirstSpot
			case blend < Hue && (p < FirstSpot || blend.keepsWhite()):
				v = between(v, blend.mix(base[p], v), behind)
			}
			if l.planes[p] == nil {
				if v == 0 {
					continue
				}
				l.allocate(p)
			}
			l.planes[p][at+i] = between(l.planes[p][at+i], v, share)
		}
		l.alpha[at+i] = uint8(min(int(earlier)+int(opacity), 255)) // #nosec G115 -- at most 255
	}
	return pixels
}
