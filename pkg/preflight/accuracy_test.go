// SPDX-License-Identifier: Apache-2.0

package preflight_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/printmarket/printmarket/pkg/preflight"
	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/pkg/preflight/rules"
)

// confusion counts the results of a rule for files that break it and files that do not.
type confusion struct{ truePositive, falsePositive, trueNegative, falseNegative int }

func (c *confusion) count(breaks, found bool) {
	switch {
	case breaks && found:
		c.truePositive++
	case breaks:
		c.falseNegative++
	case found:
		c.falsePositive++
	default:
		c.trueNegative++
	}
}

func (c *confusion) add(o confusion) {
	c.truePositive += o.truePositive
	c.falsePositive += o.falsePositive
	c.trueNegative += o.trueNegative
	c.falseNegative += o.falseNegative
}

// TestEveryRuleFindsItsFlawAndNothingElse inspects a file that breaks each rule and a
// twin that does not, and prints the results.
func TestEveryRuleFindsItsFlawAndNothingElse(t *testing.T) {
	t.Parallel()
	table := map[string]*confusion{}
	for _, flaw := range slices.Concat(pdftest.Flaws(), limited()) {
		c := table[flaw.Rule]
		if c == nil {
			c = &confusion{}
			table[flaw.Rule] = c
		}
		for _, file := range []struct {
			pdf    []byte
			breaks bool
		}{{flaw.Breaks(), true}, {flaw.Twin(), false}} {
			found := finds(t, flaw, file.pdf)
			c.count(file.breaks, found)
			if found != file.breaks {
				t.Errorf("%s %s: found %t in a file that breaks it %t", flaw.Rule, flaw.Variant, found, file.breaks)
			}
		}
	}
	for _, rule := range rules.All() {
		// No known file makes the parser panic. A test of package document covers
		// the panic.
		if c := table[rule.ID]; rule.ID == document.RulePanic {
			continue
		} else if c == nil || c.truePositive == 0 || c.trueNegative == 0 {
			t.Errorf("%s has no file that breaks it and twin that does not", rule.ID)
		}
	}
	t.Log("\n" + matrix(table))
}

// limited returns flaws of files that are large only for the limits of these tests.
func limited() []pdftest.Flaw {
	padded := func(bytes int) func() []byte {
		return func() []byte { return append(pdftest.Good(), strings.Repeat("%", bytes)...) }
	}
	pictured := func(edge int) func() []byte {
		return func() []byte {
			s := pdftest.NewSound()
			im := s.Image(pdftest.Image{Width: edge, Height: edge})
			return s.Document(pdftest.Print(pdftest.Place("Im", 60, 60, 72, 72), fmt.Sprintf("/XObject << /Im %s >>", im)))
		}
	}
	return []pdftest.Flaw{
		{Rule: document.RuleFileSize, Breaks: padded(2 << 20), Twin: padded(1)},
		{Rule: document.RuleImageBytes, Breaks: pictured(600), Twin: pictured(300)},
	}
}

// limitsOf returns smaller limits than those of production for the flaws of some limits.
// Tests of the sandbox reach the limits of production, without the race detector.
func limitsOf(rule string) document.Limits {
	limits := document.DefaultLimits()
	switch rule {
	case document.RuleFileSize:
		limits.FileBytes = 1 << 20
	case document.RuleImageBytes:
		limits.ImageBytes = 1 << 20
	case document.RuleOperators:
		limits.Operators /= 20
	case document.RuleContent:
		limits.ContentBytes /= 10
	}
	return limits
}

// finds reports whether the rule of a flaw has a finding about a file.
func finds(t *testing.T, flaw pdftest.Flaw, pdf []byte) bool {
	t.Helper()
	made, err := preflight.Inspect(t.Context(), bytes.NewReader(pdf), int64(len(pdf)), judge(t, flaw), preflight.Options{Ticket: flaw.Ticket, Limits: limitsOf(flaw.Rule)})
	if err != nil {
		t.Fatalf("preflight.Inspect: %v", err)
	}
	return slices.ContainsFunc(made.Findings, func(f report.Finding) bool { return f.Rule == flaw.Rule })
}

// judge returns the profile of a flaw, or a profile that selects only its rule.
func judge(t *testing.T, flaw pdftest.Flaw) profile.Profile {
	t.Helper()
	switch flaw.Profile {
	case "":
		return lookup(t, "print_ready")
	case pdftest.NoProfile:
		return profile.Profile{Name: "one_rule", Version: "1", Rules: map[string]profile.Setting{flaw.Rule: {Severity: report.Info, Source: "test"}}}
	}
	return lookup(t, flaw.Profile)
}

// matrix formats the confusion of every rule, and the sum.
func matrix(table map[string]*confusion) string {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "rule\ttrue +\tfalse +\ttrue -\tfalse -\t")
	var all confusion
	for _, id := range slices.Sorted(maps.Keys(table)) {
		c := *table[id]
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t\n", id, c.truePositive, c.falsePositive, c.trueNegative, c.falseNegative)
		all.add(c)
	}
	fmt.Fprintf(w, "all %d rules\t%d\t%d\t%d\t%d\t\n", len(table), all.truePositive, all.falsePositive, all.trueNegative, all.falseNegative)
	_ = w.Flush() // a strings.Builder does not fail
	return out.String()
}

// TestTwinHasNoError keeps false alarms out: a twin differs from a sound
// file only as far as it must.
func TestTwinHasNoError(t *testing.T) {
	t.Parallel()
	// inevitable lists the errors that a twin cannot avoid, by flaw.
	inevitable := map[string]string{
		"security.password_required ": "security.encrypted",
		"security.print_denied ":      "security.encrypted",
		"color.rgb in an appearance":  "annotation.in_trim",
	}
	for _, flaw := range pdftest.Flaws() {
		if flaw.Profile == pdftest.NoProfile {
			continue
		}
		pdf := flaw.Twin()
		made, err := preflight.Inspect(t.Context(), bytes.NewReader(pdf), int64(len(pdf)), judge(t, flaw), preflight.Options{Ticket: flaw.Ticket})
		if err != nil {
			t.Fatalf("preflight.Inspect: %v", err)
		}
		for i := range made.Findings {
			if f := &made.Findings[i]; f.Severity == report.Error && f.Rule != inevitable[flaw.Rule+" "+flaw.Variant] {
				t.Errorf("%s %s: its twin has %s: %s", flaw.Rule, flaw.Variant, f.Rule, f.Message)
			}
		}
	}
}
