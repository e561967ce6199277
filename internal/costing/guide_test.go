// SPDX-License-Identifier: Apache-2.0

package costing_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/costing"
	"github.com/printmarket/printmarket/pkg/xjdf/validate"
)

const examples = "../../docs/examples/costing"

func example(tb testing.TB, name string) []byte {
	tb.Helper()
	body, err := os.ReadFile(filepath.Join(examples, name+".json"))
	if err != nil {
		tb.Fatalf("os.ReadFile: %v", err)
	}
	return body
}

func exampleNames(tb testing.TB) []string {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join(examples, "*.json"))
	if err != nil || len(files) == 0 {
		tb.Fatalf("no examples: %v", err)
	}
	names := make([]string, len(files))
	for i, file := range files {
		names[i] = strings.TrimSuffix(filepath.Base(file), ".json")
	}
	return names
}

// handCalculated returns the lines and the total of an example of the reference.
func handCalculated(tb testing.TB, name string) (lines []string, total string) {
	tb.Helper()
	page, err := os.ReadFile("../../docs/reference/costing-examples.md")
	if err != nil {
		tb.Fatalf("os.ReadFile: %v", err)
	}
	_, section, found := strings.Cut(string(page), "## Example: "+name+"\n")
	if !found {
		tb.Fatalf("the reference has no example %s", name)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if len(cells) == 8 && !strings.HasPrefix(cells[0], "| step") {
			cells[0], cells[7] = strings.TrimPrefix(cells[0], "| "), strings.TrimSuffix(cells[7], " |")
			lines = append(lines, strings.Join(append(cells[:3:3], cells[4:]...), " "))
		}
	}
	_, after, _ := strings.Cut(section, "Total: **")
	total, _, _ = strings.Cut(after, "**")
	return lines, total
}

// TestExamplesMatchIndependentArithmetic calculates the media, plates, ink, materials and machines of
// the examples again, with floating point and from the measures of the products.
func TestExamplesMatchIndependentArithmetic(t *testing.T) {
	t.Parallel()
	fed := func(good, percent, setup float64) float64 { return math.Ceil(good/(1-percent/100)-1e-9) + setup }
	// Two passes: the sheets of the first one and of both.
	passes := func(good, setup float64) (first, both float64) {
		second := fed(good, 1, 0)
		first = fed(second, 1, setup)
		return first, first + second
	}
	const solid = 0.2 * 1.5 / 1000 // kg for a m2 of each colour
	filmed := fed(63, 1, 10)
	cards := fed(filmed, 0.5, 2)
	posters := fed(40, 0.5, 2)

	leaflets := fed(2500, 1, 20)
	varnished := fed(math.Ceil(leaflets/2), 1, 20)
	backs := fed(varnished, 1, 50)
	fronts := fed(backs, 1, 50)

	stitched := fed(1000, 2, 40)
	folded := fed(stitched, 1, 20)
	cover, covers := passes(math.Ceil(stitched/2), 50)
	sheet, sheets := passes(math.Ceil(folded/2), 100)

	trimmed := fed(2000, 0.5, 5)
	glued := fed(trimmed, 2, 30)
	laminated := fed(math.Ceil(glued/2), 1, 10)
	jacket := fed(laminated, 1, 50)
	folded16, folded8 := fed(10*glued, 1, 20), fed(glued, 1, 20)
	first16, both16 := passes(math.Ceil(math.Ceil(folded16/2)/10), 100)
	first8, both8 := passes(math.Ceil(folded8/4), 100)
	book := 10*both16 + both8
	for name, want := range map[string]map[string]float64{
		"poster": {"sra3-170 media": posters * 0.45 * 0.32 * 0.5, "digital-48 clicks": posters * 0.04, "digital-48 machine": (3/60.0 + posters/2000) * 30, "cutter machine": (3/60.0 + 4/120.0) * 18},
		"business-cards": {
			"board-300 media": math.Ceil(cards/12) * 0.25, "digital-48 clicks": cards * (0.04 + 0.008), "digital-48 machine": (3/60.0 + cards/2000) * 30,
			"film-matte film": filmed * 0.25 * 0.7 / 3 * 0.2, "laminator machine": (15/60.0 + filmed/1500) * 25, "cutter machine": (2*3/60.0 + (12+5)/120.0) * 18,
		},
		"brochure": {
			"gloss-135 media": math.Ceil(fronts/4) / 1000 * 90, "plate-52 plates": 8 * 5, "press-52 machine": (2*6/60.0 + (fronts+backs)/8000) * 60, "cyan ink": (fronts + backs) * 2 * 0.303 * 0.216 * solid * 12,
			"aqueous varnish": varnished * 2 * 0.303 * 0.216 * 2 / 1000 * 4, "coater machine": (20/60.0 + varnished/3000) * 60, "folder machine": (12/60.0 + leaflets/6000) * 30,
		},
		"booklet": {
			"board-300 media": math.Ceil(cover/4) * 0.25, "matt-115 media": sheet * 0.7 * 0.115 * 1.2, "plate-100 plates": 4 * 10, "press-52 machine": (6/60.0 + covers/8000) * 60, "press-100 machine": (12/60.0 + sheets/10_000) * 180,
			"cyan ink":       (covers*2*0.302*0.216 + sheets*16*0.151*0.216) * solid * 12,
			"folder machine": (12/60.0 + folded/6000) * 30, "stitcher machine": (30/60.0 + stitched/5000) * 80,
		},
		"book": {
			"board-300 media": math.Ceil(jacket/4) * 0.25, "offset-90 media": (10*first16 + first8) * 0.7 * 0.09, "plate-100 plates": 11 * 10, "press-52 machine": (6/60.0 + jacket/8000) * 60, "press-100 machine": (11*12/60.0 + book/10_000) * 180,
			"black ink":       (jacket*2*(2*148+84*0.12+6)/1000*0.216 + book*16*0.148*0.21) * solid * 10,
			"film-matte film": laminated * 0.5 * 0.35 * 0.2, "folder machine": (2*12/60.0 + (folded16+folded8)/6000) * 30,
			"hotmelt adhesive": glued * 0.21 * 20 / 1000 * 5, "binder machine": (45/60.0 + glued/2000) * 90, "trimmer machine": (15/60.0 + trimmed/3000) * 40,
		},
	} {
		result, err := calculate(t, example(t, name))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		i := slices.IndexFunc(result.Breaks, func(b costing.Break) bool { return b.Quantity == result.Product.Quantity })
		compareAmounts(t, name, &result.Breaks[i], want)
	}
}

