// SPDX-License-Identifier: Apache-2.0

package kubesource

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadChangesReturnsTheCurrentState(t *testing.T) {
	t.Parallel()
	former := view{"7", map[string]mark{"a": {"u", "5"}, "b": {"w", "6"}}, nil}
	tests := map[string]struct {
		events []string
		want   view
	}{
		"nothing has changed": {
			[]string{`{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9"}}}`},
			view{"9", former.marks, nil},
		},
		"one object is changed, one gone, one new": {
			[]string{
				`{"type":"MODIFIED","object":{"kind":"PartialObjectMetadata","metadata":{"name":"a","uid":"u","resourceVersion":"8","managedFields":[{}]}}}`,
				`{"type":"DELETED","object":{"metadata":{"name":"b","uid":"w","resourceVersion":"9"}}}`,
				`{"type":"ADDED","object":{"metadata":{"name":"c","uid":"x","resourceVersion":"10"}}}`,
				`{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"10"}}}`,
			},
			view{"10", map[string]mark{"a": {"u", "8"}, "c": {"x", "10"}}, nil},
		},
		"an early bookmark does not end the read": {
			[]string{
				`{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"8"}}}`,
				`{"type":"MODIFIED","object":{"metadata":{"name":"a","uid":"u","resourceVersion":"9"}}}`,
				`{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"11"}}}`,
			},
			view{"11", map[string]mark{"a": {"u", "9"}, "b": {"w", "6"}}, nil},
		},
	}
	for sentence, test := range tests {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			got, err := readChanges(strings.NewReader(strings.Join(test.events, "\n")), former, "9")
			if err != nil {
				t.Fatalf(`readChanges("9"): %v`, err)
			}
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(view{}, mark{})); diff != "" {
				t.Errorf("state (-want +got):\n%s", diff)
			}
		})
	}
}

// TestReadChangesRejectsIncompleteStreams covers a truncated watch, which looks like a
// watch without changes.
func TestReadChangesRejectsIncompleteStreams(t *testing.T) {
	t.Parallel()
	for sentence, events := range map[string]string{
		"an empty stream":         "",
		"no bookmark":             `{"type":"MODIFIED","object":{"metadata":{"name":"a","uid":"u","resourceVersion":"8"}}}`,
		"an old bookmark":         `{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"8"}}}`,
		"no version":              `{"type":"BOOKMARK","object":{"metadata":{}}}`,
		"the version has expired": `{"type":"ERROR","object":{"kind":"Status","code":410}}`,
		"not JSON":                "<html>",
		"cut off":                 `{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9"`,
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			former := view{"7", map[string]mark{"a": {"u", "5"}}, nil}
			if got, err := readChanges(strings.NewReader(events), former, "9"); !errors.Is(err, errIncomplete) {
				t.Errorf("state %+v, %v, want an error", got, err)
			}
		})
	}
}
