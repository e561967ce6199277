// SPDX-License-Identifier: Apache-2.0

package rules_test

import (
	"fmt"
	"testing"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
)

// strip places a part of a picture of 50 ppi, with its position and size in pixels.
func strip(x, y, width, height int, f func(*facts.Image)) change {
	return image(50, func(i *facts.Image) {
		const pixel = 72.0 / 50
		i.Object, i.Width, i.Height = fmt.Sprintf("%d 0 R", 10+x+100*y), width, height
		i.Box = geom.Rect{100 + float64(x)*pixel, 300 - float64(y+height)*pixel, 100 + float64(x+width)*pixel, 300 - float64(y)*pixel}
		if f != nil {
			f(i)
		}
	})
}

func TestStripsOfAPictureAreOneImage(t *testing.T) {
	t.Parallel()
	strips := func(f func(*facts.Image)) []change {
		return []change{strip(0, 0, 100, 15, nil), strip(0, 15, 100, 15, f), strip(0, 30, 100, 15, nil)}
	}
	for sentence, test := range map[string]struct {
		images []change
		want   []string
	}{
		"three strips from the top": {strips(nil), []string{"100 x 45"}},
		"three strips from the bottom": {
			[]change{strip(0, 30, 100, 15, nil), strip(0, 15, 100, 15, nil), strip(0, 0, 100, 15, nil)}, []string{"100 x 45"},
		},
		"strips of one colour in a picture": {strips(func(i *facts.Image) { i.Flat = true }), []string{"100 x 45"}},
		"rows of tiles": {
			[]change{
				strip(0, 0, 15, 15, nil), strip(15, 0, 15, 15, nil), strip(0, 15, 15, 15, nil), strip(15, 15, 15, 15, nil),
			}, []string{"30 x 30"},
		},
		"strips that overlap by a pixel":      {[]change{strip(0, 0, 100, 15, nil), strip(0, 14, 100, 15, nil)}, []string{"100 x 30"}},
		"one strip is too small to be judged": {[]change{strip(0, 0, 100, 15, nil)}, nil},
		"strips with a gap are no picture":    {[]change{strip(0, 0, 100, 15, nil), strip(0, 20, 100, 15, nil)}, nil},
		"strips of other colours are none":    {strips(func(i *facts.Image) { i.ColorSpace = "DeviceRGB" }), nil},
		"strips of another resolution":        {strips(func(i *facts.Image) { i.PPIX = 75 }), nil},
		"strips beside each other":            {[]change{strip(0, 0, 15, 40, nil), strip(15, 0, 15, 40, nil)}, []string{"30 x 40"}},
		"two pictures": {
			[]change{strip(0, 0, 40, 40, nil), strip(60, 0, 40, 40, nil)}, []string{"40 x 40", "40 x 40"},
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			got := sound(test.images...).judge(only("image.ppi_low", 150)).Findings
			if len(got) != len(test.want) {
				t.Fatalf("%d findings, want %d: %+v", len(got), len(test.want), got)
			}
			for i, size := range test.want {
				if want := "An image of " + size + " pixels is placed at 50 ppi; the minimum is 150 ppi."; got[i].Message != want {
					t.Errorf("message %q, want %q", got[i].Message, want)
				}
			}
		})
	}
}
