// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"fmt"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// sizeSlack is how far a page may differ from the ordered size, in millimetres.
const sizeSlack = 0.5

// orders holds the file against the job ticket. There is nothing for a profile
// to choose: an order is an order.
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

// orderedPages accepts the pages of one copy, and those of all copies, which
// then differ.
func orderedPages(q *question) []observation {
	n, want := len(q.doc.Pages), int(q.ticket.Pages)
	if want == 0 || n == want || n == want*max(1, int(q.ticket.Quantity)) {
		return nil
	}
	return []observation{{
		value: measured(float64(n), 0), limit: measured(float64(want), 0),
		message: fmt.Sprintf("The document has %s; %d were ordered.", pagesInWords(n), want),
	}}
}

func orderedSize(q *question) []observation {
	if q.ticket.TrimSize == nil {
		return nil
	}
	return everyPage(func(_ *question, page *facts.Page) (observation, bool) {
		return pageSize(page, *q.ticket.TrimSize)
	})(q)
}

func pageSize(page *facts.Page, want jobticket.Size) (observation, bool) {
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
}

// processInks are the process inks that marks print with.
type processInks struct {
	// uses are those of cyan, magenta, yellow and black, and of colours that are
	// no inks yet and would be printed with all four.
	uses [5]tally
}

// unknownInk is the place of colours that are no inks yet.
const unknownInk = 4

func (p *processInks) see(m *facts.Mark, page int) {
	switch {
	case m.Paint.White || m.Paint.Space == "":
		return
	case !m.Paint.Known:
		p.uses[unknownInk].see(page, m)
		return
	}
	for i, amount := range m.Paint.CMYK {
		if amount > 0 {
			p.uses[i].see(page, m)
		}
	}
}

// see keeps the first mark.
func (t *tally) see(page int, m *facts.Mark) {
	if t.count == 0 {
		t.worst = instance{page: page, mark: facts.Mark{Box: m.Box, Object: m.Object, Paint: facts.Paint{Space: m.Paint.Space}}}
	}
	t.count++
	t.add(page)
}

func extraColors(q *question) []observation {
	if q.ticket.Colors == nil {
		return nil
	}
	return append(extraProcess(q), extraSpots(q)...)
}

func extraProcess(q *question) []observation {
	var out []observation
	for i := range q.inks.uses {
		t := &q.inks.uses[i]
		if t.count == 0 || int(q.ticket.Colors.Process) == 4 || int(q.ticket.Colors.Process) == 1 && i == 3 {
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
	return out
}

func extraSpots(q *question) []observation {
	names := map[string]bool{}
	for _, name := range q.ticket.Colors.Spots {
		names[inkKey(name)] = true
	}
	return everySpot(func(i *facts.Ink) string {
		return when(!names[inkKey(i.Name)], fmt.Sprintf("The spot colour %s is used but was not ordered.", i.Name))
	})(q)
}

func missingColors(q *question) []observation {
	if q.ticket.Colors == nil {
		return nil
	}
	used := map[string]bool{}
	for _, ink := range q.doc.Inks {
		used[inkKey(ink.Name)] = true
	}
	var out []observation
	for _, name := range q.ticket.Colors.Spots {
		if !used[inkKey(name)] {
			out = append(out, observation{message: fmt.Sprintf("The spot colour %s was ordered but is not used.", name)})
		}
	}
	return out
}
