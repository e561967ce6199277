// SPDX-License-Identifier: Apache-2.0

package rules_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
)

// TestArtworkMustReachOverTheEdge has a page from 50 to 250 with bleed to 41.5 and
// 258.5.
func TestArtworkMustReachOverTheEdge(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		frame []geom.Rect
		full  bool
		want  string
	}{
		"a white edge":                                     {nil, false, ""},
		"a background into the bleed":                      {[]geom.Rect{{41, 41, 259, 259}}, false, ""},
		"a background to the finished edge":                {[]geom.Rect{{50, 50, 250, 250}}, false, "top, right, bottom and left"},
		"a background that ends just inside":               {[]geom.Rect{{51, 51, 249, 249}}, false, ""},
		"a background that is 0.1 mm off the edge":         {[]geom.Rect{{50.3, 60, 90, 240}}, false, "left"},
		"a background a millimetre into the bleed":         {[]geom.Rect{{47.2, 100, 90, 200}}, false, "left"},
		"a picture that ends, on a background that bleeds": {[]geom.Rect{{41, 41, 259, 259}, {50, 60, 90, 100}}, false, ""},
		"a picture that ends, half on a background":        {[]geom.Rect{{41, 41, 90, 150}, {50, 100, 90, 200}}, false, "left"},
		"two strips that cover a picture together":         {[]geom.Rect{{50, 100, 90, 200}, {41, 90, 60, 151}, {41, 150, 60, 210}}, false, ""},
		"two strips with a gap of 1 mm":                    {[]geom.Rect{{50, 100, 90, 200}, {41, 90, 60, 149}, {41, 151.8, 60, 210}}, false, ""},
		"two strips with a gap of 3 mm":                    {[]geom.Rect{{50, 100, 90, 200}, {41, 90, 60, 145}, {41, 153.6, 60, 210}}, false, "left"},
		"a bleed that was drawn by itself":                 {[]geom.Rect{{50, 100, 90, 200}, {41, 100, 50, 200}}, false, ""},
		"a line that ends at the edge":                     {[]geom.Rect{{50, 100, 90, 101}}, false, ""},
		"crop marks":                                       {[]geom.Rect{{20, 50, 41, 50.2}, {50, 20, 50.2, 41}}, false, ""},
		"a part of the bleed by itself":                    {[]geom.Rect{{42, 100, 49, 200}}, false, ""},
		"more artwork than is kept":                        {[]geom.Rect{{50, 50, 250, 250}}, true, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sound(first(func(p *facts.Page) { p.Frame, p.FrameFull = tc.frame, tc.full }))
			f := find(s.judge(lookup(t, "print_ready")), "box.art_short_of_bleed")
			got := ""
			if f != nil {
				_, got, _ = strings.Cut(f.Message, "beyond it at the ")
				got, _, _ = strings.Cut(got, ";")
			}
			if got != tc.want {
				t.Errorf("got %q, want %q: %+v", got, tc.want, f)
			}
		})
	}
}

