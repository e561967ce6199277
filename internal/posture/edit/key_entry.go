// SPDX-License-Identifier: Apache-2.0

package edit

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/printmarket/printmarket/api/v1alpha1"
)

// entry is a key in a manifest, with its fields in this order.
type entry struct {
	Name   string    `yaml:"name"`
	Kind   string    `yaml:"kind"`
	SHA256 yaml.Node `yaml:"sha256"`
	State  string    `yaml:"state,omitempty"`
	// StateReason stands beside the state that it explains.
	StateReason string    `yaml:"stateReason,omitempty"`
	ExpiresAt   string    `yaml:"expiresAt,omitempty"`
	Scopes      yaml.Node `yaml:"scopes,omitempty"`
}

// ScopesOf returns a list of scopes without repetitions next to each other. It is never
// nil, so an entry shows that it has no scopes.
func ScopesOf(names []string) []v1alpha1.Scope {
	scopes := make([]v1alpha1.Scope, len(names))
	for i, name := range names {
		scopes[i] = v1alpha1.Scope(name)
	}
	return slices.Compact(scopes)
}

// FormatKey formats an entry of the list; each line starts with the indentation. The
// digest is quoted because YAML would read some digests as numbers.
func FormatKey(key v1alpha1.APIKey, indent string) (string, error) {
	e := entry{
		Name: key.Name, Kind: string(key.Kind), State: string(key.State), StateReason: key.StateReason,
		SHA256: yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key.SHA256, Style: yaml.DoubleQuotedStyle},
	}
	if key.ExpiresAt != nil {
		text, err := key.ExpiresAt.MarshalJSON()
		if err != nil {
			return "", err
		}
		e.ExpiresAt = strings.Trim(string(text), `"`)
	}
	if key.Scopes != nil {
		if err := e.Scopes.Encode(key.Scopes); err != nil {
			return "", err
		}
		e.Scopes.Style = yaml.FlowStyle
	}
	return encoded([]entry{e}, indent)
}
