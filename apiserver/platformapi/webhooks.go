// SPDX-License-Identifier: Apache-2.0

package platformapi

import (
	"context"
	"time"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/webhooksapi"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/internal/webhook"
)

// Webhooks is the part of package webhook that the surface uses.
type Webhooks interface {
	Endpoints(ctx context.Context, owner tenant.ID) ([]webhook.Known, error)
	AllEndpoints(ctx context.Context, mode tenant.Mode) ([]webhook.Known, error)
	Find(ctx context.Context, address webhook.Address) (webhook.Known, error)
	Deliveries(ctx context.Context, query webhook.Query) ([]webhook.Delivery, error)
	Delivery(ctx context.Context, owner tenant.ID, id string) (webhook.Delivery, []webhook.Attempt, error)
	TestBy(ctx context.Context, address webhook.Address, by webhook.Instruction) (webhook.Delivery, error)
	RecoverBy(ctx context.Context, address webhook.Address, since time.Time, by webhook.Instruction) (int, error)
	EnableBy(ctx context.Context, address webhook.Address, by webhook.Instruction) error
	RedeliverBy(ctx context.Context, owner tenant.ID, id string, by webhook.Instruction) (webhook.Delivery, error)
}

// ListEndpoints serves GET /api/v1/platform/webhooks/endpoints.
func (s *surface) ListEndpoints(c *gate.Call, params ListEndpointsParams) (ListEndpointsResponseObject, error) {
	var known []webhook.Known
	var err error
	if params.Organization == nil {
		known, err = s.webhooks.AllEndpoints(c.Context(), c.Tenant().Mode)
	} else {
		owner, invalid := ownerOf(c, *params.Organization)
		if invalid != nil {
			return nil, invalid
		}
		known, err = s.webhooks.Endpoints(c.Context(), owner)
	}
	if err != nil {
		return nil, webhooksapi.ProblemOf(err)
	}
	return ListEndpoints200JSONResponse{Items: webhooksapi.EndpointModels(known)}, nil
}

// ownerOf returns the tenant of an organization in the mode of the caller's key, or a
// problem for an invalid id.
func ownerOf(c *gate.Call, organization string) (tenant.ID, error) {
	owner, err := tenant.New(organization, c.Tenant().Mode)
	if err != nil {
		return tenant.ID{}, problem.New(problem.CodeInvalidRequest, "The parameter organization must be the id of an organization.")
	}
	return owner, nil
}

// endpoint returns the address of an organization's endpoint.
func endpoint(c *gate.Call, organization, name string) (webhook.Address, error) {
	owner, err := ownerOf(c, organization)
	return webhook.Address{Owner: owner, Name: name}, err
}

// because returns the actor and the reason of an action on webhooks.
func because(c *gate.Call, reason string) webhook.Instruction {
	return webhook.Instruction{
		Actor:  transaction.Actor{Organization: c.Tenant().Organization, Key: c.Caller.KeyName(), RequestID: c.RequestID()},
		Reason: reason,
	}
}

// TestEndpoint serves POST /api/v1/platform/webhooks/endpoints/{name}/test.
func (s *surface) TestEndpoint(c *gate.Call, name EndpointName, params TestEndpointParams, body Reason) (TestEndpointResponseObject, error) {
	address, err := endpoint(c, params.Organization, name)
	if err != nil {
		return nil, err
	}
	delivery, err := s.webhooks.TestBy(c.Context(), address, because(c, body.Reason))
	if err != nil {
		return nil, webhooksapi.ProblemOf(err)
	}
	return TestEndpoint202JSONResponse(webhooksapi.DeliveryModel(delivery)), nil
}

// RecoverEndpoint serves POST /api/v1/platform/webhooks/endpoints/{name}/recover.
func (s *surface) RecoverEndpoint(c *gate.Call, name EndpointName, params RecoverEndpointParams, body Recovery) (RecoverEndpointResponseObject, error) {
	address, err := endpoint(c, params.Organization, name)
	if err != nil {
		return nil, err
	}
	since, err := webhooksapi.Since(body.Since)
	if err != nil {
		return nil, err
	}
	recovered, err := s.webhooks.RecoverBy(c.Context(), address, since, because(c, body.Reason))
	if err != nil {
		return nil, webhooksapi.ProblemOf(err)
	}
	return RecoverEndpoint202JSONResponse{Recovered: recovered}, nil
}

// EnableEndpoint serves POST /api/v1/platform/webhooks/endpoints/{name}/enable.
func (s *surface) EnableEndpoint(c *gate.Call, name EndpointName, params EnableEndpointParams, body Reason) (EnableEndpointResponseObject, error) {
	address, err := endpoint(c, params.Organization, name)
	if err != nil {
		return nil, err
	}
	if err := s.webhooks.EnableBy(c.Context(), address, because(c, body.Reason)); err != nil {
		return nil, webhooksapi.ProblemOf(err)
	}
	known, err := s.webhooks.Find(c.Context(), address)
	if err != nil {
		return nil, webhooksapi.ProblemOf(err)
	}
	return EnableEndpoint200JSONResponse(webhooksapi.EndpointModel(known)), nil
}

// ListDeliveries serves GET /api/v1/platform/webhooks/deliveries.
func (s *surface) ListDeliveries(c *gate.Call, params ListDeliveriesParams) (ListDeliveriesResponseObject, error) {
	query, err := webhooksapi.Filter{Endpoint: params.Endpoint, State: params.State, Type: params.Type, Limit: params.Limit}.Query()
	if err != nil {
		return nil, err
	}
	if query.Owner, err = ownerOf(c, params.Organization); err != nil {
		return nil, err
	}
	if params.Before != nil {
		if query.Before = *params.Before; !recordid.Valid(webhook.DeliveryPrefix, query.Before) {
			return nil, problem.New(problem.CodeInvalidRequest, "The parameter before must be the id of a delivery.")
		}
	}
	found, err := s.webhooks.Deliveries(c.Context(), query)
	if err != nil {
		return nil, webhooksapi.ProblemOf(err)
	}
	return ListDeliveries200JSONResponse{Items: webhooksapi.Deliveries(found)}, nil
}

// ShowDelivery serves GET /api/v1/platform/webhooks/deliveries/{deliveryId}.
func (s *surface) ShowDelivery(c *gate.Call, deliveryID DeliveryID, params ShowDeliveryParams) (ShowDeliveryResponseObject, error) {
	owner, err := ownerOf(c, params.Organization)
	if err != nil {
		return nil, err
	}
	delivery, attempts, err := s.webhooks.Delivery(c.Context(), owner, deliveryID)
	if err != nil {
		return nil, webhooksapi.ProblemOf(err)
	}
	if c.Revalidate(`"` + delivery.Revision() + `"`) {
		return ShowDelivery304Response{}, nil
	}
	return ShowDelivery200JSONResponse(webhooksapi.Attempted(delivery, attempts)), nil
}

// Redeliver serves POST /api/v1/platform/webhooks/deliveries/{deliveryId}/redeliver.
func (s *surface) Redeliver(c *gate.Call, deliveryID DeliveryID, params RedeliverParams, body Reason) (RedeliverResponseObject, error) {
	owner, err := ownerOf(c, params.Organization)
	if err != nil {
		return nil, err
	}
	delivery, err := s.webhooks.RedeliverBy(c.Context(), owner, deliveryID, because(c, body.Reason))
	if err != nil {
		return nil, webhooksapi.ProblemOf(err)
	}
	return Redeliver202JSONResponse(webhooksapi.DeliveryModel(delivery)), nil
}
