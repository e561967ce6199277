// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"

	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

// object is an object of JSON Schema.
type object = map[string]any

// extension is the form of the names of members with a prefix.
const extension = "^[^@$:]+:"

// JSON returns the JSON Schema (draft 2020-12) of the JSON of the standard. The same
// vocabulary gives the same bytes.
func JSON() []byte {
	definitions := object{}
	v := vocabulary.Load()
	for _, e := range v.Elements() {
		definitions[e.Name] = content(e, "")
	}
	roots := []any{}
	for _, name := range []string{"XJDF", "XJMF"} {
		root := content(v.Root(name), name)
		properties, _ := root["properties"].(object)
		properties["$schema"] = object{"type": "string"}
		definitions["root."+name] = root
		roots = append(roots, object{
			"if":   object{"properties": object{"Name": object{"const": name}}, "required": []string{"Name"}},
			"then": object{"$ref": "#/$defs/root." + name},
		})
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	_ = encoder.Encode(object{ // maps, lists and texts always have JSON
		"$schema":    "https://json-schema.org/draft/2020-12/schema",
		"title":      "XJDF 2.2 and XJMF 2.2, generated from the vocabulary of printmarket",
		"type":       "object",
		"required":   []string{"Name"},
		"properties": object{"Name": object{"enum": []string{"XJDF", "XJMF"}}},
		"allOf":      roots,
		"$defs":      definitions,
	})
	return out.Bytes()
}

// content returns the schema of an element. named is the value of its member Name, for
// the root and for the members of a pool.
func content(e *vocabulary.Element, named string) object {
	if e.Pool {
		return pool(e)
	}
	properties, required := object{"@context": object{}}, []string{}
	if named != "" {
		properties["Name"] = object{"const": named}
		required = append(required, "Name")
	}
	for i := range e.Attributes {
		a := &e.Attributes[i]
		properties[a.Name] = attribute(a)
		if a.Required {
			required = append(required, a.Name)
		}
	}
	for i := range e.Children {
		c := &e.Children[i]
		properties[c.Name] = child(c)
		if c.Min > 0 {
			required = append(required, c.Name)
		}
	}
	if e.Text == vocabulary.TextMember {
		properties["Text"] = object{"type": "string"}
	}
	schema := object{
		"description": note(e), "type": "object", "properties": properties, "additionalProperties": false,
		"patternProperties": object{extension: object{}},
	}
	if len(required) > 0 {
		schema["required"] = required
	}
	if e.Text == vocabulary.TextOnly {
		return object{"description": note(e), "type": "string"}
	}
	return schema
}

// pool returns the schema of an element that is an array of elements of several names.
func pool(e *vocabulary.Element) object {
	// An object without a name holds attributes of the pool itself: extensions.
	members := []any{object{"type": "object", "patternProperties": object{extension: object{}}, "properties": object{"@context": object{}}, "additionalProperties": false}}
	for i := range e.Children {
		members = append(members, content(e.Children[i].Element, e.Children[i].Name))
	}
	return object{"description": note(e), "type": "array", "items": object{"anyOf": members}}
}

func child(c *vocabulary.Child) object {
	schema := object{"$ref": "#/$defs/" + c.Name}
	if c.Many {
		schema = object{"type": "array", "items": schema}
		if c.Min > 0 {
			schema["minItems"] = c.Min
		}
		if c.Max > 0 {
			schema["maxItems"] = c.Max
		}
	}
	if c.Deprecated.Since != "" {
		schema["description"], schema["deprecated"] = deprecated(c.Deprecated), true
	}
	return schema
}

func attribute(a *vocabulary.Attribute) object {
	schema := item(a)
	if a.Type == vocabulary.TransferFunction {
		schema = object{"type": "array", "items": schema, "minItems": 2, "maxItems": 2}
	}
	if a.Type.List() {
		schema = object{"type": "array", "items": schema}
		switch count := a.Type.Items(); {
		case count > 0:
			schema["minItems"], schema["maxItems"] = count, count
		case a.MinItems > 0 || a.Type.Token():
			schema["minItems"] = max(a.MinItems, 1)
		}
	}
	if text := attributeNote(a); text != "" {
		schema["description"] = text
	}
	if a.Deprecated.Since != "" {
		schema["deprecated"] = true
	}
	return schema
}

// item returns the schema of a value, or of an item of a list.
func item(a *vocabulary.Attribute) object {
	t := a.Type
	switch {
	case t == vocabulary.Boolean:
		return object{"type": "boolean"}
	case t.Numeric():
		schema := object{"type": "number"}
		if t.Whole() {
			schema["type"] = "integer"
		}
		bounds := a.Bounds
		if t == vocabulary.CMYKColor || t == vocabulary.RGBColor {
			bounds = &vocabulary.Bounds{Min: 0, Max: 1}
		}
		if bounds != nil && !math.IsInf(bounds.Min, 0) {
			schema["minimum"] = bounds.Min
		}
		if bounds != nil && !math.IsInf(bounds.Max, 0) {
			schema["maximum"] = bounds.Max
		}
		if !t.Whole() {
			// JSON has no number for infinity.
			return object{"anyOf": []any{schema, object{"enum": []string{"INF", "-INF"}}}}
		}
		return schema
	case listable(a.Values):
		return values(a)
	default:
		return text(t)
	}
}

// values returns the schema of a list of values. Values of an open list are suggestions.
func values(a *vocabulary.Attribute) object {
	var alternatives []any
	if len(a.Values.Values) > 0 {
		alternatives = append(alternatives, object{"enum": a.Values.Values})
	}
	if form := pattern(a.Values); form != "" {
		alternatives = append(alternatives, object{"type": "string", "pattern": "^(?:" + form + ")$"})
	}
	if !a.Values.Closed {
		alternatives = append(alternatives, text(a.Type))
	}
	return object{"anyOf": alternatives}
}

// text returns the schema of a datatype that is a string.
func text(t vocabulary.Datatype) object {
	schema := object{"type": "string"}
	switch {
	case t == vocabulary.String:
		schema["maxLength"] = maxString
	case t == vocabulary.DateTime:
		schema["pattern"] = `^-?[0-9]{4,}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|[+\-][0-9]{2}:[0-9]{2})$`
	case t.Token():
		schema["pattern"] = `^[^\s]+$`
	}
	if strings.HasPrefix(t.String(), "UR") {
		schema["format"] = "uri-reference"
	}
	return schema
}
