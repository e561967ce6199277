// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"math"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

// The rules that are found in one look at the sizes of a layout.
const (
	dimensionNonPositive = "DIMENSION_NONPOSITIVE"
	dimensionMillimetres = "DIMENSION_LOOKS_MM"
	dimensionInches      = "DIMENSION_LOOKS_INCH"
	dimensionHuge        = "DIMENSION_HUGE"
	dimensionFlat        = "DIMENSION_FLAT_SMALLER"
)

var layoutRules = []row{
	newRow("PAGES_ODD", Semantics, lenient(), "4.10", "Pages counts both sides of each leaf and should be even.", "Count both sides of each leaf.").of("LayoutIntent", func(p *pass, n *xjdf.Node) {
		if pages, ok := integer(n, "Pages"); ok && pages > 0 && pages%2 != 0 {
			p.findf(n, "Pages", "Pages is %d, which is odd.", pages)
		}
	}),
	newRow("PAGES_NONPOSITIVE", Semantics, both(Error), "4.10", "Pages must be at least 1.", "Write the number of pages.").of("LayoutIntent", func(p *pass, n *xjdf.Node) {
		if pages, ok := integer(n, "Pages"); ok && pages <= 0 {
			p.findf(n, "Pages", "Pages is %d.", pages)
		}
	}),
	newRow("PAGES_SPREAD", Semantics, both(Info), "4.10", "Spreads require at least two leaves.", "Write SinglePage, or correct Pages.").of("LayoutIntent", func(p *pass, n *xjdf.Node) {
		spread, _ := n.Attr("SpreadType")
		if pages, ok := integer(n, "Pages"); ok && spread == "Spread" && pages > 0 && pages < 4 {
			p.findf(n, "SpreadType", "SpreadType is Spread, but Pages is %d.", pages)
		}
	}),
	newRow(dimensionNonPositive, Semantics, both(Error), "4.10", "Width and height must be greater than 0, and depth at least 0.", "Write the size in points.").of("LayoutIntent", sizes),
	newRow(dimensionMillimetres, Semantics, both(Warning), "1.10.1", "Lengths must be in points (1/72 inch).", "Multiply millimetres by 2.834646."),
	newRow(dimensionInches, Semantics, both(Warning), "1.10.1", "Lengths must be in points (1/72 inch).", "Multiply inches by 72."),
	newRow(dimensionHuge, Semantics, both(Warning), "1.10.1", "A product should be smaller than 10 m.", "Write the size in points."),
	newRow(dimensionFlat, Semantics, both(Warning), "4.10", "The flat size should be at least the finished size.", "Correct Dimensions or FinishedDimensions."),
	newRow("BLEED_LOOKS_MM", Semantics, both(Warning), "4.10", "Bleed must be in points (1/72 inch).", "Multiply millimetres by 2.834646.").of("LayoutIntent", bleedMillimetres),
} // constant

// pointsPerMillimetre follows from the point, 1/72 of 25.4 mm.
const pointsPerMillimetre = 72 / 25.4

// sizes checks the two sizes of a layout.
func sizes(p *pass, n *xjdf.Node) {
	width, height, finished := p.size(n, "FinishedDimensions")
	flatWidth, flatHeight, flat := p.size(n, "Dimensions")
	if finished && flat && flatWidth*flatHeight < width*height*0.99 {
		p.findAs(dimensionFlat, n, "Dimensions", func() (string, string) {
			return "Dimensions are smaller than FinishedDimensions.", ""
		})
	}
}

