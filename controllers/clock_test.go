// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/test/eventually"
)

// TestAStatusChangesWithTheClock checks that a status follows the clock without an
// edit: at the instant of a transition, over several transitions at once, and
// backwards.
func TestAStatusChangesWithTheClock(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	s.start()
	start := s.clock.Now()
	capability := rollout("rfq-create")
	capability.Spec.Schedule = &v1alpha1.Schedule{
		NotBefore: new(metav1.NewTime(start.Add(time.Hour))), NotAfter: new(metav1.NewTime(start.Add(3 * time.Hour))),
		Ramp: []v1alpha1.RampStep{{At: metav1.NewTime(start.Add(time.Hour)), Percent: 10}, {At: metav1.NewTime(start.Add(2 * time.Hour)), Percent: 100}},
	}
	s.create(partner("acme"), capability)
	for _, step := range []struct {
		at     time.Duration
		ready  string
		cohort string
		next   time.Duration
	}{
		{0, "True/NotStarted", "ramp 0 %, 0 of 1 admitted", time.Hour},
		{time.Hour - time.Nanosecond, "True/NotStarted", "ramp 0 %, 0 of 1 admitted", time.Hour},
		{2 * time.Hour, "True/Enforced", "ramp 100 %, 1 of 1 admitted", 3 * time.Hour},
		{3 * time.Hour, "True/Ended", "ramp 0 %, 0 of 1 admitted", 0},
		{time.Hour - time.Second, "True/NotStarted", "ramp 0 %, 0 of 1 admitted", time.Hour},
		{100 * time.Hour, "True/Ended", "ramp 0 %, 0 of 1 admitted", 0},
		{3*time.Hour - time.Nanosecond, "True/Enforced", "ramp 100 %, 1 of 1 admitted", 3 * time.Hour},
	} {
		s.clock.SetTime(start.Add(step.at))
		eventually.Succeeds(t, func() error {
			if err := s.refresh(capability); err != nil {
				return err
			}
			var next time.Duration
			if capability.Status.NextTransition != nil {
				next = capability.Status.NextTransition.Sub(start)
			}
			if capability.Status.Cohort != step.cohort || next != step.next {
				return fmt.Errorf("at %v: cohort %s, next %v, want %s, %v", step.at, capability.Status.Cohort, next, step.cohort, step.next)
			}
			return is(capability, v1alpha1.ConditionReady, step.ready)
		})
	}
}

// TestAPartnersStatusChangesWithTheClock checks the end of a contract and of a key.
func TestAPartnersStatusChangesWithTheClock(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	s.start()
	start := s.clock.Now()
	acme := partner("acme")
	acme.Spec.Contract.EffectiveUntil = new(metav1.NewTime(start.Add(2 * time.Hour)))
	acme.Spec.Keys = []v1alpha1.APIKey{{
		Name: "a", Kind: v1alpha1.KeyKindLive, SHA256: fmt.Sprintf("%064d", 1), ExpiresAt: new(metav1.NewTime(start.Add(time.Hour))),
	}}
	s.create(acme)
	keys := func(ready, keys string) {
		t.Helper()
		eventually.Succeeds(t, func() error {
			if err := s.refresh(acme); err != nil {
				return err
			}
			if acme.Status.Keys != keys {
				return fmt.Errorf("keys %q, want %q", acme.Status.Keys, keys)
			}
			return is(acme, v1alpha1.ConditionReady, ready)
		})
	}
	keys("True/Enforced", "1 live, 0 test")
	s.clock.SetTime(start.Add(time.Hour))
	keys("True/Enforced", "0 live, 0 test")
	s.clock.SetTime(start.Add(2 * time.Hour))
	keys("True/ContractNotEffective", "0 live, 0 test")
	if err := errors.Join(is(acme, v1alpha1.ConditionContractEffective, "False/Expired"), is(acme, v1alpha1.ConditionStalled, "False/Enforced")); err != nil {
		t.Errorf("errors.Join: %v", err)
	}
	since := meta.FindStatusCondition(acme.Status.Conditions, v1alpha1.ConditionContractEffective).LastTransitionTime
	if !since.Time.Equal(start.Add(2 * time.Hour)) {
		t.Errorf("the contract ended at %v, want %v", since, start.Add(2*time.Hour))
	}
}

// TestAStatusWarnsBeforeAnEnd checks the condition and the metrics 14 days before the end of a key, and
// after the end.
func TestAStatusWarnsBeforeAnEnd(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	p := s.start()
	start := s.clock.Now()
	end := start.Add(20 * 24 * time.Hour)
	acme := partner("acme")
	acme.Spec.Keys = []v1alpha1.APIKey{{Name: "a", Kind: v1alpha1.KeyKindLive, SHA256: fmt.Sprintf("%064d", 1), ExpiresAt: new(metav1.NewTime(end))}}
	s.create(acme)
	const labels = "kind=PartnerEntitlement,part=key"
	for _, step := range []struct {
		at   time.Time
		want string
		soon float64
	}{
		{end.Add(-posture.Soon - time.Second), "False/NothingEnds", 0},
		{end.Add(-posture.Soon), "True/EndsSoon", 1},
		{end, "False/NothingEnds", 0},
	} {
		s.clock.SetTime(step.at)
		eventually.Succeeds(t, func() error {
			if err := s.refresh(acme); err != nil {
				return err
			}
			if got := measured(t, p.metrics, "printmarket_controller_ends_soon", labels); got != step.soon {
				return fmt.Errorf("at %s: %v keys end soon, want %v", step.at, got, step.soon)
			}
			return is(acme, v1alpha1.ConditionEndsSoon, step.want)
		})
		if step.soon > 0 {
			if got := measured(t, p.metrics, "printmarket_controller_next_end_timestamp_seconds", labels); got != float64(end.Unix()) {
				t.Errorf("the next end is %v, want %d", got, end.Unix())
			}
		}
	}
}

// TestASenderBeginsWithTheClock checks a sender whose only secret starts in the future: the sender
// becomes valid without an edit.
func TestASenderBeginsWithTheClock(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	s.start()
	begin := s.clock.Now().Add(time.Hour)
	mis := sender("acme", "acme", "acme-xjmf")
	mis.Spec.Secrets[0].NotBefore = new(metav1.NewTime(begin))
	s.create(partner("acme"), secret("acme-xjmf", secretValue), mis)
	s.ready(mis, "True/NotStarted")
	if err := is(mis, v1alpha1.ConditionStalled, "False/Enforced"); err != nil {
		t.Errorf(`is("False/Enforced"): %v`, err)
	}
	s.clock.SetTime(begin)
	s.ready(mis, "True/Enforced")
}