func TestShortBleedIsReportedOnce(t *testing.T) {
	t.Parallel()
	s := sound(first(func(p *facts.Page) { p.Bleed, p.Frame = p.Trim, []geom.Rect{*p.Trim} }))
	if diff := cmp.Diff([]string{"box.bleed_missing"}, ids(s.judge(lookup(t, "print_ready")))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	s = soundFor("book_interior", first(func(p *facts.Page) { p.Bleed, p.Frame = p.Trim, []geom.Rect{*p.Trim} }))
	if diff := cmp.Diff([]string{"box.art_short_of_bleed"}, ids(s.judge(lookup(t, "book_interior")))); diff != "" {
		t.Errorf("a book (-want +got):\n%s", diff)
	}
}

func TestBoxes(t *testing.T) {
	t.Parallel()
	bare := facts.Page{UserUnit: 1, Media: geom.Rect{0, 0, 300, 300}, Painted: 1, Printed: true}
	tests := map[string]struct {
		page facts.Page
		want []string
	}{
		"bleed below the tolerance is missing":  {page(0.04), []string{"box.bleed_missing"}},
		"one edge without bleed is short":       {changed(page(3), func(p *facts.Page) { p.Bleed[0] = 50 }), []string{"box.bleed_short"}},
		"a CropBox takes the place of BleedBox": {changed(page(0), func(p *facts.Page) { p.Bleed, p.Crop = nil, p.Trim }), []string{"box.bleed_missing"}},
		"user units enlarge the bleed":          {changed(page(1.5), func(p *facts.Page) { p.UserUnit = 2 }), []string{"page.user_unit"}},
		"only a MediaBox":                       {bare, []string{"box.bleed_missing", "box.trim_missing"}},
		"trim outside bleed": {
			changed(page(3), func(p *facts.Page) { p.Bleed = &geom.Rect{60, 20, 280, 280} }), []string{"box.bleed_short", "box.nesting"},
		},
		"bleed outside media": {changed(page(3), func(p *facts.Page) { p.Bleed = &geom.Rect{-10, 20, 280, 280} }), []string{"box.nesting"}},
		"a CropBox in the slug is harmless": {
			changed(page(3), func(p *facts.Page) { p.Crop = &geom.Rect{20, 20, 280, 280} }), nil,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sound(first(func(p *facts.Page) { *p = tc.page }))
			if diff := cmp.Diff(tc.want, ids(s.judge(lookup(t, "print_ready")))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func changed(p facts.Page, f func(*facts.Page)) facts.Page {
	f(&p)
	return p
}

func TestNamesOfSpotColours(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		names []string
		wrong bool
	}{
		"one name":                          {[]string{"PANTONE 185 C"}, false},
		"another case":                      {[]string{"Gold", "GOLD"}, true},
		"another paper":                     {[]string{"PANTONE 185 C", "PANTONE 185 U"}, true},
		"the old letters":                   {[]string{"PANTONE 185 CVC", "PANTONE 185 C"}, true},
		"the short name of the book":        {[]string{"PMS 185", "PANTONE 185 C"}, true},
		"the number with its letter":        {[]string{"185c", "PANTONE 185 C"}, true},
		"blanks in other places":            {[]string{"Die Cut", "DieCut"}, true},
		"two numbers":                       {[]string{"PANTONE 185 C", "PANTONE 186 C"}, false},
		"names that end in a single letter": {[]string{"Plan C", "Plan U"}, false},
		"the black of a book":               {[]string{"PANTONE Black C", "PANTONE Black 2 C"}, false},
		"a leading blank":                   {[]string{" Gold"}, true},
		"a trailing blank":                  {[]string{"Gold "}, true},
		"two blanks":                        {[]string{"PANTONE  185 C"}, true},
		"broken characters":                 {[]string{"Gr\xfcn"}, true},
		"an umlaut":                         {[]string{"Grün"}, false},
		"an empty name":                     {[]string{""}, true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := find(sound(inks(tc.names...)).judge(lookup(t, "print_ready")), "ink.spot_name")
			if (f != nil) != tc.wrong {
				t.Errorf("names %q: finding %+v, want one: %t", tc.names, f, tc.wrong)
			}
		})
	}
}

func TestOverprintingWhiteIsReportedWhereItVanishes(t *testing.T) {
	t.Parallel()
	white := func(space string) facts.Paint { return facts.Paint{Space: space, Known: true, White: true} }
	tests := map[string]struct {
		mark     facts.Mark
		mode     int
		vanishes bool
	}{
		"CMYK that skips zeros":            {text(20, white("DeviceCMYK")), 1, true},
		"CMYK that prints zeros":           {text(20, white("DeviceCMYK")), 0, false},
		"grey":                             {area(white("DeviceGray")), 0, true},
		"a tint of nothing":                {line(1, white("Separation")), 0, true},
		"a mixture of nothing":             {line(1, white("DeviceN")), 1, true},
		"RGB is converted":                 {text(20, white("DeviceRGB")), 1, false},
		"CMYK with a profile prints zeros": {text(20, white("ICCBased-CMYK")), 1, false},
		"an image is ignored":              {with(area(white("DeviceCMYK")), func(m *facts.Mark) { m.Kind = facts.Picture }), 1, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.mark.Overprint, tc.mark.Mode = true, tc.mode
			f := find(sound(paint(tc.mark)).judge(lookup(t, "print_ready")), "overprint.white")
			if (f != nil) != tc.vanishes {
				t.Errorf("finding %+v, want one: %t", f, tc.vanishes)
			}
		})
	}
}

func wholeTicket() jobticket.Ticket {
	return jobticket.Ticket{
		Pages: 2, Quantity: 10, TrimSize: &jobticket.Size{Width: 100, Height: 50},
		Colors: &jobticket.Colors{Process: 1, Spots: []string{"Gold", "Silver"}},
	}
}

func TestFileIsComparedWithItsOrder(t *testing.T) {
	t.Parallel()
	s := sound(order(wholeTicket()), inks("GOLD", "Varnish"), paint(area(cmyk(0, 1, 0, 0.5))), paint(area(rgb())), paint(text(20, black())))
	var got []string
	for _, f := range s.judge(lookup(t, "structure_only")).Findings {
		got = append(got, fmt.Sprintf("%s %s: %s", f.Severity, f.Rule, f.Message))
	}
	slices.Sort(got)
	want := []string{
		"error intent.colors_extra: Colours in DeviceRGB print in four process inks, which were not ordered.",
		"error intent.colors_extra: The process ink magenta is used but was not ordered.",
		"error intent.colors_extra: The spot colour Varnish is used but was not ordered.",
		"error intent.page_count: The document has 1 page; the order specifies 2.",
		"error intent.trim_size: The trim size of the page is 70.6 x 70.6 mm; 100 x 50 mm was ordered.",
		"warning intent.colors_missing: The spot colour Silver was ordered but is not used.",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTurnedPageIsReportedAsTurned(t *testing.T) {
	t.Parallel()
	s := sound(
		order(jobticket.Ticket{TrimSize: &jobticket.Size{Width: 35.28, Height: 70.56}}),
		first(func(p *facts.Page) { p.Trim[1], p.Trim[3] = 100, 200 }),
	)
	f := find(s.judge(lookup(t, "structure_only")), "intent.trim_size")
	if f == nil || !strings.Contains(f.Message, "the page is turned by 90 degrees") {
		t.Errorf("finding %+v", f)
	}
	s.doc.Pages[0].Rotate = 90
	if f := find(s.judge(lookup(t, "structure_only")), "intent.trim_size"); f != nil {
		t.Errorf("a page rotated to the ordered size has the finding %+v", f)
	}
}

func TestPagesOfOneFinishedSizeDoNotDiffer(t *testing.T) {
	t.Parallel()
	s := sound(add(changed(page(3), func(p *facts.Page) { p.Trim = &geom.Rect{51.3, 50, 250, 250} }), changed(page(3), func(p *facts.Page) { p.Trim = &geom.Rect{52, 50, 250, 250} })))
	f := find(s.judge(lookup(t, "print_ready")), "page.size_mixed")
	if f == nil || f.Page != 3 || f.Count != 1 || f.Message != "The page is 69.9 x 70.6 mm; page 1 is 70.6 x 70.6 mm." {
		t.Errorf("finding %+v", f)
	}
}

// inkEdge returns a page whose upper edge has ink that reaches so far, over so many
// millimetres.
func inkEdge(reach float32, length float64) change {
	return first(func(p *facts.Page) {
		p.Ink = &facts.InkMap{Complete: true}
		for i := range p.Ink.Edges {
			p.Ink.Edges[i] = facts.EdgeInk{Step: 0.25, Reach: []float32{facts.NoInk, facts.NoInk}}
		}
		for range int(length / 0.25) {
			p.Ink.Edges[0].Reach = append(p.Ink.Edges[0].Reach, reach)
		}
	})
}

func TestBleedIsJudgedByItsInk(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change change
		short  bool
		value  float64
	}{
		"no ink at the edge":                    {inkEdge(facts.NoInk, 60), false, 0},
		"ink that ends before the edge":         {inkEdge(-1, 60), false, 0},
		"ink up to the edge":                    {inkEdge(0, 60), true, 0},
		"half of the bleed":                     {inkEdge(1.5, 60), true, 1.5},
		"the whole bleed":                       {inkEdge(3, 60), false, 0},
		"more than the bleed":                   {inkEdge(5, 60), false, 0},
		"less by a part of a pixel":             {inkEdge(2.95, 60), false, 0},
		"a line that is too narrow to be seen":  {inkEdge(0, 1.5), false, 0},
		"a stripe of two millimetres":           {inkEdge(0.5, 2), true, 0.5},
		"a page that could not be painted":      {both(inkEdge(0, 60), first(func(p *facts.Page) { p.Ink.Complete = false })), false, 0},
		"boxes that end at the edge are unused": {both(inkEdge(3, 60), first(func(p *facts.Page) { p.Frame = []geom.Rect{{50, 50, 250, 250}} })), false, 0},
	} {
		f := find(sound(c.change).judge(lookup(t, "print_ready")), "box.art_short_of_bleed")
		if (f != nil) != c.short {
			t.Errorf("%s: finding %+v, want one: %t", name, f, c.short)
		} else if f != nil && f.Measured.Value != c.value {
			t.Errorf("%s: %.2f mm, want %.2f", name, f.Measured.Value, c.value)
		}
	}
}
