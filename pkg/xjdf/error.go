// SPDX-License-Identifier: Apache-2.0

package xjdf

import (
	"fmt"
	"unicode/utf8"
)

// Reason is the reason why a body is not a document. It is an error, for use with
// errors.Is(err, xjdf.ReasonDuplicate).
type Reason uint8

// The reasons for rejecting a body.
const (
	// ReasonEmpty is a body without content.
	ReasonEmpty Reason = iota + 1
	// ReasonLength is a body that is longer than the limit.
	ReasonLength
	// ReasonCharset is text that is not UTF-8.
	ReasonCharset
	// ReasonByteOrderMark is JSON that begins with a byte order mark.
	ReasonByteOrderMark
	// ReasonSyntax is text that is neither JSON nor XML.
	ReasonSyntax
	// ReasonTrailing is content after the end of the document.
	ReasonTrailing
	// ReasonDuplicate is a member or an attribute that is there twice.
	ReasonDuplicate
	// ReasonNull is a JSON null: XJDF omits unknown values.
	ReasonNull
	// ReasonDoctype is an XML document type declaration.
	ReasonDoctype
	// ReasonInstruction is an XML processing instruction.
	ReasonInstruction
	// ReasonPrefix is a prefix that is bound to no namespace, or wrongly.
	ReasonPrefix
	// ReasonName is a JSON member that cannot be the name of anything in XML.
	ReasonName
	// ReasonCharacter is a character that XML cannot hold.
	ReasonCharacter
	// ReasonShape is JSON whose objects and arrays are not a tree of elements.
	ReasonShape
	// ReasonDepth is a document with too many levels.
	ReasonDepth
	// ReasonNodes is a document with too many elements and attributes.
	ReasonNodes
)

var reasonNames = [...]string{
	ReasonEmpty:         "empty document",
	ReasonLength:        "document too long",
	ReasonCharset:       "not UTF-8",
	ReasonByteOrderMark: "byte order mark before JSON",
	ReasonSyntax:        "syntax error",
	ReasonTrailing:      "content after the document",
	ReasonDuplicate:     "duplicate name",
	ReasonNull:          "null value",
	ReasonDoctype:       "document type declaration",
	ReasonInstruction:   "processing instruction",
	ReasonPrefix:        "namespace prefix not declared",
	ReasonName:          "not a name",
	ReasonCharacter:     "character not allowed",
	ReasonShape:         "invalid document structure",
	ReasonDepth:         "too deep",
	ReasonNodes:         "too many elements and attributes",
}

// Error returns the reason in words.
func (r Reason) Error() string {
	if int(r) >= len(reasonNames) || reasonNames[r] == "" {
		return "unknown reason"
	}
	return reasonNames[r]
}

// Error is the reason and the place of a fault in a body.
type Error struct {
	Reason Reason
	// Pointer is the place in a JSON body, as in [Place]; empty for XML.
	Pointer string
	// Line and Column count from one, in characters. Offset counts bytes from
	// zero.
	Line, Column int
	Offset       int64
	// Detail adds to the reason. It may quote a little of the body.
	Detail string
}

// Error returns the reason, the detail and the place in one line.
func (e *Error) Error() string {
	text := "read XJDF: " + e.Reason.Error()
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	if e.Line > 0 {
		text += fmt.Sprintf(" (line %d, column %d)", e.Line, e.Column)
	}
	return text
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Reason }

// refusal returns an Error at an offset in a body.
func refusal(body []byte, offset int64, reason Reason, detail string) *Error {
	offset = min(max(offset, 0), int64(len(body)))
	line, column := new(ruler).position(body, int(offset))
	return &Error{Reason: reason, Line: line, Column: column, Offset: offset, Detail: clip(detail)}
}

// quoteLimit bounds the part of a body that an error quotes.
const quoteLimit = 160

// clip bounds a detail, which may hold a name of any length.
func clip(text string) string {
	if len(text) <= quoteLimit {
		return text
	}
	end := quoteLimit
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "..."
}

// quote returns a short form of a name in the body, for a detail.
func quote(name string) string {
	const longest = 60
	if utf8.RuneCountInString(name) > longest {
		name = string([]rune(name[:min(len(name), longest*utf8.UTFMax)])[:longest]) + "..."
	}
	return fmt.Sprintf("%q", name)
}
