// SPDX-License-Identifier: Apache-2.0

package contracts_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/docs"
)

// TestEveryPropertyHasADescriptionAndAnExample covers the contracts that partners read. The
// description of a referenced schema counts; booleans, bytes, enumerations, constants, objects and
// arrays of objects need no example.
func TestEveryPropertyHasADescriptionAndAnExample(t *testing.T) {
	t.Parallel()
	for _, name := range []contracts.Name{contracts.Partner, contracts.Preflight, contracts.XJDF, contracts.Registry, contracts.Webhooks} {
		t.Run(string(name), func(t *testing.T) {
			t.Parallel()
			data, err := docs.API.ReadFile(name.Path())
			if err != nil {
				t.Fatalf("docs.API.ReadFile(%s): %v", name.Path(), err)
			}
			root := parse(t, string(data))
			checked := 0
			eachProperty(root, "", func(path string, property map[string]any) {
				checked++
				if reference, ok := property["$ref"].(string); ok && property["description"] == nil {
					property, _ = at(root, strings.Split(strings.TrimPrefix(reference, "#/"), "/")...).(map[string]any)
				}
				if text, _ := property["description"].(string); text == "" {
					t.Errorf("%s has no description", path)
				}
				if needsExample(property) {
					t.Errorf("%s has no example", path)
				}
			})
			if checked < 5 {
				t.Errorf("%d properties were checked, want at least 5", checked)
			}
		})
	}
}

// eachProperty calls visit with every schema that is a value of `properties`.
func eachProperty(node any, path string, visit func(string, map[string]any)) {
	switch node := node.(type) {
	case []any:
		for _, item := range node {
			eachProperty(item, path, visit)
		}
	case map[string]any:
		properties, _ := node["properties"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			if property, ok := properties[name].(map[string]any); ok {
				visit(path+"/"+name, property)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(node)) {
			// allOf refines properties that another schema describes.
			if name != "examples" && name != "example" && name != "allOf" {
				eachProperty(node[name], path+"/"+name, visit)
			}
		}
	}
}

// needsExample reports whether a schema of a text or a number shows no possible value.
func needsExample(schema map[string]any) bool {
	kind := schema["type"]
	if kinds, ok := kind.([]any); ok && len(kinds) > 0 {
		kind = kinds[0]
	}
	if kind != "string" && kind != "integer" && kind != "number" || schema["format"] == "binary" {
		return false
	}
	return !slices.ContainsFunc([]string{"example", "examples", "enum", "const", "default"}, func(member string) bool {
		_, found := schema[member]
		return found
	})
}
