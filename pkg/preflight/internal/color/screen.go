// SPDX-License-Identifier: Apache-2.0

package color

// primaries holds the colours of the overprints of the process inks on coated offset paper in sRGB,
// about those of FOGRA39 on white paper. Bits 0 to 3 of the index stand for cyan, magenta, yellow and
// black.
var primaries = [16][3]float64{
	{255, 255, 255},
	{0, 158, 224},
	{230, 0, 126},
	{46, 48, 138},
	{255, 237, 0},
	{0, 150, 64},
	{227, 6, 19},
	{58, 54, 52},
	{30, 29, 28},
	{4, 20, 28},
	{29, 6, 16},
	{8, 8, 18},
	{29, 27, 4},
	{4, 19, 9},
	{28, 5, 6},
	{9, 8, 8},
} // constant

// estimated returns process inks in sRGB, by the model of Neugebauer: the mean of the primaries, each
// with the share of the paper that it covers. The mean of values with the gamma of sRGB has the dot
// gain of usual screens.
func estimated(inks []float64) [3]float64 {
	var out [3]float64
	for i, primary := range primaries {
		weight := 1.0
		for ink, amount := range inks[:4] {
			if i>>ink&1 == 1 {
				weight *= amount
			} else {
				weight *= 1 - amount
			}
		}
		for c, v := range primary {
			out[c] += weight * v / 255
		}
	}
	return out
}

// Screen returns a table that converts amounts of the process inks to sRGB, by the output profile or
// else by an estimate for coated offset paper. The fourth value of its results has no meaning.
func (o *Output) Screen() *Table {
	if o.screen == nil {
		o.screen = newTable(newCube(4, func(inks []float64) [4]float64 {
			rgb := estimated(inks)
			if o.source != nil {
				rgb = o.profiled(inks)
			}
			return [4]float64{rgb[0], rgb[1], rgb[2]}
		}))
	}
	return o.screen
}

// SpotOnScreen returns the full tint of a spot colour in sRGB, by its colour in its alternate space.
// A colour that is unknown is a medium grey.
func (o *Output) SpotOnScreen(space string, full []float64) [3]uint8 {
	rgb := [3]float64{0.5, 0.5, 0.5}
	switch len(full) {
	case 1:
		rgb = [3]float64{full[0], full[0], full[0]}
	case 3:
		if rgb = [3]float64(full); space == Lab {
			rgb = xyzToSRGB(labToXYZ(rgb))
		}
	case 4:
		var inks [4]uint8
		for i, v := range full {
			inks[i] = uint8(share(v)*255 + 0.5)
		}
		made := o.Screen().Amounts(inks[:])
		return [3]uint8(made[:3])
	}
	var out [3]uint8
	for i, v := range rgb {
		out[i] = uint8(share(v)*255 + 0.5)
	}
	return out
}
