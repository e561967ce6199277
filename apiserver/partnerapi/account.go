// SPDX-License-Identifier: Apache-2.0

package partnerapi

import (
	"time"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/respond"
)

// GetAccount serves GET /api/v1/account.
func (s *surface) GetAccount(c *gate.Call) (GetAccountResponseObject, error) {
	capabilities, err := gate.AccessOf(c.Context(), c, s.quotas, c.Caller, c.Now)
	if err != nil {
		return nil, problemOf(err)
	}
	terms := c.Caller.Terms()
	answer := GetAccount200JSONResponse{
		Organization: Organization{ID: c.Tenant().Organization, DisplayName: terms.DisplayName},
		Entitlement: Entitlement{
			Package: c.Caller.Package(), State: c.Caller.State(), Mode: EntitlementMode(c.Tenant().Mode),
			Contract: ContractPeriod{EffectiveFrom: respond.Since(terms.ContractFrom), EffectiveUntil: respond.Since(terms.ContractUntil)},
		},
		Key:          Key{Name: c.Caller.KeyName(), ExpiresAt: respond.Since(terms.KeyExpires), Scopes: []string{}},
		Capabilities: make([]AccountCapability, len(capabilities)),
	}
	for i, capability := range capabilities {
		answer.Capabilities[i] = capabilityModel(capability)
	}
	for scope := range c.Caller.Scopes().All() {
		answer.Key.Scopes = append(answer.Key.Scopes, scope.String())
	}
	for _, surface := range gate.AccountSurfaces() {
		rate := c.Caller.Rate(surface)
		answer.RateLimits = append(answer.RateLimits, SurfaceRate{
			Surface: surface.String(), Requests: rate.Requests, WindowSeconds: int64(rate.Window / time.Second),
		})
	}
	return answer, nil
}

func capabilityModel(c gate.CapabilityAccess) AccountCapability {
	model := AccountCapability{
		Name: c.Capability.String(), Posture: AccountCapabilityPosture(c.Posture.String()),
		Access: AccountCapabilityAccess(c.Access), OpensAt: respond.Since(c.Opens),
	}
	if c.Refusal != nil {
		model.Code, model.Reason = string(c.Refusal.Code), c.Refusal.Detail
	}
	if !c.GrantedFrom.IsZero() || !c.GrantedUntil.IsZero() {
		model.Grant = &GrantPeriod{EffectiveFrom: respond.Since(c.GrantedFrom), EffectiveUntil: respond.Since(c.GrantedUntil)}
	}
	if q := c.Quota; q != nil {
		model.Quota = &Quota{
			Limit: q.Limit, Used: q.Used, Remaining: q.Remaining,
			WindowSeconds: int64(q.Window / time.Second), ResetsAt: respond.Instant(q.Resets),
		}
	}
	return model
}
