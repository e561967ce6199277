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

// keyed returns a partner with a key of each kind. The second key is revoked.
func keyed(end time.Time) v1alpha1.PartnerEntitlement {
	expires := metav1.NewTime(end)
	return v1alpha1.PartnerEntitlement{
		ObjectMeta: metav1.ObjectMeta{Name: "keyed", Namespace: "default"},
		Spec: v1alpha1.PartnerEntitlementSpec{
			OrganizationID: "org_keyed1", Package: v1alpha1.PackageStandard, State: v1alpha1.StateActive,
			Scopes: []v1alpha1.Scope{"account:read", "rfq:read"},
			Keys: []v1alpha1.APIKey{
				{Name: "live", Kind: v1alpha1.KeyKindLive, SHA256: strings.Repeat("a1", 32), State: v1alpha1.KeyStateActive, ExpiresAt: &expires, Scopes: []v1alpha1.Scope{"account:read", "rfq:read", "rfq:write"}},
				{Name: "test", Kind: v1alpha1.KeyKindTest, SHA256: strings.Repeat("b2", 32), State: v1alpha1.KeyStateRevoked, Scopes: []v1alpha1.Scope{"rfq:read", "ops:read"}},
			},
		},
	}
}

func digestOf(t *testing.T, pair string) credential.Digest {
	t.Helper()
	digest, err := credential.ParseDigest(strings.Repeat(pair, 32))
	if err != nil {
		t.Fatalf("ParseDigest(%q repeated): %v", pair, err)
	}
	return digest
}

func TestKeysReturnsEffectiveScopesAndState(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	end := now.Add(time.Hour)
	snapshot := posture.Compile(posture.Inputs{Partners: []v1alpha1.PartnerEntitlement{keyed(end)}})
	caller, reason := snapshot.AuthenticateDigest(digestOf(t, "a1"), tenant.Live, posture.Connection{}, now)
	if !caller.Valid() {
		t.Fatalf("AuthenticateDigest: reason %s, want Open", reason)
	}
	want := []posture.KeyTerms{
		{Name: "live", Mode: tenant.Live, Digest: digestOf(t, "a1"), Scopes: posture.Scopes(0).With(posture.ScopeAccountRead).With(posture.ScopeRFQRead), Expires: end},
		// A key cannot have a scope that its partner lacks.
		{Name: "test", Mode: tenant.Test, Digest: digestOf(t, "b2"), Scopes: posture.Scopes(0).With(posture.ScopeRFQRead), Revoked: true},
	}
	if diff := cmp.Diff(want, caller.Keys()); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	if keys := (posture.Caller{}).Keys(); keys != nil {
		t.Errorf("the zero Caller has the keys %v, want nil", keys)
	}
}

func TestResumeRequiresTheSessionsTenant(t *testing.T) {
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
		"its own tenant":       {snapshot, credential.Session{Tenant: mine, Key: digestOf(t, "a1")}, now, posture.ReasonOpen},
		"another organization": {snapshot, credential.Session{Tenant: tenant.ID{Organization: "org_other1", Mode: tenant.Live}, Key: digestOf(t, "a1")}, now, posture.ReasonKeyUnknown},
		"another mode":         {snapshot, credential.Session{Tenant: tenant.ID{Organization: "org_keyed1", Mode: tenant.Test}, Key: digestOf(t, "a1")}, now, posture.ReasonKeyWrongMode},
		"an expired key":       {snapshot, credential.Session{Tenant: mine, Key: digestOf(t, "a1")}, now.Add(time.Hour), posture.ReasonKeyExpired},
		"no posture":           {nil, credential.Session{Tenant: mine, Key: digestOf(t, "a1")}, now, posture.ReasonSnapshotAbsent},
	} {
		caller, reason := tc.snapshot.Resume(tc.session, posture.Connection{}, tc.at)
		if reason != tc.want || caller.Valid() != (tc.want == posture.ReasonOpen) {
			t.Errorf("%s: %v, valid %t, want %v", name, reason, caller.Valid(), tc.want)
		}
	}
}

