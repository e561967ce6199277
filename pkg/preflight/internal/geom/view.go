// SPDX-License-Identifier: Apache-2.0

package geom

// View returns the matrix from the default user space of a page to the page as a viewer
// shows it: points of 1/72 inch on paper, rotated clockwise by 0, 90, 180 or 270 degrees,
// with the lower left corner of the media at the origin. unit is the UserUnit (ISO
// 32000-2, 14.11.2 and table 31).
func View(media Rect, rotate int, unit float64) Matrix {
	m, u := media, unit
	switch rotate {
	case 90:
		return Matrix{0, -u, u, 0, -m[1] * u, m[2] * u}
	case 180:
		return Matrix{-u, 0, 0, -u, m[2] * u, m[3] * u}
	case 270:
		return Matrix{0, u, -u, 0, m[3] * u, -m[0] * u}
	}
	return Matrix{u, 0, 0, u, -m[0] * u, -m[1] * u}
}
