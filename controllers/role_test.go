// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"slices"
	"testing"
)

// TestRoleGrantsOnlyUsedPermissions looks for unused rights. Every test of this package
// runs with the generated Role, so none is missing.
func TestRoleGrantsOnlyUsedPermissions(t *testing.T) {
	t.Parallel()
	role := roleOf(t, "any")
	if role.Kind != "Role" {
		t.Errorf("a %s reaches beyond the namespace", role.Kind)
	}
	for _, rule := range role.Rules {
		for _, list := range [][]string{rule.APIGroups, rule.Resources, rule.Verbs} {
			if slices.Contains(list, "*") {
				t.Errorf("a wildcard: %v", rule)
			}
		}
		writes := slices.ContainsFunc(rule.Verbs, func(verb string) bool { return verb == "patch" || verb == "update" })
		switch {
		case slices.Contains(rule.Verbs, "delete") || slices.Contains(rule.Verbs, "deletecollection"):
			t.Errorf("nothing is ever deleted: %v", rule)
		case !writes:
		case slices.Contains(rule.Resources, "secrets"):
			if !slices.Equal(rule.ResourceNames, []string{gateName, webhookName}) {
				t.Errorf("writes other Secrets than its own: %v", rule)
			}
		case slices.Contains(rule.Resources, "leases"):
			if len(rule.ResourceNames) != 1 {
				t.Errorf("writes more than its own: %v", rule)
			}
		case slices.Contains(rule.Resources, "events"):
		default:
			for _, resource := range rule.Resources {
				if !slices.Contains([]string{"capabilityrollouts/status", "partnerentitlements/status", "xjmfsenders/status"}, resource) {
					t.Errorf("writes %s", resource)
				}
			}
		}
	}
}
