// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"fmt"
	"slices"
	"strings"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/pkg/xjdf"
)

// notCosted reports everything that the document requests and the figures do not include,
// and finds the processes of the finished product.
func (r *reader) notCosted(j *job) {
	box := j.parts[0].die
	if intentOf("ShapeCuttingIntent", j.node) != nil && box == nil {
		j.afterwards = append(j.afterwards, authority.ShapeCutting)
	}
	if intentOf("HoleMakingIntent", j.node) != nil {
		j.afterwards = append(j.afterwards, authority.HoleMaking)
	}
	if box != nil && box.folded {
		j.afterwards = append(j.afterwards, authority.BoxFolding)
	}
	for _, process := range strings.Fields(attr(r.document.Root, "Types")) {
		if process != "Product" {
			r.left(r.document.Root, "Types", fmt.Sprintf("the process %.60q is ignored; the calculation uses the product description", process))
		}
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
		r.intents(j, n)
	}
	if j.bind != "" && !r.stopped {
		r.shadowed(j)
	}
	r.kinds(j)
	r.delivered(j)
	r.comments(r.document.Root)
}

// comments reports the comments of an element and below, except those of audits, which describe what
// has happened.
func (r *reader) comments(n *xjdf.Node) {
	const detail = "a comment may contain requests, which are not included in the figures"
	if attr(n, "CommentURL") != "" {
		r.left(n, "CommentURL", detail)
	}
	for _, child := range n.Children {
		switch {
		case child.Name.Core() && child.Name.Local == "Comment":
			r.left(child, "", detail)
		case child.Name.Local != "AuditPool":
			r.comments(child)
		}
	}
}

// intents checks the intents of a product, each of which may occur once.
func (r *reader) intents(j *job, product *xjdf.Node) {
	seen := map[string]bool{}
	for intent := range product.All("Intent") {
		name := attr(intent, "Name")
		if len(intent.Children) == 0 {
			r.review(IntentNotCosted, intent, "", fmt.Sprintf("the intent %.60q is empty", name))
		}
		for _, one := range intent.Children {
			local := one.Name.Local
			if name != "" && name != one.Name.String() && name != local {
				r.review(IntentNotCosted, intent, "Name", fmt.Sprintf("%.60q contains another intent", name))
			}
			if seen[local] && one.Name.Core() {
				r.review(IntentNotCosted, one, "", fmt.Sprintf("the second %.60q of %s is not included in the figures", local, described(product)))
				continue
			}
			seen[local] = true
			r.intent(j, product, one)
		}
	}
}

// intent reports the parts of one intent that the figures do not include.
func (r *reader) intent(j *job, product, n *xjdf.Node) {
	calculated := []string{
		"LayoutIntent", "MediaIntent", "ColorIntent", "FoldingIntent", "BindingIntent", "LaminatingIntent",
		"ProductionIntent", "HoleMakingIntent", "ShapeCuttingIntent", "ContentCheckIntent", "EmbossingIntent", "VariableIntent",
	}
	if !n.Name.Core() || !slices.Contains(calculated, n.Name.Local) {
		r.left(n, "", fmt.Sprintf("%.60q is not included in the figures", n.Name.String()))
		return
	}
	r.unread(n)
	isPart := product != j.node
	switch n.Name.Local {
	case "LayoutIntent":
		r.unlessOneOf(n, "NumberUp", "several pages on one surface are calculated as one", "1 1")
		r.unlessOneOf(n, "Orientation", "turning the product is not included in the figures", "Rotate0")
	case "FoldingIntent":
		r.folding(j, product, n)
	case "BindingIntent":
		r.bindingDetails(j, n)
	case "EmbossingIntent":
		r.flatAlone(j, product, n, "embossing")
	case "VariableIntent":
		r.flatAlone(j, product, n, "variable data")
		r.unlessOneOf(n, "NumberOfCopies", "several copies of a record are not included in the figures", "1")
	case "ProductionIntent":
		if isPart {
			r.left(n, "", "the printing process of a single part is ignored")
		}
	case "ContentCheckIntent":
		for item := range n.All("PreflightItem") {
			r.unlessOneOf(item, "PreflightLevel", "checks beyond the basic ones are not included in the figures", "Basic")
		}
		for item := range n.All("ProofItem") {
			r.proof(j, product, item)
		}
	case "HoleMakingIntent":
		r.once(n, "HolePattern", "only one hole pattern is included in the figures")
		if isPart {
			r.left(n, "", "holes in a part alone are not included in the figures")
		}
	case "ShapeCuttingIntent":
		r.once(n, "ShapeCut", "only one shape is included in the figures")
		for cut := range n.All("ShapeCut") {
			if attr(cut, "ShapeType") == pathShape && j.parts[0].die == nil || attr(cut, "CutType") == "Perforate" {
				r.left(cut, "ShapeType", "the tool of a shape, or a perforation, is not included in the figures")
			}
			if j.shape == "" {
				j.shape = attr(cut, "ShapeType")
			}
			r.unlessOneOf(cut, "CutDepth", "cutting through a part of the medium is not included in the figures", "Full")
		}
		if isPart {
			r.left(n, "", "shapes of a part alone are not included in the figures")
		}
	}
}

