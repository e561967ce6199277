// SPDX-License-Identifier: Apache-2.0

package preflight_test

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/pkg/preflight"
	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// FuzzUpdate annotates arbitrary bytes. Either Annotate refuses them, or file and update together
// are a valid PDF with the same number of pages.
func FuzzUpdate(f *testing.F) {
	p, limits := fuzzed(f)
	for _, data := range seeds() {
		f.Add(data)
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
		samePages(t, slices.Concat(data, update), limits, r.Document.Pages)
	})
}

// FuzzFix applies a fix to arbitrary bytes. Either it changes nothing, or file and update together
// are a valid PDF with the same number of pages.
func FuzzFix(f *testing.F) {
	p, limits := fuzzed(f)
	for i, data := range seeds() {
		f.Add(data, uint8(i)) // #nosec G115 -- any fix will do
	}
	profile, err := os.ReadFile("/usr/share/color/icc/ghostscript/default_cmyk.icc")
	if err != nil {
		f.Fatalf("os.ReadFile: %v (run make setup)", err)
	}
	opts := preflight.Options{
		Limits: limits, Output: &report.Output{Profile: profile}, Ticket: &jobticket.Ticket{TrimSize: &jobticket.Size{Width: 148, Height: 210}},
	}
	f.Fuzz(func(t *testing.T, data []byte, n uint8) {
		fix := report.Fixes()[int(n)%len(report.Fixes())]
		update, log, err := preflight.Fix(t.Context(), bytes.NewReader(data), int64(len(data)), p, []report.Fix{fix}, opts)
		if err != nil {
			t.Fatalf("preflight.Fix: %v", err)
		}
		if len(update) > 0 != (len(log.Applied) > 0) {
			t.Errorf("%s: %d bytes, applied %v", fix, len(update), log.Applied)
		}
		if len(update) > 0 {
			samePages(t, slices.Concat(data, update), limits, pagesOf(t, data, limits))
		}
	})
}

// samePages fails unless a file can be opened and has a number of pages.
func samePages(t *testing.T, data []byte, limits preflight.Limits, want int) {
	t.Helper()
	if n := pagesOf(t, data, limits); n != want {
		t.Errorf("%d pages became %d", want, n)
	}
}

// pagesOf returns the number of pages of a file that can be opened.
func pagesOf(t *testing.T, data []byte, limits preflight.Limits) int {
	t.Helper()
	collector := facts.NewCollector(nil)
	file, err := document.Open(t.Context(), bytes.NewReader(data), int64(len(data)), limits, collector)
	if file == nil || err != nil {
		t.Fatalf("the file cannot be opened: %v, %+v", err, collector.Document().Incidents)
	}
	return len(file.Pages())
}

// seeds returns small sound, flawed and hostile files.
func seeds() [][]byte {
	const most = 32 << 10
	var out [][]byte
	for _, data := range files() {
		if len(data) <= most {
			out = append(out, data)
		}
	}
	for name, write := range pdftest.Hostile() {
		if strings.Contains(name, "bomb") {
			continue
		}
		if data := write(); len(data) <= most {
			out = append(out, data)
		}
	}
	return out
}

// fuzzed returns a profile and small limits.
func fuzzed(f *testing.F) (profile.Profile, preflight.Limits) {
	f.Helper()
	limits := document.DefaultLimits()
	limits.StreamBytes, limits.DocumentBytes, limits.ContentBytes, limits.ImageBytes = 1<<20, 4<<20, 4<<20, 4<<20
	limits.Pages, limits.Elements, limits.Operators = 100, 10_000, 100_000
	p, err := profile.Lookup("print_ready")
	if err != nil {
		f.Fatalf(`profile.Lookup("print_ready"): %v`, err)
	}
	return p, limits
}
