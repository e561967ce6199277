// SPDX-License-Identifier: Apache-2.0

package xjdf

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// survey holds the declarations and names of the objects of a document, by the offset
// of the object plus one. It exists because the order of members has no meaning in
// JSON.
type survey struct {
	spaces map[int32][]binding
	names  map[int32]string
}

// surveyor reads a document into a survey.
type surveyor struct {
	survey
	body   []byte
	limit  int
	tokens *jsontext.Decoder
	open   []int32 // the objects that are open, zero for arrays
}

func makeSurvey(body []byte, limits Limits) (*survey, error) {
	s := surveyor{
		survey: survey{spaces: map[int32][]binding{}, names: map[int32]string{}},
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
			return &s.survey, nil
		}
	}
}

// step reads one token, or a member of the survey.
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
		s.open = append(s.open, int32(s.tokens.InputOffset()))
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

// member reads a name and, for a declaration or a name of its object, the value.
func (s *surveyor) member(object int32) error {
	raw, err := s.tokens.ReadValue()
	if err != nil {
		return err
	}
	name := textOf(raw)
	isName := name == nameMember || name == "@"+nameMember
	switch kind := s.tokens.PeekKind(); {
	case !isName && !declares(name, kind), isName && kind != '"':
		return nil
	}
	value, err := s.tokens.ReadValue()
	if err != nil {
		return err
	}
	if isName {
		s.names[object] = textOf(value)
		return nil
	}
	declared, reason, detail := declarations(name, value)
	if reason != 0 {
		return s.refuse(reason, detail)
	}
	s.spaces[object] = append(s.spaces[object], declared...)
	return nil
}

func (s *surveyor) refuse(reason Reason, detail string) error {
	err := refusal(s.body, s.tokens.InputOffset(), reason, detail)
	err.Pointer = string(s.tokens.StackPointer())
	return err
}

// textOf returns the text of a string that the tokenizer has read.
func textOf(raw jsontext.Value) string {
	if len(raw) >= 2 && bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	text, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		return ""
	}
	return string(text)
}
