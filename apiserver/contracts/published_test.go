// SPDX-License-Identifier: Apache-2.0

package contracts_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/docs"
	"github.com/printmarket/printmarket/internal/problem"
)

// document is a published contract, decoded without a schema.
func document(t testing.TB, name contracts.Name) map[string]any {
	t.Helper()
	return parse(t, text(t, string(name)))
}

func parse(t testing.TB, text string) map[string]any {
	t.Helper()
	var read map[string]any
	if err := yaml.UnmarshalStrict([]byte(text), &read); err != nil {
		t.Fatalf("yaml.UnmarshalStrict: %v", err)
	}
	return read
}

func text(t testing.TB, name string) string {
	t.Helper()
	data, err := docs.API.ReadFile("api/" + name)
	if err != nil {
		t.Fatalf("docs.API.ReadFile: %v", err)
	}
	return string(data)
}

// at returns the object at a path of members.
func at(value any, path ...string) any {
	for _, name := range path {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	return value
}

// Every example beside a schema in components must be valid, and each request body must have
// one.
func TestExamplesAreValid(t *testing.T) {
	t.Parallel()
	set := published(t)
	checked := map[string]int{}
	for _, name := range contracts.Names() {
		schemas, _ := at(document(t, name), "components", "schemas").(map[string]any)
		for component, node := range schemas {
			examples, _ := at(node, "examples").([]any)
			for _, example := range examples {
				encoded, err := json.Marshal(example)
				if err != nil {
					t.Fatalf("json.Marshal: %v", err)
				}
				if found := schema(t, set, name, component).Violations(decode(t, string(encoded))); len(found) > 0 {
					t.Errorf("%s: the example %s of %s is not valid: %v", name, encoded, component, found)
				}
				checked[component]++
			}
		}
	}
	for _, component := range []string{"RfqCreate", "PreflightSubmit"} {
		if checked[component] == 0 {
			t.Errorf("%s has no example", component)
		}
	}
}

// A dangling reference must fail this test instead of the first response that needs it.
func TestEverySchemaCompiles(t *testing.T) {
	t.Parallel()
	set := published(t)
	for _, name := range contracts.Names() {
		schemas, _ := at(document(t, name), "components", "schemas").(map[string]any)
		for component := range schemas {
			schema(t, set, name, component)
		}
	}
	for _, op := range set.Operations() {
		responses, _ := at(document(t, op.Contract), "paths", op.Path, strings.ToLower(op.Method), "responses").(map[string]any)
		for status := range responses {
			var code int
			if _, err := fmt.Sscan(status, &code); err != nil {
				t.Errorf("%s %s: status %q", op.Method, op.Path, status)
			}
			if _, err := set.Answer(op, code); err != nil {
				t.Errorf("set.Answer: %v", err)
			}
		}
	}
}

// Every operation must document the rejection of an invalid key and the failure of the
// service.
func TestEveryOperationDocumentsItsErrors(t *testing.T) {
	t.Parallel()
	set := published(t)
	for _, op := range set.Operations() {
		needed := []int{401, 403, 429, 500, 503}
		if op.Path == "/api/v1/estimate" {
			needed = []int{401, 503}
			if _, err := set.Answer(op, 200); err == nil {
				t.Errorf("%s %s documents a success, want none", op.Method, op.Path)
			}
		}
		for _, status := range needed {
			answer, err := set.Answer(op, status)
			if err != nil || !slices.Equal(answer.MediaTypes(), []string{"application/problem+json"}) {
				t.Errorf("%s %s: %d as %q, %v", op.Method, op.Path, status, answer.MediaTypes(), err)
			}
		}
	}
}

// The test searches the served bytes.
func TestContractsDoNotMentionUnpublishedFeatures(t *testing.T) {
	t.Parallel()
	secret := regexp.MustCompile(`(?i)\b(orders?|batch|accept|acceptance|bridge|media-catalog|devices|master[-_]?data|ingest\w*|admin|platform)\b`)
	for _, name := range contracts.Names() {
		for number, line := range strings.Split(text(t, string(name)), "\n") {
			// Accept-Language is a header field of RFC 9110.
			if found := secret.FindString(strings.ReplaceAll(line, "Accept-Language", "")); found != "" {
				t.Errorf("%s:%d mentions %q: %s", name, number+1, found, line)
			}
		}
	}
}

// TestProblemSchemaAgreesWithTheContracts compares the members of problems.
func TestProblemSchemaAgreesWithTheContracts(t *testing.T) {
	t.Parallel()
	var file map[string]any
	if err := json.Unmarshal([]byte(text(t, "marketplace-problem-details.v1.schema.json")), &file); err != nil {
		t.Fatalf("json.Unmarshal: %v", err)
	}
	members := func(node any) []string {
		object, _ := node.(map[string]any)
		var names []string
		for name := range object {
			names = append(names, name)
		}
		slices.Sort(names)
		return names
	}
	of := map[string]bool{}
	for _, name := range contracts.Names() {
		component := at(document(t, name), "components", "schemas", "Problem")
		for what, path := range map[string][]string{
			"required members":       {"required"},
			"pattern of code":        {"properties", "code", "pattern"},
			"bounds of title, least": {"properties", "title", "minLength"},
			"bounds of title, most":  {"properties", "title", "maxLength"},
			"bounds of status, low":  {"properties", "status", "minimum"},
			"bounds of status, high": {"properties", "status", "maximum"},
			"members of an error":    {"properties", "errors", "items", "required"},
		} {
			if diff := cmp.Diff(at(file, path...), at(component, path...)); diff != "" {
				t.Errorf("%s: %s (-schema file +contract):\n%s", name, what, diff)
			}
		}
		for _, member := range members(at(component, "properties")) {
			of[member] = true
		}
	}
	if diff := cmp.Diff(members(at(file, "properties")), slices.Sorted(maps.Keys(of))); diff != "" {
		t.Errorf("members (-schema file +all contracts):\n%s", diff)
	}
	if got, _ := at(file, "properties", "errors", "maxItems").(float64); got != contracts.MaxViolations {
		t.Errorf("the schema allows %v errors, an answer has up to %d", got, contracts.MaxViolations)
	}
}

func TestEveryCodeHasThePublishedForm(t *testing.T) {
	t.Parallel()
	pattern, _ := at(document(t, contracts.Partner), "components", "schemas", "Problem", "properties", "code", "pattern").(string)
	form := regexp.MustCompile(pattern)
	for _, d := range problem.Codes() {
		if pattern == "" || !form.MatchString(string(d.Code)) {
			t.Errorf("%s is not of the form %q", d.Code, pattern)
		}
	}
}
