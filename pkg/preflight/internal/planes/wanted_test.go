// SPDX-License-Identifier: Apache-2.0

package planes_test

import (
	"image"
	"testing"

	"github.com/printmarket/printmarket/pkg/preflight/internal/planes"
	"github.com/printmarket/printmarket/pkg/preflight/internal/raster"
)

func TestRemovedInkOfAPlane(t *testing.T) {
	t.Parallel()
	spots := planes.Set(1 << planes.FirstSpot)
	type painter func(s *scene, w *planes.Wanted)
	cut := func(amount, alpha uint8, blend planes.Blend) painter {
		return func(s *scene, w *planes.Wanted) {
			s.rect(2, 2, 12, 12, &planes.Paint{Amounts: ink(0, 0, 0, 0, amount), Planes: spots, Alpha: alpha, Blend: blend, Wanted: w})
		}
	}
	mask := func(s *scene, w *planes.Wanted) {
		m := raster.NewMask(image.Rect(0, 0, 10, 10))
		raster.Set(m.Pix, 255)
		s.FillMask(m, image.Pt(2, 2), s.page, &planes.Paint{Amounts: ink(0, 0, 0, 0, 255), Planes: spots, Alpha: 255, Wanted: w})
	}
	artwork := func(change func(*planes.Paint)) painter {
		return func(s *scene, _ *planes.Wanted) {
			p := solid(ink(255, 0, 0, 0, 0))
			change(p)
			s.rect(0, 0, 20, 7, p)
		}
	}
	knockout := artwork(func(*planes.Paint) {})
	grouped := func(paint painter) painter {
		return func(s *scene, w *planes.Wanted) {
			s.Begin(planes.Group{Box: s.Box()})
			paint(s, w)
			s.End(s.page, planes.Paint{Alpha: 255})
		}
	}
	full := cut(255, 255, planes.Normal)
	for name, c := range map[string]struct {
		paints []painter
		want   float64
		box    image.Rectangle
	}{
		"artwork above":               {[]painter{full, knockout}, 50, image.Rect(2, 2, 12, 7)},
		"artwork below":               {[]painter{knockout, full}, 0, image.Rectangle{}},
		"artwork that overprints":     {[]painter{full, artwork(func(p *planes.Paint) { p.Planes = planes.Process })}, 0, image.Rectangle{}},
		"half opaque artwork":         {[]painter{full, artwork(func(p *planes.Paint) { p.Alpha = 128 })}, 25, image.Rect(2, 2, 12, 7)},
		"a group above":               {[]painter{full, grouped(knockout)}, 50, image.Rect(2, 2, 12, 7)},
		"a tint":                      {[]painter{cut(51, 255, planes.Normal), knockout}, 10, image.Rect(2, 2, 12, 7)},
		"less than a tenth":           {[]painter{cut(25, 255, planes.Normal), knockout}, 0, image.Rectangle{}},
		"a multiplied ink":            {[]painter{cut(255, 255, planes.Multiply), knockout}, 50, image.Rect(2, 2, 12, 7)},
		"a mask":                      {[]painter{mask, knockout}, 50, image.Rect(2, 2, 12, 7)},
		"the ink removes itself":      {[]painter{full, cut(0, 255, planes.Normal)}, 0, image.Rectangle{}},
		"the ink is lightened":        {[]painter{cut(255, 255, planes.Lighten), knockout}, 0, image.Rectangle{}},
		"the ink is painted again":    {[]painter{full, knockout, full}, 0, image.Rectangle{}},
		"in a group, which is opaque": {[]painter{grouped(full)}, 0, image.Rectangle{}},
		"no artwork":                  {[]painter{full}, 0, image.Rectangle{}},
		"nothing":                     {nil, 0, image.Rectangle{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, w := newScene(), &planes.Wanted{Plane: planes.FirstSpot}
			for _, paint := range c.paints {
				paint(s, w)
			}
			got, box := s.Removed(w)
			if got < c.want-0.5 || got > c.want+0.5 || box != c.box {
				t.Errorf("removed %v pixels in %v, want %v in %v", got, box, c.want, c.box)
			}
		})
	}
}
