// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"fmt"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/money"
)

// WorkStyle is the way a press prints the sides of a sheet.
type WorkStyle string

// The styles.
const (
	// OneSided sheets have one form and one pass.
	OneSided WorkStyle = "oneSided"
	// Sheetwise: two forms, two passes.
	Sheetwise WorkStyle = "sheetwise"
	// WorkAndTurn: one form that has both sides of a piece, two passes.
	WorkAndTurn WorkStyle = "workAndTurn"
	// Perfecting: two forms, one pass.
	Perfecting WorkStyle = "perfecting"
)

// way describes how to make the sheets of one sort, except for their number.
type way struct {
	sort  *sort
	press *machine
	style WorkStyle
	// sheet is the size of a printed sheet; a bought sheet is cut into columns by rows of
	// them.
	sheet         rectangle
	columns, rows int64
	layout        layout
	// slot is the share of a gang form, or nil for sheets of the product alone.
	slot *slot
	// cutter separates pieces and divides bought sheets. perStack is the number of sheets
	// that it cuts at once.
	cutter   *machine
	perStack int64
	// A nil device does nothing; coatInline and coatOffline are by side.
	laminator, coater, dieCutter *machine
	creaser, folder              *machine
	// operators holds the device of each operation of the part.
	operators               []*machine
	coatInline, coatOffline [2]bool
}

// counts are the numbers of sheets of a way, and of its positions in a gang form with its run.
type counts struct {
	good, printed, bought, positions, run int64
	// shared are the counts of each run of a gang form.
	shared []counts
}

// cost adds the lines for making a number of different sheets for the given number of
// products. More products never cost less: every number here grows with them.
func (w *way) cost(t *tally, different, products int64) counts {
	if t.write {
		t.part, t.pages = w.sort.part.label(), w.sort.pages
	}
	pieces := w.process(t, times(different, products))
	if w.slot != nil {
		return w.share(t, pieces)
	}
	n := counts{good: w.separate(t, pieces)}
	n.printed = w.print(t, different, n.good)
	n.bought = w.buy(t, n.printed)
	return n
}

// buy adds the medium of a number of printed sheets, and returns the number of bought sheets.
func (w *way) buy(t *tally, printed int64) (bought int64) {
	bought = printed
	if parts := w.columns * w.rows; parts > 1 {
		bought = w.cutter.spoiled(bought, 1)
		bought = money.CeilDiv(bought, parts)
		w.cut(t, "cuts that divide purchased sheets", bought, w.columns+w.rows-2)
	}
	m := &w.sort.part.medium
	t.add(row{w.press.Process, ItemMedia, authority.FamilyMedia, m.ID, perSheet(m, bought), m.Price.Per, m.Price.Amount},
		t.text("%d sheets", bought))
	return bought
}

// process works backwards from good pieces to separated ones.
func (w *way) process(t *tally, pieces int64) (separated int64) {
	folded := w.sort.part.role == roleBody && w.sort.fold != ""
	if folded { // and sewn, which follows folding
		pieces = w.operate(t, pieces)
	}
	if w.folder != nil {
		pieces = w.folder.spoiled(pieces, 1)
		t.run(w.folder, "pieces", 1, pieces)
	}
	for range w.sort.part.creases {
		pieces = w.creaser.spoiled(pieces, 1)
		t.run(w.creaser, "pieces", 1, pieces)
	}
	if folded {
		return pieces
	}
	return w.operate(t, pieces)
}

// separate works backwards from separated pieces to printed sheets.
func (w *way) separate(t *tally, pieces int64) (sheets int64) {
	sheets = money.CeilDiv(pieces, w.layout.up)
	if w.dieCutter != nil {
		sheets = w.dieCut(t, sheets)
	} else {
		sheets = w.cutter.spoiled(sheets, 1)
		w.cut(t, "cuts that separate pieces", sheets, w.layout.cuts)
	}
	return w.coat(t, sheets)
}

// coat works backwards from sheets with films and varnishes to printed sheets.
func (w *way) coat(t *tally, sheets int64) int64 {
	for side := back; side >= front; side-- {
		if film := w.sort.part.film[side]; film != nil {
			sheets = w.laminator.spoiled(sheets, 1)
			t.run(w.laminator, "sheets", 1, sheets)
			area := money.MulDiv(sheets, times(w.sheet.x, w.sheet.y), 1e8)
			t.add(row{authority.Laminating, ItemFilm, authority.FamilyLamination, film.ID, area, authority.PerSquareMetre, film.Price.Amount},
				t.text("film on one side of %d sheets", sheets))
		}
	}
	for side := back; side >= front; side-- {
		if w.coatOffline[side] {
			sheets = w.coater.spoiled(sheets, 1)
			t.run(w.coater, "sheets", 1, sheets)
			w.varnish(t, authority.Varnishing, side, sheets)
		}
	}
	return sheets
}

// cut adds the cuts through the stacks of a number of sheets.
func (w *way) cut(t *tally, unit string, sheets, cuts int64) {
	t.run(w.cutter, unit, 1, times(cuts, money.CeilDiv(sheets, w.perStack)))
}

