// SPDX-License-Identifier: Apache-2.0

package posture_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/test/posturetest"
)

var now = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)

// sound returns inputs in which acme's live key may use a capability.
func sound(tb testing.TB, capability posture.Capability) posture.Inputs {
	tb.Helper()
	partner := v1alpha1.PartnerEntitlement{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "acme"}}
	partner.Spec = v1alpha1.PartnerEntitlementSpec{
		OrganizationID: "org_acme01", Package: v1alpha1.PackageEnterprise, State: v1alpha1.StateActive,
		Contract: &v1alpha1.Contract{Reference: "C-1", EffectiveFrom: metav1.NewTime(now.AddDate(-1, 0, 0))},
	}
	for c := range posture.Capabilities() {
		partner.Spec.Capabilities = append(partner.Spec.Capabilities, v1alpha1.CapabilityGrant{Name: v1alpha1.CapabilityName(c.String())})
	}
	for s := range posture.AllScopes() {
		partner.Spec.Scopes = append(partner.Spec.Scopes, v1alpha1.Scope(s.String()))
	}
	for _, name := range []string{"live:acme", "test:acme"} {
		kind := v1alpha1.KeyKindLive
		if name == "test:acme" {
			kind = v1alpha1.KeyKindTest
		}
		partner.Spec.Keys = append(partner.Spec.Keys, v1alpha1.APIKey{Name: name[:4], Kind: kind, State: v1alpha1.KeyStateActive, SHA256: posturetest.Key(name).Digest().String(), Scopes: posturetest.EveryScope()})
	}
	rollout := v1alpha1.CapabilityRollout{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: capability.String()}}
	rollout.Spec = v1alpha1.CapabilityRolloutSpec{
		Capability: v1alpha1.CapabilityName(capability.String()), Stage: v1alpha1.Stage(capability.Definition().Ceiling.Stage()),
		Change: v1alpha1.Change{Ticket: "REL-1"}, Audience: &v1alpha1.Audience{Partners: []string{"acme"}},
	}
	return posture.Inputs{Rollouts: []v1alpha1.CapabilityRollout{rollout}, Partners: []v1alpha1.PartnerEntitlement{partner}}
}

func ask(tb testing.TB, in posture.Inputs, key string, capability posture.Capability) posture.Decision {
	tb.Helper()
	s := posture.Compile(in)
	caller, reason := s.Authenticate(posturetest.Key(key), posture.Connection{}, now)
	if reason != posture.ReasonOpen {
		return posture.Decision{Reason: reason}
	}
	return s.Decide(caller, capability, true, now)
}

