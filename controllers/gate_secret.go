// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
)

// HeartbeatAnnotation holds the time at which the leader was last alive, on each
// gate Secret. Alerts watch its age.
const HeartbeatAnnotation = v1alpha1.GroupName + "/heartbeat"

// gateSecretReconciler writes a Secret with a bundle of shared secrets. API servers read the Secret
// with the secrets of senders, workers the Secret with those of webhooks.
type gateSecretReconciler struct {
	name types.NamespacedName
	// live reads from the API server, metadata from the cache.
	writer         client.Writer
	live, metadata client.Reader
	heartbeat      time.Duration
	// keys are kept beside the bundle; nil if the Secret has none.
	keys *signingKeys

	// last is the Secret of the last read or write.
	last *corev1.Secret
	// lastHeartbeat is its heartbeat, in Unix seconds; zero before the first.
	lastHeartbeat atomic.Int64
}

// reconcile writes the bundle, the keys and the heartbeat into the Secret if
// they differ, and returns the earliest known version of the Secret with this
// bundle. A heartbeat makes a newer version, but replicas need not wait for it:
// otherwise every new leader would change the status of each sender twice.
func (g *gateSecretReconciler) reconcile(ctx context.Context, b posture.Bundle, now time.Time) (string, error) {
	bundle, err := b.Encode()
	if err != nil {
		return "", err
	}
	current, err := g.read(ctx)
	if err != nil {
		return "", err
	}
	want, err := g.wanted(current, bundle, now)
	if err != nil {
		return "", err
	}
	if err := g.write(ctx, current, want); err != nil {
		// The Secret may differ from the last one, so the next attempt reads it.
		g.last = nil
		return "", fmt.Errorf("write the gate Secret %s: %w", g.name.Name, err)
	}
	g.last = want
	if g.keys != nil {
		g.keys.cursor = want.Data[posture.GateSecretCursorKey]
		if g.keys.sessions, err = credential.DecodeSessionKeys(want.Data[posture.GateSecretSessionsKey]); err != nil {
			return "", err
		}
	}
	if heartbeat, err := time.Parse(time.RFC3339, want.Annotations[HeartbeatAnnotation]); err == nil {
		g.lastHeartbeat.Store(heartbeat.Unix())
	}
	if current != nil && bytes.Equal(current.Data[posture.GateSecretBundleKey], bundle) {
		return current.ResourceVersion, nil
	}
	return want.ResourceVersion, nil
}

// read returns the current Secret, or nil if there is none. It reads from the
// API server only when the cache has another version than the last one.
func (g *gateSecretReconciler) read(ctx context.Context) (*corev1.Secret, error) {
	version, err := secretVersion(ctx, g.metadata, g.name)
	if err != nil {
		return nil, err
	}
	if g.last != nil && version == g.last.ResourceVersion {
		return g.last, nil
	}
	var secret corev1.Secret
	if err := g.live.Get(ctx, g.name, &secret); apierrors.IsNotFound(err) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("read the gate Secret %s: %w", g.name.Name, err)
	}
	return &secret, nil
}

// wanted returns the Secret with the bundle, the keys and, when it is due, a new
// heartbeat.
func (g *gateSecretReconciler) wanted(current *corev1.Secret, bundle []byte, now time.Time) (*corev1.Secret, error) {
	want := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: g.name.Namespace, Name: g.name.Name}, Type: corev1.SecretTypeOpaque}
	if current != nil {
		want = current.DeepCopy()
	}
	want.Labels = with(want.Labels, "app.kubernetes.io/managed-by", fieldOwner)
	want.Labels = with(want.Labels, "app.kubernetes.io/part-of", "printmarket")
	want.Data = with(want.Data, posture.GateSecretBundleKey, bundle)
	if g.keys != nil {
		if err := g.keys.renew(want.Data, now); err != nil {
			return nil, err
		}
	}
	// A heartbeat in the future comes from a wrong clock and would suppress the alert.
	last, err := time.Parse(time.RFC3339, want.Annotations[HeartbeatAnnotation])
	if err != nil || last.After(now) || now.Sub(last) >= g.heartbeat {
		want.Annotations = with(want.Annotations, HeartbeatAnnotation, now.UTC().Format(time.RFC3339))
	}
	return want, nil
}

// with returns a map with one more member.
func with[V any](m map[string]V, name string, value V) map[string]V {
	if m == nil {
		m = map[string]V{}
	}
	m[name] = value
	return m
}

// write creates or changes the Secret and sets its new version. It fails if
// another client has changed the Secret in between.
func (g *gateSecretReconciler) write(ctx context.Context, current, want *corev1.Secret) error {
	if current == nil {
		return g.writer.Create(ctx, want, client.FieldOwner(fieldOwner))
	}
	if maps.Equal(current.Labels, want.Labels) && maps.Equal(current.Annotations, want.Annotations) &&
		maps.EqualFunc(current.Data, want.Data, bytes.Equal) {
		return nil
	}
	patch := client.MergeFromWithOptions(current, client.MergeFromWithOptimisticLock{})
	return g.writer.Patch(ctx, want, patch, client.FieldOwner(fieldOwner))
}
