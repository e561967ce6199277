// SPDX-License-Identifier: Apache-2.0

package webhooksapi

import (
	"strings"
	"time"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/webhook"
)

// ListWebhookEndpoints serves GET /api/v1/webhooks/endpoints.
func (s *surface) ListWebhookEndpoints(c *gate.Call) (ListWebhookEndpointsResponseObject, error) {
	known, err := s.webhooks.Endpoints(c.Context(), c.Tenant())
	if err != nil {
		return nil, ProblemOf(err)
	}
	return ListWebhookEndpoints200JSONResponse{Items: EndpointModels(known)}, nil
}

// TestWebhookEndpoint serves POST /api/v1/webhooks/endpoints/{name}/test.
func (s *surface) TestWebhookEndpoint(c *gate.Call, name Name) (TestWebhookEndpointResponseObject, error) {
	delivery, err := s.webhooks.Test(c.Context(), address(c, name))
	if err != nil {
		return nil, ProblemOf(err)
	}
	return TestWebhookEndpoint202JSONResponse{
		Body: DeliveryModel(delivery), Headers: TestWebhookEndpoint202ResponseHeaders{Location: pathOf(delivery)},
	}, nil
}

// RecoverWebhookEndpoint serves POST /api/v1/webhooks/endpoints/{name}/recover.
func (s *surface) RecoverWebhookEndpoint(c *gate.Call, name Name, body Recovery) (RecoverWebhookEndpointResponseObject, error) {
	since, err := Since(body.Since)
	if err != nil {
		return nil, err
	}
	recovered, err := s.webhooks.Recover(c.Context(), address(c, name), since)
	if err != nil {
		return nil, ProblemOf(err)
	}
	return RecoverWebhookEndpoint202JSONResponse{Recovered: recovered}, nil
}

// EnableWebhookEndpoint serves POST /api/v1/webhooks/endpoints/{name}/enable.
func (s *surface) EnableWebhookEndpoint(c *gate.Call, name Name) (EnableWebhookEndpointResponseObject, error) {
	at := address(c, name)
	if err := s.webhooks.Enable(c.Context(), at); err != nil {
		return nil, ProblemOf(err)
	}
	known, err := s.webhooks.Find(c.Context(), at)
	if err != nil {
		return nil, ProblemOf(err)
	}
	return EnableWebhookEndpoint200JSONResponse(EndpointModel(known)), nil
}

// address returns the address of an endpoint of the caller.
func address(c *gate.Call, name string) webhook.Address {
	return webhook.Address{Owner: c.Tenant(), Name: name}
}

// Since parses the start of a recovery, or returns a problem.
func Since(text string) (time.Time, error) {
	// The letters may be lower case (RFC 3339, section 5.6). A comma, which package
	// time accepts as a decimal point, is invalid.
	at, err := time.Parse(time.RFC3339, strings.ToUpper(text))
	if err != nil || strings.Contains(text, ",") {
		return time.Time{}, invalid(problem.Violation{Pointer: "#/since", Detail: "must be an RFC 3339 time, for example 2026-11-20T09:00:00Z"})
	}
	return at.UTC(), nil
}
