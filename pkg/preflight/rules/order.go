// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"regexp"
	"slices"
	"sync"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// sizeSlack is the allowed difference from the ordered size, and maxBleed the widest
// bleed that a page without TrimBox may include, in millimetres.
const (
	sizeSlack = 0.5
	maxBleed  = 25
)

// orders returns the rules that compare the file with the job ticket. They apply with
// every profile.
func orders() []Rule {
	row := func(id string, severity report.Severity, j judge) Rule {
		return Rule{ID: id, Category: report.CategoryIntent, Severity: severity, Always: true, Ticket: true, Ref: "job ticket", judge: j}
	}
	// All copies may be in the file when they differ.
	count := row("intent.page_count", report.Error, func(in *input) []observation {
		if in.asOrdered() {
			return nil
		}
		return []observation{{value: measured(float64(len(in.doc.Pages)), 0), limit: measured(float64(in.ticket.Pages), 0)}}
	})
	count.Op, count.Unit = equal, "pages"
	bound := row("intent.page_multiple", report.Error, boundPages)
	bound.Op, bound.Unit = multiple, "pages"
	return []Rule{
		count,
		bound,
		row("intent.back_printed", report.Error, everyPage(func(in *input, page *facts.Page) (observation, bool) {
			return observation{}, in.ticket.WhiteBack() && page.Back && page.Printed
		})),
		row("intent.trim_size", report.Error, orderedSize),
		row("intent.cover_size", report.Error, coverSize),
		row("intent.colors_extra", report.Error, extraColors),
		row("intent.colors_missing", report.Warning, missingColors),
		row("intent.stock", report.Warning, orderedStock),
		row("intent.varnish_extra", report.Warning, func(in *input) []observation {
			if in.ticket.Varnish != jobticket.NoVarnish {
				return nil
			}
			return everySpot(func(i *facts.Ink) *message {
				return when(in.roles.Of(i.Name) == report.RoleVarnish, values{"ink": i.Name})
			})(in)
		}),
		// An ink states where a spot varnish is.
		row("intent.varnish_missing", report.Warning, func(in *input) []observation {
			if in.ticket.Varnish != jobticket.SpotVarnish || slices.ContainsFunc(in.doc.Inks, func(i *facts.Ink) bool { return in.roles.Of(i.Name) == report.RoleVarnish }) {
				return nil
			}
			return []observation{{}}
		}),
	}
}

// coverPages is the number of pages of a cover. An order of more means those of the whole copy.
const coverPages = 4

// asOrdered reports whether the file has the ordered number of pages, if one was ordered. A back
// that stays white may have pages or none, and a page of a cover may be two pages that are folded.
func (in *input) asOrdered() bool {
	n, want := len(in.doc.Pages), int(in.ticket.Pages)
	cover, white := in.ticket.Part == jobticket.Cover, in.ticket.WhiteBack()
	switch {
	case want == 0, n == want, n == want*max(1, int(in.ticket.Quantity)), cover && want > coverPages:
		return true
	case white && (n == 2*want || 2*n == want || cover && 4*n == want):
		return true
	}
	return cover && 2*n == want
}

// Back reports whether a page of a file with some pages is the back of a sheet: every second page of
// a copy, and the inside of a cover. A file of half the ordered pages leaves out backs that stay white.
func Back(t *jobticket.Ticket, page, pages int) bool {
	if t == nil || leavesOutBacks(t, pages) {
		return false
	}
	of := copyPages(t, pages)
	page = (page-1)%of + 1
	if t.Part == jobticket.Cover && of == coverPages {
		return page == 2 || page == 3
	}
	return page%2 == 0
}

// copyPages returns the number of pages of one copy in a file with some pages.
func copyPages(t *jobticket.Ticket, pages int) int {
	if want := int(t.Pages); want > 0 && pages == want*int(t.Quantity) {
		return want
	}
	return pages
}

// leavesOutBacks reports whether a file with some pages has the fronts of the ordered pages only.
func leavesOutBacks(t *jobticket.Ticket, pages int) bool {
	return t.WhiteBack() && 2*pages == int(t.Pages)
}

// boundPages requires as many pages as the binding can hold. A file with another number of pages
// than ordered breaks intent.page_count instead.
func boundPages(in *input) []observation {
	pages, of := len(in.doc.Pages), in.ticket.Binding.Multiple()
	n := copyPages(in.ticket, pages)
	if leavesOutBacks(in.ticket, n) {
		n *= 2
	}
	if n%of == 0 || in.ticket.Part == jobticket.Cover || !in.asOrdered() {
		return nil
	}
	m := message{values: values{"binding": string(in.ticket.Binding)}}
	if n != pages {
		m.variant = "copy"
	}
	return []observation{{value: measured(float64(n), 0), limit: measured(float64(of), 0), message: m}}
}

