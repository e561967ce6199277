// SPDX-License-Identifier: Apache-2.0

package posture_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/test/posturetest"
)

// usable returns a partner that can use every capability of the rollouts with live and test keys,
// senders and webhooks.
func usable() posture.Inputs {
	partner := v1alpha1.PartnerEntitlement{ObjectMeta: metav1.ObjectMeta{Namespace: "prints", Name: "acme"}}
	partner.Spec = v1alpha1.PartnerEntitlementSpec{
		OrganizationID: "org_acme01", Package: v1alpha1.PackageStandard, State: v1alpha1.StateActive,
		Contract: &v1alpha1.Contract{Reference: "C-1", EffectiveFrom: metav1.NewTime(posturetest.Judged().AddDate(-1, 0, 0))},
		Scopes:   []v1alpha1.Scope{"rfq:read", "rfq:write", "session:create", "costing:calculate"},
	}
	in := posture.Inputs{}
	for i, kind := range []v1alpha1.KeyKind{v1alpha1.KeyKindLive, v1alpha1.KeyKindTest} {
		partner.Spec.Keys = append(partner.Spec.Keys, v1alpha1.APIKey{
			Name: strings.ToLower(string(kind)), Kind: kind, State: v1alpha1.KeyStateActive,
			SHA256: strings.Repeat(string(rune('a'+i)), 64), Scopes: slices.Clone(partner.Spec.Scopes),
		})
		partner.Spec.Webhooks = append(partner.Spec.Webhooks, v1alpha1.Webhook{Name: "erp-" + strings.ToLower(string(kind)), Kind: kind, URL: "https://mis.acme.example/"})
		sender := v1alpha1.XJMFSender{ObjectMeta: metav1.ObjectMeta{Namespace: "prints", Name: "acme-" + strings.ToLower(string(kind))}}
		sender.Spec = v1alpha1.XJMFSenderSpec{SenderID: sender.Name, Partner: "acme", Mode: kind, State: v1alpha1.StateActive}
		in.Senders = append(in.Senders, sender)
	}
	for _, name := range []v1alpha1.CapabilityName{"rfq-create", "xjdf-costing", "xjmf-inbound", "webhook-delivery"} {
		rollout := v1alpha1.CapabilityRollout{ObjectMeta: metav1.ObjectMeta{Namespace: "prints", Name: string(name)}}
		rollout.Spec = v1alpha1.CapabilityRolloutSpec{
			Capability: name, Stage: v1alpha1.StagePrivateBeta, Change: v1alpha1.Change{Ticket: "REL-1"}, Audience: &v1alpha1.Audience{Partners: []string{"acme"}},
		}
		in.Rollouts = append(in.Rollouts, rollout)
		partner.Spec.Capabilities = append(partner.Spec.Capabilities, v1alpha1.CapabilityGrant{Name: name})
	}
	in.Partners = []v1alpha1.PartnerEntitlement{partner}
	return in
}

func without(scopes []v1alpha1.Scope, scope v1alpha1.Scope) []v1alpha1.Scope {
	return slices.DeleteFunc(slices.Clone(scopes), func(s v1alpha1.Scope) bool { return s == scope })
}

// TestCapabilityIsOpenOnlyIfThePartnerCanUseIt compares the status of the partner with the number of
// admitted partners of the rollout.
func TestCapabilityIsOpenOnlyIfThePartnerCanUseIt(t *testing.T) {
	t.Parallel()
	const all = "rfq-create Open, xjdf-costing Open, xjmf-inbound Open, webhook-delivery Open"
	for name, tc := range map[string]struct {
		change func(*posture.Inputs)
		// changed is the capability that differs, with its posture and reason.
		changed string
	}{
		"with keys, senders and webhooks": {func(*posture.Inputs) {}, ""},
		"but not if the partner lacks the scope of writes": {func(in *posture.Inputs) {
			in.Partners[0].Spec.Scopes = without(in.Partners[0].Spec.Scopes, "rfq:write")
		}, "rfq-create Closed ScopeMissing"},
		"but not if the partner lacks the scope of sessions": {func(in *posture.Inputs) {
			in.Partners[0].Spec.Scopes = without(in.Partners[0].Spec.Scopes, "session:create")
		}, "xjdf-costing Closed ScopeMissing"},
		"but not if every key lacks the scope of writes": {func(in *posture.Inputs) {
			for i := range in.Partners[0].Spec.Keys {
				in.Partners[0].Spec.Keys[i].Scopes = without(in.Partners[0].Spec.Keys[i].Scopes, "rfq:write")
			}
		}, "rfq-create Closed NoUsableKey"},
		"only for test keys if every live key lacks the scope of sessions": {func(in *posture.Inputs) {
			in.Partners[0].Spec.Keys[0].Scopes = without(in.Partners[0].Spec.Keys[0].Scopes, "session:create")
		}, "xjdf-costing TestOnly NoUsableKey"},
		"but not without an active sender": {func(in *posture.Inputs) { in.Senders = nil }, "xjmf-inbound Closed NoSender"},
		"only for test records if the live sender is suspended": {func(in *posture.Inputs) {
			in.Senders[0].Spec.State = v1alpha1.StateSuspended
		}, "xjmf-inbound TestOnly NoSender"},
		"but not without a webhook": {func(in *posture.Inputs) { in.Partners[0].Spec.Webhooks = nil }, "webhook-delivery Closed NoWebhook"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := usable()
			tc.change(&in)
			report := posture.Compile(in).Report(posturetest.Judged())
			var got []string
			open := map[string]bool{}
			for _, c := range report.Partners[0].Capabilities {
				got = append(got, strings.TrimSpace(c.Name.String()+" "+c.Posture+" "+c.Reason))
				open[c.Name.String()] = c.Posture == string(v1alpha1.Open)
			}
			changed, _, _ := strings.Cut(tc.changed, " ")
			want := all
			if changed != "" {
				want = strings.Replace(all, changed+" Open", tc.changed, 1)
			}
			if diff := cmp.Diff(want, strings.Join(got, ", ")); diff != "" {
				t.Errorf("capabilities (-want +got):\n%s", diff)
			}
			if want := int32(4 - min(1, len(changed))); report.Partners[0].OpenCapabilities != want {
				t.Errorf("%d capabilities are open, want %d", report.Partners[0].OpenCapabilities, want)
			}
			for _, r := range report.Rollouts {
				if open[r.Name] != (r.Admitted == 1) {
					t.Errorf("%s admits %d partners, and is open: %t", r.Name, r.Admitted, open[r.Name])
				}
			}
		})
	}
}

