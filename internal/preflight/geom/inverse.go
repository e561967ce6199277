// SPDX-License-Identifier: Apache-2.0

package geom

import "math"

// Inverse undoes a matrix; ok is false for one that maps the plane onto a line or
// a point.
func (m Matrix) Inverse() (inverse Matrix, ok bool) {
	det := m[0]*m[3] - m[1]*m[2]
	if det == 0 || math.IsNaN(det) {
		return Matrix{}, false
	}
	return Matrix{
		m[3] / det, -m[1] / det, -m[2] / det, m[0] / det,
		(m[2]*m[5] - m[3]*m[4]) / det, (m[1]*m[4] - m[0]*m[5]) / det,
	}, true
}
