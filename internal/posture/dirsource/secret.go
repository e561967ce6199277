// SPDX-License-Identifier: Apache-2.0

package dirsource

import (
	"encoding/base64"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
)

// secretMembers lists the members of a core/v1 Secret.
var secretMembers = map[string]bool{
	"apiVersion": true, "kind": true, "metadata": true, "type": true,
	"immutable": true, "data": true, "stringData": true,
}

// readSecret reads a core/v1 Secret. Values are stored in the redacting type at once
// and appear in no fault.
func readSecret(d *document, namespace, name string) (posture.SecretData, []*FaultError) {
	out := posture.SecretData{Namespace: namespace, Name: name, Data: map[string]credential.Secret{}}
	var faults []*FaultError
	refuse := func(path, problem string) {
		faults = append(faults, &FaultError{Line: d.lineOf(path), Field: path, Problem: problem})
	}
	for _, member := range slices.Sorted(maps.Keys(d.object)) {
		if !secretMembers[member] {
			refuse(member, "unknown field")
		}
	}
	if problems := validation.IsDNS1123Subdomain(name); len(problems) > 0 {
		refuse("metadata.name", problems[0])
	}
	values := func(member string, decode func(string) (string, bool)) {
		if d.object[member] == nil {
			return
		}
		object, isMap := d.object[member].(map[string]any)
		if !isMap {
			refuse(member, "must be an object")
			return
		}
		for _, key := range slices.Sorted(maps.Keys(object)) {
			path := member + "." + key
			raw, isText := object[key].(string)
			if !isText {
				refuse(path, "must be a string; quote it")
				continue
			}
			if problems := validation.IsConfigMapKey(key); len(problems) > 0 {
				refuse(path, problems[0])
				continue
			}
			value, ok := decode(raw)
			if !ok {
				refuse(path, "must be base64")
				continue
			}
			out.Data[key] = credential.Secret(value)
		}
	}
	values("data", func(raw string) (string, bool) {
		value, err := base64.StdEncoding.DecodeString(raw)
		return string(value), err == nil
	})
	// stringData comes second: it overrides data, as in a cluster.
	values("stringData", func(raw string) (string, bool) { return raw, true })
	return out, faults
}
