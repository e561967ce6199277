// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"fmt"
	"slices"
	"strings"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/pkg/xjdf"
)

// maxParts and maxPages bound a product.
const (
	maxParts = 8
	maxPages = 10_000
)

// job reads the product of the document, and returns nil if it cannot be calculated.
func (r *reader) job(entries []entry) *job {
	root := r.root()
	if root == nil {
		return nil
	}
	j := &job{node: root, id: attr(root, "ID"), kind: attr(root, "ProductType")}
	r.quantities(j)
	r.technology(j)
	if !r.binding(j) {
		return nil
	}
	if value, present := j.node.Attr("IsRoot"); present && !isTrue(value) {
		r.review(ProductAmbiguous, j.node, "IsRoot", described(j.node)+" is part of no other product, and says that it is not delivered")
	}
	for _, product := range r.listed() {
		isPart := slices.ContainsFunc(j.parts, func(p *part) bool { return p.node == product })
		switch {
		case product == j.node:
		case !isPart:
			r.review(ProductAmbiguous, product, "", described(product)+" is neither the product that is calculated nor a part of it")
		case isTrue(attr(product, "IsRoot")):
			r.review(ProductAmbiguous, product, "IsRoot", described(product)+" is a part, and says that it is delivered")
		}
	}
	for _, p := range j.parts {
		r.assign(p, j.id, entries)
		layout := intentOf("LayoutIntent", p.node, j.node)
		r.sizes(p, j, layout)
		r.pages(p, j, layout)
		r.bleed(p, layout)
		p.trim = max(p.bleed, fromMillimetres(r.policy.Bleed))
		r.grain(p, j)
		r.sides(p, j, layout)
		r.blank(p, layout)
		r.films(p, j)
		r.alike(p)
		r.creases(p)
		p.loose = j.loose != ""
		r.operations(p)
		r.variableData(p, j)
		r.dieline(p)
		if p.role == roleBody && j.thread == nil && (j.bind == authority.CoverApplication || j.bind == authority.CasingIn) {
			p.wide = fromMillimetres(r.policy.SpineMilling)
		}
		if p.loose {
			// Single leaves are cut on all four sides.
			p.wide = p.trim
		}
	}
	for i := range entries {
		if e := &entries[i]; !e.used && !r.stopped {
			r.review(MediaUnused, e.node, "", e.medium.ID+" is for no part of the product, or each has another medium")
		}
	}
	r.whole(j)
	if r.stopped {
		return nil
	}
	r.geometry(j)
	r.dispatch(j)
	if r.stopped {
		return nil
	}
	return j
}

// quantities reads the requested amount and its bounds.
func (r *reader) quantities(j *job) {
	amount, present := r.count(j.node, "Amount")
	if len(r.asked) > 0 {
		r.assume(AssumedQuantities, "the quantities are those of the request, not those of the document")
		if !present {
			amount, present = r.asked[0], true
		}
	}
	switch {
	case !present || amount < 1:
		r.stop(QuantityMissing, j.node, "Amount", "the product has no Amount of at least 1")
		return
	case amount > authority.MaxQuantity:
		r.stop(QuantityAboveLimit, j.node, "Amount", fmt.Sprintf("the limit is %d copies", authority.MaxQuantity))
		return
	}
	j.amount, j.low, j.high = amount, amount, amount
	for _, bound := range [...]struct {
		attribute string
		at        *int64
		beyond    func(int64) bool
	}{
		{"MinAmount", &j.low, func(n int64) bool { return n < 1 || n > amount }},
		{"MaxAmount", &j.high, func(n int64) bool { return n < amount || n > authority.MaxQuantity }},
	} {
		value, present := r.count(j.node, bound.attribute)
		if present && bound.beyond(value) {
			r.review(ValueUnreadable, j.node, bound.attribute, bound.attribute+" does not go with Amount, and is left out")
			continue
		}
		if present {
			*bound.at = value
		}
	}
}

// technologies maps the printing technologies of XJDF (A.3.16) to the kind of press that
// offers them. Other technologies are not offered.
func technologies() map[string]pressKind {
	digital := pressKind{digital: true}
	return map[string]pressKind{
		"OffsetLithography": {conventional: true}, "Electrophotography": digital, "ElectroInk": digital, "InkJet": digital,
		"Thermal": digital, "DyeSublimation": digital,
	}
}

