// SPDX-License-Identifier: Apache-2.0

package preflight_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/preflight"
	"github.com/printmarket/printmarket/pkg/preflight/internal/texts"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// translatable fails unless each finding of a report has its message in each language,
// also after encoding.
func translatable(t *testing.T, name string, r report.Report, seen map[string]bool) {
	t.Helper()
	data, err := report.Encode(r)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	decoded, err := report.Decode(data)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if diff := cmp.Diff(r.Findings, decoded.Findings); diff != "" {
		t.Errorf("%s: findings after encoding (-want +got):\n%s", name, diff)
	}
	for _, f := range decoded.Findings {
		seen[f.MessageID] = true
		for _, language := range report.Languages() {
			sentence, fits := texts.In(language).Message(f.MessageID, f.Parameters)
			if !fits || language == r.Language && sentence != f.Message {
				t.Errorf("%s, %s: message %s of the parameters %v is %q, the report has %q", name, language, f.MessageID, f.Parameters, sentence, f.Message)
			}
		}
	}
	if back := report.Localize(report.Localize(decoded, texts.German), texts.English); !cmp.Equal(back, decoded) {
		t.Errorf("%s: to German and back (-want +got):\n%s", name, cmp.Diff(decoded, back))
	}
}

// TestEveryFindingOfTheTestFilesIsTranslatable inspects the faulty and the hostile
// files.
func TestEveryFindingOfTheTestFilesIsTranslatable(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, flaw := range slices.Concat(pdftest.Flaws(), limited()) {
		name := flaw.Profile
		if name == "" || name == pdftest.NoProfile {
			name = profile.Default
		}
		data := flaw.Breaks()
		r, err := preflight.Inspect(t.Context(), bytes.NewReader(data), int64(len(data)), lookup(t, name), preflight.Options{Ticket: flaw.Ticket, Limits: limitsOf(flaw.Rule)})
		if err != nil {
			t.Fatalf("%s %s: %v", flaw.Rule, flaw.Variant, err)
		}
		translatable(t, flaw.Rule+" "+flaw.Variant, r, seen)
	}
	for _, name := range []string{"empty", "not a PDF", "only a header", "unknown version", "truncated", "password"} {
		translatable(t, name, inspect(t, pdftest.Hostile()[name](), profile.Default), seen)
	}
	if len(seen) < 90 {
		t.Errorf("the files have %d messages, want at least 90", len(seen))
	}
}
