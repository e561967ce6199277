// SPDX-License-Identifier: Apache-2.0

package xjdfapi_test

import (
	"slices"
	"testing"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/apiserver/xjdfapi"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/test/apitest"
)

// sent is a request that may have every fault.
type sent struct {
	token, contentType, members, after string
	bad, medium, amount                string
}

func (s *sent) body() string {
	return body(flyer(`"Amount":5000`, `"Amount":`+s.amount+s.bad, "gloss-135", s.medium), s.members) + s.after
}

// TestOrderOfRefusals begins with a request that has every fault, and removes one after the
// other. The first remaining fault in the order of checks decides.
func TestOrderOfRefusals(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	partner := func(change func(*v1alpha1.PartnerEntitlementSpec)) func(*sent) {
		return func(*sent) { server.Partner("acme", change) }
	}
	costs := apitest.Printer(acme, 1)
	session := server.Session(t, "acme-live")
	obstruct(server)
	s := &sent{
		token: server.Key("acme-live"), contentType: "text/plain", after: "x", bad: `,"@Amount":1`, medium: "silk-135", amount: "200000",
		members: `"organizationId":"org_stark1","colour":"red","executionMode":"fast",`,
	}
	calls := server.Store.Calls()
	for _, step := range []struct {
		name   string
		remove func(*sent)
		status int
		code   problem.Code
	}{
		{"everything", func(*sent) {}, 401, problem.CodeAuthenticationRequired},
		{"no key in place of a session", func(s *sent) { s.token = session }, 403, problem.CodePartnerSuspended},
		{"no suspension", partner(func(s *v1alpha1.PartnerEntitlementSpec) { s.State = v1alpha1.StateActive }), 403, problem.CodeInsufficientScope},
		{"the scope", partner(func(s *v1alpha1.PartnerEntitlementSpec) { s.Scopes = append(s.Scopes, "costing:calculate") }), 503, problem.CodeXJDFCostingUnavailable},
		{"an open capability", func(*sent) {
			server.Rollout(posture.XJDFCosting, func(r *v1alpha1.CapabilityRolloutSpec) { r.Stage = v1alpha1.StagePrivateBeta })
		}, 403, problem.CodeCapabilityNotEntitled},
		{"a grant", partner(func(s *v1alpha1.PartnerEntitlementSpec) {
			s.Capabilities = append(s.Capabilities, v1alpha1.CapabilityGrant{Name: "xjdf-costing"})
		}), 503, problem.CodeXJDFCostingUnavailable},
		{"a place in the audience", func(*sent) {
			server.Rollout(posture.XJDFCosting, func(r *v1alpha1.CapabilityRolloutSpec) { r.Audience.Partners = []string{"acme"} })
		}, 429, problem.CodeRateLimitExceeded},
		{"room below the rate limit", partner(func(s *v1alpha1.PartnerEntitlementSpec) { s.RateLimits = nil }), 415, problem.CodeUnsupportedMediaType},
		{"the media type", func(s *sent) { s.contentType = "application/json" }, 400, problem.CodeInvalidRequest},
		{"one value of JSON", func(s *sent) { s.after = "" }, 403, problem.CodeOrganizationScopeMismatch},
		{"the session's organization", func(s *sent) { s.members = `"organizationId":"org_acme01","colour":"red","executionMode":"fast",` }, 400, problem.CodeValidationError},
		{"no unknown member", func(s *sent) { s.members = `"executionMode":"fast",` }, 400, problem.CodeValidationError},
		{"a known mode", func(s *sent) { s.members = `"executionMode":"authoritative",` }, 400, problem.CodeValidationError},
		{"a valid document", func(s *sent) { s.bad = "" }, 409, problem.CodeCostingAuthorityRequired},
		{"cost data in force", func(*sent) { server.Costs(t, costs) }, 422, problem.CodeCostingMediaRequired},
		{"a known medium", func(s *sent) { s.medium = "gloss-135" }, 409, problem.CodeCostingManualReviewRequired},
		{"a quantity that needs no review", func(s *sent) { s.amount = "5000" }, 200, ""},
	} {
		step.remove(s)
		a := server.Do(t, apitest.Request{
			Method: "POST", Path: xjdfapi.CostingPath, Body: s.body(), Header: map[string]string{"Authorization": "Bearer " + s.token, "Content-Type": s.contentType},
		})
		if a.Status != step.status || a.Code() != step.code {
			t.Errorf("with %s: returned %d %s, want %d %s:\n%s", step.name, a.Status, a.Code(), step.status, step.code, a.Body)
		}
		wantPrivate(t, a)
		wantDetail(t, a)
		if a.Status == 429 {
			a.WantRetry(t)
		}
		if a.Status == 503 && a.Header.Get("Retry-After") != "" {
			t.Errorf("with %s: Retry-After is %q, but no schedule opens the capability", step.name, a.Header.Get("Retry-After"))
		}
	}
	if n := server.Store.Calls(); n != calls {
		t.Errorf("the store was called %d times, want none", n-calls)
	}
}

// obstruct removes everything that costing needs from acme.
func obstruct(server *apitest.Server) {
	server.Partner("acme", func(s *v1alpha1.PartnerEntitlementSpec) {
		s.State = v1alpha1.StateSuspended
		s.Scopes = slices.DeleteFunc(s.Scopes, func(one v1alpha1.Scope) bool { return one == "costing:calculate" })
		s.Capabilities = slices.DeleteFunc(s.Capabilities, func(g v1alpha1.CapabilityGrant) bool { return g.Name == "xjdf-costing" })
	})
	server.Limit("acme", v1alpha1.SurfaceXJDF, 0)
	server.Rollout(posture.XJDFCosting, func(r *v1alpha1.CapabilityRolloutSpec) {
		r.Stage, r.Audience.Partners = v1alpha1.StageDisabled, []string{"stark"}
	})
}

// wantDetail checks the details that the contract fixes word for word.
func wantDetail(t *testing.T, a apitest.Answer) {
	t.Helper()
	want := map[problem.Code]string{
		problem.CodeAuthenticationRequired: "Authentication required", problem.CodeOrganizationScopeMismatch: "Organization scope mismatch",
	}[a.Code()]
	if want != "" && a.Text(t, "detail") != want {
		t.Errorf("detail is %q, want %q", a.Text(t, "detail"), want)
	}
}
