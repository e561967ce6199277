// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

var intentRules = []row{
	newRow("INTENT_NAME_MISMATCH", Semantics, both(Error), "4.1", "The element in an Intent must match its Name.", "Make Name and the element consistent.").of("Intent", func(p *pass, n *xjdf.Node) {
		name, given := n.Attr("Name")
		held := specific(n)
		if given && held != nil && held.Name.String() != name && held.Name.Local != name {
			p.findf(n, "Name", "Name is %s, but the element is %s.", quoted(name), quoted(held.Name.String()))
		}
	}),
	newRow("INTENT_UNKNOWN", Vocabulary, lenient(), "4.1", "An intent should be one of the standard, or have a prefix.", "Write one of the intents of the standard.").of("Intent", intentUnknown),
	newRow("INTENT_EMPTY", Semantics, both(Warning), "4.1", "An Intent should contain the element that its Name requires.", "Add the element, or remove the Intent.").of("Intent", func(p *pass, n *xjdf.Node) {
		if name, given := n.Attr("Name"); given && len(n.Children) == 0 {
			p.findf(n, "", "The Intent contains no %s.", clip(name))
		}
	}),
	newRow("INTENT_DUPLICATE", Semantics, both(Error), "4.1", "A product must have at most one intent of each Name.", "Merge the intents.").of("Product", intentDuplicate),
	newRow("SURFACE_DUPLICATE", Semantics, both(Error), "4.4", "A surface must have at most one SurfaceColor.", "Merge the colours of the surface into one SurfaceColor.").of("ColorIntent", surfaceDuplicate),
	newRow("SIDES_VS_COLOR", Semantics, both(Warning), "4.4", "The surfaces with colours should match the printed surfaces in Sides.", "Correct Sides, or the surfaces of ColorIntent.").of("Product", sidesVersusColor),
	newRow("COLOR_ABBREVIATED", Semantics, both(Warning), "4.4", "Process colours should have their full names.", "Write Cyan, Magenta, Yellow or Black. Write a spot colour as one name without blanks, such as PANTONE_185_C.").of("SurfaceColor", colorAbbreviated),
	newRow("COLOR_DETAILS", Semantics, both(Warning), "4.3", "Details of a colour require a named colour.", "Add the nearest named colour.").of("BindingIntent", colorDetails).
		also("HardCoverBinding", "Tabs", "EmbossingItem", "MediaIntent", "MiscConsumable"),
	newRow("FOLDING_DETAILS_WITHOUT_CATALOG", Semantics, both(Error), "4.7", "FoldingDetails requires FoldCatalog.", "Add FoldCatalog, such as F4-1.").of("FoldingIntent", requires("FoldingDetails", "FoldCatalog")),
	newRow("FOLD_PAGES", Semantics, both(Info), "4.7", "The number of pages of a folded sheet should match its FoldCatalog.", "Check Pages and FoldCatalog.").of("Product", foldPages),
	newRow("ASSEMBLY_CONTAINER_SELF", Semantics, both(Error), "4.2", "A product must not be its own container.", "Set Container to the part that contains the others.").of("AssemblingIntent", assemblyContainer),
	newRow("STICKON_FACE_FOLIO", Semantics, both(Error), "4.2.4", "StickOn must have either Face or Folio.", "Write only one of Face and Folio.").of("StickOn", func(p *pass, n *xjdf.Node) {
		_, face := n.Attr("Face")
		_, folio := n.Attr("Folio")
		if face && folio {
			p.find(n, "Face", "StickOn has both Face and Folio.", "")
		}
	}),
	newRow("VARIABLE_PAGES", Semantics, both(Error), "4.14", "MinPages must not exceed AveragePages, and AveragePages must not exceed MaxPages.", "Correct the three numbers.").of("VariableIntent", variablePages),
	newRow("VARIABLE_PARTS", Semantics, both(Error), "4.14", "An assembled or bound product must list its parts in that intent, not in VariableIntent.", "Remove ChildRefs from the VariableIntent, or remove the other intent.").of("Product", variableParts),
	newRow("VARIABLE_COLORS", Semantics, lenient(), "4.14", "The colours of variable data should be colours of the surface.", "Add the colours to ColorsUsed of the surface.").of("Product", variableColors),
} // constant

