// SPDX-License-Identifier: Apache-2.0

package v1alpha1_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// celRule is a rule of x-kubernetes-validations.
type celRule struct {
	kind string
	// path leads to the value that the rule judges, with [*] for the items of a
	// list.
	path string
	apiextensionsv1.ValidationRule
}

// reportedAt is the path that the API server reports when the rule rejects.
func (r celRule) reportedAt() string { return strings.TrimPrefix(r.path+r.FieldPath, ".") }

// isTransition reports whether the rule compares with the former object.
func (r celRule) isTransition() bool { return strings.Contains(r.Rule, "oldSelf") }

// celRules returns the rules of a schema and of everything below it.
func celRules(kind, path string, schema apiextensionsv1.JSONSchemaProps) []celRule {
	var all []celRule
	for _, rule := range schema.XValidations {
		all = append(all, celRule{kind, path, rule})
	}
	for name, property := range schema.Properties {
		all = append(all, celRules(kind, path+"."+name, property)...)
	}
	if schema.Items != nil {
		all = append(all, celRules(kind, path+"[*]", *schema.Items.Schema)...)
	}
	if schema.AdditionalProperties != nil && schema.AdditionalProperties.Schema != nil {
		all = append(all, celRules(kind, path+"[*]", *schema.AdditionalProperties.Schema)...)
	}
	return all
}

// judged is the result of admission for one case of the tables of this package.
type judged struct {
	object, former map[string]any
	errs           field.ErrorList
}

func judgedCases(t *testing.T) []judged {
	t.Helper()
	var all []judged
	create := func(o map[string]any) { all = append(all, judged{object: o, errs: judge(t).Create(t.Context(), o)}) }
	for _, group := range createCases() {
		for _, tc := range group {
			create(patched(t, tc.manifest, tc.patch))
		}
	}
	for _, tc := range urlCases() {
		create(withURL(t, tc.url))
	}
	for _, tc := range updateCases() {
		former, o := patched(t, tc.manifest, tc.old), patched(t, tc.manifest, tc.new)
		verdict(t, judge(t).Create(t.Context(), former), "")
		all = append(all, judged{o, former, judge(t).Update(t.Context(), o, former)})
	}
	return all
}

var listIndex = regexp.MustCompile(`\[[^\]]*\]`)

// rejects reports whether the rule is among the reasons for a rejection.
func (r celRule) rejects(j judged) bool {
	for _, err := range j.errs {
		at := strings.TrimPrefix(listIndex.ReplaceAllString(err.Field, "[*]"), "<nil>") // the whole object has no field
		if strings.Contains(err.Detail, r.Message) && at == r.reportedAt() {
			return true
		}
	}
	return false
}

// accepts reports whether the object was accepted and has a value that the rule
// judged.
func (r celRule) accepts(j judged) bool {
	steps := strings.Split(strings.TrimPrefix(strings.ReplaceAll(r.path, "[*]", ".[*]"), "."), ".")
	return len(j.errs) == 0 && has(j.object, steps) && (!r.isTransition() || j.former != nil && has(j.former, steps))
}

// has reports whether a value has something at a path.
func has(value any, steps []string) bool {
	if len(steps) == 0 || steps[0] == "" {
		return value != nil
	}
	if steps[0] == "[*]" {
		items, _ := value.([]any)
		entries, _ := value.(map[string]any)
		for _, item := range slices.AppendSeq(items, maps.Values(entries)) {
			if has(item, steps[1:]) {
				return true
			}
		}
		return false
	}
	members, _ := value.(map[string]any)
	return members[steps[0]] != nil && has(members[steps[0]], steps[1:])
}

// The rules are found in the CustomResourceDefinitions, and their cases in the
// tables of TestCreate, TestUpdate and the URLs of webhooks.
func TestEveryRuleHasAnAcceptedAndARejectedCase(t *testing.T) {
	t.Parallel()
	cases, count := judgedCases(t), 0
	for _, crd := range definitions(t) {
		for _, version := range crd.Spec.Versions {
			for _, rule := range celRules(crd.Spec.Names.Kind, "", *version.Schema.OpenAPIV3Schema) {
				count++
				accepted, rejected := 0, 0
				for _, j := range cases {
					if j.object["kind"] != rule.kind {
						continue
					}
					if rule.rejects(j) {
						rejected++
					}
					if rule.accepts(j) {
						accepted++
					}
				}
				if accepted == 0 || rejected == 0 {
					t.Errorf("%s %s, rule %q at %q: %d accepted and %d rejected cases, want at least one of each; add them to createCases or updateCases",
						rule.kind, version.Name, rule.Message, rule.reportedAt(), accepted, rejected)
				}
				if rule.Message == "" {
					t.Errorf("%s %s: the rule %q at %q has no message", rule.kind, version.Name, rule.Rule, rule.reportedAt())
				}
			}
		}
	}
	if count < 20 {
		t.Errorf("found %d rules in the CustomResourceDefinitions, want at least 20", count)
	}
}
