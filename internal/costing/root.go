// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"slices"
	"strings"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

// root is the product that is delivered: the first that says so, or else the first
// that is part of no other.
func (r *reader) root() *xjdf.Node {
	all := r.listed()
	if len(all) == 0 {
		r.stop(ProductStructure, r.document.Root.Child("ProductList"), "", "the document has no product")
		return nil
	}
	r.products = map[string]*xjdf.Node{}
	used := map[string]bool{}
	for _, product := range all {
		if id := attr(product, "ID"); id != "" && r.products[id] == nil {
			r.products[id] = product
		}
		for _, id := range strings.Fields(attr(intentOf("BindingIntent", product), "ChildRefs")) {
			used[id] = true
		}
	}
	claims := func(product *xjdf.Node) bool { return isTrue(attr(product, "IsRoot")) }
	loose := func(product *xjdf.Node) bool { return !used[attr(product, "ID")] }
	for _, fits := range [...]func(*xjdf.Node) bool{claims, loose} {
		if i := slices.IndexFunc(all, fits); i >= 0 {
			return all[i]
		}
	}
	r.stop(ProductStructure, r.document.Root.Child("ProductList"), "", "every product is a part of another")
	return nil
}

// listed are all products of the document.
func (r *reader) listed() []*xjdf.Node {
	var all []*xjdf.Node
	for list := range r.document.Root.All("ProductList") {
		all = slices.AppendSeq(all, list.All("Product"))
	}
	return all
}

// others says which products of the document are not in the figures, whatever they
// are to the one that is, and which say of themselves what others do not say.
func (r *reader) others(j *job) {
	if said, told := j.node.Attr("IsRoot"); told && !isTrue(said) {
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
}
