// SPDX-License-Identifier: Apache-2.0

package xjdf

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

// attributes writes the attributes of an element.
func (j *jsonWriter) attributes(n *Node, e *vocabulary.Element) {
	attributes := sortedAttributes(n)
	for i := range attributes {
		a := &attributes[i]
		var known *vocabulary.Attribute
		if e != nil && a.Name.Space == "" {
			known = e.Attribute(a.Name.Local)
		}
		if known == nil && !j.unambiguous(n, a.Name, e) {
			j.fail(n, "the attribute "+quote(a.Name.String())+" would be read as something else")
			return
		}
		member := j.prefixes.qualified(a.Name)
		if j.encoding == AttributeJSON {
			member = "@" + member
		}
		j.token(jsontext.String(member))
		if known == nil {
			j.string(a.Value)
			continue
		}
		t, value := known.Type, a.Value
		switch {
		case t == vocabulary.TransferFunction:
			// Write the points of a transfer function as pairs. Write a list with an odd
			// number of items as it is.
			items := fields(value)
			even := len(items)%2 == 0
			j.token(jsontext.BeginArray)
			for i, item := range items {
				if even && i%2 == 0 {
					j.token(jsontext.BeginArray)
				}
				j.scalar(vocabulary.TransferFunction, item)
				if even && i%2 == 1 {
					j.token(jsontext.EndArray)
				}
			}
			j.token(jsontext.EndArray)
		case t.List():
			j.token(jsontext.BeginArray)
			for _, item := range fields(value) {
				j.scalar(t, item)
			}
			j.token(jsontext.EndArray)
		default:
			j.scalar(t, value)
		}
	}
}

// unambiguous rejects names of unknown attributes that would be read as text, as an
// element, as the name of the root or as a declaration.
func (j *jsonWriter) unambiguous(n *Node, name Name, on *vocabulary.Element) bool {
	if !plain(name.Local) || name.Space == "" && name.Local == "xmlns" {
		return false
	}
	if j.encoding == AttributeJSON {
		isDeclaration := "@"+name.Local == contextMember
		isRootName := n.Parent == nil && name.Local == nameMember
		return name.Space != "" || !isDeclaration && !isRootName
	}
	if name.Space != "" && name.Space != Namespace {
		return true
	}
	if name.Space == "" && name.Local == textMember && keepsBlank(on) {
		return false
	}
	return !keepsBlank(j.vocabulary.Element(name.Local))
}

func (j *jsonWriter) scalar(t vocabulary.Datatype, value string) {
	switch {
	case t == vocabulary.Boolean && value == "true":
		j.token(jsontext.True)
	case t == vocabulary.Boolean && value == "false":
		j.token(jsontext.False)
	case t.Numeric() && isNumber(value):
		if j.err == nil {
			j.err = j.to.WriteValue(jsontext.Value(value))
		}
	default:
		j.string(value)
	}
}

// isNumber reports whether a text is a number of JSON, which has fewer ways of
// writing one than XML: no plus sign, no leading zero, no INF. The digits are
// kept as they are, so a number may be larger than any Go type.
func isNumber(text string) bool {
	rest := strings.TrimPrefix(text, "-")
	whole := digits(rest)
	if whole == 0 || whole > 1 && rest[0] == '0' {
		return false
	}
	rest = rest[whole:]
	if strings.HasPrefix(rest, ".") {
		fraction := digits(rest[1:])
		if fraction == 0 {
			return false
		}
		rest = rest[1+fraction:]
	}
	if rest == "" {
		return true
	}
	if rest[0] != 'e' && rest[0] != 'E' {
		return false
	}
	rest = rest[1:]
	if rest != "" && (rest[0] == '+' || rest[0] == '-') {
		rest = rest[1:]
	}
	return rest != "" && digits(rest) == len(rest)
}

// digits counts those that a text begins with.
func digits(text string) int {
	n := 0
	for n < len(text) && '0' <= text[n] && text[n] <= '9' {
		n++
	}
	return n
}
