// SPDX-License-Identifier: Apache-2.0

package planes_test

import (
	"image"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/internal/planes"
	"github.com/printmarket/printmarket/pkg/preflight/internal/raster"
)

// ink is a colour of the process inks and one spot.
func ink(c, m, y, k, spot uint8) planes.Amounts {
	return planes.Amounts{c, m, y, k, spot}
}

func solid(a planes.Amounts) *planes.Paint {
	return &planes.Paint{Amounts: a, Planes: planes.All, Alpha: 255}
}

// scene paints on a canvas of 20 x 20 pixels.
type scene struct {
	*planes.Canvas
	page *raster.Clip
}

func newScene() *scene {
	c := planes.New(20, 20)
	return &scene{Canvas: c, page: raster.NewClip(c.Box())}
}

func (s *scene) rect(x0, y0, x1, y1 float64, p *planes.Paint) {
	var path geom.Path
	path.Rect(geom.Rect{x0, y0, x1, y1})
	s.Fill(&path, false, s.page, p)
}

// at returns the first five planes of a pixel.
func (s *scene) at(x, y int) [5]uint8 {
	var out [5]uint8
	for p := range out {
		if plane := s.Plane(p); plane != nil {
			out[p] = plane[y*20+x]
		}
	}
	return out
}

func change(p *planes.Paint, f func(*planes.Paint)) *planes.Paint {
	out := *p
	f(&out)
	return &out
}

