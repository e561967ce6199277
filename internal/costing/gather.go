// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"fmt"
	"slices"
	"strings"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
)

// plans gathers everything to compare, and returns nil if some part cannot be made.
func (r *reader) plans(j *job) *plans {
	w := newWorkshop(r.snapshot)
	if !r.offered(j, w) {
		return nil
	}
	forms := w.gangForms(r.snapshot)
	p := &plans{job: j, finishes: r.finishes(j, w)}
	if len(p.finishes) == 0 {
		r.stop(NoDevice, j.node, "", w.refused(append([]authority.Process{j.bind, authority.Trimming}, j.afterwards...)...))
		return nil
	}
	sorts := 0
	for _, one := range j.parts {
		sorts += len(one.sorts)
	}
	lists := len(p.finishes) * sorts
	presses := w.presses
	if most := max(1, mostPlans/lists); len(presses) > most {
		presses = presses[:most]
		r.review(PlansTruncated, nil, "", "not all presses were compared")
	}
	s := &search{workshop: w, policy: r.policy, currency: r.snapshot.Currency(), presses: j.presses, most: max(1, mostPlans/(lists*(len(presses)+len(forms))))}
	for _, f := range p.finishes {
		t := newTally(s.currency)
		s.products = max(s.products, f.cost(&t, j, slices.Max(append([]int64{j.high}, r.asked...))))
	}
	for _, one := range j.parts {
		var choices []choice
		for _, press := range presses {
			c := choice{press: press}
			for _, sort := range one.sorts {
				ways, why := s.ways(sort, press)
				if c.ways = append(c.ways, ways); len(ways) == 0 && c.why == "" {
					c.why = why
				}
			}
			choices = append(choices, c)
		}
		if one.role == roleFlat {
			for _, form := range forms {
				ways, why := s.gang(one.sorts[0], form)
				choices = append(choices, choice{press: form.press, form: form, ways: [][]way{ways}, why: why})
			}
		}
		if !slices.ContainsFunc(choices, func(c choice) bool { return len(c.decompositions(one)) > 0 }) {
			r.stop(NoDevice, one.node, "", noPress(choices, w))
		}
		p.choices = append(p.choices, choices)
	}
	if s.truncated {
		r.review(PlansTruncated, nil, "", "not all ways of production were compared")
	}
	if r.stopped {
		return nil
	}
	return p
}

// noPress lists the reasons why no press, with the devices that follow it, can make a
// part.
func noPress(choices []choice, w *workshop) string {
	var all []string
	for i := range choices {
		if len(all) == maxRefusals {
			all = append(all, "and others")
			break
		}
		all = append(all, fmt.Sprintf("%s: %s", choices[i].name(), choices[i].why))
	}
	if rest := w.refused(authority.Cutting, authority.Embossing, authority.Perforating, authority.CaseMaking, authority.Jacketing, authority.ThreadSewing, authority.ShapeCutting, authority.Creasing, authority.Folding, authority.Laminating, authority.Varnishing); rest != "" {
		all = append(all, rest)
	}
	return strings.Join(all, "; ")
}

// offered checks that there is a device for each process that is needed.
func (r *reader) offered(j *job, w *workshop) bool {
	needed := append([]authority.Process{authority.Cutting}, j.afterwards...)
	if j.bind == authority.CasingIn {
		needed = append(needed, authority.CaseMaking)
	}
	if j.bind != "" {
		needed = append(needed, j.bind)
	}
	if j.bind == authority.CoverApplication {
		needed = append(needed, authority.Trimming)
	}
	coats, inline := false, slices.ContainsFunc(w.presses, func(m *machine) bool { return m.Coater })
	for _, p := range j.parts {
		coats = coats || p.coat != [2]*authority.Varnish{}
		if p.film != [2]*authority.Lamination{} {
			needed = append(needed, authority.Laminating)
		}
		if p.die != nil {
			needed = append(needed, authority.ShapeCutting)
		}
		if p.creases > 0 {
			needed = append(needed, authority.Creasing)
		}
		if p.fold != "" || (j.bind == authority.Stitching || j.thread != nil) && p.role == roleBody {
			needed = append(needed, authority.Folding)
		}
		if p.role == roleJacket {
			needed = append(needed, authority.Jacketing)
		}
	}
	if coats && !inline {
		needed = append(needed, authority.Varnishing)
	}
	if len(w.presses) == 0 {
		r.stop(ProcessNotOffered, j.node, "", "the owner has no press")
	}
	for i, process := range needed {
		if len(w.machines[process]) == 0 && !slices.Contains(needed[:i], process) {
			r.stop(ProcessNotOffered, j.node, "", fmt.Sprintf("the owner has no device for %s", process))
		}
	}
	return !r.stopped
}

// finishes returns all combinations of devices that assemble the product from its parts.
func (r *reader) finishes(j *job, w *workshop) []finish {
	processes := slices.Clone(j.afterwards)
	slices.Reverse(processes)
	if j.bind == authority.CoverApplication {
		processes = append(processes, authority.Trimming)
	}
	if j.bind != "" {
		processes = append(processes, j.bind)
	}
	all := []finish{nil}
	for _, process := range processes {
		var longer []finish
		able := w.usable(process, true, func(m *machine) string { return m.takesProduct(j) })
		for _, f := range all {
			for _, m := range able {
				longer = append(longer, append(slices.Clone(f), m))
			}
		}
		if len(longer) > mostFinishes {
			longer = longer[:mostFinishes]
			r.review(PlansTruncated, nil, "", "not all ways of finishing were compared")
		}
		all = longer
	}
	return all
}

// takesProduct returns the reason why a machine does not accept the closed product, or an
// empty text if it does.
func (m *machine) takesProduct(j *job) string {
	if j.bind != "" {
		if reason := m.takesPages(j.pages); reason != "" {
			return reason
		}
	}
	if m.Process == authority.LooseBinding && !slices.Contains(m.BindingTypes, j.loose) {
		return fmt.Sprintf("it does not support the binding %.40q", j.loose)
	}
	if slices.Contains(m.Shapes, pathShape) {
		return "it cuts sheets with a die"
	}
	if len(m.Shapes) > 0 && !slices.Contains(m.Shapes, j.shape) {
		return fmt.Sprintf("it does not support the shape %.40q", j.shape)
	}
	if thick := j.block; m.Process == authority.CasingIn && (thick < fromMillimetres(m.Block.Min) || thick > fromMillimetres(m.Block.Max)) {
		return fmt.Sprintf("it does not support a block of %s mm", millimetres(thick))
	}
	for _, p := range j.parts {
		if p.role == roleJacket {
			continue // it is put around the closed product
		}
		size := j.closed
		if p.die != nil {
			size = p.flat
		}
		if m.Process == authority.Stitching || m.Process == authority.CoverApplication || m.Process == authority.Trimming || m.Process == authority.CasingIn {
			size = rectangle{size.x + p.trim, size.y + 2*p.trim}
		}
		if reason := m.takes(size, p.medium.Weight); reason != "" {
			return reason
		}
	}
	return ""
}
