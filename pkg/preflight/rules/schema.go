// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/printmarket/printmarket/pkg/preflight/profile"
)

// object is a JSON object.
type object map[string]any

// Schema returns the JSON Schema (draft 7, which editors support) of a profile in YAML.
func Schema() []byte {
	number := object{"type": []string{"number", "string"}, "minimum": 0, "pattern": `^[0-9]*\.?[0-9]+ *[A-Za-z%/0-9]*$`}
	described := func(text string) object {
		out := object{"description": text}
		for k, v := range number {
			out[k] = v
		}
		return out
	}
	settings := object{}
	for _, rule := range All() {
		if rule.Always {
			continue
		}
		members := object{
			"severity": object{"enum": []any{"error", "warning", "info", "off", false}, "description": fmt.Sprintf("The default is %s. Use off to deselect a rule of the extended profile.", rule.Severity)},
			"source":   object{"type": "string", "description": "Where the limit comes from."},
		}
		if rule.Op != "" {
			members["limit"] = described(fmt.Sprintf("A value must be %s the limit, in %s.", rule.Op, rule.Unit))
		}
		if rule.Tolerance != "" {
			members["tolerance"] = described("By how much a value may miss the limit, in " + rule.Tolerance + ".")
		}
		if rule.Area {
			members["area"] = described("The smallest faulty area of a page that is reported, in mm2.")
		}
		settings[rule.ID] = object{
			"type": "object", "description": rule.Title + ". " + rule.FixHint, "properties": members, "additionalProperties": false,
		}
	}
	schema := object{
		"$schema": "http://json-schema.org/draft-07/schema#", "title": "Profile of preflight",
		"type": "object", "required": []string{"name", "version"}, "additionalProperties": false,
		"properties": object{
			"name":        object{"type": "string", "maxLength": profile.MaxName, "description": "The name in reports."},
			"version":     object{"type": []string{"string", "number"}, "maxLength": profile.MaxVersion, "description": "The version in reports. Change it when you change the profile."},
			"title":       object{"type": "string", "maxLength": profile.MaxTitle},
			"description": object{"type": "string", "maxLength": profile.MaxDescription, "description": "A sentence that helps to choose the profile."},
			"extends":     object{"enum": profile.Names(), "description": "The profile whose settings apply where this one has none."},
			"inks": object{
				"type": "object", "maxProperties": 200, "additionalProperties": object{"enum": profile.InkRoles()},
				"description": "The roles of inks by name, where the names do not state them. Case, blanks and separators of names do not count. The role artwork is that of an ink that only looks technical by its name.",
			},
			"rules": object{"type": "object", "properties": settings, "additionalProperties": false},
		},
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(schema); err != nil {
		panic(err) // texts and numbers only
	}
	return out.Bytes()
}
