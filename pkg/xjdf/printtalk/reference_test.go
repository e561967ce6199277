// SPDX-License-Identifier: Apache-2.0

package printtalk_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/xjdf/printtalk"
	"github.com/printmarket/printmarket/pkg/xjdf/validate"
)

const referencePage = "../../../docs/reference/printtalk-rules.md"

const referenceOpening = `# PrintTalk rules

The rules of ` + "`printmarket xjdf validate --profile printtalk`" + ` about PrintTalk itself. [The XJDF rules](xjdf-rules.md) apply
to the XJDF documents within it. The code of a rule never changes. A document with an error is invalid. Warnings and
infos do not make a document invalid. A test generates this page from the table of the validator.

The examples are fragments of documents with the finding (-) and without it (+).
`

// TestGeneratedRuleReference compares the page of the rules with the catalogue, and its
// examples with the cases that prove the rules.
func TestGeneratedRuleReference(t *testing.T) {
	// Not parallel: with -update it writes the page that the parallel tests read.
	var out strings.Builder
	out.WriteString(referenceOpening)
	about := map[validate.Kind]string{
		validate.Schema:     "Structure and datatypes, as a schema of the standard can express them.",
		validate.Vocabulary: "Names that the standard does not define.",
		validate.Semantics:  "Requirements in the text of the standard, and questionable values that a printer would query.",
	}
	all := cases()
	for _, kind := range []validate.Kind{validate.Schema, validate.Vocabulary, validate.Semantics} {
		fmt.Fprintf(&out, "\n## Rules: %s\n\n%s\n", kind, about[kind])
		for _, r := range printtalk.Rules() {
			if r.Kind != kind {
				continue
			}
			example := all[slices.IndexFunc(all, func(c ruleCase) bool { return c.rule == r.Code })]
			fmt.Fprintf(&out, "\n### %s\n\n", r.Code)
			text := fmt.Sprintf("%s (%s; %s) Fix: %s", r.Summary, r.In(printtalk.Profile), strings.TrimPrefix(r.Reference, "PrintTalk 2.2, "), r.Fix)
			out.WriteString(lines("", "", regexp.MustCompile("<[^>]+>").ReplaceAllString(text, "`$0`")))
			fmt.Fprintf(&out, "\n```diff\n%s%s```\n", lines("- ", "-  ", short(example.faulty)), lines("+ ", "+  ", short(example.valid)))
		}
	}
	got := out.String()
	if *update {
		if err := os.WriteFile(referencePage, []byte(got), 0o644); err != nil {
			t.Fatalf("os.WriteFile(%q): %v", referencePage, err)
		}
	}
	want, err := os.ReadFile(referencePage)
	if err != nil {
		t.Fatalf("os.ReadFile(%q): %v", referencePage, err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s is stale, update with -update (-file +table):\n%s", referencePage, diff)
	}
}

// short replaces the repetitions of a fragment, and the header that is the same in all.
func short(fragment string) string {
	fragment = strings.ReplaceAll(fragment, ticket, "<XJDF ...>...</XJDF>")
	for _, repeated := range []string{"b", "<j:XJDF/>"} {
		if i := strings.Index(fragment, strings.Repeat(repeated, 20)); i >= 0 {
			rest := strings.TrimLeft(fragment[i:], repeated)
			if repeated != "b" {
				rest = fragment[i+strings.Count(fragment, repeated)*len(repeated):]
			}
			fragment = fragment[:i] + repeated + repeated + " ... " + repeated + rest
		}
	}
	return fragment
}

// lines wraps text at the spaces before column 118. Each line has a prefix.
func lines(first, next, text string) string {
	var out strings.Builder
	line, empty := first, true
	for word := range strings.FieldsSeq(text) {
		switch {
		case empty:
			line += word
		case len(line)+1+len(word) > 118:
			out.WriteString(line + "\n")
			line = next + word
		default:
			line += " " + word
		}
		empty = false
	}
	out.WriteString(line + "\n")
	return out.String()
}
