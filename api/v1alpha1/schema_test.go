// SPDX-License-Identifier: Apache-2.0

package v1alpha1_test

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/config"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/dirsource"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
)

// admission is compiled once for all tests of the package.
var admission = sync.OnceValues(dirsource.NewAdmission)

func judge(t *testing.T) *dirsource.Admission {
	t.Helper()
	a, err := admission()
	if err != nil {
		t.Fatalf("admission: %v", err)
	}
	return a
}

// object reads a manifest the way an API server does.
func object(t *testing.T, manifest string) map[string]any {
	t.Helper()
	content, err := yaml.YAMLToJSONStrict([]byte(manifest))
	if err != nil {
		t.Fatalf("the test's own manifest: %v\n%s", err, manifest)
	}
	var out map[string]any
	if err := utiljson.Unmarshal(content, &out); err != nil {
		t.Fatalf("utiljson.Unmarshal: %v", err)
	}
	return out
}

func definitions(t *testing.T) []apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	files, err := fs.Glob(config.FS, path.Join(config.CRDDir, "*.yaml"))
	if err != nil || len(files) != 4 {
		t.Fatalf("definitions = %v, %v; want 4 files", files, err)
	}
	out := make([]apiextensionsv1.CustomResourceDefinition, len(files))
	for i, file := range files {
		content, err := fs.ReadFile(config.FS, file)
		if err != nil {
			t.Fatalf("fs.ReadFile(%q): %v", file, err)
		}
		if err := yaml.UnmarshalStrict(content, &out[i]); err != nil {
			t.Fatalf("yaml.UnmarshalStrict: %v", err)
		}
	}
	return out
}

func TestDefinitionsAreAcceptedByAnAPIServer(t *testing.T) {
	t.Parallel()
	for _, crd := range definitions(t) {
		apiextensionsv1.SetDefaults_CustomResourceDefinition(&crd)
		apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&crd.Spec)
		var internal apiextensions.CustomResourceDefinition
		if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(&crd, &internal, nil); err != nil {
			t.Fatalf("Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition: %v", err)
		}
		// This includes the cost budget of the CEL rules. The API server sets
		// the stored versions before it validates.
		internal.Status.StoredVersions = []string{"v1alpha1"}
		for _, err := range crdvalidation.ValidateCustomResourceDefinition(t.Context(), &internal) {
			t.Errorf("%s: %v", crd.Name, err)
		}
	}
}

