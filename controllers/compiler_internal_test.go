// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
)

// TestNoTransitionIsMissedHoweverTheClockMoves checks that a compilation for one side
// of a transition is repeated on the other side, for any movement of the clock between
// two polls.
func TestNoTransitionIsMissedHoweverTheClockMoves(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		transition := noon.Add(time.Duration(random.Int64N(int64(4 * time.Second))))
		c := &compiler{}
		now := noon
		for range 8 {
			if c.compiledAt.IsZero() || c.overdue(now) {
				c.compiledAt, c.due = now, now.Add(time.Hour)
				if transition.After(now) {
					c.due = transition
				}
			}
			if compiled, passed := !c.compiledAt.Before(transition), !now.Before(transition); compiled != passed {
				t.Fatalf("at %v the compilation of %v is still current, with a transition at %v", now, c.compiledAt, transition)
			}
			// The clock moves by 0, by a nanosecond, by seconds, and backwards.
			now = now.Add(time.Duration(random.Int64N(int64(2*time.Second))) - 500*time.Millisecond)
			if random.IntN(4) == 0 {
				now = transition.Add(time.Duration(random.IntN(3) - 1))
			}
		}
	}
}

func TestCompilerIsNeitherOverdueNorHealthyBeforeTheFirstCompilation(t *testing.T) {
	t.Parallel()
	c := &compiler{}
	if c.overdue(noon) || c.healthy() == nil {
		t.Errorf("overdue = %t, healthy = %v; want false and an error before the first compilation", c.overdue(noon), c.healthy())
	}
}

func TestGateSecretChangesOnlyInInvalidOrDueFields(t *testing.T) {
	t.Parallel()
	g := &gateSecretReconciler{heartbeat: time.Minute, keys: &signingKeys{}}
	g.name.Namespace, g.name.Name = "ns", "gate"
	wanted := func(t *testing.T, present *corev1.Secret, bundle string, now time.Time) *corev1.Secret {
		t.Helper()
		want, err := g.wanted(present, []byte(bundle), now)
		if err != nil {
			t.Fatalf("wanted: %v", err)
		}
		return want
	}
	first := wanted(t, nil, "one", noon)
	cursor := first.Data[posture.GateSecretCursorKey]
	if len(cursor) != cursorKeyLen || bytes.Equal(cursor, make([]byte, cursorKeyLen)) || first.Annotations[HeartbeatAnnotation] != "2026-11-20T12:00:00Z" {
		t.Fatalf("a new Secret has %d bytes of key, heartbeat %q", len(cursor), first.Annotations[HeartbeatAnnotation])
	}
	tests := map[string]struct {
		change    func(*corev1.Secret)
		bundle    string
		after     time.Duration
		heartbeat string
		newCursor bool
		newKeys   bool
	}{
		"an unchanged Secret":               {after: 59 * time.Second, heartbeat: "2026-11-20T12:00:00Z"},
		"a minute after the last heartbeat": {after: time.Minute, heartbeat: "2026-11-20T12:01:00Z"},
		"another bundle":                    {bundle: "two", after: time.Second, heartbeat: "2026-11-20T12:00:00Z"},
		"a heartbeat in the future":         {after: -time.Second, heartbeat: "2026-11-20T11:59:59Z"},
		"an invalid heartbeat": {
			change: func(s *corev1.Secret) { s.Annotations[HeartbeatAnnotation] = "yes" }, after: time.Second, heartbeat: "2026-11-20T12:00:01Z",
		},
		"no annotations": {
			change: func(s *corev1.Secret) { s.Annotations = nil }, after: time.Second, heartbeat: "2026-11-20T12:00:01Z",
		},
		"a truncated cursor key": {
			change: func(s *corev1.Secret) { s.Data[posture.GateSecretCursorKey] = cursor[:31] }, heartbeat: "2026-11-20T12:00:00Z", newCursor: true,
		},
		"no data": {
			change: func(s *corev1.Secret) { s.Data = nil }, heartbeat: "2026-11-20T12:00:00Z", newCursor: true, newKeys: true,
		},
		"truncated session keys": {
			change: func(s *corev1.Secret) {
				s.Data[posture.GateSecretSessionsKey] = s.Data[posture.GateSecretSessionsKey][1:]
			},
			heartbeat: "2026-11-20T12:00:00Z", newKeys: true,
		},
		"a day after the last session key": {after: 24 * time.Hour, heartbeat: "2026-11-21T12:00:00Z", newKeys: true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			present := first.DeepCopy()
			if tc.change != nil {
				tc.change(present)
			}
			bundle := "one"
			if tc.bundle != "" {
				bundle = tc.bundle
			}
			want := wanted(t, present, bundle, noon.Add(tc.after))
			if got := want.Annotations[HeartbeatAnnotation]; got != tc.heartbeat {
				t.Errorf("heartbeat %s, want %s", got, tc.heartbeat)
			}
			key := want.Data[posture.GateSecretCursorKey]
			if len(key) != cursorKeyLen || bytes.Equal(key, cursor) == tc.newCursor {
				t.Errorf("cursor key of %d bytes, equal to the first one = %t; want %d bytes and a new key = %t", len(key), bytes.Equal(key, cursor), cursorKeyLen, tc.newCursor)
			}
			if keys := want.Data[posture.GateSecretSessionsKey]; bytes.Equal(keys, first.Data[posture.GateSecretSessionsKey]) == tc.newKeys {
				t.Errorf("session keys were replaced = %t, want %t", !tc.newKeys, tc.newKeys)
			} else if _, err := credential.DecodeSessionKeys(keys); err != nil {
				t.Errorf("credential.DecodeSessionKeys: %v", err)
			}
			if string(want.Data[posture.GateSecretBundleKey]) != bundle {
				t.Errorf("bundle %q, want %q", want.Data[posture.GateSecretBundleKey], bundle)
			}
		})
	}
}

