// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"fmt"
	"slices"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/xjdf"
)

// notCosted says what the document asks for that is not in the figures, and finds
// the processes of the finished product.
func (r *reader) notCosted(j *job) {
	if intentOf("ShapeCuttingIntent", j.node) != nil {
		j.afterwards = append(j.afterwards, authority.ShapeCutting)
	}
	if intentOf("HoleMakingIntent", j.node) != nil {
		j.afterwards = append(j.afterwards, authority.HoleMaking)
	}
	nodes := []*xjdf.Node{j.node}
	for _, p := range j.parts {
		if p.node != j.node {
			nodes = append(nodes, p.node)
		}
		if p.medium.ID != "" {
			r.mediaIntent(p, j)
		}
	}
	for _, n := range nodes {
		for intent := range n.All("Intent") {
			for _, one := range intent.Children {
				r.intent(j, n, one)
			}
		}
	}
}

// mediaIntent compares what the product is to be made of with what it is made of.
func (r *reader) mediaIntent(p *part, j *job) {
	n := intentOf("MediaIntent", p.node, j.node)
	if n == nil {
		return
	}
	r.compare(n, p.medium, "")
	for _, attribute := range [...]string{"BuyerSupplied", "PrePrinted"} {
		if isTrue(attr(n, attribute)) {
			r.review(IntentNotCosted, n, attribute, "the medium is calculated as one of the owner's, unprinted")
		}
	}
}

// calculated are the intents that are read elsewhere.
func calculated() []string {
	return []string{"LayoutIntent", "MediaIntent", "ColorIntent", "FoldingIntent", "BindingIntent", "LaminatingIntent", "ProductionIntent", "HoleMakingIntent", "ShapeCuttingIntent", "ContentCheckIntent"}
}

// intent looks at one intent for what is not calculated.
func (r *reader) intent(j *job, product, n *xjdf.Node) {
	name := n.Name.String()
	left := func(at *xjdf.Node, attribute, what string) { r.review(IntentNotCosted, at, attribute, what) }
	if !n.Name.Core() || !slices.Contains(calculated(), n.Name.Local) {
		left(n, "", fmt.Sprintf("%.60q is not in the figures", name))
		return
	}
	bound := j.bind != ""
	switch n.Name.Local {
	case "LayoutIntent":
		if up := attr(n, "NumberUp"); up != "" && up != "1 1" {
			left(n, "NumberUp", "several pages on one are calculated as one")
		}
	case "FoldingIntent":
		if n.Child("Perforate") != nil {
			left(n.Child("Perforate"), "", "perforating is not in the figures")
		}
		if bound && attr(n, "FoldCatalog") != "" {
			left(n, "FoldCatalog", "folding what is bound is not in the figures")
		}
	case "LaminatingIntent":
		if bound && product == j.node && !slices.ContainsFunc(j.parts, func(p *part) bool { return p.role == roleCover || p.node == product }) {
			left(n, "", "lamination without a cover is not in the figures")
		}
	case "ContentCheckIntent":
		if n.Child("ProofItem") != nil {
			left(n.Child("ProofItem"), "", "proofs are not in the figures")
		}
	case "HoleMakingIntent":
		if product != j.node {
			left(n, "", "holes in a part alone are not in the figures")
		}
	case "ShapeCuttingIntent":
		if product != j.node {
			left(n, "", "shapes of a part alone are not in the figures")
		}
		for cut := range n.All("ShapeCut") {
			if kind := attr(cut, "ShapeType"); kind == "Path" || attr(cut, "CutType") == "Perforate" {
				left(cut, "ShapeType", "the tool of a shape, or a perforation, is not in the figures")
			}
		}
	}
}
