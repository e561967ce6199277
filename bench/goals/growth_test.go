// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGrowthIsTheExponentFromEachSizeToTheNext(t *testing.T) {
	t.Parallel()
	measured := map[string]map[string]float64{
		"Flat/n=10": {"ms": 4}, "Flat/n=100": {"ms": 4}, "Flat/n=1000": {"ms": 4},
		"Square/n=5/all": {"ms": 1}, "Square/n=50/all": {"ms": 10}, "Square/n=500/all": {"ms": 1000},
		"Short/n=1": {"ms": 1}, "Short/n=10": {"ms": 2},
	}
	all := []series{
		{"flat", "Flat/n=%d", "ms", 10, "rows"},
		{"short", "Short/n=%d", "ms", 1, "rows"},
		{"square", "Square/n=%d/all", "ms", 5, "lines"},
	}
	const want = `
Growth

| work | data of 1x | unit | 1x | 10x | 100x | exponent to 10x | to 100x |
|---|---|---|---|---|---|---|---|
| flat | 10 rows | ms | 4 | 4 | 4 | 0.00 | 0.00 |
| square | 5 lines | ms | 1 | 10 | 1000 | 1.00 | 2.00 |
`
	for partial, fails := range map[bool]string{true: "", false: "short: no metric ms of BenchmarkShort/n=100"} {
		var got strings.Builder
		err := growth(&got, all, measured, partial)
		if diff := cmp.Diff(want, got.String()); diff != "" {
			t.Errorf("partial %t: table (-want +got):\n%s", partial, diff)
		}
		if (err != nil) != (fails != "") || err != nil && err.Error() != fails {
			t.Errorf("partial %t: error %v, want %q", partial, err, fails)
		}
	}
}

func TestPartialRunWithoutASeriesPrintsNoTableOfGrowth(t *testing.T) {
	t.Parallel()
	var got strings.Builder
	if err := growth(&got, allSeries(), nil, true); err != nil || got.Len() > 0 {
		t.Errorf("growth = %q, %v; want nothing", got.String(), err)
	}
}
