// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"fmt"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// sizeSlack is the allowed difference from the ordered size, in millimetres.
const sizeSlack = 0.5

// orders returns the rules that compare the file with the job ticket. They apply with
// every profile.
func orders() []Rule {
	row := func(r Rule, j judge) Rule {
		r.Category, r.Always, r.Ticket, r.judge = report.CategoryIntent, true, true, j
		return r
	}
	count := row(Rule{ID: "intent.page_count", Severity: report.Error, Title: "Not the number of pages that was ordered", FixHint: "Send a file with the pages that were ordered, or change the order.", Ref: "job ticket"}, orderedPages)
	count.Op, count.Unit = equal, "pages"
	return []Rule{
		count,
		row(Rule{ID: "intent.trim_size", Severity: report.Error, Title: "Not the size that was ordered, give or take 0.5 mm", FixHint: "Set the document to the ordered size and export it once more, or change the order.", Ref: "job ticket"}, orderedSize),
		row(Rule{ID: "intent.colors_extra", Severity: report.Error, Title: "Ink that was not ordered", FixHint: "Convert the colours to the ordered inks, or change the order.", Ref: "job ticket"}, extraColors),
		row(Rule{ID: "intent.colors_missing", Severity: report.Warning, Title: "Ordered ink is not used", FixHint: "Check whether the colour has another name in the file, or change the order.", Ref: "job ticket"}, missingColors),
	}
}

// orderedPages accepts the pages of one copy, and the pages of all copies when the
// copies differ.
func orderedPages(in *input) []observation {
	n, want := len(in.doc.Pages), int(in.ticket.Pages)
	if want == 0 || n == want || n == want*max(1, int(in.ticket.Quantity)) {
		return nil
	}
	return []observation{{
		value: measured(float64(n), 0), limit: measured(float64(want), 0),
		message: fmt.Sprintf("The document has %s; %d were ordered.", pagesInWords(n), want),
	}}
}

func orderedSize(in *input) []observation {
	if in.ticket.TrimSize == nil {
		return nil
	}
	want := *in.ticket.TrimSize
	return everyPage(func(_ *input, page *facts.Page) (observation, bool) {
		w, h := page.Size()
		if near(w, want.Width, sizeSlack) && near(h, want.Height, sizeSlack) {
			return observation{}, false
		}
		message := fmt.Sprintf("The page is %s x %s mm; %s x %s mm was ordered.", number(w, 1), number(h, 1), number(want.Width, 1), number(want.Height, 1))
		if near(w, want.Height, sizeSlack) && near(h, want.Width, sizeSlack) {
			message += " It has the right size but is turned by 90 degrees."
		}
		finished := page.Finished()
		return observation{box: &finished, message: message}, true
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
	if in.ticket.Colors == nil {
		return nil
	}
	names := map[string]bool{}
	for _, name := range in.ticket.Colors.Spots {
		names[inkKey(name)] = true
	}
	extraSpots := everySpot(func(i *facts.Ink) string {
		return when(!names[inkKey(i.Name)], fmt.Sprintf("The spot colour %s is used but was not ordered.", i.Name))
	})
	var out []observation
	for i := range in.inks.uses {
		t := &in.inks.uses[i]
		if t.count == 0 || int(in.ticket.Colors.Process) == 4 || int(in.ticket.Colors.Process) == 1 && i == 3 {
			continue
		}
		message := fmt.Sprintf("Colours of %s would be printed with four inks, which were not ordered.", t.worst.mark.Paint.Space)
		if i != unknownInk {
			message = fmt.Sprintf("The ink %s is used but was not ordered.", processNames[i])
		}
		out = append(out, observation{
			page: t.worst.page, pages: t.pages, box: &t.worst.mark.Box, object: t.worst.mark.Object, count: t.count, message: message,
		})
	}
	return append(out, extraSpots(in)...)
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
	for _, name := range in.ticket.Colors.Spots {
		if !used[inkKey(name)] {
			out = append(out, observation{message: fmt.Sprintf("The spot colour %s was ordered but is not used.", name)})
		}
	}
	return out
}
