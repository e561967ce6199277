// SPDX-License-Identifier: Apache-2.0

package raster_test

import (
	"image"
	"math"
	"testing"

	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/internal/raster"
)

// area returns the covered area of a path in pixels.
func area(p *geom.Path, evenOdd bool, box image.Rectangle) float64 {
	var r raster.Rasterizer
	sum := 0
	r.Fill(p, evenOdd, box, func(_, _ int, cover []uint8) {
		for _, v := range cover {
			sum += int(v)
		}
	})
	return float64(sum) / 255
}

// tiled returns the same, in boxes that are small enough to have a cell for each pixel.
func tiled(p *geom.Path, evenOdd bool, box image.Rectangle) float64 {
	const side = 40
	sum := 0.0
	for y := box.Min.Y; y < box.Max.Y; y += side {
		for x := box.Min.X; x < box.Max.X; x += side {
			sum += area(p, evenOdd, image.Rect(x, y, x+side, y+side).Intersect(box))
		}
	}
	return sum
}

func rect(r geom.Rect) *geom.Path {
	p := &geom.Path{}
	p.Rect(r)
	return p
}

// circle returns a circle of four curves.
func circle(x, y, radius float64) *geom.Path {
	const k = 0.5522847498
	p := &geom.Path{}
	c := k * radius
	p.Move(x+radius, y)
	p.Curve(x+radius, y+c, x+c, y+radius, x, y+radius)
	p.Curve(x-c, y+radius, x-radius, y+c, x-radius, y)
	p.Curve(x-radius, y-c, x-c, y-radius, x, y-radius)
	p.Curve(x+c, y-radius, x+radius, y-c, x+radius, y)
	p.Close()
	return p
}

func join(paths ...*geom.Path) *geom.Path {
	out := &geom.Path{}
	for _, p := range paths {
		out.Append(p, geom.Identity())
	}
	return out
}

func TestFillCoversTheAreaOfAShape(t *testing.T) {
	t.Parallel()
	box := image.Rect(0, 0, 100, 100)
	inner := rect(geom.Rect{20, 20, 40, 40})
	reversed := &geom.Path{}
	reversed.Append(inner, geom.Matrix{0, 1, 1, 0, 0, 0}) // mirrored, so it runs the other way round
	triangle := &geom.Path{}
	triangle.Move(10, 10)
	triangle.Line(50.5, 10)
	triangle.Line(10, 90.25)
	comb, slanted := &geom.Path{}, &geom.Path{}
	for x := 0.25; x < 39; x++ {
		comb.Rect(geom.Rect{x, 10, x + 0.5, 20})
		slanted.Move(x, 10)
		slanted.Line(x+60, 12.5)
		slanted.Line(x+60, 13)
		slanted.Close()
	}
	for name, c := range map[string]struct {
		path    *geom.Path
		evenOdd bool
		box     image.Rectangle
		want    float64
	}{
		"whole pixels":                        {rect(geom.Rect{10, 20, 30, 40}), false, box, 400},
		"parts of pixels":                     {rect(geom.Rect{10.25, 20.5, 10.75, 30.25}), false, box, 0.5 * 9.75},
		"a triangle that is not closed":       {triangle, false, box, 40.5 * 80.25 / 2},
		"a circle":                            {circle(50, 50, 30), false, box, math.Pi * 900},
		"cut at the left side":                {rect(geom.Rect{-50, 0, 10, 10}), false, box, 100},
		"cut at the right side":               {rect(geom.Rect{90.5, 0, 500, 10}), false, box, 95},
		"cut at top and bottom":               {circle(50, 0, 30), false, image.Rect(0, 0, 100, 100), math.Pi * 450},
		"around the whole box":                {rect(geom.Rect{-1e9, -1e9, 1e9, 1e9}), false, box, 10000},
		"outside of the box":                  {rect(geom.Rect{-50, -50, -10, -10}), false, box, 0},
		"a hole by the even-odd rule":         {join(rect(geom.Rect{10, 10, 50, 50}), inner), true, box, 1200},
		"no hole by the nonzero rule":         {join(rect(geom.Rect{10, 10, 50, 50}), inner), false, box, 1600},
		"a hole that runs the other way":      {join(rect(geom.Rect{10, 10, 50, 50}), reversed), false, box, 1200},
		"the same shape twice, even-odd rule": {join(inner, inner), true, box, 0},
		"edges in each pixel of a row":        {comb, false, box, 39 * 5},
		"edges in each pixel of a small box":  {comb, false, image.Rect(0, 5, 80, 25), 39 * 5},
		"edges across a small box":            {slanted, true, image.Rect(0, 5, 100, 25), tiled(slanted, true, box)},
		"without numbers":                     {rect(geom.Rect{math.NaN(), 0, 10, 10}), false, image.Rect(0, 0, 0, 0), 0},
	} {
		if got := area(c.path, c.evenOdd, c.box); math.Abs(got-c.want) > 0.6+c.want*0.002 {
			t.Errorf("%s: area %.2f, want %.2f", name, got, c.want)
		}
		if whole, got := area(c.path, c.evenOdd, c.box), tiled(c.path, c.evenOdd, c.box); math.Abs(got-whole) > 0.1 {
			t.Errorf("%s: area %.2f in small boxes, and %.2f in one", name, got, whole)
		}
	}
}

