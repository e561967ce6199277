// SPDX-License-Identifier: Apache-2.0

package rules_test

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/internal/texts"
	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/pkg/preflight/rules"
)

func TestEveryRuleHasItsTexts(t *testing.T) {
	t.Parallel()
	known := map[string]bool{"file.simulated": true} // the finding of a simulated report
	for _, language := range report.Languages() {
		for _, r := range rules.In(language) {
			known[r.ID] = true
			if r.Title == "" || r.FixHint == "" {
				t.Errorf("%s %s: title %q, hint %q", language, r.ID, r.Title, r.FixHint)
			}
		}
	}
	for _, id := range texts.Messages() {
		category, rest, _ := strings.Cut(id, ".")
		name, _, _ := strings.Cut(rest, ".")
		if !known[category+"."+name] {
			t.Errorf("the message %s belongs to no rule", id)
		}
	}
}

// TestEveryFindingHasAMessageInEachLanguage judges the faulty scene of each rule.
func TestEveryFindingHasAMessageInEachLanguage(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, c := range ruleCases() {
		findings := soundFor(c.profile, c.breaks).judge(lookup(t, c.profile)).Findings
		for i := range findings {
			seen[findings[i].MessageID] = true
			localized(t, &findings[i])
		}
	}
	if len(seen) < 80 {
		t.Errorf("the scenes have %d messages, want most of the %d rules: %v", len(seen), len(rules.All()), slices.Sorted(maps.Keys(seen)))
	}
}

// localized fails unless the message of a finding fits in each language and uses all of
// its parameters.
func localized(t *testing.T, f *report.Finding) {
	t.Helper()
	for _, language := range report.Languages() {
		in := texts.In(language)
		sentence, fits := in.Message(f.MessageID, f.Parameters)
		if !fits || sentence == "" {
			t.Errorf("%s: message %s does not fit the parameters %v", language, f.MessageID, f.Parameters)
		}
		if language == report.Languages()[0] && sentence != f.Message {
			t.Errorf("%s: message %q, want %q", f.MessageID, f.Message, sentence)
		}
	}
}

func TestEdgesAreNamedAsAViewerShowsThem(t *testing.T) {
	t.Parallel()
	for rotate, want := range map[int][]string{0: {"top"}, 90: {"right"}, 180: {"bottom"}, 270: {"left"}} {
		// The upper edge of the page before rotation has no bleed.
		s := sound(first(func(p *facts.Page) { p.Rotate, p.Bleed[3] = rotate, p.Trim[3] }))
		f := find(s.judge(lookup(t, "print_ready")), "box.bleed_short")
		if f == nil || !cmp.Equal(f.Parameters["edges"], want) {
			t.Errorf("rotated by %d degrees: finding %+v, want the edges %v", rotate, f, want)
		}
		s = sound(first(func(p *facts.Page) { p.Rotate, p.Frame = rotate, []geom.Rect{{100, 100, 200, 250}} }))
		f = find(s.judge(lookup(t, "print_ready")), "box.art_short_of_bleed")
		if f == nil || !cmp.Equal(f.Parameters["edges"], want) {
			t.Errorf("rotated by %d degrees: finding %+v, want the edges %v", rotate, f, want)
		}
	}
}

func TestPageOfTheOrderedSizeWithBleedIsAccepted(t *testing.T) {
	t.Parallel()
	const mm = 72 / 25.4
	ticket := jobticket.Ticket{TrimSize: &jobticket.Size{Width: 85, Height: 55}}
	for name, c := range map[string]struct {
		width, height float64
		accepted      bool
		trim          geom.Rect
	}{
		"3 mm on all sides":           {91, 61, true, geom.Rect{3 * mm, 3 * mm, 88 * mm, 58 * mm}},
		"2 mm on all sides":           {89, 59, true, geom.Rect{2 * mm, 2 * mm, 87 * mm, 57 * mm}},
		"more at top and bottom":      {91, 65, false, geom.Rect{}},
		"30 mm are no bleed":          {145, 115, false, geom.Rect{}},
		"smaller than the order":      {79, 49, false, geom.Rect{}},
		"another size with its bleed": {154, 216, false, geom.Rect{}},
	} {
		s := sound(order(ticket), first(func(p *facts.Page) {
			p.Trim, p.Bleed, p.Media = nil, nil, geom.Rect{0, 0, c.width * mm, c.height * mm}
			rules.Assume(p, &ticket)
		}))
		out := s.judge(lookup(t, "print_ready"))
		if wrong := find(out, "intent.trim_size"); (wrong == nil) != c.accepted {
			t.Errorf("%s: finding %+v, accepted want %t", name, wrong, c.accepted)
		}
		missing := find(out, "box.trim_missing")
		if missing == nil || (missing.MessageID == "box.trim_missing.assumed") != c.accepted {
			t.Errorf("%s: finding %+v, want the variant assumed: %t", name, missing, c.accepted)
		}
		if !c.accepted {
			continue
		}
		for i, v := range s.doc.Pages[0].Trim {
			if math.Abs(v-c.trim[i]) > 0.01 {
				t.Errorf("%s: TrimBox %v, want %v", name, *s.doc.Pages[0].Trim, c.trim)
			}
		}
	}
}

func TestFindingStatesTheTolerance(t *testing.T) {
	t.Parallel()
	f := find(sound(image(100, nil)).judge(lookup(t, "print_ready")), "image.ppi_low")
	want := "An image of 100 x 100 pixels is placed at 100 ppi; the minimum is 150 ppi (tolerance ±1 ppi)."
	if f == nil || f.Message != want || f.Threshold.Tolerance != 1 {
		t.Errorf("finding %+v, want %q", f, want)
	}
}

func TestKnockoutNamesTheSizeThatShouldOverprint(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text facts.Mark
		want string
	}{
		"without overprinting": {with(text(12, black()), func(m *facts.Mark) { m.Overprint = false }), "Black text of 12 pt knocks out the background; black text up to 12 pt should overprint."},
		"with overprint mode 0": {
			with(text(12, black()), func(m *facts.Mark) { m.Overprint, m.Mode, m.Paint.Space = true, 0, "DeviceCMYK" }),
			"Black text of 12 pt is set to overprint, but overprint mode 0 knocks out the background; black text up to 12 pt needs mode 1.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := find(sound(paint(c.text)).judge(lookup(t, "print_ready")), "overprint.black_text_knockout")
			if f == nil || f.Message != c.want {
				t.Errorf("finding %+v, want %q", f, c.want)
			}
		})
	}
}
