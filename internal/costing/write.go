// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"cmp"
	"slices"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
)

// write calculates the cheapest plan again and keeps its lines.
func (p *plans) write(t tally, quantity int64, b *best) Break {
	t.write = true
	result := Break{Quantity: quantity, Plan: []Plan{}, Finishing: []Use{}, Alternatives: []Alternative{}}
	products := b.finish.cost(&t, p.job, quantity)
	whole := t.lines
	t.lines = nil
	for i := range p.job.parts {
		for _, one := range b.parts[i].picks {
			from := len(t.lines)
			n := one.way.cost(&t, one.count, p.job.copies(i, quantity, products))
			if one.way.slot == nil {
				n.shared = []counts{n}
			}
			for _, run := range n.shared {
				result.Plan = append(result.Plan, planOf(one, run))
			}
			inOrder(t.lines[from:])
		}
		result.Alternatives = append(result.Alternatives, p.alternatives(&t, i, b)...)
	}
	inOrder(whole)
	result.Lines = append(t.lines, whole...)
	for i := len(b.finish) - 1; i >= 0; i-- {
		result.Finishing = append(result.Finishing, Use{b.finish[i].Process, b.finish[i].ID})
	}
	result.Total = t.money(t.total, t.decimals)
	result.UnitCost = t.each(quantity)
	return result
}

// alternatives returns the total on each other press for a part.
func (p *plans) alternatives(t *tally, part int, b *best) []Alternative {
	var all []Alternative
	for i := range p.choices[part] {
		c := &p.choices[part][i]
		if i == b.parts[part].press {
			continue
		}
		a := Alternative{Part: p.job.parts[part].label(), Press: c.press.ID}
		if c.form != nil {
			a.GangForm = c.form.ID
		}
		switch total := b.onPress[part][i]; {
		case total > mostMinor && c.why != "":
			a.Reason = c.why
		case total == impossible && c.form != nil:
			a.Reason = "the quantity needs more positions than the form has"
		case total > mostMinor:
			a.Reason = "its cost exceeds the largest possible amount"
		default:
			amount := t.money(total, t.decimals)
			a.Total = &amount
		}
		all = append(all, a)
	}
	return all
}

// inOrder sorts lines by production step, and within a step consumables before time.
func inOrder(lines []Line) {
	steps := []authority.Process{
		authority.ConventionalPrinting, authority.DigitalPrinting, authority.Varnishing, authority.Laminating, authority.Cutting,
		authority.Embossing, authority.Perforating, authority.Creasing,
		authority.Folding, authority.ThreadSewing, authority.CaseMaking, authority.Jacketing, authority.Stitching, authority.CoverApplication, authority.CasingIn, authority.Trimming, authority.LooseBinding,
		authority.ShapeCutting, authority.BoxFolding, authority.HoleMaking, Proofing, BoxPacking, Delivery,
	}
	items := []Item{ItemMedia, ItemPlates, ItemInk, ItemClicks, ItemVarnish, ItemFilm, ItemFoil, ItemTools, ItemThread, ItemBoards, ItemEndSheets, ItemHeadBands, ItemRibbons, ItemElements, ItemAdhesive, ItemStripping, ItemPreparation, ItemRecords, ItemMachine, ItemLabor, ItemPower}
	slices.SortStableFunc(lines, func(a, b Line) int {
		return cmp.Or(
			cmp.Compare(slices.Index(steps, a.Step), slices.Index(steps, b.Step)),
			cmp.Compare(slices.Index(items, a.Item), slices.Index(items, b.Item)),
		)
	})
}

// planOf describes a pick in the result.
func planOf(one pick, n counts) Plan {
	w := one.way
	p := Plan{
		Part: w.sort.part.label(), SheetPages: w.sort.pages, Sheets: one.count, Press: w.press.ID, Media: w.sort.part.medium.ID,
		Sheet: sizeOf(w.sheet), Columns: w.columns, Rows: w.rows, Up: w.layout.up, WorkStyle: w.style, Forms: w.forms(),
		Good: n.good, Waste: n.printed - n.good, Bought: n.bought, Grids: []Grid{}, Finishing: []Use{},
	}
	if w.slot != nil {
		p.Up = n.positions / w.slot.cells
		p.Gang = &Gang{Form: w.slot.ID, Run: n.run, Positions: n.positions, Of: w.slot.Positions}
	}
	for _, b := range [...]block{w.layout.first, w.layout.second} {
		if b.count() > 0 {
			p.Grids = append(p.Grids, Grid{b.columns, b.rows, b.turned})
		}
	}
	for _, m := range [...]*machine{w.coater, w.laminator, w.dieCutter, w.cutter, w.creaser, w.folder} {
		if m != nil {
			p.Finishing = append(p.Finishing, Use{m.Process, m.ID})
		}
	}
	for _, m := range w.operators {
		p.Finishing = append(p.Finishing, Use{m.Process, m.ID})
	}
	return p
}
