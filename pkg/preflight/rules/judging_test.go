// SPDX-License-Identifier: Apache-2.0

package rules_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/pkg/preflight/rules"
)

// only is a profile of one rule.
func only(id string, limit float64) profile.Profile {
	return profile.Profile{Rules: map[string]profile.Setting{id: {Severity: report.Warning, Limit: &limit, Source: "test"}}}
}

func TestFindingContainsTheMeasuredValue(t *testing.T) {
	t.Parallel()
	s := sound(paint(with(line(0.0801, cmyk(0, 0, 0, 0.5)), func(m *facts.Mark) { m.Box = geom.Rect{100, 150, 200, 150} })))
	want := []report.Finding{{
		Rule: "line.hairline", Severity: report.Warning, Category: report.CategoryLine, Page: 1,
		BBox:      &report.Rect{100, 150, 200, 150},
		MessageID: "line.hairline",
		Parameters: report.Parameters{
			"paint": "inks", "inks": []string{"K 50 %"}, "value": 0.08, "limit": 0.125,
		},
		Message:   "A line in K 50 % is only 0.08 pt wide and may break up in print; the minimum is 0.125 pt.",
		Measured:  &report.Measure{Value: 0.08, Unit: "pt"},
		Threshold: &report.Threshold{Op: ">=", Value: 0.125, Unit: "pt"},
		Count:     1,
		FixHint:   "Make the line at least 0.25 pt (0.09 mm) wide, and wider in several inks or in white.",
		Ref:       "GWG 2015 4.17",
	}}
	if diff := cmp.Diff(want, s.judge(only("line.hairline", 0.125)).Findings); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestEqualMarksOnManyPagesAreOneFindingWithTheWorstPageFirst(t *testing.T) {
	t.Parallel()
	s := sound()
	for number := 1; number <= 30; number++ {
		if number > 1 {
			add(page(3))(s)
		}
		size := 4.0
		if number == 20 {
			size = 2
		}
		paintOn(number, text(size, black()))(s)
		paintOn(number, text(4.5, black()))(s)
	}
	for i := range s.doc.Pages {
		s.doc.Pages[i].Number = i + 1
	}
	got := s.judge(only("text.small", 5)).Findings
	if len(got) != 1 || got[0].Count != 60 || got[0].Page != 20 || got[0].Measured.Value != 2 {
		t.Fatalf("findings %+v", got)
	}
	if diff := cmp.Diff([]int{20, 1, 2, 3, 4, 5, 6, 7, 8, 9}, got[0].Pages); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
}

func TestFontsAndKindsOfPaintAreSeparateFindings(t *testing.T) {
	t.Parallel()
	a, b := &facts.Font{Name: "A"}, &facts.Font{Name: "B"}
	in := func(f *facts.Font, p facts.Paint) change {
		return paint(with(text(4, p), func(m *facts.Mark) { m.Font, m.Object = f, f.Name }))
	}
	s := sound(in(a, black()), in(b, black()), in(a, gray(0.5)), in(a, rgb()))
	var got []string
	for _, f := range s.judge(only("text.small", 5)).Findings {
		got = append(got, fmt.Sprintf("%s %d %s", f.Object, f.Count, f.Message))
	}
	want := []string{
		"A 2 Text of 4 pt in K 100 % in the font A is hard to read; the minimum is 5 pt.",
		"A 1 Text of 4 pt in DeviceRGB in the font A is hard to read; the minimum is 5 pt.",
		"B 1 Text of 4 pt in K 100 % in the font B is hard to read; the minimum is 5 pt.",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestInkIsJudgedOnEachPageByItsArea(t *testing.T) {
	t.Parallel()
	s := sound(add(page(3)), inkOn(1, 400, 14.9), inkOn(2, 400, 14.9))
	if got := ids(s.judge(lookup(t, "print_ready"))); len(got) != 0 {
		t.Errorf("14.9 mm2 on each of two pages: findings %v, want none", got)
	}
	inkOn(2, 400, 15)(s)
	f := find(s.judge(lookup(t, "print_ready")), "ink.tac")
	if f == nil || f.Page != 2 || f.Pages != nil || f.Measured.Value != 400 {
		t.Fatalf("15 mm2 on the second page: %+v", f)
	}
	if want := "The total ink coverage reaches 400 %; the maximum is 300 %, exceeded on 0.2 cm² of the page."; f.Message != want {
		t.Errorf("message %q, want %q", f.Message, want)
	}
	if want := (report.Rect{150, 150, 250, 250}); *f.BBox != want {
		t.Errorf("place %v, want %v: only the cell above the limit", *f.BBox, want)
	}
}

func TestMarksThatCannotBeSeenRaiseNothing(t *testing.T) {
	t.Parallel()
	s := sound(add(page(3)))
	p := only("text.small", 5)
	j := rules.Start(p, nil)
	for number := uint32(1); number <= 3; number++ {
		m := with(text(4, black()), func(m *facts.Mark) { m.Number = number })
		j.Mark(&s.doc.Pages[0], &m)
	}
	j.EndPage(&s.doc.Pages[0], func(mark uint32) (geom.Rect, bool) { return geom.Everything(), mark == 2 })
	hidden := with(text(3, black()), func(m *facts.Mark) { m.Number = 1 })
	j.Mark(&s.doc.Pages[1], &hidden)
	j.EndPage(&s.doc.Pages[1], func(uint32) (geom.Rect, bool) { return geom.Everything(), false })
	got := j.Finish(s.doc).Findings
	if len(got) != 1 || got[0].Count != 1 || got[0].Measured.Value != 4 {
		t.Errorf("findings %+v, want one of 4 pt, of the only visible mark", got)
	}
}

// TestFindingsAreFiniteForAnyNumber: a hostile matrix can make any length.
func TestFindingsAreFiniteForAnyNumber(t *testing.T) {
	t.Parallel()
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64} {
		everywhere := with(text(v, cmyk(v, v, v, v)), func(m *facts.Mark) { m.Width, m.Thin = v, v })
		s := sound(paint(everywhere), image(v, nil))
		for _, kind := range []facts.Kind{facts.Path, facts.Picture, facts.Shading, facts.Stencil} {
			paint(with(everywhere, func(m *facts.Mark) { m.Kind = kind }))(s)
			paint(with(everywhere, func(m *facts.Mark) { m.Kind, m.Stroked, m.Box = kind, true, geom.Rect{-v, -v, v, v} }))(s)
		}
		for _, name := range profile.Names() {
			if _, err := json.Marshal(s.judge(lookup(t, name)).Findings); err != nil {
				t.Errorf("%v, %s: %v", v, name, err)
			}
		}
	}
}

func TestMarksBeyondTheBleedAreNotJudged(t *testing.T) {
	t.Parallel()
	beyond := func(m *facts.Mark) { m.Box = geom.Rect{0, 0, 40, 40} }
	inBleed := func(m *facts.Mark) { m.Box = geom.Rect{43, 100, 48, 100} }
	s := sound(
		paint(with(line(0.05, black()), beyond)), paint(with(text(3, black()), beyond)),
		paint(with(line(0.05, registration()), inBleed)),
	)
	if got := ids(s.judge(lookup(t, "print_ready"))); len(got) != 0 {
		t.Errorf("findings %v", got)
	}
	paint(with(line(0.05, black()), inBleed))(s)
	if got := ids(s.judge(lookup(t, "print_ready"))); !cmp.Equal(got, []string{"line.hairline"}) {
		t.Errorf("a hairline in the bleed: %v", got)
	}
}

func TestPlacesAreThoseOfTheRotatedPage(t *testing.T) {
	t.Parallel()
	s := sound(first(func(p *facts.Page) { p.Rotate, p.UserUnit, p.Media = 90, 2, geom.Rect{0, 0, 300, 400} }), paint(line(0.05, black())))
	f := find(s.judge(lookup(t, "print_ready")), "line.hairline")
	if f == nil || *f.BBox != (report.Rect{200, 200, 400, 400}) {
		t.Fatalf("finding %+v", f)
	}
	s.marks[0].mark.Box = geom.Rect{100, 110, 120, 140}
	f = find(s.judge(lookup(t, "print_ready")), "line.hairline")
	if diff := cmp.Diff(&report.Rect{220, 360, 280, 400}, f.BBox); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPlacementsOfAnImageAreOneFindingWithTheWorst(t *testing.T) {
	t.Parallel()
	s := sound(image(100, nil), image(50, func(i *facts.Image) { i.Box = geom.Rect{60, 60, 70, 70} }), image(100, nil))
	got := s.judge(only("image.ppi_low", 150)).Findings
	if len(got) != 1 || got[0].Count != 3 || got[0].Measured.Value != 50 || *got[0].BBox != (report.Rect{60, 60, 70, 70}) ||
		got[0].Message != "An image of 100 x 100 pixels is placed at 50 ppi; the minimum is 150 ppi." {
		t.Errorf("findings %+v", got)
	}
}

func TestEqualObservationsOnManyPagesAreOneFinding(t *testing.T) {
	t.Parallel()
	s := sound()
	for range 199 {
		add(page(0))(s)
	}
	for i := range s.doc.Pages {
		s.doc.Pages[i].Number = i + 1
	}
	s.doc.Pages[3].Bleed = page(3).Bleed
	got := s.judge(lookup(t, "print_ready"))
	f := find(got, "box.bleed_missing")
	if f == nil || f.Count != 198 {
		t.Fatalf("finding %+v", f)
	}
	if diff := cmp.Diff([]int{2, 3, 5, 6, 7, 8, 9, 10, 11, 12}, f.Pages); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFindingsListThePagesOfFonts(t *testing.T) {
	t.Parallel()
	uses := facts.Used(1, 2)
	s := sound(add(page(3)), font(facts.Font{Name: "F", Type: "Type1", Uses: uses}))
	f := find(s.judge(lookup(t, "print_ready")), "font.not_embedded")
	if f == nil || f.Count != 2 || !cmp.Equal(f.Pages, []int{1, 2}) {
		t.Errorf("finding %+v", f)
	}
}

func TestFindingsOfARuleAreCappedAndCounted(t *testing.T) {
	t.Parallel()
	s := sound()
	for i := range 80 {
		image(10, func(im *facts.Image) { im.Object = fmt.Sprintf("%d 0 R", i) })(s)
		f := &facts.Font{Name: "F"}
		paint(with(text(3, black()), func(m *facts.Mark) { m.Font = f }))(s)
		paint(with(text(3, black()), func(m *facts.Mark) { m.Font = f }))(s)
	}
	for _, id := range []string{"image.ppi_low", "text.small"} {
		out := s.judge(only(id, 100))
		if len(out.Findings) != 50 || out.Omitted != 30 {
			t.Errorf("%s: %d findings, %d omitted", id, len(out.Findings), out.Omitted)
		}
	}
}

// TestTooManyFindingsCannotHideAnError breaks every rule that can be broken
// fifty times lightly, and one that comes last gravely.
func TestTooManyFindingsCannotHideAnError(t *testing.T) {
	t.Parallel()
	p := profile.Profile{Rules: map[string]profile.Setting{}}
	s := sound()
	for id := range lookup(t, "print_ready").Rules {
		p.Rules[id] = lookup(t, "print_ready").Rules[id]
	}
	for i := range 60 {
		name := fmt.Sprintf("F%d", i)
		for _, rule := range []string{"structure.repaired", "security.encrypted"} {
			s.doc.Incidents = append(s.doc.Incidents, facts.Incident{Rule: rule, Object: name})
		}
		inks(name, name+" ")(s)
		font(facts.Font{Name: "Courier" + name, Type: "Type3", Uses: facts.Used(1)})(s)
		layer(facts.Layer{Name: name, Group: "G"})(s)
		layer(facts.Layer{Name: name, Uses: facts.Used(1)})(s)
		action("Launch")(s)
		for _, kind := range []facts.FeatureKind{
			facts.DefaultSpace, facts.TransferFunction, facts.Halftone, facts.BlackGeneration, facts.PrivateData, facts.Alternate, facts.InvisibleText,
		} {
			doc(func(d *facts.Document) {
				d.Features = append(d.Features, &facts.Feature{Kind: kind, Object: name, Uses: facts.Used(1)})
			})(s)
		}
		for _, change := range []func(*facts.Image){
			func(im *facts.Image) { im.PPIX = 1000; im.PPIY = 1000 }, func(im *facts.Image) { im.PPIX = 200 }, func(im *facts.Image) { im.Bits = 16 },
			func(im *facts.Image) { im.Interpolate = true }, func(im *facts.Image) { im.Filter = "JPXDecode" }, func(im *facts.Image) { im.Filter = "JBIG2Decode" },
			func(im *facts.Image) { im.Filter, im.Quality = "DCTDecode", 3 }, func(im *facts.Image) { bitonal(im); im.PPIX, im.PPIY = 600, 600 },
		} {
			image(300, func(im *facts.Image) { im.Object = name; change(im) })(s)
			s.doc.Images[len(s.doc.Images)-1].Object += fmt.Sprint(len(s.doc.Images))
		}
		f := &facts.Font{Name: name}
		for _, m := range []facts.Mark{text(3, black()), text(3, cmyk(1, 1, 1, 1)), text(3, cmyk(0, 0, 0, 0))} {
			m.Font, m.Overprint = f, false
			paint(m)(s)
		}
	}
	paint(with(text(20, cmyk(0, 0, 0, 0)), func(m *facts.Mark) { m.Overprint = true }))(s)
	out := s.judge(p)
	if len(out.Findings) != 1000 || out.Omitted == 0 {
		t.Fatalf("%d findings, %d omitted: the test is too small", len(out.Findings), out.Omitted)
	}
	if report.Judge(out.Findings) != report.Fail || find(out, "overprint.white") == nil {
		t.Error("the error was omitted")
	}
}

func TestUnreadableFileIsNotJudged(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		incidents []string
		want      []string
	}{
		"an empty file":                       {[]string{"file.empty"}, []string{"file.empty"}},
		"encryption that could not be read":   {[]string{"security.encrypted", "structure.unreadable"}, []string{"security.encrypted", "structure.unreadable"}},
		"a file that is cut and was repaired": {[]string{"structure.repaired", "structure.unreadable"}, []string{"structure.repaired", "structure.unreadable"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &scene{doc: &facts.Document{}}
			order(wholeTicket())(s)
			for _, id := range tc.incidents {
				incident(id)(s)
			}
			if diff := cmp.Diff(tc.want, ids(s.judge(lookup(t, "print_ready")))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestStructureOnlyJudgesNothingElse(t *testing.T) {
	t.Parallel()
	s := sound(image(10, nil), color("DeviceRGB"), font(facts.Font{Name: "F", Uses: facts.Used(1)}), paint(text(1, rgb())), claim())
	s.doc.Pages[0].Trim = nil
	if got := ids(s.judge(lookup(t, "structure_only"))); len(got) != 0 {
		t.Errorf("findings %v", got)
	}
}

// TestMarkWithoutAFindingAllocatesNothing is not parallel: allocations are counted for the
// process.
func TestMarkWithoutAFindingAllocatesNothing(t *testing.T) {
	j := rules.Start(lookup(t, "print_ready"), nil)
	s := sound()
	marks := soundMarks()
	allocs := testing.AllocsPerRun(100, func() {
		for i := range marks {
			j.Mark(&s.doc.Pages[0], &marks[i])
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations, want 0", allocs)
	}
}

func soundMarks() []facts.Mark {
	return []facts.Mark{
		text(9, black()), text(9, cmyk(1, 0.4, 0, 0)), text(9, spot("Gold", 1)), text(12, rgb()), line(0.5, black()),
		area(cmyk(0.2, 0.3, 0.4, 0)), area(cmyk(0, 0, 0, 0)), area(gray(0.4)),
		{Kind: facts.Picture, Box: centre, Paint: facts.Paint{Space: "DeviceRGB"}},
		{Kind: facts.Shading, Box: centre, Paint: facts.Paint{Space: "DeviceCMYK", Known: true}},
	}
}

func BenchmarkMark(b *testing.B) {
	j := rules.Start(lookup(b, "print_ready"), nil)
	s := sound()
	marks := soundMarks()
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		j.Mark(&s.doc.Pages[0], &marks[i])
		if i++; i == len(marks) {
			i = 0
		}
	}
}
