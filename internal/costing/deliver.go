// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

// delivered compares the delivered copies of the product with the calculated amount, and reports
// the terms and the places of delivery that the freight of the owner does not cover.
func (r *reader) delivered(j *job) {
	var first *xjdf.Node
	copies := int64(0)
	for _, delivery := range r.resources("DeliveryParams") {
		before := j.deliveries
		for item := range delivery.All("DropItem") {
			ref := attr(item, "ItemRef")
			switch {
			case r.products[ref] == j.node:
				j.deliveries++
				if first == nil {
					first = item
				}
				amount, _ := r.count(item, "Amount")
				copies = plus(copies, max(amount, 0))
			case r.products[ref] != nil || !strings.HasPrefix(attr(delivery, "Transfer"), "BuyerToPrinter"):
				r.left(item, "ItemRef", fmt.Sprintf("the separate delivery of %.60q is not included in the figures", ref))
			}
		}
		if delivery.Child("DropItem") == nil {
			j.deliveries++
		}
		if j.deliveries > before {
			r.terms(j, delivery)
		}
	}
	if first != nil && copies != j.amount {
		r.left(first, "Amount", fmt.Sprintf("%d copies are delivered, but %d are calculated", copies, j.amount))
	}
	if !j.collected {
		r.destinations()
	}
}

// terms reports the terms of a delivery of the product, other than those of the freight: carriage by
// any means. Dates have no price, because master data has no lead times.
func (r *reader) terms(j *job, delivery *xjdf.Node) {
	r.unread(delivery)
	for _, date := range []string{"Earliest", "EarliestDuration", "Required", "RequiredDuration"} {
		if _, given := delivery.Attr(date); given {
			r.assume(AssumedDate, "the dates of the delivery can be met and cost nothing; they are not compared with lead times")
			break
		}
	}
	switch transfer, stated := delivery.Attr("Transfer"); {
	case transfer == "PrinterToBuyerPickup":
		j.collected = true
		return
	case transfer == "PrinterToBuyerDeliver" && r.policy.Freight == "":
		r.left(delivery, "Transfer", "the owner offers no freight, which is not included in the figures")
	case stated && transfer != "PrinterToBuyerDeliver":
		r.left(delivery, "Transfer", fmt.Sprintf("%.40q does not transfer the product to the buyer", transfer))
	}
	carriage := []string{"BestWay", "StandardShipping"}
	if r.policy.Freight == "" {
		carriage = nil
	}
	method := attr(delivery, "Method")
	r.unlessOneOf(delivery, "Method", fmt.Sprintf("delivery by %.40q is not included in the figures", method), carriage...)
}

// destinations reports the addresses for delivery in countries that the freight does not reach. An
// address without a country is in the country of the owner.
func (r *reader) destinations() {
	freight, _ := r.snapshot.Service(r.policy.Freight)
	for resource, contact := range r.resources("Contact") {
		for part := range resource.All("Part") {
			address := contact.Child("Address")
			if attr(part, "ContactType") != "Delivery" || address == nil {
				continue
			}
			country := cmp.Or(attr(address, "CountryCode"), attr(address, "Country"))
			if country != "" && !slices.Contains(freight.Countries, country) {
				r.left(address, "CountryCode", fmt.Sprintf("the freight of the owner does not list the country %.40q", country))
			}
		}
	}
}
