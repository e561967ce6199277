// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"slices"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

// The kinds of [Unsupported].
const (
	field    = "field"
	category = "category"
)

// Capabilities are the capabilities of the marketplace. GET /api/v1/xjdf/capabilities
// returns them and the support rules compare documents with them, so that the two
// cannot differ. The zero value supports everything.
type Capabilities struct {
	// Products are the types of products that are delivered, Parts the types of their
	// parts.
	Products, Parts []string
	// MediaTypes are the types of media of products.
	MediaTypes []string
	// MinWeight and MaxWeight bound the weight of media, in g/m2.
	MinWeight, MaxWeight float64
	// Finishing are the intents beyond layout, colour and media.
	Finishing []Finishing
	// Resources are the names of resource sets.
	Resources []string
	// Processes are the types of documents.
	Processes []string
}

// Finishing is a supported intent.
type Finishing struct {
	// Intent is the name of the intent.
	Intent string
	// Limits are attributes of which only some values are supported.
	Limits []Limit
}

// Limit is an attribute with its supported values.
type Limit struct {
	Attribute string
	Values    []string
}

// Marketplace returns the capabilities of this marketplace, with the types of products
// of its catalog.
func Marketplace(products []string) Capabilities {
	return Capabilities{
		Products:   products,
		Parts:      []string{"BackCover", "Body", "BookBlock", "BookCase", "Cover", "EndSheet", "FrontCover", "Insert", "Jacket", "ResponseCard", "Section"},
		MediaTypes: []string{"Paper", "SelfAdhesive", "Vinyl", "CorrugatedBoard", "Textile", "Transparency"},
		MinWeight:  30, MaxWeight: 800,
		Finishing: []Finishing{
			{Intent: "AssemblingIntent"},
			{Intent: "BindingIntent", Limits: []Limit{{"BindingType", []string{
				"AdhesiveNote", "CoilBinding", "CornerStitch", "EdgeGluing", "HardCover", "LooseBinding", "None", "RingBinding", "SaddleStitch", "SideStitch", "SoftCover", "WireComb",
			}}}},
			{Intent: "EmbossingIntent"},
			{Intent: "FoldingIntent"},
			{Intent: "HoleMakingIntent"},
			{Intent: "LaminatingIntent"},
			{Intent: "ProductionIntent", Limits: []Limit{{"PrintProcess", []string{
				"Electrophotography", "ElectroInk", "Flexography", "InkJet", "OffsetLithography", "ScreenPrinting",
			}}}},
			{Intent: "ShapeCuttingIntent"},
		},
		Resources: []string{
			"ApprovalDetails", "Color", "ColorantControl", "Component", "Contact", "Content", "CustomerInfo", "DeliveryParams", "Device", "Ink", "ManualLaborParams",
			"Media", "MiscConsumable", "NodeInfo", "PreflightReport", "RunList", "Tool",
		},
		Processes: []string{productProcess},
	}
}

// Production is the equipment of a printer.
type Production struct {
	// MediaTypes are the types of the available media, MinWeight and MaxWeight the
	// bounds of their weights, in g/m2; zero without media.
	MediaTypes           []string
	MinWeight, MaxWeight float64
	// Processes are the processes of the devices, by the names of XJDF.
	Processes []string
}

// needs lists for a finishing, or for a value of it, the processes of which it needs
// one; nil if it needs none.
var needs = []struct {
	intent, attribute, value string
	processes                []string
}{
	{"AssemblingIntent", "", "", []string{"Stitching", "CoverApplication"}},
	{"BindingIntent", "BindingType", "SaddleStitch", []string{"Stitching"}},
	{"BindingIntent", "BindingType", "SoftCover", []string{"CoverApplication"}},
	{"FoldingIntent", "", "", []string{"Folding"}},
	{"HoleMakingIntent", "", "", []string{"HoleMaking"}},
	{"LaminatingIntent", "", "", []string{"Laminating"}},
	{"ShapeCuttingIntent", "", "", []string{"ShapeCutting"}},
	{"ProductionIntent", "PrintProcess", "OffsetLithography", []string{"ConventionalPrinting"}},
	{"ProductionIntent", "PrintProcess", "Electrophotography", []string{"DigitalPrinting"}},
	{"ProductionIntent", "PrintProcess", "ElectroInk", []string{"DigitalPrinting"}},
	{"ProductionIntent", "PrintProcess", "InkJet", []string{"DigitalPrinting"}},
	{"BindingIntent", "BindingType", "None", nil},
}

// MadeWith returns the capabilities that the production can provide.
func (c Capabilities) MadeWith(p Production) Capabilities {
	c.MediaTypes = append([]string{}, p.MediaTypes...)
	c.MinWeight, c.MaxWeight = p.MinWeight, p.MaxWeight
	all := c.Finishing
	c.Finishing = []Finishing{}
	for _, finishing := range all {
		if left, possible := finishing.madeWith(p.Processes); possible {
			c.Finishing = append(c.Finishing, left)
		}
	}
	return c
}

// madeWith returns the part of a finishing that the processes can provide; false for
// none.
func (f Finishing) madeWith(processes []string) (Finishing, bool) {
	left := Finishing{Intent: f.Intent}
	for _, limit := range f.Limits {
		values := []string{}
		for _, value := range limit.Values {
			if possible(processes, f.Intent, limit.Attribute, value) {
				values = append(values, value)
			}
		}
		left.Limits = append(left.Limits, Limit{limit.Attribute, values})
	}
	if len(f.Limits) > 0 {
		return left, slices.ContainsFunc(left.Limits, func(l Limit) bool { return len(l.Values) > 0 })
	}
	return left, possible(processes, f.Intent, "", "")
}

