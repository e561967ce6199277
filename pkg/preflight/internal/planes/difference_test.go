// SPDX-License-Identifier: Apache-2.0

package planes_test

import (
	"image"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/internal/planes"
)

// page returns a page of one ink that covers a rectangle of its 40 x 40 pixels, aligned at a corner.
func page(amount uint8, ink image.Rectangle, left, top float64) *planes.Page {
	const side = 40
	plane := make([]uint8, side*side)
	for y := ink.Min.Y; y < ink.Max.Y; y++ {
		for x := ink.Min.X; x < ink.Max.X; x++ {
			plane[y*side+x] = amount
		}
	}
	return &planes.Page{Device: geom.Identity(), Left: left, Top: top, Width: side, Height: side, Planes: map[string][]uint8{"Cyan": plane}}
}

func TestCompareReportsWhatDiffersByMoreThanAPixel(t *testing.T) {
	t.Parallel()
	ink := image.Rect(10, 10, 20, 20)
	base := page(255, ink, 0, 0)
	limited := page(255, image.Rect(10, 10, 30, 20), 0, 0)
	limited.Limit(geom.Rect{0.2, 0.2, 19.8, 39})
	tests := map[string]struct {
		after *planes.Page
		want  int // pixels
	}{
		"the same page":                     {base, 0},
		"ink that is moved by a pixel":      {page(255, ink.Add(image.Pt(1, 1)), 0, 0), 0},
		"a page that is placed elsewhere":   {page(255, ink.Add(image.Pt(7, 9)), 7, 9), 0},
		"an amount that is rounded":         {page(250, ink, 0, 0), 0},
		"an amount that is less by 10 %":    {page(229, ink, 0, 0), 64},
		"ink that is wider by ten pixels":   {page(255, image.Rect(10, 10, 30, 20), 0, 0), 64},
		"the same, outside of the limit":    {limited, 0},
		"ink that is gone":                  {page(0, ink, 0, 0), 64},
		"a single pixel is no difference":   {page(255, image.Rect(10, 10, 20, 21), 0, 0), 0},
		"a page on which the ink is absent": {&planes.Page{Device: geom.Identity(), Width: 40, Height: 40}, 64},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := 0
			for _, found := range planes.Compare(base, tc.after).Inks {
				got += found.Pixels
			}
			if got != tc.want {
				t.Errorf("%d pixels differ, want %d", got, tc.want)
			}
		})
	}
}

func TestRegionsAreGroupsOfNeighbours(t *testing.T) {
	t.Parallel()
	empty := page(0, image.Rectangle{}, 0, 0)
	after := page(255, image.Rect(0, 0, 6, 6), 0, 0)
	for y := 30; y < 38; y++ {
		for x := 24; x < 40; x++ {
			after.Planes["Cyan"][y*40+x] = 255
		}
	}
	want := []planes.Region{{Box: image.Rect(24, 24, 40, 40), Pixels: 84}, {Box: image.Rect(0, 0, 8, 8), Pixels: 16}}
	if diff := cmp.Diff(want, planes.Compare(empty, after).Regions); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