// obstacles follows the published order of checks (API.md, 2 to 7). Each obstacle takes
// precedence over those before it, so the last one added must give the reason.
var obstacles = []struct {
	reason posture.Reason
	add    func(in *posture.Inputs)
}{
	{posture.ReasonDependencyClosed, func(in *posture.Inputs) {
		rolloutSpec(in).DependsOn = []v1alpha1.CapabilityName{"rfq-list"}
	}},
	{posture.ReasonNotInCohort, func(in *posture.Inputs) {
		rolloutSpec(in).Schedule = &v1alpha1.Schedule{Ramp: []v1alpha1.RampStep{{At: metav1.NewTime(now.Add(time.Hour)), Percent: 100}}}
	}},
	{posture.ReasonNotInAudience, func(in *posture.Inputs) { rolloutSpec(in).Audience.Partners = []string{"stark"} }},
	{posture.ReasonExcluded, func(in *posture.Inputs) { rolloutSpec(in).Audience.Excluded = []string{"acme"} }},
	{posture.ReasonSandboxOnly, func(in *posture.Inputs) { rolloutSpec(in).Stage = v1alpha1.StageSandbox }},
	{posture.ReasonSandboxOnly, func(in *posture.Inputs) {
		rolloutSpec(in).Stage = v1alpha1.StagePrivateBeta
		in.Partners[0].Spec.Capabilities = []v1alpha1.CapabilityGrant{{Name: "xjdf", Stage: v1alpha1.StageSandbox}}
	}},
	{posture.ReasonGrantStageInvalid, func(in *posture.Inputs) { in.Partners[0].Spec.Capabilities[0].Stage = v1alpha1.StageLive }},
	{posture.ReasonGrantStageInvalid, func(in *posture.Inputs) { in.Partners[0].Spec.Capabilities[0].Stage = v1alpha1.StageDisabled }},
	{posture.ReasonNotEntitled, func(in *posture.Inputs) { in.Partners[0].Spec.Capabilities = nil }},
	{posture.ReasonNotEntitled, func(in *posture.Inputs) {
		in.Partners[0].Spec.Capabilities = []v1alpha1.CapabilityGrant{{Name: "xjdf", NotBefore: new(metav1.NewTime(now.Add(time.Hour)))}}
	}},
	{posture.ReasonNotEntitled, func(in *posture.Inputs) {
		in.Partners[0].Spec.Capabilities = []v1alpha1.CapabilityGrant{{Name: "xjdf", NotAfter: new(metav1.NewTime(now))}}
	}},
	{posture.ReasonEnded, func(in *posture.Inputs) { rolloutSpec(in).Schedule.NotAfter = new(metav1.NewTime(now)) }},
	{posture.ReasonNotStarted, func(in *posture.Inputs) {
		rolloutSpec(in).Schedule.NotBefore = new(metav1.NewTime(now.Add(time.Hour)))
		rolloutSpec(in).Schedule.NotAfter = new(metav1.NewTime(now.Add(2 * time.Hour)))
	}},
	{posture.ReasonStageDisabled, func(in *posture.Inputs) { rolloutSpec(in).Stage = v1alpha1.StageDisabled }},
	{posture.ReasonKilled, func(in *posture.Inputs) {
		rolloutSpec(in).KillSwitch = &v1alpha1.KillSwitch{State: v1alpha1.KillSwitchEngaged, Reason: "INC-1"}
	}},
	{posture.ReasonAboveCeiling, func(in *posture.Inputs) { rolloutSpec(in).Stage = v1alpha1.StageLive }},
	{posture.ReasonRolloutNotReady, func(in *posture.Inputs) { in.Rollouts[0].Name = "other" }},
	{posture.ReasonNoRollout, func(in *posture.Inputs) { in.Rollouts = nil }},
	{posture.ReasonScopeMissing, func(in *posture.Inputs) { in.Partners[0].Spec.Scopes = nil }},
	{posture.ReasonContractNotEffective, func(in *posture.Inputs) { in.Partners[0].Spec.Contract = nil }},
	{posture.ReasonPartnerSuspended, func(in *posture.Inputs) { in.Partners[0].Spec.State = v1alpha1.StateSuspended }},
	{posture.ReasonKeyExpired, func(in *posture.Inputs) { in.Partners[0].Spec.Keys[0].ExpiresAt = new(metav1.NewTime(now)) }},
	{posture.ReasonKeyRevoked, func(in *posture.Inputs) { in.Partners[0].Spec.Keys[0].State = v1alpha1.KeyStateRevoked }},
	{posture.ReasonKeyUnknown, func(in *posture.Inputs) { in.Partners = nil }},
}

func rolloutSpec(in *posture.Inputs) *v1alpha1.CapabilityRolloutSpec { return &in.Rollouts[0].Spec }

func TestReasonsFollowThePublishedOrder(t *testing.T) {
	t.Parallel()
	// A capability whose ceiling is below Live, so that AboveCeiling can occur.
	in := sound(t, posture.XJDF)
	if d := ask(t, in, "live:acme", posture.XJDF); !d.Allowed() {
		t.Fatalf("without obstacles the reason is %s, want Open", d.Reason)
	}
	for _, obstacle := range obstacles {
		obstacle.add(&in)
		if d := ask(t, in, "live:acme", posture.XJDF); d.Reason != obstacle.reason {
			t.Errorf("reason %s, want %s, the obstacle added last", d.Reason, obstacle.reason)
		}
	}
}

func TestLaddersSkipPhases(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		capability posture.Capability
		spoil      func(in *posture.Inputs)
		want       posture.Reason
	}{
		"estimate does not ask for standing":      {posture.Estimate, func(in *posture.Inputs) { in.Partners[0].Spec.State = v1alpha1.StateSuspended }, posture.ReasonStageDisabled},
		"estimate does not ask for a contract":    {posture.Estimate, func(in *posture.Inputs) { in.Partners[0].Spec.Contract = nil }, posture.ReasonStageDisabled},
		"estimate does not ask for a scope":       {posture.Estimate, func(in *posture.Inputs) { in.Partners[0].Spec.Scopes = nil }, posture.ReasonStageDisabled},
		"estimate does not ask for a grant":       {posture.Estimate, func(in *posture.Inputs) { in.Partners[0].Spec.Capabilities = nil }, posture.ReasonStageDisabled},
		"acceptance does not ask for a scope":     {posture.QuoteAccept, func(in *posture.Inputs) { in.Partners[0].Spec.Scopes = nil }, posture.ReasonStageDisabled},
		"orders ask for a scope":                  {posture.Order, func(in *posture.Inputs) { in.Partners[0].Spec.Scopes = nil }, posture.ReasonScopeMissing},
		"orders do not ask for standing":          {posture.Order, func(in *posture.Inputs) { in.Partners[0].Spec.State = v1alpha1.StateSuspended }, posture.ReasonStageDisabled},
		"batch orders ask for a scope":            {posture.OrderBatch, func(in *posture.Inputs) { in.Partners[0].Spec.Scopes = nil }, posture.ReasonScopeMissing},
		"batch orders do not ask for a grant":     {posture.OrderBatch, func(in *posture.Inputs) { in.Partners[0].Spec.Capabilities = nil }, posture.ReasonStageDisabled},
		"estimate without a rollout is as closed": {posture.Estimate, func(in *posture.Inputs) { in.Rollouts = nil }, posture.ReasonNoRollout},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := sound(t, tc.capability)
			tc.spoil(&in)
			if d := ask(t, in, "live:acme", tc.capability); d.Reason != tc.want || d.Allowed() {
				t.Errorf("reason %s, want %s", d.Reason, tc.want)
			}
		})
	}
}

func TestZeroValuesAreClosed(t *testing.T) {
	t.Parallel()
	var none *posture.Snapshot
	s := posture.Compile(sound(t, posture.RFQCreate))
	caller, _ := s.Authenticate(posturetest.Key("live:acme"), posture.Connection{}, now)
	unauthenticated, absent := none.Authenticate(posturetest.Key("live:acme"), posture.Connection{}, now)
	tests := map[string]struct {
		decision posture.Decision
		want     posture.Reason
	}{
		"the zero Decision":              {posture.Decision{}, posture.ReasonUndecided},
		"the zero Caller":                {s.Decide(posture.Caller{}, posture.RFQCreate, true, now), posture.ReasonNotAuthenticated},
		"the zero Caller's standing":     {s.Standing(posture.Caller{}, posture.NoScope, now), posture.ReasonNotAuthenticated},
		"no capability":                  {s.Decide(caller, posture.NoCapability, true, now), posture.ReasonNoCapability},
		"a number that is no capability": {s.Decide(caller, 200, true, now), posture.ReasonNoCapability},
		"the nil Snapshot":               {none.Decide(caller, posture.RFQCreate, true, now), posture.ReasonSnapshotAbsent},
		"the nil Snapshot's standing":    {none.Standing(caller, posture.NoScope, now), posture.ReasonSnapshotAbsent},
		"the nil Snapshot's keys":        {posture.Decision{Reason: absent}, posture.ReasonSnapshotAbsent},
		"the empty world":                {posture.Compile(posture.Inputs{}).Decide(caller, posture.RFQCreate, true, now), posture.ReasonKeyUnknown},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tc.decision.Allowed() || tc.decision.Reason != tc.want {
				t.Errorf("reason %s, want %s", tc.decision.Reason, tc.want)
			}
		})
	}
	if unauthenticated.Valid() || unauthenticated.Tenant() != (tenant.ID{}) || unauthenticated.State() != "" || unauthenticated != (posture.Caller{}) {
		t.Errorf("the nil Snapshot returns the caller %+v, want the zero Caller", unauthenticated)
	}
	if _, found := none.Sender(""); found || none.Revision() != "" || len(none.Report(now).Partners) != 0 {
		t.Error("the nil Snapshot returns data, want none")
	}
	if _, found := none.Behalf(caller.Tenant(), now); found {
		t.Error("the nil Snapshot returns a tenant, want none")
	}
}

