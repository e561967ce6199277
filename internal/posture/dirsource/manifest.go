// SPDX-License-Identifier: Apache-2.0

package dirsource

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxDepth bounds the nesting of a document; real manifests have ten levels.
const maxDepth = 64

// document is one object of a file as JSON values, with the line of each of its fields.
type document struct {
	object map[string]any
	line   int
	lines  map[string]int
}

// mapKey matches a key of a map in the path of an error, as in spec.rules[ink.tac].limit.
var mapKey = regexp.MustCompile(`\[([^\]0-9][^\]]*)\]`)

// lineOf returns the line of a field, or of its nearest enclosing field.
func (d *document) lineOf(path string) int {
	path = mapKey.ReplaceAllString(path, ".$1")
	for path != "" {
		if line, found := d.lines[path]; found {
			return line
		}
		path = path[:max(strings.LastIndexAny(path, ".["), 0)]
	}
	return d.line
}

// parse reads the documents of one file. It ignores documents without content. A file
// without any object is a fault, because a half-written file looks like this.
func parse(file string, content []byte) ([]document, *FaultError) {
	if strings.HasSuffix(file, ".json") {
		// JSON allows tabs between tokens and forbids them in strings; YAML
		// does not allow them as indentation.
		content = bytes.ReplaceAll(content, []byte("\t"), []byte(" "))
	}
	var documents []document
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	for {
		var root yaml.Node
		err := decoder.Decode(&root)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, yamlFault(file, err)
		}
		if len(root.Content) == 0 || root.Content[0].Tag == "!!null" {
			continue
		}
		d := document{line: root.Content[0].Line, lines: map[string]int{}}
		value, fault := d.value(root.Content[0], "", 0)
		if fault != nil {
			fault.File = file
			return nil, fault
		}
		object, isMap := value.(map[string]any)
		if !isMap {
			return nil, &FaultError{File: file, Line: d.line, Problem: "is not an object"}
		}
		d.object = object
		items, fault := d.items()
		if fault != nil {
			fault.File = file
			return nil, fault
		}
		documents = append(documents, items...)
	}
	if len(documents) == 0 {
		return nil, &FaultError{File: file, Problem: "contains no object; it may be incomplete"}
	}
	return documents, nil
}

// items returns the objects of a list, such as the output of kubectl get, or the document
// itself if it is not a list.
func (d *document) items() ([]document, *FaultError) {
	list, isList := d.object["items"].([]any)
	if !isList || !strings.HasSuffix(text(d.object["kind"]), "List") {
		return []document{*d}, nil
	}
	items := make([]document, len(list))
	index := make(map[string]int, len(list))
	for i, item := range list {
		at := fmt.Sprintf("items[%d]", i)
		object, isMap := item.(map[string]any)
		if !isMap {
			return nil, &FaultError{Line: d.lineOf(at), Field: at, Problem: "is not an object"}
		}
		items[i] = document{object: object, line: d.lineOf(at), lines: map[string]int{}}
		index[strings.TrimSuffix(at, "]")] = i
	}
	for field, line := range d.lines {
		at, below, _ := strings.Cut(field, "].")
		if i, found := index[at]; found && below != "" {
			items[i].lines[below] = line
		}
	}
	return items, nil
}

var (
	yamlLine   = regexp.MustCompile(`line (\d+)`)
	yamlQuoted = regexp.MustCompile("'[^']*'|\"[^\"]*\"|`[^`]*`")
)

// yamlFault keeps the line and the message of the parser and removes quoted file
// content.
func yamlFault(file string, err error) *FaultError {
	f := &FaultError{File: file, Problem: "is not valid YAML: " + yamlQuoted.ReplaceAllString(err.Error(), "...")}
	if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
		// The pattern matches digits only; a number that is too large leaves 0.
		f.Line, _ = strconv.Atoi(m[1])
	}
	return f
}

// value turns a node into what encoding/json would make of the same object.
func (d *document) value(n *yaml.Node, path string, depth int) (any, *FaultError) {
	if depth > maxDepth {
		return nil, &FaultError{Line: n.Line, Field: path, Problem: "is nested too deeply"}
	}
	switch n.Kind {
	case yaml.MappingNode:
		return d.mapping(n, path, depth)
	case yaml.SequenceNode:
		list := make([]any, 0, len(n.Content))
		for i, item := range n.Content {
			at := fmt.Sprintf("%s[%d]", path, i)
			d.lines[at] = item.Line
			v, fault := d.value(item, at, depth+1)
			if fault != nil {
				return nil, fault
			}
			list = append(list, v)
		}
		return list, nil
	case yaml.ScalarNode:
		return scalar(n, path)
	default:
		return nil, &FaultError{Line: n.Line, Field: path, Problem: "anchors and aliases are not supported; write the value out"}
	}
}

func (d *document) mapping(n *yaml.Node, path string, depth int) (any, *FaultError) {
	object := make(map[string]any, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, item := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode || key.Tag != "!!str" {
			return nil, &FaultError{Line: key.Line, Field: path, Problem: "has a key that is not a string; quote it"}
		}
		at := key.Value
		if path != "" {
			at = path + "." + key.Value
		}
		if _, twice := object[key.Value]; twice {
			return nil, &FaultError{Line: key.Line, Field: at, Problem: "occurs twice"}
		}
		d.lines[at] = key.Line
		v, fault := d.value(item, at, depth+1)
		if fault != nil {
			return nil, fault
		}
		object[key.Value] = v
	}
	return object, nil
}

// ambiguous matches the plain scalars that kubectl (YAML 1.1) reads as booleans and
// YAML 1.2 reads as strings.
var ambiguous = regexp.MustCompile(`^(y|Y|n|N|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF)$`)

var leadingZero = regexp.MustCompile(`^[-+]?0[0-9]`)

func scalar(n *yaml.Node, path string) (any, *FaultError) {
	plain := n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
	if plain && ambiguous.MatchString(n.Value) {
		return nil, &FaultError{Line: n.Line, Field: path, Problem: "is a boolean for some YAML parsers and a string for others; quote it, or write true or false"}
	}
	switch n.Tag {
	case "!!str", "!!timestamp":
		return n.Value, nil
	case "!!null":
		return nil, nil
	case "!!bool":
		return strings.EqualFold(n.Value, "true"), nil
	case "!!int":
		// Some parsers read a leading zero as octal.
		if v, err := strconv.ParseInt(n.Value, 10, 64); err == nil && !leadingZero.MatchString(n.Value) {
			return v, nil
		}
	case "!!float":
		if v, err := strconv.ParseFloat(n.Value, 64); err == nil && !math.IsInf(v, 0) && !math.IsNaN(v) {
			return v, nil
		}
	}
	return nil, &FaultError{Line: n.Line, Field: path, Problem: "is neither a string, a decimal number, a boolean nor null"}
}
