// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
)

// fieldOwner owns what is written here, and is who reports events.
const fieldOwner = "printmarket-controller"

// conflictRetry is when a write is tried again that met another one; by then the
// cache has what the other one wrote.
const conflictRetry = time.Second

// statuses writes what the board knows into the statuses of one kind.
type statuses[O client.Object] struct {
	shape  shape[O]
	client client.Client
	board  *board
	herald *herald
	now    func() time.Time
}

// Reconcile brings one object's status up to date.
func (s *statuses[O]) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	cached := s.shape.make()
	if err := s.client.Get(ctx, request.NamespacedName, cached); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if cached.GetDeletionTimestamp() != nil {
		return reconcile.Result{}, nil
	}
	k := key{s.shape.kind, request.NamespacedName}
	c, known := s.board.card(k, cached.GetUID())
	current := s.freshest(k, cached, c)
	want := s.wanted(current, c, known)
	if s.equal(current, want) {
		return reconcile.Result{}, nil
	}
	written, err := s.apply(ctx, want)
	switch {
	case apierrors.IsNotFound(err):
		return reconcile.Result{}, nil
	case apierrors.IsConflict(err):
		return reconcile.Result{RequeueAfter: conflictRetry}, nil
	case err != nil:
		return reconcile.Result{}, fmt.Errorf("write a status: %w", err)
	}
	s.board.wrote(k, written.GetUID(), written)
	conditions, _ := s.shape.common(want)
	s.herald.announce(k, want, *conditions)
	return reconcile.Result{}, nil
}

// freshest is the object as the cache has it, or as our last write left it
// while the cache does not have that yet. To judge by an older status would
// move the times of transitions.
func (s *statuses[O]) freshest(k key, cached O, c card) O {
	written, isO := c.written.(O)
	if !isO {
		return cached
	}
	if later := posture.LaterVersion(cached.GetResourceVersion(), written.GetResourceVersion()); later != cached.GetResourceVersion() {
		return written
	}
	s.board.wrote(k, cached.GetUID(), nil)
	return cached
}

// wanted is the object with the status that it should have.
func (s *statuses[O]) wanted(current O, c card, known bool) O {
	want := s.shape.copy(current)
	conditions, observed := s.shape.common(want)
	generation := want.GetGeneration()
	switch {
	case known && c.generation == generation:
		s.shape.fill(want, c.report)
		*conditions = stamp(withPropagation(c.conditions, c.verdict), *conditions, generation, s.now())
		*observed = generation
	case *observed != generation:
		// What else the status says is about an older generation, as the
		// number that stays in observedGeneration tells.
		*conditions = merge(*conditions, stamp(uncompiled(), *conditions, generation, s.now()))
	}
	return want
}

// equal compares statuses, as far as they are ours.
func (s *statuses[O]) equal(current, want O) bool {
	current = s.shape.copy(current)
	theirs, _ := s.shape.common(current)
	ours, _ := s.shape.common(want)
	*theirs = pick(*theirs, *ours)
	return equality.Semantic.DeepEqual(s.shape.status(current), s.shape.status(want))
}

// apply writes the status by server-side apply. The version makes sure that it
// is this object's and not that of one which has taken its name: of a UID that
// is another's, the API server takes no notice in the status subresource.
func (s *statuses[O]) apply(ctx context.Context, want O) (O, error) {
	status, err := runtime.DefaultUnstructuredConverter.ToUnstructured(s.shape.status(want))
	if err != nil {
		return want, err
	}
	content := &unstructured.Unstructured{Object: map[string]any{"status": status}}
	content.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(s.shape.kind))
	content.SetNamespace(want.GetNamespace())
	content.SetName(want.GetName())
	content.SetResourceVersion(want.GetResourceVersion())
	configuration := client.ApplyConfigurationFromUnstructured(content)
	if err := s.client.Status().Apply(ctx, configuration, client.FieldOwner(fieldOwner), client.ForceOwnership); err != nil {
		return want, err
	}
	written := s.shape.make()
	err = runtime.DefaultUnstructuredConverter.FromUnstructured(content.Object, written)
	return written, err
}
