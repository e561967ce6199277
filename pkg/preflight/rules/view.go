// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
)

// view is the page that marks are on.
type view struct {
	number int
	// unit is the size of a unit of user space in millimetres.
	unit float64
	// finished is the page as it is cut, area what is judged: the finished page
	// and its bleed.
	finished, area geom.Rect
}

func newView(page *facts.Page) view {
	v := view{number: page.Number, unit: geom.Millimetres(page.UserUnit), finished: page.Finished()}
	v.area = v.finished
	if page.Bleed != nil {
		v.area = page.BleedArea()
	}
	return v
}

// matters leaves out what is cut off: marks beyond the bleed, and printer's
// marks, which are in the registration colour and often reach into it.
func (v *view) matters(m *facts.Mark) bool {
	return touch(&m.Box, &v.area) && (!registration(&m.Paint) || touch(&m.Box, &v.finished))
}

// touch is [geom.Rect.Touches] without copies: it is asked for every mark.
func touch(a, b *geom.Rect) bool {
	return a[0] <= b[2] && b[0] <= a[2] && a[1] <= b[3] && b[1] <= a[3]
}

// slots is a set of kinds of marks, a bit for each.
type slots uint

// The slots. Outlines are apart, because they are what lines are.
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

// slotOf is the place of a mark in a set.
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
