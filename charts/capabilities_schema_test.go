// SPDX-License-Identifier: Apache-2.0

package charts_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// timePattern is RFC 3339, because Helm does not check formats.
const timePattern = `^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})$`

// TestSchemaOfCapabilitiesFollowsTheCRD derives the definitions of values.schema.json
// from the fields of CapabilityRollout, so that the chart accepts every field of the
// kind. The chart never renders the kill switch.
func TestSchemaOfCapabilitiesFollowsTheCRD(t *testing.T) {
	// Not parallel: with -update it writes a file that the parallel tests read.
	var definition apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict([]byte(source(t, "config/crd/bases/marketplace.printmarket.dev_capabilityrollouts.yaml")), &definition); err != nil {
		t.Fatalf("yaml.UnmarshalStrict: %v", err)
	}
	definitions := map[string]any{}
	for name, field := range definition.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Properties {
		if name != "capability" && name != "stage" && name != "killSwitch" {
			definitions[name] = jsonSchema(t, &field)
		}
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("  ", "  ")
	if err := encoder.Encode(definitions); err != nil {
		t.Fatalf("encoder.Encode: %v", err)
	}
	const marker = "\n  \"definitions\": "
	file := filepath.Join(capabilitiesChart, "values.schema.json")
	before, _, found := strings.Cut(source(t, "charts/"+file), marker)
	if !found {
		t.Fatalf("%s has no definitions", file)
	}
	current(t, file, before+marker+strings.TrimSpace(text.String())+"\n}\n")
}

// jsonSchema translates a schema of a CustomResourceDefinition to JSON Schema draft
// 07. Like the API server under strict validation, it rejects unknown members.
func jsonSchema(t *testing.T, s *apiextensionsv1.JSONSchemaProps) map[string]any {
	t.Helper()
	encoded, err := json.Marshal(s)
	if err != nil {
		t.Fatalf("json.Marshal: %v", err)
	}
	var out map[string]any
	if err := json.Unmarshal(encoded, &out); err != nil {
		t.Fatalf("json.Unmarshal: %v", err)
	}
	for name := range out {
		if strings.HasPrefix(name, "x-kubernetes-") || name == "default" || name == "format" || name == "nullable" {
			delete(out, name)
		}
	}
	if s.Format == "date-time" {
		out["pattern"] = timePattern
	}
	if s.XListType != nil && *s.XListType == "set" {
		out["uniqueItems"] = true
	}
	if s.Items != nil && s.Items.Schema != nil {
		out["items"] = jsonSchema(t, s.Items.Schema)
	}
	switch {
	case len(s.Properties) > 0:
		properties := map[string]any{}
		for name, property := range s.Properties {
			properties[name] = jsonSchema(t, &property)
		}
		out["properties"], out["additionalProperties"] = properties, false
	case s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil:
		out["additionalProperties"] = jsonSchema(t, s.AdditionalProperties.Schema)
	}
	return out
}
