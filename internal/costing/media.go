// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"fmt"
	"slices"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/masterdata/fixed"
	"github.com/printmarket/printmarket/pkg/xjdf"
)

// entry is a medium that the document names, and the one that it is.
type entry struct {
	// node is the Media, or the Resource if it has none; named is which of the two
	// has the identifier.
	node, named *xjdf.Node
	medium      authority.Media
	// products are those that it is for; none: all.
	products []string
	// doubts are what speaks against reading it as that.
	doubts []doubt
	used   bool
}

// doubt is why a medium may not be the one of a part.
type doubt struct {
	node              *xjdf.Node
	attribute, detail string
}

// media finds the media of the document in the snapshot, by nothing but the exact
// bytes of their identifiers.
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
			one.doubts = append(r.doubts(resource, &one), doubtsOf(set)...)
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
		fault(r.document.Root, "", "no ResourceSet names a medium to print on")
	}
	return entries, faults
}

// entry looks one resource up.
func (r *reader) entry(resource *xjdf.Node) (one entry, plate bool, reason string) {
	one = entry{node: resource, named: resource, products: productsOf(resource)}
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
		reason = "the medium has no Media/@ID, nor a Resource/@ID"
	case !known:
		reason = fmt.Sprintf("the master data have no %s %.60q", map[bool]string{true: "plate", false: "medium"}[plate], id)
	}
	return one, plate, reason
}

// compare says where a Media, or a MediaIntent, describes another medium than the
// one that is calculated. The master data win.
func (r *reader) compare(n *xjdf.Node, m authority.Media, dimension string) {
	differs := func(attribute, theirs string) {
		r.review(MediaConflict, n, attribute, fmt.Sprintf("medium %s has %s", m.ID, theirs))
	}
	if weight, told := r.float(n, "Weight"); told && weight != m.Weight {
		differs("Weight", m.Weight.String()+" g/m2")
	}
	if thickness, told := r.float(n, "Thickness"); told && thickness != m.Thickness {
		differs("Thickness", m.Thickness.String()+" um")
	}
	for _, text := range [...]struct{ attribute, ours string }{{"MediaType", m.MediaType}, {"Coating", m.Coating}, {"BackCoating", m.BackCoating}} {
		if said := attr(n, text.attribute); said != "" && text.ours != "" && said != text.ours && (said != "Synthetic" || text.ours != "Vinyl") {
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
	if said, told := r.size(n, dimension); told && !near(said, sheet) && !near(said, sheet.turned()) {
		differs(dimension, m.Width.String()+" x "+m.Height.String()+" mm")
	}
	r.fibres(n, m, dimension)
}

// fibres compares the way that they run on the sheet as the document has it.
func (r *reader) fibres(n *xjdf.Node, m authority.Media, dimension string) {
	ways := []string{string(authority.GrainX), string(authority.GrainY)}
	theirs := slices.Index(ways, attr(n, "GrainDirection"))
	ours := slices.Index(ways, string(m.Grain))
	if theirs < 0 || ours < 0 {
		return
	}
	sheet := rectangle{fromMillimetres(m.Width), fromMillimetres(m.Height)}
	if said, told := r.size(n, dimension); told && !near(said, sheet) {
		theirs = 1 - theirs
	}
	if theirs != ours {
		r.review(MediaConflict, n, "GrainDirection", fmt.Sprintf("the fibres of medium %s run along %s", m.ID, ways[ours]))
	}
}

// describing are the attributes of a MediaIntent that the master data do not have, and
// how a Media calls them.
func describing() map[string]string {
	return map[string]string{
		"BackISOPaperSubstrate": "BackISOPaperSubstrate", "Flute": "Flute", "FluteDirection": "FluteDirection", "ISOPaperSubstrate": "ISOPaperSubstrate",
		"LabColorValue": "LabColorValue", "MediaColor": "MediaColorName", "MediaColorDetails": "MediaColorNameDetails", "MediaQuality": "MediaQuality",
		"MediaTypeDetails": "MediaTypeDetails", "Opacity": "Opacity", "StockType": "StockType", "Texture": "Texture",
	}
}

// tolerance is what lengths differ by that were rounded to whole points, in
// micrometres.
const tolerance = 400

func near(a, b rectangle) bool {
	return max(a.x-b.x, b.x-a.x) <= tolerance && max(a.y-b.y, b.y-a.y) <= tolerance
}

// perSheet is what a number of sheets is of the unit of a medium's price, in
// ten-thousandths.
func perSheet(m *authority.Media, sheets int64) int64 {
	area := times(fromMillimetres(m.Width), fromMillimetres(m.Height))
	switch m.Price.Per {
	case authority.PerThousandSheets:
		return times(sheets, 10)
	case authority.PerSquareMetre:
		return fixed.MulDiv(sheets, area, 1e8)
	case authority.PerKilogram:
		return kilograms(sheets, grams(area, m.Weight))
	default:
		return times(sheets, quantityOne)
	}
}

// grams are what an area in square micrometres has of something in g/m2, in
// 1e-11 g.
func grams(area int64, use fixed.Decimal) int64 { return fixed.MulDiv(area, int64(use), 1e7) }

// kilograms are of a number of things of so many 1e-11 g, in ten-thousandths.
func kilograms(number, each int64) int64 { return fixed.MulDiv(number, each, 1e10) }
