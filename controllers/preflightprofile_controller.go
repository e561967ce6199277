// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
)

// PreflightProfileReconciler writes the status of PreflightProfiles.
type PreflightProfileReconciler struct{ *statusWriter }

// +kubebuilder:rbac:namespace=printmarket,groups=marketplace.printmarket.dev,resources=preflightprofiles,verbs=get;list;watch
// +kubebuilder:rbac:namespace=printmarket,groups=marketplace.printmarket.dev,resources=preflightprofiles/status,verbs=patch

// Reconcile updates the status of one PreflightProfile.
func (r *PreflightProfileReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	cached := &v1alpha1.PreflightProfile{}
	if err := r.client.Get(ctx, req.NamespacedName, cached); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if cached.DeletionTimestamp != nil {
		return ctrl.Result{}, nil
	}
	profile, state := latest(r.tracker, cached)
	want := profile.DeepCopy()
	if state.compiled(want) {
		report := state.report.(posture.ProfileReport)
		want.Status.Digest, want.Status.Rules = report.Digest, report.Rules
		recordHistory(want, r.now(), nil, 0)
	}
	setConditions(want, state, r.now())
	return r.applyStatus(ctx, profile, want)
}

// SetupWithManager adds the reconciler to a manager.
func (r *PreflightProfileReconciler) SetupWithManager(mgr ctrl.Manager) error {
	return r.setup(mgr, &v1alpha1.PreflightProfile{}, r)
}
