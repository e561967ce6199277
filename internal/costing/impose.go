// SPDX-License-Identifier: Apache-2.0

package costing

// rectangle is a size in micrometres.
type rectangle struct{ x, y int64 }

func (r rectangle) turned() rectangle { return rectangle{r.y, r.x} }

// within reports whether r fits into other without being turned.
func (r rectangle) within(other rectangle) bool { return r.x <= other.x && r.y <= other.y }

// pieces describes the pieces to lay out: their size with bleed, the gutter between two
// pieces, and the allowed orientations.
type pieces struct {
	size   rectangle
	gutter int64
	// shared: neighbours have no bleed and no gutter, so that one cut serves both.
	shared bool
	// upright and turned are the orientations that the grain direction allows.
	upright, turned bool
	// same: all pieces have the same orientation.
	same bool
}

// block is a grid of pieces.
type block struct {
	columns, rows int64
	// turned: the pieces lie on their side.
	turned bool
}

func (b block) count() int64 { return b.columns * b.rows }

// layout is one block, or two blocks that a single cut separates.
type layout struct {
	first, second block
	up, cuts      int64
}

// better prefers more pieces, and then fewer cuts.
func (l *layout) better(other *layout) bool {
	if l.up != other.up {
		return l.up > other.up
	}
	return l.up > 0 && l.cuts < other.cuts
}

// along returns the number of pieces of a length that fit side by side.
func along(room, length, gutter int64) int64 {
	if length > room {
		return 0
	}
	return (room + gutter) / (length + gutter)
}

// cutsOf returns the number of cuts that separate the pieces of a block: two for each row
// and column, or one between neighbours that share a cut.
func (p *pieces) cutsOf(b block) int64 {
	if b.count() == 0 {
		return 0
	}
	if p.shared {
		return b.columns + b.rows + 2
	}
	return 2 * (b.columns + b.rows)
}

// layout combines two blocks, of which the second may be empty.
func (p *pieces) layout(first, second block) layout {
	l := layout{first: first, second: second, up: first.count() + second.count(), cuts: p.cutsOf(first) + p.cutsOf(second)}
	if second.count() > 0 {
		l.cuts++
	}
	return l
}

// grid returns the block with the most pieces in an area, in one orientation.
func (p *pieces) grid(area rectangle, turned bool) block {
	size := p.size
	if turned {
		size = size.turned()
	}
	return block{along(area.x, size.x, p.gutter), along(area.y, size.y, p.gutter), turned}
}

// fullest returns the layout with the most pieces: a grid in either orientation, or a grid
// beside or above one in the other orientation.
func (p *pieces) fullest(area rectangle) layout {
	var best layout
	for _, turned := range [...]bool{false, true} {
		if turned && !p.turned || !turned && !p.upright {
			continue
		}
		whole := p.grid(area, turned)
		if l := p.layout(whole, block{}); l.better(&best) {
			best = l
		}
		if p.upright && p.turned && !p.same {
			p.mixed(area, whole, &best)
		}
	}
	return best
}

// mixed tries each number of columns, and each number of rows, of a grid, with the other
// orientation in the remaining area.
func (p *pieces) mixed(area rectangle, whole block, best *layout) {
	size := p.size
	if whole.turned {
		size = size.turned()
	}
	for columns := int64(1); columns <= whole.columns; columns++ {
		rest := rectangle{area.x - columns*(size.x+p.gutter), area.y}
		if l := p.layout(block{columns, whole.rows, whole.turned}, p.grid(rest, !whole.turned)); l.better(best) {
			*best = l
		}
	}
	for rows := int64(1); rows <= whole.rows; rows++ {
		rest := rectangle{area.x, area.y - rows*(size.y+p.gutter)}
		if l := p.layout(block{whole.columns, rows, whole.turned}, p.grid(rest, !whole.turned)); l.better(best) {
			*best = l
		}
	}
}

// even returns the fullest grid that is its own mirror image. A sheet needs it if one form
// prints both sides.
func (p *pieces) even(area rectangle) layout {
	var best layout
	for _, turned := range [...]bool{false, true} {
		if turned && !p.turned || !turned && !p.upright {
			continue
		}
		b := p.grid(area, turned)
		for _, half := range [...]block{{b.columns - b.columns%2, b.rows, turned}, {b.columns, b.rows - b.rows%2, turned}} {
			if l := p.layout(half, block{}); l.better(&best) {
				best = l
			}
		}
	}
	return best
}
