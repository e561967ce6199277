// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
)

var errNotCompiled = errors.New("no compilation has completed yet")

// compiler compiles all objects after any change, and publishes the result to the status
// tracker. All events make the same request, so any number of events that arrive together cause
// one compilation for all kinds.
type compiler struct {
	namespace                 string
	cache                     client.Reader
	secrets                   *secretResolver
	gateSecret, webhookSecret *gateSecretReconciler
	tracker                   *statusTracker
	events                    *eventRecorder
	propagation               *trigger
	metrics                   *metrics
	// webhookWorkers and preflightWorkers are false if the installation has none.
	webhookWorkers, preflightWorkers bool
	now                              func() time.Time
	heartbeat                        time.Duration

	mu sync.Mutex
	// compiledAt is the time for which the objects were compiled last. due is the
	// time of the next compilation without a change.
	compiledAt, due time.Time
	err             error
}

// Reconcile compiles all objects once.
func (c *compiler) Reconcile(ctx context.Context, _ ctrl.Request) (ctrl.Result, error) {
	// Round removes the monotonic reading. The monotonic clock stops while the machine
	// sleeps, but schedules refer to the wall clock.
	now := c.now().Round(0)
	due, err := c.compile(ctx, now)
	var result ctrl.Result
	if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) {
		// Another client has written a gate Secret; the next attempt reads it again.
		result.RequeueAfter, err = conflictRetry, nil
	}
	c.mu.Lock()
	c.compiledAt, c.due, c.err = now, due, err
	c.mu.Unlock()
	return result, err
}

// compile compiles the objects for one instant, publishes the result and returns
// the time of the next compilation. That time follows from the same instant, so
// no transition can fall between the two.
func (c *compiler) compile(ctx context.Context, now time.Time) (time.Time, error) {
	inputs, err := c.readInputs(ctx, now)
	if err != nil {
		return now, err
	}
	start := time.Now()
	report := posture.Compile(inputs).Report(now)
	c.metrics.compile.Observe(time.Since(start).Seconds())
	c.metrics.observeEnds(inputs, now)

	// If a gate Secret cannot be written, only senders, or partners with webhooks, are not
	// propagated. The statuses of other objects do not depend on the Secret.
	var versions [enforcerCount]string
	var gateErr, webhookErr error
	versions[apiServers], gateErr = c.gateSecret.reconcile(ctx, inputs.Secrets, now)
	versions[webhookWorkers], webhookErr = c.webhookSecret.reconcile(ctx, inputs.Webhooks, now)
	c.events.recordDeletions(c.tracker.publish(c.compiledObjects(inputs, report), versions))
	c.propagation.add(allObjects)

	due := now.Add(c.heartbeat)
	if next := report.NextTransition; next != nil && next.Before(due) {
		due = *next
	}
	return due, errors.Join(gateErr, webhookErr)
}

// readInputs reads the objects from the cache, without copying them, and
// resolves the Secrets that they refer to.
func (c *compiler) readInputs(ctx context.Context, now time.Time) (posture.Inputs, error) {
	var rollouts v1alpha1.CapabilityRolloutList
	var partners v1alpha1.PartnerEntitlementList
	var senders v1alpha1.XJMFSenderList
	var profiles v1alpha1.PreflightProfileList
	for _, list := range []client.ObjectList{&rollouts, &partners, &senders, &profiles} {
		if err := c.cache.List(ctx, list, client.InNamespace(c.namespace), client.UnsafeDisableDeepCopy); err != nil {
			return posture.Inputs{}, fmt.Errorf("list the resources: %w", err)
		}
	}
	secrets, err := c.secrets.resolve(ctx, senders.Items, partners.Items)
	if err != nil {
		return posture.Inputs{}, err
	}
	inputs := posture.Inputs{Rollouts: rollouts.Items, Partners: partners.Items, Senders: senders.Items, Profiles: profiles.Items}
	inputs.ResolveSecrets(secrets, now)
	return inputs, nil
}

