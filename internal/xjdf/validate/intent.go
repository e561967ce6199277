// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/printmarket/printmarket/internal/xjdf"
	"github.com/printmarket/printmarket/internal/xjdf/vocabulary"
)

func intentRules() []row {
	return []row{
		newRow("INTENT_NAME_MISMATCH", Semantics, both(Error), "4.1", "The element in an Intent is the one that Name says.", "Make Name and the element agree.").of("Intent", intentName),
		newRow("INTENT_UNKNOWN", Vocabulary, lenient(), "4.1", "An intent is one of the standard's, or has a prefix.", "Write one of the intents of the standard.").of("Intent", intentUnknown),
		newRow("INTENT_EMPTY", Semantics, both(Warning), "4.1", "An Intent holds the element that Name says.", "Add the element, or remove the Intent.").of("Intent", intentEmpty),
		newRow("INTENT_DUPLICATE", Semantics, both(Error), "4.1", "A product has one intent of each name.", "Put what is wanted into one intent.").of("Product", intentDuplicate),
		newRow("SURFACE_DUPLICATE", Semantics, both(Error), "4.4", "A surface has one description of its colours.", "Put the colours of a surface into one SurfaceColor.").of("ColorIntent", surfaceDuplicate),
		newRow("SIDES_VS_COLOR", Semantics, both(Warning), "4.4", "What is printed on one side has no colours on the other.", "Correct Sides, or remove the colours.").of("Product", sidesVersusColor),
		newRow("FOLDING_DETAILS_WITHOUT_CATALOG", Semantics, both(Error), "4.7", "FoldingDetails say more about a FoldCatalog.", "Add FoldCatalog, such as F4-1.").of("FoldingIntent", foldingDetails),
		newRow("FOLD_PAGES", Semantics, both(Info), "4.7", "A folded sheet has as many pages as its FoldCatalog says.", "Check Pages and FoldCatalog.").of("Product", foldPages),
		newRow("ASSEMBLY_CONTAINER_SELF", Semantics, both(Error), "4.2", "A product is not its own container.", "Let Container name the part that the others are put into.").of("AssemblingIntent", assemblyContainer),
		newRow("STICKON_FACE_FOLIO", Semantics, both(Error), "4.2.4", "StickOn has Face or Folio, and not both.", "Write one of Face and Folio.").of("StickOn", stickOn),
		newRow("VARIABLE_PAGES", Semantics, both(Error), "4.15", "MinPages is at most AveragePages, and that at most MaxPages.", "Order the three numbers.").of("VariableIntent", variablePages),
	}
}

// specific is the element that an Intent holds, or nil.
func specific(n *xjdf.Node) *xjdf.Node {
	for _, child := range n.Children {
		if child.Definition == nil || child.Definition.Kind != vocabulary.Structure {
			return child
		}
	}
	return nil
}

func intentName(p *pass, n *xjdf.Node) {
	name, told := n.Attr("Name")
	held := specific(n)
	if told && held != nil && held.Name.String() != name && held.Name.Local != name {
		p.findf(n, "Name", "Name is %s, and the element is %s.", quoted(name), quoted(held.Name.String()))
	}
}

func intentUnknown(p *pass, n *xjdf.Node) {
	name, told := n.Attr("Name")
	if !told || strings.Contains(name, ":") {
		return
	}
	if def := p.validator.vocabulary.Element(name); def != nil && def.Kind == vocabulary.Intent {
		return
	}
	suggestion := ""
	if nearest, ok := p.validator.vocabulary.SuggestIntent(name); ok {
		suggestion = fmt.Sprintf("Did you mean %s?", nearest)
	}
	p.find(n, "Name", fmt.Sprintf("The standard has no intent %s.", quoted(name)), suggestion)
	p.reject(category, "Intent "+clip(name), n, "Name")
}

func intentEmpty(p *pass, n *xjdf.Node) {
	if name, told := n.Attr("Name"); told && specific(n) == nil {
		p.findf(n, "", "The Intent holds no %s.", clip(name))
	}
}

func intentDuplicate(p *pass, product *xjdf.Node) {
	seen := map[string]bool{}
	for one := range product.All("Intent") {
		name, told := one.Attr("Name")
		if told && seen[name] {
			p.findf(one, "Name", "The product has several intents %s.", quoted(name))
		}
		seen[name] = true
	}
}

func surfaceDuplicate(p *pass, n *xjdf.Node) {
	seen := map[string]bool{}
	for one := range n.All("SurfaceColor") {
		surface, told := one.Attr("Surface")
		if told && seen[surface] {
			p.findf(one, "Surface", "The surface %s is described twice.", clip(surface))
		}
		seen[surface] = true
	}
}

// unprinted is the surface that Sides leaves empty; empty if it leaves none.
func unprinted(sides string) string {
	switch sides {
	case "OneSided":
		return "Back"
	case "OneSidedBack":
		return "Front"
	default:
		return ""
	}
}

func sidesVersusColor(p *pass, product *xjdf.Node) {
	layout, colors := intent(product, "LayoutIntent"), intent(product, "ColorIntent")
	if layout == nil || colors == nil {
		return
	}
	sides, _ := layout.Attr("Sides")
	for one := range colors.All("SurfaceColor") {
		surface, _ := one.Attr("Surface")
		used, _ := one.Attr("ColorsUsed")
		if used != "" && (sides == "Unprinted" || surface != "" && surface == unprinted(sides)) {
			p.findf(one, "ColorsUsed", "Sides is %s, and the surface %s has colours.", sides, clip(surface))
		}
	}
}

func foldingDetails(p *pass, n *xjdf.Node) {
	_, details := n.Attr("FoldingDetails")
	if _, catalog := n.Attr("FoldCatalog"); details && !catalog {
		p.find(n, "FoldingDetails", "There are FoldingDetails and no FoldCatalog.", "")
	}
}

func foldPages(p *pass, product *xjdf.Node) {
	folding, layout := intent(product, "FoldingIntent"), intent(product, "LayoutIntent")
	if folding == nil || layout == nil {
		return
	}
	catalog, _ := folding.Attr("FoldCatalog")
	name, _, _ := strings.Cut(catalog, "-")
	pages, ok := integer(layout, "Pages")
	if want := strings.TrimPrefix(name, "F"); ok && want != name && strconv.FormatInt(pages, 10) != want {
		p.findf(layout, "Pages", "A sheet folded by %s has %s pages, and Pages is %d.", clip(catalog), clip(want), pages)
	}
}

func assemblyContainer(p *pass, n *xjdf.Node) {
	container, told := n.Attr("Container")
	product := p.productOf(n)
	if !told || product == nil {
		return
	}
	if id, _ := product.Attr("ID"); id == container {
		p.findf(n, "Container", "Container names the product %s itself.", quoted(container))
	}
}

func stickOn(p *pass, n *xjdf.Node) {
	_, face := n.Attr("Face")
	_, folio := n.Attr("Folio")
	switch {
	case face && folio:
		p.find(n, "Face", "StickOn has both Face and Folio.", "")
	case !face && !folio:
		p.find(n, "", "StickOn has neither Face nor Folio.", "")
	}
}

func variablePages(p *pass, n *xjdf.Node) {
	last, name := int64(0), ""
	for _, attribute := range []string{"MinPages", "AveragePages", "MaxPages"} {
		value, ok := float(n, attribute)
		if !ok {
			continue
		}
		if name != "" && int64(value) < last {
			p.findf(n, attribute, "%s %s is less than %s %d.", attribute, number(value), name, last)
		}
		last, name = int64(value), attribute
	}
}
