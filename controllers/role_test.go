// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"slices"
	"testing"

	"github.com/printmarket/printmarket/controllers"
)

// TestRoleGrantsOnlyUsedPermissions checks the Role for unused rights. Every test of this package
// runs with the generated Role, so no right is missing.
func TestRoleGrantsOnlyUsedPermissions(t *testing.T) {
	t.Parallel()
	role := roleOf(t, "any")
	if role.Kind != "Role" {
		t.Errorf("the kind is %s, want a Role, which is limited to the namespace", role.Kind)
	}
	for _, rule := range role.Rules {
		for _, list := range [][]string{rule.APIGroups, rule.Resources, rule.Verbs} {
			if slices.Contains(list, "*") {
				t.Errorf("rule %v has a wildcard, want none", rule)
			}
		}
		writes := slices.ContainsFunc(rule.Verbs, func(verb string) bool { return verb == "patch" || verb == "update" })
		switch {
		case slices.Contains(rule.Verbs, "delete") || slices.Contains(rule.Verbs, "deletecollection"):
			t.Errorf("rule %v allows deletion, want none", rule)
		case !writes:
		case slices.Contains(rule.Resources, "secrets"):
			if !slices.Equal(rule.ResourceNames, []string{gateName, webhookName}) {
				t.Errorf("rule %v allows writes to any Secret, want only the gate Secrets", rule)
			}
		case slices.Contains(rule.Resources, "configmaps"):
			if !slices.Equal(rule.ResourceNames, []string{controllers.ClaimsName}) {
				t.Errorf("rule %v allows writes to any ConfigMap, want only the claims", rule)
			}
		case slices.Contains(rule.Resources, "leases"):
			if len(rule.ResourceNames) != 1 {
				t.Errorf("rule %v allows writes to any object, want only named objects", rule)
			}
		case slices.Contains(rule.Resources, "events"):
		default:
			for _, resource := range rule.Resources {
				if !slices.Contains([]string{"capabilityrollouts/status", "partnerentitlements/status", "preflightprofiles/status", "xjmfsenders/status"}, resource) {
					t.Errorf("the Role allows writes to %s, want only its status", resource)
				}
			}
		}
	}
}
