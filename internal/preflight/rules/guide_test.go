// SPDX-License-Identifier: Apache-2.0

package rules_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/preflight/profile"
	"github.com/printmarket/printmarket/internal/preflight/report"
	"github.com/printmarket/printmarket/internal/preflight/rules"
)

var update = flag.Bool("update", false, "write the guide of rules")

// guide is the page that customers read.
const guide = "../../../docs/guides/preflight-rules.md"

func TestGuideSaysWhatTheTableSays(t *testing.T) {
	t.Parallel()
	got := writeGuide(t)
	if *update {
		if err := os.WriteFile(guide, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s is stale, update with -update (-file +table):\n%s", guide, diff)
	}
	for number, line := range strings.Split(got, "\n") {
		if n := utf8.RuneCountInString(line); n > 150 || n > 120 && !strings.HasPrefix(line, "|") {
			t.Errorf("line %d has %d characters: %s", number+1, n, line)
		}
	}
}

// opening of the guide.
const opening = `# Preflight rules and profiles

What the preflight looks for, and what each profile makes of it. A rule has an id that never changes; a profile chooses
rules, gives each a severity, and sets its limit. An error makes the verdict ` + "`fail`" + `, a warning ` + "`warn`" + `; a remark changes
nothing. This page is written by a test from the tables that the engine runs on; every server shows the same, with what
to do about each finding, at ` + "`/docs/api/preflight-rules.html`, and as data at `/docs/api/preflight-rules.json`" + `.

Limits and severities below are those of ` + "`print_ready`" + `. A dash means that only other profiles choose the rule; "always"
that no profile can leave it out, "with an order" that it is asked when the job says what was ordered. A tolerance
stands behind its limit. Values that we have from others than their publisher are called second-hand.

`

func writeGuide(t *testing.T) string {
	t.Helper()
	var out strings.Builder
	out.WriteString(opening)
	out.WriteString("## Profiles\n\n| profile | for |\n| --- | --- |\n")
	all, err := profile.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		fmt.Fprintf(&out, "| `%s` %s | %s |\n", p.Name, p.Version, p.Description)
	}
	out.WriteString("\n## Thresholds of the profiles\n\nA dash means that the profile does not ask; `e` is an error, `w` a warning, `i` a remark.\n\n")
	writeThresholds(&out, all)
	for _, category := range categories() {
		fmt.Fprintf(&out, "\n## Rules: %s\n\n| id | what is wrong | severity | limit | where it comes from |\n| --- | --- | --- | --- | --- |\n", category)
		for _, r := range rules.All() {
			if r.Category == category {
				writeRule(&out, r, lookup(t, profile.Default))
			}
		}
	}
	return out.String()
}

// categories in the order of the id of their first rule.
func categories() []report.Category {
	var out []report.Category
	for _, r := range rules.All() {
		if !slices.Contains(out, r.Category) {
			out = append(out, r.Category)
		}
	}
	return out
}

func writeRule(out *strings.Builder, r rules.Rule, p profile.Profile) {
	severity, limit, source := "-", "", r.Ref
	setting, selected := p.Rules[r.ID]
	switch {
	case r.Ticket:
		severity = string(r.Severity) + ", with an order"
	case r.Always:
		severity = string(r.Severity) + ", always"
	case selected:
		severity, limit, source = string(setting.Severity), limitOf(r, setting), setting.Source
	}
	fmt.Fprintf(out, "| `%s` | %s | %s | %s | %s |\n", r.ID, r.Title, severity, limit, source)
}

func limitOf(r rules.Rule, s profile.Setting) string {
	var parts []string
	decimal := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	if s.Limit != nil {
		parts = append(parts, fmt.Sprintf("%s %s %s", r.Op, decimal(*s.Limit), r.Unit))
	}
	switch {
	case s.Tolerance > 0 && r.Tolerance == r.Unit:
		parts = append(parts, "± "+decimal(s.Tolerance))
	case s.Tolerance > 0:
		parts = append(parts, fmt.Sprintf("± %s %s", decimal(s.Tolerance), r.Tolerance))
	}
	if s.Area > 0 {
		parts = append(parts, fmt.Sprintf("on %s mm2", decimal(s.Area)))
	}
	return strings.Join(parts, " ")
}

// columns of the table of thresholds.
var columns = []struct{ title, rule string }{
	{"ppi", "image.ppi_low"},
	{"target", "image.ppi_below_target"},
	{"1 bit", "image.bitmap_ppi_low"},
	{"ink %", "ink.tac"},
	{"bleed mm", "box.bleed_short"},
	{"text pt", "text.small"},
	{"inks, white", "text.small_white"},
	{"hairline", "line.hairline"},
	{"line", "line.thin"},
	{"spots", "ink.spot_count"},
	{"RGB", "color.rgb"},
	{"transparency", "transparency.used"},
} // constant

func writeThresholds(out *strings.Builder, all []profile.Profile) {
	out.WriteString("| profile |")
	for _, c := range columns {
		fmt.Fprintf(out, " %s |", c.title)
	}
	out.WriteString("\n|" + strings.Repeat(" --- |", len(columns)+1) + "\n")
	for _, p := range all {
		fmt.Fprintf(out, "| `%s` |", p.Name)
		for _, c := range columns {
			fmt.Fprintf(out, " %s |", cell(p, c.rule))
		}
		out.WriteString("\n")
	}
}

func cell(p profile.Profile, rule string) string {
	s, selected := p.Rules[rule]
	switch {
	case !selected:
		return "-"
	case s.Limit != nil:
		return fmt.Sprintf("%s %s", strconv.FormatFloat(*s.Limit, 'f', -1, 64), string(s.Severity[0]))
	}
	return string(s.Severity[0])
}
