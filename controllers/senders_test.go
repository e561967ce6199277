// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/controllers"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/test/eventually"
)

// verifying returns the secrets with which an API server that has only the gate Secret would check a
// sender's signatures.
func (s *installation) verifying(id string) ([]string, error) {
	var senders v1alpha1.XJMFSenderList
	var partners v1alpha1.PartnerEntitlementList
	gate, err := s.gate()
	if err := errors.Join(err, s.admin.List(s.t.Context(), &senders, client.InNamespace(s.namespace)),
		s.admin.List(s.t.Context(), &partners, client.InNamespace(s.namespace))); err != nil {
		return nil, err
	}
	bundle, err := posture.DecodeBundle(gate.Data[posture.GateSecretBundleKey])
	if err != nil {
		return nil, err
	}
	snapshot := posture.Compile(posture.Inputs{Senders: senders.Items, Partners: partners.Items, Secrets: bundle})
	found, known := snapshot.Sender(id)
	if !known {
		return nil, fmt.Errorf("the sender %s is unknown", id)
	}
	var values []string
	for _, value := range found.Secrets(s.clock.Now()) {
		values = append(values, value.Reveal())
	}
	return values, nil
}

func (s *installation) verifies(id string, want ...string) {
	s.t.Helper()
	eventually.Succeeds(s.t, func() error {
		got, err := s.verifying(id)
		if err != nil {
			return err
		}
		if diff := cmp.Diff(want, got); diff != "" {
			return fmt.Errorf("secrets of %s (-want +got):\n%s", id, diff)
		}
		return nil
	})
}

func TestASendersSecretReachesTheGates(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	s.start()
	mis, held := sender("acme", "acme", "acme-xjmf"), secret("acme-xjmf", secretValue)
	s.create(mis)
	s.ready(mis, "False/PartnerNotFound")
	s.create(partner("acme"))
	s.ready(mis, "False/SecretNotFound")
	s.becomes(mis, v1alpha1.ConditionSecretsResolved, "False/SecretNotFound")
	s.create(held)
	s.ready(mis, "True/Enforced")
	if diff := cmp.Diff([]string{"current"}, mis.Status.ActiveSecrets); diff != "" {
		t.Errorf("active secrets (-want +got):\n%s", diff)
	}
	s.verifies("acme-mis", secretValue)

	const other = "another value that is long enough"
	s.edit(held, func() { held.Data["hmac"] = []byte(other) })
	s.verifies("acme-mis", other)
	s.edit(held, func() { held.Data["hmac"] = []byte("short") })
	s.ready(mis, "False/SecretTooShort")
	s.verifies("acme-mis")
	s.delete(held)
	s.ready(mis, "False/SecretNotFound")
}

// TestSecretsThatAreNotForSendersStayOutOfTheGateSecret checks that the right to create
// senders gives no access to other Secrets.
func TestSecretsThatAreNotForSendersStayOutOfTheGateSecret(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	s.start()
	token := secret("token", secretValue)
	token.Type = corev1.SecretTypeBasicAuth
	token.Data["username"], token.Data["password"] = []byte("acme"), []byte(secretValue)
	mis := sender("acme", "acme", "token")
	s.create(partner("acme"), secret("printmarket-database", secretValue), token, mis)
	s.ready(mis, "False/SecretNotFound")
	s.verifies("acme-mis")
}

func TestSenderHasAnActiveSecretDuringARotation(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	s.start()
	const next = "the secret that comes next, in time"
	mis := sender("acme", "acme", "old")
	s.create(partner("acme"), secret("old", secretValue), secret("new", next), mis)
	s.ready(mis, "True/Enforced")
	end := s.clock.Now().Add(time.Hour)
	s.edit(mis, func() {
		mis.Spec.Secrets[0].NotAfter = new(metav1.NewTime(end))
		mis.Spec.Secrets = append(mis.Spec.Secrets, v1alpha1.SharedSecret{Name: "next", SecretRef: v1alpha1.SecretKeyReference{Name: "new", Key: "hmac"}})
	})
	s.verifies("acme-mis", secretValue, next)
	s.ready(mis, "True/Enforced")
	if mis.Status.NextRotation == nil || !mis.Status.NextRotation.Time.Equal(end) {
		t.Errorf("next rotation %v, want %v", mis.Status.NextRotation, end)
	}

	s.clock.SetTime(end)
	eventually.Succeeds(t, func() error {
		gate, err := s.gate()
		if err != nil {
			return err
		}
		if err := s.refresh(mis); err != nil {
			return err
		}
		if len(mis.Status.ActiveSecrets) != 1 || mis.Status.ActiveSecrets[0] != "next" {
			return fmt.Errorf("active secrets %v", mis.Status.ActiveSecrets)
		}
		if bundle := gate.Data[posture.GateSecretBundleKey]; len(bundle) > 500 {
			return fmt.Errorf("the expired value is still in the gate Secret: %d bytes", len(bundle))
		}
		return is(mis, v1alpha1.ConditionReady, "True/Enforced")
	})
	s.verifies("acme-mis", next)
}

