// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"slices"
	"strings"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

var bindingRules = []row{
	newRow("BINDING_DETAIL", Semantics, both(Error), "4.3", "The details of a binding must match its BindingType.", "Make BindingType and the element agree.").of("BindingIntent", bindingDetail),
	newRow("BINDING_SIDE", Semantics, both(Error), "4.3", "A product that is not bound must not have a BindingSide.", "Remove BindingSide, or change BindingOrder.").of("BindingIntent", func(p *pass, n *xjdf.Node) {
		_, side := n.Attr("BindingSide")
		if order, _ := n.Attr("BindingOrder"); side && order == "None" {
			p.find(n, "BindingSide", "BindingSide is present, but BindingOrder is None.", "")
		}
	}),
	newRow("BINDING_TABS", Semantics, both(Error), "4.3.8", "Tabs without reinforcement must not have a reinforcement colour.", "Set ReinforceTabs to true, or remove ReinforceColor.").of("Tabs", func(p *pass, n *xjdf.Node) {
		_, colored := n.Attr("ReinforceColor")
		if reinforced, _ := n.Attr("ReinforceTabs"); colored && reinforced != "true" && reinforced != "1" {
			p.find(n, "ReinforceColor", "ReinforceColor is present, but ReinforceTabs is not true.", "")
		}
	}),
	newRow("BINDING_PAGES", Semantics, both(Warning), "4.10", "The number of pages of a stitched or folded body should be a multiple of 4.", "Make Pages a multiple of 4.").of(document, bindingPages),
	newRow("BINDING_WITHOUT_PAGES", Semantics, both(Info), "4.3", "A bound product has pages, either its own or those of its parts.", "Add a LayoutIntent with Pages, or ChildRefs.").of("Product", bindingWithoutPages),
} // constant

// detailed returns the BindingTypes that an element of BindingIntent or LooseBinding
// describes, or nil for an element that goes with any.
func detailed(element string) []string {
	switch element {
	case "AdhesiveNote", "EdgeGluing":
		return []string{element}
	case "HardCoverBinding":
		return []string{"HardCover"}
	case "LooseBinding":
		// The standard lists five, has a generic name for them (A.2.7), and mentions
		// WireComb in the details (4.3.4.1).
		return []string{"ChannelBinding", "CoilBinding", "CombBinding", "RingBinding", "StripBinding", "LooseBinding", "WireComb"}
	case "CoilBinding":
		return []string{"CoilBinding", "WireComb"}
	case "CombBinding":
		return []string{"CombBinding", "WireComb"} // or wire comb binding (4.3.4)
	case "RingBinding":
		return []string{"RingBinding"}
	case "SaddleStitching":
		return []string{"SaddleStitch"}
	case "SideStitching":
		return []string{"SideStitch"}
	case "SoftCoverBinding":
		return []string{"SoftCover"}
	default:
		return nil
	}
}

func bindingDetail(p *pass, n *xjdf.Node) {
	kind, given := n.Attr("BindingType")
	if !given {
		return
	}
	p.detail(n, kind)
	if loose := n.Child("LooseBinding"); loose != nil {
		p.detail(loose, kind)
	}
}

func (p *pass) detail(n *xjdf.Node, kind string) {
	for _, child := range n.Children {
		if types := detailed(child.Name.Local); types != nil && !slices.Contains(types, kind) {
			p.findf(child, "", "BindingType is %s, but %s belongs to %s.", clip(kind), child.Name.Local, types[0])
		}
	}
}

// bindingPages checks stitched products and their parts.
func bindingPages(p *pass, _ *xjdf.Node) {
	seen := map[*xjdf.Node]bool{} // checks shared parts once
	for _, product := range p.products {
		binding := p.intentsOf(product).binding
		if binding == nil {
			continue
		}
		if kind, _ := binding.Attr("BindingType"); kind != "SaddleStitch" {
			continue
		}
		p.stitched(product, seen)
		refs, _ := binding.Attr("ChildRefs")
		for id := range strings.FieldsSeq(refs) {
			if part := p.target(id); part != nil && part.Name.Local == "Product" {
				p.stitched(part, seen)
			}
		}
	}
}

func (p *pass) stitched(product *xjdf.Node, seen map[*xjdf.Node]bool) {
	if seen[product] {
		return
	}
	seen[product] = true
	layout := p.intentsOf(product).layout
	if layout == nil {
		return
	}
	if pages, ok := integer(layout, "Pages"); ok && pages > 0 && pages%4 != 0 {
		p.findf(layout, "Pages", "Pages is %d; saddle stitching requires a multiple of 4.", pages)
	}
}

func bindingWithoutPages(p *pass, product *xjdf.Node) {
	binding := p.intentsOf(product).binding
	if binding == nil {
		return
	}
	if kind, _ := binding.Attr("BindingType"); kind == "None" {
		return
	}
	if _, parts := binding.Attr("ChildRefs"); parts {
		return
	}
	if layout := p.intentsOf(product).layout; layout != nil {
		if _, given := layout.Attr("Pages"); given {
			return
		}
	}
	p.find(binding, "", "The bound product has neither Pages nor parts.", "")
}
