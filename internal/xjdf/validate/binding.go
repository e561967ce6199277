// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"github.com/printmarket/printmarket/internal/xjdf"
)

func bindingRules() []row {
	return []row{
		newRow("BINDING_DETAIL", Semantics, both(Error), "4.3", "The details of a binding are those of its BindingType.", "Make BindingType and the element agree.").of("BindingIntent", bindingDetail),
		newRow("BINDING_SIDE", Semantics, both(Error), "4.3", "What is not bound has no side on which it is.", "Remove BindingSide, or give a BindingType.").of("BindingIntent", bindingSide),
		newRow("BINDING_PAGES", Semantics, both(Warning), "4.3", "A stitched or folded body has four pages to a sheet.", "Make Pages a multiple of 4.").of("Product", bindingPages),
		newRow("BINDING_WITHOUT_PAGES", Semantics, both(Info), "4.3", "What is bound has pages, of its own or of its parts.", "Add a LayoutIntent with Pages, or ChildRefs.").of("Product", bindingWithoutPages),
	}
}

// detailOf is the BindingType that an element of BindingIntent details; empty for
// those that go with any.
func detailOf(element string) string {
	switch element {
	case "AdhesiveNote", "EdgeGluing":
		return element
	case "HardCoverBinding":
		return "HardCover"
	case "LooseBinding":
		return "LooseBinding"
	case "SaddleStitching":
		return "SaddleStitch"
	case "SideStitching":
		return "SideStitch"
	case "SoftCoverBinding":
		return "SoftCover"
	default:
		return ""
	}
}

// loose are the BindingTypes that LooseBinding details beside its own.
func loose(kind string) bool {
	switch kind {
	case "LooseBinding", "ChannelBinding", "CoilBinding", "CombBinding", "RingBinding", "StripBinding", "WireComb":
		return true
	default:
		return false
	}
}

func bindingDetail(p *pass, n *xjdf.Node) {
	kind, told := n.Attr("BindingType")
	if !told {
		return
	}
	for _, child := range n.Children {
		want := detailOf(child.Name.Local)
		fits := want == "" || want == kind || want == "LooseBinding" && loose(kind) || want == "SideStitch" && kind == "CornerStitch"
		if !fits {
			p.findf(child, "", "BindingType is %s, and the details are of %s.", clip(kind), want)
		}
	}
}

func bindingSide(p *pass, n *xjdf.Node) {
	_, side := n.Attr("BindingSide")
	order, _ := n.Attr("BindingOrder")
	kind, _ := n.Attr("BindingType")
	if side && (order == "None" || kind == "None") {
		p.find(n, "BindingSide", "There is a BindingSide, and nothing is bound.", "")
	}
}

func bindingPages(p *pass, product *xjdf.Node) {
	binding, layout := intent(product, "BindingIntent"), intent(product, "LayoutIntent")
	if binding == nil || layout == nil {
		return
	}
	kind, _ := binding.Attr("BindingType")
	if pages, ok := integer(layout, "Pages"); ok && kind == "SaddleStitch" && pages > 0 && pages%4 != 0 {
		p.findf(layout, "Pages", "Pages is %d, and saddle stitching has four to a sheet.", pages)
	}
}

func bindingWithoutPages(p *pass, product *xjdf.Node) {
	binding := intent(product, "BindingIntent")
	if binding == nil {
		return
	}
	if kind, _ := binding.Attr("BindingType"); kind == "None" {
		return
	}
	if _, parts := binding.Attr("ChildRefs"); parts {
		return
	}
	if layout := intent(product, "LayoutIntent"); layout != nil {
		if _, told := layout.Attr("Pages"); told {
			return
		}
	}
	p.find(binding, "", "Something is bound that has neither Pages nor parts.", "")
}
