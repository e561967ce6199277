// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/util/intstr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/controllers"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/kubesource"
)

// withPreflight is the option of an installation with preflight workers.
func withPreflight(_ *ctrl.Options, o *controllers.Options) { o.PreflightService = preflightService }

// TestReadyMeansThatEveryProcessHasTheProfile checks that API servers and preflight workers have the
// applied profile as soon as it is Ready. The workers have only the rights of their Role.
func TestReadyMeansThatEveryProcessHasTheProfile(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	all := []*posture.Gates{s.gates("10.0.0.1", "pod-1")}
	user := s.userWith(readRole(t, "worker_role.yaml", s.namespace), "worker")
	for _, address := range []string{"10.0.2.1", "10.0.2.2"} {
		f := s.follow(address, kubesource.Config{Rest: user.Config(), Now: s.clock.Now, ProfilesOnly: true})
		s.create(preflightSliceOf(address, "worker-"+address))
		all = append(all, f.gates)
	}
	s.start(withPreflight)
	house := profile("house", 5)
	s.create(house)
	for limit := int32(5); limit < 10; limit++ {
		s.edit(house, func() {
			house.Spec.Rules["box.bleed_short"] = v1alpha1.ProfileRule{Limit: new(intstr.FromInt32(limit))}
		})
		s.ready(house, "True/Enforced")
		for i, gates := range all {
			compiled, found := gates.Current(s.clock.Now()).Profile("house")
			if !found || *compiled.Rules["box.bleed_short"].Limit != float64(limit) || compiled.Digest != house.Status.Digest {
				t.Errorf("process %d: %+v with the digest %s, want the limit %d and the digest %s", i, compiled.Rules["box.bleed_short"], compiled.Digest, limit, house.Status.Digest)
			}
		}
	}
	if house.Status.Rules < 10 {
		t.Errorf("status.rules = %d, want also the rules of print_ready", house.Status.Rules)
	}
}

func TestAProfileWaitsForPreflightWorkers(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	worker := s.serveAs(preflightSliceOf("10.0.2.1", "worker-1"))
	s.start(withPreflight)
	house, acme := profile("house", 5), partner("acme")
	s.create(house, acme)
	s.ready(house, "True/Enforced")
	worker.hold()
	s.edit(house, func() { house.Spec.Version = "1.0.1" })
	s.ready(house, "False/Progressing")
	// Preflight workers do not enforce partners.
	s.edit(acme, func() { acme.Spec.State = v1alpha1.StateSuspended })
	s.ready(acme, "True/Suspended")
	worker.follow()
	s.ready(house, "True/Enforced")
}

func TestFaultsOfProfilesAreConditions(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	s.start()
	house, acme := profile("house", 5), partner("acme")
	house.Spec.Rules["box.unknown"] = v1alpha1.ProfileRule{Severity: "error"}
	acme.Spec.Capabilities = append(acme.Spec.Capabilities, v1alpha1.CapabilityGrant{Name: "preflight", Profiles: []string{"house"}})
	s.create(house, acme)
	s.ready(house, "False/InvalidProfile")
	const want = "spec.rules[box.unknown]: there is no such rule; printmarket preflight rules lists them. Until the field is fixed, requests with this profile get 422."
	if c := meta.FindStatusCondition(house.Status.Conditions, v1alpha1.ConditionReady); c.Message != want {
		t.Errorf("message %q, want %q", c.Message, want)
	}
	s.becomes(house, v1alpha1.ConditionStalled, "True/InvalidProfile")
	// The partner is served; only the profile is closed.
	s.ready(acme, "True/Enforced")
	s.becomes(acme, v1alpha1.ConditionProfilesResolved, "False/ProfileNotUsable")
	s.edit(house, func() { delete(house.Spec.Rules, "box.unknown") })
	s.ready(house, "True/Enforced")
	s.becomes(acme, v1alpha1.ConditionProfilesResolved, "True/Resolved")
	s.delete(house)
	s.becomes(acme, v1alpha1.ConditionProfilesResolved, "False/ProfileNotUsable")
}
