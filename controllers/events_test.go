// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/test/eventually"
)

// events counts the Events of an object by type and reason, as "Normal Enforced".
func (s *installation) events(name string) (map[string]int, error) {
	var list corev1.EventList
	if err := s.admin.List(s.t.Context(), &list, client.InNamespace(s.namespace)); err != nil {
		return nil, err
	}
	recorded := map[string]int{}
	for _, e := range list.Items {
		if e.InvolvedObject.Name == name {
			recorded[e.Type+" "+e.Reason]++
		}
		if strings.Contains(e.Message, secretValue) {
			s.t.Errorf("an Event contains a secret: %s", e.Message)
		}
	}
	return recorded, nil
}

func TestAKillSwitchIsRecordedAsAnEvent(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	s.serve("10.0.0.1", "pod-1")
	s.start()
	capability, order := rollout("rfq-create"), rollout("order")
	s.create(capability, order)
	s.ready(capability, "True/Enforced")
	s.ready(order, "False/AboveCeiling")
	s.edit(capability, func() {
		capability.Spec.KillSwitch = &v1alpha1.KillSwitch{State: v1alpha1.KillSwitchEngaged, Reason: "INC-1"}
	})
	s.ready(capability, "True/Killed")
	s.edit(capability, func() { capability.Spec.KillSwitch.State = v1alpha1.KillSwitchReleased })
	s.ready(capability, "True/Enforced")
	eventually.Succeeds(t, func() error {
		recorded, err := s.events("rfq-create")
		other, otherErr := s.events("order")
		if err := errors.Join(err, otherErr); err != nil {
			return err
		}
		if recorded["Warning Killed"] != 1 || recorded["Normal Enforced"] < 1 || recorded["Normal Enforced"] > 2 ||
			recorded["Normal KillSwitchChanged"] < 1 || len(recorded) != 3 {
			return fmt.Errorf("events of the kill switch: %v", recorded)
		}
		if len(other) != 1 || other["Warning AboveCeiling"] != 1 {
			return fmt.Errorf("events of the ceiling: %v", other)
		}
		return nil
	})
}

// measured returns the value of a metric with these labels, given as "kind=x,ready=y".
func measured(t *testing.T, registry *prometheus.Registry, name, labels string) float64 {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatalf("registry.Gather: %v", err)
	}
	for _, family := range families {
		if family.GetName() != name {
			continue
		}
		for _, m := range family.GetMetric() {
			var pairs []string
			for _, l := range m.GetLabel() {
				pairs = append(pairs, l.GetName()+"="+l.GetValue())
			}
			if strings.Join(pairs, ",") == labels {
				return m.GetGauge().GetValue() + m.GetCounter().GetValue() + float64(m.GetHistogram().GetSampleCount())
			}
		}
	}
	return -1
}

func TestMetricsCountObjectsReplicasAndTransitions(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	one := s.serve("10.0.0.1", "pod-1")
	p := s.start()
	acme, order := partner("acme"), rollout("order")
	s.create(acme, order)
	s.ready(acme, "True/Enforced")
	s.becomes(order, v1alpha1.ConditionPropagated, "True/AllReplicas")
	one.hold()
	s.edit(acme, func() { acme.Spec.State = v1alpha1.StateSuspended })
	s.ready(acme, "False/Progressing")
	s.clock.SetTime(s.clock.Now().Add(20 * time.Second))
	eventually.Succeeds(t, func() error {
		for labels, want := range map[[2]string]float64{
			{"printmarket_controller_objects", "kind=PartnerEntitlement,ready=False"}:                  1,
			{"printmarket_controller_objects", "kind=PartnerEntitlement,ready=True"}:                   -1,
			{"printmarket_controller_objects", "kind=CapabilityRollout,ready=False"}:                   1,
			{"printmarket_controller_gate_secret_age_seconds", ""}:                                     20,
			{"printmarket_controller_replicas", "state=behind"}:                                        1,
			{"printmarket_controller_replicas", "state=enforcing"}:                                     0,
			{"printmarket_controller_transitions_total", "kind=PartnerEntitlement,reason=Enforced"}:    1,
			{"printmarket_controller_transitions_total", "kind=CapabilityRollout,reason=AboveCeiling"}: 1,
		} {
			if got := measured(t, p.metrics, labels[0], labels[1]); got != want {
				return fmt.Errorf("%s{%s} = %v, want %v", labels[0], labels[1], got, want)
			}
		}
		if measured(t, p.metrics, "printmarket_controller_compile_seconds", "") < 1 {
			return errors.New("no compilation was measured")
		}
		return nil
	})
}
