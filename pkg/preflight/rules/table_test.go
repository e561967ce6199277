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
			t.Errorf("%s: invalid id of a rule", r.ID)
		case i > 0 && all[i-1].ID >= r.ID:
			t.Errorf("%s: not in alphabetical order, or repeated", r.ID)
		case string(r.Category) != category:
			t.Errorf("%s: category %s, want %s", r.ID, r.Category, category)
		case r.Title == "" || !strings.HasSuffix(r.FixHint, "."):
			t.Errorf("%s: title or hint is missing", r.ID)
		case (r.Op == "") != (r.Unit == ""):
			t.Errorf("%s: an operator needs a unit", r.ID)
		case r.Ticket && !r.Always:
			t.Errorf("%s: a rule about the order must apply with every profile", r.ID)
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
			t.Errorf("no rule reports the incidents of %s", id)
		}
	}
}

func TestEveryProfileFitsTheTable(t *testing.T) {
	t.Parallel()
	all, err := profile.All()
	if err != nil {
		t.Fatalf("profile.All: %v", err)
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
			t.Errorf("%s: severity %s in the default profile, want %s", r.ID, s.Severity, r.Severity)
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
		"an unknown rule":                            {"no.such_rule", profile.Setting{}},
		"a rule that profiles cannot set":            {"structure.page_tree", profile.Setting{}},
		"a rule of the order":                        {"intent.trim_size", profile.Setting{}},
		"a missing limit":                            {"image.ppi_low", profile.Setting{}},
		"a limit of a rule without a value":          {"color.rgb", profile.Setting{Limit: &one}},
		"a tolerance of a rule without one":          {"color.rgb", profile.Setting{Tolerance: 1}},
		"an area of a rule without one":              {"image.ppi_low", profile.Setting{Limit: &one, Area: 1}},
		"a multiple of 0":                            {"page.count_multiple", profile.Setting{Limit: &none}},
		"a tolerance of a rule with an area only":    {"ink.tac", profile.Setting{Limit: &one, Tolerance: 1}},
		"a lighter severity of a rule about reading": {"file.empty", profile.Setting{Severity: report.Info}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := profile.Profile{Rules: map[string]profile.Setting{tc.id: tc.setting}}
			if err := rules.Check(p); !errors.Is(err, profile.ErrInvalid) {
				t.Errorf("%s with %+v: error %v, want ErrInvalid", tc.id, tc.setting, err)
			}
		})
	}
}
