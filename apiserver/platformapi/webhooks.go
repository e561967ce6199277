// SPDX-License-Identifier: Apache-2.0

package platformapi

import (
	"context"
	"time"

	"github.com/printmarket/printmarket/apiserver/strict"
	"github.com/printmarket/printmarket/apiserver/webhooksapi"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/internal/webhook"
)

// Webhooks is what the surface needs of package webhook.
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
func (s *surface) ListEndpoints(ctx context.Context, in ListEndpointsRequestObject) (ListEndpointsResponseObject, error) {
	known, err := s.endpoints(ctx, in.Params.Organization)
	if err != nil {
		return nil, err
	}
	return ListEndpoints200JSONResponse{Items: webhooksapi.EndpointModels(known)}, nil
}

func (s *surface) endpoints(ctx context.Context, organization *string) ([]webhook.Known, error) {
	if organization == nil {
		known, err := s.webhooks.AllEndpoints(ctx, strict.Call(ctx).Tenant().Mode)
		return known, webhooksapi.ProblemOf(err)
	}
	owner, err := ownerOf(ctx, *organization)
	if err != nil {
		return nil, err
	}
	known, err := s.webhooks.Endpoints(ctx, owner)
	return known, webhooksapi.ProblemOf(err)
}

// ownerOf is an organization in the mode of the key that asks, or what is wrong with
// its id.
func ownerOf(ctx context.Context, organization string) (tenant.ID, error) {
	owner, err := tenant.New(organization, strict.Call(ctx).Tenant().Mode)
	if err != nil {
		return tenant.ID{}, problem.New(problem.CodeInvalidRequest, "The parameter organization is no id of an organization.")
	}
	return owner, nil
}

// endpoint is the address of an organization's endpoint.
func endpoint(ctx context.Context, organization, name string) (webhook.Address, error) {
	owner, err := ownerOf(ctx, organization)
	return webhook.Address{Owner: owner, Name: name}, err
}

// because is who acts on webhooks, and why.
func because(ctx context.Context, reason string) webhook.Instruction {
	c := strict.Call(ctx)
	return webhook.Instruction{
		Actor:  transaction.Actor{Organization: c.Tenant().Organization, Key: c.Caller.KeyName(), RequestID: c.RequestID()},
		Reason: reason,
	}
}

// TestEndpoint serves POST /api/v1/platform/webhooks/endpoints/{name}/test.
func (s *surface) TestEndpoint(ctx context.Context, in TestEndpointRequestObject) (TestEndpointResponseObject, error) {
	address, err := endpoint(ctx, in.Params.Organization, in.Name)
	if err != nil {
		return nil, err
	}
	delivery, err := s.webhooks.TestBy(ctx, address, because(ctx, in.Body.Reason))
	if err != nil {
		return nil, webhooksapi.ProblemOf(err)
	}
	return TestEndpoint202JSONResponse(webhooksapi.DeliveryModel(delivery)), nil
}

// RecoverEndpoint serves POST /api/v1/platform/webhooks/endpoints/{name}/recover.
func (s *surface) RecoverEndpoint(ctx context.Context, in RecoverEndpointRequestObject) (RecoverEndpointResponseObject, error) {
	address, err := endpoint(ctx, in.Params.Organization, in.Name)
	if err != nil {
		return nil, err
	}
	since, err := webhooksapi.Since(in.Body.Since)
	if err != nil {
		return nil, err
	}
	recovered, err := s.webhooks.RecoverBy(ctx, address, since, because(ctx, in.Body.Reason))
	if err != nil {
		return nil, webhooksapi.ProblemOf(err)
	}
	return RecoverEndpoint202JSONResponse{Recovered: recovered}, nil
}

// EnableEndpoint serves POST /api/v1/platform/webhooks/endpoints/{name}/enable.
func (s *surface) EnableEndpoint(ctx context.Context, in EnableEndpointRequestObject) (EnableEndpointResponseObject, error) {
	address, err := endpoint(ctx, in.Params.Organization, in.Name)
	if err != nil {
		return nil, err
	}
	if err := s.webhooks.EnableBy(ctx, address, because(ctx, in.Body.Reason)); err != nil {
		return nil, webhooksapi.ProblemOf(err)
	}
	known, err := s.webhooks.Find(ctx, address)
	if err != nil {
		return nil, webhooksapi.ProblemOf(err)
	}
	return EnableEndpoint200JSONResponse(webhooksapi.EndpointModel(known)), nil
}

// ListDeliveries serves GET /api/v1/platform/webhooks/deliveries.
func (s *surface) ListDeliveries(ctx context.Context, in ListDeliveriesRequestObject) (ListDeliveriesResponseObject, error) {
	query, err := webhooksapi.Filter{Endpoint: in.Params.Endpoint, State: in.Params.State, Type: in.Params.Type, Limit: in.Params.Limit}.Query()
	if err != nil {
		return nil, err
	}
	if query.Owner, err = ownerOf(ctx, in.Params.Organization); err != nil {
		return nil, err
	}
	if in.Params.Before != nil {
		if query.Before = *in.Params.Before; !recordid.Valid(webhook.DeliveryPrefix, query.Before) {
			return nil, problem.New(problem.CodeInvalidRequest, "The parameter before is no id of a delivery.")
		}
	}
	found, err := s.webhooks.Deliveries(ctx, query)
	if err != nil {
		return nil, webhooksapi.ProblemOf(err)
	}
	return ListDeliveries200JSONResponse{Items: webhooksapi.Deliveries(found)}, nil
}

// ShowDelivery serves GET /api/v1/platform/webhooks/deliveries/{deliveryId}.
func (s *surface) ShowDelivery(ctx context.Context, in ShowDeliveryRequestObject) (ShowDeliveryResponseObject, error) {
	owner, err := ownerOf(ctx, in.Params.Organization)
	if err != nil {
		return nil, err
	}
	delivery, attempts, err := s.webhooks.Delivery(ctx, owner, in.DeliveryID)
	if err != nil {
		return nil, webhooksapi.ProblemOf(err)
	}
	if strict.Call(ctx).Revalidate(`"` + delivery.Revision() + `"`) {
		return ShowDelivery304Response{}, nil
	}
	return ShowDelivery200JSONResponse(webhooksapi.Attempted(delivery, attempts)), nil
}

// Redeliver serves POST /api/v1/platform/webhooks/deliveries/{deliveryId}/redeliver.
func (s *surface) Redeliver(ctx context.Context, in RedeliverRequestObject) (RedeliverResponseObject, error) {
	owner, err := ownerOf(ctx, in.Params.Organization)
	if err != nil {
		return nil, err
	}
	delivery, err := s.webhooks.RedeliverBy(ctx, owner, in.DeliveryID, because(ctx, in.Body.Reason))
	if err != nil {
		return nil, webhooksapi.ProblemOf(err)
	}
	return Redeliver202JSONResponse(webhooksapi.DeliveryModel(delivery)), nil
}
