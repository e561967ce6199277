// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"slices"
	"strings"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
)

// XJMFSenderReconciler writes the status of XJMFSenders.
type XJMFSenderReconciler struct{ *statusWriter }

// +kubebuilder:rbac:namespace=printmarket,groups=marketplace.printmarket.dev,resources=xjmfsenders,verbs=get;list;watch
// +kubebuilder:rbac:namespace=printmarket,groups=marketplace.printmarket.dev,resources=xjmfsenders/status,verbs=patch

// Reconcile updates the status of one XJMFSender. The compiler runs
// again at the next rotation and triggers each object that it changes.
func (r *XJMFSenderReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	cached := &v1alpha1.XJMFSender{}
	if err := r.client.Get(ctx, req.NamespacedName, cached); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if cached.DeletionTimestamp != nil {
		return ctrl.Result{}, nil
	}
	sender, state := latest(r.tracker, cached)
	want := sender.DeepCopy()
	if state.compiled(want) {
		report := state.report.(posture.SenderReport)
		want.Status.ActiveSecrets = slices.Clone(report.ActiveSecrets)
		want.Status.Secrets = strings.Join(report.ActiveSecrets, ",")
		want.Status.NextRotation = statusTime(report.NextRotation)
		recordHistory(want, r.now(), nil, 0)
	}
	setConditions(want, state, r.now())
	return r.applyStatus(ctx, sender, want)
}

// SetupWithManager adds the reconciler to a manager.
func (r *XJMFSenderReconciler) SetupWithManager(mgr ctrl.Manager) error {
	return r.setup(mgr, &v1alpha1.XJMFSender{}, r)
}
