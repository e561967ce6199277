// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"slices"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

// ofType says what a type of product is made like; types that are not here may
// be made in any way.
type ofType struct {
	// single: it is one sheet, which nothing is bound to.
	single bool
	// never are BindingTypes that do not fit.
	never []string
	// flat: it has no folds.
	flat bool
	// most is how many pages it has at most; 0: any number.
	most int64
}

// The bindings that make something else than a book of that cover, or a booklet.
var (
	notHard    = []string{"AdhesiveNote", "CornerStitch", "EdgeGluing", "SaddleStitch", "SoftCover", "Tape"}
	notSoft    = []string{"AdhesiveNote", "CornerStitch", "HardCover"}
	notBooklet = []string{"AdhesiveNote", "HardCover", "SoftCover"}
)

func typeOf(product *xjdf.Node) (string, ofType) {
	name, _ := product.Attr("ProductType")
	switch name {
	case "Leaflet", "Label":
		return name, ofType{single: true, flat: true, most: 2}
	case "Poster":
		return name, ofType{single: true, most: 2}
	case "BusinessCard", "Postcard":
		return name, ofType{single: true, most: 4}
	case "Brochure":
		return name, ofType{single: true}
	case "HardCoverBook":
		return name, ofType{never: notHard}
	case "SoftCoverBook":
		return name, ofType{never: notSoft}
	case "Booklet":
		return name, ofType{never: notBooklet}
	default:
		return name, ofType{}
	}
}

func productTypeProof(p *pass, product *xjdf.Node) {
	if name, _ := product.Attr("ProductType"); name == "Proof" {
		p.find(product, "ProductType", "The product is a Proof.", "")
	}
}

func productIntent(p *pass, product *xjdf.Node) {
	name, like := typeOf(product)
	has := p.intentsOf(product)
	if has.binding != nil {
		kind, told := has.binding.Attr("BindingType")
		if told && kind != "None" && (like.single || slices.Contains(like.never, kind)) {
			p.findf(has.binding, "BindingType", "A %s is not bound by %s.", name, clip(kind))
		}
	}
	if has.folding != nil && like.flat && !unfolded(has.folding) {
		suggestion := ""
		if name == "Leaflet" {
			suggestion = "A folded sheet is a Brochure."
		}
		p.find(has.folding, "", fmt.Sprintf("A %s is not folded.", name), suggestion)
	}
}

// unfolded: the catalogue has a scheme without a fold, and FoldingIntent may hold
// creases or perforations only.
func unfolded(folding *xjdf.Node) bool {
	catalog, told := folding.Attr("FoldCatalog")
	return catalog == "F2-1" || !told && folding.Child("Fold") == nil
}

func productPages(p *pass, product *xjdf.Node) {
	layout := p.intentsOf(product).layout
	name, like := typeOf(product)
	if layout == nil || like.most == 0 {
		return
	}
	if pages, ok := integer(layout, "Pages"); ok && pages > like.most {
		p.findf(layout, "Pages", "A %s has %d pages at most, and this one %d.", name, like.most, pages)
	}
}

// intents are those of a product that rules look at; nil where there is none.
type intents struct {
	of                                                     *xjdf.Node
	assembling, binding, color, folding, layout, variables *xjdf.Node
}

// intentsOf finds them once for all the rules about a product.
func (p *pass) intentsOf(product *xjdf.Node) *intents {
	found := &p.intents
	if found.of == product {
		return found
	}
	*found = intents{of: product}
	for one := range product.All("Intent") {
		for _, child := range one.Children {
			if child.Name.Core() {
				found.keep(child)
			}
		}
	}
	return found
}

// keep keeps the first of each name.
func (i *intents) keep(n *xjdf.Node) {
	place := (**xjdf.Node)(nil)
	switch n.Name.Local {
	case "AssemblingIntent":
		place = &i.assembling
	case "BindingIntent":
		place = &i.binding
	case "ColorIntent":
		place = &i.color
	case "FoldingIntent":
		place = &i.folding
	case "LayoutIntent":
		place = &i.layout
	case "VariableIntent":
		place = &i.variables
	}
	if place != nil && *place == nil {
		*place = n
	}
}
