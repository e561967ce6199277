// SPDX-License-Identifier: Apache-2.0

package rules_test

import (
	"slices"
	"testing"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/pkg/preflight/rules"
)

func lookup(t testing.TB, name string) profile.Profile {
	t.Helper()
	p, err := profile.Lookup(name)
	if err != nil {
		t.Fatalf("profile.Lookup(%q): %v", name, err)
	}
	return p
}

// scene is a document with its marks and an order.
type scene struct {
	doc    *facts.Document
	marks  []painted
	ticket *jobticket.Ticket
}

type painted struct {
	page int
	mark facts.Mark
}

// change edits a scene.
type change func(*scene)

// sound returns a document whose only finding with print_ready is its claim of PDF/X-4.
func sound(changes ...change) *scene {
	s := &scene{doc: &facts.Document{
		Opened: true, Complete: true, PDFVersion: "1.6", Title: "T", HasID: true, Trapped: "False",
		Created: "2026-01-02T03:04:05Z", Modified: "2026-01-02T03:04:05Z",
		Standards: []facts.Standard{{Family: "PDF/X", Version: "PDF/X-4", XMP: true}},
		Info:      facts.Metadata{Title: "T", Created: "2026-01-02T03:04:05Z", Modified: "2026-01-02T03:04:05Z", Trapped: "False"},
		XMP: &facts.Metadata{
			Title: "T", Created: "2026-01-02T03:04:05Z", Modified: "2026-01-02T03:04:05Z", Trapped: "False",
			Recorded: "2026-01-02T03:04:05Z", DocumentID: "uuid:1", VersionID: "1", Rendition: "default",
		},
		Intents: []facts.OutputIntent{{Subtype: "GTS_PDFX", Condition: "FOGRA51", Registry: "http://www.color.org", Profile: press()}},
		Pages:   []facts.Page{page(3)},
	}}
	for _, c := range changes {
		c(s)
	}
	for i := range s.doc.Pages {
		s.doc.Pages[i].Number = i + 1
	}
	return s
}

// soundFor returns a document without findings for a profile.
func soundFor(name string, changes ...change) *scene {
	base := []change{nothing}
	switch name {
	case "gwg2022_packaging_offset", "gwg2022_packaging_gravure", "gwg2022_packaging_flexo", "gwg2022_carton":
		base = []change{step("Cutting"), step("Creasing")}
	case "gwg2022_label", "gwg2022_flexible", "gwg2022_corrugated_display":
		base = []change{step("Cutting")}
	case "pdfx1a":
		base = []change{claim("PDF/X-1a:2003"), version("1.4")}
	case "pdfx3":
		base = []change{claim("PDF/X-3:2003"), version("1.4")}
	case "pdfx6":
		base = []change{claim("PDF/X-6"), version("2.0")}
	case "book_interior":
		base = []change{add(page(3))}
	case "large_format":
		base = []change{first(func(p *facts.Page) { *p = page(10) })}
	case "book_cover":
		base = []change{first(func(p *facts.Page) { *p = page(3.2) })}
	}
	return sound(append(base, changes...)...)
}

func press() *facts.ICC { return &facts.ICC{Components: 4, Space: "CMYK", Class: "prtr"} }

// page is a finished page of 200 x 200 points with bleed of so many millimetres
// inside a larger medium.
func page(bleed float64) facts.Page {
	points := bleed * 72 / 25.4
	trim := geom.Rect{50, 50, 250, 250}
	box := geom.Rect{50 - points, 50 - points, 250 + points, 250 + points}
	return facts.Page{UserUnit: 1, Media: geom.Rect{0, 0, 300, 300}, Trim: &trim, Bleed: &box, Painted: 1, Printed: true}
}

// judge runs the rules over a scene.
func (s *scene) judge(p profile.Profile) rules.Outcome {
	j := rules.Start(p, s.ticket)
	for page := range s.doc.Pages {
		s.doc.Pages[page].Back = rules.Back(s.ticket, page+1, len(s.doc.Pages))
		for i := range s.marks {
			if s.marks[i].page == page+1 {
				j.Mark(&s.doc.Pages[page], &s.marks[i].mark)
			}
		}
		j.EndPage(&s.doc.Pages[page], func(uint32) (geom.Rect, bool) { return geom.Everything(), true })
	}
	return j.Finish(s.doc)
}

// ids returns the rules of findings, without document.standards and those of PDF/X, which also
// report many flaws of a document that claims PDF/X.
func ids(out rules.Outcome) []string {
	var got []string
	for _, f := range out.Findings {
		if f.Rule != "document.standards" && f.Category != report.CategoryPDFX {
			got = append(got, f.Rule)
		}
	}
	slices.Sort(got)
	return slices.Compact(got)
}

func find(out rules.Outcome, id string) *report.Finding {
	for i := range out.Findings {
		if out.Findings[i].Rule == id {
			return &out.Findings[i]
		}
	}
	return nil
}

func nothing(*scene) {}

// doc changes the document.
func doc(f func(*facts.Document)) change { return func(s *scene) { f(s.doc) } }

// first changes the first page.
func first(f func(*facts.Page)) change { return func(s *scene) { f(&s.doc.Pages[0]) } }

func add(pages ...facts.Page) change {
	return func(s *scene) { s.doc.Pages = append(s.doc.Pages, pages...) }
}

// paint adds a mark to the first page.
func paint(m facts.Mark) change { return paintOn(1, m) }

func paintOn(page int, m facts.Mark) change {
	return func(s *scene) { s.marks = append(s.marks, painted{page: page, mark: m}) }
}

func both(changes ...change) change {
	return func(s *scene) {
		for _, c := range changes {
			c(s)
		}
	}
}

