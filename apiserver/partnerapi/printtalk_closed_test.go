// SPDX-License-Identifier: Apache-2.0

package partnerapi_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/test/apitest"
)

// terms holds the access of a partner to the layer, in addition to RFQs and quotes.
type terms struct {
	scopes                      []v1alpha1.Scope
	granted, rolledOut, invited bool
}

// enforce makes one partner with one key the only one in force. It returns the header fields
// of requests for PrintTalk.
func (by terms) enforce(t *testing.T, server *apitest.Server) map[string]string {
	t.Helper()
	key, err := credential.Mint(tenant.Live, strings.NewReader(strings.Repeat("apprentice-0123456789abcdef", 64)))
	if err != nil {
		t.Fatalf("credential.Mint: %v", err)
	}
	p := v1alpha1.PartnerEntitlement{
		ObjectMeta: metav1.ObjectMeta{Name: "apprentice", Namespace: "default"},
		Spec: v1alpha1.PartnerEntitlementSpec{
			OrganizationID: acme.Organization, Package: v1alpha1.PackageStandard, State: v1alpha1.StateActive, Scopes: by.scopes,
			Contract: &v1alpha1.Contract{Reference: "C-2", EffectiveFrom: metav1.NewTime(server.Clock.Now().Add(-time.Hour))},
			Keys: []v1alpha1.APIKey{{
				Name: "live", Kind: v1alpha1.KeyKindLive, SHA256: key.Digest().String(), State: v1alpha1.KeyStateActive, Scopes: by.scopes,
			}},
		},
	}
	var in posture.Inputs
	for _, capability := range []posture.Capability{posture.RFQRead, posture.QuoteRead, posture.XJDF} {
		name, own := v1alpha1.CapabilityName(capability.String()), capability != posture.XJDF
		if own || by.granted {
			p.Spec.Capabilities = append(p.Spec.Capabilities, v1alpha1.CapabilityGrant{Name: name})
		}
		rollout := v1alpha1.CapabilityRollout{ObjectMeta: metav1.ObjectMeta{Name: string(name), Namespace: "default"}, Spec: v1alpha1.CapabilityRolloutSpec{
			Capability: name, Stage: v1alpha1.Stage(capability.Definition().Shipped.Stage()), Change: v1alpha1.Change{Ticket: "T-2"},
		}}
		if by.invited && !own {
			rollout.Spec.Audience = &v1alpha1.Audience{Partners: []string{p.Name}}
		}
		if own || by.rolledOut {
			in.Rollouts = append(in.Rollouts, rollout)
		}
	}
	in.Partners = []v1alpha1.PartnerEntitlement{p}
	server.Gates.Publish(posture.Compile(in), server.Clock.Now())
	return map[string]string{"Authorization": "Bearer " + key.Secret().Reveal(), "Accept": printTalk}
}

func TestPrintTalkIsRefusedWhereTheLayerIsClosed(t *testing.T) {
	t.Parallel()
	reads, all := []v1alpha1.Scope{"rfq:read", "quote:read"}, []v1alpha1.Scope{"rfq:read", "quote:read", "xjdf:read"}
	closed := problem.Code(posture.XJDF.Definition().Code)
	for name, tc := range map[string]struct {
		terms  terms
		status int
		code   problem.Code
	}{
		"a partner without the capability":                  {terms{all, false, true, true}, 403, problem.CodeCapabilityNotEntitled},
		"a key without the scope":                           {terms{reads, true, true, true}, 403, problem.CodeInsufficientScope},
		"a missing scope is reported before a closed layer": {terms{reads, true, false, true}, 403, problem.CodeInsufficientScope},
		"a layer without an audience":                       {terms{all, true, false, true}, 503, closed},
		"a partner outside the audience":                    {terms{all, true, true, false}, 503, closed},
		"a closed layer is reported before a missing grant": {terms{all, false, false, true}, 503, closed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := apitest.New(t, apitest.Options{})
			path, _ := quoted(t, server, offer(t, server))
			header := terms{all, true, true, true}.enforce(t, server)
			server.Do(t, apitest.Request{Method: "GET", Path: path, Header: header}).Want(t, 200, "")
			tc.terms.enforce(t, server)
			for _, at := range []string{path, path + "/quotes"} {
				server.Do(t, apitest.Request{Method: "GET", Path: at, Header: header}).Want(t, tc.status, tc.code)
				plain := map[string]string{"Authorization": header["Authorization"]}
				if got := server.Do(t, apitest.Request{Method: "GET", Path: at, Header: plain}).Want(t, 200, "").Header.Get("Content-Type"); got != "application/json" {
					t.Errorf("%s without Accept: Content-Type %s, want JSON", at, got)
				}
			}
		})
	}
}

// A browser prefers XML, but gets JSON instead of a refusal.
func TestJSONIsSentWhereTheLayerIsClosedAndJSONIsAccepted(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	path, _ := quoted(t, server, offer(t, server))
	const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
	ask := func(at, accept string) apitest.Request {
		return apitest.Request{Method: "GET", Path: at, Key: "acme-live", Header: map[string]string{"Accept": accept}}
	}
	if got := server.Do(t, ask(path, browser)).Want(t, 200, "").Header.Get("Content-Type"); got != "application/xml" {
		t.Errorf("open layer, Accept of a browser: Content-Type %s", got)
	}
	server.Kill(posture.XJDF)
	for _, at := range []string{path, path + "/quotes"} {
		for _, accept := range []string{browser, printTalk + ", application/json;q=0.1"} {
			if got := server.Do(t, ask(at, accept)).Want(t, 200, "").Header.Get("Content-Type"); got != "application/json" {
				t.Errorf("closed layer, Accept %q: Content-Type %s", accept, got)
			}
		}
		server.Do(t, ask(at, printTalk+", application/json;q=0")).Want(t, 503, problem.CodeXJDFUnavailable)
	}
}
