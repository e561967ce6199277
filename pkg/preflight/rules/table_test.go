// SPDX-License-Identifier: Apache-2.0

package rules_test

import (
	"errors"
	"math"
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
		if _, err := rules.Parse([]byte("{name: own, version: '1', extends: " + p.Name + "}")); err != nil {
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

func TestFaultsOfAProfileNameTheirPlace(t *testing.T) {
	t.Parallel()
	const head = "name: own\nversion: '1'\nextends: structure_only\nrules:\n"
	tests := map[string]struct{ text, want string }{
		"an unknown rule":                         {"  no.such_rule: {severity: error}", "line 5: rules.no.such_rule: there is no such rule; printmarket preflight rules lists them"},
		"an unknown member":                       {"  color.rgb:\n    severity: error\n    colour: red", "line 7: rules.color.rgb.colour: unknown member; known are severity, limit, tolerance, area, source"},
		"an unknown severity":                     {"  color.rgb: {severity: fatal}", `line 5: rules.color.rgb.severity: unknown severity "fatal"; choose error, warning, info or off`},
		"an unknown unit":                         {"  image.ppi_low:\n    severity: error\n    limit: 5 dots", `line 7: rules.image.ppi_low.limit: unknown unit "dots"; use ppi`},
		"an unknown unit of a length":             {"  box.bleed_short:\n    severity: error\n    limit: 3 furlongs", `line 7: rules.box.bleed_short.limit: unknown unit "furlongs"; use cm, in, mm, pt`},
		"a rule that profiles cannot set":         {"  structure.page_tree: {severity: info}", "line 5: rules.structure.page_tree: the rule applies with every profile, and cannot be set"},
		"a rule of the order":                     {"  intent.trim_size: {severity: off}", "line 5: rules.intent.trim_size: the rule applies with every profile, and cannot be set"},
		"a missing limit":                         {"  color.rgb: {severity: info}\n  image.ppi_low: {severity: error}", "line 6: rules.image.ppi_low.limit: a limit in ppi is required"},
		"a limit of a rule without a value":       {"  color.rgb: {severity: info, limit: 1}", "line 5: rules.color.rgb.limit: the rule has no limit"},
		"a tolerance of a rule without one":       {"  color.rgb: {severity: info, tolerance: 1}", "line 5: rules.color.rgb.tolerance: the rule has no tolerance"},
		"an area of a rule without one":           {"  image.ppi_low: {severity: info, limit: 1, area: 1}", "line 5: rules.image.ppi_low.area: the rule has no area"},
		"a multiple of 0":                         {"  page.count_multiple: {severity: info, limit: 0}", "line 5: rules.page.count_multiple.limit: the lowest limit is 1 pages"},
		"a tolerance of a rule with an area only": {"  ink.tac: {severity: info, limit: 300, tolerance: 1}", "line 5: rules.ink.tac.tolerance: the rule has no tolerance"},
		"a limit that is no number":               {"  ink.tac: {severity: info, limit: much}", "line 5: rules.ink.tac.limit: a number of at least 0 is required, with or without a unit, such as 3 or 3 mm"},
		"a rule twice":                            {"  color.rgb: {severity: info}\n  color.rgb: {severity: error}", "line 6: rules.color.rgb: the member appears twice"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := rules.Parse([]byte(head + tc.text))
			if !errors.Is(err, profile.ErrInvalid) || err.Error() != tc.want {
				t.Errorf("error %v, want %s", err, tc.want)
			}
		})
	}
}

func TestProfileNeedsRulesAndAKnownBase(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, want string }{
		"neither rules nor extends": {"name: own\nversion: '1'\n", "rules: a profile without rules accepts every file: set extends or rules"},
		"an unknown profile":        {"name: own\nversion: '1'\nextends: none\n", `line 3: extends: there is no profile "none"; choose one of book_cover, `},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := rules.Parse([]byte(tc.text)); err == nil || !strings.HasPrefix(err.Error(), tc.want) {
				t.Errorf("error %v, want %s", err, tc.want)
			}
		})
	}
}

func TestLimitsMayHaveAnotherUnitOfLength(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{"3": 3, "3 mm": 3, "0.3 cm": 3, "0.5in": 12.7, "72 pt": 25.4} {
		p, err := rules.Parse([]byte("{name: own, version: '1', extends: print_ready, rules: {box.bleed_short: {limit: " + text + "}}}"))
		if err != nil {
			t.Fatalf("rules.Parse with %s: %v", text, err)
		}
		if got := p.Rules["box.bleed_short"]; math.Abs(*got.Limit-want) > 1e-9 || got.Tolerance != 0.1 || got.Source != "own" {
			t.Errorf("%s: limit %v, tolerance %v, source %q", text, *got.Limit, got.Tolerance, got.Source)
		}
	}
}