// TestOperatorPrefersActivePlatform varies the organizations of the package Platform.
func TestOperatorPrefersActivePlatform(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	platform := func(name string, change func(*v1alpha1.PartnerEntitlementSpec)) v1alpha1.PartnerEntitlement {
		o := v1alpha1.PartnerEntitlement{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}}
		o.Spec = v1alpha1.PartnerEntitlementSpec{
			OrganizationID: "org_" + name, Package: v1alpha1.PackagePlatform, State: v1alpha1.StateActive,
			Contract: &v1alpha1.Contract{Reference: "own", EffectiveFrom: metav1.NewTime(now.Add(-time.Hour))},
			Scopes:   []v1alpha1.Scope{"ops:read", "quotes:ingest", "account:read"},
		}
		if change != nil {
			change(&o.Spec)
		}
		return o
	}
	sound := platform("market2", nil)
	for name, tc := range map[string]struct {
		partners []v1alpha1.PartnerEntitlement
		who      string
		want     posture.Reason
	}{
		"an active platform": {[]v1alpha1.PartnerEntitlement{sound}, "market2", posture.ReasonOpen},
		"no partner":         {nil, "", posture.ReasonNotAuthenticated},
		"partners only":      {[]v1alpha1.PartnerEntitlement{keyed(now.Add(time.Hour))}, "", posture.ReasonNotAuthenticated},
		"a suspended platform": {
			[]v1alpha1.PartnerEntitlement{platform("market1", func(s *v1alpha1.PartnerEntitlementSpec) { s.State = v1alpha1.StateSuspended })},
			"market1",
			posture.ReasonPartnerSuspended,
		},
		"a platform without a contract": {
			[]v1alpha1.PartnerEntitlement{platform("market1", func(s *v1alpha1.PartnerEntitlementSpec) { s.Contract = nil })},
			"market1",
			posture.ReasonContractNotEffective,
		},
		"a platform without the scope": {
			[]v1alpha1.PartnerEntitlement{platform("market1", func(s *v1alpha1.PartnerEntitlementSpec) { s.Scopes = s.Scopes[1:] })},
			"market1",
			posture.ReasonScopeMissing,
		},
		"a partner that declares the scope": {
			[]v1alpha1.PartnerEntitlement{platform("market1", func(s *v1alpha1.PartnerEntitlementSpec) { s.Package = v1alpha1.PackageEnterprise })},
			"", posture.ReasonNotAuthenticated,
		},
		"an invalid platform": {[]v1alpha1.PartnerEntitlement{platform("market1", func(s *v1alpha1.PartnerEntitlementSpec) { s.OrganizationID = "?" })}, "", posture.ReasonNotAuthenticated},
		"a suspended platform before an active one": {[]v1alpha1.PartnerEntitlement{
			sound, platform("market1", func(s *v1alpha1.PartnerEntitlementSpec) { s.State = v1alpha1.StateSuspended }),
		}, "market2", posture.ReasonOpen},
		"two active platforms": {[]v1alpha1.PartnerEntitlement{sound, platform("market1", nil)}, "market1", posture.ReasonOpen},
	} {
		snapshot := posture.Compile(posture.Inputs{Partners: tc.partners})
		caller, known := snapshot.Operator(now)
		if decision := snapshot.Standing(caller, posture.ScopeOpsRead, now); caller.Partner() != tc.who || known != (tc.who != "") || decision.Reason != tc.want {
			t.Errorf("%s: operator %q has the reason %s, want %q and %s", name, caller.Partner(), decision.Reason, tc.who, tc.want)
		}
	}
	if _, known := (*posture.Snapshot)(nil).Operator(now); known {
		t.Error("the nil Snapshot has an operator, want none")
	}
}

func TestOperatorHasOnlyScopeOpsRead(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	var in posture.Inputs
	o := keyed(now.Add(time.Hour))
	o.Spec.Package, o.Spec.Contract = v1alpha1.PackagePlatform, &v1alpha1.Contract{EffectiveFrom: metav1.NewTime(now.Add(-time.Hour))}
	for s := range posture.AllScopes() {
		o.Spec.Scopes = append(o.Spec.Scopes, v1alpha1.Scope(s.String()))
	}
	in.Partners = append(in.Partners, o)
	snapshot := posture.Compile(in)
	caller, _ := snapshot.Operator(now)
	if caller.Tenant() != (tenant.ID{Organization: "org_keyed1", Mode: tenant.Live}) || caller.KeyName() != "" {
		t.Errorf("operator is %s with the key %q, want org_keyed1/live without a key", caller.Tenant(), caller.KeyName())
	}
	for s := range posture.AllScopes() {
		if allowed := snapshot.Standing(caller, s, now).Allowed(); allowed != (s == posture.ScopeOpsRead) {
			t.Errorf("scope %s: allowed %t, want only ops:read allowed", s, allowed)
		}
	}
	for c := range posture.Capabilities() {
		for _, write := range []bool{false, true} {
			if d := snapshot.Decide(caller, c, write, now); d.Allowed() {
				t.Errorf("%s is open to the operator, want it refused", c)
			}
		}
	}
	if again := posture.Compile(in).Standing(caller, posture.ScopeOpsRead, now); again.Allowed() {
		t.Error("an operator of another snapshot is allowed, want it refused")
	}
}
