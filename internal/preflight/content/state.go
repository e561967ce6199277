// SPDX-License-Identifier: Apache-2.0

package content

import (
	"github.com/printmarket/printmarket/internal/preflight/geom"
)

// state is what q saves and Q restores.
type state struct {
	ctm geom.Matrix
	// clip is a box around the clipping path, so it may be too large but never
	// too small.
	clip         geom.Rect
	fill, stroke color
	font         *font
	size         float64
	stretch      float64
	rise         float64
	// mode is the text rendering mode.
	mode int
}

func initial(clip geom.Rect) state {
	return state{ctm: geom.Identity(), clip: clip, fill: black(), stroke: black(), stretch: 1}
}

// text holds the matrices between BT and ET.
type text struct {
	matrix, line geom.Matrix
	leading      float64
}

// path is the current path, of which only the box matters.
type path struct {
	box   geom.Rect
	drawn bool
	// clips is set by W until the path is painted.
	clips bool
}

func (p *path) reset() { *p = path{box: geom.Nothing()} }

// add takes a point in user space.
func (p *path) add(m geom.Matrix, x, y float64) {
	px, py := m.Point(x, y)
	p.box = p.box.Add(px, py)
	p.drawn = true
}

// number is the i-th operand, or 0.
func (f *frame) number(i int) float64 {
	if i < len(f.operands) {
		return f.operands[i].Value
	}
	return 0
}

// name is the i-th operand from the end, or "".
func (f *frame) lastName() string {
	if n := len(f.operands); n > 0 {
		return string(f.operands[n-1].Text)
	}
	return ""
}

// matrix is six operands.
func (f *frame) matrix() geom.Matrix {
	var m geom.Matrix
	for i := range m {
		m[i] = f.number(i)
	}
	return m
}
