// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/cel/openapi/resolver"
	"k8s.io/client-go/discovery"

	"github.com/printmarket/printmarket/api/v1alpha1"
)

// The controllers of a cluster write these warnings into the status of a policy if an
// expression names a field that its kind does not have.
func TestPolicyExpressionsNameExistingFields(t *testing.T) {
	t.Parallel()
	requirePlane(t)
	shown, err := discovery.NewDiscoveryClientForConfig(plane.Config())
	if err != nil {
		t.Fatalf("discovery.NewDiscoveryClientForConfig: %v", err)
	}
	mapper := meta.NewDefaultRESTMapper(nil)
	for _, kind := range []string{v1alpha1.KindCapabilityRollout, v1alpha1.KindPartnerEntitlement, v1alpha1.KindPreflightProfile, v1alpha1.KindXJMFSender} {
		mapper.Add(v1alpha1.GroupVersion.WithKind(kind), meta.RESTScopeNamespace)
	}
	checker := validating.TypeChecker{SchemaResolver: &resolver.ClientDiscoveryResolver{Discovery: shown}, RestMapper: mapper}

	policies := 0
	for document := range strings.SplitSeq(kustomize(t, "policy"), "\n---\n") {
		if !strings.Contains(document, "\nkind: ValidatingAdmissionPolicy\n") {
			continue
		}
		policies++
		policy := decodeStrict[admissionregistrationv1.ValidatingAdmissionPolicy](t, []byte(document))
		for _, warning := range checker.Check(&policy) {
			t.Errorf("%s: %s: %s", policy.Name, warning.FieldRef, warning.Warning)
		}
		policy.Spec.Validations[0].Expression = "object.spec.stege == 'Live'"
		if len(checker.Check(&policy)) == 0 {
			t.Errorf("%s: a misspelt field is not found, so this test finds nothing", policy.Name)
		}
	}
	if policies != 8 {
		t.Errorf("%d policies, want 8", policies)
	}
}

// Each new field of a rollout needs a validation, because the role for people on call may patch whole
// objects. spec.capability is immutable.
func TestThePolicyJudgesEveryFieldOfARollout(t *testing.T) {
	t.Parallel()
	policies := kustomize(t, "policy")
	for field := range reflect.TypeFor[v1alpha1.CapabilityRolloutSpec]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		compared := regexp.MustCompile(`object\.spec\.\??` + name + `\s+==\s+oldObject\.spec\.\??` + name + `\b`)
		if name != "capability" && !compared.MatchString(policies) {
			t.Errorf("no policy compares spec.%s with its former value", name)
		}
	}
}
