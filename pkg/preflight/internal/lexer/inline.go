// SPDX-License-Identifier: Apache-2.0

package lexer

import "bytes"

// InlineData skips and returns the data of an inline image, which may have white
// space at its end. The lexer stands after ID. Where
// the length of the data is known (a sum of raw samples, or /L of PDF 2.0) and
// EI follows it, that is believed; else EI is searched for, which binary data
// can imitate: it must stand between white space and be followed by text.
func (l *Lexer) InlineData(length int) []byte {
	if l.pos < len(l.chunk) && classes[l.chunk[l.pos]] == space {
		l.pos++
	}
	rest := l.chunk[l.pos:]
	if length >= 0 && length <= len(rest) {
		if n, ok := endsInline(rest[length:]); ok {
			l.pos += length + n
			return rest[:length]
		}
	}
	for from := 0; ; {
		i := bytes.Index(rest[from:], []byte("EI"))
		if i < 0 {
			l.pos = len(l.chunk)
			return rest
		}
		at := from + i
		if at > 0 && classes[rest[at-1]] == space && looksLikeText(rest[at+2:]) {
			l.pos += at + 2
			return rest[:at]
		}
		from = at + 2
	}
}

// endsInline finds EI at the start of data, after white space at most.
func endsInline(data []byte) (int, bool) {
	i := 0
	for i < len(data) && i < 4 && classes[data[i]] == space {
		i++
	}
	if bytes.HasPrefix(data[i:], []byte("EI")) && (len(data) == i+2 || classes[data[i+2]] != regular) {
		return i + 2, true
	}
	return 0, false
}

// looksLikeText tells operators from image samples by the next few bytes.
func looksLikeText(data []byte) bool {
	if len(data) == 0 {
		return true
	}
	if classes[data[0]] != space {
		return false
	}
	for _, c := range data[:min(len(data), 12)] {
		if c > '~' || c < ' ' && classes[c] != space || c == 0 {
			return false
		}
	}
	return true
}
