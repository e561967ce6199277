// SPDX-License-Identifier: Apache-2.0

package kubetest

import (
	"fmt"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	authorization "k8s.io/client-go/kubernetes/typed/authorization/v1"
	"k8s.io/client-go/rest"

	"github.com/printmarket/printmarket/test/eventually"
)

// verb is a verb of RBAC and the letter that stands for it in a matrix.
type verb struct{ letter, name string }

func verbs() []verb {
	return []verb{
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
		{"m", "mint"},
		{"P", "platform"},
	}
}

// Verbs returns the verbs of a matrix.
func Verbs() []string {
	var names []string
	for _, v := range verbs() {
		names = append(names, v.name)
	}
	return names
}

// Target is a resource, or one object of it if Name is set.
type Target struct {
	Group, Resource, Name string
	// Elsewhere selects the namespace "default" instead of the platform's.
	Elsewhere bool
}

const marketplace = "marketplace.printmarket.dev"

// Targets returns the rows of a matrix: every resource that a Role of the platform
// names, and some that none may access.
func Targets() []Target {
	return []Target{
		{Group: marketplace, Resource: "capabilityrollouts"},
		{Group: marketplace, Resource: "capabilityrollouts/status"},
		{Group: marketplace, Resource: "partnerentitlements"},
		{Group: marketplace, Resource: "partnerentitlements/status"},
		{Group: marketplace, Resource: "preflightprofiles"},
		{Group: marketplace, Resource: "preflightprofiles/status"},
		{Group: marketplace, Resource: "xjmfsenders"},
		{Group: marketplace, Resource: "xjmfsenders/status"},
		{Resource: "secrets"},
		{Resource: "secrets", Name: "printmarket-gate-api"},
		{Resource: "secrets", Name: "printmarket-gate-webhooks"},
		{Resource: "secrets", Name: "printmarket-database"},
		{Resource: "secrets", Name: "acme-xjmf"},
		{Group: "coordination.k8s.io", Resource: "leases"},
		{Group: "coordination.k8s.io", Resource: "leases", Name: "printmarket-controller"},
		{Resource: "events"},
		{Group: "events.k8s.io", Resource: "events"},
		{Group: "discovery.k8s.io", Resource: "endpointslices"},
		{Resource: "pods"},
		{Resource: "pods/log"},
		{Resource: "pods/exec"},
		{Resource: "pods/portforward"},
		{Group: "apps", Resource: "deployments"},
		{Group: "apps", Resource: "deployments", Name: "printmarket-api"},
		{Group: "apps", Resource: "deployments/scale"},
		{Group: "apps", Resource: "deployments/scale", Name: "printmarket-api"},
		{Group: "apps", Resource: "deployments/scale", Name: "printmarket-worker-preflight"},
		{Group: "apps", Resource: "deployments/scale", Name: "printmarket-worker-webhooks"},
		{Group: "apps", Resource: "replicasets"},
		{Group: "autoscaling", Resource: "horizontalpodautoscalers"},
		{Resource: "configmaps"},
		{Resource: "configmaps", Name: "printmarket-claims"},
		{Resource: "serviceaccounts/token"},
		{Group: rbacv1.GroupName, Resource: "rolebindings"},
		{Resource: "namespaces"},
		{Group: marketplace, Resource: "capabilityrollouts", Elsewhere: true},
		{Resource: "secrets", Elsewhere: true},
	}
}

func (o Target) String() string {
	text := o.Resource
	if o.Group != "" {
		text += "." + o.Group
	}
	if o.Name != "" {
		text += " " + o.Name
	}
	if o.Elsewhere {
		text += ", in default"
	}
	return text
}

func (o Target) attributes(namespace, verb string) *authorizationv1.ResourceAttributes {
	if o.Elsewhere {
		namespace = "default"
	}
	resource, sub, _ := strings.Cut(o.Resource, "/")
	return &authorizationv1.ResourceAttributes{
		Namespace: namespace, Verb: verb, Group: o.Group, Resource: resource, Subresource: sub, Name: o.Name,
	}
}

// Subject is a user and the column that shows its access. User is the user name of
// Kubernetes; that of a service account begins with system:serviceaccount:.
type Subject struct{ Column, User string }

// ServiceAccount returns the user name of a service account.
func ServiceAccount(namespace, name string) string { return accounts + namespace + ":" + name }

const accounts = "system:serviceaccount:"

// groups returns the groups that Kubernetes adds a user to.
func groups(user string) []string {
	all := []string{"system:authenticated"}
	if account, found := strings.CutPrefix(user, accounts); found {
		namespace, _, _ := strings.Cut(account, ":")
		all = append(all, "system:serviceaccounts", "system:serviceaccounts:"+namespace)
	}
	return all
}

// Reviewer checks access to a namespace by SubjectAccessReviews, as `kubectl auth can-i`
// does, without a process for each check.
type Reviewer struct {
	namespace string
	reviews   authorization.SubjectAccessReviewInterface
}

// NewReviewer returns a reviewer. The user of the configuration must be allowed to create
// SubjectAccessReviews.
func NewReviewer(tb testing.TB, config *rest.Config, namespace string) Reviewer {
	tb.Helper()
	made, err := authorization.NewForConfig(config)
	if err != nil {
		tb.Fatalf("authorization.NewForConfig: %v", err)
	}
	return Reviewer{namespace: namespace, reviews: made.SubjectAccessReviews()}
}

// Allows reports whether a user may do something to a target.
func (r Reviewer) Allows(tb testing.TB, user, verb string, target Target) bool {
	tb.Helper()
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: user, Groups: groups(user), ResourceAttributes: target.attributes(r.namespace, verb),
	}}
	answer, err := r.reviews.Create(tb.Context(), review, metav1.CreateOptions{})
	if err != nil {
		tb.Fatalf("r.reviews.Create: %v", err)
	}
	return answer.Status.Allowed
}

// AwaitRole waits until the API server applies the Role of a user. All Roles of the
// platform allow to list rollouts.
func (r Reviewer) AwaitRole(tb testing.TB, user string) {
	tb.Helper()
	eventually.Succeeds(tb, func() error {
		if !r.Allows(tb, user, "list", Target{Group: marketplace, Resource: "capabilityrollouts"}) {
			return fmt.Errorf("%s has no Role yet", user)
		}
		return nil
	})
}

// Matrix shows a row for each of the [Targets], a column for each subject, and a letter
// for each of the [Verbs] that the subject may use.
func (r Reviewer) Matrix(tb testing.TB, subjects []Subject) string {
	tb.Helper()
	var out strings.Builder
	out.WriteString("Permissions in the namespace of the platform, by kubectl auth can-i:\n")
	for _, v := range verbs() {
		fmt.Fprintf(&out, "%s=%s ", v.letter, v.name)
	}
	fmt.Fprintf(&out, "\n\n%-70s", "")
	for _, s := range subjects {
		fmt.Fprintf(&out, "%-13s", s.Column)
	}
	for _, o := range Targets() {
		fmt.Fprintf(&out, "\n%-70s", o)
		for _, s := range subjects {
			fmt.Fprintf(&out, "%-13s", r.letters(tb, s.User, o))
		}
	}
	return Trimmed(out.String() + "\n")
}

func (r Reviewer) letters(tb testing.TB, user string, target Target) string {
	tb.Helper()
	var out strings.Builder
	for _, v := range verbs() {
		letter := "-"
		if r.Allows(tb, user, v.name, target) {
			letter = v.letter
		}
		out.WriteString(letter)
	}
	return out.String()
}
