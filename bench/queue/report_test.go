// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"os/exec"
	"strings"
	"testing"
)

func TestRatiosAreTakenRoundByRound(t *testing.T) {
	t.Parallel()
	ours, theirs := []float64{1, 10, 3}, []float64{2, 20, 3}
	if got := medianRatio(ours, theirs, func(f float64) float64 { return f }); got != 0.5 {
		t.Errorf("median of the ratios = %v, want 0.5", got)
	}
}

func TestPercentilesAreValuesThatWereMeasured(t *testing.T) {
	t.Parallel()
	values := []int{5, 1, 4, 2, 3}
	for share, want := range map[float64]int{0: 1, 0.5: 3, 0.99: 5, 1: 5} {
		if got := percentile(values, share); got != want {
			t.Errorf("percentile %v = %d, want %d", share, got, want)
		}
	}
}

func TestReportRejectsValuesThatCannotBeMeasured(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"-count", "0"}, {"-jobs", "-1"}, {"-only", "speed"}, {"-speed"}} {
		if err := run(t.Context(), args, io.Discard); err == nil {
			t.Errorf("run %v = %v, want a refusal", args, err)
		}
	}
}

// The figures of so small a run mean nothing; that every job is done once, and
// by both, is checked inside.
func TestSmallRunReportsBothQueues(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("redis-server"); err != nil {
		t.Skipf("redis-server is not installed: %v", err)
	}
	var out strings.Builder
	err := run(t.Context(), []string{
		"-only", "cycle,latency,fairness", "-count", "1", "-jobs", "50", "-rate", "50", "-span", "200ms", "-backlog", "50", "-slow-asynq=false",
	}, &out)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| off | 1 | printmarket |", "| always | 16 | asynq |", "| asynq, TaskCheckInterval 10 ms |", "\nBenchmarkQueue/AOF=off/consumers=16 1 ", "\nBenchmarkQueue/fairness 1 "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report has no %q:\n%s", want, out.String())
		}
	}
}
