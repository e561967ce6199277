// SPDX-License-Identifier: Apache-2.0

package costing_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/costing"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/money"
)

// costs returns the result of an example with master data that change returns.
func costs(tb testing.TB, name string, change func(*authority.Content), quantities ...int64) *costing.Result {
	tb.Helper()
	c := printer()
	if change != nil {
		change(&c)
	}
	result, err := costing.Calculate(costing.Request{
		Document: parse(tb, example(tb, name)), Mode: costing.Authoritative, Authority: effective(tb, c), Now: now, Quantities: quantities,
	})
	if err != nil {
		tb.Fatalf("costing.Calculate(%s): %v", name, err)
	}
	return result
}

func TestQuantitiesOfARequestReplaceThoseOfTheDocument(t *testing.T) {
	t.Parallel()
	result := costs(t, "flyer", nil, 1000, 500, 5000, 500)
	var got []int64
	for _, b := range result.Breaks {
		got = append(got, b.Quantity)
	}
	if diff := cmp.Diff([]int64{500, 1000, 5000}, got); diff != "" {
		t.Errorf("quantities (-want +got):\n%s", diff)
	}
	want := costs(t, "flyer", nil).Breaks[0]
	if diff := cmp.Diff(want, result.Breaks[2], cmp.Comparer(money.Money.Equal)); diff != "" {
		t.Errorf("5000 copies of the request and of the document (-document +request):\n%s", diff)
	}
	if !slices.ContainsFunc(result.Assumptions, func(a costing.Assumption) bool { return a.Code == costing.AssumedQuantities }) {
		t.Errorf("assumptions %v lack QUANTITIES", result.Assumptions)
	}
}

func TestADocumentWithoutAmountTakesTheQuantitiesOfTheRequest(t *testing.T) {
	t.Parallel()
	body := strings.Replace(string(example(t, "flyer")), `"Amount": 5000,`, "", 1)
	result, err := costing.Calculate(costing.Request{
		Document: parse(t, []byte(body)), Mode: costing.Authoritative, Authority: effective(t, printer()), Now: now, Quantities: []int64{5000},
	})
	if err != nil {
		t.Fatalf("costing.Calculate: %v", err)
	}
	if got, want := result.Breaks[0].Total, costs(t, "flyer", nil).Breaks[0].Total; !got.Equal(want) {
		t.Errorf("total %s, want %s", got, want)
	}
}

func TestQuantitiesOutOfRangeAreRejected(t *testing.T) {
	t.Parallel()
	for name, quantities := range map[string][]int64{
		"zero": {0}, "negative": {100, -1}, "above the largest quantity": {authority.MaxQuantity + 1}, "too many": make([]int64, costing.MaxQuantities+1),
	} {
		_, err := costing.Calculate(costing.Request{
			Document: parse(t, example(t, "flyer")), Mode: costing.Authoritative, Authority: effective(t, printer()), Now: now, Quantities: quantities,
		})
		if !errors.Is(err, costing.ErrQuantities) {
			t.Errorf("%s: error %v, want ErrQuantities", name, err)
		}
	}
}

func TestADearerPaperChangesItsLineAlone(t *testing.T) {
	t.Parallel()
	before := costs(t, "flyer", nil)
	after := costs(t, "flyer", func(c *authority.Content) { c.Media[0].Price.Amount = dec("100") })
	got, err := costing.Compare(before, after)
	if err != nil || len(got) != 1 || len(got[0].Lines) != 1 {
		t.Fatalf("costing.Compare: %+v, %v; want one line", got, err)
	}
	// 332 sheets: 33.20 instead of 29.88.
	line := got[0].Lines[0]
	if line.Before.Amount.Amount() != "29.88" || line.After.Amount.Amount() != "33.20" || line.Change.Amount() != "3.32" || got[0].Change.Amount() != "3.32" {
		t.Errorf("line from %s to %s, change %s of %s", line.Before.Amount, line.After.Amount, line.Change, got[0].Change)
	}
}

// TestTheLinesOfADifferenceAddUp adds the changes of the lines in whole cents, read from their
// digits, for pairs of different products.
func TestTheLinesOfADifferenceAddUp(t *testing.T) {
	t.Parallel()
	names := exampleNames(t)
	for _, one := range names {
		for _, other := range names {
			all, err := costing.Compare(costs(t, one, nil, 100, 1000), costs(t, other, nil, 100, 1000))
			if err != nil {
				t.Fatalf("costing.Compare(%s, %s): %v", one, other, err)
			}
			for _, d := range all {
				sum := int64(0)
				for _, l := range d.Lines {
					sum += cents(t, l.Change)
				}
				if want := cents(t, d.After) - cents(t, d.Before); sum != want || cents(t, d.Change) != want {
					t.Errorf("%s to %s: the lines change by %d cents and the total by %s, want %d", one, other, sum, d.Change, want)
				}
			}
		}
	}
}

func TestDifferentCurrenciesAndQuantitiesAreIncomparable(t *testing.T) {
	t.Parallel()
	euro := costs(t, "flyer", nil)
	for name, other := range map[string]*costing.Result{
		"currency":   costs(t, "flyer", func(c *authority.Content) { c.Currency = "CHF" }),
		"quantities": costs(t, "flyer", nil, 1, 2),
	} {
		if _, err := costing.Compare(euro, other); !errors.Is(err, costing.ErrIncomparable) {
			t.Errorf("%s: error %v, want ErrIncomparable", name, err)
		}
	}
}

// cents returns an amount with two decimals as a whole number.
func cents(tb testing.TB, m money.Money) int64 {
	tb.Helper()
	text, negative := strings.CutPrefix(m.Amount(), "-")
	whole, fraction, _ := strings.Cut(text, ".")
	sum := int64(0)
	for _, digit := range whole + (fraction + "00")[:2] {
		sum = 10*sum + int64(digit-'0')
	}
	if negative {
		return -sum
	}
	return sum
}
