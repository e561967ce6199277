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
		status := &want.Status
		status.EffectiveStage = v1alpha1.Stage(report.EffectiveStage)
		status.Cohort, status.Percent, status.Admitted, status.Entitled = report.Cohort, report.Percent, report.Admitted, report.Entitled
		status.Denials = nil
		for _, d := range report.Denials {
			status.Denials = append(status.Denials, v1alpha1.Denial{Reason: d.Reason.String(), Partners: d.Partners})
		}
		status.NextTransition = statusTime(report.NextTransition)
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