// size returns the width and the height of an attribute. It reports odd sizes.
func (p *pass) size(n *xjdf.Node, attribute string) (width, height float64, ok bool) {
	text, given := n.Attr(attribute)
	if !given {
		return 0, 0, false
	}
	numbers, count := floats(text)
	if count < 2 {
		return 0, 0, false
	}
	if numbers[0] <= 0 || numbers[1] <= 0 || numbers[2] < 0 {
		p.findAs(dimensionNonPositive, n, attribute, func() (string, string) {
			return fmt.Sprintf("%s is %s.", attribute, quoted(text)), ""
		})
		return 0, 0, false
	}
	width, height = numbers[0], numbers[1]
	switch SizeUnit(width, height) {
	case Inches:
		p.findAs(dimensionInches, n, attribute, func() (string, string) {
			return fmt.Sprintf("%s x %s looks like inches.", number(width), number(height)), inPoints(width, height, 72)
		})
	case Points:
		if max(width, height) > largest {
			p.findAs(dimensionHuge, n, attribute, func() (string, string) {
				return fmt.Sprintf("%s x %s points are more than 10 m.", number(width), number(height)), ""
			})
		}
	case Millimetres:
		p.findAs(dimensionMillimetres, n, attribute, func() (string, string) {
			return fmt.Sprintf("%s x %s looks like millimetres.", number(width), number(height)), inPoints(width, height, pointsPerMillimetre)
		})
	}
	return width, height, true
}

// Unit is a unit of length.
type Unit string

// The units. The standard writes all lengths in points.
const (
	Points      Unit = "points"
	Millimetres Unit = "millimetres"
	Inches      Unit = "inches"
)

// SizeUnit returns the unit in which the two numbers of a finished size seem to be written: points, or
// the unit in which they are a usual size that would be odd in points.
func SizeUnit(width, height float64) Unit {
	switch {
	case max(width, height) <= largestInInches:
		return Inches
	case knownSize(trimSizes[:], width, height):
		return Millimetres
	default:
		return Points
	}
}

// BleedUnit returns the unit in which a bleed seems to be written. The usual bleeds in
// millimetres would be tiny in points.
func BleedUnit(bleed float64) Unit {
	if bleed == 2 || bleed == 3 || bleed == 4 || bleed == 5 {
		return Millimetres
	}
	return Points
}

// A size whose longest side is at most largestInInches can only be in inches: 48
// points are 17 mm. No product is longer than largest.
const (
	largestInInches = 48
	largest         = 10_000 * pointsPerMillimetre
)

// trimSizes are finished sizes in millimetres, the shorter side first: those of ISO
// 216 and 269, cards, DL and similar ones, and those of North America.
var trimSizes = [...][2]float64{
	{841, 1189},
	{594, 841},
	{420, 594},
	{297, 420},
	{210, 297},
	{148, 210},
	{105, 148},
	{74, 105},
	{52, 74},
	{707, 1000},
	{500, 707},
	{353, 500},
	{250, 353},
	{176, 250},
	{125, 176},
	{88, 125},
	{229, 324},
	{162, 229},
	{114, 162},
	{110, 220},
	{99, 210},
	{100, 210},
	{105, 210},
	{210, 210},
	{148, 148},
	{105, 105},
	{55, 85},
	{54, 86},
	{50, 90},
	{54, 85},
	{55, 90},
	{170, 240},
	{135, 210},
	{155, 235},
	{216, 279},
	{216, 356},
	{140, 216},
	{102, 152},
}

// tolerance distinguishes sizes in points from sizes in millimetres: A6 in points
// (297.64 x 419.53) is within one unit of A3 in millimetres (297 x 420).
const tolerance = 0.3

func knownSize(sizes [][2]float64, width, height float64) bool {
	short, long := min(width, height), max(width, height)
	for _, one := range sizes {
		if math.Abs(short-one[0]) <= tolerance && math.Abs(long-one[1]) <= tolerance {
			return true
		}
	}
	return false
}

func inPoints(width, height, factor float64) string {
	return fmt.Sprintf("Write %.3f and %.3f.", width*factor, height*factor)
}

// bleedMillimetres reports a bleed in millimetres.
func bleedMillimetres(p *pass, n *xjdf.Node) {
	if bleed, ok := float(n, "Bleed"); ok && BleedUnit(bleed) == Millimetres {
		p.find(n, "Bleed", fmt.Sprintf("Bleed is %s points, which is %.1f mm; it looks like millimetres.", number(bleed), bleed/pointsPerMillimetre),
			fmt.Sprintf("Write %.3f.", bleed*pointsPerMillimetre))
	}
}
