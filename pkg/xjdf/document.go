// SPDX-License-Identifier: Apache-2.0

package xjdf

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"
)

// Encoding is the encoding of a document.
type Encoding uint8

// The encodings of a document.
const (
	// CanonicalJSON is the JSON of the standard.
	CanonicalJSON Encoding = iota
	// AttributeJSON writes attributes with an at sign before the name, and
	// their values as XML does or as canonical JSON does.
	AttributeJSON
	XML
)

// String is the name that reports use.
func (e Encoding) String() string {
	switch e {
	case CanonicalJSON:
		return "cip4-json"
	case AttributeJSON:
		return "attribute-json"
	case XML:
		return "xml"
	default:
		return "unknown"
	}
}

// Document is a document that was read.
type Document struct {
	Root     *Node
	Encoding Encoding
	// Wrapped reports whether the root was the only member of an object, {"XJDF":
	// {...}}.
	Wrapped bool
	// Named reports whether the root had a member "Name", which JSON requires.
	Named bool
	// Schema is the "$schema" of JSON. It is never fetched.
	Schema string
	// Context are the prefixes that are declared at the root.
	Context map[string]string

	body  []byte
	ruler ruler
	// fragments are the positions, plus one, of members in several objects that
	// together are one element. See pool.
	fragments map[int32]int32
}

// Within returns the document whose root is an element of this one, such as an XJDF in a
// PrintTalk. Both share the tree, and places remain those of the submitted body.
func (d *Document) Within(root *Node) *Document {
	return &Document{
		Root: root, Encoding: d.Encoding, Wrapped: d.Wrapped, Named: true, Context: d.Context, body: d.body, fragments: d.fragments,
	}
}

// Limits bound a document. A limit of zero selects that of DefaultLimits.
type Limits struct {
	Bytes int
	// Depth is the number of elements in each other.
	Depth int
	// Nodes is the number of elements and attributes together.
	Nodes int
}

// DefaultLimits are twice as large as the largest known real document.
var DefaultLimits = Limits{Bytes: 1 << 20, Depth: 64, Nodes: 50_000}

// maxBytes is the longest body, in bytes: offsets into a body have 32 bits.
const maxBytes = 1 << 30

func (l Limits) orDefault() Limits {
	set := func(value *int, fallback int) {
		if *value <= 0 {
			*value = fallback
		}
	}
	set(&l.Bytes, DefaultLimits.Bytes)
	set(&l.Depth, DefaultLimits.Depth)
	set(&l.Nodes, DefaultLimits.Nodes)
	l.Bytes = min(l.Bytes, maxBytes)
	return l
}

// Parse reads a document in any of the encodings. It keeps the body; do not
// change it as long as the document is in use. An error is an [*Error].
func Parse(body []byte, limits Limits) (*Document, error) {
	if IsXML(body) {
		return ParseXML(body, limits)
	}
	return ParseJSON(body, limits)
}

// IsXML reports whether Parse reads a body as XML, by its first character. Parse reads
// everything else as JSON. XML in UTF-16 or UTF-32 is XML, which Parse rejects.
func IsXML(body []byte) bool {
	if foreignCharset(body) != "" {
		for len(body) > 0 && (body[0] == 0 || body[0] >= 0xFE) { // a byte order mark
			body = body[1:]
		}
	}
	return firstByte(body) == '<'
}

// ParseJSON reads a document in one of the JSON encodings.
func ParseJSON(body []byte, limits Limits) (*Document, error) {
	limits = limits.orDefault()
	document, err := readJSON(body, limits)
	if refused, ok := errors.AsType[*Error](err); ok {
		refused.Pointer = fragment(refused.Pointer)
	}
	return document, err
}

// ParseXML reads a document in XML.
func ParseXML(body []byte, limits Limits) (*Document, error) {
	limits = limits.orDefault()
	if err := readable(body, limits); err != nil {
		return nil, err
	}
	return readXML(body, limits)
}

// readable rejects a body that is too long, empty or not UTF-8.
func readable(body []byte, limits Limits) error {
	if len(body) > limits.Bytes {
		return refusal(nil, 0, ReasonLength, fmt.Sprintf("%d bytes; the limit is %d", len(body), limits.Bytes))
	}
	if name := foreignCharset(body); name != "" {
		return refusal(body, 0, ReasonCharset, "it looks like "+name)
	}
	if !utf8.Valid(body) {
		return refusal(body, firstInvalid(body), ReasonCharset, "")
	}
	if firstByte(body) == 0 {
		return refusal(body, 0, ReasonEmpty, "")
	}
	return nil
}

var byteOrderMark = []byte("\uFEFF")

// firstByte returns the first byte that is not white space, or zero.
func firstByte(body []byte) byte {
	rest := bytes.TrimLeft(bytes.TrimPrefix(body, byteOrderMark), " \t\r\n")
	if len(rest) == 0 {
		return 0
	}
	return rest[0]
}

// foreignCharset returns the name of an encoding that XML allows, JSON once allowed
// and some Windows tools still write. It recognizes "<", "{" and byte order marks in
// these encodings.
func foreignCharset(body []byte) string {
	if len(body) < 2 {
		return ""
	}
	switch {
	case bytes.HasPrefix(body, []byte{0xFF, 0xFE, 0, 0}), bytes.HasPrefix(body, []byte{0, 0, 0xFE, 0xFF}):
		return "UTF-32"
	case body[0] == 0xFF && body[1] == 0xFE, body[0] == 0xFE && body[1] == 0xFF:
		return "UTF-16"
	case body[0] == 0 && body[1] != 0, body[0] != 0 && body[1] == 0:
		return "UTF-16"
	default:
		return ""
	}
}

// firstInvalid returns the offset of the first byte that is not UTF-8.
func firstInvalid(body []byte) int64 {
	offset := 0
	for offset < len(body) {
		r, size := utf8.DecodeRune(body[offset:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		offset += size
	}
	return int64(offset)
}
