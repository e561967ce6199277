// SPDX-License-Identifier: Apache-2.0

package rules_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/pkg/preflight/rules"
)

func TestTableIsWellFormed(t *testing.T) {
	t.Parallel()
	all := rules.All()
	id := regexp.MustCompile(`^[a-z]+\.[a-z0-9_]+$`)
	for i, r := range all {
		category, _, _ := strings.Cut(r.ID, ".")
		switch {
		case !id.MatchString(r.ID):
			t.Errorf("%s: not a rule id", r.ID)
		case i > 0 && all[i-1].ID >= r.ID:
			t.Errorf("%s: out of order, or there twice", r.ID)
		case string(r.Category) != category:
			t.Errorf("%s: category %s", r.ID, r.Category)
		case r.Title == "" || !strings.HasSuffix(r.FixHint, "."):
			t.Errorf("%s: title or hint is missing", r.ID)
		case (r.Op == "") != (r.Unit == ""):
			t.Errorf("%s: an operator needs a unit", r.ID)
		case r.Ticket && !r.Always:
			t.Errorf("%s: an order is not for a profile to judge", r.ID)
		}
		if _, err := report.ParseSeverity(string(r.Severity)); err != nil {
			t.Errorf("%s: %v", r.ID, err)
		}
	}
}

func TestEveryIncidentHasARule(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, r := range rules.All() {
		known[r.ID] = true
	}
	for _, id := range []string{
		document.RuleNotPDF, document.RuleEmpty, document.RuleUnreadable, document.RulePanic, document.RulePageTree,
		document.RuleStream, document.RulePassword, document.RuleEncrypted, document.RuleFileSize, document.RulePages,
		document.RuleDecode, document.RuleContent, document.RuleOperators, document.RuleNesting,
		"limits.images", "limits.fonts", "limits.annotations", "limits.inks", "structure.repaired",
	} {
		if !known[id] {
			t.Errorf("incidents of %s would be lost", id)
		}
	}
}

func TestEveryProfileFitsTheTable(t *testing.T) {
	t.Parallel()
	all, err := profile.All()
	if err != nil {
		t.Fatal(err)
	}
	selected := map[string]bool{}
	for _, p := range all {
		if err := rules.Check(p); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
		for id := range p.Rules {
			selected[id] = true
		}
	}
	for _, r := range rules.All() {
		if !r.Always && !selected[r.ID] {
			t.Errorf("no profile selects %s", r.ID)
		}
	}
}

func TestDefaultSeverityIsThatOfTheDefaultProfile(t *testing.T) {
	t.Parallel()
	p := lookup(t, profile.Default)
	for _, r := range rules.All() {
		if s, selected := p.Rules[r.ID]; selected && s.Severity != r.Severity {
			t.Errorf("%s: %s, but usually %s", r.ID, s.Severity, r.Severity)
		}
	}
}

func TestCheckRefuses(t *testing.T) {
	t.Parallel()
	one, none := 1.0, 0.0
	tests := map[string]struct {
		id      string
		setting profile.Setting
	}{
		"a rule that is not there":           {"no.such_rule", profile.Setting{}},
		"a rule that profiles cannot set":    {"structure.page_tree", profile.Setting{}},
		"a rule of the order":                {"intent.trim_size", profile.Setting{}},
		"a missing limit":                    {"image.ppi_low", profile.Setting{}},
		"a limit of what compares nothing":   {"color.rgb", profile.Setting{Limit: &one}},
		"a tolerance of what has none":       {"color.rgb", profile.Setting{Tolerance: 1}},
		"an area of what has none":           {"image.ppi_low", profile.Setting{Limit: &one, Area: 1}},
		"a multiple of nothing":              {"page.count_multiple", profile.Setting{Limit: &none}},
		"a tolerance where only an area is":  {"ink.tac", profile.Setting{Limit: &one, Tolerance: 1}},
		"a rule of the reading made lighter": {"file.empty", profile.Setting{Severity: report.Info}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := profile.Profile{Rules: map[string]profile.Setting{tc.id: tc.setting}}
			if err := rules.Check(p); !errors.Is(err, profile.ErrInvalid) {
				t.Errorf("%s with %+v: %v", tc.id, tc.setting, err)
			}
		})
	}
}
