// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"slices"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

var mediaRules = []row{
	newRow("MEDIAINTENT_PROCESS_MEDIA", Semantics, both(Warning), "4.11", "MediaIntent should describe the material of the product.", "Describe plates, blankets and similar items as production resources.").of("MediaIntent", intentOfProcessMedia),
	newRow("ISO_BACK_WITHOUT_FRONT", Semantics, both(Error), "4.11", "BackISOPaperSubstrate requires ISOPaperSubstrate.", "Add ISOPaperSubstrate.").of("MediaIntent", backWithoutFront).also("Media"),
	newRow("WEIGHT_RANGE", Semantics, both(Warning), "A.3.23", "Weight must be in grams per square metre.", "Write the weight in grams per square metre.").of("MediaIntent", weightRange).also("Media"),
	newRow("THICKNESS_RANGE", Semantics, both(Warning), "A.3.23", "Thickness must be in micrometres.", "Write the thickness in micrometres.").of("MediaIntent", thicknessRange).also("Media"),
	newRow("MEDIA_LOOKS_MM", Semantics, both(Warning), "A.3.23", "Sheet sizes must be in points (1/72 inch).", "Multiply millimetres by 2.834646.").of("Media", mediaMillimetres),
	newRow("MEDIA_DEPRECATED_USE", Semantics, both(Warning), "1.7.3", "Since XJDF 2.2, Media describes only printable materials.", "Describe foil, laminate and end boards as MiscConsumable or Tool.").of("Media", mediaDeprecated),
	newRow("MEDIA_ID_EXTENSION", Semantics, both(Info), "", "Media/@ID is an extension of this service, for costing.", "No action is needed; Resource/@ID has the same effect.").of("Media", mediaID),
	newRow("MEDIA_ID_CONFLICT", Semantics, both(Error), "", "Media/@ID and Resource/@ID must be equal if both are present.", "Write the identifier only once.").of("Media", mediaIDConflict),
} // constant

func intentOfProcessMedia(p *pass, n *xjdf.Node) {
	kind, _ := n.Attr("MediaType")
	switch kind {
	case "Plate", "Screen", "Sleeve", "GravureCylinder", "ImagingCylinder", "Blanket", "MountingTape", "EmbossingFoil", "LaminatingFoil":
		p.findf(n, "MediaType", "MediaType is %s, which is not a material of a product.", kind)
	}
}

func backWithoutFront(p *pass, n *xjdf.Node) {
	_, back := n.Attr("BackISOPaperSubstrate")
	if _, front := n.Attr("ISOPaperSubstrate"); back && !front {
		p.find(n, "BackISOPaperSubstrate", "BackISOPaperSubstrate is present, but ISOPaperSubstrate is missing.", "")
	}
}

func weightRange(p *pass, n *xjdf.Node) {
	weight, ok := float(n, "Weight")
	switch {
	case !ok || weight >= 10 && weight <= 3000:
	case weight > 0 && weight < 3:
		p.find(n, "Weight", fmt.Sprintf("Weight is %s g/m2; it looks like kilograms.", number(weight)), fmt.Sprintf("Write %s.", number(weight*1000)))
	default:
		p.findf(n, "Weight", "Weight is %s g/m2.", number(weight))
	}
}

func thicknessRange(p *pass, n *xjdf.Node) {
	thickness, ok := float(n, "Thickness")
	switch {
	case !ok || thickness >= 10 && thickness <= 30_000:
	case thickness > 0 && thickness < 10:
		p.find(n, "Thickness", fmt.Sprintf("Thickness is %s um; it looks like millimetres.", number(thickness)), fmt.Sprintf("Write %s.", number(thickness*1000)))
	default:
		p.findf(n, "Thickness", "Thickness is %s um.", number(thickness))
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

func mediaDeprecated(p *pass, n *xjdf.Node) {
	kind, _ := n.Attr("MediaType")
	if slices.Contains([]string{"EmbossingFoil", "LaminatingFoil", "MountingTape"}, kind) {
		p.findf(n, "MediaType", "MediaType is %s, which is not a Media since XJDF 2.2.", kind)
	}
}

func mediaID(p *pass, n *xjdf.Node) {
	if _, given := n.Attr("ID"); given {
		p.find(n, "ID", "In the standard, the ID belongs to the Resource.", "")
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
