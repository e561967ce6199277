// SPDX-License-Identifier: Apache-2.0

package xjdfapi_test

import (
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/test/apitest"
)

func TestSessionEndsWithItsKey(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	end := metav1.NewTime(server.Clock.Now().Add(10 * time.Minute))
	server.Partner("acme", func(s *v1alpha1.PartnerEntitlementSpec) { keyOf(s, "live").ExpiresAt = &end })
	a := open(t, server, "acme-live", nil).Want(t, 201, "")
	var opened struct {
		Token, ExpiresAt string
		ExpiresIn        int
	}
	if a.Into(t, &opened); opened.ExpiresAt != "2026-11-20T12:10:00.000Z" || opened.ExpiresIn != 600 {
		t.Errorf("opened %+v", opened)
	}
	server.Advance(10*time.Minute - time.Millisecond)
	wantAccepted(t, use(t, server, opened.Token))
	server.Advance(time.Millisecond)
	wantRequired(t, use(t, server, opened.Token))
}

// keyOf finds a key of a partner.
func keyOf(s *v1alpha1.PartnerEntitlementSpec, name string) *v1alpha1.APIKey {
	i := slices.IndexFunc(s.Keys, func(k v1alpha1.APIKey) bool { return k.Name == name })
	return &s.Keys[i]
}

// TestSessionHasTheCurrentRightsOfItsKey changes the key and the partner of an open session.
func TestSessionHasTheCurrentRightsOfItsKey(t *testing.T) {
	t.Parallel()
	type change = func(t *testing.T, server *apitest.Server)
	acme := func(change func(*v1alpha1.PartnerEntitlementSpec)) func(*testing.T, *apitest.Server) {
		return func(_ *testing.T, server *apitest.Server) { server.Partner("acme", change) }
	}
	for name, tc := range map[string]struct {
		change change
		status int
		code   problem.Code
	}{
		"nothing":         {acme(func(*v1alpha1.PartnerEntitlementSpec) {}), 409, problem.CodeCostingAuthorityRequired},
		"another key too": {func(_ *testing.T, server *apitest.Server) { server.Revoke("acme", "test") }, 409, problem.CodeCostingAuthorityRequired},
		"a revoked key":   {func(_ *testing.T, server *apitest.Server) { server.Revoke("acme", "live") }, 401, problem.CodeAuthenticationRequired},
		"an expired key": {func(_ *testing.T, server *apitest.Server) {
			now := metav1.NewTime(server.Clock.Now())
			acme(func(s *v1alpha1.PartnerEntitlementSpec) { keyOf(s, "live").ExpiresAt = &now })(nil, server)
		}, 401, problem.CodeAuthenticationRequired},
		"a removed key": {acme(func(s *v1alpha1.PartnerEntitlementSpec) {
			s.Keys = slices.DeleteFunc(s.Keys, func(k v1alpha1.APIKey) bool { return k.Name == "live" })
		}), 401, problem.CodeAuthenticationRequired},
		"a key of another organization": {func(_ *testing.T, server *apitest.Server) {
			var moved v1alpha1.APIKey
			server.Partner("acme", func(s *v1alpha1.PartnerEntitlementSpec) {
				moved = *keyOf(s, "live")
				s.Keys = slices.DeleteFunc(s.Keys, func(k v1alpha1.APIKey) bool { return k.Name == "live" })
			})
			moved.Name = "moved"
			server.Partner("stark", func(s *v1alpha1.PartnerEntitlementSpec) { s.Keys = append(s.Keys, moved) })
		}, 401, problem.CodeAuthenticationRequired},
		"a partner of another organization": {acme(func(s *v1alpha1.PartnerEntitlementSpec) { s.OrganizationID = "org_acme02" }), 401, problem.CodeAuthenticationRequired},
		"a key of the sandbox":              {acme(func(s *v1alpha1.PartnerEntitlementSpec) { keyOf(s, "live").Kind = v1alpha1.KeyKindTest }), 401, problem.CodeAuthenticationRequired},
		"a suspended partner":               {acme(func(s *v1alpha1.PartnerEntitlementSpec) { s.State = v1alpha1.StateSuspended }), 403, problem.CodePartnerSuspended},
		"a contract that has ended": {func(_ *testing.T, server *apitest.Server) {
			over := metav1.NewTime(server.Clock.Now())
			server.Partner("acme", func(s *v1alpha1.PartnerEntitlementSpec) { s.Contract.EffectiveUntil = &over })
		}, 403, problem.CodeContractNotEffective},
		"a key without the scope of costing": {acme(func(s *v1alpha1.PartnerEntitlementSpec) {
			keyOf(s, "live").Scopes = []v1alpha1.Scope{"session:create", "xjdf:read"}
		}), 403, problem.CodeInsufficientScope},
		// The scope is for opening sessions; an open session lasts until the key ends.
		"a key that opens no more sessions": {acme(func(s *v1alpha1.PartnerEntitlementSpec) {
			keyOf(s, "live").Scopes = []v1alpha1.Scope{"costing:calculate"}
		}), 409, problem.CodeCostingAuthorityRequired},
		"a stale posture": {func(_ *testing.T, server *apitest.Server) { server.Stale() }, 503, problem.CodePostureUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := apitest.New(t, apitest.Options{})
			token := server.Session(t, "acme-live")
			wantAccepted(t, use(t, server, token))
			tc.change(t, server)
			a := use(t, server, token).Want(t, tc.status, tc.code)
			if tc.status == 401 {
				wantRequired(t, a)
			}
		})
	}
}
