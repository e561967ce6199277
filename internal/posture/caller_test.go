// SPDX-License-Identifier: Apache-2.0

package posture_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/tenant"
)

// keyed is a partner with a key of each kind, of which the second is revoked.
func keyed(end time.Time) v1alpha1.PartnerEntitlement {
	expires := metav1.NewTime(end)
	return v1alpha1.PartnerEntitlement{
		ObjectMeta: metav1.ObjectMeta{Name: "keyed", Namespace: "default"},
		Spec: v1alpha1.PartnerEntitlementSpec{
			OrganizationID: "org_keyed1", Package: v1alpha1.PackageStandard, State: v1alpha1.StateActive,
			Scopes: []v1alpha1.Scope{"account:read", "rfq:read"},
			Keys: []v1alpha1.APIKey{
				{Name: "live", Kind: v1alpha1.KeyKindLive, SHA256: strings.Repeat("a1", 32), State: v1alpha1.KeyStateActive, ExpiresAt: &expires},
				{Name: "test", Kind: v1alpha1.KeyKindTest, SHA256: strings.Repeat("b2", 32), State: v1alpha1.KeyStateRevoked, Scopes: []v1alpha1.Scope{"rfq:read", "ops:read"}},
			},
		},
	}
}

func digestOf(t *testing.T, pair string) credential.Digest {
	t.Helper()
	digest, err := credential.ParseDigest(strings.Repeat(pair, 32))
	if err != nil {
		t.Fatal(err)
	}
	return digest
}

func TestTheKeysOfACallersPartnerAreToldWithWhatTheyAreWorth(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	end := now.Add(time.Hour)
	snapshot := posture.Compile(posture.Inputs{Partners: []v1alpha1.PartnerEntitlement{keyed(end)}})
	caller, reason := snapshot.AuthenticateDigest(digestOf(t, "a1"), tenant.Live, posture.Connection{}, now)
	if !caller.Valid() {
		t.Fatal(reason)
	}
	want := []posture.KeyTerms{
		{Name: "live", Mode: tenant.Live, Digest: digestOf(t, "a1"), Scopes: posture.Scopes(0).With(posture.ScopeAccountRead).With(posture.ScopeRFQRead), Expires: end},
		// A scope that the partner does not have is not worth anything to its key.
		{Name: "test", Mode: tenant.Test, Digest: digestOf(t, "b2"), Scopes: posture.Scopes(0).With(posture.ScopeRFQRead), Revoked: true},
	}
	if diff := cmp.Diff(want, caller.Keys()); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	if keys := (posture.Caller{}).Keys(); keys != nil {
		t.Errorf("nobody has the keys %v", keys)
	}
}

func TestASessionLeadsToTheTenantThatItWasOpenedFor(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	snapshot := posture.Compile(posture.Inputs{Partners: []v1alpha1.PartnerEntitlement{keyed(now.Add(time.Hour))}})
	mine := tenant.ID{Organization: "org_keyed1", Mode: tenant.Live}
	for name, tc := range map[string]struct {
		snapshot *posture.Snapshot
		session  credential.Session
		at       time.Time
		want     posture.Reason
	}{
		"its own":              {snapshot, credential.Session{Tenant: mine, Key: digestOf(t, "a1")}, now, posture.ReasonOpen},
		"another organization": {snapshot, credential.Session{Tenant: tenant.ID{Organization: "org_other1", Mode: tenant.Live}, Key: digestOf(t, "a1")}, now, posture.ReasonKeyUnknown},
		"another mode":         {snapshot, credential.Session{Tenant: tenant.ID{Organization: "org_keyed1", Mode: tenant.Test}, Key: digestOf(t, "a1")}, now, posture.ReasonKeyWrongMode},
		"a key that has ended": {snapshot, credential.Session{Tenant: mine, Key: digestOf(t, "a1")}, now.Add(time.Hour), posture.ReasonKeyExpired},
		"no posture":           {nil, credential.Session{Tenant: mine, Key: digestOf(t, "a1")}, now, posture.ReasonSnapshotAbsent},
	} {
		caller, reason := tc.snapshot.Resume(tc.session, posture.Connection{}, tc.at)
		if reason != tc.want || caller.Valid() != (tc.want == posture.ReasonOpen) {
			t.Errorf("%s: %v, valid %t, want %v", name, reason, caller.Valid(), tc.want)
		}
	}
}
