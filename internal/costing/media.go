// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/money"
	"github.com/printmarket/printmarket/pkg/xjdf"
)

// entry is a medium that the document names, and the medium of the master data.
type entry struct {
	// node is the Media element, or the Resource without one; named is the element of the
	// two that has the identifier.
	node, named *xjdf.Node
	medium      authority.Media
	// products lists the products of the medium; an empty list stands for all.
	products []string
	// doubts lists the reasons against this assignment.
	doubts []doubt
	used   bool
}

// doubt is a reason why an entry may not be the medium of a part.
type doubt struct {
	node              *xjdf.Node
	attribute, detail string
}

// media looks up the media of the document in the snapshot, only by the exact bytes of
// their identifiers.
func (r *reader) media() (entries []entry, faults []MediaFault) {
	fault := func(n *xjdf.Node, attribute, reason string) {
		if len(faults) < MaxFaults {
			faults = append(faults, MediaFault{Spot: spot(r.document, n, attribute), Reason: reason})
		}
	}
	named := false
	for set := range r.document.Root.All("ResourceSet") {
		if attr(set, "Name") != "Media" {
			continue
		}
		for resource := range set.All("Resource") {
			one, plate, reason := r.entry(resource)
			one.doubts = r.doubts(resource, &one)
			if attr(set, "Usage") == "Output" {
				one.doubts = append(one.doubts, doubt{set, "Usage", "the medium is an output; the calculation assumes that it is printed on"})
			}
			if usage := attr(set, "ProcessUsage"); usage != "" {
				one.doubts = append(one.doubts, doubt{set, "ProcessUsage", fmt.Sprintf("the medium is for %.40q; the calculation assumes that it is printed on", usage)})
			}
			switch {
			case reason != "":
				fault(one.named, "ID", reason)
			case !plate:
				entries = append(entries, one)
			}
			named = named || !plate
		}
	}
	if !named {
		fault(r.document.Root, "", "no ResourceSet contains a medium to print on")
	}
	return entries, faults
}

// entry looks up one resource. The reason is empty if the master data have the medium.
func (r *reader) entry(resource *xjdf.Node) (one entry, plate bool, reason string) {
	one = entry{node: resource, named: resource}
	for p := range resource.All("Part") {
		if id := cmp.Or(attr(p, keyProduct), attr(p, keyPart)); id != "" {
			one.products = append(one.products, id)
		}
	}
	if media := resource.Child("Media"); media != nil {
		one.node, one.named = media, media
	}
	id := attr(one.node, "ID")
	if id == "" {
		if id = attr(resource, "ID"); id != "" {
			one.named = resource
		}
	}
	plate = attr(one.node, "MediaType") == "Plate"
	var known bool
	if plate {
		_, known = r.snapshot.Plate(id)
	} else {
		one.medium, known = r.snapshot.Media(id)
	}
	switch {
	case id == "":
		reason = "the medium has neither Media/@ID nor Resource/@ID"
	case !known:
		reason = fmt.Sprintf("the master data contains no %s %.60q", map[bool]string{true: "plate", false: "medium"}[plate], id)
	}
	return one, plate, reason
}

// compare reports the attributes of a Media or MediaIntent that contradict the master data,
// which the calculation uses.
func (r *reader) compare(n *xjdf.Node, m authority.Media, dimension string) {
	differs := func(attribute, theirs string) {
		r.review(MediaConflict, n, attribute, fmt.Sprintf("medium %s has %s", m.ID, theirs))
	}
	if weight, present := r.float(n, "Weight"); present && weight != m.Weight {
		differs("Weight", m.Weight.String()+" g/m2")
	}
	if thickness, present := r.float(n, "Thickness"); present && thickness != m.Thickness {
		differs("Thickness", m.Thickness.String()+" um")
	}
	for _, text := range [...]struct{ attribute, ours string }{{"MediaType", m.MediaType}, {"Coating", m.Coating}, {"BackCoating", m.BackCoating}} {
		if value := attr(n, text.attribute); value != "" && text.ours != "" && value != text.ours && (value != "Synthetic" || text.ours != "Vinyl") {
			differs(text.attribute, text.ours)
		}
	}
	if dimension == "" {
		return
	}
	if unit := attr(n, "MediaUnit"); unit != "" && unit != "Sheet" {
		differs("MediaUnit", "sheets")
	}
	sheet := rectangle{fromMillimetres(m.Width), fromMillimetres(m.Height)}
	if size, present := r.size(n, dimension); present && !near(size, sheet) && !near(size, sheet.turned()) {
		differs(dimension, m.Width.String()+" x "+m.Height.String()+" mm")
	}
	r.fibres(n, m, dimension)
}

// fibres compares the grain direction with the master data, in the orientation that the
// document gives for the sheet.
func (r *reader) fibres(n *xjdf.Node, m authority.Media, dimension string) {
	ways := []string{string(authority.GrainX), string(authority.GrainY)}
	theirs := slices.Index(ways, attr(n, "GrainDirection"))
	ours := slices.Index(ways, string(m.Grain))
	if theirs < 0 || ours < 0 {
		return
	}
	sheet := rectangle{fromMillimetres(m.Width), fromMillimetres(m.Height)}
	if size, present := r.size(n, dimension); present && !near(size, sheet) {
		theirs = 1 - theirs
	}
	if theirs != ours {
		r.review(MediaConflict, n, "GrainDirection", fmt.Sprintf("the grain of medium %s runs along %s", m.ID, ways[ours]))
	}
}

// tolerance is the largest difference in micrometres between lengths that were rounded to
// whole points.
const tolerance = 400

// near reports whether two sizes are equal within the tolerance.
func near(a, b rectangle) bool {
	return max(a.x-b.x, b.x-a.x) <= tolerance && max(a.y-b.y, b.y-a.y) <= tolerance
}

// perSheet converts a number of sheets to the unit of a medium's price, in
// ten-thousandths.
func perSheet(m *authority.Media, sheets int64) int64 {
	area := times(fromMillimetres(m.Width), fromMillimetres(m.Height))
	switch m.Price.Per {
	case authority.PerThousandSheets:
		return times(sheets, 10)
	case authority.PerSquareMetre:
		return money.MulDiv(sheets, area, 1e8)
	case authority.PerKilogram:
		return kilograms(sheets, grams(area, m.Weight))
	default:
		return times(sheets, quantityOne)
	}
}

// grams returns the mass on an area in square micrometres at a rate in g/m2, in 1e-11 g.
func grams(area int64, use money.Decimal) int64 { return money.MulDiv(area, int64(use), 1e7) }

// kilograms returns the mass of a number of items of 1e-11 g each, in ten-thousandths of a
// kilogram.
func kilograms(number, each int64) int64 { return money.MulDiv(number, each, 1e10) }
