// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"fmt"
	"slices"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

// ofType restricts the intents of a type of product.
type ofType struct {
	// single marks products of one sheet, without binding.
	single bool
	// never are BindingTypes that do not fit.
	never []string
	// flat marks products without folds.
	flat bool
	// most is the highest number of pages; 0 allows any number.
	most int64
}

// The bindings that do not fit a hard cover book, a soft cover book and a booklet.
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

func productIntent(p *pass, product *xjdf.Node) {
	name, like := typeOf(product)
	has := p.intentsOf(product)
	if has.binding != nil {
		kind, given := has.binding.Attr("BindingType")
		if given && kind != "None" && (like.single || slices.Contains(like.never, kind)) {
			p.findf(has.binding, "BindingType", "A %s is not bound with %s.", name, clip(kind))
		}
	}
	if has.folding == nil || !like.flat {
		return
	}
	// The catalogue has a scheme without a fold, and FoldingIntent may contain only
	// creases or perforations.
	catalog, given := has.folding.Attr("FoldCatalog")
	if catalog == "F2-1" || !given && has.folding.Child("Fold") == nil {
		return
	}
	suggestion := ""
	if name == "Leaflet" {
		suggestion = "Use the product type Brochure for a folded sheet."
	}
	p.find(has.folding, "", fmt.Sprintf("A %s is not folded.", name), suggestion)
}

func productPages(p *pass, product *xjdf.Node) {
	layout := p.intentsOf(product).layout
	name, like := typeOf(product)
	if layout == nil || like.most == 0 {
		return
	}
	if pages, ok := integer(layout, "Pages"); ok && pages > like.most {
		p.findf(layout, "Pages", "A %s has at most %d pages, but this product has %d.", name, like.most, pages)
	}
}

// intents are the intents of a product that rules use; nil for missing ones.
type intents struct {
	of                                                     *xjdf.Node
	assembling, binding, color, folding, layout, variables *xjdf.Node
}

// intentsOf finds the first intent of each name, once for all the rules about a product.
func (p *pass) intentsOf(product *xjdf.Node) *intents {
	found := &p.intents
	if found.of == product {
		return found
	}
	*found = intents{of: product}
	for one := range product.All("Intent") {
		for _, child := range one.Children {
			if !child.Name.Core() {
				continue
			}
			var first **xjdf.Node
			switch child.Name.Local {
			case "AssemblingIntent":
				first = &found.assembling
			case "BindingIntent":
				first = &found.binding
			case "ColorIntent":
				first = &found.color
			case "FoldingIntent":
				first = &found.folding
			case "LayoutIntent":
				first = &found.layout
			case "VariableIntent":
				first = &found.variables
			}
			if first != nil && *first == nil {
				*first = child
			}
		}
	}
	return found
}
