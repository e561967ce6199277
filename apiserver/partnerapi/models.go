// SPDX-License-Identifier: Apache-2.0

package partnerapi

import (
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/masterdata/catalog"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/tenant"
)

func path(id string) string { return "/api/v1/rfq/" + id }

func etag(r rfq.RFQ) string { return `"` + r.Revision() + `"` }

func modelOf(r rfq.RFQ) RFQ {
	return RFQ{
		ID: r.ID, TrackingCode: r.TrackingCode, Status: string(r.Status),
		CatalogProductUID: r.CatalogProductUID, Title: r.Title, Category: r.Category,
		Quantity: r.Quantity, DeliveryCity: r.DeliveryCity, ClientReference: r.ClientReference,
		Product: Product{
			UID: r.Product.UID, Name: r.Product.Name, Level: L2, MarketplaceGroup: r.Product.Group,
		},
		QuoteCount: r.QuoteCount, Version: r.Version, Livemode: r.Tenant.Mode == tenant.Live,
		CreatedAt: respond.Instant(r.CreatedAt), UpdatedAt: respond.Instant(r.UpdatedAt),
		ResponseDeadline: respond.Instant(r.ResponseDeadline), ExpiresAt: respond.Instant(r.ExpiresAt),
		Links: RFQLinks{Self: path(r.ID), Quotes: path(r.ID) + "/quotes"},
	}
}

func quoteModel(q rfq.Quote) Quote {
	model := Quote{
		ID: q.ID, RFQID: q.RFQID, Supplier: Supplier(q.Offer.Supplier),
		Revision: q.Revision, Status: string(q.Status),
		Total: q.Offer.Total, UnitPrice: q.Offer.UnitPrice, Quantity: q.Offer.Quantity,
		LeadTimeDays: q.Offer.LeadTimeDays, Delivery: Delivery(q.Offer.Delivery),
		Assumptions: q.Offer.Assumptions,
		ValidUntil:  respond.Instant(q.Offer.ValidUntil), SubmittedAt: respond.Instant(q.SubmittedAt),
	}
	for _, step := range q.Offer.PriceBreaks {
		model.PriceBreaks = append(model.PriceBreaks, PriceBreak(step))
	}
	return model
}

func productModels(catalog *catalog.Catalog) []CatalogProduct {
	names := map[string]string{}
	for _, group := range catalog.Groups() {
		names[group.UID] = group.Name
	}
	products := catalog.Products("")
	models := make([]CatalogProduct, len(products))
	for i, product := range products {
		models[i] = CatalogProduct{
			CatalogProductUID: product.UID, Name: product.Name, Category: product.Group, CategoryName: names[product.Group],
		}
	}
	return models
}
