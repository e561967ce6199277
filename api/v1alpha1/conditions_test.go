// SPDX-License-Identifier: Apache-2.0

package v1alpha1_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/api/v1alpha1"
)

// Operators meet these names in kubectl; each must say what it means.
func TestEveryConditionAndReasonIsDocumented(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "conditions.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	form := regexp.MustCompile(`^"[A-Z][A-Za-z]{2,62}"$`)
	seen := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, isValue := n.(*ast.ValueSpec)
		if !isValue {
			return true
		}
		name, value := spec.Names[0].Name, spec.Values[0].(*ast.BasicLit).Value
		if !strings.HasPrefix(spec.Doc.Text(), name+" ") {
			t.Errorf("%s has no comment that begins with its name", name)
		}
		if !form.MatchString(value) || !strings.HasSuffix(name, strings.Trim(value, `"`)) {
			t.Errorf("%s = %s: want PascalCase and the constant's own name", name, value)
		}
		seen++
		return false
	})
	if seen < 30 {
		t.Errorf("found %d constants only", seen)
	}
}

func TestScopesOfAKeyTellAbsentFromEmpty(t *testing.T) {
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
				t.Fatal(err)
			}
			if (back.Scopes == nil) != (tc.key.Scopes == nil) {
				t.Errorf("scopes came back as %#v", back.Scopes)
			}
		})
	}
}
