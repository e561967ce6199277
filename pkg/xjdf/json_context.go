// SPDX-License-Identifier: Apache-2.0

package xjdf

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// declares reports whether a member declares namespaces: "@context" of JSON-LD, or
// "xmlns:foo", which converters from XML write as an attribute.
func declares(name string, kind jsontext.Kind) bool {
	if name == contextMember {
		return true
	}
	_, ok := xmlnsPrefix(name)
	return ok && kind == '"'
}

func xmlnsPrefix(name string) (prefix string, ok bool) {
	name = strings.TrimPrefix(name, "@")
	if name == "xmlns" {
		return "", true
	}
	return strings.CutPrefix(name, "xmlns:")
}

// declarations reads the namespaces that a member declares.
func declarations(name string, value jsontext.Value) ([]binding, Reason, string) {
	if prefix, ok := xmlnsPrefix(name); ok {
		return declared(nil, prefix, textOf(value))
	}
	tokens := jsontext.NewDecoder(bytes.NewReader(value))
	if tokens.PeekKind() != '[' {
		return contextItem(nil, tokens)
	}
	var found []binding
	_, err := tokens.ReadToken()
	for err == nil && tokens.PeekKind() != ']' {
		var reason Reason
		var detail string
		if found, reason, detail = contextItem(found, tokens); reason != 0 {
			return nil, reason, detail
		}
	}
	return found, 0, ""
}

// contextItem reads a context: prefixes and their namespaces. A string, or the term
// "@vocab", is the namespace of names without a prefix. It ignores other terms of
// JSON-LD, and never fetches contexts.
func contextItem(found []binding, tokens *jsontext.Decoder) ([]binding, Reason, string) {
	if tokens.PeekKind() == '"' {
		value, err := tokens.ReadValue()
		if err != nil {
			return nil, ReasonSyntax, err.Error()
		}
		return declared(found, "", textOf(value))
	}
	if tokens.PeekKind() != '{' {
		return nil, ReasonShape, contextMember + " is an object of prefixes"
	}
	_, err := tokens.ReadToken()
	for err == nil && tokens.PeekKind() != '}' {
		var name, value jsontext.Value
		if name, err = tokens.ReadValue(); err != nil {
			break
		}
		prefix := textOf(name)
		if value, err = tokens.ReadValue(); err != nil {
			break
		}
		if prefix == "@vocab" {
			prefix = ""
		}
		if value.Kind() != '"' || strings.HasPrefix(prefix, "@") {
			continue
		}
		var reason Reason
		var detail string
		if found, reason, detail = declared(found, prefix, textOf(value)); reason != 0 {
			return nil, reason, detail
		}
	}
	if err == nil {
		_, err = tokens.ReadToken()
	}
	if err != nil {
		return nil, ReasonSyntax, err.Error()
	}
	return found, 0, ""
}

// declared adds a declaration that Namespaces in XML allows.
func declared(found []binding, prefix, space string) ([]binding, Reason, string) {
	if prefix != "" && !plain(prefix) || !storable(space) || !allowed(prefix, space) {
		return nil, ReasonPrefix, quote(prefix) + " for " + quote(space)
	}
	return append(found, binding{prefix: prefix, space: space}), 0, ""
}
