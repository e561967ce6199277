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
	// revokedClaim has the last characters of the digests of all revoked keys, in order and separated by
	// spaces.
	revokedClaim = "revoked"
)

// revokedSuffix is the number of characters that identify a revoked digest, 64 bits.
const revokedSuffix = 16

// The limits of the claims keep the ConfigMap, with the managed fields that name each claim, below the
// 1.5 MiB that etcd accepts. 7,700 revoked keys have room.
const (
	maxOrganizationClaims = 10_000
	maxClaimsLen          = 768 << 10
	maxRevokedLen         = 128 << 10
)

// claimsDelay is the time for which events are collected before the claims are written, because each
// write replaces the whole ConfigMap.
const claimsDelay = 250 * time.Millisecond

// claimsReconciler records in one ConfigMap which object an organization belongs to, the last stage of
// each capability, and the revoked keys. Claims outlive their objects, so that admission can reject an
// object that another name, a skipped stage or a revoked key would give more access than the deleted one
// had.
type claimsReconciler struct {
	client client.Client
	name   types.NamespacedName
	events *eventRecorder

	// reported holds the claims without room whose Event is recorded. Only Reconcile uses it.
	// unrecorded is its length.
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
	c.report(append(omitted, withRevoked(claims, partners.Items)...))
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

// omission is a claim that has no room.
type omission struct {
	partner *v1alpha1.PartnerEntitlement
	// claim names it, and remedy completes the text of the Event.
	claim, remedy string
}

// withClaims returns the claims with those of the given objects, and those that have no room. The claim of an organization never changes, and that of a stage follows its rollout. If two
// partners have one organization, the older one gets the claim, as it does at the gates.
func withClaims(
	before map[string]string, rollouts []v1alpha1.CapabilityRollout, partners []v1alpha1.PartnerEntitlement,
) (claims map[string]string, omitted []omission) {
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
			omitted = append(omitted, omission{o, key, fmt.Sprintf(
				"so organizationID %s is not protected from use by another object. Remove the claims of erased organizations.", o.Spec.OrganizationID)})
			continue
		}
		claims[key] = o.Name
		count++
		length += len(key) + len(o.Name)
	}
	return claims, omitted
}

// withRevoked adds the revoked keys of partners to the claims, and returns those that have no room. It
// never removes a key.
func withRevoked(claims map[string]string, partners []v1alpha1.PartnerEntitlement) (omitted []omission) {
	recorded := map[string]bool{}
	for _, suffix := range strings.Fields(claims[revokedClaim]) {
		recorded[suffix] = true
	}
	before := len(recorded)
	for i := range partners {
		o := &partners[i]
		digests := slices.Clone(o.Status.RevokedKeys)
		for k := range o.Spec.Keys {
			if o.Spec.Keys[k].State == v1alpha1.KeyStateRevoked {
				digests = append(digests, o.Spec.Keys[k].SHA256)
			}
		}
		for _, digest := range digests {
			switch suffix := digest[max(len(digest)-revokedSuffix, 0):]; {
			case recorded[suffix]:
			case (len(recorded)+1)*(revokedSuffix+1) > maxRevokedLen:
				omitted = append(omitted, omission{o, revokedClaim + " " + o.Name, "so its revoked keys are not protected after its deletion. Keep the object."})
			default:
				recorded[suffix] = true
			}
		}
	}
	if len(recorded) > before {
		claims[revokedClaim] = strings.Join(slices.Sorted(maps.Keys(recorded)), " ")
	}
	return omitted
}

// report records an Event for each claim that has newly no room.
func (c *claimsReconciler) report(omitted []omission) {
	reported := make(map[string]bool, len(omitted))
	for _, o := range omitted {
		if !c.reported[o.claim] && !reported[o.claim] {
			c.events.warn(o.partner, eventClaimsFull, fmt.Sprintf("The ConfigMap %s is full, %s", c.name.Name, o.remedy))
		}
		reported[o.claim] = true
	}
	c.reported = reported
	c.unrecorded.Store(int64(len(reported)))
}
