// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"fmt"
	"slices"
)

// What ProductType says of how a product is made. It never changes a figure, but a
// product that is called what it is not described as is one to ask about. Other types
// are as they are described.

// madeOtherwise are products of which something is made that is not calculated.
func madeOtherwise() []string {
	return []string{"BlankBox", "BookCase", "Box", "Carton", "CoverBoard", "Envelope", "FlatBox", "HardCoverBook", "Pallet", "Proof", "SpineBoard", "Stack"}
}

// severalSheets are products that are bound.
func severalSheets() []string {
	return []string{"Body", "Book", "BookBlock", "Booklet", "Newspaper", "Notebook", "SoftCoverBook"}
}

// oneSheet are products that are not.
func oneSheet() []string {
	return []string{"BlankSheet", "BusinessCard", "CoverLetter", "FlatWork", "Label", "Leaflet", "Letter", "Poster", "Postcard", "ResponseCard"}
}

// kinds compares what products are called with how they are calculated.
func (r *reader) kinds(j *job) {
	contradicted := slices.Contains(madeOtherwise(), j.kind) || j.bind == "" && slices.Contains(severalSheets(), j.kind) ||
		j.bind != "" && slices.Contains(oneSheet(), j.kind)
	if contradicted {
		r.left(j.node, "ProductType", fmt.Sprintf("%.60q is not what is described, and calculated", j.kind))
	}
	for _, p := range j.parts {
		if kind := attr(p.node, "ProductType"); p.node != j.node && p.role == roleBody && !slices.Contains([]string{"", "Body", "BookBlock", "Section"}, kind) {
			r.left(p.node, "ProductType", fmt.Sprintf("%.60q is calculated as pages of the body", kind))
		}
	}
}
