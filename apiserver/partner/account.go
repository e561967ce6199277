// SPDX-License-Identifier: Apache-2.0

package partner

import (
	"net/http"
	"time"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/ledger"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
)

type accountView struct {
	Organization organizationView `json:"organization"`
	Entitlement  entitlementView  `json:"entitlement"`
	Key          keyView          `json:"key"`
	Capabilities []capabilityView `json:"capabilities"`
	RateLimits   []rateLimitView  `json:"rateLimits"`
}

type organizationView struct {
	ID          string `json:"id"`
	DisplayName string `json:"displayName"`
}

type entitlementView struct {
	Package  string       `json:"package"`
	State    string       `json:"state"`
	Mode     string       `json:"mode"`
	Contract contractView `json:"contract"`
}

type contractView struct {
	EffectiveFrom  *respond.Instant `json:"effectiveFrom"`
	EffectiveUntil *respond.Instant `json:"effectiveUntil"`
}

type keyView struct {
	Name      string           `json:"name"`
	ExpiresAt *respond.Instant `json:"expiresAt"`
	Scopes    []string         `json:"scopes"`
}

// capabilityView says what a request for the capability would come to.
type capabilityView struct {
	Name    string `json:"name"`
	Posture string `json:"posture"`
	Access  string `json:"access"`
	// Code and Reason are those of the refusal of what Access lacks.
	Code    problem.Code     `json:"code,omitempty"`
	Reason  string           `json:"reason,omitempty"`
	OpensAt *respond.Instant `json:"opensAt,omitempty"`
	Quota   *quotaView       `json:"quota,omitempty"`
}

// The values of capabilityView.Access.
const (
	accessFull = "full"
	accessRead = "read"
	accessNone = "none"
)

type quotaView struct {
	Limit         int64           `json:"limit"`
	Used          int64           `json:"used"`
	Remaining     int64           `json:"remaining"`
	WindowSeconds int64           `json:"windowSeconds"`
	ResetsAt      respond.Instant `json:"resetsAt"`
}

type rateLimitView struct {
	Surface       string `json:"surface"`
	Requests      int64  `json:"requests"`
	WindowSeconds int64  `json:"windowSeconds"`
}

// counts are the capabilities that create what a quota counts.
var counts = map[posture.Capability]ledger.Operation{
	posture.RFQCreate: ledger.CreateRFQ,
	posture.Preflight: ledger.SubmitPreflight,
}

// forPartners are the surfaces that an account tells of: those that have routes
// and are for partners.
var forPartners = [...]posture.Surface{posture.SurfacePartner, posture.SurfacePreflight}

func (s *surface) getAccount(c *gate.Call) error {
	capabilities, err := s.capabilities(c)
	if err != nil {
		return problemOf(err)
	}
	terms := c.Caller.Terms()
	view := accountView{
		Organization: organizationView{ID: c.Tenant().Organization, DisplayName: terms.DisplayName},
		Entitlement: entitlementView{
			Package: c.Caller.Package(), State: c.Caller.State(), Mode: string(c.Tenant().Mode),
			Contract: contractView{EffectiveFrom: respond.Since(terms.ContractFrom), EffectiveUntil: respond.Since(terms.ContractUntil)},
		},
		Key:          keyView{Name: c.Caller.KeyName(), ExpiresAt: respond.Since(terms.KeyExpires), Scopes: []string{}},
		Capabilities: capabilities,
	}
	for scope := range c.Caller.Scopes().All() {
		view.Key.Scopes = append(view.Key.Scopes, scope.String())
	}
	for _, surface := range forPartners {
		rate := c.Caller.Rate(surface)
		view.RateLimits = append(view.RateLimits, rateLimitView{surface.String(), rate.Requests, int64(rate.Window / time.Second)})
	}
	return c.JSON(http.StatusOK, view)
}

func (s *surface) capabilities(c *gate.Call) ([]capabilityView, error) {
	var all []capabilityView
	for _, surface := range forPartners {
		for capability := range posture.Capabilities() {
			if capability.Definition().Surface != surface {
				continue
			}
			view, err := s.capability(c, capability)
			if err != nil {
				return nil, err
			}
			all = append(all, view)
		}
	}
	return all, nil
}

func (s *surface) capability(c *gate.Call, capability posture.Capability) (capabilityView, error) {
	decision := c.Decide(capability, true)
	view := capabilityView{Name: capability.String(), Posture: decision.Posture.String(), Access: accessFull}
	if !decision.Allowed() {
		refusal := c.Refusal(decision)
		view.Access, view.Code, view.Reason, view.OpensAt = accessNone, refusal.Code, refusal.Detail, respond.Since(decision.Opens)
		if c.Decide(capability, false).Allowed() {
			view.Access = accessRead
		}
	}
	operation, counted := counts[capability]
	if !counted || decision.Quota.Window == 0 {
		return view, nil
	}
	quota := ledger.Quota{Limit: decision.Quota.Limit, Window: decision.Quota.Window}
	usage, err := s.quotas.QuotaUsage(c.Request.Context(), c.Tenant(), operation, quota, c.Now)
	view.Quota = &quotaView{
		Limit: quota.Limit, Used: usage.Used, Remaining: max(0, quota.Limit-usage.Used),
		WindowSeconds: int64(quota.Window / time.Second), ResetsAt: respond.Instant(usage.Ends),
	}
	return view, err
}