func TestTheGateSecretHasAHeartbeatAndIsRestored(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	s.start()
	var cursor []byte
	beats := func(at string) {
		t.Helper()
		eventually.Succeeds(t, func() error {
			gate, err := s.gate()
			if err != nil {
				return err
			}
			if got := gate.Annotations[controllers.HeartbeatAnnotation]; got != at {
				return fmt.Errorf("heartbeat %s, want %s", got, at)
			}
			if _, err := posture.DecodeBundle(gate.Data[posture.GateSecretBundleKey]); err != nil {
				return err
			}
			if cursor == nil {
				cursor = gate.Data[posture.GateSecretCursorKey]
			}
			if got := gate.Data[posture.GateSecretCursorKey]; len(got) != 32 || !bytes.Equal(got, cursor) {
				return errors.New("the key for cursors has changed")
			}
			if gate.Labels["app.kubernetes.io/managed-by"] != "printmarket-controller" {
				return fmt.Errorf("labels %v", gate.Labels)
			}
			return nil
		})
	}
	beats("2026-11-20T12:00:00Z")
	s.clock.SetTime(s.clock.Now().Add(time.Minute))
	beats("2026-11-20T12:01:00Z")

	gate, err := s.gate()
	if err != nil {
		t.Fatalf("gate: %v", err)
	}
	s.edit(gate, func() { gate.Data[posture.GateSecretBundleKey] = []byte("{}") })
	beats("2026-11-20T12:01:00Z")
	s.delete(gate)
	beats("2026-11-20T12:01:00Z")
}

// TestTheCursorKeyStaysAfterADeletionOfTheGateSecret checks that the cursors of partners stay valid
// after the gate Secret is deleted, even if the new Secret cannot be written at once.
func TestTheCursorKeyStaysAfterADeletionOfTheGateSecret(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	s.start()
	written := func() (gate *corev1.Secret) {
		t.Helper()
		eventually.Succeeds(t, func() (err error) {
			gate, err = s.gate()
			return err
		})
		return gate
	}
	before := written()
	allow := s.forbidNewSecrets()
	s.delete(before)
	acme, mis := partner("acme"), sender("acme", "acme", "acme-xjmf")
	s.create(acme, secret("acme-xjmf", secretValue), mis)
	s.becomes(mis, v1alpha1.ConditionPropagated, "False/Progressing")
	allow()
	for _, key := range []string{posture.GateSecretCursorKey, posture.GateSecretSessionsKey} {
		if !bytes.Equal(written().Data[key], before.Data[key]) {
			t.Errorf("the key %s has changed, want the same value", key)
		}
	}
	s.ready(mis, "True/Enforced")
}

// TestTheGateSecretIsNotASharedSecret checks a sender that refers to the gate Secret. If that were
// allowed, each write would add the content of the Secret to itself.
func TestTheGateSecretIsNotASharedSecret(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	// Admission rejects the default name, and the Role allows no other name.
	const name = "gate-of-another-name"
	s.user = plane.Config()
	s.start(func(_ *ctrl.Options, o *controllers.Options) { o.GateSecret = name })
	mis := sender("acme", "acme", name)
	mis.Spec.Secrets[0].SecretRef.Key = posture.GateSecretCursorKey
	s.create(partner("acme"), mis)
	s.ready(mis, "False/SecretNotFound")
}

func TestTheSenderThatExceedsTheCapacityWaits(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	s.start()
	first, second, third := sender("first", "acme", "big"), sender("second", "acme", "bigger"), sender("third", "acme", "small")
	s.create(partner("acme"), secret("big", strings.Repeat("x", 400_000)), secret("bigger", strings.Repeat("y", 500_000)), secret("small", secretValue))
	s.create(first)
	s.ready(first, "True/Enforced")
	s.create(second)
	s.ready(second, "False/SecretCapacity")
	s.becomes(second, v1alpha1.ConditionSecretsResolved, "False/SecretCapacity")
	s.create(third)
	s.ready(third, "True/Enforced")
	s.ready(first, "True/Enforced")
	s.delete(first)
	s.ready(second, "True/Enforced")
}

// TestOnlySendersWaitForTheGateSecret checks that only senders wait while the gate Secret cannot be
// written, with and without serving replicas.
func TestOnlySendersWaitForTheGateSecret(t *testing.T) {
	t.Parallel()
	for name, replicas := range map[string]int{"one replica": 1, "no replica": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newInstallation(t)
			for range replicas {
				s.serve("10.0.0.1", "pod-1")
			}
			allow := s.forbidNewSecrets()
			s.start()
			acme, mis := partner("acme"), sender("acme", "acme", "acme-xjmf")
			s.create(acme, secret("acme-xjmf", secretValue), mis)
			s.ready(acme, "True/Enforced")
			s.becomes(mis, v1alpha1.ConditionSecretsResolved, "True/Resolved")
			s.ready(mis, "False/Progressing")
			s.becomes(mis, v1alpha1.ConditionPropagated, "False/Progressing")
			allow()
			s.ready(mis, "True/Enforced")
		})
	}
}

// forbidNewSecrets revokes the controllers' right to create Secrets until the returned function is
// called.
func (s *installation) forbidNewSecrets() (allow func()) {
	s.t.Helper()
	role := roleOf(s.t, s.namespace)
	if err := s.refresh(role); err != nil {
		s.t.Fatalf("refresh: %v", err)
	}
	rule := slices.IndexFunc(role.Rules, func(r rbacv1.PolicyRule) bool {
		return slices.Contains(r.Resources, "secrets") && slices.Contains(r.Verbs, "create")
	})
	verbs := role.Rules[rule].Verbs
	s.edit(role, func() { role.Rules[rule].Verbs = []string{"get", "list", "watch"} })
	limited, err := client.New(s.user, client.Options{})
	if err != nil {
		s.t.Fatalf("client.New: %v", err)
	}
	eventually.Succeeds(s.t, func() error {
		probe := secret("probe", "x")
		probe.Namespace = s.namespace
		if err := limited.Create(s.t.Context(), probe, client.DryRunAll); !apierrors.IsForbidden(err) {
			return fmt.Errorf("creating a Secret: %w, want forbidden", err)
		}
		return nil
	})
	return func() {
		s.t.Helper()
		s.edit(role, func() { role.Rules[rule].Verbs = verbs })
	}
}
