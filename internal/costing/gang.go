// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/money"
)

// gangForm is a gang form with its press and the grid of its positions.
type gangForm struct {
	*authority.GangForm
	press *machine
	grid  block
}

// slot is the share of a way in a gang form. A copy of the piece takes cells positions.
type slot struct {
	*gangForm
	cells int64
	// sets are the cheapest sets of runs, each with more pieces and a higher cost than the one before.
	sets []runSet
}

// runSet is a number of copies of the piece on each run of a gang form, with the number of pieces and
// the cost of all of them.
type runSet struct {
	copies       []int64
	pieces, cost int64
}

// mostSets bounds the sets of runs that are compared for a product on a gang form.
const mostSets = 50_000

// gangForms returns the gang forms of the presses.
func (w *workshop) gangForms(s *authority.Snapshot) (all []*gangForm) {
	forms := s.Content().GangForms
	for i := range forms {
		f := &gangForm{GangForm: &forms[i]}
		f.press = w.presses[slices.IndexFunc(w.presses, func(m *machine) bool { return m.ID == f.Press })]
		medium, _ := s.Media(f.Media)
		f.grid.columns, f.grid.rows = f.Grid(f.press.Device, &medium)
		all = append(all, f)
	}
	return all
}

// colors returns the separations of each side of the form.
func (f *gangForm) colors() [2][]string { return [2][]string{front: f.Front, back: f.Back} }

// coated reports whether a part has the varnish and the film of the form on each side.
func (f *gangForm) coated(p *part) bool {
	var have [4]string
	for side := range p.coat {
		if p.coat[side] != nil {
			have[side] = p.coat[side].ID
		}
		if p.film[side] != nil {
			have[2+side] = p.film[side].ID
		}
	}
	return have == [4]string{f.FrontVarnish, f.BackVarnish, f.FrontFilm, f.BackFilm}
}

// gang returns the ways of printing a sort on a gang form, or the reason why there is none.
func (s *search) gang(on *sort, f *gangForm) (all []way, why string) {
	p := on.part
	cells, reason := s.cells(on, f)
	if reason != "" {
		return nil, reason
	}
	folders, creasers, operators, reason := s.pieceDevices(on)
	if reason != "" {
		return nil, reason
	}
	bought := rectangle{fromMillimetres(p.medium.Width), fromMillimetres(p.medium.Height)}
	var plain pieces
	base := way{
		sort: on, press: f.press, sheet: rectangle{bought.x / f.Columns, bought.y / f.Rows}, columns: f.Columns, rows: f.Rows,
		layout: layout{first: f.grid, cuts: plain.cutsOf(f.grid)}, style: Sheetwise,
	}
	switch {
	case len(f.Back) == 0:
		base.style = OneSided
	case f.press.perfects(p):
		base.style = Perfecting
	}
	var o obstacle
	base.slot = &slot{gangForm: f, cells: cells}
	for _, base.operators = range operators {
		all = s.finished(all, base, bought, folders, creasers, &o)
	}
	for i := range all {
		all[i].slot = &slot{f, cells, s.runSets(&all[i], mostSets/len(all))}
	}
	return all, o.text
}

// runSets returns the cheapest sets of runs for each number of pieces that the quantities need. It
// compares all sets that the positions of the form allow, unless they are more than the limit.
func (s *search) runSets(w *way, limit int) []runSet {
	t := newTally(s.currency)
	need := w.process(&t, s.products)
	all := []runSet{{copies: make([]int64, len(w.slot.Runs))}}
	for run, sheets := range slices.Backward(w.slot.Runs) {
		candidates := slices.Clone(all)
		most := min(w.slot.Positions/w.slot.cells, money.CeilDiv(need, sheets))
		for copies := int64(1); copies <= most; copies++ {
			if len(candidates)+len(all) > limit {
				s.truncated = true
				break
			}
			t.total = 0
			w.onRun(&t, run, copies)
			for _, set := range all {
				longer := runSet{slices.Clone(set.copies), plus(set.pieces, times(copies, sheets)), plus(set.cost, t.total)}
				longer.copies[run] = copies
				candidates = append(candidates, longer)
			}
		}
		slices.SortStableFunc(candidates, func(a, b runSet) int {
			return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(b.pieces, a.pieces))
		})
		all = candidates[:1]
		for _, set := range candidates[1:] {
			if set.pieces > all[len(all)-1].pieces {
				all = append(all, set)
			}
		}
	}
	return all
}

