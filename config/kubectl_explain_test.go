// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"io/fs"
	"path"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/printmarket/printmarket/config"
	"github.com/printmarket/printmarket/test/kubetest"
)

func TestExplainTeachesHowToWriteAnObject(t *testing.T) {
	t.Parallel()
	requirePlane(t)
	for kind, fields := range map[string][]string{
		"cap":     {"", ".spec", ".spec.schedule", ".spec.schedule.ramp", ".spec.killSwitch"},
		"partner": {"", ".spec", ".spec.keys", ".spec.capabilities.quota"},
		"sender":  {"", ".spec", ".spec.secrets"},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			var out kubetest.Transcript
			for _, field := range fields {
				out.Add("kubectl explain "+kind+field, admin("default").must(t, "", "explain", kind+field))
			}
			golden(t, "explain-"+kind+".txt", out.String())
		})
	}
}

func TestEveryFieldIsExplainedInAFullSentence(t *testing.T) {
	t.Parallel()
	files, err := fs.Glob(config.FS, path.Join(config.CRDDir, "*.yaml"))
	if err != nil || len(files) != 4 {
		t.Fatalf("definitions = %v, %v; want 4 files", files, err)
	}
	for _, file := range files {
		definition := decodeStrict[apiextensionsv1.CustomResourceDefinition](t, []byte(text(t, file)))
		for _, version := range definition.Spec.Versions {
			fields := walk(t, definition.Spec.Names.Singular, *version.Schema.OpenAPIV3Schema)
			if fields < 20 {
				t.Errorf("%s: only %d fields found", file, fields)
			}
		}
	}
}

// walk judges the description of a schema and of all below it, and counts the
// fields.
func walk(t *testing.T, at string, schema apiextensionsv1.JSONSchemaProps) int {
	t.Helper()
	fields := 0
	for name, field := range schema.Properties {
		fields++
		if name == "metadata" {
			continue // which the API server describes
		}
		if trouble := stub(name, strings.TrimSpace(field.Description)); trouble != "" {
			t.Errorf("%s.%s: %s: %q", at, name, trouble, field.Description)
		}
		fields += walk(t, at+"."+name, field)
	}
	if schema.Items != nil {
		fields += walk(t, at+"[]", *schema.Items.Schema)
	}
	if schema.AdditionalProperties != nil {
		fields += walk(t, at+"{}", *schema.AdditionalProperties.Schema)
	}
	return fields
}

// stub returns the fault of a description; empty for a valid one.
func stub(name, description string) string {
	switch {
	case description == "":
		return "no description"
	case len(strings.Fields(description)) < 4, strings.EqualFold(description, name+" is the "+name+"."):
		return "says nothing"
	case !strings.HasSuffix(description, ".") && !strings.Contains(description, "More info: "):
		return "no full sentence"
	}
	return ""
}
