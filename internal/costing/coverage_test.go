// SPDX-License-Identifier: Apache-2.0

package costing_test

import (
	"errors"
	"fmt"
	"maps"
	"testing"

	"github.com/printmarket/printmarket/internal/costing"
	"github.com/printmarket/printmarket/internal/money"
)

// measured calculates the flyers of the guide with measured pages.
func measured(tb testing.TB, example string, pages ...map[string]money.Decimal) (*costing.Result, error) {
	tb.Helper()
	return costing.Calculate(costing.Request{
		Document: parse(tb, edited(tb, example, nil)), Mode: costing.Authoritative, Authority: effective(tb, printer()), Now: now, Coverage: pages,
	})
}

func page(cyan, magenta, yellow, black string) map[string]money.Decimal {
	return map[string]money.Decimal{"Cyan": dec(cyan), "Magenta": dec(magenta), "Yellow": dec(yellow), "Black": dec(black)}
}

// TestMeasuredCoverageMatchesIndependentArithmetic calculates the ink in whole micrograms: of the
// 2589 passes of the guide each prints two fronts and two backs of 154 x 216 mm, at 1.5 g/m2.
func TestMeasuredCoverageMatchesIndependentArithmetic(t *testing.T) {
	t.Parallel()
	result, err := measured(t, "flyer", page("30", "12.5", "0", "7"), page("10", "12.5", "0", "43"))
	if err != nil {
		t.Fatalf("costing.Calculate: %v", err)
	}
	got := map[string]string{}
	for _, l := range result.Breaks[0].Lines {
		if l.Item == costing.ItemInk {
			got[l.Resource.ID] = l.Quantity
		}
	}
	for id, percent := range map[string]int{"cyan": 30 + 10, "magenta": 25, "black": 7 + 43} {
		// 154 x 216 mm2 x 1.5 g/m2 is 154 x 216 x 1.5 ug.
		micrograms := 2589 * 2 * 154 * 216 * 3 / 2 * percent / 100
		want := fmt.Sprintf("0.%04d", (micrograms+50_000)/100_000)
		if got[id] != want {
			t.Errorf("%s: %s kg, want %s", id, got[id], want)
		}
	}
	if quantity, found := got["yellow"]; found {
		t.Errorf("a colour without coverage takes %s kg of ink", quantity)
	}
}

func TestIncompleteMeasurementsAreRefused(t *testing.T) {
	t.Parallel()
	full := page("20", "20", "20", "20")
	lacking := maps.Clone(full)
	delete(lacking, "Black")
	spot := maps.Clone(full)
	spot["Orange"] = dec("5")
	for name, test := range map[string]struct {
		example string
		pages   []map[string]money.Decimal
		code    costing.Code
		figures bool
	}{
		"one page of two":              {"flyer", []map[string]money.Decimal{full}, costing.CoverageUnknown, false},
		"a page too many":              {"flyer", []map[string]money.Decimal{full, full, full}, costing.CoverageUnknown, false},
		"a colour that is not there":   {"flyer", []map[string]money.Decimal{full, lacking}, costing.CoverageUnknown, false},
		"a share above 100 %":          {"flyer", []map[string]money.Decimal{full, page("101", "0", "0", "0")}, costing.CoverageUnknown, false},
		"an ink that is not requested": {"flyer", []map[string]money.Decimal{spot, full}, costing.ColorsUnknown, true},
		"a bound product":              {"booklet", []map[string]money.Decimal{full, full}, costing.CoverageUnknown, false},
	} {
		_, err := measured(t, test.example, test.pages...)
		var review *costing.ReviewError
		if !errors.As(err, &review) || review.Reasons[0].Code != test.code || (review.Result != nil) != test.figures {
			t.Errorf("%s: error %v, want a review with %s and figures %t", name, err, test.code, test.figures)
		}
	}
}
