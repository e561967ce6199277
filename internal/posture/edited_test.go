// SPDX-License-Identifier: Apache-2.0

package posture_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/test/posturetest"
)

// touched returns an entry of managed fields.
func touched(at time.Time) metav1.ManagedFieldsEntry {
	return metav1.ManagedFieldsEntry{Manager: "kubectl", Time: new(metav1.NewTime(at))}
}

func TestSinceReturnsTheLaterOfClockAndEdit(t *testing.T) {
	t.Parallel()
	begun, turned, now := moments[0], moments[1], moments[3]
	after, before := turned.Add(time.Hour), turned.Add(-time.Hour)
	killed := func(_ *v1alpha1.PartnerEntitlement, r *v1alpha1.CapabilityRollout) {
		r.Spec.KillSwitch = &v1alpha1.KillSwitch{State: v1alpha1.KillSwitchEngaged, Reason: "INC-1"}
	}
	suspended := func(p *v1alpha1.PartnerEntitlement, _ *v1alpha1.CapabilityRollout) {
		p.Spec.State = v1alpha1.StateSuspended
	}
	excluded := func(p *v1alpha1.PartnerEntitlement, r *v1alpha1.CapabilityRollout) {
		r.Spec.Audience = &v1alpha1.Audience{Excluded: []string{p.Name}}
	}
	for name, tc := range map[string]struct {
		edit             func(*v1alpha1.PartnerEntitlement, *v1alpha1.CapabilityRollout)
		partner, rollout time.Time
		want             posture.Since
	}{
		"the schedule, without a later edit":  {nil, before, before, posture.Since{At: turned}},
		"the schedule, if edits have no time": {nil, time.Time{}, time.Time{}, posture.Since{At: turned}},
		"an edit of the partner after that":   {nil, after, before, posture.Since{At: after, Edited: true}},
		"an edit of the rollout after that":   {nil, before, after, posture.Since{At: after, Edited: true}},
		"not an edit that is to come":         {nil, now.Add(1), before, posture.Since{At: turned}},
		"a kill switch: the rollout":          {killed, after, before, posture.Since{At: before, Edited: true}},
		"a suspension: the partner":           {suspended, before, after, posture.Since{At: before, Edited: true}},
		"the audience: the later of the two":  {excluded, before, after, posture.Since{At: after, Edited: true}},
		"nothing, if nothing is known":        {killed, after, time.Time{}, posture.Since{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := posturetest.Generator(func(int) int { return 1 }).Inputs() // sound, without schedules
			p := &in.Partners[0]
			p.Spec.Contract = &v1alpha1.Contract{Reference: "C-1", EffectiveFrom: metav1.NewTime(begun)}
			p.ManagedFields = []metav1.ManagedFieldsEntry{touched(tc.partner)}
			for i := range in.Rollouts {
				if r := &in.Rollouts[i]; r.Name == posture.RFQCreate.String() {
					r.Spec = v1alpha1.CapabilityRolloutSpec{
						Capability: "rfq-create", Stage: v1alpha1.StageLive, Change: v1alpha1.Change{Ticket: "T-1"},
						Schedule: &v1alpha1.Schedule{NotBefore: new(metav1.NewTime(turned))},
					}
					r.ManagedFields = []metav1.ManagedFieldsEntry{touched(tc.rollout)}
					if tc.edit != nil {
						tc.edit(p, r)
					}
				}
			}
			for i := range in.Partners {
				in.Partners[i].CreationTimestamp = metav1.Time{}
			}
			for i := range in.Rollouts {
				in.Rollouts[i].CreationTimestamp = metav1.Time{}
			}
			s := posture.Compile(in)
			caller, reason := s.Authenticate(generatedKeys()["live:acme"], posture.Connection{}, now)
			if !caller.Valid() {
				t.Fatalf("Authenticate: reason %s", reason)
			}
			got := s.Since(caller, posture.RFQCreate, true, now)
			if !got.At.Equal(tc.want.At) || got.Edited != tc.want.Edited {
				t.Errorf("%+v, want %+v (%s)", got, tc.want, s.Decide(caller, posture.RFQCreate, true, now).Reason)
			}
		})
	}
	var none *posture.Snapshot
	if got := none.Since(posture.Caller{}, posture.RFQCreate, true, now); got != (posture.Since{}) {
		t.Errorf("without a snapshot: %+v", got)
	}
	if got := posture.Compile(posture.Inputs{}).Since(posture.Caller{}, posture.RFQCreate, true, now); got != (posture.Since{}) {
		t.Errorf("for the zero Caller: %+v", got)
	}
}