func TestPixelAfterTwoObjects(t *testing.T) {
	t.Parallel()
	below := solid(ink(255, 0, 128, 0, 255))
	above := ink(0, 255, 0, 64, 0)
	spots := planes.Set(1 << planes.FirstSpot)
	for name, c := range map[string]struct {
		paint *planes.Paint
		want  [5]uint8
	}{
		"knocks out":                          {solid(above), [5]uint8{0, 255, 0, 64, 0}},
		"white knocks out":                    {solid(ink(0, 0, 0, 0, 0)), [5]uint8{}},
		"overprints with the process inks":    {change(solid(above), func(p *planes.Paint) { p.Planes = planes.Process }), [5]uint8{0, 255, 0, 64, 255}},
		"overprints without its zeros":        {change(solid(above), func(p *planes.Paint) { p.Planes = 1<<planes.Magenta | 1<<planes.Black }), [5]uint8{255, 255, 128, 64, 255}},
		"a spot overprints":                   {change(solid(ink(9, 9, 9, 9, 100)), func(p *planes.Paint) { p.Planes = spots }), [5]uint8{255, 0, 128, 0, 100}},
		"half opaque":                         {change(solid(above), func(p *planes.Paint) { p.Alpha = 128 }), [5]uint8{127, 128, 64, 32, 127}},
		"transparent":                         {change(solid(above), func(p *planes.Paint) { p.Alpha = 0 }), [5]uint8{255, 0, 128, 0, 255}},
		"multiplied":                          {change(solid(ink(128, 255, 128, 0, 0)), func(p *planes.Paint) { p.Blend = planes.Multiply }), [5]uint8{255, 255, 192, 0, 255}},
		"the darker of the two":               {change(solid(ink(128, 255, 0, 0, 0)), func(p *planes.Paint) { p.Blend = planes.Darken }), [5]uint8{255, 255, 128, 0, 255}},
		"the lighter of the two":              {change(solid(ink(128, 255, 0, 0, 0)), func(p *planes.Paint) { p.Blend = planes.Lighten }), [5]uint8{128, 0, 0, 0, 0}},
		"screened with white":                 {change(solid(ink(0, 0, 0, 0, 0)), func(p *planes.Paint) { p.Blend = planes.Screen }), [5]uint8{}},
		"difference; spots stay normal":       {change(solid(ink(0, 0, 0, 0, 40)), func(p *planes.Paint) { p.Blend = planes.Difference }), [5]uint8{0, 255, 127, 255, 40}},
		"half opaque and multiplied":          {change(solid(ink(0, 255, 0, 0, 0)), func(p *planes.Paint) { p.Blend, p.Alpha = planes.Multiply, 128 }), [5]uint8{255, 128, 128, 0, 255}},
		"luminosity takes black of the above": {change(solid(ink(255, 0, 128, 77, 0)), func(p *planes.Paint) { p.Blend = planes.Luminosity }), [5]uint8{255, 0, 128, 77, 0}},
		"hue keeps the black of the below":    {change(solid(ink(255, 0, 128, 77, 0)), func(p *planes.Paint) { p.Blend = planes.Hue }), [5]uint8{255, 0, 128, 0, 0}},
	} {
		s := newScene()
		s.rect(0, 0, 20, 20, below)
		s.rect(5, 5, 15, 15, c.paint)
		if diff := cmp.Diff(c.want, s.at(10, 10)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if got := s.at(2, 2); got != [5]uint8{255, 0, 128, 0, 255} {
			t.Errorf("%s: a pixel beside it is %v", name, got)
		}
	}
}

func TestBlendingOnBlankPaperTakesTheColour(t *testing.T) {
	t.Parallel()
	for _, mode := range []planes.Blend{planes.Multiply, planes.Screen, planes.Darken, planes.Overlay, planes.ColorBurn, planes.Difference, planes.Luminosity} {
		s := newScene()
		s.rect(0, 0, 20, 20, change(solid(ink(200, 0, 90, 30, 0)), func(p *planes.Paint) { p.Blend = mode }))
		if got, want := s.at(10, 10), [5]uint8{200, 0, 90, 30, 0}; got != want {
			t.Errorf("mode %d: %v, want %v", mode, got, want)
		}
	}
}

func TestGroupIsCompositedAsAWhole(t *testing.T) {
	t.Parallel()
	red, blue := solid(ink(0, 255, 255, 0, 0)), solid(ink(255, 128, 0, 0, 0))
	multiplied := change(blue, func(p *planes.Paint) { p.Blend = planes.Multiply })
	half := change(red, func(p *planes.Paint) { p.Alpha = 128 })
	for name, c := range map[string]struct {
		group planes.Group
		inner []*planes.Paint
		end   planes.Paint
		want  [5]uint8
	}{
		"half opaque":               {planes.Group{Isolated: true}, []*planes.Paint{red, blue}, planes.Paint{Alpha: 128}, [5]uint8{128, 64, 0, 127, 0}},
		"not isolated, half opaque": {planes.Group{}, []*planes.Paint{red, blue}, planes.Paint{Alpha: 128}, [5]uint8{128, 64, 0, 127, 0}},
		"multiply inside an isolated group does not see the page": {
			planes.Group{Isolated: true}, []*planes.Paint{multiplied}, planes.Paint{Alpha: 255}, [5]uint8{255, 128, 0, 0, 0},
		},
		"multiply inside another group does": {planes.Group{}, []*planes.Paint{multiplied}, planes.Paint{Alpha: 255}, [5]uint8{255, 128, 0, 255, 0}},
		"the group is multiplied":            {planes.Group{Isolated: true}, []*planes.Paint{blue}, planes.Paint{Alpha: 255, Blend: planes.Multiply}, [5]uint8{255, 128, 0, 255, 0}},
		"half opaque twice":                  {planes.Group{Isolated: true}, []*planes.Paint{half, half}, planes.Paint{Alpha: 255}, [5]uint8{0, 192, 192, 63, 0}},
		"knockout":                           {planes.Group{Isolated: true, Knockout: true}, []*planes.Paint{half, half}, planes.Paint{Alpha: 255}, [5]uint8{0, 128, 128, 127, 0}},
		"empty":                              {planes.Group{Isolated: true}, nil, planes.Paint{Alpha: 255}, [5]uint8{0, 0, 0, 255, 0}},
	} {
		s := newScene()
		s.rect(0, 0, 20, 20, solid(ink(0, 0, 0, 255, 0)))
		c.group.Box = image.Rect(5, 5, 15, 15)
		s.Begin(c.group)
		for _, p := range c.inner {
			s.rect(0, 0, 20, 20, p)
		}
		s.End(s.page, c.end)
		got := s.at(10, 10)
		for i := range got {
			if d := int(got[i]) - int(c.want[i]); d < -2 || d > 2 {
				t.Errorf("%s: %v, want %v", name, got, c.want)
				break
			}
		}
		if got := s.at(2, 2); got != [5]uint8{3: 255} {
			t.Errorf("%s: a pixel outside of the group is %v", name, got)
		}
	}
}

// Programs paint gradients as many frames, one inside the other.
func TestWorkInAKnockoutGroupIsThatOfPaintedPixels(t *testing.T) {
	t.Parallel()
	work := func(hole geom.Rect) int64 {
		s := newScene()
		s.Begin(planes.Group{Box: image.Rect(0, 0, 20, 20), Isolated: true, Knockout: true})
		before := s.Work()
		var frame geom.Path
		frame.Rect(geom.Rect{0, 0, 20, 20})
		frame.Rect(hole)
		s.Fill(&frame, true, s.page, solid(ink(255, 0, 0, 0, 0)))
		return s.Work() - before
	}
	if whole, frame := work(geom.Rect{}), work(geom.Rect{1, 1, 19, 19}); 4*frame > whole+whole/2 {
		t.Errorf("the work of a frame of 76 pixels is %d, that of 400 pixels %d", frame, whole)
	}
}

func TestSoftMaskReducesTheOpacity(t *testing.T) {
	t.Parallel()
	mask := raster.NewMask(image.Rect(5, 5, 15, 15))
	for i := range mask.Pix {
		mask.Pix[i] = 128
	}
	s := newScene()
	s.rect(0, 0, 20, 20, change(solid(ink(255, 0, 0, 0, 0)), func(p *planes.Paint) { p.Soft = &planes.Soft{Mask: mask, Outside: 255} }))
	if got := [2]uint8{s.at(10, 10)[0], s.at(2, 2)[0]}; got != [2]uint8{128, 255} {
		t.Errorf("inside and outside of the mask: %v, want 128 and 255", got)
	}
}

func TestLuminosityOfAMask(t *testing.T) {
	t.Parallel()
	cell := planes.NewCell(image.Rect(0, 0, 20, 20))
	s := &scene{Canvas: cell, page: raster.NewClip(cell.Box())}
	s.rect(0, 0, 10, 20, solid(ink(0, 0, 0, 0, 0)))
	s.rect(10, 0, 15, 20, solid(ink(0, 0, 0, 128, 0)))
	mask := cell.Luminosity(ink(0, 0, 0, 255, 0))
	row := mask.Row(5)
	if got := [3]uint8{row[5], row[12], row[18]}; got != [3]uint8{255, 127, 0} {
		t.Errorf("white, grey and the backdrop: %v, want 255, 127 and 0", got)
	}
}

func TestImageIsTheMeanOfItsPixels(t *testing.T) {
	t.Parallel()
	// A checkerboard of 40 x 40 pixels on 20 x 20.
	board := &planes.Bitmap{Width: 40, Height: 40}
	board.Amounts[0] = make([]uint8, 1600)
	for i := range 1600 {
		if (i/40+i%40)%2 == 0 {
			board.Amounts[0][i] = 255
		}
	}
	s := newScene()
	s.Draw(&planes.Sampler{Bitmap: board, Inverse: geom.Matrix{2, 0, 0, 2, 0, 0}}, nil, s.page, solid(planes.Amounts{}))
	for _, at := range []image.Point{{0, 0}, {10, 7}, {19, 19}} {
		if got := s.at(at.X, at.Y)[0]; got < 126 || got > 129 {
			t.Errorf("pixel %v is %d, want the mean, 128", at, got)
		}
	}
}

func TestMarksThatCanBeSeen(t *testing.T) {
	t.Parallel()
	black := ink(0, 0, 0, 255, 0)
	marked := func(number uint32, f func(*planes.Paint)) *planes.Paint {
		p := solid(black)
		p.Mark = number
		if f != nil {
			f(p)
		}
		return p
	}
	s := newScene()
	s.rect(2, 2, 8, 8, marked(1, nil))                                                   // covered by 4
	s.rect(2, 2, 12, 8, marked(2, nil))                                                  // covered in part
	s.rect(30, 30, 40, 40, marked(3, nil))                                               // outside of the page
	s.rect(0, 0, 10, 10, marked(4, nil))                                                 // covers
	s.rect(0, 0, 5, 5, marked(5, func(p *planes.Paint) { p.Alpha = 0 }))                 // wholly transparent
	s.rect(0, 0, 5, 5, marked(6, func(p *planes.Paint) { p.Alpha = 20 }))                // nearly so
	s.rect(0, 0, 20, 20, marked(7, func(p *planes.Paint) { p.Planes = planes.Process })) // overprints, so it hides nothing
	visible := s.Visible()
	for number, want := range map[uint32]bool{0: true, 1: false, 2: true, 3: false, 4: true, 5: false, 6: true, 7: true, 99: false} {
		if _, got := visible(number); got != want {
			t.Errorf("mark %d visible: %t, want %t", number, got, want)
		}
	}
	for number, want := range map[uint32]image.Rectangle{2: image.Rect(2, 2, 12, 8), 6: {}, 7: image.Rect(0, 0, 20, 20)} {
		if got, _ := visible(number); got != want {
			t.Errorf("mark %d paints %v, want %v", number, got, want)
		}
	}
}

func TestMeasureAddsUpInks(t *testing.T) {
	t.Parallel()
	s := newScene()
	s.rect(0, 0, 10, 20, solid(ink(255, 255, 0, 0, 0)))
	s.rect(0, 0, 2, 2, solid(ink(255, 255, 255, 255, 255)))
	m := s.Measure(image.Rect(0, 0, 20, 20), 10)
	if m.Pixels != 400 || m.Sum[planes.Cyan] != 200*255 || m.Sum[planes.Black] != 4*255 || m.Highest[planes.Yellow] != 255 {
		t.Errorf("%d pixels, sums %v, highest %v", m.Pixels, m.Sum, m.Highest)
	}
	if m.Totals[0] != 200 || m.Totals[200] != 196 || m.Totals[500] != 4 {
		t.Errorf("pixels with 0, 200 and 500 %%: %d, %d, %d", m.Totals[0], m.Totals[200], m.Totals[500])
	}
	if diff := cmp.Diff([]uint16{500, 0, 200, 0}, m.Cells); diff != "" {
		t.Errorf("cells (-want +got):\n%s", diff)
	}
}

func TestTransparentPixelsOfAnImageHaveNoColour(t *testing.T) {
	t.Parallel()
	// Columns are opaque and black, or transparent and white.
	stripes := &planes.Bitmap{Width: 40, Height: 40, Alpha: make([]uint8, 1600)}
	stripes.Amounts[0] = make([]uint8, 1600)
	for i := 0; i < 1600; i += 2 {
		stripes.Amounts[0][i], stripes.Alpha[i] = 255, 255
	}
	for name, repeat := range map[string]bool{"an image": false, "the cell of a pattern": true} {
		s := newScene()
		s.Draw(&planes.Sampler{Bitmap: stripes, Inverse: geom.Matrix{2, 0, 0, 2, 0, 0}, Repeat: repeat}, nil, s.page, solid(planes.Amounts{}))
		if got := s.at(10, 7)[0]; got < 126 || got > 129 {
			t.Errorf("%s: half of a pixel is black and half transparent, and it has %d, want 128", name, got)
		}
	}
}

// TestShapesTogether paints shapes and images in more batches than wait, and one after the other. Each shape crosses
// several bands.
func TestShapesTogether(t *testing.T) {
	t.Parallel()
	const side, shapes = 200, 20_000
	random := rand.New(rand.NewPCG(1, 2))
	paths, paints := make([]geom.Path, shapes), make([]planes.Paint, shapes)
	for i := range paths {
		x, y := random.Float64()*side, random.Float64()*side
		paths[i].Move(x, y)
		for range 2 {
			paths[i].Line(x+random.NormFloat64()*7, y+random.NormFloat64()*7)
		}
		paints[i] = *solid(ink(uint8(random.IntN(256)), 0, uint8(random.IntN(256)), uint8(i%3*100), uint8(i%7*30)))
		paints[i].Mark = uint32(i + 1)
		if i%5 == 0 {
			paints[i].Planes, paints[i].Alpha = planes.Process, 200
		}
	}
	picture := &planes.Bitmap{Width: 50, Height: 50, Alpha: make([]uint8, 2500)}
	for _, plane := range []int{planes.Cyan, planes.Magenta} {
		picture.Amounts[plane] = make([]uint8, 2500)
		for i := range 2500 {
			picture.Amounts[plane][i], picture.Alpha[i] = uint8(random.IntN(256)), uint8(min(random.IntN(512), 255))
		}
	}
	paint := func(together bool) *planes.Canvas {
		c := planes.New(side, side)
		clip := raster.NewClip(image.Rect(3, 3, side-3, side-3))
		for i := range paths {
			if c.Fill(&paths[i], i%2 == 0, clip, &paints[i]); i%20 == 0 {
				inverse := geom.Matrix{float64(1 + i%3), 0, 0, 1, float64(-i % 90), float64(-i % 70)}
				c.Draw(&planes.Sampler{Bitmap: picture, Inverse: inverse}, &paths[(i+7)%shapes], clip, &paints[i])
			}
			if !together {
				c.Flush()
			}
		}
		c.Flush()
		return c
	}
	one, all := paint(false), paint(true)
	for p := range planes.FirstSpot + 1 {
		for i, v := range all.Plane(p) {
			if want := one.Plane(p)[i]; max(v, want)-min(v, want) > 1 {
				t.Fatalf("plane %d has %d at pixel (%d, %d), want %d", p, v, i%side, i/side, want)
			}
		}
	}
	seen, want := all.Visible(), one.Visible()
	for mark := range uint32(shapes + 2) {
		box, visible := seen(mark)
		if wantBox, wantVisible := want(mark); box != wantBox || visible != wantVisible {
			t.Errorf("mark %d: visible %t in %v, want %t in %v", mark, visible, box, wantVisible, wantBox)
		}
	}
	if again := paint(true); again.Work() != all.Work() {
		t.Errorf("the same shapes are work of %d and %d", all.Work(), again.Work())
	}
}

func TestPanicOfAPainterIsThatOfTheCaller(t *testing.T) {
	t.Parallel()
	s := newScene()
	// A mask without its pixels.
	broken := change(solid(ink(255, 0, 0, 0, 0)), func(p *planes.Paint) { p.Soft = &planes.Soft{Mask: &raster.Mask{Box: s.Box()}} })
	for range 100 {
		s.rect(0, 0, 20, 20, broken)
	}
	defer func() {
		if recover() == nil {
			t.Error("Flush returned, want the panic of the painters")
		}
	}()
	s.Flush()
}
