// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"fmt"
	"slices"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
)

// kinds compares the ProductType of each product with the way it is calculated.
// ProductType never changes a figure, but a type that contradicts the description needs a
// review. Types outside of the three lists contradict nothing.
func (r *reader) kinds(j *job) {
	// These products have components that the package does not calculate.
	otherwise := []string{"BlankBox", "BookCase", "Box", "Carton", "CoverBoard", "Envelope", "FlatBox", "HardCoverBook", "Pallet", "Proof", "SpineBoard", "Stack"}
	costed := map[string]bool{"HardCoverBook": j.bind == authority.CasingIn}
	if box := j.parts[0].die; box != nil {
		costed["BlankBox"] = !box.folded
		costed["Box"], costed["Carton"], costed["FlatBox"] = box.folded, box.folded, box.folded
	}
	otherwise = slices.DeleteFunc(otherwise, func(kind string) bool { return costed[kind] })
	bound := []string{"Body", "Book", "BookBlock", "Booklet", "Newspaper", "Notebook", "SoftCoverBook"}
	flat := []string{"BlankSheet", "BusinessCard", "CoverLetter", "FlatWork", "Label", "Leaflet", "Letter", "Poster", "Postcard", "ResponseCard"}
	if slices.Contains(otherwise, j.kind) || j.bind == "" && slices.Contains(bound, j.kind) || j.bind != "" && slices.Contains(flat, j.kind) {
		r.left(j.node, "ProductType", fmt.Sprintf("%.60q does not match the described product, which is calculated", j.kind))
	}
	for _, p := range j.parts {
		pages := []string{"", "Body", "BookBlock", "Section"}
		if p.loose {
			pages = append(pages, "FrontCover", "BackCover", "Cover")
		}
		if kind := attr(p.node, "ProductType"); p.node != j.node && p.role == roleBody && !slices.Contains(pages, kind) {
			r.left(p.node, "ProductType", fmt.Sprintf("%.60q is calculated as pages of the body", kind))
		}
	}
}
