// SPDX-License-Identifier: Apache-2.0

package costing_test

import (
	"fmt"
	"os"
	"path/filepath"
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
