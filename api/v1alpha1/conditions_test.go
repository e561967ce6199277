// SPDX-License-Identifier: Apache-2.0

package v1alpha1_test

import (
	"encoding/json"
	"testing"

	"github.com/printmarket/printmarket/api/v1alpha1"
)

func TestScopesOfAKeyDistinguishAbsentFromEmpty(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		key  v1alpha1.APIKey
		want string
	}{
		"absent stays absent": {v1alpha1.APIKey{Name: "a"}, `{"name":"a","kind":"","sha256":""}`},
		"empty stays empty":   {v1alpha1.APIKey{Name: "a", Scopes: []v1alpha1.Scope{}}, `{"name":"a","kind":"","sha256":"","scopes":[]}`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := json.Marshal(tc.key.DeepCopy())
			if err != nil || string(got) != tc.want {
				t.Fatalf("marshalled = %s, %v; want %s", got, err, tc.want)
			}
			var back v1alpha1.APIKey
			if err := json.Unmarshal(got, &back); err != nil {
				t.Fatalf("json.Unmarshal: %v", err)
			}
			if (back.Scopes == nil) != (tc.key.Scopes == nil) {
				t.Errorf("scopes decoded from %s = %#v, want %#v", got, back.Scopes, tc.key.Scopes)
			}
		})
	}
}
