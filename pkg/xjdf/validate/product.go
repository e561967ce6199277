// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"slices"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

var productRules = []row{
	newRow("PRODUCT_NO_ROOT", Semantics, both(Error), "3.3.1", "One of the products must be the delivered product.", "Set IsRoot to true on the delivered product.").of(document, func(p *pass, _ *xjdf.Node) {
		if len(p.products) > 0 && len(p.roots()) == 0 {
			p.find(p.products[0].Parent, "", "No product has IsRoot true.", "")
		}
	}),
	newRow("PRODUCT_MULTI_ROOT", Semantics, both(Warning), "3.3", "Only one product should be the delivered product, unless the document describes a gang job.", "Set IsRoot to true only on the delivered product.").of(document, productMultiRoot),
	newRow("PRODUCT_ROOT_UNSTATED", Semantics, both(Warning), "3.3.1", "If a document has several products, IsRoot should mark the delivered product.", "Set IsRoot to true on the delivered product, and to false on its parts.").of(document, productRootUnstated),
	newRow("PRODUCT_ORPHAN", Semantics, both(Warning), "4.1.2", "A product that is not a root should be part of another product.", "Refer to the product from a BindingIntent or AssemblingIntent, or remove it.").of(document, productOrphan),
	newRow("PRODUCT_CHILD_IS_ROOT", Semantics, both(Warning), "3.3.1", "A product that is part of another product should not be a root.", "Set IsRoot to false.").of(document, productChildIsRoot),
	newRow("PRODUCT_VERSION", Semantics, both(Error), "3.3.1", "A product and its parts must have the same PartVersion.", "Give both the same PartVersion.").of(document, productVersion),
	newRow("PRODUCTTYPE_MISSING", Semantics, both(Warning), "3.3.1", "The delivered product should have a ProductType.", "Add ProductType, such as BusinessCard.").of(document, ofRoots("ProductType")),
	newRow("PRODUCTTYPE_DETAILS", Semantics, both(Warning), "3.3.1", "ProductTypeDetails requires ProductType.", "Add ProductType.").of("Product", requires("ProductTypeDetails", "ProductType")),
	newRow("PRODUCTTYPE_PROOF", Semantics, both(Warning), "A.3.18", "A proof is not a product.", "Request proofs with a ContentCheckIntent.").of("Product", func(p *pass, product *xjdf.Node) {
		if name, _ := product.Attr("ProductType"); name == "Proof" {
			p.find(product, "ProductType", "ProductType is Proof.", "")
		}
	}),
	newRow("PRODUCT_INTENT", Semantics, both(Warning), "A.3.18", "The intents of a product should match its ProductType.", "Change ProductType, or remove the intent.").of("Product", productIntent),
	newRow("PRODUCT_WITHOUT_INTENT", Semantics, both(Info), "3.1.2", "A product should have intents that describe it, or an ExternalID by which the receiver knows it.", "Add intents, such as a LayoutIntent and a MediaIntent.").of("Product", func(p *pass, product *xjdf.Node) {
		_, external := product.Attr("ExternalID")
		if !external && product.Child("Intent") == nil {
			p.find(product, "", "The product has neither intents nor an ExternalID.", "")
		}
	}),
	newRow("PRODUCT_PAGES", Semantics, both(Warning), "A.3.18", "The number of pages should match the ProductType.", "Correct Pages or ProductType.").of("Product", productPages),
} // constant

func isRoot(n *xjdf.Node) (value, given bool) {
	text, given := n.Attr("IsRoot")
	return text == "true" || text == "1", given
}

// partsOf returns the products that others refer to.
func (p *pass) partsOf() map[*xjdf.Node]bool {
	if p.partSet == nil {
		p.partSet = map[*xjdf.Node]bool{}
		for _, r := range p.references {
			from := p.productOf(r.node)
			for id := range items(r.value) {
				if target := p.target(id); from != nil && target != nil && target.Name.Local == "Product" && target != from {
					p.partSet[target] = true
				}
			}
		}
	}
	return p.partSet
}

// productOf returns the product that an element belongs to, or nil.
func (p *pass) productOf(n *xjdf.Node) *xjdf.Node {
	for ; n != nil; n = n.Parent {
		if n.Name.Local == "Product" && n.Name.Core() {
			return n
		}
	}
	return nil
}

// roots returns the products that are delivered: those with IsRoot or, if no product
// has it, those that are part of no other.
func (p *pass) roots() []*xjdf.Node {
	if p.rootSet != nil {
		return p.rootNodes
	}
	var explicit, silent []*xjdf.Node
	for _, product := range p.products {
		switch root, given := isRoot(product); {
		case root:
			explicit = append(explicit, product)
		case !given:
			silent = append(silent, product)
		}
	}
	p.rootNodes = explicit
	if len(explicit) == 0 {
		parts := p.partsOf()
		p.rootNodes = slices.DeleteFunc(silent, func(n *xjdf.Node) bool { return parts[n] })
	}
	p.rootSet = make(map[*xjdf.Node]bool, len(p.rootNodes))
	for _, root := range p.rootNodes {
		p.rootSet[root] = true
	}
	return p.rootNodes
}

func productMultiRoot(p *pass, _ *xjdf.Node) {
	if len(p.products) < 2 {
		return
	}
	if roots := p.roots(); len(roots) > 1 {
		p.findf(roots[1], "IsRoot", "%d products have IsRoot true.", len(roots))
	}
}

func productRootUnstated(p *pass, _ *xjdf.Node) {
	if len(p.products) < 2 {
		return
	}
	if roots := p.roots(); len(roots) == 1 {
		if _, given := isRoot(roots[0]); !given {
			p.findf(roots[0], "", "The document has %d products without IsRoot. This product is assumed to be the root because no other product refers to it.", len(p.products))
		}
	}
}

func productOrphan(p *pass, _ *xjdf.Node) {
	if len(p.products) < 2 || len(p.roots()) == 0 {
		return
	}
	parts := p.partsOf()
	for _, product := range p.products {
		if !parts[product] && !p.rootSet[product] {
			p.find(product, "", "The product is neither a root nor part of another product.", "")
		}
	}
}

func productChildIsRoot(p *pass, _ *xjdf.Node) {
	if len(p.products) < 2 {
		return
	}
	parts := p.partsOf()
	for _, product := range p.products {
		if root, _ := isRoot(product); root && parts[product] {
			p.find(product, "IsRoot", "The product is a root and also part of another product.", "")
		}
	}
}

// productVersion compares a part with the root that refers to it.
func productVersion(p *pass, _ *xjdf.Node) {
	if len(p.products) < 2 {
		return
	}
	p.roots()
	for _, r := range p.references {
		product := p.productOf(r.node)
		if product == nil || !p.rootSet[product] {
			continue
		}
		own, _ := product.Attr("PartVersion")
		for id := range items(r.value) {
			target := p.target(id)
			if target == nil || target == product || target.Name.Local != "Product" {
				continue
			}
			if version, given := target.Attr("PartVersion"); given && version != own {
				p.findf(target, "PartVersion", "PartVersion is %s, but the PartVersion of the containing product is %s.", quoted(version), orMissing(own))
			}
		}
	}
}

func orMissing(value string) string {
	if value == "" {
		return "missing"
	}
	return quoted(value)
}
