// SPDX-License-Identifier: Apache-2.0

package rules_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/preflight/document"
	"github.com/printmarket/printmarket/internal/preflight/facts"
	"github.com/printmarket/printmarket/internal/preflight/geom"
	"github.com/printmarket/printmarket/internal/preflight/profile"
	"github.com/printmarket/printmarket/internal/preflight/report"
	"github.com/printmarket/printmarket/internal/preflight/rules"
)

func lookup(t *testing.T, name string) profile.Profile {
	t.Helper()
	p, err := profile.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestTableIsWellFormed(t *testing.T) {
	t.Parallel()
	all := rules.All()
	id := regexp.MustCompile(`^[a-z]+\.[a-z_]+$`)
	for i, r := range all {
		category, _, _ := strings.Cut(r.ID, ".")
		switch {
		case !id.MatchString(r.ID):
			t.Errorf("%s: not a rule id", r.ID)
		case i > 0 && all[i-1].ID >= r.ID:
			t.Errorf("%s: out of order, or there twice", r.ID)
		case string(r.Category) != category:
			t.Errorf("%s: category %s", r.ID, r.Category)
		case r.Title == "" || r.FixHint == "":
			t.Errorf("%s: title or hint is missing", r.ID)
		case (r.Op == "") != (r.Unit == ""):
			t.Errorf("%s: an operator needs a unit", r.ID)
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
		document.RuleDecode, document.RuleContent, document.RuleOperators, document.RuleNesting, "limits.images", "limits.fonts",
	} {
		if !known[id] {
			t.Errorf("incidents of %s would be lost", id)
		}
	}
}

func TestEveryProfileFitsTheTable(t *testing.T) {
	t.Parallel()
	for _, name := range profile.Names() {
		if err := rules.Check(lookup(t, name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCheckRefuses(t *testing.T) {
	t.Parallel()
	one := 1.0
	tests := map[string]profile.Setting{
		"no.such_rule":        {},
		"structure.page_tree": {},
		"image.ppi_low":       {},
		"color.rgb":           {Limit: &one},
	}
	for id, setting := range tests {
		p := profile.Profile{Rules: map[string]profile.Setting{id: setting}}
		if err := rules.Check(p); !errors.Is(err, profile.ErrInvalid) {
			t.Errorf("%s with %+v: %v", id, setting, err)
		}
	}
}

// page is a finished page of 200 x 200 points with bleed of so many millimetres
// inside a larger medium.
func page(bleed float64) facts.Page {
	points := bleed * 72 / 25.4
	trim := geom.Rect{50, 50, 250, 250}
	box := geom.Rect{50 - points, 50 - points, 250 + points, 250 + points}
	return facts.Page{UserUnit: 1, Media: geom.Rect{0, 0, 300, 300}, Trim: &trim, Bleed: &box}
}

func with(p facts.Page, change func(*facts.Page)) facts.Page {
	change(&p)
	return p
}

func doc(pages ...facts.Page) *facts.Document {
	d := &facts.Document{Opened: true, Complete: true}
	for i, p := range pages {
		p.Number = i + 1
		d.Pages = append(d.Pages, p)
	}
	return d
}

func image(ppi float64, change func(*facts.Image)) *facts.Document {
	d := doc(page(3))
	i := facts.Image{Page: 1, Object: "5 0 R", Width: 100, Height: 100, Bits: 8, PPIX: ppi, PPIY: ppi, Box: geom.Rect{0, 0, 10, 10}}
	if change != nil {
		change(&i)
	}
	d.Images = []facts.Image{i}
	return d
}

func font(embedded bool, uses int) *facts.Document {
	d := doc(page(3))
	f := facts.Font{Name: "F", Type: "Type1", Embedded: embedded}
	if uses > 0 {
		f.Uses = facts.Uses{Pages: []int{1}, Count: uses}
	}
	d.Fonts = []*facts.Font{&f}
	return d
}

func color(space string) *facts.Document {
	d := doc(page(3))
	d.Colors = []*facts.Color{{Space: space, Uses: facts.Uses{Pages: []int{1}, Count: 1}, First: []*geom.Rect{nil}}}
	return d
}

func TestPrintReady(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		doc  *facts.Document
		want []string
	}{
		"a good page":                           {doc(page(3)), nil},
		"no page":                               {doc(), []string{"error page.count"}},
		"bleed within the tolerance":            {doc(page(2.91)), nil},
		"bleed below the tolerance":             {doc(page(2.89)), []string{"error box.bleed_short"}},
		"hardly any bleed is none":              {doc(page(0.04)), []string{"error box.bleed_missing"}},
		"no bleed":                              {doc(page(0)), []string{"error box.bleed_missing"}},
		"one edge without bleed is short":       {doc(with(page(3), func(p *facts.Page) { b := *p.Bleed; b[0] = 50; p.Bleed = &b })), []string{"error box.bleed_short"}},
		"without BleedBox the media counts":     {doc(with(page(0), func(p *facts.Page) { p.Bleed = nil })), nil},
		"a CropBox takes the place of BleedBox": {doc(with(page(0), func(p *facts.Page) { p.Bleed = nil; c := *p.Trim; p.Crop = &c })), []string{"error box.bleed_missing"}},
		"user units enlarge the bleed":          {doc(with(page(1.5), func(p *facts.Page) { p.UserUnit = 2 })), nil},
		"an ArtBox will do for a TrimBox":       {doc(with(page(3), func(p *facts.Page) { p.Art, p.Trim = p.Trim, nil })), nil},
		"only a MediaBox": {
			doc(facts.Page{UserUnit: 1, Media: geom.Rect{0, 0, 300, 300}}),
			[]string{"error box.bleed_missing", "warning box.trim_missing"},
		},
		"trim outside bleed": {
			doc(with(page(3), func(p *facts.Page) { b := geom.Rect{60, 20, 280, 280}; p.Bleed = &b })),
			[]string{"error box.bleed_short", "error box.nesting"},
		},
		"bleed outside media": {
			doc(with(page(3), func(p *facts.Page) { b := geom.Rect{-10, 20, 280, 280}; p.Bleed = &b })),
			[]string{"error box.nesting"},
		},
		"an image at the target":                   {image(300, nil), nil},
		"an image just below the target":           {image(299.96, nil), nil},
		"an image below the target":                {image(299.9, nil), []string{"warning image.ppi_below_target"}},
		"an image at the lower limit":              {image(150, nil), []string{"warning image.ppi_below_target"}},
		"an image below the lower limit":           {image(149.9, nil), []string{"error image.ppi_low"}},
		"one direction is enough":                  {image(300, func(i *facts.Image) { i.PPIY = 100 }), []string{"error image.ppi_low"}},
		"a hidden image":                           {image(10, func(i *facts.Image) { i.Hidden = true }), nil},
		"a strip of 15 pixels":                     {image(10, func(i *facts.Image) { i.Height = 15 }), nil},
		"one bit has no target here":               {image(200, func(i *facts.Image) { i.Bits = 1 }), nil},
		"one bit has the lower limit":              {image(100, func(i *facts.Image) { i.Bits = 1 }), []string{"error image.ppi_low"}},
		"a used font that is not embedded":         {font(false, 1), []string{"error font.not_embedded"}},
		"a declared font that is not embedded":     {font(false, 0), nil},
		"an embedded font":                         {font(true, 1), nil},
		"RGB of the device":                        {color("DeviceRGB"), []string{"warning color.rgb"}},
		"RGB of a profile":                         {color("ICCBased-RGB"), []string{"warning color.rgb"}},
		"calibrated RGB":                           {color("CalRGB"), []string{"warning color.rgb"}},
		"CMYK":                                     {color("DeviceCMYK"), nil},
		"a spot colour":                            {color("Separation"), nil},
		"encryption that could be read":            {&facts.Document{Opened: true, Pages: doc(page(3)).Pages, Incidents: []facts.Incident{{Rule: "security.encrypted"}}}, []string{"error security.encrypted"}},
		"a file that was not opened is not judged": {&facts.Document{Incidents: []facts.Incident{{Rule: "file.empty"}}}, []string{"error file.empty"}},
		"encryption that could not be read": {
			&facts.Document{Incidents: []facts.Incident{{Rule: "security.encrypted"}, {Rule: "structure.unreadable"}}},
			[]string{"error security.encrypted", "error structure.unreadable"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := rules.Evaluate(tc.doc, lookup(t, "print_ready"))
			var got []string
			for _, f := range out.Findings {
				got = append(got, fmt.Sprintf("%s %s", f.Severity, f.Rule))
				if f.Message == "" && len(tc.doc.Incidents) == 0 || f.FixHint == "" || f.Count < 1 {
					t.Errorf("incomplete finding %+v", f)
				}
			}
			slices.Sort(got)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if out.Run+out.Skipped != len(rules.All()) {
				t.Errorf("%d run and %d skipped of %d", out.Run, out.Skipped, len(rules.All()))
			}
		})
	}
}

func TestFindingSaysWhatWasMeasured(t *testing.T) {
	t.Parallel()
	got := rules.Evaluate(image(72.04, nil), lookup(t, "print_ready")).Findings
	want := []report.Finding{{
		Rule: "image.ppi_low", Severity: report.Error, Category: report.CategoryImage, Page: 1, Object: "5 0 R",
		BBox:      &report.Rect{0, 0, 10, 10},
		Message:   "An image of 100 x 100 pixels is printed at 72 ppi.",
		Measured:  &report.Measure{Value: 72, Unit: "ppi"},
		Threshold: &report.Threshold{Op: ">=", Value: 150, Unit: "ppi"},
		Count:     1,
		FixHint:   "Place the image smaller, or replace it by one with more pixels; enlarging the pixels does not help.",
		Ref:       "GWG2022 R0031",
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestManyPlacementsOfAnImageAreOneFindingWithTheWorst(t *testing.T) {
	t.Parallel()
	d := image(100, nil)
	worse := d.Images[0]
	worse.PPIX, worse.Box = 50, geom.Rect{5, 5, 6, 6}
	d.Images = append(d.Images, worse, d.Images[0])
	got := rules.Evaluate(d, lookup(t, "print_ready")).Findings
	if len(got) != 1 || got[0].Count != 3 || got[0].Measured.Value != 50 || *got[0].BBox != (report.Rect{5, 5, 6, 6}) {
		t.Errorf("findings %+v", got)
	}
}

func TestTheSameOnManyPagesIsOneFinding(t *testing.T) {
	t.Parallel()
	var pages []facts.Page
	for range 200 {
		pages = append(pages, page(0))
	}
	pages[3] = page(3)
	got := rules.Evaluate(doc(pages...), lookup(t, "print_ready")).Findings
	if len(got) != 1 || got[0].Count != 199 {
		t.Fatalf("findings %+v", got)
	}
	if diff := cmp.Diff([]int{1, 2, 3, 5, 6, 7, 8, 9, 10, 11}, got[0].Pages); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFindingsAreCappedAndCounted(t *testing.T) {
	t.Parallel()
	d := doc(page(3))
	for i := range 80 {
		d.Images = append(d.Images, facts.Image{Page: 1, Object: fmt.Sprintf("%d 0 R", i), Width: 100, Height: 100, Bits: 8, PPIX: 10, PPIY: 10})
	}
	out := rules.Evaluate(d, lookup(t, "print_ready"))
	if len(out.Findings) != 50 || out.Omitted != 30 {
		t.Errorf("%d findings, %d omitted", len(out.Findings), out.Omitted)
	}
}

func TestStructureOnlyJudgesNothingElse(t *testing.T) {
	t.Parallel()
	d := image(10, nil)
	d.Pages = []facts.Page{{Number: 1, UserUnit: 1, Media: geom.Rect{0, 0, 9, 9}}}
	d.Colors = color("DeviceRGB").Colors
	d.Fonts = font(false, 1).Fonts
	if got := rules.Evaluate(d, lookup(t, "structure_only")).Findings; len(got) != 0 {
		t.Errorf("findings %+v", got)
	}
}