// centre is well inside the page of [page].
var centre = geom.Rect{100, 100, 200, 200}

func cmyk(c, m, y, k float64) facts.Paint {
	values := [4]float64{c, m, y, k}
	return facts.Paint{Space: "DeviceCMYK", Known: true, CMYK: values, White: values == [4]float64{}}
}

func black() facts.Paint { return cmyk(0, 0, 0, 1) }

func gray(k float64) facts.Paint {
	return facts.Paint{Space: "DeviceGray", Known: true, CMYK: [4]float64{3: k}, White: k == 0}
}

func rgb() facts.Paint { return facts.Paint{Space: "DeviceRGB"} }

func rgbBlack() facts.Paint { return facts.Paint{Space: "DeviceRGB", Black: true} }

func spot(name string, tint float64) facts.Paint {
	return facts.Paint{Space: "Separation", Known: true, Spots: []facts.Tint{{Name: name, Amount: tint}}, White: tint == 0}
}

func registration() facts.Paint {
	return facts.Paint{Space: "Separation", Known: true, CMYK: [4]float64{1, 1, 1, 1}}
}

// text is overprinted where it is black, as good layouts have it.
func text(size float64, p facts.Paint) facts.Mark {
	return facts.Mark{Kind: facts.Text, Size: size, Paint: p, Box: centre, Alpha: 1, Blend: "Normal", Overprint: p.OnlyBlack(1), Mode: 1}
}

func line(width float64, p facts.Paint) facts.Mark {
	return facts.Mark{Kind: facts.Path, Stroked: true, Width: width, Paint: p, Box: centre, Alpha: 1, Blend: "Normal", Overprint: p.OnlyBlack(1), Mode: 1}
}

func area(p facts.Paint) facts.Mark {
	return facts.Mark{Kind: facts.Path, Paint: p, Box: centre, Alpha: 1, Blend: "Normal"}
}

func with(m facts.Mark, f func(*facts.Mark)) facts.Mark {
	f(&m)
	return m
}

// image is placed on the first page at so many pixels to the inch.
func image(ppi float64, f func(*facts.Image)) change {
	return func(s *scene) {
		i := facts.Image{
			Page: 1, Object: "5 0 R", Width: 100, Height: 100, Bits: 8, Components: 4, ColorSpace: "DeviceCMYK",
			PPIX: ppi, PPIY: ppi, Box: geom.Rect{100, 100, 110, 110},
		}
		if f != nil {
			f(&i)
		}
		s.doc.Images = append(s.doc.Images, i)
	}
}

// inkOn covers so many square millimetres of a page with a total of inks in percent, and
// ten times as much with 100 %.
func inkOn(page int, total, mm2 float64) change {
	return func(s *scene) {
		m := &facts.InkMap{Area: mm2 * 11, Complete: true, Columns: 2, Rows: 1, Cells: []uint16{100, uint16(total)}, Left: 50, Top: 250, Side: 100}
		m.Totals = make([]uint32, 801)
		m.Totals[100] += 10
		m.Totals[int(total)]++
		s.doc.Pages[page-1].Ink = m
	}
}

func bitonal(i *facts.Image) { i.Bits, i.Components = 1, 1 }

func font(f facts.Font) change { return doc(func(d *facts.Document) { d.Fonts = append(d.Fonts, &f) }) }

func color(space string) change {
	return doc(func(d *facts.Document) {
		d.Colors = append(d.Colors, &facts.Color{Space: space, Uses: facts.Used(1), First: []*geom.Rect{nil}})
	})
}

func inks(names ...string) change {
	return doc(func(d *facts.Document) {
		for _, name := range names {
			d.Inks = append(d.Inks, &facts.Ink{Name: name, Kind: facts.Spot, Uses: facts.Used(1), Alternates: []string{"a"}})
		}
	})
}

func feature(kind facts.FeatureKind, detail string) change {
	return doc(func(d *facts.Document) {
		d.Features = append(d.Features, &facts.Feature{Kind: kind, Detail: detail, Uses: facts.Used(1)})
	})
}

func layer(l facts.Layer) change {
	return doc(func(d *facts.Document) { d.Layers = append(d.Layers, &l) })
}

// step adds a layer of a structural processing step.
func step(kind string) change {
	return layer(facts.Layer{Name: kind, Printed: true, Group: "Structural", Type: kind, Uses: facts.Used(1)})
}

func annotation(a facts.Annotation) change {
	a.Page = 1
	return doc(func(d *facts.Document) { d.Annotations = append(d.Annotations, a) })
}

func action(kind string) change {
	return doc(func(d *facts.Document) { d.Actions = append(d.Actions, facts.Action{Type: kind}) })
}

func incident(rule string) change {
	return doc(func(d *facts.Document) {
		d.Incidents = append(d.Incidents, facts.Incident{Rule: rule, Variant: variantOf(rule), Parameters: facts.Values{
			"limit": 7.0, "limit_mib": 7.0, "stream_mib": 7.0, "total_mib": 7.0, "bytes": 7.0, "found": 7.0, "kind": "error", "parser": "Wrong.",
		}})
	})
}

func order(t jobticket.Ticket) change { return func(s *scene) { s.ticket = &t } }

// variantOf returns a variant of the messages of a rule.
func variantOf(rule string) string {
	variants := map[string]string{
		"limits.image_bytes": "all", "limits.nesting": "depth", "limits.structure": "elements", "structure.page_tree": "count_missing",
		"structure.repaired": "eof", "structure.stream_unreadable": "image", "structure.unreadable": "damaged",
	}
	return variants[rule]
}
