// SPDX-License-Identifier: Apache-2.0

package xjdf

import (
	"bytes"
	"encoding/xml"
	"strings"
)

// tagScanner reads the attributes of a start tag that encoding/xml has accepted. It
// finds the offset and the source text of values, which tokens do not have.
type tagScanner struct {
	text  []byte // begins with "<"
	place int
	at    int    // the offset of the attribute
	name  []byte // as it was written
	value []byte // with its quotes
	count int    // of attributes so far, for normalized
}

const tagSpace = " \t\r\n"

// next moves to the next attribute. It reports false at the end of the tag.
func (s *tagScanner) next() bool {
	if s.place == 0 {
		s.place = s.until(tagSpace + "/>")
	}
	for s.place < len(s.text) && strings.IndexByte(tagSpace, s.text[s.place]) >= 0 {
		s.place++
	}
	if s.place >= len(s.text) || s.text[s.place] == '/' || s.text[s.place] == '>' {
		return false
	}
	s.at = s.place
	s.place = s.until(tagSpace + "=")
	s.name = s.text[s.at:s.place]
	s.place = s.until(`"'`)
	if s.place >= len(s.text) {
		return false
	}
	start, delimiter := s.place, s.text[s.place]
	length := bytes.IndexByte(s.text[start+1:], delimiter)
	if length < 0 {
		return false
	}
	s.place = start + length + 2
	s.value = s.text[start:s.place]
	return true
}

// until returns the position of the first of some bytes.
func (s *tagScanner) until(set string) int {
	if i := bytes.IndexAny(s.text[s.place:], set); i >= 0 {
		return s.place + i
	}
	return len(s.text)
}

// normalized returns the value of an attribute, counted from zero, normalized by XML
// 3.3.3: line breaks and tabs become spaces, unless they are character references.
// encoding/xml does not do this, and its values do not distinguish the two. Calls in the
// order of the attributes read the tag once.
func (s *tagScanner) normalized(place int, value string) string {
	for s.count <= place {
		if !s.next() {
			return value
		}
		s.count++
	}
	if !bytes.Contains(s.value, []byte("&#")) {
		return strings.Map(spaced, value)
	}
	tag := "<a b=" + strings.Map(spaced, strings.ReplaceAll(string(s.value), "\r\n", " ")) + "/>"
	token, err := xml.NewDecoder(strings.NewReader(tag)).RawToken()
	start, ok := token.(xml.StartElement)
	if err != nil || !ok || len(start.Attr) != 1 {
		return value
	}
	return start.Attr[0].Value
}

func spaced(r rune) rune {
	switch r {
	case '\t', '\n', '\r':
		return ' '
	default:
		return r
	}
}
