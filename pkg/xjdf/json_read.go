// SPDX-License-Identifier: Apache-2.0

package xjdf

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

// jsonReader makes a tree of JSON tokens in one pass. When a later member of the same
// object decides the meaning of an earlier one, it starts again with a survey of the
// document. Only documents with declarations of namespaces or with unusual audits are
// read twice.
type jsonReader struct {
	builder
	body     []byte
	text     string // the same bytes; strings of the tree are parts of it
	tokens   *jsontext.Decoder
	doc      *Document
	spaces   namespaces
	survey   *survey
	odd      bool // the body holds characters that XML does not have
	named    string
	style    bool // an attribute with an at sign was there
	prefixed bool // an attribute with a prefix was there
	last     int  // where the member or the value that was read last begins
}

// errSurvey requests a second pass.
var errSurvey = errors.New("a later member decides")

// readJSON reads a document. The pointer of an error is not yet a fragment.
func readJSON(body []byte, limits Limits) (*Document, error) {
	if err := readable(body, limits); err != nil {
		return nil, err
	}
	if bytes.HasPrefix(body, byteOrderMark) {
		return nil, refusal(body, 0, ReasonByteOrderMark, "")
	}
	r := newJSONReader(body, limits)
	err := r.document()
	if errors.Is(err, errSurvey) {
		s, refused := makeSurvey(body, limits)
		if refused != nil {
			return nil, refused
		}
		r = newJSONReader(body, limits)
		r.survey = s
		err = r.document()
	}
	if err != nil {
		return nil, err
	}
	return r.doc, nil
}

func newJSONReader(body []byte, limits Limits) *jsonReader {
	return &jsonReader{
		builder: newBuilder(body, limits),
		body:    body,
		text:    string(body),
		tokens:  jsontext.NewDecoder(bytes.NewBuffer(body)),
		doc:     &Document{body: body},
		spaces:  namespaces{unprefixed: Namespace},
		odd:     bytes.Contains(body, []byte("\uFFFE")) || bytes.Contains(body, []byte("\uFFFF")),
	}
}

// document reads the whole body.
func (r *jsonReader) document() error {
	if kind := r.tokens.PeekKind(); kind != '{' {
		if _, err := r.tokens.ReadValue(); err != nil {
			return r.syntax(err)
		}
		return refusal(r.body, 0, ReasonShape, "a document must be an object, not "+kindName(kind))
	}
	if err := r.root(nil, 0, 0); err != nil {
		return err
	}
	if r.style {
		r.doc.Encoding = AttributeJSON
	}
	if rest := bytes.TrimLeft(r.body[r.tokens.InputOffset():], " \t\r\n"); len(rest) > 0 {
		return refusal(r.body, int64(len(r.body)-len(rest)), ReasonTrailing, "")
	}
	return nil
}

// begin reads the brace of an object and applies its declarations. It returns the
// offset plus one.
func (r *jsonReader) begin() (at int32, mark int, err error) {
	if _, err := r.tokens.ReadToken(); err != nil {
		return 0, 0, r.syntax(err)
	}
	r.last = int(r.tokens.InputOffset()) - 1
	at = int32(r.last + 1)
	mark = r.spaces.mark()
	if r.survey != nil {
		for _, d := range r.survey.spaces[at] {
			r.spaces.declare(d.prefix, d.space)
		}
	}
	return at, mark, nil
}

// members reads the members of an object up to its closing brace. The name of the
// first one may have been read already. Where late is true, the member "Name" was the
// name of the element and is not an attribute.
func (r *jsonReader) members(o open, first *member, late bool) error {
	for {
		var m member
		switch {
		case first != nil:
			m, first = *first, nil
		case r.tokens.PeekKind() == '}':
			_, err := r.tokens.ReadToken()
			return r.syntax(err)
		default:
			var err error
			if m, err = r.memberName(); err != nil {
				return err
			}
		}
		if late && m.local == nameMember {
			if err := r.tokens.SkipValue(); err != nil {
				return r.syntax(err)
			}
			continue
		}
		if err := r.member(o, m); err != nil {
			return err
		}
	}
}

// finish ends an element whose object has been read.
func (r *jsonReader) finish(o open, mark int) error {
	if r.style || r.prefixed {
		if twice := repeated(r.attributesOf(o)); twice != nil {
			err := refusal(r.body, int64(twice.key)-1, ReasonDuplicate, quote(twice.Name.String()))
			err.Pointer = string(r.doc.memberPointer(r.doc.pointer(nil, o.node), twice.key))
			return err
		}
	}
	if o.node.Text != "" && strings.Trim(o.node.Text, " \t\r\n") == "" && !keepsBlank(o.node.Definition) {
		o.node.Text = ""
	}
	r.close(o)
	r.spaces.restore(mark)
	r.depth--
	return nil
}

// keepsBlank reports whether white space is text in an element.
func keepsBlank(e *vocabulary.Element) bool { return e != nil && e.Text != vocabulary.NoText }

// resolve finds the namespace of the name of an element.
func (r *jsonReader) resolve(name string) (Name, error) {
	prefix, local, ok := split(name)
	if !ok {
		return Name{}, r.refuse(ReasonName, quote(name))
	}
	space, bound := r.spaces.lookup(prefix)
	if !bound && r.survey == nil {
		return Name{}, errSurvey
	}
	if !bound {
		return Name{}, r.refuse(ReasonPrefix, quote(prefix)+" is not in @context")
	}
	return Name{Space: space, Prefix: prefix, Local: local}, nil
}

// refuse returns an error at the member or item that was read last.
func (r *jsonReader) refuse(reason Reason, detail string) error {
	err := refusal(r.body, int64(r.last), reason, detail)
	err.Pointer = string(r.tokens.StackPointer())
	return err
}

// syntax converts an error of the tokenizer to an [*Error].
func (r *jsonReader) syntax(err error) error { return syntaxError(r.body, err) }

func syntaxError(body []byte, err error) error {
	if err == nil {
		return nil
	}
	var refused *Error
	if errors.As(err, &refused) {
		return err
	}
	syntactic, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return refusal(body, int64(len(body)), ReasonSyntax, "the document is incomplete")
		}
		return refusal(body, 0, ReasonSyntax, err.Error())
	}
	reason, detail := ReasonSyntax, strings.TrimPrefix(syntactic.Err.Error(), "jsontext: ")
	switch {
	case errors.Is(syntactic.Err, jsontext.ErrDuplicateName):
		reason, detail = ReasonDuplicate, quote(syntactic.JSONPointer.LastToken())
	case errors.Is(syntactic.Err, io.ErrUnexpectedEOF):
		detail = "the document is incomplete"
	}
	refused = refusal(body, syntactic.ByteOffset, reason, detail)
	refused.Pointer = string(syntactic.JSONPointer)
	return refused
}

func kindName(kind jsontext.Kind) string {
	switch kind {
	case '[':
		return "an array"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	default:
		return "an object"
	}
}
