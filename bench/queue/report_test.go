// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

func TestMissedAimFailsTheRunAndIsNamed(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		aim    aim
		missed bool
	}{
		"a bound is kept":            {aim{what: "x", got: 1, bound: 1}, false},
		"a bound is passed":          {aim{what: "x", got: 1.01, bound: 1}, true},
		"a least value is reached":   {aim{what: "x", got: 100, bound: 100, least: true}, false},
		"a least value is not there": {aim{what: "x", got: 99, bound: 100, least: true}, true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &report{out: io.Discard}
			r.aim(tc.aim)
			err := r.verdict()
			if errors.Is(err, errMissed) != tc.missed {
				t.Errorf("verdict = %v, want missed %v", err, tc.missed)
			}
			if tc.missed && !strings.Contains(err.Error(), "x") {
				t.Errorf("verdict %q does not name the aim", err)
			}
		})
	}
}

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
		if err := run(t.Context(), args, io.Discard); err == nil || errors.Is(err, errMissed) {
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
	if err != nil && !errors.Is(err, errMissed) {
		t.Fatal(err)
	}
	for _, want := range []string{"| off | 1 | printmarket |", "| always | 16 | asynq |", "| asynq, TaskCheckInterval 10 ms |", "| wait behind another tenant's backlog"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report has no %q:\n%s", want, out.String())
		}
	}
}
