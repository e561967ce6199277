// SPDX-License-Identifier: Apache-2.0

package preflight_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/pkg/preflight"
	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// FuzzUpdate annotates arbitrary bytes. Either Annotate refuses them, or file and update together
// are a valid PDF with the same number of pages.
func FuzzUpdate(f *testing.F) {
	const maxSeed = 32 << 10
	for _, data := range files() {
		if len(data) <= maxSeed {
			f.Add(data)
		}
	}
	for name, write := range pdftest.Hostile() {
		if strings.Contains(name, "bomb") {
			continue
		}
		if data := write(); len(data) <= maxSeed {
			f.Add(data)
		}
	}
	limits := document.DefaultLimits()
	limits.StreamBytes, limits.DocumentBytes, limits.ContentBytes, limits.ImageBytes = 1<<20, 4<<20, 4<<20, 4<<20
	limits.Pages, limits.Elements, limits.Operators = 100, 10_000, 100_000
	p, err := profile.Lookup("print_ready")
	if err != nil {
		f.Fatalf(`profile.Lookup("print_ready"): %v`, err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := preflight.Inspect(t.Context(), bytes.NewReader(data), int64(len(data)), p, preflight.Options{Limits: limits})
		if err != nil {
			t.Fatalf("preflight.Inspect: %v", err)
		}
		update, err := preflight.Annotate(t.Context(), bytes.NewReader(data), int64(len(data)), r, limits)
		var refusal report.Refusal
		if errors.As(err, &refusal) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := report.CheckUpdate(update); err != nil {
			t.Errorf("report.CheckUpdate: %v", err)
		}
		both := slices.Concat(data, update)
		collector := facts.NewCollector(nil)
		file, err := document.Open(t.Context(), bytes.NewReader(both), int64(len(both)), limits, collector)
		if file == nil || err != nil {
			t.Fatalf("the copy cannot be opened: %v, %+v", err, collector.Document().Incidents)
		}
		if n := len(file.Pages()); n != r.Document.Pages {
			t.Errorf("%d pages became %d", r.Document.Pages, n)
		}
	})
}