// specific returns the element within an Intent: the intent of the standard, else an
// extension, preferably with the name of the Intent, or nil.
func specific(n *xjdf.Node) *xjdf.Node {
	name, _ := n.Attr("Name")
	var found *xjdf.Node
	for _, child := range n.Children {
		switch {
		case child.Definition != nil && child.Definition.Kind == vocabulary.Intent:
			return child
		case found == nil && child.Definition == nil, child.Name.String() == name:
			found = child
		}
	}
	return found
}

func intentUnknown(p *pass, n *xjdf.Node) {
	name, given := n.Attr("Name")
	if !given || strings.Contains(name, ":") || isIntent(p.validator.vocabulary, name) {
		return
	}
	p.add(p.rule, n, "Name", func() (string, string) {
		suggestion := ""
		if nearest, ok := p.validator.vocabulary.SuggestIntent(clip(name)); ok {
			suggestion = fmt.Sprintf("Did you mean %s?", nearest)
		}
		return fmt.Sprintf("The standard has no intent %s.", quoted(name)), suggestion
	})
	p.reject(category, "Intent "+clip(name), n, "Name")
}

func intentDuplicate(p *pass, product *xjdf.Node) {
	const few = 16
	var seen map[string]bool
	if len(product.Children) > few {
		seen = make(map[string]bool, len(product.Children))
	}
	for i, one := range product.Children {
		name, given := one.Attr("Name")
		if !given || one.Name.Local != "Intent" || !one.Name.Core() {
			continue
		}
		again := seen[name] || seen == nil && slices.ContainsFunc(product.Children[:i], func(other *xjdf.Node) bool {
			former, _ := other.Attr("Name")
			return former == name && other.Name.Local == "Intent"
		})
		if again {
			p.findf(one, "Name", "The product has more than one intent %s.", quoted(name))
		}
		if seen != nil {
			seen[name] = true
		}
	}
}

func surfaceDuplicate(p *pass, n *xjdf.Node) {
	seen := map[string]bool{}
	for one := range n.All("SurfaceColor") {
		surface, given := one.Attr("Surface")
		if given && seen[surface] {
			p.findf(one, "Surface", "The surface %s is described twice.", clip(surface))
		}
		seen[surface] = true
	}
}

// printed returns the printed surfaces for a value of Sides.
func printed(sides string) (front, back, ok bool) {
	switch sides {
	case "OneSided":
		return true, false, true
	case "OneSidedBack":
		return false, true, true
	case "TwoSidedHeadToHead", "TwoSidedHeadToFoot":
		return true, true, true
	case "Unprinted":
		return false, false, true
	default:
		return false, false, false
	}
}

func sidesVersusColor(p *pass, product *xjdf.Node) {
	layout, colors := p.intentsOf(product).layout, p.intentsOf(product).color
	if layout == nil || colors == nil || colors.Child("SurfaceColor") == nil {
		return
	}
	sides, _ := layout.Attr("Sides")
	front, back, ok := printed(sides)
	if !ok {
		return
	}
	p.surfaceVersusSides(colors, "Front", sides, front)
	p.surfaceVersusSides(colors, "Back", sides, back)
}

func (p *pass) surfaceVersusSides(colors *xjdf.Node, surface, sides string, printed bool) {
	described := false
	for one := range colors.All("SurfaceColor") {
		if name, _ := one.Attr("Surface"); name != surface {
			continue
		}
		described = true
		if used, _ := one.Attr("ColorsUsed"); used != "" && !printed {
			p.findf(one, "ColorsUsed", "Sides is %s, but the surface %s has colours.", sides, surface)
		}
	}
	if printed && !described {
		p.findf(colors, "", "Sides is %s, but the surface %s has no colours.", sides, surface)
	}
}