func TestKeyThatIsNotAcceptedOpensNothing(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*v1alpha1.APIKey){
		"an expired key":                   func(k *v1alpha1.APIKey) { k.ExpiresAt = new(metav1.NewTime(posturetest.Judged())) },
		"a revoked key":                    func(k *v1alpha1.APIKey) { k.State = v1alpha1.KeyStateRevoked },
		"a key of the other kind":          func(k *v1alpha1.APIKey) { k.Kind = v1alpha1.KeyKindTest },
		"a key with the digest of another": func(k *v1alpha1.APIKey) { k.SHA256 = strings.Repeat("b", 64) },
	} {
		in := usable()
		change(&in.Partners[0].Spec.Keys[0])
		got := posture.Compile(in).Report(posturetest.Judged()).Partners[0].Capabilities[0]
		if got.Posture == string(v1alpha1.Open) || got.Reason != posture.ReasonNoUsableKey.String() {
			t.Errorf("%s: rfq-create is %s, reason %s; want it not open, reason NoUsableKey", name, got.Posture, got.Reason)
		}
	}
}

func TestStatusOfARolloutChangesWhenItsLastKeyExpires(t *testing.T) {
	t.Parallel()
	in, expires := usable(), posturetest.Judged().Add(time.Hour)
	in.Partners[0].Spec.Keys[0].ExpiresAt = new(metav1.NewTime(expires))
	snapshot := posture.Compile(in)
	before, after := snapshot.Report(posturetest.Judged()).Rollouts[0], snapshot.Report(expires).Rollouts[0]
	if before.NextTransition == nil || !before.NextTransition.Equal(expires) {
		t.Errorf("the next transition is %v, want %s", before.NextTransition, expires)
	}
	if before.Cohort != "ramp 100 %, 1 of 1 admitted" || after.Cohort != "ramp 100 %, 0 of 1 admitted" {
		t.Errorf("cohort %q becomes %q, want one partner admitted and then none", before.Cohort, after.Cohort)
	}
}

func TestUnknownNamesOfAnAudienceAreCounted(t *testing.T) {
	t.Parallel()
	for names, want := range map[string]string{
		"acme": "ramp 100 %, 1 of 1 admitted", "acme globx": "ramp 100 %, 1 of 1 admitted, 1 unknown name",
		"acme globx strak": "ramp 100 %, 1 of 1 admitted, 2 unknown names",
	} {
		in := usable()
		in.Rollouts[0].Spec.Audience.Partners = strings.Fields(names)
		if got := posture.Compile(in).Report(posturetest.Judged()).Rollouts[0].Cohort; got != want {
			t.Errorf("audience %q: cohort %q, want %q", names, got, want)
		}
	}
}

func TestSenderReportsWhyItsPartnerIsRejected(t *testing.T) {
	t.Parallel()
	past := new(metav1.NewTime(posturetest.Judged().Add(-time.Hour)))
	for name, tc := range map[string]struct {
		change func(*v1alpha1.PartnerEntitlementSpec)
		want   string
	}{
		"an active partner with a grant":  {func(*v1alpha1.PartnerEntitlementSpec) {}, "True/Granted"},
		"a suspended partner":             {func(p *v1alpha1.PartnerEntitlementSpec) { p.State = v1alpha1.StateSuspended }, "False/Suspended"},
		"a partner without a contract":    {func(p *v1alpha1.PartnerEntitlementSpec) { p.Contract = nil }, "False/ContractNotEffective"},
		"a partner without a grant":       {func(p *v1alpha1.PartnerEntitlementSpec) { p.Capabilities = nil }, "False/NotGranted"},
		"a partner whose grant has ended": {func(p *v1alpha1.PartnerEntitlementSpec) { p.Capabilities[2].NotAfter = past }, "False/NotGranted"},
	} {
		in := usable()
		tc.change(&in.Partners[0].Spec)
		got := ""
		for _, c := range posture.Compile(in).Report(posturetest.Judged()).Senders[0].Conditions {
			if c.Type == v1alpha1.ConditionPartnerGranted {
				got = c.Status + "/" + c.Reason
			}
		}
		if got != tc.want {
			t.Errorf("%s: PartnerGranted %s, want %s", name, got, tc.want)
		}
	}
}

func TestSuspensionStatesItsReason(t *testing.T) {
	t.Parallel()
	in := usable()
	in.Partners[0].Spec.State, in.Partners[0].Spec.StateReason = v1alpha1.StateSuspended, "unpaid"
	report := posture.Compile(in).Report(posturetest.Judged())
	if got, want := report.Partners[0].Conditions[0].Message, "The partner is suspended and rejected with 403. Reason given: unpaid"; got != want {
		t.Errorf("message %q, want %q", got, want)
	}
}
