// SPDX-License-Identifier: Apache-2.0

package costing_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/costing"
)

func TestEverySpellingOfANumberGivesOneValue(t *testing.T) {
	t.Parallel()
	for want, spellings := range map[string][]string{
		"419.528":  {"419.528", "419.5280", "0419.528", "+419.528", "4.19528E2", "41952.8e-2", "419.52800000000000000001", " 419.528 "},
		"0":        {"0", "-0", "0.0", ".0", "0e5", "0.0000004", "1e-60"},
		"-1.5":     {"-1.5", "-15e-1"},
		"5000":     {"5000", "5e3", "5000.0"},
		"0.000001": {"0.0000005", "1e-6", ".000001"},
	} {
		for _, spelling := range spellings {
			got, ok := costing.Number(spelling)
			if !ok || got.String() != want {
				t.Errorf("%q is %s (%v), want %s", spelling, got, ok, want)
			}
		}
	}
}

func TestInvalidNumberIsRejected(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", " ", ".", "-", "+", "e5", "1e", "1e5.5", "INF", "NaN", "1,5", "0x10", "1_000", "--1", "+-1", "1e999", "10000000001", "1 2", "٣", strings.Repeat("1", 65)} {
		if got, ok := costing.Number(text); ok {
			t.Errorf("%q was parsed as %s, want a rejection", text, got)
		}
	}
}

func TestPointsBecomeTheNearestMicrometre(t *testing.T) {
	t.Parallel()
	got := map[string]int64{}
	for _, text := range []string{"72", "419.528", "595.276", "841.89", "8.504", "0"} {
		got[text] = costing.Micrometres(text)
	}
	want := map[string]int64{"72": 25_400, "419.528": 148_000, "595.276": 210_000, "841.89": 297_000, "8.504": 3_000, "0": 0}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("micrometres (-want +got):\n%s", diff)
	}
}
