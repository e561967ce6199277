// SPDX-License-Identifier: Apache-2.0

// Package edit changes single custom resources for operators, in a directory of manifests or in a
// cluster. A change is a JSON merge patch of the spec (RFC 7396). Both stores admit only what a
// cluster admits, and describe the change by its fields.
//
// A new API key of a partner is shown once; only its digest is stored. Rotating a key adds another
// key and lets the first one expire later, so both work while the partner changes over.
package edit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/printmarket/printmarket/api/v1alpha1"
)

// Errors of stores.
var (
	// ErrNotFound means that the object does not exist.
	ErrNotFound = errors.New("does not exist")
	// ErrExists means that the object to be created exists.
	ErrExists = errors.New("exists already")
	// ErrForm means that the form of a manifest does not allow a change by lines.
	ErrForm = errors.New("the form of the YAML does not allow the change; edit the manifest by hand")
)

// Object is a custom resource as JSON values.
type Object map[string]any

// Decode decodes the object into a resource type.
func (o Object) Decode(into any) error {
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// ID names a custom resource.
type ID struct{ Kind, Name string }

func (id ID) String() string { return id.Kind + "/" + id.Name }

// Patch is a JSON merge patch of a spec. It decides on the current object; an empty patch changes
// nothing.
type Patch func(current Object) (map[string]any, error)

// Store holds custom resources.
type Store interface {
	// Get reads an object. Errors: ErrNotFound.
	Get(ctx context.Context, id ID) (Object, error)
	// Edit patches the spec of an object. It may call patch more than once. A dry run writes nothing.
	Edit(ctx context.Context, id ID, patch Patch, dryRun bool) (Change, error)
	// Create adds an object. Errors: ErrExists.
	Create(ctx context.Context, object Object, dryRun bool) (Change, error)
	// Senders lists the XJMFSenders of a partner, by name.
	Senders(ctx context.Context, partner string) ([]v1alpha1.XJMFSender, error)
}

// Change describes what was changed, or would be in a dry run.
type Change struct {
	Object string `json:"object"`
	// Place is the path of the manifest, or "namespace NAME" in a cluster.
	Place  string  `json:"place"`
	DryRun bool    `json:"dryRun"`
	Fields []Field `json:"fields"`
	// Command is the equivalent kubectl command; empty for a manifest.
	Command string `json:"command,omitempty"`
}

// Field is one changed field. A value is nil if the field is absent.
type Field struct {
	Path   string `json:"path"`
	Before any    `json:"before"`
	After  any    `json:"after"`
}

// merge returns a value with a JSON merge patch applied.
func merge(value any, patch map[string]any) map[string]any {
	current, _ := value.(map[string]any)
	merged := maps.Clone(current)
	if merged == nil {
		merged = map[string]any{}
	}
	for name, change := range patch {
		switch change := change.(type) {
		case nil:
			delete(merged, name)
		case map[string]any:
			merged[name] = merge(merged[name], change)
		default:
			merged[name] = change
		}
	}
	return merged
}

// fields returns the differences between two values in the order of their paths.
func fields(path string, before, after any) []Field {
	if reflect.DeepEqual(before, after) {
		return nil
	}
	was, wasMap := before.(map[string]any)
	is, isMap := after.(map[string]any)
	if !wasMap && !isMap || wasMap && after != nil && !isMap || isMap && before != nil && !wasMap {
		return []Field{{path, before, after}}
	}
	names := maps.Clone(was)
	if names == nil {
		names = map[string]any{}
	}
	maps.Copy(names, is)
	var all []Field
	for _, name := range slices.Sorted(maps.Keys(names)) {
		all = append(all, fields(path+"."+name, was[name], is[name])...)
	}
	return all
}

// plain returns a value as it is after its encoding as JSON; integers are int64.
func plain(value any) (map[string]any, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("encode the change: %w", err)
	}
	var decoded map[string]any
	return decoded, utiljson.Unmarshal(text, &decoded)
}
