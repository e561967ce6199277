// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/printmarket/printmarket/api/v1alpha1"
)

// ClaimsName is the name of the ConfigMap with the claims, to which the policies of config/policy
// refer.
const ClaimsName = "printmarket-claims"

// Keys of claims. The policies of config/policy contain the prefixes, too.
const (
	// organizationClaim precedes the id of an organization; the value is the name of its object.
	organizationClaim = "organization."
	// stageClaim precedes a capability; the value is the last stage of its rollout.
	stageClaim = "stage."
)

// The limits of the claims of organizations keep the ConfigMap, with the managed fields that name each
// claim, below the 1.5 MiB that etcd accepts.
const (
	maxOrganizationClaims = 10_000
	maxClaimsLen          = 768 << 10
)

// claimsDelay is the time for which events are collected before the claims are written, because each
// write replaces the whole ConfigMap.
const claimsDelay = 250 * time.Millisecond

// claimsReconciler records in one ConfigMap which object an organization belongs to, and the last stage
// of each capability. Claims outlive their objects, so that admission can reject an object that another
// name or a skipped stage would give more access than the deleted one had.
type claimsReconciler struct {
	client client.Client
	name   types.NamespacedName
	events *eventRecorder

	// reported holds the names of partners without a claim whose Event is recorded. Only Reconcile
	// uses it. unrecorded is its length.
	reported   map[string]bool
	unrecorded atomic.Int64
}

// +kubebuilder:rbac:namespace=printmarket,groups="",resources=configmaps,verbs=create
// +kubebuilder:rbac:namespace=printmarket,groups="",resources=configmaps,resourceNames=printmarket-claims,verbs=get;list;watch;patch

// setup adds the controller, which runs when an object or the ConfigMap changes.
func (c *claimsReconciler) setup(mgr ctrl.Manager, o Options) error {
	all := enqueueAfter(claimsDelay, func(client.Object) ctrl.Request { return allObjects })
	edited := builder.WithPredicates(predicate.GenerationChangedPredicate{})
	return ctrl.NewControllerManagedBy(mgr).Named(claimsControllerName).
		Watches(&v1alpha1.CapabilityRollout{}, all, edited).
		Watches(&v1alpha1.PartnerEntitlement{}, all, edited).
		Watches(&corev1.ConfigMap{}, all).
		WithOptions(controllerOptions(1)).
		Complete(tracedReconciler{Reconciler: c, tracer: o.Tracer, controller: claimsControllerName})
}

// Reconcile adds the missing claims.
func (c *claimsReconciler) Reconcile(ctx context.Context, _ ctrl.Request) (ctrl.Result, error) {
	var rollouts v1alpha1.CapabilityRolloutList
	var partners v1alpha1.PartnerEntitlementList
	for _, list := range []client.ObjectList{&rollouts, &partners} {
		if err := c.client.List(ctx, list, client.InNamespace(c.name.Namespace), client.UnsafeDisableDeepCopy); err != nil {
			return ctrl.Result{}, fmt.Errorf("list the resources: %w", err)
		}
	}
	current := &corev1.ConfigMap{}
	err := c.client.Get(ctx, c.name, current)
	if client.IgnoreNotFound(err) != nil {
		return ctrl.Result{}, fmt.Errorf("read the claims: %w", err)
	}
	claims, omitted := withClaims(current.Data, rollouts.Items, partners.Items)
	c.report(omitted)
	switch {
	case apierrors.IsNotFound(err):
		err = c.client.Create(ctx, &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: c.name.Namespace, Name: c.name.Name,
				Labels: map[string]string{"app.kubernetes.io/managed-by": fieldOwner, "app.kubernetes.io/part-of": "printmarket"},
			},
			Data: claims,
		}, client.FieldOwner(fieldOwner))
	case maps.Equal(claims, current.Data):
		return ctrl.Result{}, nil
	default:
		want := current.DeepCopy()
		want.Data = claims
		patch := client.MergeFromWithOptions(current, client.MergeFromWithOptimisticLock{})
		err = c.client.Patch(ctx, want, patch, client.FieldOwner(fieldOwner))
	}
	if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) || apierrors.IsNotFound(err) {
		// Another client has written the ConfigMap; the cache has its write after a moment.
		return ctrl.Result{RequeueAfter: conflictRetry}, nil
	}
	if err != nil {
		return ctrl.Result{}, fmt.Errorf("write the claims: %w", err)
	}
	return ctrl.Result{}, nil
}

// withClaims returns the claims with those of the given objects, and the partners whose claim has no
// room. The claim of an organization never changes, and that of a stage follows its rollout. If two
// partners have one organization, the older one gets the claim, as it does at the gates.
func withClaims(
	before map[string]string, rollouts []v1alpha1.CapabilityRollout, partners []v1alpha1.PartnerEntitlement,
) (claims map[string]string, omitted []*v1alpha1.PartnerEntitlement) {
	claims = maps.Clone(before)
	if claims == nil {
		claims = map[string]string{}
	}
	for i := range rollouts {
		claims[stageClaim+string(rollouts[i].Spec.Capability)] = string(rollouts[i].Spec.Stage)
	}
	count, length := 0, 0
	for key, value := range claims {
		if strings.HasPrefix(key, organizationClaim) {
			count++
			length += len(key) + len(value)
		}
	}
	byAge := make([]*v1alpha1.PartnerEntitlement, len(partners))
	for i := range partners {
		byAge[i] = &partners[i]
	}
	slices.SortFunc(byAge, func(a, b *v1alpha1.PartnerEntitlement) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), strings.Compare(a.Name, b.Name))
	})
	for _, o := range byAge {
		key := organizationClaim + o.Spec.OrganizationID
		if _, claimed := claims[key]; claimed {
			continue
		}
		if count >= maxOrganizationClaims || length+len(key)+len(o.Name) > maxClaimsLen {
			omitted = append(omitted, o)
			continue
		}
		claims[key] = o.Name
		count++
		length += len(key) + len(o.Name)
	}
	return claims, omitted
}

// report records an Event for each partner that has newly no claim.
func (c *claimsReconciler) report(omitted []*v1alpha1.PartnerEntitlement) {
	reported := make(map[string]bool, len(omitted))
	for _, o := range omitted {
		reported[o.Name] = true
		if !c.reported[o.Name] {
			c.events.warn(o, eventClaimsFull, fmt.Sprintf(
				"The ConfigMap %s is full, so organizationID %s is not protected from use by another object. Remove the claims of erased organizations.",
				c.name.Name, o.Spec.OrganizationID))
		}
	}
	c.reported = reported
	c.unrecorded.Store(int64(len(omitted)))
}
