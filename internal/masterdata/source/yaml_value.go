// SPDX-License-Identifier: Apache-2.0

package source

import "go.yaml.in/yaml/v3"

// scalars reads a value or a list of values.
func (y *yamlFile) scalars(node *yaml.Node) (value, bool) {
	if node.Kind == yaml.ScalarNode {
		return scalar(node), true
	}
	list := value{form: sequence}
	for _, item := range node.Content {
		if !y.simple(item) {
			return list, false
		}
		if item.Kind != yaml.ScalarNode {
			return value{form: sequence, items: []value{list}}, true
		}
		list.items = append(list.items, scalar(item))
	}
	return list, true
}

// scalar takes the text as written. It ignores the types of YAML, on which versions 1.1 and
// 1.2 differ.
func scalar(node *yaml.Node) value {
	if node.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return value{form: quoted, text: node.Value}
	}
	switch node.Value {
	case "", "~", "null", "Null", "NULL":
		return value{form: nothing}
	}
	return value{form: plain, text: node.Value}
}

// simple reports an alias, anchor or tag, with which a short text can stand for a long or a
// different one.
func (y *yamlFile) simple(node *yaml.Node) bool {
	var reason string
	switch {
	case node.Kind == yaml.AliasNode || node.Anchor != "":
		reason = "anchors (&) and aliases (*) are not read"
	case node.Style&yaml.TaggedStyle != 0:
		reason = "tags (!) are not read"
	default:
		return true
	}
	y.fail(y.at(node), reason)
	return false
}

func (y *yamlFile) at(node *yaml.Node) place {
	return place{y.file, spot{uint32(y.line + node.Line - 1), uint32(node.Column)}}
}
