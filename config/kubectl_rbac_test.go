// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/printmarket/printmarket/internal/kubetest"
)

// verbs with the letter that stands for each in the golden file.
var verbs = []struct{ letter, verb string }{
	{"g", "get"},
	{"l", "list"},
	{"w", "watch"},
	{"c", "create"},
	{"u", "update"},
	{"p", "patch"},
	{"d", "delete"},
	{"D", "deletecollection"},
	{"r", "raise"},
	{"e", "engage"},
}

// target is a resource, or one object of it.
type target struct {
	group, resource, name string
	// elsewhere is another namespace than that of the platform.
	elsewhere bool
}

const marketplace = "marketplace.printmarket.dev"

// targets hold every resource that a Role names, and some that none may.
var targets = []target{
	{group: marketplace, resource: "capabilityrollouts"},
	{group: marketplace, resource: "capabilityrollouts/status"},
	{group: marketplace, resource: "partnerentitlements"},
	{group: marketplace, resource: "partnerentitlements/status"},
	{group: marketplace, resource: "xjmfsenders"},
	{group: marketplace, resource: "xjmfsenders/status"},
	{resource: "secrets"},
	{resource: "secrets", name: "printmarket-gate-api"},
	{resource: "secrets", name: "acme-xjmf"},
	{group: "coordination.k8s.io", resource: "leases"},
	{group: "coordination.k8s.io", resource: "leases", name: "printmarket-controller"},
	{resource: "events"},
	{group: "events.k8s.io", resource: "events"},
	{group: "discovery.k8s.io", resource: "endpointslices"},
	{resource: "pods"},
	{resource: "pods/exec"},
	{resource: "configmaps"},
	{resource: "serviceaccounts/token"},
	{group: rbacv1.GroupName, resource: "rolebindings"},
	{resource: "namespaces"},
	{group: marketplace, resource: "capabilityrollouts", elsewhere: true},
	{resource: "secrets", elsewhere: true},
}

func (o target) String() string {
	text := o.resource
	if o.group != "" {
		text += "." + o.group
	}
	if o.name != "" {
		text += " " + o.name
	}
	if o.elsewhere {
		text += ", in default"
	}
	return text
}

// subject is a column: somebody who has one Role at most.
type subject struct {
	column, user string
	hasRole      bool
}

func TestRolesGrantWhatTheMatrixShows(t *testing.T) {
	t.Parallel()
	namespace := withRoles(t)
	account := "system:serviceaccount:" + namespace + ":printmarket-"
	subjects := []subject{
		{"controller", account + "controller", true},
		{"api", account + "api", true},
		{"worker", account + "worker", false},
		{"viewer", bound(t, namespace, "viewer"), true},
		{"on-call", bound(t, namespace, "on-call"), true},
		{"release", bound(t, namespace, "release-manager"), true},
		{"partners", bound(t, namespace, "partner-operations"), true},
		{"nobody", "nobody-in-" + namespace, false},
	}
	for _, s := range subjects {
		if s.hasRole {
			awaitRole(t, namespace, s.user)
		}
	}
	golden(t, "can-i.txt", matrix(t, namespace, subjects))
	for _, s := range subjects {
		kubectlAgrees(t, namespace, s)
	}
}