// technology reads the allowed kinds of presses.
func (r *reader) technology(j *job) {
	j.presses = pressKind{true, true}
	intent := intentOf("ProductionIntent", j.node)
	if preference := attr(intent, "PrintPreference"); preference != "" && preference != "CostEffective" {
		r.assume(AssumedCheapest, fmt.Sprintf("PrintPreference %.20q is ignored; the calculation selects the cheapest production", preference))
	}
	asked := strings.Fields(attr(intent, "PrintProcess"))
	if len(asked) == 0 {
		return
	}
	j.presses = pressKind{}
	for _, name := range asked {
		kind := technologies()[name]
		j.presses.conventional = j.presses.conventional || kind.conventional
		j.presses.digital = j.presses.digital || kind.digital
	}
	if j.presses == (pressKind{}) {
		r.stop(ProcessNotOffered, intent, "PrintProcess", fmt.Sprintf("%.60q is not offered", asked[0]))
		return
	}
	for _, name := range asked {
		if technologies()[name] == (pressKind{}) {
			r.left(intent, "PrintProcess", fmt.Sprintf("%.60q is not offered and is ignored", name))
		}
	}
}

// binding reads the parts of the product and the process that binds them.
func (r *reader) binding(j *job) bool {
	intent := intentOf("BindingIntent", j.node)
	kind := attr(intent, "BindingType")
	switch kind {
	case "", "None":
		j.parts = []*part{{node: j.node, id: j.id, role: roleFlat}}
		if intent != nil && attr(intent, "ChildRefs") != "" {
			r.stop(ProductStructure, intent, "ChildRefs", "only bound parts can be calculated together")
			return false
		}
		return true
	case "SaddleStitch":
		j.bind = authority.Stitching
	case "SoftCover":
		j.bind = authority.CoverApplication
	case "HardCover":
		for _, process := range [...]authority.Process{authority.CaseMaking, authority.CasingIn} {
			if !r.performed(process, func(*authority.Device) bool { return true }) {
				r.stop(IntentNotCosted, intent, "BindingType", fmt.Sprintf("the owner has no device for %s of the binding %.40q", process, kind))
				return false
			}
		}
		j.bind = authority.CasingIn
	case "WireComb", "CoilBinding":
		if !r.performed(authority.LooseBinding, func(d *authority.Device) bool { return slices.Contains(d.BindingTypes, kind) }) {
			r.stop(IntentNotCosted, intent, "BindingType", fmt.Sprintf("the owner has no device for the binding %.40q", kind))
			return false
		}
		j.bind, j.loose = authority.LooseBinding, kind
	default:
		r.stop(IntentNotCosted, intent, "BindingType", fmt.Sprintf("the binding %.40q is not supported", kind))
		return false
	}
	r.boundParts(j, intent)
	r.sewing(j, intent)
	return !r.stopped
}

// boundParts reads the parts of a bound product, or takes the product itself if its cover
// is one of the same sheets.
func (r *reader) boundParts(j *job, intent *xjdf.Node) {
	refs := strings.Fields(attr(intent, "ChildRefs"))
	if len(refs) > maxParts {
		r.stop(ProductStructure, intent, "ChildRefs", fmt.Sprintf("the limit is %d parts", maxParts))
		return
	}
	count := map[role]int{}
	for i, id := range refs {
		node := r.products[id]
		if node == nil || node == j.node || slices.Contains(refs[:i], id) {
			r.stop(ProductStructure, intent, "ChildRefs", fmt.Sprintf("%.60q must be another product of the document and occur only once", id))
			return
		}
		p := &part{node: node, id: id, role: roleBody}
		switch kind := attr(node, "ProductType"); kind {
		case "EndSheet":
			if j.bind == authority.CasingIn {
				p.role, p.fold = roleEndSheet, endSheetFold
			}
		case "Jacket":
			if j.bind == authority.CasingIn {
				p.role = roleJacket
				j.glued = attr(intent.Child("HardCoverBinding"), "Jacket") == "Glue" && r.performed(authority.Jacketing, func(d *authority.Device) bool { return d.Adhesive != "" })
			}
		case "Cover", "WrapAroundCover", "BookCase":
			if kind == "BookCase" && j.bind != authority.CasingIn {
				break
			}
			if j.loose != "" {
				if kind != "Cover" || !r.singleLeaves(node) {
					r.stop(ProductStructure, node, "ProductType", fmt.Sprintf("a %s is bound with wire as single leaves: use a FrontCover and a BackCover, or a Cover whose Dimensions are those of a leaf", kind))
				}
				break
			}
			p.role = roleCover
		case "FrontCover", "BackCover":
			if j.loose != "" {
				break
			}
			r.stop(ProductStructure, node, "ProductType", "covers of two sheets are not supported")
		}
		// Each product contains a part once, and an end sheet once or twice.
		amount, present := r.count(node, "Amount")
		p.twice = p.role == roleEndSheet && (amount == 2*j.amount || amount == 2 && j.amount != 2)
		if present && amount != 1 && amount != j.amount && !p.twice {
			r.stop(ProductStructure, node, "Amount", "a part must occur once in each product")
		}
		for _, bound := range [...]string{"MinAmount", "MaxAmount"} {
			if attr(node, bound) != "" {
				r.review(ValueUnreadable, node, bound, "a part must not have its own bounds; the calculation uses the bounds of the whole")
			}
		}
		if intentOf("BindingIntent", node) != nil {
			r.stop(ProductStructure, node, "", "parts that are bound themselves are not supported")
		}
		if count[p.role]++; p.twice {
			count[p.role]++
		}
		j.parts = append(j.parts, p)
	}
	if len(refs) == 0 {
		j.parts = []*part{{node: j.node, id: j.id, role: roleBody}}
		count[roleBody]++
	}
	if sheets := count[roleEndSheet]; sheets != 0 && sheets != 2 {
		r.stop(ProductStructure, intent, "ChildRefs", "a hard cover with printed end sheets requires two of them: two products, or one with twice the Amount")
	}
	if count[roleCover] > 1 || count[roleJacket] > 1 || count[roleBody] == 0 || (j.bind == authority.CoverApplication || j.bind == authority.CasingIn) && count[roleCover] == 0 {
		r.stop(ProductStructure, intent, "ChildRefs", "a bound product requires a body and one cover; the cover is optional for saddle stitching")
	}
}

