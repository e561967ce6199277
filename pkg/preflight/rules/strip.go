// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"math"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
)

// pictures joins the strips and tiles into which programs cut large images, so that rules see
// each picture in its whole size. Programs write the strips of a picture one after the other,
// and the tiles of a row before those of the next row.
func pictures(images []facts.Image) []facts.Image {
	joined := make([]facts.Image, 0, len(images))
	for i := range images {
		joined = append(joined, images[i])
		// The last tile of a row completes a strip below the rows before.
		for n := len(joined); n > 1 && extend(&joined[n-2], &joined[n-1]); n-- {
			joined = joined[:n-1]
		}
	}
	return joined
}

// extend adds a strip to a picture if both have the same kind and resolution and touch along a
// whole edge.
func extend(picture, strip *facts.Image) bool {
	if picture.Page != strip.Page || picture.Hidden || strip.Hidden || picture.Soft || strip.Soft || picture.Mask != strip.Mask ||
		picture.Bits != strip.Bits || picture.Components != strip.Components || picture.ColorSpace != strip.ColorSpace ||
		!same(picture.PPIX, strip.PPIX, picture.PPIX/50) || !same(picture.PPIY, strip.PPIY, picture.PPIY/50) || picture.PPI() <= 0 {
		return false
	}
	// Programs round the edges of strips, and let some overlap by a pixel.
	slack := 1.5 * 72 / picture.PPI()
	a, b := picture.Box, strip.Box
	switch {
	case follow(a[1], a[3], b[1], b[3], slack) && same(a[0], b[0], slack) && same(a[2], b[2], slack) && picture.Width == strip.Width:
		picture.Height += strip.Height
	case follow(a[0], a[2], b[0], b[2], slack) && same(a[1], b[1], slack) && same(a[3], b[3], slack) && picture.Height == strip.Height:
		picture.Width += strip.Width
	default:
		return false
	}
	picture.Box = geom.Rect{min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3])}
	picture.Flat = picture.Flat && strip.Flat
	return true
}

// follow reports whether one of two ranges ends where the other starts.
func follow(low, high, otherLow, otherHigh, slack float64) bool {
	apart := math.Abs(low+high-otherLow-otherHigh) > min(high-low, otherHigh-otherLow)
	return apart && (same(low, otherHigh, slack) || same(otherLow, high, slack))
}

func same(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance }
