// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/printmarket/printmarket/internal/money"
)

// Table collects the rows of a printed cost, as cells.
type Table [][]string

func (t *Table) add(cells ...any) {
	row := make([]string, len(cells))
	for i, cell := range cells {
		row[i] = fmt.Sprint(cell)
	}
	*t = append(*t, row)
}

func (t *Table) text(format string, arguments ...any) {
	*t = append(*t, []string{fmt.Sprintf(format, arguments...)})
}

// Table returns the product, and the total, the sheets and the presses of each quantity.
func (r *Result) Table() (t Table) {
	r.header(&t)
	t.add("QUANTITY", "TOTAL", "EACH", "SHEETS")
	for _, b := range r.Breaks {
		var sheets []string
		for i := range b.Plan {
			p := &b.Plan[i]
			sheets = append(sheets, fmt.Sprintf("%d %s on %s", p.Bought, p.Media, p.Press))
		}
		t.add(b.Quantity, b.Total, b.UnitCost, strings.Join(sheets, ", "))
	}
	return t
}

// Explanation returns the product, and each line of each quantity with its master data.
func (r *Result) Explanation() (t Table) {
	r.header(&t)
	for _, b := range r.Breaks {
		t.text("%d copies: %s, %s each", b.Quantity, b.Total, b.UnitCost)
		for i := range b.Plan {
			p := &b.Plan[i]
			t.text("%s: %d sheet(s) of %s x %s mm on %s, %d up, %s; %d good and %d waste sheets from %d of %s",
				p.Part, p.Sheets, p.Sheet.Width, p.Sheet.Height, p.Press, p.Up, p.WorkStyle, p.Good, p.Waste, p.Bought, p.Media)
			if g := p.Gang; g != nil {
				t.text("%s: %d of %d positions of the gang form %s with a run of %d sheets; the numbers of sheets are those of the form", p.Part, g.Positions, g.Of, g.Form, g.Run)
			}
		}
		t.add("STEP", "ITEM", "RESOURCE", "QUANTITY", "UNIT", "RATE", "AMOUNT", "PART", "FROM")
		for i := range b.Lines {
			l := &b.Lines[i]
			part := cmp.Or(l.Part, "whole")
			if l.SheetPages > 0 {
				part = fmt.Sprintf("%s, %d pages", l.Part, l.SheetPages)
			}
			t.add(l.Step, l.Item, l.Resource, l.Quantity, l.Unit, "x "+l.Rate, l.Amount.Amount(), part, l.Description)
		}
		t.add("Total", "", "", "", "", "", b.Total.Amount())
		for _, a := range b.Alternatives {
			switch {
			case a.GangForm != "" && a.Total != nil:
				t.text("%s on the gang form %s: %s in all", a.Part, a.GangForm, a.Total)
			case a.GangForm != "":
				t.text("%s not on the gang form %s: %s", a.Part, a.GangForm, a.Reason)
			}
		}
	}
	return t
}

func (r *Result) header(t *Table) {
	t.text("%s %s, %s x %s mm", r.Product.Type, r.Product.ID, r.Product.Finished.Width, r.Product.Finished.Height)
	t.text("master data %s", r.Snapshot.ID)
}

// String returns the family and the identifier.
func (r Resource) String() string { return string(r.Family) + "/" + r.ID }

// DifferenceTable returns the differences of the totals, and those of the lines.
func DifferenceTable(differences []Difference) (t Table) {
	t.add("QUANTITY", "BEFORE", "AFTER", "CHANGE")
	for _, d := range differences {
		quantity := any(d.QuantityBefore)
		if d.QuantityAfter != d.QuantityBefore {
			quantity = fmt.Sprintf("%d, %d", d.QuantityBefore, d.QuantityAfter)
		}
		t.add(quantity, d.Before, d.After, Signed(d.Change))
	}
	t.text("Lines that differ:")
	t.add("QUANTITY", "STEP", "ITEM", "RESOURCE", "BEFORE", "AFTER", "CHANGE", "PART")
	for _, d := range differences {
		for i := range d.Lines {
			l := &d.Lines[i]
			one := cmp.Or(l.Before, l.After)
			t.add(d.QuantityBefore, one.Step, one.Item, one.Resource, l.Before.product(), l.After.product(), Signed(l.Change), cmp.Or(one.Part, "whole"))
		}
	}
	return t
}

// product returns a line as quantity x rate, or a dash for none.
func (l *Line) product() string {
	if l == nil {
		return "-"
	}
	return l.Quantity + " " + string(l.Unit) + " x " + l.Rate
}

// Signed returns an amount with its sign, also a positive one.
func Signed(m money.Money) string {
	if m.Sign() > 0 {
		return "+" + m.String()
	}
	return m.String()
}
