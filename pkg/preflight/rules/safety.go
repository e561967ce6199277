// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"slices"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

func safetyRules() []Rule {
	row := func(id string, severity report.Severity, of slots, pick func(*view, *facts.Mark) (float64, bool)) Rule {
		return Rule{
			ID: id, Category: report.CategorySafety, Severity: severity, Ref: "house rule",
			mark: &marks{of: of, placed: true, pick: pick, group: whole, decimals: 1, message: mainMessage},
		}
	}
	near := func(r Rule) Rule {
		r.Op, r.Unit, r.Tolerance = atLeast, "mm", "mm"
		return r
	}
	frame := Rule{
		ID: "safety.frame_thin", Category: report.CategorySafety, Severity: report.Warning, Op: atLeast, Unit: "mm", Tolerance: "mm", Ref: "house rule",
		judge: everyPage(frameThin),
	}
	return []Rule{
		near(row("safety.content_near_trim", report.Info, everyText, textNearTrim)),
		// Logos, pictures and frames inside the finished page. An object among others that cross the
		// edge is part of artwork that continues in the bleed, and the rule about the bleed reports
		// one that ends at the edge.
		near(row("safety.object_near_trim", report.Info, fill|stroke|stencil|picture|shading, func(v *view, m *facts.Mark) (float64, bool) {
			distance := v.fromTrim(&m.Box)
			if distance < overlap || m.Number == 0 {
				return 0, false
			}
			return distance, !v.read || v.shows(m) && v.alone(&m.Box)
		})),
		row("safety.text_cut", report.Warning, everyText, func(v *view, m *facts.Mark) (float64, bool) {
			inside := m.Box.Intersect(v.finished)
			cut := v.fromTrim(&m.Box) <= -overlap && v.unit*min(inside.Width(), inside.Height()) >= overlap
			return 0, cut && m.Number != 0 && (!v.read || v.shows(m))
		}),
		frame,
	}
}

// fromTrim returns the distance of a box from the edges of the finished page in
// millimetres, negative outside.
func (v *view) fromTrim(box *geom.Rect) float64 {
	page := &v.finished
	return v.unit * min(box[0]-page[0], box[1]-page[1], page[2]-box[2], page[3]-box[3])
}

// overlap is how far, in millimetres, ink extends beyond an edge that it crosses. The planes
// are known to a pixel.
const overlap = 0.4

// textNearTrim measures text inside the finished page. safety.text_cut reports text
// that crosses the edge.
func textNearTrim(v *view, m *facts.Mark) (float64, bool) {
	distance := v.fromTrim(&m.Box)
	if !v.read {
		// The box of text is larger than its ink, if its ink can be measured.
		return distance, touch(&m.Box, &v.finished) && (m.Number != 0 || distance >= 0 && !m.Paint.White)
	}
	return max(distance, 0), distance > -overlap && v.shows(m)
}

// shows reports whether a mark differs from the paper: white only shows on ink.
func (v *view) shows(m *facts.Mark) bool {
	return !m.Paint.White || v.ink != nil && v.ink.HighestIn(m.Box) >= visibleInk
}

// visibleInk is a total of inks in percent on which white shows.
const visibleInk = 15

// neighbourhood is the distance, in millimetres, at which an object belongs to others.
const neighbourhood = 10.0

// alone reports whether no mark near a box crosses the edge, except for one below it.
func (v *view) alone(box *geom.Rect) bool {
	around := box.Grow(neighbourhood / v.unit)
	return !v.crowded && !slices.ContainsFunc(v.crossing, func(c geom.Rect) bool {
		return touch(&c, &around) && !c.Contains(*box, 0)
	})
}

// frameShare is the part of an edge along which a frame has its width, and frameSpread
// how much it may differ. leastFrame is the least width on both sides of the edge; both are in
// millimetres.
const (
	frameShare  = 0.6
	frameSpread = 0.5
	leastFrame  = 0.5
)

// frameThin finds ink along an edge that ends at an equal distance inside it: after
// cutting, the frame is wider on one side than on the other.
func frameThin(in *input, page *facts.Page) (observation, bool) {
	if page.Ink == nil || !page.Ink.Complete {
		return observation{}, false
	}
	var thin edgeSet
	least := *in.setting.Limit
	for i, e := range edgesOf(page) {
		// Without ink in the bleed, the rule about the bleed reports the frame.
		ink := &page.Ink.Edges[i]
		var depths []float32
		for k, depth := range ink.Depth {
			if depth >= leastFrame && ink.Reach[k] >= leastFrame {
				depths = append(depths, depth)
			}
		}
		if len(depths) == 0 {
			continue
		}
		slices.Sort(depths)
		width := depths[len(depths)/2]
		equal := 0
		for _, d := range depths {
			if d-width <= frameSpread && width-d <= frameSpread {
				equal++
			}
		}
		if float64(equal) >= frameShare*float64(len(ink.Depth)) && in.breaksLimit(float64(width)) {
			thin.add(e.seen)
			least = min(least, float64(width))
		}
	}
	if thin == (edgeSet{}) {
		return observation{}, false
	}
	finished := page.Finished()
	return observation{box: &finished, value: measured(least, 1), message: message{values: values{"edges": thin.tokens()}}}, true
}
