// SPDX-License-Identifier: Apache-2.0

package costing

import "github.com/printmarket/printmarket/internal/money"

// Number exports number to tests.
func Number(text string) (money.Decimal, bool) { return number(text) }

// Micrometres exports fromPoints to tests.
func Micrometres(text string) int64 {
	points, _ := number(text)
	return fromPoints(points)
}

// Most returns the number of pieces of the fullest layout and of the fullest mirrored
// layout of an area, with the orientations that the grain direction allows.
func Most(areaX, areaY, x, y, gutter int64, upright, turned, same bool) (full, even int64) {
	p := pieces{size: rectangle{x, y}, gutter: gutter, upright: upright, turned: turned, same: same}
	return p.fullest(rectangle{areaX, areaY}).up, p.even(rectangle{areaX, areaY}).up
}
