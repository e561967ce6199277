// SPDX-License-Identifier: Apache-2.0

package costing

// rectangle is a size in micrometres.
type rectangle struct{ x, y int64 }

func (r rectangle) turned() rectangle { return rectangle{r.y, r.x} }

// within reports whether it fits, as it lies.
func (r rectangle) within(other rectangle) bool { return r.x <= other.x && r.y <= other.y }

// pieces is what is to be laid out: its size with bleed, what is between two of
// them, and which ways round they may lie.
type pieces struct {
	size   rectangle
	gutter int64
	// shared: neighbours have no bleed and no gutter, so that one cut serves both.
	shared bool
	// upright and turned are the ways round that the fibres allow.
	upright, turned bool
	// same: all lie the same way round.
	same bool
}

// block is a grid of pieces.
type block struct {
	columns, rows int64
	// turned: the pieces lie on their side.
	turned bool
}

func (b block) count() int64 { return b.columns * b.rows }

// layout is one block, or two that a single cut parts.
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

// along is how many pieces of one length there are side by side.
func along(room, length, gutter int64) int64 {
	if length > room {
		return 0
	}
	return (room + gutter) / (length + gutter)
}

// cutsOf is how many cuts part a block: two for each row and column, or one
// between neighbours that share it.
func (p *pieces) cutsOf(b block) int64 {
	if b.count() == 0 {
		return 0
	}
	if p.shared {
		return b.columns + b.rows + 2
	}
	return 2 * (b.columns + b.rows)
}

func (p *pieces) layout(first, second block) layout {
	l := layout{first: first, second: second, up: first.count() + second.count(), cuts: p.cutsOf(first) + p.cutsOf(second)}
	if second.count() > 0 {
		l.cuts++
	}
	return l
}

// grid is the fullest block of an area.
func (p *pieces) grid(area rectangle, turned bool) block {
	size := p.size
	if turned {
		size = size.turned()
	}
	return block{along(area.x, size.x, p.gutter), along(area.y, size.y, p.gutter), turned}
}

// fullest is the layout with the most pieces: a grid either way round, or a grid
// beside or above one of the other way round.
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

// mixed tries each number of columns, and of rows, of a grid with the other way
// round in the rest.
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

// even is the fullest grid that is its own mirror image, which a sheet needs whose
// two sides are printed with one form.
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
