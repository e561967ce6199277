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

// TestAnOperatorStandsForAPlatformThatIsInStanding changes what an organization of the
// package Platform is.
func TestAnOperatorStandsForAPlatformThatIsInStanding(t *testing.T) {
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
		"one of the platform": {[]v1alpha1.PartnerEntitlement{sound}, "market2", posture.ReasonOpen},
		"none at all":         {nil, "", posture.ReasonNotAuthenticated},
		"partners alone":      {[]v1alpha1.PartnerEntitlement{keyed(now.Add(time.Hour))}, "", posture.ReasonNotAuthenticated},
		"a suspended one": {
			[]v1alpha1.PartnerEntitlement{platform("market1", func(s *v1alpha1.PartnerEntitlementSpec) { s.State = v1alpha1.StateSuspended })},
			"market1",
			posture.ReasonPartnerSuspended,
		},
		"one whose contract has ended": {
			[]v1alpha1.PartnerEntitlement{platform("market1", func(s *v1alpha1.PartnerEntitlementSpec) { s.Contract = nil })},
			"market1",
			posture.ReasonContractNotEffective,
		},
		"one without the scope": {
			[]v1alpha1.PartnerEntitlement{platform("market1", func(s *v1alpha1.PartnerEntitlementSpec) { s.Scopes = s.Scopes[1:] })},
			"market1",
			posture.ReasonScopeMissing,
		},
		"a partner that says it has the scope": {
			[]v1alpha1.PartnerEntitlement{platform("market1", func(s *v1alpha1.PartnerEntitlementSpec) { s.Package = v1alpha1.PackageEnterprise })},
			"", posture.ReasonNotAuthenticated,
		},
		"a broken one": {[]v1alpha1.PartnerEntitlement{platform("market1", func(s *v1alpha1.PartnerEntitlementSpec) { s.OrganizationID = "?" })}, "", posture.ReasonNotAuthenticated},
		"a suspended one before one in standing": {[]v1alpha1.PartnerEntitlement{
			sound, platform("market1", func(s *v1alpha1.PartnerEntitlementSpec) { s.State = v1alpha1.StateSuspended }),
		}, "market2", posture.ReasonOpen},
		"two in standing": {[]v1alpha1.PartnerEntitlement{sound, platform("market1", nil)}, "market1", posture.ReasonOpen},
	} {
		snapshot := posture.Compile(posture.Inputs{Partners: tc.partners})
		caller, known := snapshot.Operator(now)
		if decision := snapshot.Standing(caller, posture.ScopeOpsRead, now); caller.Partner() != tc.who || known != (tc.who != "") || decision.Reason != tc.want {
			t.Errorf("%s: %q is judged %s, want %q and %s", name, caller.Partner(), decision.Reason, tc.who, tc.want)
		}
	}
	if _, known := (*posture.Snapshot)(nil).Operator(now); known {
		t.Error("somebody operates without a posture")
	}
}

func TestAnOperatorReadsTheOperationsAndNothingElse(t *testing.T) {
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
		t.Errorf("it is %s with the key %q", caller.Tenant(), caller.KeyName())
	}
	for s := range posture.AllScopes() {
		if allowed := snapshot.Standing(caller, s, now).Allowed(); allowed != (s == posture.ScopeOpsRead) {
			t.Errorf("%s: allowed %t", s, allowed)
		}
	}
	for c := range posture.Capabilities() {
		for _, write := range []bool{false, true} {
			if d := snapshot.Decide(caller, c, write, now); d.Allowed() {
				t.Errorf("%s is open", c)
			}
		}
	}
	if again := posture.Compile(in).Standing(caller, posture.ScopeOpsRead, now); again.Allowed() {
		t.Error("who is kept for another snapshot goes on to read")
	}
}