func TestCallerIdentifiesTenantAndKey(t *testing.T) {
	t.Parallel()
	s := posture.Compile(sound(t, posture.RFQCreate))
	caller, reason := s.Authenticate(posturetest.Key("test:acme"), posture.Connection{}, now)
	if reason != posture.ReasonOpen || !caller.Valid() {
		t.Fatalf("Authenticate: %s", reason)
	}
	if want := (tenant.ID{Organization: "org_acme01", Mode: tenant.Test}); caller.Tenant() != want {
		t.Errorf("tenant %s, want %s", caller.Tenant(), want)
	}
	if caller.Partner() != "acme" || caller.KeyName() != "test" || caller.Package() != "enterprise" || caller.State() != "active" {
		t.Errorf("caller %s %s %s %s", caller.Partner(), caller.KeyName(), caller.Package(), caller.State())
	}
	if !caller.Scopes().Has(posture.ScopeRFQWrite) || caller.Scopes().Has(posture.ScopeOpsRead) {
		t.Errorf("scopes %q", caller.Scopes())
	}
	session, reason := s.AuthenticateDigest(posturetest.Key("test:acme").Digest(), tenant.Test, posture.Connection{}, now)
	if reason != posture.ReasonOpen || session != caller {
		t.Error("AuthenticateDigest returns another caller than Authenticate")
	}
	if _, reason := s.AuthenticateDigest(caller.Digest(), tenant.Live, posture.Connection{}, now); reason != posture.ReasonKeyWrongMode {
		t.Errorf("digest of a test key in live mode: reason %s, want KeyWrongMode", reason)
	}
}

// TestCallersOfAnOlderSnapshotAreLookedUpAgain checks that a retained caller does not
// outlive a revocation.
func TestCallersOfAnOlderSnapshotAreLookedUpAgain(t *testing.T) {
	t.Parallel()
	in := sound(t, posture.RFQCreate)
	old := posture.Compile(in)
	caller, _ := old.Authenticate(posturetest.Key("live:acme"), posture.Connection{}, now)
	itself, _ := old.Behalf(caller.Tenant(), now)

	revoked := copyOf(in)
	revoked.Partners[0].Spec.Keys[0].State = v1alpha1.KeyStateRevoked
	next := posture.Compile(revoked)
	if d := next.Decide(caller, posture.RFQCreate, true, now); d.Reason != posture.ReasonKeyRevoked {
		t.Errorf("caller of an older snapshot: reason %s", d.Reason)
	}
	if d := next.Standing(itself, posture.NoScope, now); !d.Allowed() {
		t.Errorf("partner without a key: reason %s", d.Reason)
	}
	gone := posture.Compile(posture.Inputs{})
	if d := gone.Standing(itself, posture.NoScope, now); d.Reason != posture.ReasonPartnerClosed {
		t.Errorf("deleted partner: reason %s", d.Reason)
	}
	if d := old.Decide(caller, posture.RFQCreate, true, now); !d.Allowed() {
		t.Errorf("old snapshot: reason %s, want it unchanged", d.Reason)
	}
}

