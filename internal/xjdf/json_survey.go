// SPDX-License-Identifier: Apache-2.0

package xjdf

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// survey is what the objects of a document say about themselves wherever in
// the object they say it: the order of members has no meaning in JSON.
type survey struct {
	spaces map[int32][]binding
	names  map[int32]string
}

// declarations are those of the object that begins at an offset plus one.
func (s *survey) declarations(at int32) []binding {
	if s == nil {
		return nil
	}
	return s.spaces[at]
}

// name is the value of the member "Name" of the object, if it has one.
func (s *survey) name(at int32) (string, bool) {
	name, ok := s.names[at]
	return name, ok
}

// context is what an object declares, as a map; nil if it declares nothing.
func (s *survey) context(at int32) map[string]string {
	declared := s.declarations(at)
	if len(declared) == 0 {
		return nil
	}
	context := make(map[string]string, len(declared))
	for _, d := range declared {
		context[d.prefix] = d.space
	}
	return context
}

// surveyor goes through a document without making anything of it.
type surveyor struct {
	*survey
	body   []byte
	limit  int
	tokens *jsontext.Decoder
	open   []int32 // offsets of the objects that are open, zero for arrays
}

func makeSurvey(body []byte, limits Limits) (*survey, error) {
	s := &surveyor{
		survey: &survey{spaces: map[int32][]binding{}, names: map[int32]string{}},
		body:   body,
		// An element takes two levels of JSON, its array and its object; a list
		// of pairs takes two more, and so does a wrapper.
		limit:  2*limits.Depth + 4,
		tokens: jsontext.NewDecoder(bytes.NewBuffer(body)),
	}
	for {
		if err := s.step(); err != nil {
			return nil, syntaxError(body, err)
		}
		if len(s.open) == 0 {
			return s.survey, nil
		}
	}
}

// step reads one token, or a member that matters.
func (s *surveyor) step() error {
	if n := len(s.open); n > 0 && s.open[n-1] > 0 && s.tokens.PeekKind() == '"' {
		if _, count := s.tokens.StackIndex(s.tokens.StackDepth()); count%2 == 0 {
			return s.member(s.open[n-1])
		}
	}
	token, err := s.tokens.ReadToken()
	if err != nil {
		return err
	}
	switch token.Kind() {
	case '{':
		s.open = append(s.open, int32(s.tokens.InputOffset())) //nolint:gosec // readable bounds the body below maxBytes
	case '[':
		s.open = append(s.open, 0)
	case '}', ']':
		s.open = s.open[:len(s.open)-1]
	}
	if len(s.open) > s.limit {
		return s.refuse(ReasonDepth, "")
	}
	return nil
}

func (s *surveyor) member(object int32) error {
	token, err := s.tokens.ReadToken()
	if err != nil {
		return err
	}
	name := token.String()
	if name == contextMember {
		value, err := s.tokens.ReadValue()
		if err != nil {
			return err
		}
		return s.context(object, value)
	}
	if s.tokens.PeekKind() != '"' {
		return nil
	}
	name = strings.TrimPrefix(name, "@")
	prefix, declares := declaration(name)
	if !declares && name != nameMember {
		return nil
	}
	if token, err = s.tokens.ReadToken(); err != nil {
		return err
	}
	if declares {
		return s.declare(object, prefix, token.String())
	}
	s.names[object] = token.String()
	return nil
}

// declaration reports whether a member is what becomes of an XML declaration
// of a namespace when a converter takes it for an attribute.
func declaration(name string) (prefix string, ok bool) {
	if name == "xmlns" {
		return "", true
	}
	return strings.CutPrefix(name, "xmlns:")
}

// context reads "@context" of JSON-LD: prefixes and their namespaces. A string,
// or the term "@vocab", is the namespace of names without a prefix. Contexts
// elsewhere are never fetched.
func (s *surveyor) context(object int32, value jsontext.Value) error {
	tokens := jsontext.NewDecoder(bytes.NewReader(value))
	for tokens.PeekKind() == '[' || tokens.PeekKind() == ']' {
		if _, err := tokens.ReadToken(); err != nil {
			return err
		}
	}
	for {
		switch kind := tokens.PeekKind(); kind {
		case '"':
			token, err := tokens.ReadToken()
			if err != nil {
				return err
			}
			if err := s.declare(object, "", token.String()); err != nil {
				return err
			}
		case '{':
			if err := s.terms(object, tokens); err != nil {
				return err
			}
		case ']':
			return nil
		case 0:
			return nil
		default:
			return s.refuse(ReasonShape, contextMember+" is an object of prefixes")
		}
	}
}

func (s *surveyor) terms(object int32, tokens *jsontext.Decoder) error {
	if _, err := tokens.ReadToken(); err != nil {
		return err
	}
	for tokens.PeekKind() == '"' {
		token, err := tokens.ReadToken()
		if err != nil {
			return err
		}
		prefix := token.String()
		if tokens.PeekKind() != '"' {
			if err := tokens.SkipValue(); err != nil {
				return err
			}
			continue
		}
		if token, err = tokens.ReadToken(); err != nil {
			return err
		}
		if prefix == "@vocab" {
			prefix = ""
		}
		if strings.HasPrefix(prefix, "@") {
			continue
		}
		if err := s.declare(object, prefix, token.String()); err != nil {
			return err
		}
	}
	_, err := tokens.ReadToken()
	return err
}

func (s *surveyor) declare(object int32, prefix, space string) error {
	if prefix != "" && !plain(prefix) || !storable(space) || !allowed(prefix, space) {
		return s.refuse(ReasonPrefix, quote(prefix)+" for "+quote(space))
	}
	s.spaces[object] = append(s.spaces[object], binding{prefix: prefix, space: space})
	return nil
}

func (s *surveyor) refuse(reason Reason, detail string) error {
	err := refusal(s.body, s.tokens.InputOffset(), reason, detail)
	err.Pointer = string(s.tokens.StackPointer())
	return err
}
