// SPDX-License-Identifier: Apache-2.0

package posture_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/test/posturetest"
)

func TestPartsOfObjectsEnd(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	at := func(days int) *metav1.Time { return new(metav1.NewTime(now.AddDate(0, 0, days))) }
	secret := func(name string, from, until *metav1.Time) v1alpha1.SharedSecret {
		return v1alpha1.SharedSecret{Name: name, NotBefore: from, NotAfter: until}
	}
	sender := func(secrets ...v1alpha1.SharedSecret) []posture.End {
		return posture.SenderEnds(&v1alpha1.XJMFSender{Spec: v1alpha1.XJMFSenderSpec{Secrets: secrets}})
	}
	partner := func(spec v1alpha1.PartnerEntitlementSpec) []posture.End {
		return posture.PartnerEnds(&v1alpha1.PartnerEntitlement{Spec: spec})
	}
	for name, tc := range map[string]struct {
		ends []posture.End
		want []posture.End
	}{
		"a contract without an end": {ends: partner(v1alpha1.PartnerEntitlementSpec{Contract: &v1alpha1.Contract{}})},
		"a contract with an end": {
			partner(v1alpha1.PartnerEntitlementSpec{Contract: &v1alpha1.Contract{EffectiveUntil: at(3)}}),
			[]posture.End{{Part: posture.PartContract, At: at(3).Time}},
		},
		"an active and a revoked key": {
			partner(v1alpha1.PartnerEntitlementSpec{Keys: []v1alpha1.APIKey{
				{Name: "live-1", State: v1alpha1.KeyStateActive, ExpiresAt: at(4)}, {Name: "live-2", State: v1alpha1.KeyStateRevoked, ExpiresAt: at(4)},
			}}),
			[]posture.End{{posture.PartKey, "live-1", at(4).Time}},
		},
		"a grant, a certificate and a webhook": {
			partner(v1alpha1.PartnerEntitlementSpec{
				Capabilities:       []v1alpha1.CapabilityGrant{{Name: "preflight", NotAfter: at(5)}},
				ClientCertificates: []v1alpha1.ClientCertificate{{Name: "main", NotAfter: at(6)}},
				Webhooks:           []v1alpha1.Webhook{{Name: "mis", Secrets: []v1alpha1.SharedSecret{secret("one", nil, at(7))}}},
			}),
			[]posture.End{{posture.PartGrant, "preflight", at(5).Time}, {posture.PartCertificate, "main", at(6).Time}, {posture.PartSecret, "mis/one", at(7).Time}},
		},
		"a schedule": {
			posture.RolloutEnds(&v1alpha1.CapabilityRollout{Spec: v1alpha1.CapabilityRolloutSpec{Schedule: &v1alpha1.Schedule{NotAfter: at(8)}}}),
			[]posture.End{{Part: posture.PartSchedule, At: at(8).Time}},
		},
		"a secret that another one replaces without a gap": {
			sender(secret("current", nil, at(3)), secret("next", at(3), at(300))), []posture.End{{posture.PartSecret, "next", at(300).Time}},
		},
		"a secret that another one replaces with a gap": {
			sender(secret("current", nil, at(3)), secret("next", at(4), nil)), []posture.End{{posture.PartSecret, "current", at(3).Time}},
		},
	} {
		if diff := cmp.Diff(tc.want, tc.ends); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestReportWarnsFourteenDaysBeforeAnEnd(t *testing.T) {
	t.Parallel()
	end := posturetest.Judged().Add(20 * 24 * time.Hour)
	rollout := v1alpha1.CapabilityRollout{ObjectMeta: metav1.ObjectMeta{Name: "preflight", Namespace: "default"}, Spec: v1alpha1.CapabilityRolloutSpec{
		Capability: "preflight", Stage: v1alpha1.StageLive, Schedule: &v1alpha1.Schedule{NotAfter: new(metav1.NewTime(end))},
	}}
	snapshot := posture.Compile(posture.Inputs{Rollouts: []v1alpha1.CapabilityRollout{rollout}})
	begins := end.Add(-posture.Soon)
	for name, tc := range map[string]struct {
		now, next time.Time
		status    string
	}{
		"20 days before":              {posturetest.Judged(), begins, "False"},
		"just before the warning":     {begins.Add(-1), begins, "False"},
		"at the start of the warning": {begins, end, "True"},
		"just before the end":         {end.Add(-1), end, "True"},
		"at the end":                  {end, time.Time{}, "False"},
	} {
		report := snapshot.Report(tc.now)
		var next time.Time
		if report.NextTransition != nil {
			next = *report.NextTransition
		}
		var status string
		for _, c := range report.Rollouts[0].Conditions {
			if c.Type == v1alpha1.ConditionEndsSoon {
				status = c.Status
			}
		}
		if status != tc.status || !next.Equal(tc.next) {
			t.Errorf("%s: EndsSoon %s, next change %s; want %s, %s", name, status, next, tc.status, tc.next)
		}
	}
}
