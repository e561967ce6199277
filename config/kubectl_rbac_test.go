// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/kubetest"
)

// subject is a column: a user with at most one Role.
type subject struct {
	kubetest.Subject
	hasRole bool
}

func TestRolesGrantWhatTheMatrixShows(t *testing.T) {
	t.Parallel()
	namespace := withRoles(t)
	account := func(name string) string { return kubetest.ServiceAccount(namespace, "printmarket-"+name) }
	ask := reviewer(t, namespace)
	var columns []kubetest.Subject
	for _, s := range []subject{
		{kubetest.Subject{Column: "controller", User: account("controller")}, true},
		{kubetest.Subject{Column: "api", User: account("api")}, true},
		{kubetest.Subject{Column: "worker", User: account("worker")}, false},
		{kubetest.Subject{Column: "webhooks", User: account("webhooks")}, true},
		{kubetest.Subject{Column: "viewer", User: bound(t, namespace, "viewer")}, true},
		{kubetest.Subject{Column: "on-call", User: bound(t, namespace, "on-call")}, true},
		{kubetest.Subject{Column: "release", User: bound(t, namespace, "release-manager")}, true},
		{kubetest.Subject{Column: "partners", User: bound(t, namespace, "partner-operations")}, true},
		{kubetest.Subject{Column: "platform", User: bound(t, namespace, "platform-administrator")}, true},
		{kubetest.Subject{Column: "operations", User: bound(t, namespace, "operations")}, false},
		{kubetest.Subject{Column: "no role", User: "no-role-in-" + namespace}, false},
	} {
		if s.hasRole {
			ask.AwaitRole(t, s.User)
		}
		// These Roles do not allow what AwaitRole waits for.
		first := map[string]kubetest.Target{"operations": {Resource: "pods"}, "worker": {Group: "marketplace.printmarket.dev", Resource: "preflightprofiles"}}
		if target, waits := first[s.Column]; waits {
			eventually.Succeeds(t, func() error {
				if !ask.Allows(t, s.User, "list", target) {
					return fmt.Errorf("%s has no Role yet", s.User)
				}
				return nil
			})
		}
		columns = append(columns, s.Subject)
	}
	golden(t, "can-i.txt", ask.Matrix(t, columns))
	for _, s := range columns {
		kubectlAgrees(t, namespace, s.User)
	}
}

// The matrix is complete: no role allows a request that the matrix omits.
func TestRolesNameOnlyWhatTheMatrixHas(t *testing.T) {
	t.Parallel()
	known := func(group, resource string) bool {
		return slices.ContainsFunc(kubetest.Targets(), func(o kubetest.Target) bool { return o.Group == group && o.Resource == resource })
	}
	tree := renderDefault(t)
	tree.add(t, []byte(source(t, "config/operations/role.yaml")))
	for _, role := range tree.roles {
		for _, rule := range role.Rules {
			for _, verb := range rule.Verbs {
				if !slices.Contains(kubetest.Verbs(), verb) {
					t.Errorf("%s may %s, which is no verb of the matrix", role.Name, verb)
				}
			}
			for _, group := range rule.APIGroups {
				for _, resource := range rule.Resources {
					if !known(group, resource) {
						t.Errorf("%s names %s of %q, which is no row of the matrix", role.Name, resource, group)
					}
				}
			}
		}
	}
}

func reviewer(t *testing.T, namespace string) kubetest.Reviewer {
	t.Helper()
	return kubetest.NewReviewer(t, plane.Config(), namespace)
}

// kubectlAgrees compares a cell with kubectl itself.
func kubectlAgrees(t *testing.T, namespace, user string) {
	t.Helper()
	cell := kubetest.Target{Resource: "secrets", Name: "printmarket-gate-api"}
	want := map[bool]string{true: "yes", false: "no"}[reviewer(t, namespace).Allows(t, user, "get", cell)]
	got := admin(namespace).kubectl(t, "", "auth", "can-i", "get", "secrets/printmarket-gate-api", "--as="+user)
	if strings.TrimSpace(got.stdout) != want {
		t.Errorf("kubectl says %q of %s, want %s", got.stdout, user, want)
	}
}

// withRoles makes a namespace with the accounts and Roles of config/rbac and
// config/operations.
func withRoles(t *testing.T) string {
	t.Helper()
	requirePlane(t)
	namespace := plane.Namespace(t)
	manifests := strings.ReplaceAll(kustomize(t, "rbac")+"\n---\n"+source(t, "config/operations/role.yaml"), "namespace: printmarket\n", "namespace: "+namespace+"\n")
	admin(namespace).mustApply(t, "installer", manifests)
	return namespace
}

// bound makes a user and binds a Role for people to it.
func bound(t *testing.T, namespace, role string) string {
	t.Helper()
	user := role + "-of-" + namespace
	bind(t, namespace, user, role)
	return user
}

// bind binds a Role for people to a user.
func bind(t *testing.T, namespace, user, role string) {
	t.Helper()
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: user + "-" + role},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "printmarket-" + role},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
	}
	if err := plane.Client(t).Create(t.Context(), binding); err != nil {
		t.Fatalf("bind %s to %s: %v", role, user, err)
	}
}

// as returns a user with a Role for users, once the API server has applied the binding.
func as(t *testing.T, namespace, role string) person {
	t.Helper()
	name := bound(t, namespace, role)
	reviewer(t, namespace).AwaitRole(t, name)
	return person{plane.NewUser(t, name), namespace}
}
