// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"sigs.k8s.io/yaml"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/test/kubetest"
)

// TestGeneratedHealthForArgoCD compares the sample ConfigMap with the script.
func TestGeneratedHealthForArgoCD(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	out.WriteString(`# Generated from health.lua; do not edit: go test ./config -run Generated -update
#
# Merge the keys into the ConfigMap argocd-cm of Argo CD.
apiVersion: v1
kind: ConfigMap
metadata:
  name: argocd-cm
  namespace: argocd
data:
`)
	for _, kind := range []string{"CapabilityRollout", "PartnerEntitlement", "PreflightProfile", "XJMFSender"} {
		fmt.Fprintf(&out, "  resource.customizations.health.%s_%s: |\n", v1alpha1.GroupVersion.Group, kind)
		for line := range strings.Lines(source(t, "config/argocd/health.lua")) {
			out.WriteString("    " + line)
		}
	}
	kubetest.Golden(t, "argocd/argocd-cm.yaml", out.String(), *update)
}

// Argo CD runs the script in Lua 5.1 with the object as the variable obj.
func TestArgoCDHealthFollowsTheConditions(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("lua5.1")
	if errors.Is(err, exec.ErrNotFound) {
		t.Skip("lua5.1 is not installed (`make setup` installs it)")
	}
	if err != nil {
		t.Fatal(err)
	}
	condition := func(name string, status metav1.ConditionStatus, reason string) metav1.Condition {
		return metav1.Condition{Type: name, Status: status, Reason: reason, Message: "the message of " + name}
	}
	ready := func(status metav1.ConditionStatus, reason string) metav1.Condition {
		return condition(v1alpha1.ConditionReady, status, reason)
	}
	for name, test := range map[string]struct {
		observed   int64
		conditions []metav1.Condition
		want       string
	}{
		"an object without status":            {0, nil, "Progressing The controller has not read the object yet"},
		"an older generation":                 {1, []metav1.Condition{ready("True", "Enforced")}, "Progressing The controller has not read this generation yet"},
		"an enforced object":                  {2, []metav1.Condition{ready("True", "Enforced")}, "Healthy the message of Ready"},
		"a suspended partner":                 {2, []metav1.Condition{ready("True", "Suspended")}, "Suspended the message of Ready"},
		"an engaged kill switch":              {2, []metav1.Condition{ready("True", "Killed")}, "Suspended the message of Ready"},
		"a held schedule":                     {2, []metav1.Condition{ready("True", "Held")}, "Suspended the message of Ready"},
		"a failed analysis":                   {2, []metav1.Condition{ready("True", "AnalysisFailed")}, "Degraded the message of Ready"},
		"a step that waits":                   {2, []metav1.Condition{ready("True", "AwaitingAnalysis")}, "Healthy the message of Ready"},
		"a change that is rolled out":         {2, []metav1.Condition{ready("False", "Progressing"), condition(v1alpha1.ConditionReconciling, "True", "Progressing")}, "Progressing the message of Reconciling"},
		"a broken object":                     {2, []metav1.Condition{ready("False", "InvalidSpec"), condition(v1alpha1.ConditionReconciling, "False", "InvalidSpec"), condition(v1alpha1.ConditionStalled, "True", "InvalidSpec")}, "Degraded the message of Stalled"},
		"an object that is not Ready":         {2, []metav1.Condition{ready("False", "NoReplicas")}, "Degraded the message of Ready"},
		"an object of unknown state":          {2, []metav1.Condition{ready("Unknown", "ReplicaSilent")}, "Progressing the message of Ready"},
		"a warning beside an enforced object": {2, []metav1.Condition{ready("True", "Enforced"), condition(v1alpha1.ConditionKeysComplete, "False", "NoExpiry")}, "Healthy the message of Ready"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status := "nil"
			if test.conditions != nil {
				var list []string
				for _, c := range test.conditions {
					list = append(list, fmt.Sprintf("{type=%q, status=%q, reason=%q, message=%q}", c.Type, c.Status, c.Reason, c.Message))
				}
				status = "{observedGeneration=" + strconv.FormatInt(test.observed, 10) + ", conditions={" + strings.Join(list, ", ") + "}}"
			}
			command := exec.CommandContext(t.Context(), program, "-")
			command.Stdin = strings.NewReader("obj = {metadata={generation=2}, status=" + status + "}\nlocal function health()\n" +
				source(t, "config/argocd/health.lua") + "end\nlocal found = health()\nio.write(found.status, ' ', found.message)\n")
			got, err := command.CombinedOutput()
			if err != nil || string(got) != test.want {
				t.Errorf("health %q (%v), want %q", got, err, test.want)
			}
		})
	}
}

// The sample must be valid, and must record changes of access but no content of Secrets.
func TestAuditPolicyRecordsChangesAndNoSecrets(t *testing.T) {
	t.Parallel()
	var policy auditv1.Policy
	if err := yaml.UnmarshalStrict([]byte(source(t, "config/audit-policy.yaml")), &policy); err != nil {
		t.Fatalf("yaml.UnmarshalStrict: %v", err)
	}
	level := func(verb, group, resource, userGroup string) auditv1.Level {
		for _, rule := range policy.Rules {
			covers := len(rule.Resources) == 0 || slices.ContainsFunc(rule.Resources, func(r auditv1.GroupResources) bool {
				return r.Group == group && (len(r.Resources) == 0 || slices.Contains(r.Resources, resource))
			})
			if covers && (len(rule.Verbs) == 0 || slices.Contains(rule.Verbs, verb)) && (len(rule.UserGroups) == 0 || slices.Contains(rule.UserGroups, userGroup)) {
				return rule.Level
			}
		}
		return auditv1.LevelNone
	}
	const people, platform = "system:authenticated", "system:serviceaccounts:printmarket"
	group := v1alpha1.GroupVersion.Group
	for name, test := range map[string]struct{ got, want auditv1.Level }{
		"a user changes a rollout":           {level("patch", group, "capabilityrollouts", people), auditv1.LevelRequestResponse},
		"a user deletes a partner":           {level("delete", group, "partnerentitlements", people), auditv1.LevelRequestResponse},
		"a user reads partners":              {level("list", group, "partnerentitlements", people), auditv1.LevelMetadata},
		"a user binds a Role":                {level("create", "rbac.authorization.k8s.io", "rolebindings", people), auditv1.LevelRequestResponse},
		"a user reads a Secret":              {level("get", "", "secrets", people), auditv1.LevelMetadata},
		"a user runs a command in a pod":     {level("create", "", "pods/exec", people), auditv1.LevelMetadata},
		"the controller writes status":       {level("patch", group, "capabilityrollouts/status", platform), auditv1.LevelMetadata},
		"the controller writes the Secret":   {level("update", "", "secrets", platform), auditv1.LevelMetadata},
		"an API server lists rollouts":       {level("list", group, "capabilityrollouts", platform), auditv1.LevelNone},
		"the controller renews its Lease":    {level("update", "coordination.k8s.io", "leases", platform), auditv1.LevelNone},
		"a user reads pods of another group": {level("list", "", "pods", people), auditv1.LevelNone},
	} {
		if test.got != test.want {
			t.Errorf("%s: level %s, want %s", name, test.got, test.want)
		}
	}
}
