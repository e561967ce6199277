// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bytes"
	"image"

	"github.com/printmarket/printmarket/pkg/preflight/internal/color"
	"github.com/printmarket/printmarket/pkg/preflight/internal/planes"
	"github.com/printmarket/printmarket/pkg/preflight/internal/raster"
)

// Picture returns the surface in sRGB, as it is printed. spot returns the alternate space and the full
// tint of a spot colour, and whether it is shown. Spot colours multiply what is below.
func (r *Renderer) Picture(spot func(ink string) (space string, full []float64, shown bool)) *image.RGBA {
	canvas, box := r.surface.canvas, r.surface.canvas.Box()
	out := image.NewRGBA(box)
	blank := make([]uint8, box.Dx())
	screen := &converter{table: r.output.Screen()}
	for y := range box.Dy() {
		var inks [planes.FirstSpot][]uint8
		for p := range inks {
			inks[p] = blank
			if plane := canvas.Plane(p); plane != nil {
				inks[p] = plane[y*box.Dx():][:box.Dx()]
			}
		}
		screen.row(out.Pix[y*out.Stride:][:out.Stride], inks)
	}
	for p := planes.FirstSpot; p < planes.Max; p++ {
		name, used := r.name(p)
		plane := canvas.Plane(p)
		if !used || plane == nil {
			continue
		}
		space, full, shown := spot(name)
		if !shown {
			continue
		}
		var tints [3][256]uint8
		for c, v := range r.output.SpotOnScreen(space, full) {
			for amount := range tints[c] {
				tints[c][amount] = eighth(1 - float64(amount)/255*(1-float64(v)/255))
			}
		}
		for y := range box.Dy() {
			row := plane[y*box.Dx():][:box.Dx()]
			if bytes.Equal(row, blank) {
				continue
			}
			to := out.Pix[y*out.Stride:][:out.Stride]
			for x, v := range row {
				if v > 0 {
					for c := range tints {
						to[4*x+c] = raster.Times(to[4*x+c], tints[c][v])
					}
				}
			}
		}
	}
	return out
}

// converter converts pixels of process inks. It keeps colours, because most pixels of a page have the
// colour of others.
type converter struct {
	table *color.Table
	known [cached]struct {
		inks  uint32
		color [3]uint8
		valid bool
	}
}

// cached is the number of colours that a converter keeps, a power of two.
const cached = 1 << cachedBits

const cachedBits = 13

// row converts a row of pixels.
func (p *converter) row(to []uint8, inks [planes.FirstSpot][]uint8) {
	width := len(to) / 4
	c, m, y, k := inks[0][:width], inks[1][:width], inks[2][:width], inks[3][:width]
	var last uint32
	rgb := p.color(0)
	for x := range width {
		key := uint32(c[x]) | uint32(m[x])<<8 | uint32(y[x])<<16 | uint32(k[x])<<24
		if key != last {
			last, rgb = key, p.color(key)
		}
		pixel := to[4*x : 4*x+4]
		pixel[0], pixel[1], pixel[2], pixel[3] = rgb[0], rgb[1], rgb[2], 255
	}
}

func (p *converter) color(key uint32) [3]uint8 {
	known := &p.known[key*2654435761>>(32-cachedBits)]
	if !known.valid || known.inks != key {
		made := p.table.Amounts([]uint8{uint8(key), uint8(key >> 8), uint8(key >> 16), uint8(key >> 24)})
		known.inks, known.color, known.valid = key, [3]uint8(made[:3]), true
	}
	return known.color
}