// coverSize judges a cover of which front, spine and back are one page.
func coverSize(in *input) []observation {
	if !spread(in.ticket) {
		return nil
	}
	size := in.ticket.TrimSize
	want := 2*size.Width + in.ticket.Spine
	return everyPage(func(_ *input, page *facts.Page) (observation, bool) {
		if Fits(page, in.ticket) {
			return observation{}, false
		}
		w, h := page.Size()
		m := message{values: values{
			"width_mm": geom.Round(w, 1), "height_mm": geom.Round(h, 1),
			"orderedWidth_mm": geom.Round(want, 1), "orderedHeight_mm": geom.Round(size.Height, 1),
			"pageWidth_mm": geom.Round(size.Width, 1),
		}}
		if unknownSpine(in.ticket) {
			m.variant = "least"
		} else {
			m.values["spine_mm"] = geom.Round(in.ticket.Spine, 1)
		}
		finished := page.Finished()
		return observation{box: &finished, message: m}, true
	})(in)
}

// unknownSpine reports whether the order of a cover that may have a spine does not state its width.
func unknownSpine(t *jobticket.Ticket) bool {
	glued := t.Binding == "" || t.Binding == jobticket.SoftCover || t.Binding == jobticket.HardCover
	return glued && t.Spine == 0
}

// spread reports whether the order is a cover whose width follows from that of its pages.
func spread(t *jobticket.Ticket) bool { return t.Part == jobticket.Cover && t.TrimSize != nil }

// Fits reports whether the finished page has the ordered trim size, to half a millimetre, or that of a
// cover of which front, spine and back are one page.
func Fits(page *facts.Page, t *jobticket.Ticket) bool {
	w, h := page.Size()
	more := w - 2*t.TrimSize.Width
	cover := spread(t) && (near(more, t.Spine, sizeSlack) || unknownSpine(t) && more > -sizeSlack)
	return (near(w, t.TrimSize.Width, sizeSlack) || cover) && near(h, t.TrimSize.Height, sizeSlack)
}

// Assume sets the TrimBox and the BleedBox of a page that has neither TrimBox nor ArtBox
// and that is the ordered size with the same bleed on all sides: the page is cut in its
// middle.
func Assume(page *facts.Page, ticket *jobticket.Ticket) {
	if ticket.Empty() || ticket.TrimSize == nil || page.Trim != nil || page.Art != nil {
		return
	}
	w, h := page.Size()
	bleed, ok := assumedBleed(w, h, ticket.TrimSize.Width, ticket.TrimSize.Height)
	if !ok && spread(ticket) {
		bleed, ok = assumedBleed(w, h, 2*ticket.TrimSize.Width+ticket.Spine, ticket.TrimSize.Height)
	}
	if !ok {
		return
	}
	whole := page.Visible()
	trim := whole.Grow(-bleed * 72 / 25.4 / page.UserUnit)
	page.Trim, page.Assumed = &trim, true
	if page.Bleed == nil {
		page.Bleed = &whole
	}
}

// assumedBleed returns the bleed in millimetres of a page of w x h that is larger than
// an ordered size by the same bleed on all sides.
func assumedBleed(w, h, width, height float64) (float64, bool) {
	bleed := (w - width) / 2
	return bleed, bleed > sizeSlack && bleed <= maxBleed && near(h, height+2*bleed, sizeSlack)
}

func orderedSize(in *input) []observation {
	if in.ticket.TrimSize == nil || spread(in.ticket) {
		return nil
	}
	want := *in.ticket.TrimSize
	return everyPage(func(_ *input, page *facts.Page) (observation, bool) {
		if Fits(page, in.ticket) {
			return observation{}, false
		}
		w, h := page.Size()
		m := message{values: values{
			"width_mm": geom.Round(w, 1), "height_mm": geom.Round(h, 1),
			"orderedWidth_mm": geom.Round(want.Width, 1), "orderedHeight_mm": geom.Round(want.Height, 1),
		}}
		if near(w, want.Height, sizeSlack) && near(h, want.Width, sizeSlack) {
			m.variant = "turned"
		}
		finished := page.Finished()
		return observation{box: &finished, message: m}, true
	})(in)
}

// processInks counts the process inks of the marks.
type processInks struct {
	// uses are the uses of cyan, magenta, yellow and black, and of other colours,
	// which would be printed with all four.
	uses [5]tally
}