// compiledObjects joins the objects with their reports. Objects that are being
// deleted have no report. Webhook workers enforce partners and the rollout of their own capability,
// preflight workers enforce profiles.
func (c *compiler) compiledObjects(inputs posture.Inputs, report posture.Report) []compiledObject {
	out := make([]compiledObject, 0, len(report.Rollouts)+len(report.Partners)+len(report.Senders)+len(report.Profiles))
	secrets, webhookSecrets := inputs.Secrets.Fingerprints(), inputs.Webhooks.Fingerprints()
	rollouts, partners, senders := byName(inputs.Rollouts), byName(inputs.Partners), byName(inputs.Senders)
	for _, r := range report.Rollouts {
		rollout := newCompiledObject(rollouts[nameOf(r.Object)], r, r.Conditions)
		if c.webhookWorkers && r.Name == posture.WebhookDelivery.String() {
			rollout.enforcers = append(rollout.enforcers, webhookWorkers)
		}
		out = append(out, rollout)
	}
	for _, r := range report.Partners {
		object := partners[nameOf(r.Object)]
		partner := newCompiledObject(object, r, r.Conditions)
		if c.webhookWorkers {
			partner.enforcers = append(partner.enforcers, webhookWorkers)
			if len(object.Spec.Webhooks) > 0 {
				partner.inGateSecret, partner.reader = true, webhookWorkers
				partner.secrets = webhookSecrets[posture.ObjectName{Namespace: r.Namespace, Name: r.Name}]
			}
		}
		out = append(out, partner)
	}
	for _, r := range report.Senders {
		sender := newCompiledObject(senders[nameOf(r.Object)], r, r.Conditions)
		sender.inGateSecret, sender.reader, sender.secrets = true, apiServers, secrets[posture.ObjectName{Namespace: r.Namespace, Name: r.Name}]
		out = append(out, sender)
	}
	profiles := byName(inputs.Profiles)
	for _, r := range report.Profiles {
		profile := newCompiledObject(profiles[nameOf(r.Object)], r, r.Conditions)
		if c.preflightWorkers {
			profile.enforcers = append(profile.enforcers, preflightWorkers)
		}
		out = append(out, profile)
	}
	return out
}

func byName[T any, O interface {
	client.Object
	*T
}](items []T) map[types.NamespacedName]O {
	out := make(map[types.NamespacedName]O, len(items))
	for i := range items {
		out[client.ObjectKeyFromObject(O(&items[i]))] = &items[i]
	}
	return out
}

func nameOf(o posture.Object) types.NamespacedName {
	return types.NamespacedName{Namespace: o.Namespace, Name: o.Name}
}

func newCompiledObject(o client.Object, report any, conditions []posture.Condition) compiledObject {
	out := compiledObject{
		key: keyOf(o), uid: o.GetUID(), version: o.GetResourceVersion(), generation: o.GetGeneration(), labels: o.GetLabels(),
		report: report, conditions: conditions, enforcers: []enforcer{apiServers},
	}
	written := *statusOf(o).conditions
	if c := meta.FindStatusCondition(written, v1alpha1.ConditionPropagated); c != nil &&
		c.Status == metav1.ConditionTrue && c.ObservedGeneration == out.generation {
		out.writtenPropagation = &propagationResult{c.Status, c.Reason, c.Message}
	}
	if c := meta.FindStatusCondition(written, v1alpha1.ConditionReady); c != nil {
		out.writtenReason = c.Reason
	}
	return out
}

// overdue reports whether the clock alone requires a compilation: a transition
// has passed, a heartbeat is due, or the clock was set back.
func (c *compiler) overdue(now time.Time) bool {
	now = now.Round(0)
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.compiledAt.IsZero() && (!now.Before(c.due) || now.Before(c.compiledAt))
}

// healthy returns the error of the last compilation.
func (c *compiler) healthy() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.compiledAt.IsZero() {
		return errNotCompiled
	}
	return c.err
}

// transitionClock requeues the compiler at the next transition. It polls the clock instead of
// starting a timer, because a timer ignores a changed clock and the sleep of the machine.
type transitionClock struct {
	every    time.Duration
	compiler *compiler
	trigger  *trigger
}

// Start polls the clock until the context ends.
func (c *transitionClock) Start(ctx context.Context) error {
	ticker := time.NewTicker(c.every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
			if c.compiler.overdue(c.compiler.now()) {
				c.trigger.add(allObjects)
			}
		}
	}
}
