// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
)

// errNotCompiled is why a leader is not ready that has not come to its first
// result.
var errNotCompiled = errors.New("nothing has been compiled yet")

// world compiles everything, whatever has changed. There is one request for
// all events, so that any number of them that come together cost one run.
type world struct {
	namespace string
	cache     client.Reader
	vault     *vault
	// gate is for senders, webhooks for webhooks.
	gate, webhooks *gateSecret
	board          *board
	metrics        *metrics
	now            func() time.Time
	heartbeat      time.Duration
	// published is called after the board has a new result.
	published func()

	mu sync.Mutex
	// ran is when the last run looked at the clock, due when the next one must.
	ran, due time.Time
	fault    error
}

// Reconcile runs the world once.
func (w *world) Reconcile(ctx context.Context, _ everything) (reconcile.Result, error) {
	// Without the monotonic reading: it stands still while a machine sleeps,
	// and manifests speak of the wall clock.
	now := w.now().Round(0)
	due, err := w.run(ctx, now)
	var result reconcile.Result
	if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) {
		// Somebody else has written a gate Secret; it is read again.
		result.RequeueAfter, err = conflictRetry, nil
	}
	w.mu.Lock()
	w.ran, w.due, w.fault = now, due, err
	w.mu.Unlock()
	return result, err
}

// run compiles what there is at one instant and publishes the result. The time
// at which it ceases to hold is told by the same instant, so that no transition
// can fall between the two.
func (w *world) run(ctx context.Context, now time.Time) (time.Time, error) {
	in, err := w.read(ctx, now)
	if err != nil {
		return now, err
	}
	start := time.Now()
	report := posture.Compile(in).Report(now)
	w.metrics.compile.Observe(time.Since(start).Seconds())
	// Statuses are told even if the gate Secret cannot be written: senders are
	// then not propagated, and all others do not depend on it.
	version, err := w.gate.keep(ctx, in.Secrets, now)
	_, fault := w.webhooks.keep(ctx, in.Webhooks, now)
	w.board.publish(subjects(in, report), version)
	w.published()
	due := now.Add(w.heartbeat)
	if next := report.NextTransition; next != nil && next.Before(due) {
		due = *next
	}
	return due, errors.Join(err, fault)
}

// read takes everything from the cache, but the values of Secrets. The objects
// are those of the cache itself; nothing here changes them.
func (w *world) read(ctx context.Context, now time.Time) (posture.Inputs, error) {
	var rollouts v1alpha1.CapabilityRolloutList
	var partners v1alpha1.PartnerEntitlementList
	var senders v1alpha1.XJMFSenderList
	for _, list := range []client.ObjectList{&rollouts, &partners, &senders} {
		if err := w.cache.List(ctx, list, client.InNamespace(w.namespace), client.UnsafeDisableDeepCopy); err != nil {
			return posture.Inputs{}, fmt.Errorf("list the resources: %w", err)
		}
	}
	secrets, err := w.vault.resolve(ctx, senders.Items, partners.Items)
	if err != nil {
		return posture.Inputs{}, err
	}
	in := posture.Inputs{Rollouts: rollouts.Items, Partners: partners.Items, Senders: senders.Items}
	in.ResolveSecrets(secrets, now)
	return in, nil
}

// overdue reports whether the clock alone calls for a run: a transition has
// passed, the heartbeat is due, or the clock was set back.
func (w *world) overdue(now time.Time) bool {
	now = now.Round(0)
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.ran.IsZero() && (!now.Before(w.due) || now.Before(w.ran))
}

// healthy is why the last run failed.
func (w *world) healthy() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ran.IsZero() {
		return errNotCompiled
	}
	return w.fault
}

// subjects joins the objects with what the report says of them. Objects that
// are being deleted are not in the report.
func subjects(in posture.Inputs, report posture.Report) []subject {
	out := make([]subject, 0, len(report.Rollouts)+len(report.Partners)+len(report.Senders))
	rollouts := byName(in.Rollouts, rolloutShape())
	for _, r := range report.Rollouts {
		out = append(out, rolloutShape().subject(rollouts[nameOf(r.Object)], r, r.Conditions))
	}
	partners := byName(in.Partners, partnerShape())
	for _, r := range report.Partners {
		out = append(out, partnerShape().subject(partners[nameOf(r.Object)], r, r.Conditions))
	}
	senders := byName(in.Senders, senderShape())
	for _, r := range report.Senders {
		s := senderShape().subject(senders[nameOf(r.Object)], r, r.Conditions)
		s.needsGateSecret = true
		s.secrets = in.Secrets.Fingerprint(s.key.Namespace, s.key.Name)
		out = append(out, s)
	}
	return out
}

func nameOf(o posture.Object) types.NamespacedName {
	return types.NamespacedName{Namespace: o.Namespace, Name: o.Name}
}

// clockwork runs the world when time alone has changed something. It looks at
// the clock again and again, instead of waiting for a span of time: a clock can
// be set, a machine can sleep, and a timer notices neither.
type clockwork struct {
	every time.Duration
	now   func() time.Time
	world *world
	wake  *wake[everything]
}

// Start watches the clock until the context ends.
func (c *clockwork) Start(ctx context.Context) error {
	ticker := time.NewTicker(c.every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
			if c.world.overdue(c.now()) {
				c.wake.add(everything{})
			}
		}
	}
}
