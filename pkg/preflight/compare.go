// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/printmarket/printmarket/pkg/preflight/internal/content"
	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/internal/planes"
	"github.com/printmarket/printmarket/pkg/preflight/internal/render"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// Source is a file to compare.
type Source struct {
	File io.ReaderAt
	Size int64
}

// Compare lists what differs between a file before and after a change, such as a correction. It
// compares the pages with the same number: their boxes, and the inks that they put on paper,
// aligned at the upper left corner of the finished page. Differences of up to a pixel, about
// 0.25 mm, are not reported, because programs round in different ways.
//
// A file that cannot be opened has no pages, and the comparison is incomplete. An error means that
// reading the bytes failed, or that the context ended. opts.Ticket is not used.
func Compare(ctx context.Context, before, after Source, opts Options) (report.Comparison, error) {
	return compare(ctx, before, after, opts, func(int, *facts.Page) scope { return scope{} })
}

// scope limits the comparison of a page. Its zero value compares all of it.
type scope struct {
	// within is the area of the page after in which inks are compared, nil for all, and except are
	// the boxes in which they are not.
	within *geom.Rect
	except []geom.Rect
	// scale is the size of the page after relative to that before; 0 stands for 1.
	scale float64
}

// scopes returns the scope of a page. It may change the boxes of the page before, by which the pages
// are aligned.
type scopes func(i int, before *facts.Page) scope

// compare is [Compare] with a limited scope.
func compare(ctx context.Context, before, after Source, opts Options, of scopes) (report.Comparison, error) {
	var sides [2]*side
	for i, source := range [...]Source{before, after} {
		s, err := openSide(ctx, source, opts.Limits)
		if err != nil {
			return report.Comparison{}, fmt.Errorf("preflight: %w", err)
		}
		sides[i] = s
	}
	a, b := sides[0], sides[1]
	pages := max(len(a.pages), len(b.pages))
	for _, s := range sides {
		s.start(pages, opts.Output)
		defer s.close()
	}
	out := report.Comparison{
		Version: report.ComparisonVersion, Engine: report.Engine{Name: engineName, Version: engineVersion, Parser: parserVersion},
		Before: report.File{SHA256: a.sum, Bytes: before.Size}, After: report.File{SHA256: b.sum, Bytes: after.Size},
		Complete: true, Pages: [2]int{len(a.pages), len(b.pages)}, Changed: []report.PageChange{},
	}
	for i := range pages {
		change, whole, err := comparePage(ctx, a, b, i, of)
		if err != nil {
			return report.Comparison{}, fmt.Errorf("preflight: compare page %d: %w", i+1, err)
		}
		out.Complete = out.Complete && whole
		switch {
		case change == nil:
		case len(out.Changed) < maxPages:
			out.Changed = append(out.Changed, *change)
		default:
			out.Omitted++
		}
		if opts.Progress != nil {
			opts.Progress(i+1, pages)
		}
	}
	first, second := a.collector.Document(), b.collector.Document()
	out.Complete = out.Complete && first.Complete && second.Complete && first.Opened && second.Opened
	out.Document = documentChanges(first, second)
	out.Fonts = names(fontNames(first), fontNames(second))
	out.Colors = names(colorNames(first), colorNames(second))
	out.Inks = names(inkNames(first), inkNames(second))
	out.Layers = names(layerNames(first), layerNames(second))
	out.Same = len(out.Changed) == 0 && len(out.Document) == 0
	for _, n := range []report.Names{out.Fonts, out.Colors, out.Inks, out.Layers} {
		out.Same = out.Same && len(n.Added)+len(n.Removed) == 0
	}
	return out, nil
}

// side is one of the files.
type side struct {
	sum         string
	collector   *facts.Collector
	file        *document.File
	pages       []document.Page
	limits      Limits
	renderer    *render.Renderer
	interpreter *content.Interpreter
}

func openSide(ctx context.Context, source Source, limits Limits) (*side, error) {
	if limits == (document.Limits{}) {
		limits = document.DefaultLimits()
	}
	sum, err := digest(ctx, source.File, source.Size)
	if err != nil {
		return nil, err
	}
	s := &side{sum: sum, collector: facts.NewCollector(nil), limits: limits}
	s.file, err = document.Open(ctx, source.File, source.Size, limits, s.collector)
	if s.file == nil || err != nil {
		return s, err
	}
	if s.pages = s.file.Pages(); s.file.Opaque() {
		s.pages = nil
	}
	return s, nil
}

