// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"fmt"
	"strings"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/money"
)

// quantityOne is one unit: quantities are in ten-thousandths.
const quantityOne = 10_000

// mostMinor is the largest total, in the smallest unit of the currency.
const mostMinor = 999_999_999_999

// machine is a device with its labour and electricity rates, its plate and its adhesive.
type machine struct {
	*authority.Device
	labor, electricity money.Decimal
	plate              authority.Plate
	adhesive           authority.Adhesive
}

// tally adds up the lines of a way. The calls that compare the ways also write the lines
// of the chosen way.
type tally struct {
	// unit is the divisor of a quantity times a rate.
	unit     int64
	decimals int32
	currency money.Currency
	total    int64
	// lines are kept if write is set.
	write bool
	lines []Line
	// part and pages describe the sheets of the lines.
	part  string
	pages int64
	// positions of the of positions of a gang form share its lines; of is zero for lines that
	// are not shared.
	positions, of int64
	form          string
}

func newTally(c money.Currency) tally {
	t := tally{unit: 1, decimals: c.Decimals(), currency: c}
	for range 10 - t.decimals {
		t.unit *= 10
	}
	return t
}

// row is a line before its amount is known.
type row struct {
	step     authority.Process
	item     Item
	family   authority.Family
	id       string
	quantity int64
	unit     authority.Unit
	rate     money.Decimal
}

// add adds a line to the total; text describes the line if it is written.
func (t *tally) add(r row, text string) {
	if t.of > 0 {
		r.quantity = money.MulDiv(r.quantity, t.positions, t.of)
		if t.write {
			text += fmt.Sprintf("; %d of %d positions of %s", t.positions, t.of, t.form)
		}
	}
	if r.quantity == 0 {
		return
	}
	amount := money.MulDiv(r.quantity, int64(r.rate), t.unit)
	t.total = plus(t.total, amount)
	if !t.write {
		return
	}
	t.lines = append(t.lines, Line{
		Step: r.step, Item: r.item, Part: t.part, SheetPages: t.pages, Description: text, Resource: Resource{r.family, r.id},
		Quantity: money.Decimal(times(r.quantity, int64(money.One)/quantityOne)).String(), Unit: r.unit,
		Rate: r.rate.String(), Amount: t.money(amount, t.decimals),
	})
}

// money returns an amount of minor units with the given number of decimals.
func (t *tally) money(minor int64, decimals int32) money.Money {
	text := fmt.Sprintf("%0*d", decimals+1, minor)
	if decimals > 0 {
		text = text[:len(text)-int(decimals)] + "." + text[len(text)-int(decimals):]
	}
	amount, err := money.Parse(text, string(t.currency))
	if err != nil {
		// The amount is above mostMinor, which is never written.
		return money.Money{}
	}
	return amount
}

// each returns the total divided by a number of pieces.
func (t *tally) each(quantity int64) money.Money {
	scale := int64(1)
	for range money.Places - t.decimals {
		scale *= 10
	}
	return t.money(money.MulDiv(t.total, scale, quantity), money.Places)
}

// run adds the time of a device, its labour and its power for a number of set-ups and the
// number of units that it makes.
func (t *tally) run(m *machine, unit string, setups, made int64) {
	setting := money.MulDiv(times(setups, int64(m.SetupMinutes)), quantityOne, 60*int64(money.One))
	hours := plus(setting, money.MulDiv(made, quantityOne*int64(money.One), int64(m.Speed)))
	text, people, power := "", "", ""
	if t.write {
		text = fmt.Sprintf("%d set-up(s) of %s min, %d %s at %s per hour", setups, m.SetupMinutes, made, unit, m.Speed)
		people = fmt.Sprintf("a crew of %s for the machine hours", m.Crew)
		power = fmt.Sprintf("%s kW for the machine hours", m.Power)
	}
	t.add(row{m.Process, ItemMachine, authority.FamilyDevice, m.ID, hours, authority.PerHour, m.HourlyRate}, text)
	if m.Crew > 0 {
		crew := money.MulDiv(hours, int64(m.Crew), int64(money.One))
		t.add(row{m.Process, ItemLabor, authority.FamilyLabor, m.Labor, crew, authority.PerHour, m.labor}, people)
	}
	if m.Power > 0 {
		energy := money.MulDiv(hours, int64(m.Power), int64(money.One))
		t.add(row{m.Process, ItemPower, authority.FamilyElectricity, m.Electricity, energy, authority.PerKilowattHour, m.electricity}, power)
	}
}

// spoiled returns the number of units to feed to a device for a number of good ones. Each
// step of the waste applies to the units beyond its start, so that more good units never need
// fewer fed ones.
func (m *machine) spoiled(good, setups int64) int64 {
	const hundred = 100 * int64(money.One)
	fed, waste, from := int64(0), m.WastePercent, int64(0)
	for i, next := range m.WasteFrom {
		if good <= next {
			break
		}
		fed = plus(fed, ceilMulDiv(next-from, hundred, hundred-int64(waste)))
		waste, from = m.WasteThen[i], next
	}
	fed = plus(fed, ceilMulDiv(good-from, hundred, hundred-int64(waste)))
	return plus(fed, times(m.SetupWaste, setups))
}

// label returns the name of a part in lines and plans.
func (p *part) label() string {
	if p.role == roleFlat || p.id == "" {
		return strings.TrimSpace(string(p.role))
	}
	return string(p.role) + " " + p.id
}
