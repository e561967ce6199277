// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/test/kubetest"
)

// looks are the commands with which a user inspects the objects.
var looks = []string{
	"get cap", "get partner", "get sender", "get printmarket", "get cap -o wide", "get partner -o wide", "get sender -o wide",
}

func TestSamplesHaveTheDocumentedEffect(t *testing.T) {
	t.Parallel()
	namespace := withRoles(t)
	admin(namespace).must(t, "", "apply", "--server-side", "--kustomize=samples")
	control(t, namespace)
	settle(t, namespace)
	golden(t, "get-samples.txt", lookAt(t, as(t, namespace, "viewer"), looks))
}

// An object that contradicts another one is closed alone, and its row shows the reason.
func TestRowsOfBrokenObjectsShowTheFault(t *testing.T) {
	t.Parallel()
	namespace := withRoles(t)
	admin(namespace).mustApply(t, "test", readFile(t, "testdata/broken.yaml"))
	control(t, namespace)
	settle(t, namespace)
	viewer := as(t, namespace, "viewer")
	commands := append(looks[:3:3], looks[4:]...)
	for _, object := range []string{"cap/estimate", "cap/preflight", "partner/umbrella", "partner/twins", "sender/early", "sender/lost", "sender/weak"} {
		commands = append(commands, "get "+object+` -o jsonpath='{.status.conditions[?(@.type=="Ready")].message}'`)
	}
	golden(t, "get-broken.txt", lookAt(t, viewer, commands))
}

// A status without an observed generation shows that no controller has processed the object,
// so clients do not treat it as ready.
func TestRowsOfUnprocessedObjectsShowThatNoControllerRuns(t *testing.T) {
	t.Parallel()
	namespace := withRoles(t)
	admin(namespace).mustApply(t, "test", readFile(t, "testdata/broken.yaml"))
	commands := looks[:3:3]
	for _, object := range []string{"cap/rfq-read", "partner/acme", "sender/rotating"} {
		commands = append(commands, "get "+object+` -o jsonpath='{.status}'`)
	}
	golden(t, "get-unseen.txt", lookAt(t, as(t, namespace, "viewer"), commands))
}

// The API server selects by the fields that the CustomResourceDefinitions name.
func TestObjectsAreSelectedByTheirFields(t *testing.T) {
	t.Parallel()
	namespace := withRoles(t)
	admin(namespace).must(t, "", "apply", "--server-side", "--kustomize=samples")
	viewer := plane.ClientOf(t, as(t, namespace, "viewer").user)
	list := func(kind, selector string) ([]unstructured.Unstructured, error) {
		parsed, err := fields.ParseSelector(selector)
		if err != nil {
			t.Fatalf("fields.ParseSelector(%q): %v", selector, err)
		}
		var found unstructured.UnstructuredList
		found.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(kind + "List"))
		err = viewer.List(t.Context(), &found, client.InNamespace(namespace), client.MatchingFieldsSelector{Selector: parsed})
		return found.Items, err
	}
	names := func(kind, selector string) (names []string) {
		found, err := list(kind, selector)
		if err != nil {
			t.Fatalf("list %s with %q: %v", kind, selector, err)
		}
		for i := range found {
			names = append(names, found[i].GetName())
		}
		return names
	}
	for _, tc := range []struct{ kind, field string }{
		{"CapabilityRollout", "stage"}, {"PartnerEntitlement", "organizationID"}, {"XJMFSender", "partner"},
	} {
		all, err := list(tc.kind, "")
		if err != nil || len(all) == 0 {
			t.Fatalf("%d objects of the kind %s: %v", len(all), tc.kind, err)
		}
		values := map[string][]string{}
		for i := range all {
			value, found, err := unstructured.NestedString(all[i].Object, "spec", tc.field)
			if !found || err != nil {
				t.Fatalf("%s %s has no spec.%s: %v", tc.kind, all[i].GetName(), tc.field, err)
			}
			values[value] = append(values[value], all[i].GetName())
		}
		selector := "spec." + tc.field
		for value, want := range values {
			if diff := cmp.Diff(want, names(tc.kind, selector+"="+value)); diff != "" {
				t.Errorf("%s with %s=%s (-want +got):\n%s", tc.kind, selector, value, diff)
			}
			if got := names(tc.kind, selector+"!="+value); len(got) != len(all)-len(want) {
				t.Errorf("%s with %s!=%s: %v, want the other %d", tc.kind, selector, value, got, len(all)-len(want))
			}
		}
		if got := names(tc.kind, selector+"=none"); len(got) != 0 {
			t.Errorf("%s with %s=none: %v, want none", tc.kind, selector, got)
		}
	}
	if _, err := list("PartnerEntitlement", "spec.displayName=Acme"); err == nil || !strings.Contains(err.Error(), "field label not supported") {
		t.Errorf("selecting by another field: %v, want a refusal", err)
	}
}

// lookAt is a transcript of commands, none of which has a space in quotes.
func lookAt(t *testing.T, who person, commands []string) string {
	t.Helper()
	var out kubetest.Transcript
	for _, command := range commands {
		words := strings.Fields(strings.ReplaceAll(command, "'", ""))
		out.Add("kubectl "+command, kubetest.WithoutAges(who.must(t, "", words...)))
	}
	return out.String()
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatalf("os.ReadFile %v: %v", name, err)
	}
	return string(content)
}
