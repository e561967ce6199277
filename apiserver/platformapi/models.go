// SPDX-License-Identifier: Apache-2.0

package platformapi

import (
	"fmt"
	"time"

	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/money"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/tenant"
)

func modelOf(r rfq.RFQ) RFQ {
	return RFQ{
		ID: r.ID, Organization: r.Tenant.Organization, TrackingCode: r.TrackingCode, Status: string(r.Status),
		CatalogProductUID: r.CatalogProductUID, Title: r.Title, Category: r.Category,
		Quantity: r.Quantity, DeliveryCity: r.DeliveryCity, ProductName: r.Product.Name,
		QuoteCount: r.QuoteCount, Version: r.Version, Livemode: r.Tenant.Mode == tenant.Live,
		CreatedAt: respond.Instant(r.CreatedAt), UpdatedAt: respond.Instant(r.UpdatedAt),
		ResponseDeadline: respond.Instant(r.ResponseDeadline), ExpiresAt: respond.Instant(r.ExpiresAt),
	}
}

func quoteModel(q rfq.Quote) Quote {
	model := Quote{
		ID: q.ID, RFQID: q.RFQID, Revision: q.Revision, Status: string(q.Status), SubmittedAt: respond.Instant(q.SubmittedAt),
		Offer: Offer{
			Supplier: Supplier(q.Offer.Supplier), Total: amountOf(q.Offer.Total), UnitPrice: amountOf(q.Offer.UnitPrice),
			Quantity: q.Offer.Quantity, LeadTimeDays: q.Offer.LeadTimeDays, Delivery: Delivery(q.Offer.Delivery),
			ValidUntil: q.Offer.ValidUntil.UTC().Format(time.RFC3339Nano), Assumptions: q.Offer.Assumptions,
		},
	}
	for _, step := range q.Offer.PriceBreaks {
		model.Offer.PriceBreaks = append(model.Offer.PriceBreaks, PriceBreak{
			Quantity: step.Quantity, UnitPrice: amountOf(step.UnitPrice),
		})
	}
	return model
}

func amountOf(m money.Money) Money {
	return Money{Amount: m.Amount(), Currency: string(m.Currency())}
}

// offerOf reads an offer that matches its schema, or returns violations for invalid
// amounts and times.
func offerOf(body *Offer) (rfq.Offer, []problem.Violation) {
	var found violations
	offer := rfq.Offer{
		Supplier: rfq.Supplier(body.Supplier), Total: found.money("#/total", body.Total), UnitPrice: found.money("#/unitPrice", body.UnitPrice),
		Quantity: body.Quantity, LeadTimeDays: body.LeadTimeDays, Delivery: rfq.Delivery(body.Delivery),
		ValidUntil: found.time("#/validUntil", body.ValidUntil), Assumptions: body.Assumptions,
	}
	for i, step := range body.PriceBreaks {
		price := found.money(fmt.Sprintf("#/priceBreaks/%d/unitPrice", i), step.UnitPrice)
		offer.PriceBreaks = append(offer.PriceBreaks, rfq.PriceBreak{Quantity: step.Quantity, UnitPrice: price})
	}
	return offer, found
}

// violations collects the violations of a body.
type violations []problem.Violation

func (v *violations) money(pointer string, m Money) money.Money {
	parsed, err := money.Parse(m.Amount, m.Currency)
	if err != nil {
		*v = append(*v, problem.Violation{Pointer: pointer, Detail: "must be a decimal amount of a bounded size in a currency of ISO 4217"})
	}
	return parsed
}

func (v *violations) time(pointer, text string) time.Time {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		*v = append(*v, problem.Violation{Pointer: pointer, Detail: "must be an RFC 3339 time, for example 2026-12-24T12:00:00Z"})
	}
	return at
}