// With this the matrix is complete: what it does not show, nobody may.
func TestRolesNameOnlyWhatTheMatrixHas(t *testing.T) {
	t.Parallel()
	known := func(group, resource string) bool {
		return slices.ContainsFunc(targets, func(o target) bool { return o.group == group && o.resource == resource })
	}
	for _, role := range renderDefault(t).roles {
		for _, rule := range role.Rules {
			for _, verb := range rule.Verbs {
				if !slices.ContainsFunc(verbs, func(v struct{ letter, verb string }) bool { return v.verb == verb }) {
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

func matrix(t *testing.T, namespace string, subjects []subject) string {
	t.Helper()
	ask := newReviewer(t)
	var out strings.Builder
	out.WriteString("What each may do in the namespace of the platform, as kubectl auth can-i says:\n")
	for _, v := range verbs {
		fmt.Fprintf(&out, "%s=%s ", v.letter, v.verb)
	}
	fmt.Fprintf(&out, "\n\n%-60s", "")
	for _, s := range subjects {
		fmt.Fprintf(&out, "%-11s", s.column)
	}
	for _, o := range targets {
		fmt.Fprintf(&out, "\n%-60s", o)
		for _, s := range subjects {
			fmt.Fprintf(&out, "%-11s", ask.letters(t, o, namespace, s.user))
		}
	}
	return trimmed(out.String() + "\n")
}

func (r reviewer) letters(t *testing.T, o target, namespace, user string) string {
	t.Helper()
	var out strings.Builder
	for _, v := range verbs {
		letter := "-"
		if r.allows(t, user, o.attributes(namespace, v.verb)) {
			letter = v.letter
		}
		out.WriteString(letter)
	}
	return out.String()
}

func (o target) attributes(namespace, verb string) authorizationv1.ResourceAttributes {
	if o.elsewhere {
		namespace = "default"
	}
	resource, sub, _ := strings.Cut(o.resource, "/")
	return authorizationv1.ResourceAttributes{
		Namespace: namespace, Verb: verb, Group: o.group, Resource: resource, Subresource: sub, Name: o.name,
	}
}

// reviewer asks what kubectl auth can-i asks, without a process for each answer.
type reviewer struct{ client.Client }

func newReviewer(t *testing.T) reviewer {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := authorizationv1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	made, err := client.New(plane.Config(), client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	return reviewer{made}
}

func (r reviewer) allows(t *testing.T, user string, what authorizationv1.ResourceAttributes) bool {
	t.Helper()
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{User: user, ResourceAttributes: &what}}
	if err := r.Create(t.Context(), review); err != nil {
		t.Fatal(err)
	}
	return review.Status.Allowed
}

// awaitRole waits until the API server knows of a user's Role, all of which
// allow this.
func awaitRole(t *testing.T, namespace, user string) {
	t.Helper()
	ask, reads := newReviewer(t), target{group: marketplace, resource: "capabilityrollouts"}.attributes(namespace, "list")
	kubetest.Eventually(t, func() error {
		if !ask.allows(t, user, reads) {
			return fmt.Errorf("%s has no Role yet", user)
		}
		return nil
	})
}

// kubectlAgrees compares a cell with kubectl itself.
func kubectlAgrees(t *testing.T, namespace string, s subject) {
	t.Helper()
	cell := target{resource: "secrets", name: "printmarket-gate-api"}.attributes(namespace, "get")
	want := map[bool]string{true: "yes", false: "no"}[newReviewer(t).allows(t, s.user, cell)]
	got := admin(namespace).kubectl(t, "", "auth", "can-i", "get", "secrets/printmarket-gate-api", "--as="+s.user)
	if strings.TrimSpace(got.stdout) != want {
		t.Errorf("kubectl says %q of %s, want %s", got.stdout, s.user, want)
	}
}

// withRoles makes a namespace with the accounts and Roles of config/rbac.
func withRoles(t *testing.T) string {
	t.Helper()
	requirePlane(t)
	namespace := plane.Namespace(t)
	manifests := strings.ReplaceAll(kustomize(t, "rbac"), "namespace: printmarket\n", "namespace: "+namespace+"\n")
	admin(namespace).mustApply(t, "installer", manifests)
	return namespace
}

// bound makes a user and binds a Role for people to it.
func bound(t *testing.T, namespace, role string) string {
	t.Helper()
	user := role + "-of-" + namespace
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: user},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "printmarket-" + role},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
	}
	if err := plane.Client(t).Create(t.Context(), binding); err != nil {
		t.Fatal(err)
	}
	return user
}

// as is a person with a Role for people, once the API server knows of it.
func as(t *testing.T, namespace, role string) person {
	t.Helper()
	name := bound(t, namespace, role)
	awaitRole(t, namespace, name)
	return person{plane.NewUser(t, name), namespace}
}
