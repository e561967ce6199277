// SPDX-License-Identifier: Apache-2.0

package pdftest

import "math"

// solid holds the colours of the solid inks and their overprints in CIELAB, relative to the paper:
// about those of offset on coated paper (ISO 12647-2:2013, print substrate 1). The bits of the index
// are cyan, magenta, yellow and black, from the highest to the lowest.
var solid = [16][3]float64{
	{100, 0, 0},
	{16, 0, 0},
	{94, -5, 97},
	{15, 0, 8},
	{50, 77, 0},
	{10, 8, 0},
	{49, 70, 50},
	{10, 7, 5},
	{58, -38, -48},
	{11, -5, -8},
	{52, -68, 29},
	{10, -8, 4},
	{25, 21, -44},
	{7, 3, -6},
	{24, 0, 2},
	{4, 0, 0},
} // constant

// measured returns the colour of inks from 0 to 1, as a table of two grid points interpolates it.
func measured(inks [4]float64) (lab [3]float64) {
	for i, corner := range solid {
		weight := 1.0
		for channel, amount := range inks {
			if i>>(3-channel)&1 == 0 {
				amount = 1 - amount
			}
			weight *= amount
		}
		for k := range lab {
			lab[k] += weight * corner[k]
		}
	}
	return lab
}

// separated returns the inks that come closest to a colour, with as much black as costs no more than
// a difference of 2.
func separated(lab [3]float64) (best [4]float64) {
	least := math.Inf(1)
	for black := 0.0; black <= 1; black += 0.25 {
		inks, distance := matched(lab, black)
		if distance <= max(least, 2) {
			best = inks
		}
		least = min(least, distance)
	}
	return best
}

// matched finds cyan, magenta and yellow for an amount of black by coordinate descent: the colour is
// linear in each ink alone.
func matched(lab [3]float64, black float64) (inks [4]float64, distance float64) {
	inks = [4]float64{0.5, 0.5, 0.5, black}
	for range 12 {
		for channel := range 3 {
			none, full := inks, inks
			none[channel], full[channel] = 0, 1
			from, to := measured(none), measured(full)
			along, length := 0.0, 0.0
			for k := range lab {
				along += (lab[k] - from[k]) * (to[k] - from[k])
				length += (to[k] - from[k]) * (to[k] - from[k])
			}
			inks[channel] = min(1, max(0, along/max(length, 1e-9)))
		}
	}
	got := measured(inks)
	return inks, math.Sqrt(sq(lab[0]-got[0]) + sq(lab[1]-got[1]) + sq(lab[2]-got[2]))
}

func sq(x float64) float64 { return x * x }

// pressTables returns the contents of the tables A2B0 and B2A0: 2 grid points for each ink, and
// separationGrid for each axis of CIELAB.
func pressTables() (toLab, toInks []byte) {
	for _, lab := range solid {
		toLab = append(toLab, byte(math.Round(lab[0]*2.55)), byte(128+lab[1]), byte(128+lab[2]))
	}
	at := func(i int) float64 { return 255 * float64(i) / (separationGrid - 1) }
	for l := range separationGrid {
		for a := range separationGrid {
			for b := range separationGrid {
				for _, ink := range separated([3]float64{at(l) / 2.55, at(a) - 128, at(b) - 128}) {
					toInks = append(toInks, byte(math.Round(255*ink)))
				}
			}
		}
	}
	return toLab, toInks
}

// separationGrid is odd, so that a grid point is nearly neutral.
const separationGrid = 9
