// SPDX-License-Identifier: Apache-2.0

// Package webhooksapi lets partners operate their webhooks: list endpoints and their
// state, list deliveries, and send events again.
//
// Its contract, docs/internal/webhooks-openapi.yaml, is not published; zz_generated.go
// holds the models and the server generated from it. Every route requires the
// capability webhook-delivery, and is an unknown path for organizations without it. A partner
// sees only its own tenant: a record of another tenant and a missing record get the same response.
package webhooksapi

import (
	"context"
	"net/http"
	"time"

	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/internal/cursor"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/webhook"
)

// The paths of the surface.
const (
	root           = "/api/v1/webhooks"
	endpointsPath  = root + "/endpoints"
	deliveriesPath = root + "/deliveries"
	openapiPath    = root + "/openapi"
)

// bodyLimit exceeds the largest valid body, in bytes.
const bodyLimit = 4 << 10

// Every route requires this capability. Reads require Scope; requests that send events or enable
// an endpoint require WriteScope.
const (
	Capability = posture.WebhookDelivery
	Scope      = posture.ScopeAccountRead
	WriteScope = posture.ScopeWebhooksWrite
)

// Webhooks is the part of package webhook that the surface uses.
type Webhooks interface {
	Endpoints(ctx context.Context, owner tenant.ID) ([]webhook.Known, error)
	Find(ctx context.Context, address webhook.Address) (webhook.Known, error)
	Deliveries(ctx context.Context, query webhook.Query) ([]webhook.Delivery, error)
	Delivery(ctx context.Context, owner tenant.ID, id string) (webhook.Delivery, []webhook.Attempt, error)
	Test(ctx context.Context, address webhook.Address) (webhook.Delivery, error)
	Redeliver(ctx context.Context, owner tenant.ID, id string) (webhook.Delivery, error)
	Recover(ctx context.Context, address webhook.Address, since time.Time) (int, error)
	Enable(ctx context.Context, address webhook.Address) error
}

// Cursors encrypts the positions of lists.
type Cursors interface {
	Seal(scope cursor.Scope, position string) (string, error)
	Open(scope cursor.Scope, text string) (string, error)
}

type surface struct {
	webhooks  Webhooks
	cursors   Cursors
	documents map[string]contracts.Document
}

// Routes returns the surface's table of routes. The first routes reject other paths and
// methods.
func Routes(webhooks Webhooks, cursors Cursors, set *contracts.Set) ([]gate.Route, error) {
	s := &surface{webhooks: webhooks, cursors: cursors, documents: map[string]contracts.Document{}}
	documents, err := set.Documents(contracts.Webhooks)
	if err != nil {
		return nil, err
	}
	var offers []string
	for _, document := range documents {
		offers = append(offers, document.MediaType)
		s.documents[document.MediaType] = document
	}
	recovery, err := set.Schema(contracts.Webhooks, "Recovery")
	if err != nil {
		return nil, err
	}
	api := Handlers{Operations: s}
	const endpoint, delivery = endpointsPath + "/{name}", deliveriesPath + "/{deliveryId}"
	served := []gate.Route{
		{Method: http.MethodGet, Pattern: endpointsPath, Serve: api.ListWebhookEndpoints},
		{Method: http.MethodPost, Pattern: endpoint + "/test", Serve: api.TestWebhookEndpoint},
		{
			Method: http.MethodPost, Pattern: endpoint + "/recover", Body: &gate.Body{Limit: bodyLimit},
			Serve: gate.OnlyValid(recovery, problem.CodeWebhookInvalid, api.RecoverWebhookEndpoint),
		},
		{Method: http.MethodPost, Pattern: endpoint + "/enable", Serve: api.EnableWebhookEndpoint},
		{Method: http.MethodGet, Pattern: deliveriesPath, Serve: api.ListWebhookDeliveries},
		{Method: http.MethodGet, Pattern: delivery, Serve: api.GetWebhookDelivery},
		{Method: http.MethodPost, Pattern: delivery + "/redeliver", Serve: api.RedeliverWebhook},
		{Method: http.MethodGet, Pattern: openapiPath, Offers: offers, Serve: api.GetWebhooksOpenapi},
	}
	others := []gate.Route{
		{Method: gate.AnyMethod, Pattern: root, Serve: gate.OtherMethods()},
		{Method: gate.AnyMethod, Pattern: root + "/*", Serve: gate.OtherMethods()},
	}
	for i := range served {
		rt := &served[i]
		rt.Write = rt.Method != http.MethodGet
		op := contracts.Operation{Contract: contracts.Webhooks, Method: rt.Method, Path: rt.Pattern}
		rt.Serve = gate.OnlyParameters(set.QueryParameters(op), rt.Serve)
		allowed := []string{rt.Method}
		if rt.Method == http.MethodGet {
			allowed = append(allowed, http.MethodHead)
		}
		others = append(others, gate.Route{Method: gate.AnyMethod, Pattern: rt.Pattern, Serve: gate.OtherMethods(allowed...)})
	}
	routes := append(others, served...)
	for i := range routes {
		rt := &routes[i]
		rt.Capability, rt.Internal, rt.Hidden = Capability, true, true
		if rt.Scope = Scope; rt.Write {
			rt.Scope = WriteScope
		}
	}
	return routes, nil
}

func badParameter(name string) error { return gate.BadParameter(name) }
