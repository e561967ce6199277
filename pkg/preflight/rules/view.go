// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
)

// view is the page of the marks.
type view struct {
	number int
	// unit is the size of a unit of user space in millimetres.
	unit float64
	// finished is the page after cutting; area is the finished page with its bleed,
	// which is judged.
	finished, area geom.Rect
	// read is true at the end of the page. ink is the ink on it then; nil if it was not
	// measured.
	read bool
	ink  *facts.InkMap
	// crossing lists the boxes of marks that cross the edge of the finished page and do not
	// fill it; crowded is true when some were omitted.
	crossing []geom.Rect
	crowded  bool
	// grounds lists the boxes of areas and images that were painted before; covered is true when some
	// were omitted. They are kept only if grounded is set, for the rules about DeviceGray.
	grounds           []geom.Rect
	covered, grounded bool
	// roles are those of the inks.
	roles *facts.Roles
	// rules are those that the profile selects.
	rules map[string]profile.Setting
}

// selects reports whether the profile selects a rule, such as one that judges a part of the marks of
// another.
func (v *view) selects(id string) bool {
	_, ok := v.rules[id]
	return ok
}

// maxCrossing bounds the kept boxes of marks that cross the edge.
const maxCrossing = 1000

// cross keeps the box of a mark that crosses the edge.
func (v *view) cross(m *facts.Mark) {
	if m.Paint.White || v.finished.Contains(m.Box, 0) || m.Box.Contains(v.finished, 0) {
		return
	}
	if len(v.crossing) >= maxCrossing {
		v.crowded = true
		return
	}
	v.crossing = append(v.crossing, m.Box)
}

// ground keeps the box of an area or an image, on which later marks may lie.
func (v *view) ground(m *facts.Mark) {
	if !v.grounded || m.Paint.White || (fill|picture|stencil|shading)&(1<<slotOf(m)) == 0 {
		return
	}
	if v.covered = v.covered || len(v.grounds) >= maxCrossing; !v.covered {
		v.grounds = append(v.grounds, m.Box)
	}
}

// touch is [geom.Rect.Touches] without copies: it runs for every mark.
func touch(a, b *geom.Rect) bool {
	return a[0] <= b[2] && b[0] <= a[2] && a[1] <= b[3] && b[1] <= a[3]
}

// slots is a set of kinds of marks, a bit for each.
type slots uint

// The slots. Outlines have slots of their own, because rules treat them as lines.
const (
	fill slots = 1 << iota
	stroke
	glyph
	glyphOutline
	picture
	stencil
	shading
	slotCount = iota

	everyText = glyph | glyphOutline
	flat      = fill | stroke | everyText | stencil
	anything  = flat | picture | shading
)

// slotOf returns the bit of a mark in a set.
func slotOf(m *facts.Mark) int {
	switch m.Kind {
	case facts.Path:
		if m.Stroked {
			return 1
		}
		return 0
	case facts.Text:
		if m.Stroked {
			return 3
		}
		return 2
	case facts.Picture:
		return 4
	case facts.Stencil:
		return 5
	case facts.Shading:
		return 6
	}
	return 0
}
