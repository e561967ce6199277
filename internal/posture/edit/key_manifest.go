// SPDX-License-Identifier: Apache-2.0

package edit

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
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

	partner string
	text    []byte
	// keys is the list; nil if there is none.
	keys *yaml.Node
}

// FindKeyManifest searches a directory and its subdirectories for the manifest of a partner.
// Errors: ErrNoPartner, [ErrLarge], and those of files and YAML.
func FindKeyManifest(dir, partner string) (*KeyManifest, error) {
	var found *KeyManifest
	err := WalkManifests(dir, func(path string, text []byte) (err error) {
		if found, err = parse(path, text, partner); err == nil && found != nil {
			err = fs.SkipAll
		}
		return err
	})
	if err == nil && found == nil {
		err = ErrNoPartner
	}
	if err != nil {
		return nil, fmt.Errorf("find partner %s: %w", partner, err)
	}
	return found, nil
}

// parse returns nil for a file without the partner.
func parse(path string, text []byte, partner string) (*KeyManifest, error) {
	root, err := find(text, partner)
	if err != nil || root == nil {
		return nil, err
	}
	spec := member(root, "spec")
	m := &KeyManifest{Path: path, partner: partner, text: text, keys: member(spec, "keys")}
	if scopes := member(spec, "scopes"); scopes != nil {
		if err := scopes.Decode(&m.Scopes); err != nil {
			return nil, err
		}
	}
	return m, m.decode()
}

// find returns the document of a partner; nil if there is none.
func find(text []byte, partner string) (*yaml.Node, error) {
	for decoder := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var document yaml.Node
		switch err := decoder.Decode(&document); {
		case errors.Is(err, io.EOF):
			return nil, nil
		case err != nil:
			return nil, err
		}
		root := document.Content[0]
		if value(member(root, "kind")) == v1alpha1.KindPartnerEntitlement && value(member(member(root, "metadata"), "name")) == partner {
			return root, nil
		}
	}
}

// decode reads the entries. It reads times as strings, like the API server.
func (m *KeyManifest) decode() error {
	if m.keys == nil {
		return nil
	}
	var plain []map[string]any
	if err := m.keys.Decode(&plain); err != nil {
		return err
	}
	if err := convert(plain, &m.Keys); err != nil {
		return err
	}
	for i := range m.Keys {
		m.Keys[i].State = cmp.Or(m.Keys[i].State, v1alpha1.KeyStateActive) // the schema's default
	}
	return nil
}

// Change writes other entries atomically: a reader of the file sees either the former
// or the new entries. Before that, check receives the resulting object and may reject
// it. Errors: ErrKeysForm and those of check.
func (m *KeyManifest) Change(keys Keys, check func(object map[string]any) error) error {
	text, err := m.with(keys)
	if err != nil {
		return err
	}
	object, err := m.review(text, keys)
	if err != nil {
		return err
	}
	if err := check(object); err != nil {
		return err
	}
	return ReplaceManifest(m.Path, text)
}

// with returns the file with other entries. It replaces the lines of each changed entry
// and adds new entries after the last.
func (m *KeyManifest) with(keys Keys) ([]byte, error) {
	lines := strings.SplitAfter(string(m.text), "\n")
	if m.keys == nil || m.keys.Style&yaml.FlowStyle != 0 || len(m.keys.Content) == 0 || len(keys) < len(m.Keys) {
		return nil, ErrKeysForm
	}
	indent := strings.Repeat(" ", m.keys.Column-1)
	for i := len(keys) - 1; i >= 0; i-- { // from the end, so that line numbers stay valid
		if i < len(m.Keys) && equal(m.Keys[i], keys[i]) {
			continue
		}
		entry, err := FormatKey(keys[i], indent)
		if err != nil {
			return nil, err
		}
		from, to := m.linesOf(i)
		lines = append(lines[:from:from], append([]string{entry}, lines[to:]...)...)
	}
	return []byte(strings.Join(lines, "")), nil
}

// review parses the text to be written and verifies that it differs from the file only
// in the intended keys, because YAML has forms that a change by lines cannot handle. It
// returns the object as JSON values. Errors: ErrKeysForm.
func (m *KeyManifest) review(text []byte, keys Keys) (map[string]any, error) {
	before, _, err := others(m.text, m.partner)
	if err != nil {
		return nil, err
	}
	after, object, err := others(text, m.partner)
	if err != nil || !reflect.DeepEqual(before, after) {
		return nil, errors.Join(ErrKeysForm, err)
	}
	root, err := find(text, m.partner)
	if err != nil {
		return nil, errors.Join(ErrKeysForm, err)
	}
	written := KeyManifest{keys: member(member(root, "spec"), "keys")}
	if err := written.decode(); err != nil || !slices.EqualFunc(keys, written.Keys, equal) {
		return nil, errors.Join(ErrKeysForm, err)
	}
	var plain map[string]any
	return plain, convert(object, &plain)
}

// others returns all documents of a file without the keys of the partner, and the
// partner's object with its keys.
func others(text []byte, partner string) (all []any, object map[string]any, err error) {
	for decoder := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var document any
		switch err := decoder.Decode(&document); {
		case errors.Is(err, io.EOF):
			return all, object, nil
		case err != nil:
			return nil, nil, err
		}
		all = append(all, document)
		found, ok := document.(map[string]any)
		if metadata, _ := found["metadata"].(map[string]any); !ok || object != nil || found["kind"] != v1alpha1.KindPartnerEntitlement || metadata["name"] != partner {
			continue
		}
		object = maps.Clone(found)
		if spec, ok := found["spec"].(map[string]any); ok {
			rest := maps.Clone(spec)
			delete(rest, "keys")
			found["spec"] = rest
		}
	}
}

// linesOf returns the lines of an entry, or the position of a new one.
func (m *KeyManifest) linesOf(i int) (from, to int) {
	if i >= len(m.Keys) {
		end := LastLine(m.keys)
		return end, end
	}
	node := m.keys.Content[i]
	return node.Line - 1, LastLine(node)
}

// member returns the value of a member of a mapping; nil if it is absent.
func member(node *yaml.Node, name string) *yaml.Node {
	_, value := Member(node, name)
	return value
}

func value(node *yaml.Node) string {
	if node == nil {
		return ""
	}
	return node.Value
}