// possible reports whether one of the needed processes is available. A finishing that
// needs does not list is impossible.
func possible(processes []string, intent, attribute, value string) bool {
	for _, need := range needs {
		if need.intent == intent && need.attribute == attribute && need.value == value {
			return need.processes == nil || slices.ContainsFunc(need.processes, func(p string) bool { return slices.Contains(processes, p) })
		}
	}
	return false
}

// unsupportedFix is the fix of all support rules.
const unsupportedFix = "Use a value from the capabilities of the marketplace (GET /api/v1/xjdf/capabilities)."

var supportRules = []row{
	newRow("UNSUPPORTED_PRODUCT", Support, both(Warning), "", "The marketplace must offer products of this type.", unsupportedFix).of(document, unsupportedProduct),
	newRow("UNSUPPORTED_MEDIA", Support, both(Warning), "", "The marketplace must offer media of this type and weight.", unsupportedFix).of("MediaIntent", unsupportedMedia),
	newRow("UNSUPPORTED_FINISHING", Support, both(Warning), "", "The marketplace must offer this finishing.", unsupportedFix).of("Intent", unsupportedFinishing),
	newRow("UNSUPPORTED_RESOURCE", Support, both(Warning), "", "The marketplace must support resources of this kind.", unsupportedFix).of("ResourceSet", func(p *pass, set *xjdf.Node) {
		taken := p.options.Support.Resources
		name, _ := set.Attr("Name")
		if taken != nil && p.isResource(name) && !slices.Contains(taken, name) {
			p.unsupported(field, "ResourceSet "+name, set, "Name", fmt.Sprintf("The marketplace does not support %s.", name), nil)
		}
	}),
	newRow("UNSUPPORTED_PROCESS", Support, both(Warning), "", "The marketplace supports product descriptions, not production processes.", unsupportedFix).of(rootName, unsupportedProcess),
} // constant

// unsupported reports an unsupported item, and lists it.
func (p *pass) unsupported(kind, name string, n *xjdf.Node, attribute, message string, taken []string) {
	suggestion := ""
	if len(taken) > 0 {
		suggestion = fmt.Sprintf("Supported values: %s.", some(taken))
	}
	p.find(n, attribute, message, suggestion)
	p.reject(kind, name, n, attribute)
}

func unsupportedProduct(p *pass, _ *xjdf.Node) {
	taken := p.options.Support.Products
	if taken == nil {
		return
	}
	p.roots()
	for _, product := range p.products {
		kind, given := product.Attr("ProductType")
		if !given || slices.Contains(taken, kind) || !p.rootSet[product] && slices.Contains(p.options.Support.Parts, kind) {
			continue
		}
		p.unsupported(category, "ProductType "+clip(kind), product, "ProductType", fmt.Sprintf("The marketplace does not offer %s.", quoted(kind)), taken)
	}
}

func unsupportedMedia(p *pass, n *xjdf.Node) {
	s := &p.options.Support
	if s.MediaTypes == nil {
		return
	}
	kind, given := n.Attr("MediaType")
	if known := p.validator.vocabulary.List("MediaType"); given && known.Has(kind) && !slices.Contains(s.MediaTypes, kind) {
		p.unsupported(category, "MediaType "+clip(kind), n, "MediaType", fmt.Sprintf("The marketplace does not offer the medium %s.", quoted(kind)), s.MediaTypes)
	}
	if weight, ok := float(n, "Weight"); ok && s.MaxWeight > 0 && (weight < s.MinWeight || weight > s.MaxWeight) {
		p.unsupported(category, "Weight "+number(weight), n, "Weight",
			fmt.Sprintf("The marketplace offers media from %s to %s g/m2.", number(s.MinWeight), number(s.MaxWeight)), nil)
	}
}

func unsupportedFinishing(p *pass, n *xjdf.Node) {
	taken := p.options.Support.Finishing
	name, given := n.Attr("Name")
	basic := name == "ColorIntent" || name == "LayoutIntent" || name == "MediaIntent"
	if taken == nil || !given || basic || !isIntent(p.validator.vocabulary, name) {
		return
	}
	i := slices.IndexFunc(taken, func(f Finishing) bool { return f.Intent == name })
	if i < 0 {
		p.unsupported(category, "Intent "+name, n, "Name", fmt.Sprintf("The marketplace does not support %s.", name), nil)
		return
	}
	held := n.Child(name)
	if held == nil {
		return
	}
	for _, limit := range taken[i].Limits {
		value, _ := held.Attr(limit.Attribute)
		for item := range items(value) {
			if !slices.Contains(limit.Values, item) {
				p.unsupported(category, limit.Attribute+" "+clip(item), held, limit.Attribute, fmt.Sprintf("The marketplace does not offer %s.", quoted(item)), limit.Values)
			}
		}
	}
}

func isIntent(v *vocabulary.Vocabulary, name string) bool {
	def := v.Element(name)
	return def != nil && def.Kind == vocabulary.Intent
}

func unsupportedProcess(p *pass, root *xjdf.Node) {
	taken := p.options.Support.Processes
	if taken == nil {
		return
	}
	for _, name := range p.types {
		if _, known := p.validator.vocabulary.Process(name); known && !slices.Contains(taken, name) {
			p.unsupported(category, "Types "+name, root, "Types", fmt.Sprintf("The marketplace does not support the process %s.", name), taken)
		}
	}
}