// start prepares to read the pages. Both files are rendered as if they had so many pages, so that
// they get the same resolution.
func (s *side) start(pages int, output *report.Output) {
	if s.file == nil {
		return
	}
	s.renderer = renderer(s.file, pages, s.collector.Document(), output)
	s.interpreter = content.New(s.file, s.collector, s.limits, s.renderer)
}

func (s *side) close() {
	if s.interpreter != nil {
		s.interpreter.Close()
	}
}

// comparePage returns what differs on a page, or nil, and whether all of it was compared.
func comparePage(ctx context.Context, a, b *side, i int, of scopes) (change *report.PageChange, whole bool, err error) {
	change = &report.PageChange{Page: i + 1, Boxes: []report.Change{}, Inks: []report.InkChange{}, Regions: []report.Region{}}
	switch {
	case i >= len(a.pages):
		change.Only = "after"
		return change, true, b.interpreter.Page(ctx, &b.pages[i])
	case i >= len(b.pages):
		change.Only = "before"
		return change, true, a.interpreter.Page(ctx, &a.pages[i])
	}
	limits := of(i, &a.collector.Document().Pages[i])
	corners := aligned(&a.collector.Document().Pages[i], &b.collector.Document().Pages[i])
	if limits.scale != 0 {
		a.pages[i].UserUnit *= limits.scale
		a.collector.Document().Pages[i].UserUnit *= limits.scale
	}
	resolution := min(a.renderer.Resolution(&a.pages[i]), b.renderer.Resolution(&b.pages[i]))
	var pages [2]planes.Page
	for k, s := range [...]*side{a, b} {
		s.renderer.Limit(resolution)
		err := s.interpreter.Page(ctx, &s.pages[i])
		s.renderer.Limit(0)
		if err != nil {
			return nil, false, err
		}
		pages[k] = inked(s, corners[k])
	}
	first, second := &a.collector.Document().Pages[i], &b.collector.Document().Pages[i]
	change.Boxes = boxChanges(first, second)
	whole = first.Ink != nil && first.Ink.Complete && second.Ink != nil && second.Ink.Complete
	mm := 25.4 / resolution // of a pixel
	if limits.within != nil {
		pages[1].Limit(pages[1].Device.Rect(*limits.within))
	}
	for _, box := range limits.except {
		pages[1].Skip(pages[1].Device.Rect(box))
	}
	found := planes.Compare(&pages[0], &pages[1])
	for _, d := range found.Inks {
		change.Inks = append(change.Inks, report.InkChange{
			Name: d.Name, Area: geom.Round(float64(d.Pixels)*mm*mm, 1), Most: geom.Round(float64(d.Most)/255*100, 0),
			Before: coverage(first, d.Name), After: coverage(second, d.Name),
		})
	}
	view, toPage := second.View(), pages[1].ToPage()
	for _, r := range found.Regions {
		box := view.Rect(toPage.Rect(geom.Rect{float64(r.Box.Min.X), float64(r.Box.Min.Y), float64(r.Box.Max.X), float64(r.Box.Max.Y)}))
		for k := range box {
			box[k] = geom.Round(box[k], 1)
		}
		change.Regions = append(change.Regions, report.Region{BBox: report.Rect(box), Area: geom.Round(float64(r.Pixels)*mm*mm, 1)})
	}
	if len(change.Boxes) == 0 && len(change.Inks) == 0 {
		return nil, whole, nil
	}
	return change, whole, nil
}

// aligned returns the boxes whose upper left corners are at the same place: those of the finished pages.
// If only one of two equal pages has a TrimBox, its box counts for both, because the marks have not moved.
func aligned(a, b *facts.Page) [2]geom.Rect {
	boxes := [2]geom.Rect{a.Finished(), b.Finished()}
	bare := [2]bool{a.Trim == nil && a.Art == nil, b.Trim == nil && b.Art == nil}
	switch {
	case bare[0] == bare[1] || boxText(a.Media) != boxText(b.Media) || a.Rotate != b.Rotate || a.UserUnit != b.UserUnit:
	case bare[0]:
		boxes[0] = boxes[1]
	default:
		boxes[1] = boxes[0]
	}
	return boxes
}

