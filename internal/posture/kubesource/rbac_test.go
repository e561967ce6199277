// SPDX-License-Identifier: Apache-2.0

package kubesource_test

import (
	"errors"
	"fmt"
	"os"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture/kubesource"
	"github.com/printmarket/printmarket/test/eventually"
)

// reader creates a user with the shipped role of API servers.
func (c *cluster) reader(t *testing.T) (client.Client, func(*kubesource.Config)) {
	t.Helper()
	return c.readerWith(t, "gates")
}

// readerWith creates a user with one of the shipped roles.
func (c *cluster) readerWith(t *testing.T, role string) (client.Client, func(*kubesource.Config)) {
	t.Helper()
	manifest, err := os.ReadFile("../../../config/rbac/" + role + "_role.yaml")
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	if err := c.plane.Apply(t, c.plane.Admin(), c.namespace, string(manifest)); err != nil {
		t.Fatalf("c.plane.Apply(%q): %v", c.namespace, err)
	}
	user := c.plane.NewUser(t, role+"-of-"+c.namespace)
	c.create(t, &rbacv1.RoleBinding{
		ObjectMeta: c.meta(role),
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "printmarket-" + role},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user.Name}},
	})
	return c.plane.ClientOf(t, user), func(config *kubesource.Config) { config.Rest = user.Config() }
}

func TestShippedRoleIsEnough(t *testing.T) {
	t.Parallel()
	c := newGatedCluster(t, plane)
	_, asReader := c.reader(t)
	r := c.follow(t, asReader)
	r.awaitsHealth(t)
	c.revokeKey(t)
	r.awaits(t, "KeyRevoked")
	if err := c.Delete(t.Context(), c.gateSecret(t, "a")); err != nil {
		t.Fatalf("Delete: %v", err)
	}
	eventually.Succeeds(t, func() error {
		if err := r.Status().GateFault; !errors.Is(err, kubesource.ErrGateSecretMissing) {
			return fmt.Errorf("gate fault: %w; want ErrGateSecretMissing", err)
		}
		return nil
	})
}

func TestShippedRoleGrantsNothingElse(t *testing.T) {
	t.Parallel()
	c := newGatedCluster(t, plane)
	other := &corev1.Secret{ObjectMeta: c.meta("other")}
	c.create(t, other)
	reader, _ := c.reader(t)
	// Wait until the role is in force; refusals prove nothing before.
	eventually.Succeeds(t, func() error {
		return reader.Get(t.Context(), client.ObjectKey{Namespace: c.namespace, Name: gateSecret}, &corev1.Secret{})
	})
	for sentence, act := range map[string]func() error{
		"read another Secret":      func() error { return reader.Get(t.Context(), client.ObjectKeyFromObject(other), &corev1.Secret{}) },
		"list all Secrets":         func() error { return reader.List(t.Context(), &corev1.SecretList{}, client.InNamespace(c.namespace)) },
		"write the gate Secret":    func() error { return reader.Update(t.Context(), c.gateSecret(t, "b")) },
		"change a rollout":         func() error { return reader.Update(t.Context(), c.rollout()) },
		"delete a partner":         func() error { return reader.Delete(t.Context(), c.partner()) },
		"read another namespace's": func() error { return reader.List(t.Context(), &corev1.SecretList{}, client.InNamespace("default")) },
	} {
		t.Run(sentence, func(t *testing.T) {
			if err := act(); !apierrors.IsForbidden(err) {
				t.Errorf("got %v, want forbidden", err)
			}
		})
	}
}

// TestPreflightWorkerReadsProfilesAndNothingElse runs a source with the shipped role of preflight workers.
func TestPreflightWorkerReadsProfilesAndNothingElse(t *testing.T) {
	t.Parallel()
	c := newGatedCluster(t, plane)
	house := &v1alpha1.PreflightProfile{ObjectMeta: c.meta("house"), Spec: v1alpha1.PreflightProfileSpec{Version: "1.0.0", Extends: "print_ready"}}
	c.create(t, house)
	reader, asWorker := c.readerWith(t, "worker")
	r := c.follow(t, func(config *kubesource.Config) {
		asWorker(config)
		config.GateSecret, config.ProfilesOnly = "", true
	})
	eventually.Succeeds(t, r.Healthy)
	has := func(version string) {
		t.Helper()
		eventually.Succeeds(t, func() error {
			if p, found := r.gates.Current(r.clock.Now()).Profile("house"); version != "" && (!found || p.Version != version) || version == "" && found {
				return fmt.Errorf("profile %+v, want the version %q", p, version)
			}
			return nil
		})
	}
	has("1.0.0")
	house.Spec.Version = "1.1.0"
	if err := c.Update(t.Context(), house); err != nil {
		t.Fatalf("Update: %v", err)
	}
	has("1.1.0")
	if compiled := r.Compiled(); len(compiled) != 1 || compiled[v1alpha1.KindPreflightProfile] == "" {
		t.Errorf("compiled %v, want profiles only", compiled)
	}
	if members := r.gates.Current(r.clock.Now()).Members(); len(members) != 0 {
		t.Errorf("the worker has the partners %v, want none", members)
	}
	if err := c.Delete(t.Context(), house); err != nil {
		t.Fatalf("Delete: %v", err)
	}
	has("")
	for _, list := range []client.ObjectList{&v1alpha1.PartnerEntitlementList{}, &v1alpha1.XJMFSenderList{}, &v1alpha1.CapabilityRolloutList{}, &corev1.SecretList{}} {
		if err := reader.List(t.Context(), list, client.InNamespace(c.namespace)); !apierrors.IsForbidden(err) {
			t.Errorf("list %T: %v, want forbidden", list, err)
		}
	}
}

func TestShippedRoleReadsARolloutAsStored(t *testing.T) {
	t.Parallel()
	c := newGatedCluster(t, plane)
	var stored v1alpha1.CapabilityRolloutList
	if err := c.List(t.Context(), &stored, client.InNamespace(c.namespace)); err != nil || len(stored.Items) == 0 {
		t.Fatalf("List: %d rollouts, %v", len(stored.Items), err)
	}
	want := &stored.Items[0]
	_, asReader := c.reader(t)
	r := c.follow(t, asReader)
	got, err := r.Rollout(t.Context(), want.Name)
	if err != nil || got == nil || got.ResourceVersion != want.ResourceVersion || len(got.ManagedFields) == 0 {
		t.Errorf("Rollout(%q) = %+v, %v, want version %s with its managed fields", want.Name, got, err, want.ResourceVersion)
	}
	if got, err := r.Rollout(t.Context(), "absent"); got != nil || err != nil {
		t.Errorf(`Rollout("absent") = %+v, %v, want nil`, got, err)
	}
}
