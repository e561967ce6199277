// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"fmt"
	"iter"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

// delivered compares the delivered copies of the product with the calculated amount.
func (r *reader) delivered(j *job) {
	var first *xjdf.Node
	copies := int64(0)
	for set := range r.document.Root.All("ResourceSet") {
		if attr(set, "Name") != "DeliveryParams" {
			continue
		}
		for item := range items(set) {
			switch ref := attr(item, "ItemRef"); {
			case ref == "" || r.products[ref] == nil:
			case r.products[ref] != j.node:
				r.left(item, "ItemRef", fmt.Sprintf("the separate delivery of %.60q is not included in the figures", ref))
			default:
				j.deliveries++
				if first == nil {
					first = item
				}
				amount, _ := r.count(item, "Amount")
				copies = plus(copies, max(amount, 0))
			}
		}
	}
	if first != nil && copies != j.amount {
		r.left(first, "Amount", fmt.Sprintf("%d copies are delivered, but %d are calculated", copies, j.amount))
	}
}

// items yields the DropItems of all deliveries of a set.
func items(set *xjdf.Node) iter.Seq[*xjdf.Node] {
	return func(yield func(*xjdf.Node) bool) {
		for resource := range set.All("Resource") {
			for delivery := range resource.All("DeliveryParams") {
				for item := range delivery.All("DropItem") {
					if !yield(item) {
						return
					}
				}
			}
		}
	}
}
