// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"slices"
	"strings"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

// root returns the delivered product: the first with IsRoot, or else the first that is
// part of no other product.
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

// listed returns all products of the document.
func (r *reader) listed() []*xjdf.Node {
	var all []*xjdf.Node
	for list := range r.document.Root.All("ProductList") {
		all = slices.AppendSeq(all, list.All("Product"))
	}
	return all
}
