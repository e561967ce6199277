// SPDX-License-Identifier: Apache-2.0

package planes

import (
	"github.com/printmarket/printmarket/pkg/preflight/internal/raster"
)

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
				kept := raster.Times(to[i], behind[i])
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
