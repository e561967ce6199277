// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"fmt"
	"maps"
	"slices"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

// known returns the attributes and children of an element that the calculation reads or
// that cannot change a figure. Everything else in an intent or a delivery is reported as not costed.
func known(element string) []string {
	switch element {
	case "LayoutIntent":
		return []string{"Bleed", "Dimensions", "FinishedDimensions", "NumberUp", "Orientation", "Pages", "Sides", "SpreadType"}
	case "ColorIntent":
		return []string{"SurfaceColor"}
	case "SurfaceColor":
		return []string{"Coatings", "ColorsUsed", "Coverage", "PrintStandard", "Surface"}
	case "MediaIntent":
		return []string{
			"BackCoating", "BackISOPaperSubstrate", "Brand", "BuyerSupplied", "Coating", "Flute", "FluteDirection", "GrainDirection", "ISOPaperSubstrate", "LabColorValue",
			"MediaColor", "MediaColorDetails", "MediaQuality", "MediaType", "MediaTypeDetails", "Opacity", "PrePrinted", "StockType", "Texture", "Thickness", "Weight",
		}
	case "FoldingIntent":
		return []string{"Crease", "Fold", "FoldCatalog", "Orientation", "Perforate"}
	case "BindingIntent":
		return []string{"BindingOrder", "BindingSide", "BindingType", "ChildRefs", "HardCoverBinding", "LooseBinding", "SaddleStitching", "SoftCoverBinding"}
	case "LooseBinding":
		return []string{"CoilBinding"}
	case "CoilBinding":
		return []string{"CoilShape"}
	case "SaddleStitching":
		return []string{"StapleShape", "StitchNumber"}
	case "SoftCoverBinding":
		return []string{"BlockThreadSewing", "EndSheets", "FoldingWidth", "FoldingWidthBack", "GlueProcedure", "Scoring", "SpineGlue", "SpineOperations"}
	case "HardCoverBinding":
		return []string{"BlockThreadSewing", "CoverStyle", "EndSheets", "HeadBands", "Jacket", "JacketFoldingWidth", "JapanBind", "RegisterRibbon", "SpineGlue", "SpineOperations", "Thickness"}
	case "RegisterRibbon":
		return []string{"LengthOverall", "RibbonColor", "RibbonEnd", "VisibleLength"}
	case "LaminatingIntent":
		return []string{"Surface", "Texture", "Thickness"}
	case "ProductionIntent":
		return []string{"PrintPreference", "PrintProcess"}
	case "HoleMakingIntent":
		return []string{"HolePattern"}
	case "HolePattern":
		return []string{"Center", "CenterReference", "Extent", "HoleCount", "Pattern", "Pitch", "ReferenceEdge", "Shape"}
	case "ShapeCuttingIntent":
		return []string{"ShapeCut"}
	case "ShapeCut":
		return []string{"CutBox", "CutDepth", "CutOut", "CutPath", "CutType", "ShapeType"}
	case "EmbossingIntent":
		return []string{"EmbossingItem"}
	case "EmbossingItem":
		return []string{"Direction", "EmbossingType", "Face", "FoilColor", "ImageSize", "Position", "Separation"}
	case "Fold":
		return []string{"From", "To", "Travel"}
	case "Crease", "Perforate":
		return []string{"StartPosition", "WorkingDirection", "WorkingPath"}
	case "VariableIntent":
		return []string{"Area", "ColorsUsedBack", "ColorsUsedFront", "NumberOfCopies", "VariableQuality", "VariableType"}
	case "DeliveryParams":
		return []string{"DropItem", "Earliest", "EarliestDuration", "Method", "Ownership", "Required", "RequiredDuration", "TrackingID", "Transfer"}
	case "DropItem":
		return []string{"Amount", "ItemRef"}
	case "ContentCheckIntent":
		return []string{"PreflightItem", "ProofItem"}
	case "ProofItem":
		return []string{"Amount", "ColorType", "Contract", "ID"}
	case "PreflightItem":
		return []string{"PreflightLevel"}
	default:
		return nil
	}
}

