// SPDX-License-Identifier: Apache-2.0

package xjdf

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestLinesAndColumnsAreThoseOfTheText counts them by hand, at every character
// and at the end. A byte order mark has no column.
func TestLinesAndColumnsAreThoseOfTheText(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"nothing":                       "",
		"one line":                      "abc",
		"line ends":                     "\n\na\r\nb\n",
		"characters of several bytes":   "ä\n€uro\n\U0001F600 end",
		"a byte order mark":             "\uFEFF<a>\n<b>",
		"a line over blocks":            strings.Repeat("xä", 4000) + "\n" + strings.Repeat("y", 5000),
		"a line end at a block's edge":  strings.Repeat("x", blockLen-1) + "\nabc",
		"a line end behind the edge":    strings.Repeat("x", blockLen) + "\nabc",
		"a character over two blocks":   strings.Repeat("x", blockLen-1) + "€abc",
		"the end of the last block":     strings.Repeat("x", 2*blockLen),
		"many lines, and one long one":  strings.Repeat("a\n", 3000) + strings.Repeat("b", 9000) + "\nc",
		"a byte order mark, long lines": "\uFEFF" + strings.Repeat("b", 9000) + "\nc",
	} {
		body, r, line, column := []byte(text), new(ruler), 1, 1
		at := len(text) - len(strings.TrimPrefix(text, "\uFEFF"))
		for {
			if gotLine, gotColumn := r.position(body, at); gotLine != line || gotColumn != column {
				t.Fatalf("%s: offset %d is %d:%d, want %d:%d", name, at, gotLine, gotColumn, line, column)
			}
			if at == len(body) {
				break
			}
			c, size := utf8.DecodeRune(body[at:])
			if column++; c == '\n' {
				line, column = line+1, 1
			}
			at += size
		}
	}
}
