// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"slices"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

var mediaRules = []row{
	newRow("MEDIAINTENT_PROCESS_MEDIA", Semantics, both(Warning), "4.11", "MediaIntent should describe the material of the product.", "Describe plates, blankets and similar items as production resources.").of("MediaIntent", func(p *pass, n *xjdf.Node) {
		kind, _ := n.Attr("MediaType")
		switch kind {
		case "Plate", "Screen", "Sleeve", "GravureCylinder", "ImagingCylinder", "Blanket", "MountingTape", "EmbossingFoil", "LaminatingFoil":
			p.findf(n, "MediaType", "MediaType is %s, which is not a material of a product.", kind)
		}
	}),
	newRow("ISO_BACK_WITHOUT_FRONT", Semantics, both(Error), "4.11", "BackISOPaperSubstrate requires ISOPaperSubstrate.", "Add ISOPaperSubstrate.").of("MediaIntent", requires("BackISOPaperSubstrate", "ISOPaperSubstrate")).also("Media"),
	newRow("WEIGHT_RANGE", Semantics, both(Warning), "A.3.23", "Weight must be in grams per square metre.", "Write the weight in grams per square metre.").of("MediaIntent", inUnit("Weight", "g/m2", 3000, 3, "kilograms")).also("Media"),
	newRow("THICKNESS_RANGE", Semantics, both(Warning), "A.3.23", "Thickness must be in micrometres.", "Write the thickness in micrometres.").of("MediaIntent", inUnit("Thickness", "um", 30_000, 10, "millimetres")).also("Media"),
	newRow("MEDIA_LOOKS_MM", Semantics, both(Warning), "A.3.23", "Sheet sizes must be in points (1/72 inch).", "Multiply millimetres by 2.834646.").of("Media", mediaMillimetres),
	newRow("MEDIA_DEPRECATED_USE", Semantics, both(Warning), "1.7.3", "Since XJDF 2.2, Media describes only printable materials.", "Describe foil, laminate and end boards as MiscConsumable or Tool.").of("Media", func(p *pass, n *xjdf.Node) {
		kind, _ := n.Attr("MediaType")
		if slices.Contains([]string{"EmbossingFoil", "LaminatingFoil", "MountingTape"}, kind) {
			p.findf(n, "MediaType", "MediaType is %s, which is not a Media since XJDF 2.2.", kind)
		}
	}),
	newRow("MEDIA_ID_EXTENSION", Semantics, both(Info), "", "Media/@ID is an extension of this service, for costing.", "No action is needed; Resource/@ID has the same effect.").of("Media", func(p *pass, n *xjdf.Node) {
		if _, given := n.Attr("ID"); given {
			p.find(n, "ID", "In the standard, the ID belongs to the Resource.", "")
		}
	}),
	newRow("MEDIA_ID_CONFLICT", Semantics, both(Error), "", "Media/@ID and Resource/@ID must be equal if both are present.", "Write the identifier only once.").of("Media", mediaIDConflict),
} // constant

// inUnit returns a check that a number is between 10 and most. A number below small seems
// to be in a unit that is a thousand times as large.
func inUnit(attribute, unit string, most, small float64, large string) func(*pass, *xjdf.Node) {
	return func(p *pass, n *xjdf.Node) {
		value, ok := float(n, attribute)
		switch {
		case !ok || value >= 10 && value <= most:
		case value > 0 && value < small:
			p.find(n, attribute, fmt.Sprintf("%s is %s %s; it looks like %s.", attribute, number(value), unit, large), fmt.Sprintf("Write %s.", number(value*1000)))
		default:
			p.findf(n, attribute, "%s is %s %s.", attribute, number(value), unit)
		}
	}
}

// sheetSizes are sheet sizes in millimetres, the shorter side first.
var sheetSizes = [...][2]float64{
	{350, 500},
	{360, 520},
	{320, 450},
	{320, 460},
	{320, 464},
	{330, 480},
	{330, 488},
	{450, 640},
	{460, 640},
	{480, 650},
	{500, 700},
	{520, 720},
	{520, 740},
	{530, 750},
	{610, 860},
	{630, 880},
	{640, 900},
	{650, 920},
	{700, 1000},
	{720, 1020},
	{740, 1050},
	{750, 1060},
	{860, 1220},
	{1000, 1400},
	{1020, 1420},
	{1200, 1620},
}

func mediaMillimetres(p *pass, n *xjdf.Node) {
	text, given := n.Attr("Dimension")
	if !given {
		return
	}
	numbers, count := floats(text)
	if width, height := numbers[0], numbers[1]; count == 2 && (knownSize(sheetSizes[:], width, height) || knownSize(trimSizes[:], width, height)) {
		p.find(n, "Dimension", fmt.Sprintf("%s x %s looks like millimetres.", number(width), number(height)), inPoints(width, height, pointsPerMillimetre))
	}
}

func mediaIDConflict(p *pass, n *xjdf.Node) {
	own, given := n.Attr("ID")
	if !given || n.Parent == nil {
		return
	}
	if above, also := n.Parent.Attr("ID"); also && above != own {
		p.findf(n, "ID", "Media/@ID is %s, but Resource/@ID is %s.", quoted(own), quoted(above))
	}
}
