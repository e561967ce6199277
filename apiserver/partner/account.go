// SPDX-License-Identifier: Apache-2.0

package partner

import (
	"context"
	"time"

	"github.com/printmarket/printmarket/apiserver/account"
	"github.com/printmarket/printmarket/apiserver/partner/partnerapi"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/apiserver/strict"
)

// GetAccount serves GET /api/v1/account.
func (s *surface) GetAccount(ctx context.Context, _ partnerapi.GetAccountRequestObject) (partnerapi.GetAccountResponseObject, error) {
	c := strict.Call(ctx)
	capabilities, err := account.Capabilities(ctx, c, s.quotas, c.Tenant(), c.Now)
	if err != nil {
		return nil, problemOf(err)
	}
	terms := c.Caller.Terms()
	answer := partnerapi.GetAccount200JSONResponse{
		Organization: partnerapi.Organization{ID: c.Tenant().Organization, DisplayName: terms.DisplayName},
		Entitlement: partnerapi.Entitlement{
			Package: c.Caller.Package(), State: c.Caller.State(), Mode: partnerapi.EntitlementMode(c.Tenant().Mode),
			Contract: partnerapi.ContractPeriod{EffectiveFrom: respond.Since(terms.ContractFrom), EffectiveUntil: respond.Since(terms.ContractUntil)},
		},
		Key:          partnerapi.Key{Name: c.Caller.KeyName(), ExpiresAt: respond.Since(terms.KeyExpires), Scopes: []string{}},
		Capabilities: make([]partnerapi.AccountCapability, len(capabilities)),
	}
	for i, capability := range capabilities {
		answer.Capabilities[i] = capabilityModel(capability)
	}
	for scope := range c.Caller.Scopes().All() {
		answer.Key.Scopes = append(answer.Key.Scopes, scope.String())
	}
	for _, surface := range account.Surfaces() {
		rate := c.Caller.Rate(surface)
		answer.RateLimits = append(answer.RateLimits, partnerapi.SurfaceRate{
			Surface: surface.String(), Requests: rate.Requests, WindowSeconds: int64(rate.Window / time.Second),
		})
	}
	return answer, nil
}

func capabilityModel(c account.Capability) partnerapi.AccountCapability {
	model := partnerapi.AccountCapability{
		Name: c.Capability.String(), Posture: partnerapi.AccountCapabilityPosture(c.Posture.String()),
		Access: partnerapi.AccountCapabilityAccess(c.Access), OpensAt: respond.Since(c.Opens),
	}
	if c.Refusal != nil {
		model.Code, model.Reason = string(c.Refusal.Code), c.Refusal.Detail
	}
	if q := c.Quota; q != nil {
		model.Quota = &partnerapi.Quota{
			Limit: q.Limit, Used: q.Used, Remaining: q.Remaining,
			WindowSeconds: int64(q.Window / time.Second), ResetsAt: respond.Instant(q.Resets),
		}
	}
	return model
}
