// SPDX-License-Identifier: Apache-2.0

package kubesource

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMarksAreReadFromAListOfMetadata(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text string
		head listHead
		want map[string]mark
	}{
		"objects with unused members": {
			`{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"9","remainingItemCount":1,"continue":"c"},
			  "items":[{"kind":"PartialObjectMetadata","metadata":{"name":"a","uid":"u","resourceVersion":"7","managedFields":[{"fieldsV1":{"f:a":{}}}]}},
			  {"metadata":{"name":"b","uid":"w","resourceVersion":"8"}}]}`,
			listHead{"9", "c"},
			map[string]mark{"a": {"u", "7"}, "b": {"w", "8"}},
		},
		"no objects": {
			`{"items":[],"metadata":{"resourceVersion":"9"},"kind":"PartialObjectMetadataList"}`, listHead{"9", ""}, map[string]mark{},
		},
		"null instead of objects": {
			`{"kind":"PartialObjectMetadataList","items":null,"metadata":{"resourceVersion":"9"}}`, listHead{"9", ""}, map[string]mark{},
		},
	}
	for sentence, test := range tests {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			got := map[string]mark{}
			head, err := readMarks(strings.NewReader(test.text), got)
			if err != nil || head != test.head {
				t.Errorf("head %+v, %v, want %+v", head, err, test.head)
			}
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(mark{})); diff != "" {
				t.Errorf("marks (-want +got):\n%s", diff)
			}
		})
	}
}

// TestReadMarksRejectsInvalidPages protects against taking an invalid response for an
// empty list.
func TestReadMarksRejectsInvalidPages(t *testing.T) {
	t.Parallel()
	for sentence, text := range map[string]string{
		"nothing":               "",
		"not JSON":              "<html>",
		"not an object":         "[]",
		"null":                  "null",
		"another kind":          `{"kind":"Status","metadata":{"resourceVersion":"9"},"items":[]}`,
		"no version":            `{"kind":"PartialObjectMetadataList","metadata":{},"items":[]}`,
		"items of another kind": `{"kind":"PartialObjectMetadataList","metadata":{"resourceVersion":"9"},"items":{}}`,
		"an invalid item":       `{"kind":"PartialObjectMetadataList","metadata":{"resourceVersion":"9"},"items":[1]}`,
		"cut off in the items":  `{"kind":"PartialObjectMetadataList","metadata":{"resourceVersion":"9"},"items":[{"metadata":{"name":"a"}}`,
		"cut off at the end":    `{"kind":"PartialObjectMetadataList","metadata":{"resourceVersion":"9"},"items":[]`,
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			if head, err := readMarks(strings.NewReader(text), map[string]mark{}); !errors.Is(err, errNotMetadata) {
				t.Errorf("head %+v, %v, want an error", head, err)
			}
		})
	}
}
