// SPDX-License-Identifier: Apache-2.0

package rules_test

import (
	"strings"
	"testing"

	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/pkg/preflight/rules"
)

func TestEveryRuleNamesItsSubject(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"box.bleed_short": "the boxes of each page, and the artwork at its edges",
		"ink.tac":         "the inks of the document, and the ink coverage of each page",
		"text.small":      "each painted object of these kinds: text",
		"line.hairline":   "each painted object of these kinds: lines",
		"page.count":      "the pages: their number, sizes and orientation",
	}
	for _, rule := range rules.All() {
		got := rule.LooksAt()
		if got == "" || strings.HasSuffix(got, " ") || strings.Contains(got, " more") {
			t.Errorf("%s has the subject %q", rule.ID, got)
		}
		if wanted, listed := want[rule.ID]; listed && got != wanted {
			t.Errorf("%s: subject %q, want %q", rule.ID, got, wanted)
		}
		delete(want, rule.ID)
	}
	for id := range want {
		t.Errorf("there is no rule %s", id)
	}
}

func TestBoundsDescribeASetting(t *testing.T) {
	t.Parallel()
	three, all := 3.0, 300.0
	for sentence, tc := range map[string]struct {
		rule    rules.Rule
		setting profile.Setting
		want    string
	}{
		"nothing":                     {rules.Rule{}, profile.Setting{}, ""},
		"a limit":                     {rules.Rule{Op: ">=", Unit: "mm"}, profile.Setting{Limit: &three}, ">= 3 mm"},
		"a tolerance in its unit":     {rules.Rule{Op: ">=", Unit: "mm", Tolerance: "mm"}, profile.Setting{Limit: &three, Tolerance: 0.1}, ">= 3 mm ± 0.1"},
		"a tolerance in another unit": {rules.Rule{Op: "<=", Unit: "%", Tolerance: "points"}, profile.Setting{Limit: &all, Tolerance: 2}, "<= 300 % ± 2 points"},
		"a tolerance alone":           {rules.Rule{Tolerance: "mm"}, profile.Setting{Tolerance: 0.05}, "± 0.05 mm"},
		"a minimum area":              {rules.Rule{Op: "<=", Unit: "%", Area: true}, profile.Setting{Limit: &all, Area: 15}, "<= 300 % on 15 mm2"},
	} {
		if got := tc.rule.Bounds(tc.setting); got != tc.want {
			t.Errorf("%s: %q, want %q", sentence, got, tc.want)
		}
	}
}

func TestProfileAppliesSelectedAndMandatoryRules(t *testing.T) {
	t.Parallel()
	p := profile.Profile{Rules: map[string]profile.Setting{"a.selected": {Severity: "warning", Limit: new(3.0)}}}
	tests := map[string]struct {
		rule     rules.Rule
		severity report.Severity
		limit    string
		applied  bool
	}{
		"selected":     {rules.Rule{ID: "a.selected", Severity: "error", Op: ">=", Unit: "mm"}, "warning", ">= 3 mm", true},
		"not selected": {rules.Rule{ID: "a.other", Severity: "error"}, "error", "", false},
		"always":       {rules.Rule{ID: "a.always", Severity: "error", Always: true}, "error", "", true},
	}
	for name, tc := range tests {
		if severity, limit, applied := tc.rule.In(p); applied != tc.applied || limit != tc.limit || severity != tc.severity {
			t.Errorf("%s: %s, %q, %t, want %s, %q, %t", name, severity, limit, applied, tc.severity, tc.limit, tc.applied)
		}
	}
}
