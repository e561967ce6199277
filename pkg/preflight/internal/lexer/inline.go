// SPDX-License-Identifier: Apache-2.0

package lexer

import "bytes"

// InlineData skips and returns the data of an inline image, which may have white
// space at its end. The lexer must be after ID. A known length (that of raw samples,
// or /L of PDF 2.0) is used if EI follows the data. Otherwise InlineData searches EI
// between white space and before text, because binary data may contain these bytes.
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

// endsInline reports whether data begins with EI, after optional white space, and
// returns the position after it.
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

// looksLikeText reports whether the next bytes are text, and so operators, not image
// samples.
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
