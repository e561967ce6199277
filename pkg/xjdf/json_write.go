// SPDX-License-Identifier: Apache-2.0

package xjdf

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

// JSONOption changes how WriteJSON and WriteAttributeJSON write.
type JSONOption func(*jsonWriter)

// Indent writes the JSON in lines, indented by spaces or tabs.
func Indent(by string) JSONOption {
	return func(j *jsonWriter) { j.options = append(j.options, jsontext.WithIndent(by)) }
}

// WriteJSON writes a tree as the JSON of the standard, in one line and without a line
// break at the end. Values have the type in the vocabulary; an invalid number stays a
// string. Trees that are [Equal] give the same bytes. If the tree cannot be written,
// the error is a [*WriteError] and nothing is written. The causes are an XJMF with
// several messages (9.10.2), an element outside of any namespace, and an unknown
// attribute and an unknown element with the same member name.
func WriteJSON(w io.Writer, root *Node, options ...JSONOption) error {
	return writeJSON(w, root, CanonicalJSON, options)
}

// WriteAttributeJSON writes a tree as JSON with an at sign before each attribute, within
// an object {"XJDF": {...}}. Values and arrays are those of [WriteJSON], and so are the
// errors, but an unknown attribute never conflicts with an element.
func WriteAttributeJSON(w io.Writer, root *Node, options ...JSONOption) error {
	return writeJSON(w, root, AttributeJSON, options)
}

func writeJSON(w io.Writer, root *Node, encoding Encoding, options []JSONOption) error {
	j := jsonWriter{encoding: encoding, vocabulary: vocabulary.Load(), prefixes: prefixesOf(root, true)}
	j.options = []jsontext.Options{jsontext.AllowInvalidUTF8(true)}
	for _, option := range options {
		option(&j)
	}
	var out bytes.Buffer
	j.to = jsontext.NewEncoder(&out, j.options...)
	if err := j.document(root); err != nil {
		return err
	}
	if _, err := w.Write(bytes.TrimSuffix(out.Bytes(), []byte("\n"))); err != nil {
		return fmt.Errorf("write XJDF: %w", err)
	}
	return nil
}

type jsonWriter struct {
	encoding   Encoding
	vocabulary *vocabulary.Vocabulary
	prefixes   prefixes
	options    []jsontext.Options
	to         *jsontext.Encoder
	err        error // of the encoder, the first
	at         *Node // the element that is being written
}

// document writes the root and returns the first error.
func (j *jsonWriter) document(n *Node) error {
	j.enter(n)
	j.nameable(n)
	// A root of XJDF has its name outside in attribute JSON, and as a member otherwise.
	wrapped := j.encoding == AttributeJSON && n.Name.Core() && j.vocabulary.Root(n.Name.Local) != nil
	if wrapped {
		j.token(jsontext.BeginObject)
		j.token(jsontext.String(n.Name.Local))
	}
	j.root(n, wrapped)
	if wrapped {
		j.token(jsontext.EndObject)
	}
	var own *WriteError
	switch {
	case j.err == nil:
		return nil
	case errors.As(j.err, &own):
		return own
	}
	detail := j.err.Error()
	var syntactic *jsontext.SyntacticError
	if errors.As(j.err, &syntactic) && errors.Is(j.err, jsontext.ErrDuplicateName) {
		detail = "two members " + quote(syntactic.JSONPointer.LastToken())
	}
	return &WriteError{Encoding: j.encoding, XPath: xpath(j.at), Detail: detail}
}

// root writes the root element, with its declarations.
func (j *jsonWriter) root(n *Node, wrapped bool) {
	j.token(jsontext.BeginObject)
	// The standard requires "$schema" (9.10).
	switch {
	case j.encoding == AttributeJSON:
	case n.Name.Core() && n.Name.Local == "XJDF":
		j.text(schemaMember, "https://schema.cip4.org/jdfschema_2_2/xjdf.json")
	case n.Name.Core() && n.Name.Local == "XJMF":
		j.text(schemaMember, "https://schema.cip4.org/jdfschema_2_2/xjmf.json")
	}
	if len(j.prefixes.spaces) > 0 {
		j.token(jsontext.String(contextMember))
		j.token(jsontext.BeginObject)
		for _, s := range j.prefixes.sorted() {
			j.text(s.prefix, s.space)
		}
		j.token(jsontext.EndObject)
	}
	if !wrapped {
		j.text(nameMember, j.name(n))
	}
	j.body(n)
	j.token(jsontext.EndObject)
}

