// SPDX-License-Identifier: Apache-2.0

package render

import (
	"image"
	"math"

	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/internal/raster"
)

// glyphKey identifies the coverage of a glyph: by its outline, its size and the
// fraction of a pixel at which it stands.
type glyphKey struct {
	outline    *geom.Path
	a, b, c, d float32
	x, y       int8
}

// The bounds of the cache of glyphs, and the parts of a pixel that are distinguished.
const (
	maxGlyphs    = 4096
	maxGlyphSide = 64
	parts        = 4
)

// Glyph fills the outline of a glyph; m maps it to the page.
func (r *Renderer) Glyph(outline *geom.Path, m geom.Matrix, region *raster.Clip, t Tone, s Style) {
	if region.Empty() || r.spent() {
		return
	}
	paint := r.paint(t, s, true)
	m = m.Then(r.surface.device)
	left, top := math.Floor(m[4]), math.Floor(m[5])
	if !(math.Abs(left) < 1<<20) || !(math.Abs(top) < 1<<20) {
		return
	}
	x, y := int8((m[4]-left)*parts), int8((m[5]-top)*parts)
	key := glyphKey{outline, float32(m[0]), float32(m[1]), float32(m[2]), float32(m[3]), x, y}
	mask := r.glyphs[key]
	if mask == nil {
		local := m
		local[4], local[5] = (float64(x)+0.5)/parts, (float64(y)+0.5)/parts
		r.shape.Reset()
		r.shape.Append(outline, local)
		box := raster.Pixels(r.shape.Bounds())
		if box.Dx() > maxGlyphSide || box.Dy() > maxGlyphSide {
			r.shape.Reset()
			r.shape.Append(outline, m)
			r.surface.canvas.Fill(&r.shape, false, region, &paint)
			return
		}
		mask = raster.NewMask(box)
		r.surface.canvas.Rasterizer().Fill(&r.shape, false, box, func(y, x int, cover []uint8) { copy(mask.Row(y)[x-box.Min.X:], cover) })
		if len(r.glyphs) >= maxGlyphs {
			clear(r.glyphs)
		}
		r.glyphs[key] = mask
	}
	r.surface.canvas.FillMask(mask, image.Pt(int(left), int(top)), region, &paint)
}