func TestStrokeCoversTheAreaOfALine(t *testing.T) {
	t.Parallel()
	box := image.Rect(0, 0, 200, 200)
	line := func(points ...float64) *geom.Path {
		p := &geom.Path{}
		p.Move(points[0], points[1])
		for i := 2; i < len(points); i += 2 {
			p.Line(points[i], points[i+1])
		}
		return p
	}
	closed := func(p *geom.Path) *geom.Path { p.Close(); return p }
	plain := raster.Style{Width: 10, Pen: geom.Identity(), Miter: 10, Least: 0.2}
	style := func(change func(*raster.Style)) raster.Style {
		s := plain
		change(&s)
		return s
	}
	for name, c := range map[string]struct {
		path  *geom.Path
		style raster.Style
		want  float64
	}{
		"a straight line":                  {line(20, 50, 120, 50), plain, 1000},
		"a diagonal":                       {line(20, 20, 80, 100), plain, 1000},
		"square caps":                      {line(20, 50, 120, 50), style(func(s *raster.Style) { s.Cap = raster.Square }), 1100},
		"round caps":                       {line(20, 50, 120, 50), style(func(s *raster.Style) { s.Cap = raster.RoundCap }), 1000 + math.Pi*25},
		"a mitred corner":                  {line(20, 20, 120, 20, 120, 120), plain, 2000},
		"a bevelled corner":                {line(20, 20, 120, 20, 120, 120), style(func(s *raster.Style) { s.Join = raster.Bevel }), 1987.5},
		"a corner beyond the miter limit":  {line(20, 20, 120, 20, 120, 120), style(func(s *raster.Style) { s.Miter = 1 }), 1987.5},
		"a round corner":                   {line(20, 20, 120, 20, 120, 120), style(func(s *raster.Style) { s.Join = raster.Round }), 1975 + math.Pi*25/4},
		"a closed square":                  {closed(line(20, 20, 120, 20, 120, 120, 20, 120)), plain, 4000},
		"a pen that is wider than high":    {line(20, 50, 120, 50), style(func(s *raster.Style) { s.Pen = geom.Matrix{3, 0, 0, 1, 0, 0} }), 1000},
		"a pen that is mirrored":           {line(20, 50, 120, 50), style(func(s *raster.Style) { s.Pen = geom.Matrix{1, 0, 0, -1, 0, 0} }), 1000},
		"dashes":                           {line(0, 50, 200, 50), style(func(s *raster.Style) { s.Dash = []float64{10, 30} }), 500},
		"dashes with a phase":              {line(0, 50, 100, 50), style(func(s *raster.Style) { s.Dash, s.Phase = []float64{50}, 50 }), 500},
		"dashes of no length, round":       {line(5, 50, 185, 50), style(func(s *raster.Style) { s.Dash, s.Cap = []float64{0, 20}, raster.RoundCap }), 10 * math.Pi * 25},
		"a dot with a round cap":           {line(50, 50, 50, 50), style(func(s *raster.Style) { s.Cap = raster.RoundCap }), math.Pi * 25},
		"a dot without a cap":              {line(50, 50, 50, 50), plain, 0},
		"a width of 0 is a fifth of one":   {line(20, 50, 120, 50), style(func(s *raster.Style) { s.Width = 0 }), 20},
		"a pen without extent":             {line(20, 50, 120, 50), style(func(s *raster.Style) { s.Pen = geom.Matrix{} }), 0},
		"dashes with a negative length":    {line(20, 50, 120, 50), style(func(s *raster.Style) { s.Dash = []float64{-1, 5} }), 1000},
		"dashes too short to resolve":      {line(20, 50, 120, 50), style(func(s *raster.Style) { s.Dash = []float64{0.001} }), 1000},
		"a line far outside of the pixels": {line(-1e8, 50, 1e8, 50), plain, 2000},
	} {
		out := &geom.Path{}
		new(raster.Stroker).Stroke(out, c.path, c.style)
		if got := area(out, false, box); math.Abs(got-c.want) > 3+c.want*0.01 {
			t.Errorf("%s: area %.1f, want %.1f", name, got, c.want)
		}
		if whole, got := area(out, false, box), tiled(out, false, box); math.Abs(got-whole) > 0.1+whole*0.0001 {
			t.Errorf("%s: area %.1f in small boxes, and %.1f in one", name, got, whole)
		}
	}
}

