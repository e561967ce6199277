// SPDX-License-Identifier: Apache-2.0

// Package partnerapi serves the partner contract, docs/api/openapi.yaml: the account,
// the catalog, RFQs and their quotes, and the routes of disabled capabilities.
// zz_generated.go holds the models and the server generated from the contract.
package partnerapi

import (
	"context"
	"net/http"
	"time"

	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/internal/masterdata/catalog"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/pkg/xjdf/printtalk"
)

// bodyLimit is the contract's limit for a request body, in bytes.
const bodyLimit = 64 << 10

// RFQs is the part of package rfq that the surface uses.
type RFQs interface {
	Create(ctx context.Context, owner tenant.ID, draft rfq.Draft, terms rfq.Terms) (rfq.Created, error)
	Check(owner tenant.ID, draft rfq.Draft) []rfq.Violation
	Replay(ctx context.Context, owner tenant.ID, used transaction.Idempotency) (rfq.RFQ, bool, error)
	Get(ctx context.Context, owner tenant.ID, id string) (rfq.RFQ, error)
	List(ctx context.Context, owner tenant.ID, page rfq.Page) (rfq.List, error)
	Quotes(ctx context.Context, owner tenant.ID, id string) ([]rfq.Quote, error)
	Events(ctx context.Context, owner tenant.ID, id string, limit int, cursor string) (rfq.History, error)
	CancelOwn(ctx context.Context, owner tenant.ID, id string) (rfq.RFQ, error)
}

// Catalog is the part of package catalog that the surface uses.
type Catalog interface {
	Current(now time.Time) (*catalog.Catalog, error)
}

type surface struct {
	rfqs    RFQs
	catalog Catalog
	quotas  gate.Quotas
	create  *contracts.Schema
}

// Routes returns the surface's table of routes.
func Routes(rfqs RFQs, catalog Catalog, quotas gate.Quotas, set *contracts.Set) ([]gate.Route, error) {
	create, err := set.Schema(contracts.Partner, "RfqCreate")
	if err != nil {
		return nil, err
	}
	s := &surface{rfqs: rfqs, catalog: catalog, quotas: quotas, create: create}
	api := Handlers{Operations: s}
	list := contracts.Operation{Contract: contracts.Partner, Method: http.MethodGet, Path: "/api/v1/rfq"}
	events := contracts.Operation{Contract: contracts.Partner, Method: http.MethodGet, Path: "/api/v1/rfq/{rfqId}/events"}
	body := &gate.Body{Limit: bodyLimit, MediaTypes: forms(), Decode: readInquiry, Idempotency: gate.KeyRequired}
	return append([]gate.Route{
		{Method: http.MethodGet, Pattern: "/api/v1/account", Scope: posture.ScopeAccountRead, AnyStanding: true, Serve: api.GetAccount},
		{Method: http.MethodGet, Pattern: "/api/v1/catalog/products", Capability: posture.RFQCreate, Serve: api.ListCatalogProducts},
		{Method: http.MethodPost, Pattern: "/api/v1/rfq", Capability: posture.RFQCreate, Write: true, Body: body, Serve: inquired(s.checked(api.CreateRFQ))},
		{Method: http.MethodGet, Pattern: "/api/v1/rfq", Capability: posture.RFQList, Serve: gate.OnlyParameters(set.QueryParameters(list), api.ListRfqs)},
		{Method: http.MethodGet, Pattern: "/api/v1/rfq/{rfqId}", Capability: posture.RFQRead, Offers: forms(), KeyHeader: printtalk.MediaTypes(), Serve: inPrintTalk(true, s.requestForQuotation, api.GetRFQ)},
		// Partners can cancel while the creation of RFQs is closed.
		{Method: http.MethodPost, Pattern: "/api/v1/rfq/{rfqId}/cancel", Capability: posture.RFQRead, Scope: posture.ScopeRFQWrite, Write: true, Serve: api.CancelRFQ},
		{Method: http.MethodGet, Pattern: "/api/v1/rfq/{rfqId}/events", Capability: posture.RFQRead, Serve: gate.OnlyParameters(set.QueryParameters(events), api.ListRFQEvents)},
		{Method: http.MethodGet, Pattern: "/api/v1/rfq/{rfqId}/quotes", Capability: posture.QuoteRead, Offers: forms(), KeyHeader: printtalk.MediaTypes(), Serve: inPrintTalk(false, s.quotation, api.ListQuotes)},
	}, Disabled()...), nil
}

// Disabled returns the routes of the disabled capabilities. They authenticate, then
// reject every method. Only estimate is published.
func Disabled() []gate.Route {
	const accept = "/api/v1/rfq/{rfqId}/quotes/{quoteId}/accept"
	return []gate.Route{
		{Method: gate.AnyMethod, Pattern: "/api/v1/estimate", Capability: posture.Estimate},
		{Method: gate.AnyMethod, Pattern: accept, Capability: posture.QuoteAccept, Internal: true},
		{Method: gate.AnyMethod, Pattern: accept + "/*", Capability: posture.QuoteAccept, Internal: true},
		{Method: gate.AnyMethod, Pattern: "/api/v1/orders", Capability: posture.Order, Internal: true},
		{Method: gate.AnyMethod, Pattern: "/api/v1/orders/*", Capability: posture.Order, Internal: true},
		{Method: gate.AnyMethod, Pattern: "/api/v1/orders/batch", Capability: posture.OrderBatch, Internal: true},
		{Method: gate.AnyMethod, Pattern: "/api/v1/orders/batch/*", Capability: posture.OrderBatch, Internal: true},
	}
}

func badParameter(name string) error { return gate.BadParameter(name) }
