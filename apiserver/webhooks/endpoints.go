// SPDX-License-Identifier: Apache-2.0

package webhooks

import (
	"context"
	"strings"
	"time"

	"github.com/printmarket/printmarket/apiserver/strict"
	"github.com/printmarket/printmarket/apiserver/webhooks/webhooksapi"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/webhook"
)

// ListWebhookEndpoints serves GET /api/v1/webhooks/endpoints.
func (s *surface) ListWebhookEndpoints(ctx context.Context, _ webhooksapi.ListWebhookEndpointsRequestObject) (webhooksapi.ListWebhookEndpointsResponseObject, error) {
	known, err := s.desk.Endpoints(ctx, strict.Call(ctx).Tenant())
	if err != nil {
		return nil, ProblemOf(err)
	}
	return webhooksapi.ListWebhookEndpoints200JSONResponse{Items: Endpoints(known)}, nil
}

// TestWebhookEndpoint serves POST /api/v1/webhooks/endpoints/{name}/test.
func (s *surface) TestWebhookEndpoint(ctx context.Context, in webhooksapi.TestWebhookEndpointRequestObject) (webhooksapi.TestWebhookEndpointResponseObject, error) {
	delivery, err := s.desk.Test(ctx, address(ctx, in.Name))
	if err != nil {
		return nil, ProblemOf(err)
	}
	return webhooksapi.TestWebhookEndpoint202JSONResponse{
		Body: Delivery(delivery), Headers: webhooksapi.TestWebhookEndpoint202ResponseHeaders{Location: pathOf(delivery)},
	}, nil
}

// RecoverWebhookEndpoint serves POST /api/v1/webhooks/endpoints/{name}/recover.
func (s *surface) RecoverWebhookEndpoint(ctx context.Context, in webhooksapi.RecoverWebhookEndpointRequestObject) (webhooksapi.RecoverWebhookEndpointResponseObject, error) {
	since, err := Since(in.Body.Since)
	if err != nil {
		return nil, err
	}
	recovered, err := s.desk.Recover(ctx, address(ctx, in.Name), since)
	if err != nil {
		return nil, ProblemOf(err)
	}
	return webhooksapi.RecoverWebhookEndpoint202JSONResponse{Recovered: recovered}, nil
}

// EnableWebhookEndpoint serves POST /api/v1/webhooks/endpoints/{name}/enable.
func (s *surface) EnableWebhookEndpoint(ctx context.Context, in webhooksapi.EnableWebhookEndpointRequestObject) (webhooksapi.EnableWebhookEndpointResponseObject, error) {
	at := address(ctx, in.Name)
	if err := s.desk.Enable(ctx, at); err != nil {
		return nil, ProblemOf(err)
	}
	known, err := s.desk.Find(ctx, at)
	if err != nil {
		return nil, ProblemOf(err)
	}
	return webhooksapi.EnableWebhookEndpoint200JSONResponse(Endpoint(known)), nil
}

// address is that of an endpoint of the caller's.
func address(ctx context.Context, name string) webhook.Address {
	return webhook.Address{Owner: strict.Call(ctx).Tenant(), Name: name}
}

// Since reads the instant that a recovery begins at, or says what is wrong with it.
func Since(text string) (time.Time, error) {
	// The letters may be small (RFC 3339, section 5.6); a comma, which package time
	// takes for a point, may not be there.
	at, err := time.Parse(time.RFC3339, strings.ToUpper(text))
	if err != nil || strings.Contains(text, ",") {
		return time.Time{}, invalid(problem.Violation{Pointer: "#/since", Detail: "must be a time like 2026-11-20T09:00:00Z"})
	}
	return at.UTC(), nil
}
