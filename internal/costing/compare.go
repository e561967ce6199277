// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"math"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/money"
)

// mostPlans bounds the ways that are compared for one quantity, and mostFinishes the
// ways of finishing the bound product among them. The selection never depends on the
// quantity, so that more copies never cost less.
const (
	mostPlans    = 20_000
	mostFinishes = 64
)

// finish lists the devices that assemble the product from its parts, the last device
// first.
type finish []*machine

// cost adds the lines of the devices to t, and returns the number of products to make
// parts for, waste included.
func (f finish) cost(t *tally, j *job, products int64) int64 {
	if t.write {
		t.part, t.pages = "", 0
	}
	j.serve(t, products)
	for _, m := range f {
		products = m.spoiled(products, 1)
		t.run(m, "products", 1, products)
		if m.Process == authority.LooseBinding {
			t.add(row{m.Process, ItemElements, authority.FamilyService, j.wire.ID, times(products, quantityOne), j.wire.Price.Per, j.wire.Price.Amount},
				t.text("for %d products", products))
		}
		if die := j.parts[0].die; m.Process == authority.BoxFolding && die.points > 0 {
			t.add(row{m.Process, ItemAdhesive, authority.FamilyService, die.glue.ID, times(times(products, die.points), quantityOne), die.glue.Price.Per, die.glue.Price.Amount},
				t.text("points of glue on %d blanks", products))
		}
		if m.Process == authority.CasingIn && j.endSheet != nil {
			area := money.MulDiv(products, j.endSheetArea(), 1e8)
			t.add(row{m.Process, ItemEndSheets, authority.FamilyService, j.endSheet.ID, area, j.endSheet.Price.Per, j.endSheet.Price.Amount},
				t.text("two end sheets in each of %d products", products))
		}
		if m.Process == authority.CasingIn && j.headBand != nil {
			t.add(row{m.Process, ItemHeadBands, authority.FamilyService, j.headBand.ID, money.MulDiv(products, 2*j.block, 100), j.headBand.Price.Per, j.headBand.Price.Amount},
				t.text("at the head and the foot of %d products", products))
		}
		if m.Process == authority.CasingIn {
			for _, one := range j.ribbons {
				t.add(row{m.Process, ItemRibbons, authority.FamilyService, one.ID, money.MulDiv(products, one.length, 100), one.Price.Per, one.Price.Amount},
					t.text("in each of %d products", products))
			}
		}
		if m.Process == authority.CoverApplication || m.Process == authority.CasingIn {
			t.add(m.glue(products, j.closed.y),
				t.text("on the spines of %d products", products))
		}
	}
	return products
}

// glue returns the adhesive on the spines of a number of products, whose length is in micrometres.
func (m *machine) glue(products, spine int64) row {
	each := money.MulDiv(spine, int64(m.adhesive.Consumption), 10)
	return row{m.Process, ItemAdhesive, authority.FamilyAdhesive, m.Adhesive, kilograms(products, each), authority.PerKilogram, m.adhesive.Price.Amount}
}

// copies returns the number of copies of a part for a number of good products: a jacket is put
// around good products, and the other parts are wasted with the products that they are in.
func (j *job) copies(part int, good, products int64) int64 {
	switch p := j.parts[part]; {
	case p.role == roleJacket:
		return good
	case p.twice:
		return times(2, products)
	default:
		return products
	}
}

// choice is a press for a part, or a gang form of the press, with the ways for each of its sorts.
type choice struct {
	press *machine
	form  *gangForm
	ways  [][]way // by sort
	why   string
}

// name returns the identifier of the gang form or of the press.
func (c *choice) name() string {
	if c.form != nil {
		return c.form.ID
	}
	return c.press.ID
}

// plans holds everything that is compared for a job.
type plans struct {
	job      *job
	finishes []finish
	choices  [][]choice // by part
}

// pick is the way chosen for a run.
type pick struct {
	way   *way
	count int64
}

// partCost is the lowest cost of a part for a number of products, and the lowest cost on
// each press.
type partCost struct {
	total   int64
	picks   []pick
	press   int
	onPress []int64
}

