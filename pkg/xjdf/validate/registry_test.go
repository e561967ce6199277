// SPDX-License-Identifier: Apache-2.0

package validate_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"html/template"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/xjdf/validate"
)

var update = flag.Bool("update", false, "write the registry and the guide of rules")

// The registry lists the rules that every server publishes, for people and for
// programs. The guide in the repository has the same content. The names of the members
// of the data never change.
const (
	registryPage = "../../../docs/api/xjdf-rules.html"
	registryData = "../../../docs/api/xjdf-rules.json"
	guide        = "../../../docs/reference/xjdf-rules.md"
)

// ruleEntry is a rule with an example out of the suite of faults.
type ruleEntry struct {
	validate.Rule

	Example example `json:"example"`
}

// level is the severity of a rule in a profile for documents of processes.
type level struct {
	Profile  validate.Profile
	Severity validate.Severity
	// After reports whether the severities of other profiles come before it.
	After bool
}

// Levels returns the severities that differ from that of strict, by profile.
func (e ruleEntry) Levels() []level {
	var all []level
	for _, p := range slices.Sorted(maps.Keys(e.Profiles)) {
		all = append(all, level{p, e.Profiles[p], e.Severity != ""})
	}
	return all
}

// example holds fragments of a document: one that breaks a rule and one that does not.
type example struct {
	Sentence string `json:"-"`
	Faulty   string `json:"faulty"`
	Valid    string `json:"valid"`
}

func registry() []ruleEntry {
	all := faults()
	var entries []ruleEntry
	for _, r := range validate.Rules() {
		entry := ruleEntry{Rule: r}
		for _, sentence := range slices.Sorted(maps.Keys(all)) {
			f := all[sentence]
			if f.rule == r.Code && (entry.Example.Sentence == "" || len(f.faulty) < len(entry.Example.Faulty)) {
				entry.Example = example{Sentence: sentence, Faulty: short(f.faulty), Valid: short(f.valid)}
			}
		}
		entries = append(entries, entry)
	}
	return entries
}

// short is a fragment in one line, without the novels that some faults are about.
func short(fragment string) string {
	fragment = strings.Join(strings.Fields(fragment), " ")
	return regexp.MustCompile(`x{20,}`).ReplaceAllString(fragment, "xxx ... xxx")
}

func TestGeneratedRuleRegistry(t *testing.T) {
	// Not parallel: with -update it writes the files that the parallel tests read.
	var data bytes.Buffer
	encoder := json.NewEncoder(&data)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(map[string]any{"profiles": profiles(), "rules": registry()}); err != nil {
		t.Fatalf("encoder.Encode: %v", err)
	}
	golden(t, registryData, data.Bytes())
	golden(t, registryPage, writeRegistry(t))
	golden(t, guide, writeGuide(t))
}

// golden compares a published file with the expected content, or writes it.
func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatalf("os.WriteFile(%q): %v", path, err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("os.ReadFile(%q): %v", path, err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s is stale, update with -update (-file +table):\n%s", path, diff)
	}
}

type profileEntry struct {
	Name        validate.Profile `json:"name"`
	Description string           `json:"description"`
	Checked     []string         `json:"checked,omitempty"`
	Unchecked   []string         `json:"unchecked,omitempty"`
}

func profiles() []profileEntry {
	described := map[validate.Profile]string{
		validate.ProductIntent: "For product descriptions. Missing values get a documented default, with a warning.",
		validate.Strict:        "For documents that are passed on. Everything that the standard requires is required.",
	}
	var all []profileEntry
	for _, p := range []validate.Profile{validate.ProductIntent, validate.Strict} {
		all = append(all, profileEntry{Name: p, Description: described[p]})
	}
	for _, c := range validate.Conformances() {
		all = append(all, profileEntry{c.Profile, c.Summary, c.Checked, c.Unchecked})
	}
	return all
}

// section is a kind with its rules.
type section struct {
	Kind  validate.Kind
	About string
	Rules []ruleEntry
}

func sections() []section {
	all := []section{
		{Kind: validate.Schema, About: "Structure and datatypes, as a schema of the standard can express them."},
		{Kind: validate.Vocabulary, About: "Names and values that the standard does not define."},
		{Kind: validate.Semantics, About: "Requirements in the text of the standard, and questionable values that a printer would query."},
		{Kind: validate.Support, About: "Valid or invalid items that the marketplace does not support."},
	}
	for i := range all {
		for _, r := range registry() {
			if r.Kind == all[i].Kind {
				all[i].Rules = append(all[i].Rules, r)
			}
		}
	}
	return all
}

func writeRegistry(t *testing.T) []byte {
	t.Helper()
	page, err := template.ParseFiles("testdata/registry.tmpl")
	if err != nil {
		t.Fatalf(`template.ParseFiles("testdata/registry.tmpl"): %v`, err)
	}
	var out bytes.Buffer
	if err := page.Execute(&out, map[string]any{"Sections": sections(), "Profiles": profiles(), "Count": len(validate.Rules())}); err != nil {
		t.Fatalf("page.Execute: %v", err)
	}
	return out.Bytes()
}

