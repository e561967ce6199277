// SPDX-License-Identifier: Apache-2.0

package costing

import "github.com/printmarket/printmarket/internal/masterdata/fixed"

// Number is for the test of numbers.
func Number(text string) (fixed.Decimal, bool) { return number(text) }

// Micrometres is for the test of points.
func Micrometres(text string) int64 {
	points, _ := number(text)
	return fromPoints(points)
}

// Most is how many pieces of a size a layout finds on an area, and how many in
// mirrored grids, with what the fibres allow.
func Most(areaX, areaY, x, y, gutter int64, upright, turned, same bool) (full, even int64) {
	p := pieces{size: rectangle{x, y}, gutter: gutter, upright: upright, turned: turned, same: same}
	return p.fullest(rectangle{areaX, areaY}).up, p.even(rectangle{areaX, areaY}).up
}