func TestLineWithTooManyDashesIsCutShort(t *testing.T) {
	t.Parallel()
	p, out := &geom.Path{}, &geom.Path{}
	p.Move(0, 0)
	p.Line(1e6, 0)
	style := raster.Style{Width: 1, Pen: geom.Identity(), Dash: []float64{1}, Cap: raster.RoundCap}
	if new(raster.Stroker).Stroke(out, p, style) {
		t.Error("half a million dashes are reported as whole")
	}
	if out.Len() == 0 || out.Len() > 400_000 {
		t.Errorf("%d segments, want some, and at most 400,000", out.Len())
	}
	out.Reset()
	p.Reset()
	p.Move(0, 0)
	p.Line(1000, 0)
	if !new(raster.Stroker).Stroke(out, p, style) {
		t.Error("500 dashes are reported as cut short")
	}
}

func TestClipIsTheProductOfItsParts(t *testing.T) {
	t.Parallel()
	var r raster.Rasterizer
	page := raster.NewClip(image.Rect(0, 0, 100, 100))
	covered := func(c *raster.Clip) float64 {
		sum := 0
		for y := c.Box.Min.Y; y < c.Box.Max.Y; y++ {
			cover := make([]uint8, c.Box.Dx())
			for i := range cover {
				cover[i] = 255
			}
			c.Apply(y, c.Box.Min.X, cover)
			for _, v := range cover {
				sum += int(v)
			}
		}
		return float64(sum) / 255
	}
	for name, c := range map[string]struct {
		clip *raster.Clip
		want float64
	}{
		"the page":                          {page, 10000},
		"a rectangle":                       {page.Intersect(&r, rect(geom.Rect{10.5, 10, 20, 20.25}), false), 9.5 * 10.25},
		"two rectangles":                    {page.Intersect(&r, rect(geom.Rect{10, 10, 60, 60}), false).IntersectRect(geom.Rect{50, 50, 90, 90}), 100},
		"rectangles that do not meet":       {page.IntersectRect(geom.Rect{0, 0, 10, 10}).IntersectRect(geom.Rect{20, 20, 30, 30}), 0},
		"a circle":                          {page.Intersect(&r, circle(50, 50, 20), false), math.Pi * 400},
		"a rectangle after a circle":        {page.Intersect(&r, circle(50, 50, 20), false).IntersectRect(geom.Rect{50, 0, 100, 100}), math.Pi * 200},
		"a circle after a rectangle":        {page.IntersectRect(geom.Rect{50.5, 0, 100, 100}).Intersect(&r, circle(50.5, 50, 20), false), math.Pi * 200},
		"a circle outside of a circle":      {page.Intersect(&r, circle(20, 20, 10), false).Intersect(&r, circle(80, 80, 10), false), 0},
		"a hole by the even-odd rule":       {page.Intersect(&r, join(rect(geom.Rect{0, 0, 40, 40}), rect(geom.Rect{10, 10, 30, 30})), true), 1200},
		"a turned square is not upright":    {page.Intersect(&r, turned(), false), 800},
		"less than a pixel of a pixel":      {page.IntersectRect(geom.Rect{10.25, 10.25, 10.75, 10.75}), 0.25},
		"outside of the page":               {page.IntersectRect(geom.Rect{200, 200, 300, 300}), 0},
		"nothing at all, from an empty box": {page.Intersect(&r, &geom.Path{}, false), 0},
	} {
		if got := covered(c.clip); math.Abs(got-c.want) > 0.5+c.want*0.01 {
			t.Errorf("%s: area %.2f, want %.2f", name, got, c.want)
		}
	}
}

// turned returns a square on a corner.
func turned() *geom.Path {
	p := &geom.Path{}
	p.Move(50, 30)
	p.Line(70, 50)
	p.Line(50, 70)
	p.Line(30, 50)
	p.Close()
	return p
}