func TestBehalfHasNoScope(t *testing.T) {
	t.Parallel()
	for capability, want := range map[posture.Capability]posture.Reason{
		posture.WebhookDelivery: posture.ReasonOpen,
		posture.XJMFInbound:     posture.ReasonOpen,
		posture.RFQCreate:       posture.ReasonScopeMissing,
	} {
		s := posture.Compile(sound(t, capability))
		caller, found := s.Behalf(tenant.ID{Organization: "org_acme01", Mode: tenant.Live}, now)
		if !found || caller.KeyName() != "" || caller.Scopes() != 0 {
			t.Fatalf("Behalf = %+v, %t", caller, found)
		}
		if d := s.Decide(caller, capability, true, now); d.Reason != want {
			t.Errorf("%s: reason %s, want %s", capability, d.Reason, want)
		}
	}
	s := posture.Compile(sound(t, posture.RFQCreate))
	for _, id := range []tenant.ID{{}, {Organization: "org_acme01"}, {Organization: "org_other1", Mode: tenant.Live}} {
		if _, found := s.Behalf(id, now); found {
			t.Errorf("Behalf finds %v", id)
		}
	}
}

func TestHotPathDoesNotAllocate(t *testing.T) {
	in := sound(t, posture.RFQCreate)
	in.Rollouts[0].Spec.Schedule = &v1alpha1.Schedule{Ramp: []v1alpha1.RampStep{{At: metav1.NewTime(now), Percent: 100}}}
	s := posture.Compile(in)
	gates := posture.NewGates(time.Hour)
	gates.Publish(s, now)
	key := posturetest.Key("live:acme")
	if n := testing.AllocsPerRun(200, func() {
		current := gates.Current(now)
		caller, _ := current.Authenticate(key, posture.Connection{}, now)
		if !current.Decide(caller, posture.RFQCreate, true, now).Allowed() || !current.Standing(caller, posture.ScopeAccountRead, now).Allowed() {
			t.Error("the decision is closed, want open")
		}
	}); n != 0 {
		t.Errorf("Current, Authenticate, Decide and Standing allocate %v times", n)
	}
}

// TestDecideScopeReplacesTheCapabilitysScope uses a key that has one of two scopes.
func TestDecideScopeReplacesTheCapabilitysScope(t *testing.T) {
	t.Parallel()
	in := sound(t, posture.MasterDataBridge)
	in.Partners[0].Spec.Keys[0].Scopes = []v1alpha1.Scope{"devices:read"}
	s := posture.Compile(in)
	caller, _ := s.Authenticate(posturetest.Key("live:acme"), posture.Connection{}, now)
	for scope, want := range map[posture.Scope]posture.Reason{
		posture.ScopeDevicesRead: posture.ReasonOpen, posture.ScopeMasterDataRead: posture.ReasonScopeMissing, posture.NoScope: posture.ReasonOpen,
	} {
		if d := s.DecideScope(caller, posture.MasterDataBridge, scope, now); d.Reason != want || d.Scope != scope || d.Capability != posture.MasterDataBridge {
			t.Errorf("with the scope %q: %+v, want %s", scope, d, want)
		}
	}
	if d := s.Decide(caller, posture.MasterDataBridge, false, now); d.Reason != posture.ReasonScopeMissing {
		t.Errorf("with the capability's own scope: %+v", d)
	}
	if d := s.DecideScope(caller, posture.Estimate+100, posture.ScopeDevicesRead, now); d.Allowed() {
		t.Errorf("without a capability: %+v", d)
	}
	if d := (*posture.Snapshot)(nil).DecideScope(caller, posture.MasterDataBridge, posture.ScopeDevicesRead, now); d.Allowed() {
		t.Errorf("without a snapshot: %+v", d)
	}
}