// opening of the guide.
const opening = `# XJDF rules

The rules of ` + "`POST /api/v1/xjdf/validate` and of `printmarket xjdf validate`" + `. The code of a rule never changes. A
document with an error is invalid, and the response is a 400 problem that contains the report. Warnings and infos do not
make a document invalid. A test
generates this page from the table of the validator. Every server also displays the rules, with the fix for each
finding, at ` + "`/docs/api/xjdf-rules.html`, and as data at `/docs/api/xjdf-rules.json`" + `.
[ADR 27](../adr/0027-xjdf-validation.md) explains the design of the rules.

Two severities with an arrow apply to the profiles ` + "`product-intent` and `strict`" + `. Clauses refer to XJDF 2.2; a dash
marks a rule of this service. The examples are fragments of documents with the finding (-) and without it (+).

`

func writeGuide(t *testing.T) []byte {
	t.Helper()
	var out strings.Builder
	out.WriteString(opening)
	for _, p := range profiles() {
		fmt.Fprintf(&out, "- `%s`: %s\n", p.Name, p.Description)
	}
	out.WriteString("\nThe profiles for documents of processes are those of `printmarket xjdf validate`:\n")
	for _, p := range profiles() {
		if p.Checked == nil {
			continue
		}
		fmt.Fprintf(&out, "\n### Profile %s\n\nChecked beyond `strict`:\n\n", p.Name)
		for _, one := range p.Checked {
			out.WriteString("- " + one + ".\n")
		}
		out.WriteString("\nNot checked:\n\n")
		for _, one := range p.Unchecked {
			out.WriteString(wrapped("- "+one+".") + "\n")
		}
	}
	for _, s := range sections() {
		fmt.Fprintf(&out, "\n## Rules: %s\n\n%s\n", s.Kind, s.About)
		for _, r := range s.Rules {
			fmt.Fprintf(&out, "\n### %s\n\n%s\n\n", r.Code, wrapped(fmt.Sprintf("%s (%s; %s)", r.Summary, severities(r.Rule), clause(r.Rule))))
			fmt.Fprintf(&out, "Example: %s, and its correction.\n\n```diff\n%s\n%s\n```\n", r.Example.Sentence, marked("-", r.Example.Faulty), marked("+", r.Example.Valid))
		}
	}
	for number, line := range strings.Split(out.String(), "\n") {
		if n := utf8.RuneCountInString(line); n > 120 {
			t.Errorf("line %d has %d characters: %s", number+1, n, line)
		}
	}
	return []byte(out.String())
}

// wrapped is a paragraph in lines of a width that can be read.
func wrapped(text string) string {
	const width = 118
	if len(text) <= width {
		return text
	}
	at := strings.LastIndexByte(text[:width], ' ')
	indent := ""
	if strings.HasPrefix(text, "- ") {
		indent = "  "
	}
	return text[:at] + "\n" + indent + wrapped(text[at+1:])
}

// marked is a fragment in lines of a width that can be read, each with a mark.
func marked(mark, fragment string) string {
	const width = 110
	var lines []string
	line := mark
	for word := range strings.FieldsSeq(fragment) {
		if len(line)+1+len(word) > width && line != mark {
			lines = append(lines, line)
			line = mark + " "
		}
		line += " " + word
	}
	return strings.Join(append(lines, line), "\n")
}

func severities(r validate.Rule) string {
	text := string(r.Severity)
	if r.Severity != r.Strict {
		text = fmt.Sprintf("%s -> %s", r.Severity, r.Strict)
	}
	levels := ruleEntry{Rule: r}.Levels()
	for _, l := range levels {
		if text != "" {
			text += ", "
		}
		text += fmt.Sprintf("%s %s", l.Profile, l.Severity)
	}
	return text
}

func clause(r validate.Rule) string {
	if r.Reference == "" {
		return "-"
	}
	return strings.TrimPrefix(r.Reference, "XJDF 2.2, ")
}

func TestLinksOfTheRegistryResolve(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(registryPage)
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	anchors := map[string]bool{}
	for _, match := range regexp.MustCompile(` id="([^"]+)"`).FindAllSubmatch(page, -1) {
		if anchors[string(match[1])] {
			t.Errorf("the anchor %s is there twice", match[1])
		}
		anchors[string(match[1])] = true
	}
	for _, match := range regexp.MustCompile(`href="#([^"]+)"`).FindAllSubmatch(page, -1) {
		if !anchors[string(match[1])] {
			t.Errorf("there is no anchor %s", match[1])
		}
	}
	for _, rule := range validate.Rules() {
		if !anchors[rule.Code] {
			t.Errorf("the rule %s has no anchor", rule.Code)
		}
	}
}
