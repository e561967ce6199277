// SPDX-License-Identifier: Apache-2.0

package xjdf

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

// WriteXML writes a tree as XML: attributes by name, children in the order of the
// schema, then unknown children. The same tree gives the same bytes. Characters that
// XML does not allow become U+FFFD. If the tree cannot be written, the error is a
// [*WriteError] and nothing is written.
func WriteXML(w io.Writer, root *Node) error {
	x := xmlWriter{vocabulary: vocabulary.Load(), prefixes: prefixesOf(root, false)}
	x.out.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n")
	if err := x.element(root, "", 0, false); err != nil {
		return err
	}
	x.out.WriteByte('\n')
	if _, err := w.Write(x.out.Bytes()); err != nil {
		return fmt.Errorf("write XJDF: %w", err)
	}
	return nil
}

type xmlWriter struct {
	vocabulary *vocabulary.Vocabulary
	prefixes   prefixes
	out        bytes.Buffer
}

// element writes an element. space is the namespace of names without a prefix around
// it; inline is true where white space would become text.
func (x *xmlWriter) element(n *Node, space string, depth int, inline bool) error {
	name := n.Name.Local
	if !n.Name.Core() && n.Name.Prefix != "" {
		name = x.prefixes.qualified(n.Name)
	}
	if !plain(n.Name.Local) {
		return &WriteError{Encoding: XML, XPath: xpath(n), Detail: "the element has no name"}
	}
	x.out.WriteByte('<')
	x.out.WriteString(name)
	if prefixed := name != n.Name.Local; !prefixed && n.Name.Space != space {
		space = n.Name.Space
		x.attribute("xmlns", space)
	}
	if depth == 0 {
		for _, s := range x.prefixes.sorted() {
			x.attribute("xmlns:"+s.prefix, s.space)
		}
	}
	attributes := sortedAttributes(n)
	if twice := repeated(attributes); twice != nil {
		return &WriteError{Encoding: XML, XPath: xpath(n), Detail: "two attributes " + twice.Name.String()}
	}
	for i := range attributes {
		a := &attributes[i]
		if !plain(a.Name.Local) || a.Name.Local == "xmlns" && a.Name.Space == "" {
			return &WriteError{Encoding: XML, XPath: xpath(n), Detail: "an attribute has no name"}
		}
		x.attribute(x.prefixes.qualified(a.Name), a.Value)
	}
	if n.Text == "" && len(n.Children) == 0 {
		x.out.WriteString("/>")
		return nil
	}
	x.out.WriteByte('>')
	inline = inline || n.Text != "" || keepsBlank(definition(x.vocabulary, n))
	done := 0
	for _, child := range sequenced(n) {
		// A changed text may be shorter than the one that was read.
		if at := len(n.Text) - int(child.after); at > done && (at == len(n.Text) || utf8.RuneStart(n.Text[at])) {
			x.escape(n.Text[done:at], false)
			done = at
		}
		if !inline {
			x.line(depth + 1)
		}
		if err := x.element(child, space, depth+1, inline); err != nil {
			return err
		}
	}
	x.escape(n.Text[done:], false)
	if !inline {
		x.line(depth)
	}
	x.out.WriteString("</")
	x.out.WriteString(name)
	x.out.WriteByte('>')
	return nil
}

func (x *xmlWriter) line(depth int) {
	x.out.WriteByte('\n')
	for range depth {
		x.out.WriteString("  ")
	}
}

func (x *xmlWriter) attribute(name, value string) {
	x.out.WriteByte(' ')
	x.out.WriteString(name)
	x.out.WriteString(`="`)
	x.escape(value, true)
	x.out.WriteByte('"')
}

// escape writes text. In attributes it writes white space other than spaces as
// references, because readers convert it to spaces.
func (x *xmlWriter) escape(text string, attribute bool) {
	done := 0
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if escaped := escapeOf(r, size, attribute); escaped != "" {
			x.out.WriteString(text[done:i])
			x.out.WriteString(escaped)
			done = i + size
		}
		i += size
	}
	x.out.WriteString(text[done:])
}

func escapeOf(r rune, size int, attribute bool) string {
	switch {
	case r == '&':
		return "&amp;"
	case r == '<':
		return "&lt;"
	case r == '>':
		return "&gt;"
	case r == '\r':
		return "&#xD;"
	case r == '"' && attribute:
		return "&quot;"
	case r == '\n' && attribute:
		return "&#xA;"
	case r == '\t' && attribute:
		return "&#x9;"
	case r == utf8.RuneError && size == 1, !storableRune(r):
		return "\uFFFD"
	default:
		return ""
	}
}
