// SPDX-License-Identifier: Apache-2.0

package browsertest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/test/programs"
)

// Axe returns the script of axe-core.
func Axe(t testing.TB) string {
	t.Helper()
	script, err := os.ReadFile(filepath.Join(programs.NPM(t), "axe-core", "axe.min.js"))
	must(t, err)
	return string(script)
}

// Violation is a violated rule of axe-core.
type Violation struct {
	// ID is the name of the rule. Impact is its effect on users: minor, moderate, serious or
	// critical. Help describes the requirement.
	ID, Impact, Help string
	Nodes            []struct {
		HTML           string
		FailureSummary string
	}
}

// String returns the rule, the impact, the elements and the help text.
func (v Violation) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s (%s): %s", v.ID, v.Impact, v.Help)
	for _, node := range v.Nodes {
		fmt.Fprintf(&text, "\n  %.300s\n    %s", node.HTML, strings.ReplaceAll(node.FailureSummary, "\n", "\n    "))
	}
	return text.String()
}

// axe-core fetches nothing with these options. allRules are WCAG 2.2 at the levels A and AA, and
// best practices.
const (
	allRules = `{
	runOnly: {type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']},
	rules: {'target-size': {enabled: true}}, preload: false, resultTypes: ['violations'],
}`
	contrastRule = `{runOnly: {type: 'rule', values: ['color-contrast']}, preload: false, resultTypes: ['violations']}`
)

// Violations returns the rules of WCAG 2.2, level A and AA, and of best practice that the current
// state of the page violates. script is the result of [Axe]; it is evaluated in the page,
// whatever the page's policy is.
func (p *Tab) Violations(script string) []Violation {
	p.t.Helper()
	return p.violations(script, allRules)
}

// ContrastViolations is like [Tab.Violations] for the contrast of colours, the only rule that
// depends on the colour scheme.
func (p *Tab) ContrastViolations(script string) []Violation {
	p.t.Helper()
	return p.violations(script, contrastRule)
}

func (p *Tab) violations(script, options string) []Violation {
	p.t.Helper()
	var loaded bool
	p.Eval("typeof axe === 'object'", &loaded)
	if !loaded {
		p.Eval(script+"\n;true", &loaded)
	}
	var result struct {
		Violations []Violation
		Passes     json.RawMessage
	}
	p.Eval("axe.run(document, "+options+").then((found) => ({violations: found.violations, passes: found.passes.map((rule) => rule.id)}))", &result)
	if !strings.Contains(string(result.Passes), `"color-contrast"`) && !broken(result.Violations, "color-contrast") {
		p.t.Errorf("no text of the page was judged; the rules that hold are %s", result.Passes)
	}
	return result.Violations
}

func broken(violations []Violation, id string) bool {
	for i := range violations {
		if violations[i].ID == id {
			return true
		}
	}
	return false
}