// singleLeaves reports whether the flat size of a product is that of its page, so that no sheet goes
// around the spine.
func (r *reader) singleLeaves(product *xjdf.Node) bool {
	layout := intentOf("LayoutIntent", product)
	if layout == nil {
		return false
	}
	page, _ := r.size(layout, "FinishedDimensions")
	flat, stated := r.size(layout, "Dimensions")
	return stated && near(flat, page)
}

// whole completes the values that depend on all parts.
func (r *reader) whole(j *job) {
	r.notCosted(j)
	if r.stopped {
		return
	}
	if j.bind == "" {
		j.parts[0].sorts = []*sort{j.parts[0].flatSort()}
		j.closed = j.parts[0].flat
		if p := j.parts[0]; p.page != (rectangle{}) {
			j.closed = p.page
		}
		p := j.parts[0]
		if p.die != nil {
			return // the finished size is that of the box
		}
		if p.open != (rectangle{}) && p.page != (rectangle{}) && !p.unfoldsTo(p.open) {
			r.conflict(p, "Dimensions", fmt.Sprintf("%s does not give %s with this fold", p.open, p.page))
		}
		r.thicknessAgrees(p, p.thickness())
		return
	}
	spine := int64(0)
	for _, p := range j.parts {
		if p.countsPages() {
			j.pages += p.pages
		}
		if p.role == roleBody {
			j.closed = p.page
			spine += p.thickness()
		}
	}
	if j.bind == authority.Stitching || j.loose != "" {
		spine = 0
	}
	if j.bind == authority.CasingIn {
		if r.hardCover(j, spine); r.stopped {
			return
		}
	}
	// Compare the sizes of the parts of a bound product with each other.
	thickness := int64(0)
	for _, p := range j.parts {
		thickness = plus(thickness, p.thickness())
	}
	for _, p := range j.parts {
		if !near(p.page, j.closed) {
			r.conflict(p, "FinishedDimensions", fmt.Sprintf("%s of %s differs from %s of the other parts", p.page, described(p.node), j.closed))
		}
		if j.bind == authority.CasingIn {
			r.caseAgrees(j, p)
			continue
		}
		if p.open != (rectangle{}) && !p.spreadsTo(p.open, spine) {
			r.conflict(p, "Dimensions", fmt.Sprintf("%s is not the open size of %s with its spine", p.open, p.page))
		}
		r.thicknessAgrees(p, thickness)
	}
	r.wholeAgrees(j)
	r.element(j, thickness)
	for _, p := range j.parts {
		if p.role == roleJacket {
			p.flat = j.jacket
			p.operations = append(p.operations, operation{process: authority.Jacketing, glued: j.glued, need: p.flat.y})
			p.sorts = []*sort{p.flatSort()}
			continue
		}
		if p.role == roleEndSheet {
			p.sorts = []*sort{p.endSheetSort()}
			continue
		}
		if p.role == roleCover {
			if j.bind == authority.CasingIn {
				p.flat = j.sheet
				p.operations = append(p.operations, operation{process: authority.CaseMaking, material: j.boards.Service, item: ItemBoards, need: j.boards.area})
			}
			if p.flat == (rectangle{}) {
				p.flat = rectangle{2*p.page.x + spine, p.page.y}
				if spine > 0 {
					r.assume(AssumedSpine, fmt.Sprintf("the spine is %s mm, calculated from the thickness of the medium and the pages", millimetres(spine)))
				}
			}
			p.sorts = []*sort{p.flatSort()}
			continue
		}
		if j.thread != nil {
			p.operations = append(p.operations, operation{process: authority.ThreadSewing, material: j.thread, item: ItemThread, need: times(p.page.y, 1e6)})
		}
		for _, signature := range signatures() {
			if signature.pages > 2 && j.loose == "" || signature.pages == 2 && j.bind != authority.Stitching && j.thread == nil {
				p.sorts = append(p.sorts, p.signature(signature.pages, signature.columns, signature.rows))
			}
		}
	}
}
