// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/printmarket/printmarket/internal/xjdf"
)

func productRules() []row {
	return []row{
		newRow("PRODUCT_NO_ROOT", Semantics, both(Error), "3.3", "One of the products is what is delivered.", "Give the product that is delivered IsRoot true.").of(document, productNoRoot),
		newRow("PRODUCT_MULTI_ROOT", Semantics, both(Warning), "3.3", "Several root products are delivered side by side.", "Give IsRoot true only to what is delivered.").of(document, productMultiRoot),
		newRow("PRODUCT_ORPHAN", Semantics, both(Warning), "3.3", "A product that is no root is part of another.", "Refer to it from a BindingIntent or AssemblingIntent, or remove it.").of(document, productOrphan),
		newRow("PRODUCT_CHILD_IS_ROOT", Semantics, both(Warning), "3.3", "A product that is part of another is no root.", "Give it IsRoot false.").of(document, productChildIsRoot),
		newRow("PRODUCTTYPE_MISSING", Semantics, both(Warning), "3.3.1", "The product that is delivered has a type.", "Add ProductType, such as BusinessCard.").of(document, productTypeMissing),
		newRow("PRODUCT_INTENT", Semantics, both(Warning), "A.3.18", "The intents of a product fit its type.", "Change the type, or take the intent away.").of("Product", productIntent),
		newRow("PRODUCT_PAGES", Semantics, both(Warning), "4.10", "The number of pages fits the type of the product.", "Correct Pages or ProductType.").of("Product", productPages),
	}
}

func isRoot(n *xjdf.Node) (value, told bool) {
	text, told := n.Attr("IsRoot")
	return text == "true" || text == "1", told
}

// parts are the products that others refer to.
func (p *pass) parts() map[*xjdf.Node]bool {
	if p.partSet == nil {
		p.partSet = p.findParts()
	}
	return p.partSet
}

func (p *pass) findParts() map[*xjdf.Node]bool {
	parts := map[*xjdf.Node]bool{}
	for _, r := range p.references {
		for id := range strings.FieldsSeq(r.value) {
			if target := p.target(id); target != nil && target.Name.Local == "Product" && target != p.productOf(r.node) {
				parts[target] = true
			}
		}
	}
	return parts
}

// productOf is the product that an element belongs to, or nil.
func (p *pass) productOf(n *xjdf.Node) *xjdf.Node {
	for ; n != nil; n = n.Parent {
		if n.Name.Local == "Product" {
			return n
		}
	}
	return nil
}

// roots are the products that are delivered: those that say so or, if none
// speaks of it, those that are part of no other.
func (p *pass) roots() []*xjdf.Node {
	if p.rootNodes == nil {
		p.rootNodes = p.findRoots()
	}
	return p.rootNodes
}

func (p *pass) findRoots() []*xjdf.Node {
	var explicit, silent []*xjdf.Node
	for _, product := range p.products {
		switch root, told := isRoot(product); {
		case root:
			explicit = append(explicit, product)
		case !told:
			silent = append(silent, product)
		}
	}
	if len(explicit) > 0 {
		return explicit
	}
	parts := p.parts()
	return slices.DeleteFunc(silent, func(n *xjdf.Node) bool { return parts[n] })
}

func productNoRoot(p *pass, _ *xjdf.Node) {
	if len(p.products) > 0 && len(p.roots()) == 0 {
		p.find(p.products[0].Parent, "", "No product is a root.", "")
	}
}

func productMultiRoot(p *pass, _ *xjdf.Node) {
	if len(p.products) < 2 {
		return
	}
	if roots := p.roots(); len(roots) > 1 {
		p.findf(roots[1], "IsRoot", "%d products are roots.", len(roots))
	}
}

func productOrphan(p *pass, _ *xjdf.Node) {
	if len(p.products) < 2 {
		return
	}
	parts, roots := p.parts(), p.roots()
	for _, product := range p.products {
		if !parts[product] && !slices.Contains(roots, product) {
			p.find(product, "", "The product is no root and part of no other.", "")
		}
	}
}

func productChildIsRoot(p *pass, _ *xjdf.Node) {
	if len(p.products) < 2 {
		return
	}
	parts := p.parts()
	for _, product := range p.products {
		if root, _ := isRoot(product); root && parts[product] {
			p.find(product, "IsRoot", "The product is a root and part of another.", "")
		}
	}
}

func productTypeMissing(p *pass, _ *xjdf.Node) {
	for _, product := range p.roots() {
		if _, told := product.Attr("ProductType"); !told {
			p.find(product, "", "The product has no ProductType.", "")
		}
	}
}

// ofType says what a type of product is made like; types that are not here may
// be made in any way.
type ofType struct {
	// bindings are the BindingTypes that fit; nil: any, empty: none.
	bindings []string
	// folded: it has folds by definition; flat: it must have none.
	flat bool
	// most is how many pages it has at most; 0: any number.
	most int
}

// flatSheet is a single sheet, printed on one side or on both.
var flatSheet = ofType{bindings: []string{}, flat: true, most: 2}

func typeOf(product *xjdf.Node) (string, ofType, bool) {
	name, _ := product.Attr("ProductType")
	switch name {
	case "Leaflet", "Poster", "Letter", "Label":
		return name, flatSheet, true
	case "BusinessCard", "Postcard":
		return name, ofType{bindings: []string{}, most: 4}, true
	case "Brochure":
		return name, ofType{bindings: []string{}}, true
	case "HardCoverBook":
		return name, ofType{bindings: []string{"HardCover"}}, true
	case "SoftCoverBook":
		return name, ofType{bindings: []string{"SoftCover", "EdgeGluing", "Tape"}}, true
	case "Booklet":
		return name, ofType{bindings: []string{"SaddleStitch", "SideStitch", "CornerStitch", "LooseBinding", "None", "EdgeGluing", "WireComb", "CoilBinding", "RingBinding", "StripBinding", "ChannelBinding", "CombBinding", "Tape"}}, true
	default:
		return name, ofType{}, false
	}
}

// intent is the specific intent of a product, or nil.
func intent(product *xjdf.Node, name string) *xjdf.Node {
	for one := range product.All("Intent") {
		if found := one.Child(name); found != nil {
			return found
		}
	}
	return nil
}

func productIntent(p *pass, product *xjdf.Node) {
	name, like, known := typeOf(product)
	if !known {
		return
	}
	if binding := intent(product, "BindingIntent"); binding != nil && like.bindings != nil {
		if kind, told := binding.Attr("BindingType"); told && kind != "None" && !slices.Contains(like.bindings, kind) {
			p.findf(binding, "BindingType", "A %s is not bound by %s.", name, clip(kind))
		}
	}
	if folding := intent(product, "FoldingIntent"); folding != nil && like.flat {
		suggestion := ""
		if name == "Leaflet" {
			suggestion = "A folded sheet is a Brochure."
		}
		p.find(folding, "", fmt.Sprintf("A %s is not folded.", name), suggestion)
	}
}

func productPages(p *pass, product *xjdf.Node) {
	layout := intent(product, "LayoutIntent")
	name, like, _ := typeOf(product)
	if layout == nil || like.most == 0 {
		return
	}
	if pages, ok := integer(layout, "Pages"); ok && pages > int64(like.most) {
		p.findf(layout, "Pages", "A %s has %d pages at most, and this one %d.", name, like.most, pages)
	}
}
