// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"bytes"
	"context"
	"crypto/rand"
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

// HeartbeatAnnotation is the time at which the leader last was alive, on the
// gate Secret. Alerts watch its age.
const HeartbeatAnnotation = v1alpha1.GroupName + "/heartbeat"

// cursorKeyLen is the length of the key that seals positions in lists.
const cursorKeyLen = 32

// gateSecret keeps the Secret from which the API server has its secrets.
type gateSecret struct {
	name types.NamespacedName
	// writer writes and live reads from the server, metadata from the cache.
	writer         client.Writer
	live, metadata client.Reader
	heartbeat      time.Duration

	// known is the Secret as it was read or written last.
	known *corev1.Secret
	// cursor is the key in it. It outlives what is known: should somebody
	// delete the Secret, the next one has the same key.
	cursor []byte
	// sessions are the keys of sessions in it, kept for the same reason.
	sessions []credential.SessionKey
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
		return "", fmt.Errorf("write the gate Secret: %w", err)
	}
	g.known, g.cursor = want, want.Data[posture.GateSecretCursorKey]
	if g.sessions, err = credential.DecodeSessionKeys(want.Data[posture.GateSecretSessionsKey]); err != nil {
		return "", err
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
		return nil, fmt.Errorf("read the gate Secret: %w", err)
	}
	return &secret, nil
}

// wanted is what the Secret should be. Its key for cursors is made once and
// restored if it is lost: with another one, every position that a partner holds
// would be refused.
func (g *gateSecret) wanted(present *corev1.Secret, encoded []byte, now time.Time) (*corev1.Secret, error) {
	want := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: g.name.Namespace, Name: g.name.Name}, Type: corev1.SecretTypeOpaque}
	if present != nil {
		want = present.DeepCopy()
	}
	want.Labels = with(want.Labels, "app.kubernetes.io/managed-by", fieldOwner)
	want.Labels = with(want.Labels, "app.kubernetes.io/part-of", "printmarket")
	want.Data = with(want.Data, posture.GateSecretBundleKey, encoded)
	if len(want.Data[posture.GateSecretCursorKey]) != cursorKeyLen {
		want.Data[posture.GateSecretCursorKey] = g.cursorKey()
	}
	var err error
	if want.Data[posture.GateSecretSessionsKey], err = g.sessionKeys(want.Data[posture.GateSecretSessionsKey], now); err != nil {
		return nil, err
	}
	if g.mustBeat(present, now) {
		want.Annotations = with(want.Annotations, HeartbeatAnnotation, now.UTC().Format(time.RFC3339))
	}
	return want, nil
}

// sessionKeys are those that are there, with a new one each day. Keys that cannot be
// read are replaced by those that this process has seen, or by new ones: sessions
// last for minutes.
func (g *gateSecret) sessionKeys(present []byte, now time.Time) ([]byte, error) {
	keys, err := credential.DecodeSessionKeys(present)
	if err != nil {
		keys, present = g.sessions, nil
	}
	keys, changed, err := credential.RotateSessionKeys(keys, now, rand.Reader)
	if err != nil {
		return nil, err
	}
	if !changed && present != nil {
		return present, nil
	}
	return credential.EncodeSessionKeys(keys)
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

// cursorKey is the key that this process has seen in the Secret, or a new one.
func (g *gateSecret) cursorKey() []byte {
	if g.cursor != nil {
		return bytes.Clone(g.cursor)
	}
	key := make([]byte, cursorKeyLen)
	// crypto/rand never returns an error.
	_, _ = rand.Read(key)
	return key
}

// with is a map with one more member.
func with[V any](m map[string]V, name string, value V) map[string]V {
	if m == nil {
		m = map[string]V{}
	}
	m[name] = value
	return m
}
