// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
)

// shape is what the code that is common to all kinds must know of one.
type shape[O client.Object] struct {
	kind string
	make func() O
	// copy is DeepCopy, which no interface has with its true type.
	copy func(O) O
	// status points at the status of an object.
	status func(O) any
	// common points at the members that every status has.
	common func(O) (*[]metav1.Condition, *int64)
	// fill writes the members of a report that the kind alone has.
	fill func(O, any)
}

func rolloutShape() shape[*v1alpha1.CapabilityRollout] {
	type object = *v1alpha1.CapabilityRollout
	return shape[object]{
		kind:   v1alpha1.KindCapabilityRollout,
		make:   func() object { return &v1alpha1.CapabilityRollout{} },
		copy:   object.DeepCopy,
		status: func(o object) any { return &o.Status },
		common: func(o object) (*[]metav1.Condition, *int64) {
			return &o.Status.Conditions, &o.Status.ObservedGeneration
		},
		fill: func(o object, report any) { fillRollout(&o.Status, report.(posture.RolloutReport)) },
	}
}

func partnerShape() shape[*v1alpha1.PartnerEntitlement] {
	type object = *v1alpha1.PartnerEntitlement
	return shape[object]{
		kind:   v1alpha1.KindPartnerEntitlement,
		make:   func() object { return &v1alpha1.PartnerEntitlement{} },
		copy:   object.DeepCopy,
		status: func(o object) any { return &o.Status },
		common: func(o object) (*[]metav1.Condition, *int64) {
			return &o.Status.Conditions, &o.Status.ObservedGeneration
		},
		fill: func(o object, report any) { fillPartner(&o.Status, report.(posture.PartnerReport)) },
	}
}

func senderShape() shape[*v1alpha1.XJMFSender] {
	type object = *v1alpha1.XJMFSender
	return shape[object]{
		kind:   v1alpha1.KindXJMFSender,
		make:   func() object { return &v1alpha1.XJMFSender{} },
		copy:   object.DeepCopy,
		status: func(o object) any { return &o.Status },
		common: func(o object) (*[]metav1.Condition, *int64) {
			return &o.Status.Conditions, &o.Status.ObservedGeneration
		},
		fill: func(o object, report any) { fillSender(&o.Status, report.(posture.SenderReport)) },
	}
}

func fillRollout(s *v1alpha1.CapabilityRolloutStatus, r posture.RolloutReport) {
	s.EffectiveStage = v1alpha1.Stage(r.EffectiveStage)
	s.Cohort, s.Admitted = r.Cohort, r.Admitted
	s.Denials = nil
	for _, d := range r.Denials {
		s.Denials = append(s.Denials, v1alpha1.Denial{Reason: d.Reason.String(), Partners: d.Partners})
	}
	s.NextTransition = seconds(r.NextTransition)
}

func fillPartner(s *v1alpha1.PartnerEntitlementStatus, r posture.PartnerReport) {
	s.Open, s.Keys = r.Open, r.Keys
	s.Capabilities = nil
	for _, c := range r.Capabilities {
		one := v1alpha1.CapabilityPosture{Name: v1alpha1.CapabilityName(c.Name.String()), Posture: v1alpha1.Opening(c.Posture), Reason: c.Reason}
		for _, kind := range c.KeyKinds {
			one.KeyKinds = append(one.KeyKinds, v1alpha1.KeyKind(kind))
		}
		s.Capabilities = append(s.Capabilities, one)
	}
	s.NextTransition = seconds(r.NextTransition)
}

func fillSender(s *v1alpha1.XJMFSenderStatus, r posture.SenderReport) {
	s.ActiveSecrets = slices.Clone(r.ActiveSecrets)
	s.Secrets = strings.Join(r.ActiveSecrets, ",")
	s.NextRotation = seconds(r.NextRotation)
}

// seconds is an instant as a status holds it, which is in whole seconds.
func seconds(t *time.Time) *metav1.Time {
	if t == nil {
		return nil
	}
	return new(metav1.NewTime(t.UTC().Truncate(time.Second)))
}

// subject is an object as the board takes it in.
func (s shape[O]) subject(o O, report any, conditions []posture.Condition) subject {
	return subject{
		key:     key{s.kind, types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}},
		uid:     o.GetUID(),
		version: o.GetResourceVersion(), generation: o.GetGeneration(), labels: o.GetLabels(),
		report: report, conditions: conditions, before: s.past(o),
	}
}

// past reads an object's own status.
func (s shape[O]) past(o O) past {
	conditions, _ := s.common(o)
	var p past
	if c := meta.FindStatusCondition(*conditions, v1alpha1.ConditionPropagated); c != nil &&
		c.Status == metav1.ConditionTrue && c.ObservedGeneration == o.GetGeneration() {
		p.propagated = &verdict{c.Status, c.Reason, c.Message}
	}
	if c := meta.FindStatusCondition(*conditions, v1alpha1.ConditionReady); c != nil {
		p.reason = c.Reason
	}
	return p
}

// pointer is the pointer type of an object.
type pointer[T any] interface {
	client.Object
	*T
}

func byName[T any, O pointer[T]](items []T, _ shape[O]) map[types.NamespacedName]O {
	out := make(map[types.NamespacedName]O, len(items))
	for i := range items {
		o := O(&items[i])
		out[types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}] = o
	}
	return out
}