// inked returns the planes of the page that was rendered last, with the box whose upper left corner is
// aligned.
func inked(s *side, box geom.Rect) planes.Page {
	device := s.renderer.Device()
	finished := device.Rect(box)
	out := planes.Page{Device: device, Left: finished[0], Top: finished[1], Planes: map[string][]uint8{}}
	for _, name := range s.renderer.Inks() {
		plane, width := s.renderer.Plane(name)
		out.Width = width
		if plane != nil {
			out.Planes[name], out.Height = plane, len(plane)/width
		}
	}
	return out
}

// coverage returns the mean amount of an ink on a page, in percent.
func coverage(page *facts.Page, name string) float64 {
	if page.Ink != nil {
		for _, p := range page.Ink.Planes {
			if p.Name == name {
				return geom.Round(p.Coverage, 2)
			}
		}
	}
	return 0
}

// boxChanges returns the boxes that differ.
func boxChanges(a, b *facts.Page) []report.Change {
	text := func(r *geom.Rect) string {
		if r == nil {
			return ""
		}
		return boxText(*r)
	}
	return changes([][3]string{
		{"MediaBox", text(&a.Media), text(&b.Media)},
		{"CropBox", text(a.Crop), text(b.Crop)},
		{"BleedBox", text(a.Bleed), text(b.Bleed)},
		{"TrimBox", text(a.Trim), text(b.Trim)},
		{"ArtBox", text(a.Art), text(b.Art)},
		{"Rotate", strconv.Itoa(a.Rotate), strconv.Itoa(b.Rotate)},
		{"UserUnit", strconv.FormatFloat(a.UserUnit, 'g', 6, 64), strconv.FormatFloat(b.UserUnit, 'g', 6, 64)},
	})
}

func boxText(r geom.Rect) string {
	return fmt.Sprintf("%g %g %g %g", geom.Round(r[0], 2), geom.Round(r[1], 2), geom.Round(r[2], 2), geom.Round(r[3], 2))
}

// changes returns the rows of a name and two values in which the values differ.
func changes(rows [][3]string) []report.Change {
	out := []report.Change{}
	for _, row := range rows {
		if row[1] != row[2] {
			out = append(out, report.Change{Name: row[0], Before: row[1], After: row[2]})
		}
	}
	return out
}

// documentChanges returns the properties of the document that differ.
func documentChanges(a, b *facts.Document) []report.Change {
	intent := func(d *facts.Document) string {
		for i := range d.Intents {
			if d.Intents[i].Subtype == "GTS_PDFX" {
				return d.Intents[i].Condition
			}
		}
		return ""
	}
	standards := func(d *facts.Document) string {
		var out []string
		for _, s := range d.Standards {
			out = append(out, s.Version)
		}
		return strings.Join(out, ", ")
	}
	return changes([][3]string{
		{"pdfVersion", a.PDFVersion, b.PDFVersion},
		{"title", a.Title, b.Title},
		{"standards", standards(a), standards(b)},
		{"outputIntent", intent(a), intent(b)},
		{"trapped", a.Trapped, b.Trapped},
		{"encrypted", strconv.FormatBool(a.Encrypted), strconv.FormatBool(b.Encrypted)},
		{"annotations", strconv.Itoa(len(a.Annotations)), strconv.Itoa(len(b.Annotations))},
		{"attachments", strconv.Itoa(len(a.Attachments)), strconv.Itoa(len(b.Attachments))},
	})
}

// names returns the names that only one of two lists has, at most [maxFonts] of each.
func names(before, after []string) report.Names {
	only := func(list, other []string) []string {
		out := []string{}
		for _, name := range list {
			if !slices.Contains(other, name) && !slices.Contains(out, name) && len(out) < maxFonts {
				out = append(out, name)
			}
		}
		slices.Sort(out)
		return out
	}
	return report.Names{Removed: only(before, after), Added: only(after, before)}
}

func fontNames(d *facts.Document) []string {
	var out []string
	for _, f := range d.Fonts {
		if f.Uses.Count == 0 {
			continue
		}
		name := f.Name + " (" + f.Type
		if !f.Embedded {
			name += ", not embedded"
		}
		out = append(out, name+")")
	}
	return out
}

func colorNames(d *facts.Document) []string {
	var out []string
	for _, c := range d.Colors {
		out = append(out, c.Space)
	}
	return out
}

func inkNames(d *facts.Document) []string {
	var out []string
	for _, i := range d.Inks {
		out = append(out, i.Name)
	}
	return out
}

func layerNames(d *facts.Document) []string {
	var out []string
	for _, l := range d.Layers {
		out = append(out, l.Name)
	}
	return out
}
