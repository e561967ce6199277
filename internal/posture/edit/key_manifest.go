// SPDX-License-Identifier: Apache-2.0

package edit

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/printmarket/printmarket/api/v1alpha1"
)

// Errors about the manifests of keys.
var (
	ErrNoPartner = errors.New("no manifest of the directory is the PartnerEntitlement")
	ErrKeysForm  = errors.New("spec.keys is no list with an entry to a line; edit the manifest by hand")
)

// KeyManifest is the file with one partner's entitlement, which may contain other objects.
// Changes replace single lines and preserve comments and order.
type KeyManifest struct {
	// Path is the path of the file.
	Path string
	Keys Keys
	// Scopes holds the scopes of the partner.
	Scopes []v1alpha1.Scope

	manifest *manifest
}

// FindKeyManifest searches a directory and its subdirectories for the manifest of a partner.
// Errors: ErrNoPartner, [ErrLarge], and those of files and YAML.
func FindKeyManifest(dir, partner string) (*KeyManifest, error) {
	found, err := (&Directory{path: dir}).find(Partner(partner))
	if errors.Is(err, ErrNotFound) {
		err = ErrNoPartner
	}
	if err != nil {
		return nil, fmt.Errorf("find partner %s: %w", partner, err)
	}
	m := &KeyManifest{Path: found.path, manifest: found}
	values, err := object(found.root)
	if err == nil {
		m.Keys, m.Scopes, err = keysOf(values)
	}
	if err != nil {
		return nil, fmt.Errorf("find partner %s: %w", partner, &fs.PathError{Op: "read", Path: found.path, Err: err})
	}
	return m, nil
}

// keysOf returns the keys and the scopes of a partner. It reads times as strings, like the API
// server.
func keysOf(partner Object) (Keys, []v1alpha1.Scope, error) {
	var decoded struct {
		Spec struct {
			Keys   Keys
			Scopes []v1alpha1.Scope
		}
	}
	err := partner.Decode(&decoded)
	for i := range decoded.Spec.Keys {
		key := &decoded.Spec.Keys[i]
		key.State = cmp.Or(key.State, v1alpha1.KeyStateActive) // the schema's default
	}
	return decoded.Spec.Keys, decoded.Spec.Scopes, err
}

// Change writes other entries atomically: a reader of the file sees either the former
// or the new entries. Before that, check receives the resulting object and may reject
// it. Errors: ErrKeysForm and those of check.
func (m *KeyManifest) Change(keys Keys, check func(object map[string]any) error) error {
	_, spec := Member(m.manifest.root, "spec")
	_, list := Member(spec, "keys")
	if list == nil || list.Style&yaml.FlowStyle != 0 || len(list.Content) == 0 || len(keys) < len(m.Keys) {
		return ErrKeysForm
	}
	lines := strings.SplitAfter(string(m.manifest.text), "\n")
	indent, end := strings.Repeat(" ", list.Column-1), LastLine(list)
	for i, key := range slices.Backward(keys) { // from the end, so that line numbers stay valid
		from, to := end, end
		if i < len(m.Keys) {
			if equal(m.Keys[i], key) {
				continue
			}
			from, to = list.Content[i].Line-1, LastLine(list.Content[i])
		}
		entry, err := FormatKey(key, indent)
		if err != nil {
			return err
		}
		lines = slices.Replace(lines, from, to, entry)
	}
	before, err := object(m.manifest.root)
	if err != nil {
		return err
	}
	var after Object
	text, err := m.manifest.review(lines, ErrKeysForm, func(written Object) bool {
		after = written
		got, _, err := keysOf(written)
		return err == nil && slices.EqualFunc(keys, got, equal) && reflect.DeepEqual(withoutKeys(before), withoutKeys(written))
	})
	if err != nil {
		return err
	}
	if err := check(after); err != nil {
		return err
	}
	return ReplaceManifest(m.Path, text)
}

func withoutKeys(partner Object) Object {
	spec, _ := partner["spec"].(map[string]any)
	rest, spec := maps.Clone(partner), maps.Clone(spec)
	delete(spec, "keys")
	rest["spec"] = spec
	return rest
}

// equal compares two keys by their JSON encodings.
func equal(a, b v1alpha1.APIKey) bool {
	left, err := json.Marshal(a)
	if err != nil {
		return false
	}
	right, err := json.Marshal(b)
	return err == nil && bytes.Equal(left, right)
}