func colorAbbreviated(p *pass, surface *xjdf.Node) {
	used, _ := surface.Attr("ColorsUsed")
	for color := range items(used) {
		if colors := vocabulary.ProcessColors(color); colors != "" {
			p.find(surface, "ColorsUsed", "The colour "+quoted(color)+" is not a process colour.", "Did you mean "+colors+"?")
			return
		}
	}
}

// colorDetails checks each attribute with details of a named colour.
func colorDetails(p *pass, n *xjdf.Node) {
	for i := range n.Attributes {
		name := n.Attributes[i].Name.Local
		color, found := strings.CutSuffix(name, "Details")
		if !found || !strings.HasSuffix(color, "Color") || n.Definition.Attribute(color) == nil {
			continue
		}
		if _, given := n.Attr(color); !given {
			p.findf(n, name, "%s is present, but %s is missing.", name, color)
		}
	}
}

func foldPages(p *pass, product *xjdf.Node) {
	folding, layout := p.intentsOf(product).folding, p.intentsOf(product).layout
	if folding == nil || layout == nil {
		return
	}
	catalog, _ := folding.Attr("FoldCatalog")
	name, _, _ := strings.Cut(catalog, "-")
	pages, ok := integer(layout, "Pages")
	if want := strings.TrimPrefix(name, "F"); ok && want != name && strconv.FormatInt(pages, 10) != want {
		p.findf(layout, "Pages", "A sheet with the fold %s has %s pages, but Pages is %d.", clip(catalog), clip(want), pages)
	}
}

func assemblyContainer(p *pass, n *xjdf.Node) {
	container, given := n.Attr("Container")
	product := p.productOf(n)
	if !given || product == nil {
		return
	}
	if id, _ := product.Attr("ID"); id == container {
		p.findf(n, "Container", "Container names the product %s itself.", quoted(container))
	}
}

func variablePages(p *pass, n *xjdf.Node) {
	var last int64
	name := ""
	for _, attribute := range []string{"MinPages", "AveragePages", "MaxPages"} {
		value, ok := integer(n, attribute)
		if !ok {
			continue
		}
		if name != "" && value < last {
			p.findf(n, attribute, "%s is %d, which is less than %s, %d.", attribute, value, name, last)
		}
		last, name = value, attribute
	}
}

func variableParts(p *pass, product *xjdf.Node) {
	has := p.intentsOf(product)
	variable := has.variables
	if variable == nil {
		return
	}
	if _, given := variable.Attr("ChildRefs"); !given {
		return
	}
	if has.assembling != nil || has.binding != nil {
		p.find(variable, "ChildRefs", "VariableIntent has ChildRefs although the product has an AssemblingIntent or a BindingIntent.", "")
	}
}

func variableColors(p *pass, product *xjdf.Node) {
	variable, colors := p.intentsOf(product).variables, p.intentsOf(product).color
	if variable == nil {
		return
	}
	for _, surface := range []string{"Front", "Back"} {
		used, given := variable.Attr("ColorsUsed" + surface)
		if !given {
			continue
		}
		have := colorsOf(colors, surface)
		for color := range items(used) {
			if !have[color] {
				p.findf(variable, "ColorsUsed"+surface, "The colour %s is not a colour of the surface %s.", quoted(color), surface)
				break
			}
		}
	}
}

// colorsOf returns the colours of a surface; colors may be nil.
func colorsOf(colors *xjdf.Node, surface string) map[string]bool {
	have := map[string]bool{}
	if colors == nil {
		return have
	}
	for one := range colors.All("SurfaceColor") {
		if name, _ := one.Attr("Surface"); name == surface {
			used, _ := one.Attr("ColorsUsed")
			for color := range items(used) {
				have[color] = true
			}
		}
	}
	return have
}
