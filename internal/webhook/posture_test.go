// SPDX-License-Identifier: Apache-2.0

package webhook_test

import (
	"context"
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/internal/webhook"
	"github.com/printmarket/printmarket/test/posturetest"
)

var evaluated = posturetest.Judged()

// signingSecret signs webhooks.
var signingSecret = credential.Secret("whsec_" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("s", 32))))

// postureWith returns a posture in which acme has two webhooks and the given grants.
func postureWith(grants ...v1alpha1.CapabilityGrant) *posture.Snapshot {
	return postureOf(v1alpha1.PackageStandard, grants...)
}

// postureOf returns such a posture with another package of acme.
func postureOf(name v1alpha1.Package, grants ...v1alpha1.CapabilityGrant) *posture.Snapshot {
	partner := v1alpha1.PartnerEntitlement{ObjectMeta: metav1.ObjectMeta{Namespace: "prints", Name: "acme"}}
	secrets := []v1alpha1.SharedSecret{{Name: "a", SecretRef: v1alpha1.SecretKeyReference{Name: "events", Key: "a"}}}
	partner.Spec = v1alpha1.PartnerEntitlementSpec{
		OrganizationID: "org_acme01", Package: name, State: v1alpha1.StateActive,
		Contract:     &v1alpha1.Contract{EffectiveFrom: metav1.NewTime(evaluated.Add(-time.Hour))},
		Capabilities: grants,
		Webhooks: []v1alpha1.Webhook{
			{Name: "mis", Kind: v1alpha1.KeyKindTest, URL: "https://mis.acme.example/events", Secrets: secrets},
			{Name: "erp", Kind: v1alpha1.KeyKindLive, URL: "https://erp.acme.example/", Events: []v1alpha1.WebhookEvent{"rfq.quoted"}, Secrets: secrets},
		},
	}
	rollout := v1alpha1.CapabilityRollout{ObjectMeta: metav1.ObjectMeta{Namespace: "prints", Name: "webhook-delivery"}}
	rollout.Spec = v1alpha1.CapabilityRolloutSpec{
		Capability: "webhook-delivery", Stage: v1alpha1.StagePrivateBeta, Audience: &v1alpha1.Audience{Partners: []string{"acme"}},
	}
	in := posture.Inputs{Partners: []v1alpha1.PartnerEntitlement{partner}, Rollouts: []v1alpha1.CapabilityRollout{rollout}}
	in.ResolveSecrets([]posture.SecretData{{Namespace: "prints", Name: "events", Data: map[string]credential.Secret{"a": signingSecret}}}, evaluated)
	return posture.Compile(in)
}

// endpoints returns those of acme, closed for a reason.
func endpoints(closed string) []webhook.Endpoint {
	return []webhook.Endpoint{
		{
			Address: webhook.Address{Owner: tenant.ID{Organization: "org_acme01", Mode: tenant.Live}, Name: "erp"},
			URL:     "https://erp.acme.example/", Events: []transaction.EventType{"rfq.quoted"}, Secrets: []credential.Secret{signingSecret}, Closed: closed,
		},
		{
			Address: webhook.Address{Owner: tenant.ID{Organization: "org_acme01", Mode: tenant.Test}, Name: "mis"},
			URL:     "https://mis.acme.example/events", Secrets: []credential.Secret{signingSecret}, Closed: closed,
		},
	}
}

func TestPostureDirectoryReturnsTheEndpointsOfThePosture(t *testing.T) {
	t.Parallel()
	granted := v1alpha1.CapabilityGrant{Name: "webhook-delivery"}
	tests := map[string]struct {
		seen []*posture.Snapshot
		want []webhook.Endpoint
	}{
		"nothing before the first posture":                             {[]*posture.Snapshot{nil}, nil},
		"open endpoints where the capability is":                       {[]*posture.Snapshot{postureWith(granted)}, endpoints("")},
		"closed ones, and why, where it is not":                        {[]*posture.Snapshot{postureWith()}, endpoints(posture.ReasonNotEntitled.String())},
		"the endpoints of the last posture, closed, without a posture": {[]*posture.Snapshot{postureWith(granted), nil}, endpoints(posture.ReasonSnapshotAbsent.String())},
		"open again, once one is":                                      {[]*posture.Snapshot{postureWith(granted), nil, postureWith(granted)}, endpoints("")},
	}
	for sentence, test := range tests {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			var current *posture.Snapshot
			directory := webhook.NewPostureDirectory(func() *posture.Snapshot { return current })
			var got []webhook.Endpoint
			for _, current = range test.seen {
				got = directory.Endpoints(evaluated)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("endpoints (-want +got):\n%s", diff)
			}
			for _, want := range test.want {
				if got, found := directory.Endpoint(want.Address, evaluated); !found || !cmp.Equal(want, got) {
					t.Errorf("by its address: %t\n%s", found, cmp.Diff(want, got))
				}
			}
			stranger := webhook.Address{Owner: tenant.ID{Organization: "org_acme01", Mode: tenant.Live}, Name: "mis"}
			if _, found := directory.Endpoint(stranger, evaluated); found {
				t.Errorf("%v is found: it is of the other mode", stranger)
			}
		})
	}
}

func TestPostureDirectoryWaitsForTheFirstPosture(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	asked := 0
	directory := webhook.NewPostureDirectory(func() *posture.Snapshot {
		if asked++; asked < 3 {
			return nil
		}
		return postureWith()
	})
	if err := directory.Await(ctx); err != nil || asked != 3 {
		t.Errorf("after %d reads: %v", asked, err)
	}
	cancel()
	if err := webhook.NewPostureDirectory(func() *posture.Snapshot { return nil }).Await(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before the first posture: %v", err)
	}
}