// fail keeps the first error, which ends the writing.
func (j *jsonWriter) fail(n *Node, detail string) {
	if j.err == nil {
		j.err = &WriteError{Encoding: j.encoding, XPath: xpath(n), Detail: detail}
	}
}

// enter records the element that is being written, for errors.
func (j *jsonWriter) enter(n *Node) {
	if j.err == nil {
		j.at = n
	}
}

func (j *jsonWriter) token(t jsontext.Token) {
	if j.err == nil {
		j.err = j.to.WriteToken(t)
	}
}

// string writes a text with U+FFFD for characters that XML does not allow.
func (j *jsonWriter) string(value string) {
	if !storable(value) {
		value = strings.Map(func(r rune) rune {
			if storableRune(r) {
				return r
			}
			return '\uFFFD'
		}, value)
	}
	j.token(jsontext.String(value))
}

func (j *jsonWriter) text(member, value string) {
	j.token(jsontext.String(member))
	j.string(value)
}

// name returns the name of an element, with a prefix for a foreign element.
func (j *jsonWriter) name(n *Node) string {
	if n.Name.Core() {
		return n.Name.Local
	}
	return j.prefixes.qualified(n.Name)
}

// nameable rejects an element without a name in JSON.
func (j *jsonWriter) nameable(n *Node) {
	if !plain(n.Name.Local) || n.Name.Space == "" {
		j.fail(n, "the element has no name or no namespace")
	}
}

// body writes the members of an element.
func (j *jsonWriter) body(n *Node) {
	e := definition(j.vocabulary, n)
	j.attributes(n, e)
	if n.Text != "" {
		member := anyTextMember
		if e != nil && e.Text == vocabulary.TextMember {
			member = textMember
		}
		j.text(member, n.Text)
	}
	if e != nil && e.Name == "XJMF" {
		// JSON cannot represent several messages.
		messages := 0
		for _, child := range n.Children {
			if e := definition(j.vocabulary, child); e != nil && e.Kind == vocabulary.Message {
				messages++
			}
		}
		if messages > 1 {
			j.fail(n, "a JSON document can contain only one message")
		}
	}
	children := grouped(n)
	for len(children) > 0 && j.err == nil {
		run := 1
		for run < len(children) && children[run].Name.same(children[0].Name) {
			run++
		}
		j.children(e, children[:run])
		children = children[run:]
	}
	j.enter(n)
}

// children writes all children of one name.
func (j *jsonWriter) children(parent *vocabulary.Element, run []*Node) {
	first := run[0]
	j.nameable(first)
	j.enter(first.Parent)
	j.token(jsontext.String(j.name(first)))
	e := definition(j.vocabulary, first)
	if e != nil && e.Pool {
		if len(run) > 1 {
			j.fail(first, "the element occurs more than once")
			return
		}
		j.pool(first)
		return
	}
	array := len(run) > 1
	if parent != nil && e != nil {
		child, _ := parent.Child(e.Name)
		array = array || child != nil && child.Many
	}
	if array {
		j.token(jsontext.BeginArray)
	}
	for _, n := range run {
		if e != nil && e.Text == vocabulary.TextOnly && len(n.Attributes) == 0 && len(n.Children) == 0 {
			j.string(n.Text)
			continue
		}
		j.enter(n)
		j.token(jsontext.BeginObject)
		j.body(n)
		j.token(jsontext.EndObject)
	}
	if array {
		j.token(jsontext.EndArray)
	}
}

// pool writes elements of several names as one array. Attributes and text of the pool
// itself, which it should not have, become an object without a name.
func (j *jsonWriter) pool(n *Node) {
	j.token(jsontext.BeginArray)
	if len(n.Attributes) > 0 || n.Text != "" {
		if n.Attribute(nameMember) != nil {
			j.fail(n, "the attribute has the name of an item")
			return
		}
		own := *n
		own.Children = nil
		j.token(jsontext.BeginObject)
		j.body(&own)
		j.token(jsontext.EndObject)
	}
	for _, child := range sequenced(n) {
		j.nameable(child)
		j.enter(child)
		j.token(jsontext.BeginObject)
		j.text(nameMember, j.name(child))
		j.body(child)
		j.token(jsontext.EndObject)
	}
	j.token(jsontext.EndArray)
}
