// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// kindPages are the pages of the kinds, by the plural of each.
var kindPages = map[string]string{
	"capabilityrollouts":  "docs/guides/capabilityrollout.md",
	"partnerentitlements": "docs/guides/partnerentitlement.md",
	"xjmfsenders":         "docs/guides/xjmfsender.md",
}

// firsts are the first cells of the rows of a table.
func firsts(t *testing.T, page string, header ...string) []string {
	t.Helper()
	var out []string
	for _, row := range table(t, page, header...) {
		out = append(out, row[0])
	}
	return out
}

func TestThePageOfAKindHasEveryFieldOfItsDefinition(t *testing.T) {
	t.Parallel()
	for plural, page := range kindPages {
		var definition apiextensionsv1.CustomResourceDefinition
		if err := yaml.UnmarshalStrict([]byte(read(t, "config/crd/bases/marketplace.printmarket.dev_"+plural+".yaml")), &definition); err != nil {
			t.Fatal(err)
		}
		schema := definition.Spec.Versions[0].Schema.OpenAPIV3Schema
		for _, part := range []string{"spec", "status"} {
			want := fields(part, schema.Properties[part])
			got := firsts(t, page, "field of the "+part, "what it says")
			slices.Sort(want)
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" || len(want) < 5 {
				t.Errorf("%s: fields of the %s (-definition +page):\n%s", page, part, diff)
			}
		}
	}
}

// fields are the paths below one, those of items among them. Conditions have the
// fields that they have everywhere.
func fields(at string, schema apiextensionsv1.JSONSchemaProps) []string {
	var out []string
	for name, property := range schema.Properties {
		path := at + "." + name
		out = append(out, path)
		if path == "status.conditions" {
			continue
		}
		out = append(out, fields(path, property)...)
		if property.Items != nil {
			out = append(out, fields(path, *property.Items.Schema)...)
		}
	}
	return out
}

// Which kinds have a condition is told by the guide to the cluster.
func TestThePageOfAKindHasItsConditions(t *testing.T) {
	t.Parallel()
	short := map[string]string{"capabilityrollouts": "rollout", "partnerentitlements": "partner", "xjmfsenders": "sender"}
	for plural, page := range kindPages {
		var want []string
		for _, row := range table(t, clusterGuide, "condition", "kinds", "True means") {
			if row[1] == "all" || row[1] == short[plural] {
				want = append(want, row[0])
			}
		}
		got := firsts(t, page, "condition", "True means", "what to do when it is not as it should be")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: conditions (-guide to the cluster +page):\n%s", page, diff)
		}
	}
}

// Every reason of the code is on a page, and those of propagation are on all.
func TestThePagesOfTheKindsHaveEveryReason(t *testing.T) {
	t.Parallel()
	var code []string
	for _, match := range regexp.MustCompile(`(?m)^\tReason\w+ = "(\w+)"$`).FindAllStringSubmatch(read(t, "api/v1alpha1/conditions.go"), -1) {
		code = append(code, match[1])
	}
	pages := map[string]int{}
	for _, page := range kindPages {
		for _, reason := range firsts(t, page, "reason", "what it says", "what to do") {
			pages[reason]++
		}
	}
	if diff := cmp.Diff(slices.Sorted(slices.Values(code)), slices.Sorted(maps.Keys(pages))); diff != "" {
		t.Errorf("reasons (-code +pages):\n%s", diff)
	}
	for _, reason := range []string{"Enforced", "InvalidSpec", "Progressing", "AllReplicas", "NoReplicas", "ReplicaBehind", "ReplicaSilent"} {
		if pages[reason] != len(kindPages) {
			t.Errorf("%s is on %d pages, want all", reason, pages[reason])
		}
	}
}

// The examples of the three pages belong together, and a cluster would take them.
func TestTheExamplesOfTheKindsAreTaken(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	for plural, page := range kindPages {
		examples := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(read(t, page), -1)
		if len(examples) != 1 {
			t.Fatalf("%s has %d examples, want 1", page, len(examples))
		}
		if err := os.WriteFile(filepath.Join(directory, plural+".yaml"), []byte(examples[0][1]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out := run(t, "posture", "--from", directory); !strings.Contains(out, "hooli") {
		t.Errorf("the partner of the example is not there:\n%s", out)
	}
}
