// SPDX-License-Identifier: Apache-2.0

// Package geom provides the plane geometry of pages: rectangles and the six-number
// matrices of PDF (ISO 32000-2, 8.3.3).
package geom

import "math"

// Rect is left, bottom, right, top. It is empty unless left < right and
// bottom < top.
type Rect [4]float64

// Everything returns the rectangle that clips nothing.
func Everything() Rect {
	return Rect{-math.MaxFloat64, -math.MaxFloat64, math.MaxFloat64, math.MaxFloat64}
}

// Nothing returns the empty rectangle that [Rect.Add] starts from.
func Nothing() Rect {
	return Rect{math.MaxFloat64, math.MaxFloat64, -math.MaxFloat64, -math.MaxFloat64}
}

// Normal orders the corners: a PDF may give any two opposite ones.
func (r Rect) Normal() Rect {
	return Rect{min(r[0], r[2]), min(r[1], r[3]), max(r[0], r[2]), max(r[1], r[3])}
}

// Empty reports whether the rectangle has no area.
func (r Rect) Empty() bool { return !(r[0] < r[2] && r[1] < r[3]) }

// Width returns the extent from left to right.
func (r Rect) Width() float64 { return r[2] - r[0] }

// Height returns the extent from bottom to top.
func (r Rect) Height() float64 { return r[3] - r[1] }

// Intersect returns the part that both cover.
func (r Rect) Intersect(o Rect) Rect {
	return Rect{max(r[0], o[0]), max(r[1], o[1]), min(r[2], o[2]), min(r[3], o[3])}
}

// Touches reports whether the two have a point in common. A box may be a line without
// area, like that of a hairline.
func (r Rect) Touches(o Rect) bool {
	i := r.Intersect(o)
	return i[0] <= i[2] && i[1] <= i[3]
}

// Add returns the rectangle extended to a point.
func (r Rect) Add(x, y float64) Rect {
	return Rect{min(r[0], x), min(r[1], y), max(r[2], x), max(r[3], y)}
}

// Contains reports whether o lies inside r, with the given tolerance.
func (r Rect) Contains(o Rect, slack float64) bool {
	return o[0] >= r[0]-slack && o[1] >= r[1]-slack && o[2] <= r[2]+slack && o[3] <= r[3]+slack
}

// Finite reports whether all corners are numbers of at most 1e9.
func (r Rect) Finite() bool {
	for _, v := range r {
		if math.IsNaN(v) || math.Abs(v) > 1e9 {
			return false
		}
	}
	return true
}

// Matrix maps (x, y) to (ax+cy+e, bx+dy+f); its members are a b c d e f.
type Matrix [6]float64

// Identity returns the matrix that leaves points unchanged.
func Identity() Matrix { return Matrix{1, 0, 0, 1, 0, 0} }

// Then returns the matrix that applies m first and o after it: the product m x o of the
// PDF specification.
func (m Matrix) Then(o Matrix) Matrix {
	return Matrix{
		m[0]*o[0] + m[1]*o[2], m[0]*o[1] + m[1]*o[3],
		m[2]*o[0] + m[3]*o[2], m[2]*o[1] + m[3]*o[3],
		m[4]*o[0] + m[5]*o[2] + o[4], m[4]*o[1] + m[5]*o[3] + o[5],
	}
}

// Point maps one point.
func (m Matrix) Point(x, y float64) (float64, float64) {
	return m[0]*x + m[2]*y + m[4], m[1]*x + m[3]*y + m[5]
}

// Rect returns the smallest upright rectangle around the image of r.
func (m Matrix) Rect(r Rect) Rect {
	out := Nothing()
	for _, c := range [4][2]float64{{r[0], r[1]}, {r[2], r[1]}, {r[0], r[3]}, {r[2], r[3]}} {
		x, y := m.Point(c[0], c[1])
		out = out.Add(x, y)
	}
	return out
}

// Scale returns the lengths of the images of the two unit vectors.
func (m Matrix) Scale() (x, y float64) {
	return math.Hypot(m[0], m[1]), math.Hypot(m[2], m[3])
}

// Round rounds to a number of decimals. NaN and infinities become 0, so that JSON can
// represent the result.
func Round(v float64, decimals int) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	p := math.Pow10(decimals)
	if r := math.Round(v*p) / p; !math.IsInf(r, 0) {
		return r + 0 // converts -0 to 0
	}
	return 0
}

// Millimetres converts from points.
func Millimetres(points float64) float64 { return points * 25.4 / 72 }

// Area returns the area of the rectangle, 0 when it is empty.
func (r Rect) Area() float64 {
	if r.Empty() {
		return 0
	}
	return r.Width() * r.Height()
}

// Grow returns the rectangle with every side moved outwards by d.
func (r Rect) Grow(d float64) Rect { return Rect{r[0] - d, r[1] - d, r[2] + d, r[3] + d} }

// Union returns the smallest rectangle around both.
func (r Rect) Union(o Rect) Rect {
	return Rect{min(r[0], o[0]), min(r[1], o[1]), max(r[2], o[2]), max(r[3], o[3])}
}

// Area returns the factor by which the matrix enlarges areas.
func (m Matrix) Area() float64 { return math.Abs(m[0]*m[3] - m[1]*m[2]) }

// Stretch returns the least and the greatest length of the images of all unit vectors:
// the singular values of the matrix.
func (m Matrix) Stretch() (least, greatest float64) {
	if m[1] == 0 && m[2] == 0 {
		x, y := math.Abs(m[0]), math.Abs(m[3])
		return min(x, y), max(x, y)
	}
	sum := m[0]*m[0] + m[1]*m[1] + m[2]*m[2] + m[3]*m[3]
	det := m.Area()
	root := math.Sqrt(max(0, sum*sum-4*det*det))
	greatest = math.Sqrt((sum + root) / 2)
	if greatest == 0 {
		return 0, 0
	}
	return det / greatest, greatest
}

// Invert returns the inverse of m; false when there is none.
func (m Matrix) Invert() (Matrix, bool) {
	det := m[0]*m[3] - m[1]*m[2]
	if det == 0 || math.IsNaN(det) || math.IsInf(det, 0) {
		return Identity(), false
	}
	return Matrix{
		m[3] / det, -m[1] / det, -m[2] / det, m[0] / det,
		(m[2]*m[5] - m[3]*m[4]) / det, (m[1]*m[4] - m[0]*m[5]) / det,
	}, true
}