func TestKindsHaveTheirPublishedNames(t *testing.T) {
	t.Parallel()
	got := map[string][]string{}
	for _, crd := range definitions(t) {
		names := crd.Spec.Names
		got[names.Kind] = append([]string{crd.Spec.Group, string(crd.Spec.Scope)}, append(names.ShortNames, names.Categories...)...)
	}
	want := map[string][]string{
		"PartnerEntitlement": {"marketplace.printmarket.dev", "Namespaced", "partner", "printmarket"},
		"XJMFSender":         {"marketplace.printmarket.dev", "Namespaced", "sender", "printmarket"},
		"PreflightProfile":   {"marketplace.printmarket.dev", "Namespaced", "profile", "printmarket"},
		"CapabilityRollout":  {"marketplace.printmarket.dev", "Namespaced", "cap", "printmarket"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

func TestSchemeContainsEveryKind(t *testing.T) {
	t.Parallel()
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatalf("v1alpha1.AddToScheme: %v", err)
	}
	for _, crd := range definitions(t) {
		for _, kind := range []string{crd.Spec.Names.Kind, crd.Spec.Names.ListKind} {
			if !scheme.Recognizes(v1alpha1.GroupVersion.WithKind(kind)) {
				t.Errorf("the scheme does not contain %s", kind)
			}
		}
	}
}

// enumAt finds the enum of a schema by the path of its properties.
func enumAt(t *testing.T, kind string, properties ...string) []string {
	t.Helper()
	for _, crd := range definitions(t) {
		if crd.Spec.Names.Kind != kind {
			continue
		}
		schema := *crd.Spec.Versions[0].Schema.OpenAPIV3Schema
		for _, name := range properties {
			switch name {
			case "[]":
				schema = *schema.Items.Schema
			case "{}":
				schema = *schema.AdditionalProperties.Schema
			default:
				schema = schema.Properties[name]
			}
		}
		var values []string
		for _, one := range schema.Enum {
			values = append(values, strings.Trim(string(one.Raw), `"`))
		}
		slices.Sort(values)
		return values
	}
	t.Fatalf("no definition of %s", kind)
	return nil
}

func TestEnumsOfTheSchemasEqualTheRegistry(t *testing.T) {
	t.Parallel()
	var capabilities, scopes, stages []string
	for c := range posture.Capabilities() {
		capabilities = append(capabilities, c.String())
	}
	for s := range posture.AllScopes() {
		scopes = append(scopes, s.String())
	}
	for _, p := range []posture.Posture{posture.Disabled, posture.Sandbox, posture.PrivateBeta, posture.Live} {
		stages = append(stages, p.Stage())
	}
	tests := map[string]struct {
		want []string
		got  []string
	}{
		"capabilities of a rollout": {capabilities, enumAt(t, "CapabilityRollout", "spec", "capability")},
		"capabilities of a grant":   {capabilities, enumAt(t, "PartnerEntitlement", "spec", "capabilities", "[]", "name")},
		"capabilities of a status":  {capabilities, enumAt(t, "PartnerEntitlement", "status", "capabilities", "[]", "name")},
		"scopes of a partner":       {scopes, enumAt(t, "PartnerEntitlement", "spec", "scopes", "[]")},
		"scopes of a key":           {scopes, enumAt(t, "PartnerEntitlement", "spec", "keys", "[]", "scopes", "[]")},
		"events of a webhook":       {emitted(), enumAt(t, "PartnerEntitlement", "spec", "webhooks", "[]", "events", "[]")},
		"stages of a rollout":       {stages, enumAt(t, "CapabilityRollout", "spec", "stage")},
		"built-in profiles":         {profile.Names(), enumAt(t, "PreflightProfile", "spec", "extends")},
		"roles of inks":             {profile.InkRoles(), enumAt(t, "PreflightProfile", "spec", "inks", "{}")},
		"stages of a status":        {stages, enumAt(t, "CapabilityRollout", "status", "effectiveStage")},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := slices.Compact(slices.Sorted(slices.Values(tc.want)))
			if diff := cmp.Diff(want, tc.got); diff != "" {
				t.Errorf("registry and schema differ (-registry +schema):\n%s", diff)
			}
		})
	}
}

// emitted lists the catalogue of events.
func emitted() []string {
	return []string{
		string(transaction.RFQCreated), string(transaction.RFQQuoted), string(transaction.RFQClosed), string(transaction.RFQExpired),
		string(transaction.RFQCancelled), string(transaction.QuoteSuperseded), string(transaction.QuoteWithdrawn), string(transaction.QuoteExpired),
		string(transaction.PreflightSucceeded), string(transaction.PreflightFailed), string(transaction.PreflightCancelled),
	}
}

// merge replaces the members of a manifest that a case changes. The form is a
// JSON merge patch (RFC 7396): null removes.
func merge(into map[string]any, patch map[string]any) {
	for key, value := range patch {
		child, isMap := value.(map[string]any)
		existing, wasMap := into[key].(map[string]any)
		switch {
		case value == nil:
			delete(into, key)
		case isMap && wasMap:
			merge(existing, child)
		default:
			into[key] = value
		}
	}
}

func patched(t *testing.T, manifest, patch string) map[string]any {
	t.Helper()
	o := object(t, manifest)
	if patch != "" {
		merge(o, object(t, patch))
	}
	return o
}
