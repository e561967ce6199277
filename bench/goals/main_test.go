// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTableComparesMetricsWithGoals(t *testing.T) {
	t.Parallel()
	measured := map[string]map[string]float64{
		"Fast": {"ratio": 0.25}, "Slow": {"ratio": 2}, "Reads": {"sec/op": 0.003}, "Base": {"sec/op": 0.002},
	}
	goals := []goal{
		{work: "fast", benchmark: "Fast", unit: "ratio", bound: 0.5},
		{work: "slow", benchmark: "Slow", unit: "ratio", bound: 1},
		{work: "many", benchmark: "Slow", unit: "ratio", bound: 1, least: true},
		{work: "reads", benchmark: "Reads", over: "Base", unit: "sec/op", bound: 1.5},
		{work: "gone", benchmark: "Gone", unit: "ratio", bound: 1},
		{work: "no base", benchmark: "Reads", over: "Gone", unit: "sec/op", bound: 1},
	}
	var got, partial strings.Builder
	err := table(&got, goals, measured, false, false)
	want := `| work | unit | result | goal | |
|---|---|---|---|---|
| fast | ratio | 0.25 | at most 0.5 | met |
| slow | ratio | 2 | at most 1 | missed |
| many | ratio | 2 | at least 1 | met |
| reads | ratio | 1.5 | at most 1.5 | met |
| gone | ratio | - | at most 1 | not measured |
| no base | ratio | - | at most 1 | not measured |
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
	if err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("error %v, want one line for each goal without a measurement", err)
	}
	if err := table(&partial, goals, measured, true, false); err != nil {
		t.Errorf("table of the goals that were measured: %v", err)
	}
	if want := want[:strings.Index(want, "| gone")]; partial.String() != want {
		t.Errorf("partial table:\n%s\nwant:\n%s", partial.String(), want)
	}
}

func TestStrictTableFailsForAMissedGoal(t *testing.T) {
	t.Parallel()
	measured := map[string]map[string]float64{"Fast": {"ratio": 0.25}, "Slow": {"ratio": 2}}
	for bound, missed := range map[float64]bool{1: true, 2: false} {
		err := table(io.Discard, []goal{{work: "fast", benchmark: "Fast", unit: "ratio", bound: 1}, {work: "slow", benchmark: "Slow", unit: "ratio", bound: bound}}, measured, true, true)
		if (err != nil) != missed || missed && !strings.Contains(err.Error(), "slow") {
			t.Errorf("goal of at most %v: %v, want a failure: %t", bound, err, missed)
		}
	}
}

func TestRunReadsTheOutputOfBenchmarks(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "bench.txt")
	output := "goos: linux\npkg: example.org/x\nBenchmarkInkOfAPage/a_photo-2 \t 3\t 400000000 ns/op\t 480.0 cpu-ms\t 452.0 ink-ms\nPASS\n" +
		"BenchmarkCurve/change/partners=10000-2 \t 20\t 12000000 ns/op\n"
	if err := os.WriteFile(file, []byte(output), 0o600); err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	err := run([]string{file}, false, false, &got)
	if err == nil {
		t.Error("no error for goals without a measurement")
	}
	for _, want := range []string{
		"| planes of one page, a photo, CPU | ink-ms | 452 | at most 300 | missed |",
		"| compile one change of 10,000 partners | sec/op | 0.012 | at most 0.015 | met |",
	} {
		if !strings.Contains(got.String(), want) {
			t.Errorf("the table lacks %s:\n%s", want, got.String())
		}
	}
}
