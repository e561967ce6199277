// SPDX-License-Identifier: Apache-2.0

package posture_test

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/tenant"
)

func Example() {
	now := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	key, err := credential.Mint(tenant.Live, rand.NewChaCha8(sha256.Sum256([]byte("an example only"))))
	if err != nil {
		fmt.Println(err)
		return
	}
	partner := v1alpha1.PartnerEntitlement{ObjectMeta: metav1.ObjectMeta{Name: "acme"}}
	partner.Spec = v1alpha1.PartnerEntitlementSpec{
		OrganizationID: "org_acme01",
		Package:        v1alpha1.PackageStandard,
		State:          v1alpha1.StateActive,
		Contract:       &v1alpha1.Contract{Reference: "C-1", EffectiveFrom: metav1.NewTime(now)},
		Capabilities:   []v1alpha1.CapabilityGrant{{Name: "rfq-create"}},
		Scopes:         []v1alpha1.Scope{"rfq:write"},
		Keys:           []v1alpha1.APIKey{{Name: "live", Kind: v1alpha1.KeyKindLive, State: v1alpha1.KeyStateActive, SHA256: key.Digest().String(), Scopes: []v1alpha1.Scope{"rfq:write"}}},
	}
	rollout := v1alpha1.CapabilityRollout{ObjectMeta: metav1.ObjectMeta{Name: "rfq-create"}}
	rollout.Spec = v1alpha1.CapabilityRolloutSpec{
		Capability: "rfq-create",
		Stage:      v1alpha1.StageLive,
		Change:     v1alpha1.Change{Ticket: "REL-1"},
	}

	snapshot := posture.Compile(posture.Inputs{
		Partners: []v1alpha1.PartnerEntitlement{partner},
		Rollouts: []v1alpha1.CapabilityRollout{rollout},
	})
	caller, reason := snapshot.Authenticate(key, posture.Connection{}, now)
	fmt.Println(caller.Tenant(), caller.Package(), caller.State(), reason)

	decision := snapshot.Decide(caller, posture.RFQCreate, true, now)
	fmt.Println(decision.Allowed(), decision.Posture, decision.Quota.Limit)

	decision = snapshot.Decide(caller, posture.RFQRead, false, now)
	fmt.Println(decision.Allowed(), decision.Reason, decision.Code())
	// Output:
	// org_acme01/live standard active Open
	// true live 1000
	// false ScopeMissing INSUFFICIENT_SCOPE
}