// unknownInk is the index of colours that are not inks.
const unknownInk = 4

func (p *processInks) observe(m *facts.Mark, page int) {
	switch {
	case m.Paint.White || m.Paint.Space == "":
		return
	case !m.Paint.Known:
		p.uses[unknownInk].observe(page, m)
		return
	}
	for i, amount := range m.Paint.CMYK {
		if amount > 0 {
			p.uses[i].observe(page, m)
		}
	}
}

// observe counts a mark and keeps the first one.
func (t *tally) observe(page int, m *facts.Mark) {
	if t.count == 0 {
		t.worst = instance{page: page, mark: facts.Mark{Box: m.Box, Object: m.Object, Paint: facts.Paint{Space: m.Paint.Space}}}
	}
	t.count++
	t.add(page)
}

func extraColors(in *input) []observation {
	front, back := in.ticket.Colors, in.ticket.BackColors
	if front == nil {
		return nil
	}
	names := map[string]bool{}
	for _, name := range spotsOf(in.ticket) {
		names[inkKey(name)] = true
	}
	extraSpots := everySpot(func(i *facts.Ink) *message {
		// Lines of tools do not print, and the rules about varnish judge its inks.
		role := in.roles.Of(i.Name)
		if names[inkKey(i.Name)] || role.Line() || role == report.RoleVarnish && in.ticket.Varnish != "" {
			return nil
		}
		return &message{variant: "spot", values: values{"ink": i.Name}}
	})
	out := in.inks[0].extra(int(front.Process))
	if back != nil && !in.ticket.WhiteBack() { // intent.back_printed judges a white back
		out = append(out, in.inks[1].extra(int(back.Process))...)
	}
	return append(out, extraSpots(in)...)
}

// extra returns the uses of colours beyond so many process inks.
func (p *processInks) extra(process int) []observation {
	var out []observation
	for i := range p.uses {
		t := &p.uses[i]
		if t.count == 0 || process == 4 || process == 1 && i == 3 {
			continue
		}
		m := message{variant: "space", values: values{"space": t.worst.mark.Paint.Space}}
		if i != unknownInk {
			m = message{variant: "process", values: values{"ink": processNames[i]}}
		}
		out = append(out, observation{
			page: t.worst.page, pages: t.pages, box: &t.worst.mark.Box, object: t.worst.mark.Object, count: t.count, message: m,
		})
	}
	return out
}

// spotsOf returns the ordered spot colours of both sides.
func spotsOf(t *jobticket.Ticket) []string {
	spots := slices.Clone(t.Colors.Spots)
	if t.BackColors != nil {
		for _, name := range t.BackColors.Spots {
			if !slices.Contains(spots, name) {
				spots = append(spots, name)
			}
		}
	}
	return spots
}

func missingColors(in *input) []observation {
	if in.ticket.Colors == nil {
		return nil
	}
	used := map[string]bool{}
	for _, ink := range in.doc.Inks {
		used[inkKey(ink.Name)] = true
	}
	var out []observation
	for _, name := range spotsOf(in.ticket) {
		if !used[inkKey(name)] {
			out = append(out, observation{message: message{values: values{"ink": name}}})
		}
	}
	return out
}

// The names of printing conditions for coated and for uncoated stock: characterization data of Fogra
// and of the Committee for Graphic Arts Technologies Standards. Those for data exchange, metal and
// textile are for neither.
var (
	coated = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)FOGRA(27|28|39|41|43|45|46|49|50|51|56|57)(\D|$)|CGATS TR 00[1356](\D|$)|CGATS21-2-CRPC[56](\D|$)`)
	}) // constant
	uncoated = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)FOGRA(29|30|40|42|44|47|48|52|54)(\D|$)|CGATS TR 002(\D|$)|CGATS21-2-CRPC[1-4](\D|$)`)
	}) // constant
)

// orderedStock finds output intents for stock with another surface than ordered.
func orderedStock(in *input) []observation {
	if in.ticket.Stock == nil || in.ticket.Stock.Surface == "" {
		return nil
	}
	ordered := in.ticket.Stock.Surface
	return everyIntent(func(i *facts.OutputIntent) *message {
		var made jobticket.Surface
		switch {
		case coated().MatchString(i.Condition):
			made = jobticket.Coated
		case uncoated().MatchString(i.Condition):
			made = jobticket.Uncoated
		}
		return when(made != "" && made != ordered, values{"condition": i.Condition, "made": string(made), "surface": string(ordered)})
	})(in)
}
