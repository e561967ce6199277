// SPDX-License-Identifier: Apache-2.0

package rules_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/pkg/preflight/rules"
)

// ruleCase holds a change that breaks a rule and one that nearly breaks it, for a
// profile.
type ruleCase struct {
	profile string
	breaks  change
	// also lists other rules that the same flaw breaks.
	also  []string
	sound change
}

func (c ruleCase) in(name string) ruleCase {
	c.profile = name
	return c
}

func (c ruleCase) and(also ...string) ruleCase {
	c.also = also
	return c
}

// pair is a case of print_ready.
func pair(breaks, sound change) ruleCase {
	return ruleCase{profile: "print_ready", breaks: breaks, sound: sound}
}

func ruleCases() map[string]ruleCase {
	all := map[string]ruleCase{}
	for _, some := range []map[string]ruleCase{documentCases(), pdfxCases(), pageCases(), fontCases(), imageCases(), colorCases(), paintCases(), viewerCases(), packagingCases(), barcodeCases(), gwgCases(), orderCases()} {
		maps.Copy(all, some)
	}
	for _, id := range []string{
		"file.empty", "file.not_pdf", "limits.annotations", "limits.content_bytes", "limits.decoded_bytes", "limits.file_size", "limits.fonts",
		"limits.image_bytes", "limits.images", "limits.inks", "limits.nesting", "limits.operators", "limits.pages", "limits.painting", "limits.structure", "security.password_required", "security.encrypted",
		"structure.page_tree", "structure.parser_panic", "structure.repaired", "structure.stream_unreadable", "structure.unreadable",
	} {
		all[id] = pair(incident(id), nothing)
	}
	return all
}

func TestEveryRuleHasAFailingAndAPassingCase(t *testing.T) {
	t.Parallel()
	var want []string
	for _, r := range rules.All() {
		want = append(want, r.ID)
	}
	cases := ruleCases()
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(cases))); diff != "" {
		t.Errorf("rules (-table +cases):\n%s", diff)
	}
	for id, c := range cases {
		if c.breaks == nil || c.sound == nil {
			t.Errorf("%s: the faulty or the sound case is missing", id)
		}
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	for id, c := range ruleCases() {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			p := lookup(t, c.profile)
			out := soundFor(c.profile, c.breaks).judge(p)
			want := append([]string{id}, c.also...)
			slices.Sort(want)
			if id == "document.standards" || strings.HasPrefix(id, "pdfx.") {
				want = c.also
			}
			if diff := cmp.Diff(want, ids(out)); diff != "" {
				t.Errorf("rules that the faulty document breaks (-want +got):\n%s", diff)
			}
			checkFinding(t, find(out, id))
			if f := find(soundFor(c.profile, c.sound).judge(p), id); f != nil {
				t.Errorf("the sound document has the finding %+v", *f)
			}
			if out.Run+out.Skipped != len(rules.All()) {
				t.Errorf("%d run and %d skipped of %d", out.Run, out.Skipped, len(rules.All()))
			}
		})
	}
}

// checkFinding fails unless a finding is complete.
func checkFinding(t *testing.T, f *report.Finding) {
	t.Helper()
	if f == nil {
		t.Error("there is no finding")
		return
	}
	if f.Message == "" || f.FixHint == "" || f.Count < 1 || !strings.HasPrefix(f.Rule, string(f.Category)+".") {
		t.Errorf("incomplete finding %+v", *f)
	}
	if !strings.HasSuffix(f.Message, ".") || strings.Contains(f.Message, "%!") || strings.Contains(f.Message, "%s") || strings.Contains(f.Message, "  ") {
		t.Errorf("message %q is not a sentence", f.Message)
	}
	if (f.Measured == nil) != (f.Threshold == nil) {
		t.Errorf("measured %v, threshold %v", f.Measured, f.Threshold)
	}
}

func TestValidDocumentHasNoFindings(t *testing.T) {
	t.Parallel()
	printed := both(
		paint(text(9, black())), paint(line(0.5, black())), paint(area(gray(0.6))), paint(text(12, gray(0.7))),
		image(300, func(i *facts.Image) { i.ColorSpace = "DeviceGray" }), color("DeviceGray"),
	)
	colored := both(paint(area(cmyk(0.6, 0.5, 0.4, 0.6))), paint(text(14, cmyk(1, 0.5, 0, 0))), color("DeviceCMYK"))
	for _, name := range profile.Names() {
		s := soundFor(name, printed)
		if name != "book_interior" {
			colored(s)
		}
		out := s.judge(lookup(t, name))
		if got := ids(out); len(got) != 0 || report.Judge(out.Findings) != report.Pass {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestMessagesAreShortEnoughForAScreen(t *testing.T) {
	t.Parallel()
	for id, c := range ruleCases() {
		if f := find(soundFor(c.profile, c.breaks).judge(lookup(t, c.profile)), id); f != nil && len(f.Message)+len(f.FixHint) > 300 {
			t.Errorf("%s: %s", id, fmt.Sprint(f.Message, " / ", f.FixHint))
		}
	}
}