// unread reports the attributes and children of an element that the calculation does not
// read. It ignores attributes of other namespaces.
func (r *reader) unread(n *xjdf.Node) {
	names := known(n.Name.Local)
	for i := range n.Attributes {
		if a := &n.Attributes[i]; a.Name.Space == "" && !slices.Contains(names, a.Name.Local) {
			r.left(n, a.Name.Local, fmt.Sprintf("%.60q is not included in the figures", a.Name.Local))
		}
	}
	for _, child := range n.Children {
		switch {
		case !child.Name.Core() || !slices.Contains(names, child.Name.Local):
			r.left(child, "", fmt.Sprintf("%.60q is not included in the figures", child.Name.String()))
		case n.Name.Local != "BindingIntent":
			r.unread(child)
		}
	}
}

// mediaIntent compares the requested medium with the medium of the part.
func (r *reader) mediaIntent(p *part, j *job) {
	n := intentOf("MediaIntent", p.node, j.node)
	if n == nil {
		return
	}
	r.compare(n, p.medium, "")
	// Compare the attributes that the master data lack with the document's own
	// description of the medium, by the corresponding attributes of a Media.
	names := map[string]string{
		"BackISOPaperSubstrate": "BackISOPaperSubstrate", "Flute": "Flute", "FluteDirection": "FluteDirection", "ISOPaperSubstrate": "ISOPaperSubstrate",
		"LabColorValue": "LabColorValue", "MediaColor": "MediaColorName", "MediaColorDetails": "MediaColorNameDetails", "MediaQuality": "MediaQuality",
		"MediaTypeDetails": "MediaTypeDetails", "Opacity": "Opacity", "StockType": "StockType", "Texture": "Texture",
	}
	for _, attribute := range slices.Sorted(maps.Keys(names)) {
		wanted := attr(n, attribute)
		for _, media := range p.described {
			if stated := attr(media, names[attribute]); stated != "" && wanted != "" && stated != wanted {
				r.review(MediaConflict, n, attribute, fmt.Sprintf("the document states %.60q for medium %s", stated, p.medium.ID))
			}
		}
	}
	for _, attribute := range [...]string{"BuyerSupplied", "PrePrinted"} {
		if isTrue(attr(n, attribute)) {
			r.review(IntentNotCosted, n, attribute, "the calculation assumes unprinted media of the owner")
		}
	}
}

// shadowed reports the intents of the whole product that apply to no part, because each
// part has an intent of its own.
func (r *reader) shadowed(j *job) {
	if j.parts[0].node == j.node {
		return
	}
	for _, name := range [...]string{"ColorIntent", "MediaIntent", "LaminatingIntent"} {
		of := intentOf(name, j.node)
		if of != nil && !slices.ContainsFunc(j.parts, func(p *part) bool {
			return intentOf(name, p.node) == nil && (name != "LaminatingIntent" || p.role == roleCover)
		}) {
			r.left(of, "", name+" of the whole is that of no part")
		}
	}
	layout := intentOf("LayoutIntent", j.node)
	if layout == nil {
		return
	}
	inherits := func(p *part) bool { return intentOf("LayoutIntent", p.node) == nil }
	if !slices.ContainsFunc(j.parts, func(p *part) bool { return p.role == roleBody && inherits(p) }) {
		// Compare the pages of the whole with the pages of the parts, with or without
		// the cover.
		pages, present := r.count(layout, "Pages")
		inside, all := int64(0), int64(0)
		for _, p := range j.parts {
			if p.countsPages() {
				all += p.pages
			}
			if p.role == roleBody {
				inside += p.pages
			}
		}
		if present && pages != inside && pages != all {
			r.left(layout, "Pages", fmt.Sprintf("the whole has %d pages, but its parts have %d", pages, all))
		}
	}
	if slices.ContainsFunc(j.parts, inherits) {
		return
	}
	for _, attribute := range [...]string{"Bleed", "Sides"} {
		for _, p := range j.parts {
			own := intentOf("LayoutIntent", p.node)
			if stated := attr(layout, attribute); stated != "" && stated != attr(own, attribute) {
				r.left(layout, attribute, fmt.Sprintf("%s of the whole differs from %s", attribute, described(p.node)))
			}
		}
	}
}
