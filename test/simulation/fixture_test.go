// SPDX-License-Identifier: Apache-2.0

package simulation_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"text/tabwriter"
	"time"

	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/test/simulation"
)

// The scenarios run in two sizes: small with all tests, and large with `make simulate`, which
// prints the figures of the guide. Time is virtual, so the figures are the same on every machine.

// mode returns "" for small scenarios, "check" for large ones whose figures must equal those of
// the guide, and "update" for large ones that write their figures into the guide.
func mode() string { return os.Getenv("PRINTMARKET_SIMULATE") }

// size picks the small or the large value.
func size[T any](small, large T) T {
	if mode() == "" {
		return small
	}
	return large
}

func owner(name string) tenant.ID {
	return tenant.ID{Organization: "org_" + name, Mode: tenant.Live}
}

// weights returns shares with the given weights by name.
func weights(of map[string]queue.Share) func(tenant.ID) queue.Share {
	return func(id tenant.ID) queue.Share { return of[strings.TrimPrefix(id.Organization, "org_")] }
}

type fixture struct {
	*simulation.Model
	t *testing.T
}

func newFixture(t *testing.T, config simulation.Config) *fixture {
	t.Helper()
	w, err := simulation.New(config)
	if err != nil {
		t.Fatalf("simulation.New: %v", err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return &fixture{w, t}
}

// scenario runs a test in virtual time, in parallel with others.
func scenario(t *testing.T, run func(*testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, run)
}

func (w *fixture) run(until time.Duration) {
	w.t.Helper()
	if err := w.Run(until); err != nil {
		w.t.Fatalf("Run(%s): %v", until, err)
	}
}

func (w *fixture) drain(limit time.Duration) {
	w.t.Helper()
	if err := w.Drain(limit); err != nil {
		w.t.Fatalf("Drain(%s): %v", limit, err)
	}
}

// table formats rows in columns.
func table(rows ...[]any) string {
	var text strings.Builder
	columns := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		for i, cell := range row {
			if d, isTime := cell.(time.Duration); isTime {
				cell = rounded(d)
			}
			if i > 0 {
				_, _ = fmt.Fprint(columns, "\t")
			}
			_, _ = fmt.Fprint(columns, cell)
		}
		_, _ = fmt.Fprintln(columns)
	}
	_ = columns.Flush()
	lines := strings.Split(text.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// rounded formats a duration with about three digits.
func rounded(d time.Duration) string {
	switch {
	case d >= 10*time.Minute:
		return d.Round(time.Minute).String()[:len(d.Round(time.Minute).String())-2]
	case d >= 10*time.Second:
		return d.Round(100 * time.Millisecond).String()
	case d >= time.Second:
		return d.Round(10 * time.Millisecond).String()
	default:
		return d.Round(100 * time.Microsecond).String()
	}
}

func percent(part float64) string { return fmt.Sprintf("%.1f %%", 100*part) }

// waits returns the columns about waiting of a row.
func waits(w simulation.Waits) []any { return []any{len(w), w.At(0.5), w.At(0.99), w.At(1)} }

func row(cells ...any) []any {
	var flat []any
	for _, cell := range cells {
		if list, isList := cell.([]any); isList {
			flat = append(flat, list...)
		} else {
			flat = append(flat, cell)
		}
	}
	return flat
}

// meanPreflight returns the mean duration of a job.
func meanPreflight() time.Duration {
	return simulation.Mean(simulation.Preflight, rand.New(rand.NewPCG(1, 1)))
}