// cells returns the number of positions of one piece, or the reason why it does not fit on the
// form.
func (s *search) cells(on *sort, f *gangForm) (cells int64, why string) {
	p := on.part
	switch {
	case p.role != roleFlat || p.die != nil:
		return 0, "only flat products without a die fit on a gang form"
	case p.variable:
		return 0, noVariable
	case !s.presses.conventional:
		return 0, wrongPrinting
	case p.medium.ID != f.Media:
		return 0, "the form has the medium " + f.Media
	case !f.coated(p) && f.FrontVarnish+f.BackVarnish+f.FrontFilm+f.BackFilm == "":
		return 0, "the form has no varnish and no film"
	case !f.coated(p):
		return 0, "the form has another varnish or another film"
	}
	colors := f.colors()
	for i := range p.colors {
		for side, on := range p.colors[i].on {
			if on && !slices.Contains(colors[side], p.colors[i].name) {
				return 0, fmt.Sprintf("the form does not have the colour %.40q on its %s", p.colors[i].name, surfaceNames[side])
			}
		}
	}
	fits, grained := s.pieces(on, false)
	if !grained {
		return 0, wrongGrain
	}
	position := area(f.Position)
	for _, turned := range [...]bool{false, true} {
		if turned && !fits.turned || !turned && !fits.upright {
			continue
		}
		size := on.size
		if turned {
			size = size.turned()
		}
		columns, rows := money.CeilDiv(size.x, position.x), money.CeilDiv(size.y, position.y)
		if columns <= f.grid.columns && rows <= f.grid.rows && (cells == 0 || columns*rows < cells) {
			cells = columns * rows
		}
	}
	if cells == 0 || cells > f.Positions {
		return 0, "the piece is larger than the form, or its grain would have the wrong direction"
	}
	return cells, ""
}

// share adds the cheapest set of runs for a number of pieces.
func (w *way) share(t *tally, pieces int64) (n counts) {
	i, _ := slices.BinarySearchFunc(w.slot.sets, pieces, func(s runSet, pieces int64) int { return cmp.Compare(s.pieces, pieces) })
	if i == len(w.slot.sets) {
		t.total = impossible
		return n
	}
	set := &w.slot.sets[i]
	if !t.write {
		t.total = plus(t.total, set.cost)
		return n
	}
	for run, copies := range set.copies {
		if copies > 0 {
			n.shared = append(n.shared, w.onRun(t, run, copies))
		}
	}
	return n
}

// onRun adds the lines of the positions for a number of copies of the piece on a run: their share of
// the form, and the ink of the pieces.
func (w *way) onRun(t *tally, run int, copies int64) counts {
	n := counts{run: w.slot.Runs[run], positions: times(w.slot.cells, copies)}
	t.positions, t.of = n.positions, w.slot.Positions
	if t.write {
		t.form = fmt.Sprintf("%s with a run of %d", w.slot.ID, n.run)
	}
	n.good = w.cutter.spoiled(n.run, 1)
	w.cut(t, "cuts that separate positions", n.good, w.layout.cuts)
	n.good = w.coat(t, n.good)
	passes := w.passes(n.good, w.forms())
	t.run(w.press, "sheets", w.forms(), plus(passes[0], passes[1]))
	w.plates(t, 1, w.forms())
	w.coatPrinted(t, passes)
	n.printed = passes[0]
	n.bought = w.buy(t, n.printed)
	t.of = 0
	w.inks(t, passes, copies)
	return n
}
