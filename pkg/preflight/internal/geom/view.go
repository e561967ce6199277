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

// The measures of close-ups: leastPart is the least height in points, CloseUpRatio the width divided by the
// height, around the part of a place that is shown on each side of it, and elongated how many times longer
// than wide a place is shown as a whole.
const (
	leastPart    = 64
	CloseUpRatio = 4.0 / 3
	around       = 0.5
	elongated    = 8
)

// CloseUp returns the part of a page around a place, both with the top left corner of the page at the origin
// and y down. It is as large as the place requires, in the proportions of all close-ups, so it reaches beyond
// a page of other proportions. Of a place that is long and thin, such as a line of text, it shows the
// beginning, since details of the whole would be too small.
func CloseUp(place Rect, width, height float64) Rect {
	length := max(elongated*min(place.Width(), place.Height()), leastPart/2)
	place[2], place[3] = min(place[2], place[0]+length), min(place[3], place[1]+length)
	h := max(place.Height()*(1+2*around), place.Width()*(1+2*around)/CloseUpRatio, leastPart)
	if h > height && h*CloseUpRatio > width {
		h = max(height, width/CloseUpRatio)
	}
	w := h * CloseUpRatio
	inside := func(middle, size, whole float64) float64 {
		if size >= whole {
			return (whole - size) / 2
		}
		return min(max(middle-size/2, 0), whole-size)
	}
	x, y := inside((place[0]+place[2])/2, w, width), inside((place[1]+place[3])/2, h, height)
	return Rect{x, y, x + w, y + h}
}
