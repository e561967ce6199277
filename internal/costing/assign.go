// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"fmt"
	"slices"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

// The keys of a Part that say for which product a medium is.
const (
	keyProduct = "Product"
	keyPart    = "ProductPart"
)

// productsOf are the products that a resource is for.
func productsOf(resource *xjdf.Node) []string {
	var ids []string
	for p := range resource.All("Part") {
		for _, key := range [...]string{keyProduct, keyPart} {
			if id := attr(p, key); id != "" {
				ids = append(ids, id)
				break
			}
		}
	}
	return ids
}

// doubts are what a resource says of where a medium goes, beyond the product.
func (r *reader) doubts(resource *xjdf.Node, e *entry) (all []doubt) {
	for p := range resource.All("Part") {
		for i := range p.Attributes {
			if a := &p.Attributes[i]; a.Name.Space == "" && a.Name.Local != keyProduct && a.Name.Local != keyPart {
				all = append(all, doubt{p, a.Name.Local, fmt.Sprintf("the medium is for a %.40s, and taken for all of the part", a.Name.Local)})
			}
		}
		if product, part := attr(p, keyProduct), attr(p, keyPart); product != "" && part != "" && product != part {
			all = append(all, doubt{p, keyPart, fmt.Sprintf("the medium is taken for %.60q, and not for %.60q", product, part)})
		}
	}
	if id := attr(resource, "ID"); e.named != resource && id != e.medium.ID {
		if _, known := r.snapshot.Media(id); known {
			all = append(all, doubt{resource, "ID", fmt.Sprintf("the resource is named as another medium, %.60q", id)})
		}
	}
	seen := false
	for media := range resource.All("Media") {
		if seen {
			all = append(all, doubt{media, "", "a resource is one medium; the first is taken"})
		}
		seen = true
	}
	return all
}

// doubtsOf are what a set says of what its media are for.
func doubtsOf(set *xjdf.Node) (all []doubt) {
	if attr(set, "Usage") == "Output" {
		all = append(all, doubt{set, "Usage", "the medium is made, and taken to be printed on"})
	}
	if usage := attr(set, "ProcessUsage"); usage != "" {
		all = append(all, doubt{set, "ProcessUsage", fmt.Sprintf("the medium is for %.40q, and taken to be printed on", usage)})
	}
	return all
}

// assign gives a part its medium: the one for its product, else for the whole, else
// the one for all.
func (r *reader) assign(p *part, root string, entries []entry) {
	for _, id := range [...]string{p.id, root, ""} {
		var found []*entry
		for i := range entries {
			if entries[i].isFor(id) {
				found = append(found, &entries[i])
			}
		}
		if len(found) == 0 {
			continue
		}
		p.medium = found[0].medium
		for _, one := range found {
			one.used = true
			p.described = append(p.described, one.node)
			if one.medium.ID != p.medium.ID {
				r.review(MediaAmbiguous, one.node, "ID", fmt.Sprintf("%s and %s are both for %s", p.medium.ID, one.medium.ID, described(p.node)))
			}
			for _, d := range one.doubts {
				r.review(MediaAmbiguous, d.node, d.attribute, d.detail)
			}
			r.compare(one.node, one.medium, "Dimension")
		}
		r.namesakes(found[0], id)
		return
	}
	r.stop(MediaAmbiguous, p.node, "", "no medium is for "+described(p.node))
}

// namesakes says that a medium is for two products: the standard means the ExternalID
// of a product by what is read here as its identifier.
func (r *reader) namesakes(e *entry, id string) {
	for _, product := range r.listed() {
		if id != "" && attr(product, "ExternalID") == id && product != r.products[id] {
			r.review(MediaAmbiguous, e.node, "", fmt.Sprintf("%.60q is the identifier of a product, and the ExternalID of another", id))
		}
	}
}

// unused says which media are for no part that is calculated.
func (r *reader) unused(entries []entry) {
	if r.stopped {
		return
	}
	for i := range entries {
		if e := &entries[i]; !e.used {
			r.review(MediaUnused, e.node, "", e.medium.ID+" is for no part of the product, or each has another medium")
		}
	}
}

// isFor reports whether a medium is for a product; the empty one stands for all.
func (e *entry) isFor(id string) bool {
	if id == "" {
		return len(e.products) == 0
	}
	return slices.Contains(e.products, id)
}
