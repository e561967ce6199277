// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/cel/openapi/resolver"
	"k8s.io/client-go/discovery"

	"github.com/printmarket/printmarket/api/v1alpha1"
)

// What the controllers of a cluster would write into the status of the policy, if
// an expression named a field that the kind does not have.
func TestTheExpressionsOfThePolicyFitTheKind(t *testing.T) {
	t.Parallel()
	requirePlane(t)
	shown, err := discovery.NewDiscoveryClientForConfig(plane.Config())
	if err != nil {
		t.Fatalf("discovery.NewDiscoveryClientForConfig: %v", err)
	}
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(v1alpha1.GroupVersion.WithKind(v1alpha1.KindCapabilityRollout), meta.RESTScopeNamespace)
	checker := validating.TypeChecker{SchemaResolver: &resolver.ClientDiscoveryResolver{Discovery: shown}, RestMapper: mapper}

	text, _, _ := strings.Cut(source(t, "config/policy/rollouts.yaml"), "\n---\n")
	policy := decodeStrict[admissionregistrationv1.ValidatingAdmissionPolicy](t, []byte(text))
	for _, warning := range checker.Check(&policy) {
		t.Errorf("%s: %s", warning.FieldRef, warning.Warning)
	}
	policy.Spec.Validations[0].Expression = "object.spec.stege == 'Live'"
	if len(checker.Check(&policy)) == 0 {
		t.Error("a misspelt field is not found, so this test finds nothing")
	}
}
