// SPDX-License-Identifier: Apache-2.0

package partner

import (
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/masterdata"
	"github.com/printmarket/printmarket/internal/money"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/tenant"
)

// createdView is the 201 body: two members that never change, so that a replay
// is the same to the byte.
type createdView struct {
	ID           string `json:"id"`
	TrackingCode string `json:"trackingCode"`
}

type rfqView struct {
	ID                string          `json:"id"`
	TrackingCode      string          `json:"trackingCode"`
	Status            rfq.Status      `json:"status"`
	CatalogProductUID string          `json:"catalogProductUid"`
	Title             string          `json:"title"`
	Category          string          `json:"category"`
	Quantity          int64           `json:"quantity"`
	DeliveryCity      string          `json:"deliveryCity"`
	Product           productView     `json:"product"`
	QuoteCount        int             `json:"quoteCount"`
	Version           int64           `json:"version"`
	LiveMode          bool            `json:"livemode"`
	CreatedAt         respond.Instant `json:"createdAt"`
	UpdatedAt         respond.Instant `json:"updatedAt"`
	ResponseDeadline  respond.Instant `json:"responseDeadline"`
	ExpiresAt         respond.Instant `json:"expiresAt"`
	Links             linksView       `json:"links"`
}

type productView struct {
	UID              string `json:"uid"`
	Name             string `json:"name"`
	Level            string `json:"level"`
	MarketplaceGroup string `json:"marketplaceGroup"`
}

type linksView struct {
	Self   string `json:"self"`
	Quotes string `json:"quotes"`
}

type pageView struct {
	Items      []rfqView `json:"items"`
	NextCursor *string   `json:"nextCursor"`
}

func path(id string) string { return "/api/v1/rfq/" + id }

func etag(r rfq.RFQ) string { return `"` + r.Revision() + `"` }

func view(r rfq.RFQ) rfqView {
	return rfqView{
		ID: r.ID, TrackingCode: r.TrackingCode, Status: r.Status,
		CatalogProductUID: r.CatalogProductUID, Title: r.Title, Category: r.Category,
		Quantity: r.Quantity, DeliveryCity: r.DeliveryCity,
		Product:    productView{UID: r.Product.UID, Name: r.Product.Name, Level: "L2", MarketplaceGroup: r.Product.Group},
		QuoteCount: r.QuoteCount, Version: r.Version, LiveMode: r.Tenant.Mode == tenant.Live,
		CreatedAt: respond.Instant(r.CreatedAt), UpdatedAt: respond.Instant(r.UpdatedAt),
		ResponseDeadline: respond.Instant(r.ResponseDeadline), ExpiresAt: respond.Instant(r.ExpiresAt),
		Links: linksView{Self: path(r.ID), Quotes: path(r.ID) + "/quotes"},
	}
}

type quotesView struct {
	Items []quoteView `json:"items"`
}

type quoteView struct {
	ID           string           `json:"id"`
	RFQID        string           `json:"rfqId"`
	Supplier     rfq.Supplier     `json:"supplier"`
	Revision     int              `json:"revision"`
	Status       rfq.QuoteStatus  `json:"status"`
	Total        money.Money      `json:"total"`
	UnitPrice    money.Money      `json:"unitPrice"`
	Quantity     int64            `json:"quantity"`
	PriceBreaks  []rfq.PriceBreak `json:"priceBreaks,omitempty"`
	LeadTimeDays int              `json:"leadTimeDays"`
	Delivery     rfq.Delivery     `json:"delivery"`
	Assumptions  []string         `json:"assumptions,omitempty"`
	ValidUntil   respond.Instant  `json:"validUntil"`
	SubmittedAt  respond.Instant  `json:"submittedAt"`
}

func viewQuote(q rfq.Quote) quoteView {
	return quoteView{
		ID: q.ID, RFQID: q.RFQID, Supplier: q.Offer.Supplier, Revision: q.Revision, Status: q.Status,
		Total: q.Offer.Total, UnitPrice: q.Offer.UnitPrice, Quantity: q.Offer.Quantity,
		PriceBreaks: q.Offer.PriceBreaks, LeadTimeDays: q.Offer.LeadTimeDays, Delivery: q.Offer.Delivery,
		Assumptions: q.Offer.Assumptions,
		ValidUntil:  respond.Instant(q.Offer.ValidUntil), SubmittedAt: respond.Instant(q.SubmittedAt),
	}
}

type productsView struct {
	Items []catalogProductView `json:"items"`
}

// catalogProductView names its members as the RFQ body that they go into.
type catalogProductView struct {
	CatalogProductUID string `json:"catalogProductUid"`
	Name              string `json:"name"`
	Category          string `json:"category"`
	CategoryName      string `json:"categoryName"`
}

func viewProducts(catalog *masterdata.Catalog) productsView {
	names := map[string]string{}
	for _, group := range catalog.Groups() {
		names[group.UID] = group.Name
	}
	products := catalog.Products("")
	answer := productsView{Items: make([]catalogProductView, len(products))}
	for i, product := range products {
		answer.Items[i] = catalogProductView{
			CatalogProductUID: product.UID, Name: product.Name, Category: product.Group, CategoryName: names[product.Group],
		}
	}
	return answer
}
