// SPDX-License-Identifier: Apache-2.0

package xjdf

import (
	"bytes"
	"encoding/xml"
	"strings"
)

// tagScanner goes through the attributes of a start tag that encoding/xml has
// read without complaint. It finds what its tokens do not tell: where an
// attribute stands, and how its value was written.
type tagScanner struct {
	text  []byte // begins with "<"
	place int
	at    int    // where the attribute begins
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
	for s.place < len(s.text) && bytes.IndexByte([]byte(tagSpace), s.text[s.place]) >= 0 {
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

// until is the place of the first of some bytes.
func (s *tagScanner) until(set string) int {
	if i := bytes.IndexAny(s.text[s.place:], set); i >= 0 {
		return s.place + i
	}
	return len(s.text)
}

// normalized is the value of an attribute, counted from zero, as XML 3.3.3 has
// it: line breaks and tabs are spaces, unless they are written as character
// references. encoding/xml does not do this. It only goes forward.
func (s *tagScanner) normalized(place int) string {
	for s.count <= place {
		if !s.next() {
			return ""
		}
		s.count++
	}
	spaces := strings.NewReplacer("\r\n", " ", "\r", " ", "\n", " ", "\t", " ")
	token, err := xml.NewDecoder(strings.NewReader("<a b=" + spaces.Replace(string(s.value)) + "/>")).RawToken()
	start, ok := token.(xml.StartElement)
	if err != nil || !ok || len(start.Attr) != 1 {
		return ""
	}
	return start.Attr[0].Value
}