// compareAmounts compares the sum of the lines of each resource and item.
func compareAmounts(tb testing.TB, name string, b *costing.Break, want map[string]float64) {
	tb.Helper()
	got, tolerance := map[string]float64{}, map[string]float64{}
	for _, l := range b.Lines {
		key := l.Resource.ID + " " + string(l.Item)
		got[key] += float64(cents(tb, l.Amount)) / 100
		// The quantity of a line is rounded to 4 places, hours twice, and the amount to a cent.
		rate, _ := strconv.ParseFloat(l.Rate, 64)
		tolerance[key] += 0.0051 + rate*0.00011
	}
	for key, expected := range want {
		if math.Abs(got[key]-expected) > tolerance[key] {
			tb.Errorf("%s: %s costs %.2f, want %.4f", name, key, got[key], expected)
		}
	}
}

func TestExamplesMatchHandCalculation(t *testing.T) {
	t.Parallel()
	for _, name := range exampleNames(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, err := calculate(t, example(t, name))
			if err != nil {
				t.Fatalf("cannot calculate the example: %v", err)
			}
			want, total := handCalculated(t, name)
			compareByHand(t, result, want, total)
		})
	}
}

// compareByHand compares the lines and the total of the requested quantity.
func compareByHand(t *testing.T, result *costing.Result, want []string, total string) {
	t.Helper()
	for _, b := range result.Breaks {
		if b.Quantity != result.Product.Quantity {
			continue
		}
		var got []string
		for _, l := range b.Lines {
			got = append(got, fmt.Sprintf("%s %s %s %s %s %s %s", l.Step, l.Item, l.Resource.ID, l.Quantity, l.Unit, l.Rate, l.Amount.Amount()))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("lines (-by hand +calculated):\n%s", diff)
		}
		if b.Total.String() != total {
			t.Errorf("total is %s, want %s as calculated by hand", b.Total, total)
		}
	}
}

func TestBreakTotalsMatchGuide(t *testing.T) {
	t.Parallel()
	result, err := calculate(t, example(t, "brochure"))
	if err != nil {
		t.Fatalf("cannot calculate the example: %v", err)
	}
	got := map[int64]string{}
	for _, b := range result.Breaks {
		got[b.Quantity] = b.Total.Amount() + " " + b.Plan[0].Press
	}
	want := map[int64]string{1000: "165.50 press-52", 2500: "244.09 press-52", 5000: "367.32 press-100"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("difference from the guide (-want +got):\n%s", diff)
	}
}

func TestExamplesAreValidDocuments(t *testing.T) {
	t.Parallel()
	validator := validate.New()
	for _, name := range exampleNames(t) {
		report := validator.Validate(parse(t, example(t, name)), validate.Options{Profile: validate.ProductIntent})
		for _, f := range report.Findings {
			if f.Severity == validate.Error {
				t.Errorf("%s: %s %s", name, f.Code, f.Message)
			}
		}
	}
}
