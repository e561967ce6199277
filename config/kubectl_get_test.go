// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
	viewer := as(t, namespace, "viewer")
	names := func(kind, selector string) []string {
		arguments := []string{"get", kind, "--output=name"}
		if selector != "" {
			arguments = append(arguments, "--field-selector="+selector)
		}
		return strings.Fields(viewer.must(t, "", arguments...))
	}
	for _, tc := range []struct{ kind, field, path string }{
		{"cap", "spec.stage", "{.spec.stage}"}, {"partner", "spec.organizationID", "{.spec.organizationID}"}, {"sender", "spec.partner", "{.spec.partner}"},
	} {
		all, values := names(tc.kind, ""), map[string][]string{}
		for _, object := range all {
			value := viewer.must(t, "", "get", object, "-o", "jsonpath="+tc.path)
			values[value] = append(values[value], object)
		}
		if len(all) == 0 || values[""] != nil {
			t.Fatalf("%s: %d objects, of which %v have no %s", tc.kind, len(all), values[""], tc.field)
		}
		for value, want := range values {
			if diff := cmp.Diff(want, names(tc.kind, tc.field+"="+value)); diff != "" {
				t.Errorf("%s with %s=%s (-want +got):\n%s", tc.kind, tc.field, value, diff)
			}
			if got := names(tc.kind, tc.field+"!="+value); len(got) != len(all)-len(want) {
				t.Errorf("%s with %s!=%s: %v, want the other %d", tc.kind, tc.field, value, got, len(all)-len(want))
			}
		}
		if got := names(tc.kind, tc.field+"=none"); len(got) != 0 {
			t.Errorf("%s with %s=none: %v, want none", tc.kind, tc.field, got)
		}
	}
	if got := viewer.kubectl(t, "", "get", "partner", "--field-selector=spec.displayName=Acme"); !strings.Contains(got.stderr, "field label not supported") {
		t.Errorf("selecting by another field: %+v, want a refusal", got)
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
