// SPDX-License-Identifier: Apache-2.0

package charts_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// definitionFiles are the definitions that controller-gen makes.
func definitionFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../config/crd/bases/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("definitions: %v, %v", files, err)
	}
	return files
}

// definitionTemplate is a definition behind the switches of the chart.
func definitionTemplate(t *testing.T, definition string) string {
	t.Helper()
	const annotations = "\n  annotations:\n"
	if strings.Contains(definition, "{{") || strings.Count(definition, annotations) != 1 {
		t.Fatal("the definition would be read as a template, or its annotations are not found")
	}
	keep := annotations + "    {{- if .Values.crds.keep }}\n    helm.sh/resource-policy: keep\n    {{- end }}\n"
	return "{{- if .Values.crds.enabled }}\n" +
		strings.Replace(strings.TrimPrefix(definition, "---\n"), annotations, keep, 1) + "{{- end }}\n"
}

// Helm installs what is in crds/ once and never again, so they are templates.
func TestCRDsOfTheChartMatchTheTypes(t *testing.T) {
	// Not parallel: with -update it writes files that the parallel tests read.
	var want []string
	for _, file := range definitionFiles(t) {
		name := strings.TrimPrefix(filepath.Base(file), "marketplace.printmarket.dev_")
		want = append(want, name)
		current(t, filepath.Join(platformChart, "templates", "crds", name), definitionTemplate(t, source(t, strings.TrimPrefix(file, "../"))))
	}
	have, err := filepath.Glob(filepath.Join(platformChart, "templates", "crds", "*"))
	if err != nil {
		t.Fatalf("filepath.Glob: %v", err)
	}
	for i := range have {
		have[i] = filepath.Base(have[i])
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("files (-types +chart):\n%s", diff)
	}
}

func TestCRDsAreRenderedUnchangedAndKeptByDefault(t *testing.T) {
	t.Parallel()
	const policy = "helm.sh/resource-policy"
	for name, test := range map[string]struct {
		values string
		want   bool
		kept   bool
	}{
		"by default they are there and kept": {"", true, true},
		"they can go with the release":       {"crds: {keep: false}", true, false},
		"another release may bring them":     {"crds: {enabled: false}", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rendered := ofKind[apiextensionsv1.CustomResourceDefinition](t, render(t, platformChart, origins+test.values), "CustomResourceDefinition")
			if !test.want {
				if len(rendered) > 0 {
					t.Errorf("%d definitions, want none", len(rendered))
				}
				return
			}
			for _, file := range definitionFiles(t) {
				var want apiextensionsv1.CustomResourceDefinition
				if err := yaml.UnmarshalStrict([]byte(source(t, strings.TrimPrefix(file, "../"))), &want); err != nil {
					t.Fatalf("yaml.UnmarshalStrict: %v", err)
				}
				at := slices.IndexFunc(rendered, func(d apiextensionsv1.CustomResourceDefinition) bool { return d.Name == want.Name })
				if at < 0 {
					t.Errorf("%s is not rendered", want.Name)
					continue
				}
				got := rendered[at]
				if kept := got.Annotations[policy] == "keep"; kept != test.kept {
					t.Errorf("%s: kept %v, want %v", want.Name, kept, test.kept)
				}
				delete(got.Annotations, policy)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s (-config +chart):\n%s", want.Name, diff)
				}
			}
		})
	}
}