const impossible = math.MaxInt64

// cheapest returns the cheapest picks of a part.
func (p *plans) cheapest(part int, t tally, products int64) partCost {
	best := partCost{total: impossible, onPress: make([]int64, len(p.choices[part])), press: -1}
	for i := range p.choices[part] {
		c := &p.choices[part][i]
		best.onPress[i] = impossible
		for _, runs := range c.decompositions(p.job.parts[part]) {
			picks, total := c.cheapest(runs, t, products)
			best.onPress[i] = min(best.onPress[i], total)
			if total < best.total {
				best.total, best.picks, best.press = total, picks, i
			}
		}
	}
	return best
}

// sortRun is a number of different sheets of one sort, given by its index in part.sorts.
type sortRun struct {
	sort  int
	count int64
}

// decompositions returns the sets of sheets that make up a part: a single sheet, or for a
// body as many of the largest signature as the pages fill, and smaller ones for the rest.
func (c *choice) decompositions(p *part) [][]sortRun {
	if p.role != roleBody {
		if len(c.ways[0]) == 0 {
			return nil
		}
		return [][]sortRun{{{0, 1}}}
	}
	var all [][]sortRun
	for largest := len(p.sorts) - 1; largest >= 0; largest-- {
		if p.sorts[largest].pages > p.pages || len(c.ways[largest]) == 0 {
			continue
		}
		var runs []sortRun
		rest := p.pages
		for i := largest; i >= 0 && rest > 0; i-- {
			if count := rest / p.sorts[i].pages; count > 0 && len(c.ways[i]) > 0 {
				runs = append(runs, sortRun{i, count})
				rest -= count * p.sorts[i].pages
			}
		}
		if rest == 0 {
			all = append(all, runs)
		}
	}
	return all
}

// cheapest picks the cheapest way for each run.
func (c *choice) cheapest(runs []sortRun, t tally, products int64) (picks []pick, total int64) {
	for _, r := range runs {
		var taken *way
		least := int64(impossible)
		for i := range c.ways[r.sort] {
			w := &c.ways[r.sort][i]
			t.total = 0
			w.cost(&t, r.count, products)
			if t.total < least || taken == nil {
				taken, least = w, t.total
			}
		}
		picks = append(picks, pick{taken, r.count})
		total = plus(total, least)
	}
	return picks, total
}

// best is the cheapest plan for a quantity.
type best struct {
	total  int64
	finish finish
	parts  []partCost
	// onPress holds the lowest total with each part on each press, by part and press.
	onPress [][]int64
}

// onFormsOnly reports whether a part without a cost can be printed only on gang forms, which
// then have too few positions.
func (p *plans) onFormsOnly(b *best) bool {
	for part, choices := range p.choices {
		some, only := false, true
		for i := range choices {
			possible := choices[i].why == ""
			some = some || possible && b.onPress[part][i] == impossible
			only = only && (choices[i].form != nil || !possible)
		}
		if some && only {
			return true
		}
	}
	return false
}

// compare returns the cheapest plan for a quantity.
func (p *plans) compare(t tally, quantity int64) best {
	b := best{total: impossible}
	for _, choices := range p.choices {
		row := make([]int64, len(choices))
		for i := range row {
			row[i] = impossible
		}
		b.onPress = append(b.onPress, row)
	}
	known := map[int64][]partCost{}
	for _, f := range p.finishes {
		t.total = 0
		products := f.cost(&t, p.job, quantity)
		parts, done := known[products]
		if !done {
			for i := range p.job.parts {
				parts = append(parts, p.cheapest(i, t, p.job.copies(i, quantity, products)))
			}
			known[products] = parts
		}
		total := t.total
		for i := range parts {
			total = plus(total, parts[i].total)
		}
		if total < b.total {
			b.total, b.finish, b.parts = total, f, parts
		}
		for i := range parts {
			for press, one := range parts[i].onPress {
				if one < impossible && total < impossible {
					b.onPress[i][press] = min(b.onPress[i][press], plus(total-parts[i].total, one))
				}
			}
		}
	}
	return b
}
