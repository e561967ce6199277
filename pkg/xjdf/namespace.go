// SPDX-License-Identifier: Apache-2.0

package xjdf

import (
	"encoding/xml"
	"strings"
	"unicode/utf8"
)

// namespaces maps prefixes to namespaces at the current position.
type namespaces struct {
	unprefixed string
	bound      map[string]string
	// former holds what declarations replaced, to be undone at the end of the
	// element that made them.
	former []binding
}

type binding struct {
	prefix, space string
	absent        bool
}

// lookup returns the namespace of a prefix. The empty prefix is always bound, possibly
// to no namespace.
func (s *namespaces) lookup(prefix string) (space string, bound bool) {
	switch prefix {
	case "":
		return s.unprefixed, true
	case "xml":
		return xmlNamespace, true
	default:
		space, bound = s.bound[prefix]
		return space, bound
	}
}

// core reports whether a prefix is that of XJDF.
func (s *namespaces) core(prefix string) bool {
	space, _ := s.lookup(prefix)
	return space == Namespace
}

func (s *namespaces) declare(prefix, space string) {
	former, ok := s.lookup(prefix)
	s.former = append(s.former, binding{prefix: prefix, space: former, absent: !ok})
	s.bind(prefix, space)
}

func (s *namespaces) bind(prefix, space string) {
	if prefix == "" {
		s.unprefixed = space
		return
	}
	if s.bound == nil {
		s.bound = map[string]string{}
	}
	s.bound[prefix] = space
}

// mark returns the position for restore.
func (s *namespaces) mark() int { return len(s.former) }

func (s *namespaces) restore(mark int) {
	for len(s.former) > mark {
		last := s.former[len(s.former)-1]
		s.former = s.former[:len(s.former)-1]
		if last.absent {
			delete(s.bound, last.prefix)
		} else {
			s.bind(last.prefix, last.space)
		}
	}
}

// declared returns the prefixes that are declared at the current position, or nil.
func (s *namespaces) declared() map[string]string {
	if len(s.former) == 0 {
		return nil
	}
	declared := make(map[string]string, len(s.former))
	for _, f := range s.former {
		declared[f.prefix], _ = s.lookup(f.prefix)
	}
	return declared
}

// allowed reports whether Namespaces in XML allows a declaration.
func allowed(prefix, space string) bool {
	switch prefix {
	case "":
		return space != xmlNamespace && space != xmlnsNamespace
	case "xml":
		return space == xmlNamespace
	case "xmlns":
		return false
	default:
		return space != "" && space != xmlNamespace && space != xmlnsNamespace
	}
}

// split divides a name at its colon. It returns false for an invalid name.
func split(name string) (prefix, local string, ok bool) {
	if i := strings.IndexByte(name, ':'); i >= 0 {
		prefix, local = name[:i], name[i+1:]
		return prefix, local, plain(prefix) && plain(local)
	}
	return "", name, plain(name)
}

// plain reports whether a name without a colon is one in XML.
func plain(name string) bool {
	for i := range len(name) {
		c := name[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c == '_':
		case i > 0 && ('0' <= c && c <= '9' || c == '-' || c == '.'):
		case c >= utf8.RuneSelf:
			if strings.ContainsAny(name, ":/>=&<\"' \t\r\n") {
				return false
			}
			token, err := xml.NewDecoder(strings.NewReader("<" + name + "/>")).RawToken()
			start, ok := token.(xml.StartElement)
			return err == nil && ok && start.Name.Local == name && start.Name.Space == "" && len(start.Attr) == 0
		default:
			return false
		}
	}
	return name != ""
}

// storable reports whether XML allows each character of a text.
func storable(text string) bool {
	for _, r := range text {
		if !storableRune(r) {
			return false
		}
	}
	return true
}

func storableRune(r rune) bool {
	switch {
	case r < 0x20:
		return r == '\t' || r == '\n' || r == '\r'
	case r >= 0xD800 && r <= 0xDFFF:
		return false
	default:
		return r != 0xFFFE && r != 0xFFFF && r <= utf8.MaxRune
	}
}
