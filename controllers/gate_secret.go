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
	"github.com/printmarket/printmarket/internal/posture"
)

// HeartbeatAnnotation is the time at which the leader last was alive, on the
// gate Secret. Alerts watch its age.
const HeartbeatAnnotation = v1alpha1.GroupName + "/heartbeat"

// gateSecret keeps a Secret from which others have what they need of the shared
// secrets: the API server what is for senders, workers what is for webhooks.
type gateSecret struct {
	name types.NamespacedName
	// writer writes and live reads from the server, metadata from the cache.
	writer         client.Writer
	live, metadata client.Reader
	heartbeat      time.Duration
	// seals are kept beside the bundle; nil where nothing is sealed.
	seals *seals

	// known is the Secret as it was read or written last.
	known *corev1.Secret
	// beat is the heartbeat in it, for the metric, in Unix seconds.
	beat atomic.Int64
}

// keep makes the Secret hold the bundle and be alive, and returns the earliest
// version of the Secret that is known to hold the bundle. It writes only what
// differs. That a heartbeat makes another version is no news for any replica: were
// it waited for, a leader that begins with one would turn the status of each sender
// over and back again.
func (g *gateSecret) keep(ctx context.Context, b posture.Bundle, now time.Time) (string, error) {
	encoded, err := b.Encode()
	if err != nil {
		return "", err
	}
	present, err := g.present(ctx)
	if err != nil {
		return "", err
	}
	want, err := g.wanted(present, encoded, now)
	if err != nil {
		return "", err
	}
	if err := g.write(ctx, present, want); err != nil {
		// Whatever is there now is not what we know.
		g.known = nil
		return "", fmt.Errorf("write the gate Secret %s: %w", g.name.Name, err)
	}
	g.known = want
	if g.seals != nil {
		if err := g.seals.remember(want.Data); err != nil {
			return "", err
		}
	}
	if beat, err := time.Parse(time.RFC3339, want.Annotations[HeartbeatAnnotation]); err == nil {
		g.beat.Store(beat.Unix())
	}
	if present != nil && bytes.Equal(present.Data[posture.GateSecretBundleKey], encoded) {
		return present.ResourceVersion, nil
	}
	return want.ResourceVersion, nil
}

// present is the Secret as it is; nil if there is none. It is read again only
// when the cache has seen another version than the one that we know.
func (g *gateSecret) present(ctx context.Context) (*corev1.Secret, error) {
	version, err := secretVersion(ctx, g.metadata, g.name)
	if err != nil {
		return nil, err
	}
	if g.known != nil && version == g.known.ResourceVersion {
		return g.known, nil
	}
	var secret corev1.Secret
	if err := g.live.Get(ctx, g.name, &secret); apierrors.IsNotFound(err) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("read the gate Secret %s: %w", g.name.Name, err)
	}
	return &secret, nil
}

// wanted is what the Secret should be.
func (g *gateSecret) wanted(present *corev1.Secret, encoded []byte, now time.Time) (*corev1.Secret, error) {
	want := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: g.name.Namespace, Name: g.name.Name}, Type: corev1.SecretTypeOpaque}
	if present != nil {
		want = present.DeepCopy()
	}
	want.Labels = with(want.Labels, "app.kubernetes.io/managed-by", fieldOwner)
	want.Labels = with(want.Labels, "app.kubernetes.io/part-of", "printmarket")
	want.Data = with(want.Data, posture.GateSecretBundleKey, encoded)
	if g.seals != nil {
		if err := g.seals.renew(want.Data, now); err != nil {
			return nil, err
		}
	}
	if g.mustBeat(present, now) {
		want.Annotations = with(want.Annotations, HeartbeatAnnotation, now.UTC().Format(time.RFC3339))
	}
	return want, nil
}

// mustBeat reports whether the heartbeat is due. One that lies ahead was
// written by a clock that was wrong, and would silence the alert.
func (g *gateSecret) mustBeat(present *corev1.Secret, now time.Time) bool {
	if present == nil {
		return true
	}
	last, err := time.Parse(time.RFC3339, present.Annotations[HeartbeatAnnotation])
	return err != nil || last.After(now) || now.Sub(last) >= g.heartbeat
}

// write brings the Secret from what it is to what it should be, and fills in
// the version. A change in between makes it fail.
func (g *gateSecret) write(ctx context.Context, present, want *corev1.Secret) error {
	if present == nil {
		return g.writer.Create(ctx, want, client.FieldOwner(fieldOwner))
	}
	if maps.Equal(present.Labels, want.Labels) && maps.Equal(present.Annotations, want.Annotations) &&
		maps.EqualFunc(present.Data, want.Data, bytes.Equal) {
		return nil
	}
	patch := client.MergeFromWithOptions(present, client.MergeFromWithOptimisticLock{})
	return g.writer.Patch(ctx, want, patch, client.FieldOwner(fieldOwner))
}

// age is the time since the last heartbeat; false if this process has not seen
// one.
func (g *gateSecret) age(now time.Time) (time.Duration, bool) {
	beat := g.beat.Load()
	return now.Sub(time.Unix(beat, 0)), beat != 0
}

// with is a map with one more member.
func with[V any](m map[string]V, name string, value V) map[string]V {
	if m == nil {
		m = map[string]V{}
	}
	m[name] = value
	return m
}
