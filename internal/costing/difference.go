// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"errors"
	"fmt"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/money"
)

// ErrIncomparable means that two results have different currencies or numbers of quantities.
var ErrIncomparable = errors.New("costing: the results cannot be compared")

// Difference is the difference between two costs.
type Difference struct {
	QuantityBefore int64       `json:"quantityBefore"`
	QuantityAfter  int64       `json:"quantityAfter"`
	Before         money.Money `json:"before"`
	After          money.Money `json:"after"`
	// Change is After less Before.
	Change money.Money `json:"change"`
	// Lines lists the lines that differ: those of the cost before, then the added ones.
	Lines []LineDifference `json:"lines"`
}

// LineDifference is a line that two costs do not share.
type LineDifference struct {
	// Before is nil for an added line, and After for a removed one.
	Before *Line       `json:"before"`
	After  *Line       `json:"after"`
	Change money.Money `json:"change"`
}

// Compare returns the difference for each quantity. Lines correspond if they have the same
// step, item, part and resource; several such lines correspond in their order. The error is
// [ErrIncomparable].
func Compare(before, after *Result) ([]Difference, error) {
	if before.Snapshot.Currency != after.Snapshot.Currency {
		return nil, fmt.Errorf("%w: %s and %s", ErrIncomparable, before.Snapshot.Currency, after.Snapshot.Currency)
	}
	if len(before.Breaks) != len(after.Breaks) {
		return nil, fmt.Errorf("%w: %d and %d quantities", ErrIncomparable, len(before.Breaks), len(after.Breaks))
	}
	all := make([]Difference, 0, len(before.Breaks))
	for i := range before.Breaks {
		one, err := compareBreaks(&before.Breaks[i], &after.Breaks[i])
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// place identifies a line among those of a break.
type place struct {
	step     authority.Process
	item     Item
	part     string
	pages    int64
	resource Resource
	nth      int
}

// placed returns the index of each line by its place.
func placed(lines []Line) (places []place, index map[place]int) {
	index = make(map[place]int, len(lines))
	for i := range lines {
		l := &lines[i]
		at := place{step: l.Step, item: l.Item, part: l.Part, pages: l.SheetPages, resource: l.Resource}
		for taken := true; taken; {
			if _, taken = index[at]; taken {
				at.nth++
			}
		}
		index[at] = i
		places = append(places, at)
	}
	return places, index
}

func compareBreaks(before, after *Break) (Difference, error) {
	d := Difference{
		QuantityBefore: before.Quantity, QuantityAfter: after.Quantity, Before: before.Total, After: after.Total, Lines: []LineDifference{},
	}
	var err error
	if d.Change, err = less(after.Total, before.Total); err != nil {
		return d, err
	}
	places, _ := placed(before.Lines)
	others, index := placed(after.Lines)
	shared := map[place]bool{}
	for i, at := range places {
		l := LineDifference{Before: &before.Lines[i]}
		if other, found := index[at]; found {
			shared[at], l.After = true, &after.Lines[other]
			if l.Before.Quantity == l.After.Quantity && l.Before.Unit == l.After.Unit && l.Before.Rate == l.After.Rate {
				continue
			}
			l.Change, err = less(l.After.Amount, l.Before.Amount)
		} else {
			l.Change, err = l.Before.Amount.Times(-1)
		}
		if err != nil {
			return d, err
		}
		d.Lines = append(d.Lines, l)
	}
	for i, at := range others {
		if !shared[at] {
			d.Lines = append(d.Lines, LineDifference{After: &after.Lines[i], Change: after.Lines[i].Amount})
		}
	}
	return d, nil
}

// less returns a less b.
func less(a, b money.Money) (money.Money, error) {
	minus, err := b.Times(-1)
	if err != nil {
		return money.Money{}, err
	}
	return a.Plus(minus)
}
