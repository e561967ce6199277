// SPDX-License-Identifier: Apache-2.0

package charts_test

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// document is one rendered object.
type document struct {
	kind, name string
	text       []byte
}

// documents are the objects of a stream of YAML.
func documents(t *testing.T, stream string) []document {
	t.Helper()
	var out []document
	for text := range strings.SplitSeq("\n"+stream, "\n---\n") {
		var head metav1.PartialObjectMetadata
		if err := yaml.Unmarshal([]byte(text), &head); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if head.Kind != "" {
			out = append(out, document{head.Kind, head.Name, []byte(text)})
		}
	}
	return out
}

// ofKind are the objects of a kind, read strictly: an unknown field is an error.
func ofKind[T any](t *testing.T, stream, kind string) []T {
	t.Helper()
	var out []T
	for _, d := range documents(t, stream) {
		if d.kind == kind {
			out = append(out, strict[T](t, d.text))
		}
	}
	return out
}

func strict[T any](t *testing.T, text []byte) T {
	t.Helper()
	var out T
	if err := yaml.UnmarshalStrict(text, &out); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return out
}

// one is the object of a kind and name.
func one(t *testing.T, stream, kind, name string) document {
	t.Helper()
	for _, d := range documents(t, stream) {
		if d.kind == kind && d.name == name {
			return d
		}
	}
	t.Fatalf("there is no %s %s", kind, name)
	return document{}
}

// names returns kind/name of every object, sorted.
func names(t *testing.T, stream string) []string {
	t.Helper()
	var out []string
	for _, d := range documents(t, stream) {
		out = append(out, d.kind+"/"+d.name)
	}
	slices.Sort(out)
	return out
}

// templates are the pods that objects of these kinds make, by the object's kind
// and name.
func templates(t *testing.T, stream string) map[string]corev1.PodTemplateSpec {
	t.Helper()
	out := map[string]corev1.PodTemplateSpec{}
	for _, d := range documents(t, stream) {
		switch d.kind {
		case "Deployment", "StatefulSet", "Job":
			var object struct {
				Spec struct {
					Template corev1.PodTemplateSpec `json:"template"`
				} `json:"spec"`
			}
			if err := yaml.Unmarshal(d.text, &object); err != nil {
				t.Fatalf("yaml.Unmarshal: %v", err)
			}
			out[d.kind+"/"+d.name] = object.Spec.Template
		case "Pod":
			pod := strict[corev1.Pod](t, d.text)
			out[d.kind+"/"+d.name] = corev1.PodTemplateSpec{ObjectMeta: pod.ObjectMeta, Spec: pod.Spec}
		}
	}
	return out
}
