// SPDX-License-Identifier: Apache-2.0

package explain_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/explain"
	"github.com/printmarket/printmarket/test/posturetest"
)

// began returns the time at which the schedule of [scheduled] admits partners.
func began() time.Time { return posturetest.Judged().Add(-48 * time.Hour) }

// scheduled returns a partner and a rollout for all partners with a schedule. The
// partner has a contract of a year and may read preflight jobs but not submit them.
func scheduled() (v1alpha1.PartnerEntitlement, v1alpha1.CapabilityRollout) {
	partner := v1alpha1.PartnerEntitlement{ObjectMeta: metav1.ObjectMeta{Namespace: "prints", Name: "acme"}}
	partner.Spec = v1alpha1.PartnerEntitlementSpec{
		OrganizationID: "org_acme01", Package: v1alpha1.PackageStandard, State: v1alpha1.StateActive,
		Contract:     &v1alpha1.Contract{Reference: "C-1", EffectiveFrom: metav1.NewTime(began().AddDate(-1, 0, 0))},
		Capabilities: []v1alpha1.CapabilityGrant{{Name: "preflight"}}, Scopes: []v1alpha1.Scope{"preflight:read"},
		Keys: []v1alpha1.APIKey{{
			Name: "live", Kind: v1alpha1.KeyKindLive, State: v1alpha1.KeyStateActive, SHA256: strings.Repeat("cd", 32), Scopes: []v1alpha1.Scope{"preflight:read"},
		}},
	}
	rollout := v1alpha1.CapabilityRollout{ObjectMeta: metav1.ObjectMeta{Namespace: "prints", Name: "preflight"}}
	rollout.Spec = v1alpha1.CapabilityRolloutSpec{
		Capability: "preflight", Stage: v1alpha1.StageLive, Change: v1alpha1.Change{Ticket: "T-1"},
		Schedule: &v1alpha1.Schedule{NotBefore: new(metav1.NewTime(began()))},
	}
	return partner, rollout
}

func editedAt(o metav1.Object, at time.Time) {
	o.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: "kubectl", Time: new(metav1.NewTime(at))}})
}

func TestAnswersReportSinceWhenTheyHold(t *testing.T) {
	t.Parallel()
	later := began().Add(90 * time.Minute)
	const clock, edit = "2026-11-18T12:00:00Z", "edited 2026-11-18T13:30:00Z or later"
	for name, tc := range map[string]struct {
		change func(*v1alpha1.PartnerEntitlement, *v1alpha1.CapabilityRollout)
		// reads and writes are the expected descriptions for live keys.
		reads, writes string
	}{
		"by the schedule, and unknown for objects without edit times": {
			func(*v1alpha1.PartnerEntitlement, *v1alpha1.CapabilityRollout) {}, "Open " + clock, "ScopeMissing ",
		},
		"by an edit of the partner, who lacks a scope": {
			func(p *v1alpha1.PartnerEntitlement, _ *v1alpha1.CapabilityRollout) { editedAt(p, later) }, "Open " + edit, "ScopeMissing " + edit,
		},
		"by an edit of the rollout, which scopes do not follow from": {
			func(_ *v1alpha1.PartnerEntitlement, r *v1alpha1.CapabilityRollout) { editedAt(r, later) }, "Open " + edit, "ScopeMissing ",
		},
		"by the schedule, if the edit was before it": {
			func(_ *v1alpha1.PartnerEntitlement, r *v1alpha1.CapabilityRollout) {
				editedAt(r, began().Add(-time.Hour))
			}, "Open " + clock, "ScopeMissing ",
		},
		"to partners with certificates, too": {
			func(p *v1alpha1.PartnerEntitlement, _ *v1alpha1.CapabilityRollout) {
				p.Spec.RequireClientCertificate = true
				p.Spec.ClientCertificates = []v1alpha1.ClientCertificate{{Name: "edi", SPKISHA256: strings.Repeat("ab", 32)}}
			}, "Open " + clock, "ScopeMissing ",
		},
		"but not where no key is known any more": {
			func(p *v1alpha1.PartnerEntitlement, _ *v1alpha1.CapabilityRollout) {
				editedAt(p, later)
				p.Spec.RequireClientCertificate = true
			}, "CertificateUnpinned ", "CertificateUnpinned ",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			partner, rollout := scheduled()
			tc.change(&partner, &rollout)
			p := explain.New(posture.Inputs{Partners: []v1alpha1.PartnerEntitlement{partner}, Rollouts: []v1alpha1.CapabilityRollout{rollout}})
			described := map[string]string{}
			for _, a := range p.Explain("acme", explain.Question{Capability: posture.Preflight}, posturetest.Judged()).Answers {
				if described[a.Access] == "" {
					described[a.Access] = a.Reason + " " + a.Since.String()
				}
			}
			if diff := cmp.Diff(map[string]string{"read": tc.reads, "write": tc.writes}, described); diff != "" {
				t.Errorf("answers to live keys (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAnswersChangeAtTheReportedTime decides just before the reported time, for objects
// without edit times.
func TestAnswersChangeAtTheReportedTime(t *testing.T) {
	t.Parallel()
	described := 0
	posturetest.Each(t, func(t *testing.T, _ posturetest.Generator, in posture.Inputs) {
		t.Helper()
		p := explain.New(in)
		for _, o := range p.Partners() {
			for c := range posture.Capabilities() {
				described += checkTurns(t, p, p.Name(o), c)
			}
		}
	})
	if described == 0 {
		t.Error("no answer reports a time, so the test proves nothing")
	}
}

// checkTurns returns the number of answers that report a time.
func checkTurns(t *testing.T, p *explain.Prober, name string, c posture.Capability) (described int) {
	t.Helper()
	at := func(now time.Time) []explain.Answer {
		return p.Explain(name, explain.Question{Capability: c}, now).Answers
	}
	for i, a := range at(posturetest.Judged()) {
		if a.Since == nil {
			continue
		}
		described++
		before, then := at(a.Since.At.Add(-1))[i], at(a.Since.At)[i]
		if a.Since.Edited || before.Reason == a.Reason || then.Reason != a.Reason {
			t.Errorf("%s %s: %s since %s, where it was %s before and %s then", name, c, a.Reason, a.Since, before.Reason, then.Reason)
		}
	}
	return described
}