// left reports a request that the figures do not include.
func (r *reader) left(at *xjdf.Node, attribute, detail string) {
	r.review(IntentNotCosted, at, attribute, detail)
}

// unlessOneOf reports detail if an attribute is present with a value outside of values.
func (r *reader) unlessOneOf(n *xjdf.Node, attribute, detail string, values ...string) {
	if value, present := n.Attr(attribute); present && !slices.Contains(values, value) {
		r.left(n, attribute, detail)
	}
}

// once reports detail for each child of a name after the first.
func (r *reader) once(n *xjdf.Node, child, detail string) {
	found := 0
	for one := range n.All(child) {
		if found++; found > 1 {
			r.left(one, "", detail)
		}
	}
}

// folding reports the parts of a FoldingIntent that the figures do not include.
func (r *reader) folding(j *job, product, n *xjdf.Node) {
	if perforate := n.Child("Perforate"); perforate != nil {
		r.flatAlone(j, product, perforate, "perforating")
	}
	r.unlessOneOf(n, "Orientation", "turning the sheet before it is folded is not included in the figures", "Rotate0")
	catalog, fold := attr(n, "FoldCatalog"), n.Child("Fold")
	if catalog != "" && fold != nil {
		r.left(fold, "", "folds in addition to a FoldCatalog are not compared with it")
	}
	if j.bind == "" {
		return
	}
	if catalog != "" || fold != nil {
		r.left(n, "FoldCatalog", "folding of a bound product is not included in the figures")
	}
	if crease := n.Child("Crease"); crease != nil && !slices.ContainsFunc(j.parts, func(p *part) bool { return p.node == product }) {
		r.left(crease, "", "creases of the whole are not included in the figures; assign them to a part")
	}
}

// bindingDetails reports the parts of a BindingIntent, beyond its type, that the figures do
// not include.
func (r *reader) bindingDetails(j *job, n *xjdf.Node) {
	order := map[authority.Process]string{"": "None", authority.Stitching: "Collecting", authority.CoverApplication: "Gathering", authority.CasingIn: "Gathering", authority.LooseBinding: "Gathering"}[j.bind]
	r.unlessOneOf(n, "BindingOrder", "the parts are bound in another order", order)
	r.unlessOneOf(n, "BindingSide", "the side of the spine is invalid", "Left", "Right", "Top", "Bottom")
	if j.bind == "" && (attr(n, "BindingSide") != "" || attr(n, "BindingType") == "") {
		r.left(n, "BindingSide", "a product that is not bound has no spine")
	}
	for _, detail := range n.Children {
		fits := detail.Name.Local == "SaddleStitching" && j.bind == authority.Stitching ||
			detail.Name.Local == "SoftCoverBinding" && j.bind == authority.CoverApplication ||
			detail.Name.Local == "HardCoverBinding" && j.bind == authority.CasingIn ||
			detail.Name.Local == "LooseBinding" && j.loose != ""
		if !fits || !detail.Name.Core() {
			r.left(detail, "", fmt.Sprintf("%.60q is not included in the figures", detail.Name.String()))
			continue
		}
		r.unread(detail)
		if coil := detail.Child("CoilBinding"); coil != nil {
			r.unlessOneOf(coil, "CoilShape", "only single coils and twin wires without a hanger are included in the figures", map[string]string{"CoilBinding": "Single", "WireComb": "Twin"}[j.loose])
		}
		r.unlessOneOf(detail, "StitchNumber", "two stitches are included in the figures", "1", "2")
		r.unlessOneOf(detail, "StapleShape", "eyelets are not included in the figures", "Butted", "ClinchOut", "Crown", "Overlap")
		r.unlessOneOf(detail, "CoverStyle", "padded covers are not included in the figures", "Simple")
		if slices.ContainsFunc(j.parts, func(p *part) bool { return p.role == roleJacket }) {
			switch attr(detail, "Jacket") {
			case "Loose":
			case "Glue":
				if !j.glued {
					r.left(detail, "Jacket", "the owner has no device for Jacketing with an adhesive; the jacket is calculated as a loose one")
				}
			default:
				r.left(detail, "Jacket", "the jacket is calculated as a loose one")
			}
		} else {
			r.unlessOneOf(detail, "Jacket", "a jacket that is no product of its own is not included in the figures", "None")
		}
		for one := range detail.All("RegisterRibbon") {
			r.unlessOneOf(one, "RibbonEnd", "only ribbons that are cut are included in the figures", "Cut")
		}
		r.unlessOneOf(detail, "JapanBind", "JapanBind is not included in the figures", "false", "0")
		if j.bind == authority.CoverApplication {
			r.unlessOneOf(detail, "EndSheets", "EndSheets is not included in the figures", "false", "0")
		}
		for _, attribute := range [...]string{"FoldingWidth", "FoldingWidthBack"} {
			if width, present := r.float(detail, attribute); present && width != 0 {
				r.left(detail, attribute, "flaps are not included in the figures")
			}
		}
		r.unlessOneOf(detail, "GlueProcedure", "only glue on the spine is included in the figures", "Spine")
		r.unlessOneOf(detail, "SpineGlue", "the calculation uses the glue of the binder", "Hotmelt")
	}
}
