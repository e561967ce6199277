// SPDX-License-Identifier: Apache-2.0

package posturetest_test

import (
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/test/posturetest"
)

// The property tests of the snapshot and of explanations see only what the
// generator generates, so a field that it never sets is a field without tests.
func TestEverySpecFieldIsGenerated(t *testing.T) {
	t.Parallel()
	generated := map[string]int{}
	posturetest.Each(t, func(t *testing.T, _ posturetest.Generator, in posture.Inputs) {
		t.Helper()
		posturetest.VisitSpecs(in, func(path string, _ reflect.Value) { generated[path]++ })
	})
	for _, path := range posturetest.SpecFields() {
		if generated[path] == 0 {
			t.Errorf("no seed of posturetest.Each generates %s; extend generator.go", path)
		}
	}
}

func TestSpecFieldsListsEveryKindOfTheGroup(t *testing.T) {
	t.Parallel()
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatalf("v1alpha1.AddToScheme: %v", err)
	}
	fields := strings.Join(posturetest.SpecFields(), "\n")
	for kind, of := range scheme.KnownTypes(v1alpha1.GroupVersion) {
		if _, specified := of.FieldByName("Spec"); specified && !strings.Contains(fields, kind+".spec.") {
			t.Errorf("SpecFields lists no field of the kind %s; extend fields.go and generator.go", kind)
		}
	}
	for _, want := range []string{
		"CapabilityRollout.spec.Schedule.Ramp[].Percent", "PartnerEntitlement.spec.Webhooks[].Secrets[].SecretRef.Name", "XJMFSender.spec.Scheme",
	} {
		if !strings.Contains(fields, want) {
			t.Errorf("SpecFields does not list %s, got:\n%s", want, fields)
		}
	}
}

// Several property tests begin with these objects and change one thing.
func TestAGeneratorThatReturnsOneGeneratesSoundObjects(t *testing.T) {
	t.Parallel()
	in := posturetest.Generator(func(int) int { return 1 }).Inputs()
	report := posture.Compile(in).Report(posturetest.Judged())
	if got, want := len(report.Rollouts), len(in.Rollouts); got != want || want == 0 {
		t.Fatalf("%d rollouts in the report, want %d", got, want)
	}
	for _, r := range report.Rollouts {
		if r.Conditions[0].Reason == v1alpha1.ReasonInvalidSpec {
			t.Errorf("rollout %s: %+v, want a sound one", r.Name, r.Conditions[0])
		}
	}
	for i := range in.Rollouts {
		if s := in.Rollouts[i].Spec.Schedule; s != nil {
			t.Errorf("rollout %s has the schedule %+v, want none", in.Rollouts[i].Name, s)
		}
	}
	for i := range in.Partners {
		if p := in.Partners[i]; p.Spec.RequireClientCertificate || p.Spec.State != v1alpha1.StateActive || p.Spec.Contract == nil {
			t.Errorf("partner %s: %+v, want an active one with a contract and without certificates", p.Name, p.Spec)
		}
	}
}
