// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
)

// CapabilityRolloutReconciler writes the status of CapabilityRollouts.
type CapabilityRolloutReconciler struct{ *statusWriter }

// +kubebuilder:rbac:namespace=printmarket,groups=marketplace.printmarket.dev,resources=capabilityrollouts,verbs=get;list;watch
// +kubebuilder:rbac:namespace=printmarket,groups=marketplace.printmarket.dev,resources=capabilityrollouts/status,verbs=patch

// Reconcile updates the status of one CapabilityRollout. The compiler
// runs again at the next transition and triggers each object that it changes.
func (r *CapabilityRolloutReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	cached := &v1alpha1.CapabilityRollout{}
	if err := r.client.Get(ctx, req.NamespacedName, cached); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if cached.DeletionTimestamp != nil {
		return ctrl.Result{}, nil
	}
	rollout, state := latest(r.tracker, cached)
	want := rollout.DeepCopy()
	if state.compiled(want) {
		report := state.report.(posture.RolloutReport)
		setRolloutStatus(&want.Status, report)
		recordHistory(want, r.now(), report.Steps, rollout.Status.Admitted)
	}
	setConditions(want, state, r.now())
	// The analysis has its own field manager.
	rollout = rollout.DeepCopy()
	rollout.Status.Analysis, want.Status.Analysis = nil, nil
	return r.applyStatus(ctx, rollout, want)
}

// SetupWithManager adds the reconciler to a manager.
func (r *CapabilityRolloutReconciler) SetupWithManager(mgr ctrl.Manager) error {
	return r.setup(mgr, &v1alpha1.CapabilityRollout{}, r)
}

func setRolloutStatus(s *v1alpha1.CapabilityRolloutStatus, r posture.RolloutReport) {
	s.EffectiveStage = v1alpha1.Stage(r.EffectiveStage)
	s.Cohort, s.Percent, s.Admitted, s.Entitled = r.Cohort, r.Percent, r.Admitted, r.Entitled
	s.Denials = nil
	for _, d := range r.Denials {
		s.Denials = append(s.Denials, v1alpha1.Denial{Reason: d.Reason.String(), Partners: d.Partners})
	}
	s.NextTransition = statusTime(r.NextTransition)
}
