// SPDX-License-Identifier: Apache-2.0

package dirsource

import (
	"cmp"
	"maps"
	"slices"

	"github.com/printmarket/printmarket/internal/posture"
)

// Positions maps the objects of manifests to their files and lines.
type Positions map[objectName]position

type position struct {
	file     string
	document document
}

// Positions finds the objects in manifests, of which those without a namespace are in the
// given one; empty is "default". It skips files that are not valid YAML.
func (m Manifests) Positions(namespace string) Positions {
	found := Positions{}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		documents, fault := parse(name, m[name])
		if fault != nil {
			continue
		}
		for i := range documents {
			d := &documents[i]
			metadata, _ := d.object["metadata"].(map[string]any)
			id := objectName{text(d.object["kind"]), cmp.Or(text(metadata["namespace"]), namespace, defaultNamespace), text(metadata["name"])}
			if _, twice := found[id]; !twice {
				found[id] = position{name, document{line: d.line, lines: d.lines}}
			}
		}
	}
	return found
}

// Find returns the file and the line of a field of an object, or of its nearest enclosing
// field. The file is empty if the object is unknown.
func (p Positions) Find(kind string, name posture.ObjectName, field string) (file string, line int) {
	at, found := p[objectName{kind, name.Namespace, name.Name}]
	if !found {
		return "", 0
	}
	return at.file, at.document.lineOf(field)
}
