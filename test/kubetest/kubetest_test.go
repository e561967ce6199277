// SPDX-License-Identifier: Apache-2.0

package kubetest_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/test/controlplane"
	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/kubetest"
)

var plane *kubetest.Plane

func TestMain(m *testing.M) { os.Exit(kubetest.Run(m, &plane)) }

func configMap(namespace, name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}

func TestDefinitionsAreServedAndJudgeObjects(t *testing.T) {
	t.Parallel()
	err := plane.Client(t).Create(t.Context(), &v1alpha1.CapabilityRollout{
		ObjectMeta: metav1.ObjectMeta{Namespace: plane.Namespace(t), Name: "order"},
		Spec:       v1alpha1.CapabilityRolloutSpec{Capability: "order", Stage: "Sometimes"},
	})
	if !apierrors.IsInvalid(err) {
		t.Fatalf("creating a rollout with an unknown stage: %v; want a refusal as invalid", err)
	}
}

func TestUserHasTheRightsOfItsRolesOnly(t *testing.T) {
	t.Parallel()
	namespace := plane.Namespace(t)
	user := plane.NewUser(t, "reader-of-"+namespace)
	reader := plane.ClientOf(t, user)
	if err := reader.List(t.Context(), &corev1.ConfigMapList{}, client.InNamespace(namespace)); !apierrors.IsForbidden(err) {
		t.Fatalf("a user without a role lists: %v; want forbidden", err)
	}

	role := &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "reader"},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"list"}}},
	}
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "reader"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "reader"},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user.Name}},
	}
	for _, object := range []client.Object{role, binding} {
		if err := plane.Client(t).Create(t.Context(), object); err != nil {
			t.Fatalf("Create: %v", err)
		}
	}
	eventually.Succeeds(t, func() error {
		return reader.List(t.Context(), &corev1.ConfigMapList{}, client.InNamespace(namespace))
	})
	if err := reader.Create(t.Context(), configMap(namespace, "mine")); !apierrors.IsForbidden(err) {
		t.Fatalf("a user who may list creates: %v; want forbidden", err)
	}
}

func TestKubectlSpeaksTheServersVersion(t *testing.T) {
	t.Parallel()
	output, err := plane.Kubectl(t, plane.Admin(), "version")
	if err != nil {
		t.Fatalf(`plane.Kubectl("version"): %v`, err)
	}
	for _, who := range []string{"Client", "Server"} {
		if want := who + " Version: " + controlplane.KubernetesVersion; !strings.Contains(output, want) {
			t.Errorf("kubectl version prints %q; want %q in it", output, want)
		}
	}
}

func TestKubectlReturnsTheReasonOfAFailure(t *testing.T) {
	t.Parallel()
	err := plane.Apply(t, plane.NewUser(t, "stranger"), plane.Namespace(t), "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}")
	var failure *controlplane.KubectlError
	if !errors.As(err, &failure) || !strings.Contains(failure.Output, "forbidden") {
		t.Fatalf("apply without rights: %v; want a KubectlError with the reason forbidden", err)
	}
}

func TestUsersAreMadeConcurrently(t *testing.T) {
	t.Parallel()
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			if _, err := plane.User(fmt.Sprintf("user-%d", i)); err != nil {
				t.Errorf("plane.User: %v", err)
			}
		})
	}
	group.Wait()
}

func TestServerReturnsOnItsAddressWithItsObjects(t *testing.T) {
	t.Parallel()
	own := kubetest.Start(t)
	namespace := own.Namespace(t)
	if err := own.Client(t).Create(t.Context(), configMap(namespace, "kept")); err != nil {
		t.Fatalf("Create: %v", err)
	}
	address := own.Address()

	own.StopServer()
	if err := own.Client(t).Create(t.Context(), configMap(namespace, "lost")); err == nil {
		t.Fatal("a stopped server took a write")
	}
	own.Restart(t)

	if got := own.Address(); got != address {
		t.Fatalf("the server moved from %s to %s", address, got)
	}
	if err := own.Client(t).Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: "kept"}, &corev1.ConfigMap{}); err != nil {
		t.Fatalf("read the data from before the crash: %v", err)
	}
}

func TestHistogramCountsTimesBelowEachBound(t *testing.T) {
	t.Parallel()
	times := []time.Duration{30 * time.Millisecond, 4 * time.Millisecond, 3 * time.Millisecond, 7 * time.Millisecond}
	want := "<     5 ms      2  50.00% " + strings.Repeat("#", 25) +
		"\n<    10 ms      1  75.00% " + strings.Repeat("#", 13) +
		"\n<    20 ms      0  75.00% " +
		"\n<    50 ms      1 100.00% " + strings.Repeat("#", 13) + "\n"
	if diff := cmp.Diff(want, kubetest.Histogram(times)); diff != "" {
		t.Errorf("histogram (-want +got):\n%s", diff)
	}
}
