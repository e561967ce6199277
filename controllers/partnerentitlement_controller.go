// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"slices"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
)

// PartnerEntitlementReconciler writes the status of PartnerEntitlements.
type PartnerEntitlementReconciler struct{ *statusWriter }

// +kubebuilder:rbac:namespace=printmarket,groups=marketplace.printmarket.dev,resources=partnerentitlements,verbs=get;list;watch
// +kubebuilder:rbac:namespace=printmarket,groups=marketplace.printmarket.dev,resources=partnerentitlements/status,verbs=patch

// Reconcile updates the status of one PartnerEntitlement. The compiler
// runs again at the next transition and triggers each object that it changes.
func (r *PartnerEntitlementReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	cached := &v1alpha1.PartnerEntitlement{}
	if err := r.client.Get(ctx, req.NamespacedName, cached); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if cached.DeletionTimestamp != nil {
		return ctrl.Result{}, nil
	}
	partner, state := latest(r.tracker, cached)
	want := partner.DeepCopy()
	if state.compiled(want) {
		setPartnerStatus(&want.Status, state.report.(posture.PartnerReport))
		recordHistory(want, r.now(), nil, 0)
		// In the same write as the history: admission lets an edit remove a recorded key, and the
		// history must then know that the key was revoked.
		if unrecorded := recordRevokedKeys(want); unrecorded > 0 {
			r.events.warn(want, eventRevokedKeysFull, fmt.Sprintf(
				"status.revokedKeys is full, so %d revoked keys are not recorded. Keep their entries in spec.keys.", unrecorded))
		}
	}
	setConditions(want, state, r.now())
	return r.applyStatus(ctx, partner, want)
}

// SetupWithManager adds the reconciler to a manager.
func (r *PartnerEntitlementReconciler) SetupWithManager(mgr ctrl.Manager) error {
	return r.setup(mgr, &v1alpha1.PartnerEntitlement{}, r)
}

// recordRevokedKeys adds the digests of revoked keys to the status, and returns how many did not fit.
// It never removes a digest.
func recordRevokedKeys(o *v1alpha1.PartnerEntitlement) (unrecorded int) {
	for i := range o.Spec.Keys {
		key := &o.Spec.Keys[i]
		switch {
		case key.State != v1alpha1.KeyStateRevoked || slices.Contains(o.Status.RevokedKeys, key.SHA256):
		case len(o.Status.RevokedKeys) >= v1alpha1.MaxRevokedKeys:
			unrecorded++
		default:
			o.Status.RevokedKeys = append(o.Status.RevokedKeys, key.SHA256)
		}
	}
	return unrecorded
}

func setPartnerStatus(s *v1alpha1.PartnerEntitlementStatus, r posture.PartnerReport) {
	s.Open, s.Keys = r.Open, r.Keys
	s.OpenCapabilities, s.GrantedCapabilities, s.LiveKeys, s.TestKeys = r.OpenCapabilities, r.GrantedCapabilities, r.LiveKeys, r.TestKeys
	s.Capabilities = nil
	for _, c := range r.Capabilities {
		capability := v1alpha1.CapabilityPosture{Name: v1alpha1.CapabilityName(c.Name.String()), Posture: v1alpha1.Opening(c.Posture), Reason: c.Reason}
		for _, kind := range c.KeyKinds {
			capability.KeyKinds = append(capability.KeyKinds, v1alpha1.KeyKind(kind))
		}
		s.Capabilities = append(s.Capabilities, capability)
	}
	s.NextTransition = statusTime(r.NextTransition)
}