// print works backwards from printed sheets to fed sheets.
func (w *way) print(t *tally, different, sheets int64) (fed int64) {
	each, forms, setups := money.CeilDiv(sheets, different), w.forms(), w.forms()
	if w.press.Process == authority.DigitalPrinting {
		// A digital press prints different sheets collated, in one run.
		different, each, setups = 1, sheets, 1
	}
	passes := w.passes(each, setups)
	passes = [2]int64{times(passes[0], different), times(passes[1], different)}
	t.run(w.press, "sheets", times(setups, different), plus(passes[0], passes[1]))
	if w.press.Process == authority.DigitalPrinting {
		w.clicks(t, passes)
	} else {
		w.plates(t, different, forms)
		w.inks(t, passes, w.layout.up)
	}
	w.coatPrinted(t, passes)
	return passes[0]
}

// coatPrinted adds the varnish of the coater of the press.
func (w *way) coatPrinted(t *tally, passes [2]int64) {
	for side := range w.coatInline {
		if w.coatInline[side] {
			w.varnish(t, w.press.Process, side, w.fedOn(side, passes))
		}
	}
}

// passes returns the number of sheets that are fed in each pass for a number of good sheets.
func (w *way) passes(good, setups int64) (fed [2]int64) {
	switch w.style {
	case OneSided, Perfecting:
		fed[0] = w.press.spoiled(good, setups)
	case WorkAndTurn:
		fed[1] = w.press.spoiled(good, 0)
		fed[0] = w.press.spoiled(fed[1], setups)
	case Sheetwise:
		fed[1] = w.press.spoiled(good, setups/2)
		fed[0] = w.press.spoiled(fed[1], setups-setups/2)
	}
	return fed
}

// fedOn returns the number of sheets that are fed for a side.
func (w *way) fedOn(side int, passes [2]int64) int64 {
	if side == back && w.style != OneSided && w.style != Perfecting {
		return passes[1]
	}
	return passes[0]
}

// forms returns the number of forms of a sheet.
func (w *way) forms() int64 {
	if w.style == OneSided || w.style == WorkAndTurn {
		return 1
	}
	return 2
}

// colors returns the number of separations of each side.
func (w *way) colors() [2]int64 {
	if w.slot != nil {
		return [2]int64{int64(len(w.slot.Front)), int64(len(w.slot.Back))}
	}
	return w.sort.colors
}

// plates adds one plate for each separation of each form.
func (w *way) plates(t *tally, different, forms int64) {
	colors := w.colors()
	separations := max(colors[front], colors[back])
	if forms == 2 {
		separations = colors[front] + colors[back]
	}
	plate := w.press.plate
	t.add(row{authority.ConventionalPrinting, ItemPlates, authority.FamilyPlate, plate.ID, times(times(different, separations), quantityOne), authority.PerPiece, plate.Price.Amount},
		t.text("of %d form(s)", times(different, forms)))
}

// inks adds the ink of a number of pieces on all fed sheets, including waste.
func (w *way) inks(t *tally, passes [2]int64, up int64) {
	for i := range w.sort.inks {
		ink := &w.sort.inks[i]
		if ink.color.ink == nil {
			continue
		}
		used := int64(0)
		for side := range ink.on {
			fed, pieces := w.fedOn(side, passes), up
			if w.style == WorkAndTurn {
				// Half of the pieces of each pass are fronts, the others backs.
				fed, pieces = plus(passes[0], passes[1]), pieces/2
			}
			used = plus(used, times(fed, times(ink.grams[side], pieces)))
		}
		quantity := kilograms(1, used)
		t.add(row{authority.ConventionalPrinting, ItemInk, authority.FamilyInk, ink.color.ink.ID, quantity, authority.PerKilogram, ink.color.ink.Price.Amount},
			t.text("on %d piece(s) of each sheet", up))
	}
}

// clicks adds the printed sides at the rate of their colours.
func (w *way) clicks(t *tally, passes [2]int64) {
	color, mono := int64(0), int64(0)
	for side, colors := range w.sort.colors {
		switch {
		case colors == 0:
		case w.sort.mono[side] && w.press.ClickMono > 0:
			mono = plus(mono, w.fedOn(side, passes))
		default:
			color = plus(color, w.fedOn(side, passes))
		}
	}
	t.add(row{authority.DigitalPrinting, ItemClicks, authority.FamilyDevice, w.press.ID, times(color, quantityOne), PerClick, w.press.ClickColor}, t.text("%d sides in colour", color))
	t.add(row{authority.DigitalPrinting, ItemClicks, authority.FamilyDevice, w.press.ID, times(mono, quantityOne), PerClick, w.press.ClickMono}, t.text("%d sides in black", mono))
}

// varnish adds the varnish on the printed area of a side, or on all positions of a gang form.
func (w *way) varnish(t *tally, step authority.Process, side int, sheets int64) {
	v := w.sort.part.coat[side]
	printed, up := w.sort.area, w.layout.up
	if w.slot != nil {
		position := area(w.slot.Position)
		printed, up = times(position.x, position.y), w.slot.grid.count()
	}
	quantity := kilograms(sheets, times(grams(printed, v.Consumption), up))
	t.add(row{step, ItemVarnish, authority.FamilyVarnish, v.ID, quantity, authority.PerKilogram, v.Price.Amount},
		t.text("on one side of %d sheets", sheets))
}

// text formats a description if lines are written.
func (t *tally) text(format string, count int64) string {
	if !t.write {
		return ""
	}
	return fmt.Sprintf(format, count)
}
