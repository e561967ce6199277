// SPDX-License-Identifier: Apache-2.0

// Package posturetest draws marketplaces for tests of what is made of a posture.
package posturetest

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
)

// Judged is a time around which contracts, schedules and ramps begin and end.
func Judged() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }

// Each runs a test in worlds that are the same each time.
func Each(t *testing.T, test func(t *testing.T, w World, in posture.Inputs)) {
	t.Helper()
	for seed := range uint64(20) {
		w := World{rand.New(rand.NewPCG(seed, 1))}
		test(t, w, w.Inputs())
	}
}

// World is a marketplace in which anything may be in the way of anybody, drawn anew
// by each [World.Inputs].
type World struct{ *rand.Rand }

func (w World) maybe(percent int) bool { return w.IntN(100) < percent }

func (w World) instant() metav1.Time {
	return metav1.NewTime(Judged().Add(time.Duration(w.IntN(9)-4) * 24 * time.Hour))
}

// Inputs are three partners, and rollouts of most capabilities.
func (w World) Inputs() posture.Inputs {
	var in posture.Inputs
	names := []string{"acme", "globex", "stark"}
	for _, name := range names {
		in.Partners = append(in.Partners, w.partner(name))
	}
	for c := range posture.Capabilities() {
		if w.maybe(90) {
			in.Rollouts = append(in.Rollouts, w.rollout(c, names))
		}
	}
	return in
}

func (w World) partner(name string) v1alpha1.PartnerEntitlement {
	o := v1alpha1.PartnerEntitlement{ObjectMeta: metav1.ObjectMeta{Namespace: "prints", Name: name}}
	o.Spec = v1alpha1.PartnerEntitlementSpec{OrganizationID: "org_" + name + "01", Package: v1alpha1.PackageStandard, State: v1alpha1.StateActive}
	if w.maybe(10) {
		o.Spec.State = v1alpha1.StateSuspended
	}
	if w.maybe(20) {
		o.Spec.OrganizationID = "org_twice1"
	}
	if w.maybe(90) {
		o.Spec.Contract = &v1alpha1.Contract{EffectiveFrom: w.instant()}
		if w.maybe(30) {
			until := w.instant()
			o.Spec.Contract.EffectiveUntil = &until
		}
	}
	o.Spec.RequireClientCertificate = w.maybe(15)
	if w.maybe(50) {
		until := w.instant()
		o.Spec.ClientCertificates = []v1alpha1.ClientCertificate{{Name: "edi", SPKISHA256: strings.Repeat("ab", 32), NotAfter: &until}}
	}
	for c := range posture.Capabilities() {
		if w.maybe(80) {
			o.Spec.Capabilities = append(o.Spec.Capabilities, v1alpha1.CapabilityGrant{Name: v1alpha1.CapabilityName(c.String())})
		}
	}
	for s := range posture.AllScopes() {
		if w.maybe(80) {
			o.Spec.Scopes = append(o.Spec.Scopes, v1alpha1.Scope(s.String()))
		}
	}
	return o
}

func (w World) rollout(c posture.Capability, names []string) v1alpha1.CapabilityRollout {
	o := v1alpha1.CapabilityRollout{ObjectMeta: metav1.ObjectMeta{Namespace: "prints", Name: c.String()}}
	o.Spec.Capability = v1alpha1.CapabilityName(c.String())
	stages := []v1alpha1.Stage{v1alpha1.StageDisabled, v1alpha1.StageSandbox, v1alpha1.StagePrivateBeta, v1alpha1.StagePrivateBeta, v1alpha1.StageLive}
	o.Spec.Stage = stages[w.IntN(len(stages))]
	if o.Spec.Stage == v1alpha1.StagePrivateBeta && w.maybe(95) || w.maybe(20) {
		o.Spec.Audience = &v1alpha1.Audience{Partners: names[:1+w.IntN(len(names))]}
		if w.maybe(20) {
			o.Spec.Audience.Excluded = names[w.IntN(len(names)):]
		}
	}
	if w.maybe(10) {
		o.Spec.KillSwitch = &v1alpha1.KillSwitch{State: v1alpha1.KillSwitchEngaged}
	}
	if w.maybe(40) {
		o.Spec.Schedule = &v1alpha1.Schedule{}
		if w.maybe(50) {
			from := w.instant()
			o.Spec.Schedule.NotBefore = &from
		}
		if w.maybe(30) {
			until := w.instant()
			o.Spec.Schedule.NotAfter = &until
		}
		if w.maybe(40) {
			o.Spec.Schedule.Ramp = []v1alpha1.RampStep{{At: metav1.NewTime(Judged().Add(-time.Hour)), Percent: 40}, {At: metav1.NewTime(Judged().Add(time.Hour)), Percent: 100}}
		}
	}
	return o
}