// TestTheGateSecretForWebhooksHasNoKeys covers webhook workers, which use neither
// sessions nor cursors.
func TestTheGateSecretForWebhooksHasNoKeys(t *testing.T) {
	t.Parallel()
	g := &gateSecretReconciler{heartbeat: time.Minute}
	want, err := g.wanted(nil, []byte("one"), noon)
	if err != nil {
		t.Fatalf("wanted: %v", err)
	}
	if len(want.Data) != 1 || string(want.Data[posture.GateSecretBundleKey]) != "one" || want.Annotations[HeartbeatAnnotation] != "2026-11-20T12:00:00Z" {
		t.Errorf("the Secret has %d members and the heartbeat %q, want the bundle and a heartbeat", len(want.Data), want.Annotations[HeartbeatAnnotation])
	}
}

// TestTheMetricOfTheHeartbeatHasTheAgeOfTheOldest checks the metric with which one alert watches
// both Secrets.
func TestTheMetricOfTheHeartbeatHasTheAgeOfTheOldest(t *testing.T) {
	t.Parallel()
	fresh, stale := &gateSecretReconciler{}, &gateSecretReconciler{}
	g := &gauges{now: func() time.Time { return noon }, secrets: []*gateSecretReconciler{fresh, stale}}
	if _, known := g.oldest(); known {
		t.Error("an age before the first heartbeat, want none")
	}
	fresh.lastHeartbeat.Store(noon.Add(-time.Second).Unix())
	stale.lastHeartbeat.Store(noon.Add(-time.Hour).Unix())
	if age, known := g.oldest(); !known || age != time.Hour {
		t.Errorf("age %s, %t; want an hour", age, known)
	}
}

// TestTheCacheHoldsNoValuesOfSecrets also checks annotations, because kubectl apply stores the
// values of a Secret there.
func TestTheCacheHoldsNoValuesOfSecrets(t *testing.T) {
	t.Parallel()
	o := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Namespace: "ns", Name: "a", UID: "u", ResourceVersion: "7",
		Annotations: map[string]string{"kubectl.kubernetes.io/last-applied-configuration": "hush"},
		Labels:      map[string]string{"a": "b"}, ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "kubectl"}},
	}}
	if _, err := onlyVersion(o); err != nil {
		t.Fatalf("onlyVersion: %v", err)
	}
	if len(o.Annotations)+len(o.Labels)+len(o.ManagedFields) > 0 || o.Name != "a" || o.Namespace != "ns" || o.UID != "u" || o.ResourceVersion != "7" {
		t.Errorf("metadata in the cache: %+v, want only the identity and the version", o.ObjectMeta)
	}
}

func TestOptionsHaveDefaultsAndRequiredFields(t *testing.T) {
	t.Parallel()
	o, err := Options{Namespace: "ns", GateSecret: "gate", WebhookSecret: "webhooks", Service: "api"}.complete()
	if err != nil || o.Port != "ops" || o.Now == nil || o.Dial == nil || o.Registerer == nil || o.Intervals.Heartbeat != time.Minute {
		t.Errorf("options %+v (%v), want the defaults", o, err)
	}
	for _, o := range []Options{
		{GateSecret: "gate", WebhookSecret: "webhooks", Service: "api"},
		{Namespace: "ns", WebhookSecret: "webhooks", Service: "api"},
		{Namespace: "ns", GateSecret: "gate", WebhookSecret: "webhooks"},
		{Namespace: "ns", GateSecret: "gate", Service: "api"},
		// With equal names, each reconciler would overwrite the Secret of the other.
		{Namespace: "ns", GateSecret: "gate", WebhookSecret: "gate", Service: "api"},
	} {
		if _, err := o.complete(); err == nil {
			t.Errorf("the options %+v are accepted, want ErrOption", o)
		}
	}
}
