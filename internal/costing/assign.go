// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"fmt"
	"slices"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

// The attributes of a Part that name the product of a medium.
const (
	keyProduct = "Product"
	keyPart    = "ProductPart"
)

// doubts returns every reason for which a resource may not be the medium of the whole
// part: further partitioning, contradicting products, another identifier, more than one
// Media.
func (r *reader) doubts(resource *xjdf.Node, e *entry) (all []doubt) {
	for p := range resource.All("Part") {
		for i := range p.Attributes {
			if a := &p.Attributes[i]; a.Name.Space == "" && a.Name.Local != keyProduct && a.Name.Local != keyPart {
				all = append(all, doubt{p, a.Name.Local, fmt.Sprintf("the medium is for a %.40s; the calculation uses it for the whole part", a.Name.Local)})
			}
		}
		if product, part := attr(p, keyProduct), attr(p, keyPart); product != "" && part != "" && product != part {
			all = append(all, doubt{p, keyPart, fmt.Sprintf("the calculation uses the medium for %.60q and not for %.60q", product, part)})
		}
	}
	if id := attr(resource, "ID"); e.named != resource && id != e.medium.ID {
		if _, known := r.snapshot.Media(id); known {
			all = append(all, doubt{resource, "ID", fmt.Sprintf("the resource has the identifier of another medium, %.60q", id)})
		}
	}
	seen := false
	for media := range resource.All("Media") {
		if seen {
			all = append(all, doubt{media, "", "a resource must have one medium; the calculation uses the first"})
		}
		seen = true
	}
	return all
}

// assign gives a part its medium: the one for the part's product, else the one for the
// root product, else the one that names no product.
func (r *reader) assign(p *part, root string, entries []entry) {
	for _, id := range [...]string{p.id, root, ""} {
		var found []*entry
		for i := range entries {
			products := entries[i].products
			if id == "" && len(products) == 0 || id != "" && slices.Contains(products, id) {
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
		// This package reads a product reference as the identifier of a product, the standard as its
		// ExternalID.
		for _, product := range r.listed() {
			if id != "" && attr(product, "ExternalID") == id && product != r.products[id] {
				r.review(MediaAmbiguous, found[0].node, "", fmt.Sprintf("%.60q is the identifier of a product, and the ExternalID of another", id))
			}
		}
		return
	}
	r.stop(MediaAmbiguous, p.node, "", "no medium for "+described(p.node))
}
