// SPDX-License-Identifier: Apache-2.0

package partner

import (
	"context"
	"slices"
	"time"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/partner/partnerapi"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/apiserver/strict"
	"github.com/printmarket/printmarket/internal/ledger"
	"github.com/printmarket/printmarket/internal/posture"
)

// counts are the capabilities that create what a quota counts.
var counts = map[posture.Capability]ledger.Operation{
	posture.RFQCreate: ledger.CreateRFQ,
	posture.Preflight: ledger.SubmitPreflight,
}

// told are the capabilities that an account tells of: those that partners have
// routes for.
var told = [...]posture.Capability{
	posture.RFQCreate, posture.RFQRead, posture.RFQList, posture.QuoteRead, posture.Preflight, posture.XJDF,
}

// GetAccount serves GET /api/v1/account.
func (s *surface) GetAccount(ctx context.Context, _ partnerapi.GetAccountRequestObject) (partnerapi.GetAccountResponseObject, error) {
	c := strict.Call(ctx)
	capabilities, err := s.capabilities(c)
	if err != nil {
		return nil, problemOf(err)
	}
	terms := c.Caller.Terms()
	account := partnerapi.GetAccount200JSONResponse{
		Organization: partnerapi.Organization{ID: c.Tenant().Organization, DisplayName: terms.DisplayName},
		Entitlement: partnerapi.Entitlement{
			Package: c.Caller.Package(), State: c.Caller.State(), Mode: partnerapi.EntitlementMode(c.Tenant().Mode),
			Contract: partnerapi.ContractPeriod{EffectiveFrom: respond.Since(terms.ContractFrom), EffectiveUntil: respond.Since(terms.ContractUntil)},
		},
		Key:          partnerapi.Key{Name: c.Caller.KeyName(), ExpiresAt: respond.Since(terms.KeyExpires), Scopes: []string{}},
		Capabilities: capabilities,
	}
	for scope := range c.Caller.Scopes().All() {
		account.Key.Scopes = append(account.Key.Scopes, scope.String())
	}
	for _, surface := range surfaces() {
		rate := c.Caller.Rate(surface)
		account.RateLimits = append(account.RateLimits, partnerapi.SurfaceRate{
			Surface: surface.String(), Requests: rate.Requests, WindowSeconds: int64(rate.Window / time.Second),
		})
	}
	return account, nil
}

// surfaces are where requests for the capabilities are counted.
func surfaces() []posture.Surface {
	var all []posture.Surface
	for _, capability := range told {
		if on := capability.Definition().Surface; !slices.Contains(all, on) {
			all = append(all, on)
		}
	}
	return all
}

func (s *surface) capabilities(c *gate.Call) ([]partnerapi.AccountCapability, error) {
	all := make([]partnerapi.AccountCapability, len(told))
	for i, capability := range told {
		model, err := s.capability(c, capability)
		if err != nil {
			return nil, err
		}
		all[i] = model
	}
	return all, nil
}

// capability says what a request for the capability would come to.
func (s *surface) capability(c *gate.Call, capability posture.Capability) (partnerapi.AccountCapability, error) {
	decision := c.Decide(capability, true)
	model := partnerapi.AccountCapability{
		Name: capability.String(), Posture: partnerapi.AccountCapabilityPosture(decision.Posture.String()), Access: partnerapi.Full,
	}
	if !decision.Allowed() {
		refusal := c.Refusal(decision)
		model.Access, model.Code, model.Reason = partnerapi.None, string(refusal.Code), refusal.Detail
		model.OpensAt = respond.Since(decision.Opens)
		if c.Decide(capability, false).Allowed() {
			model.Access = partnerapi.Read
		}
	}
	operation, counted := counts[capability]
	if !counted || decision.Quota.Window == 0 {
		return model, nil
	}
	quota := ledger.Quota{Limit: decision.Quota.Limit, Window: decision.Quota.Window}
	usage, err := s.quotas.QuotaUsage(c.Request.Context(), c.Tenant(), operation, quota, c.Now)
	model.Quota = &partnerapi.Quota{
		Limit: quota.Limit, Used: usage.Used, Remaining: max(0, quota.Limit-usage.Used),
		WindowSeconds: int64(quota.Window / time.Second), ResetsAt: respond.Instant(usage.Ends),
	}
	return model, err
}
