// SPDX-License-Identifier: Apache-2.0

package document

import (
	"bytes"
	"iter"
	"strconv"
	"strings"
)

// The functions of this file read the source text of objects, without the parser:
// trailers and the dictionaries of streams.

const (
	white      = "\x00\t\n\f\r "
	delimiters = "()<>[]{}/%"
	// maxDictionary bounds a dictionary that is read without the parser.
	maxDictionary = 64 << 10
)

// span returns the length of the object at the start of data, or 0 for an object
// without an end. Of a reference it returns the length of the first number.
func span(data []byte) int {
	depth := 0
	for i := 0; i < len(data); {
		n := token(data[i:])
		if n == 0 {
			return 0
		}
		switch data[i] {
		case '[':
			depth++
		case ']':
			depth--
		case '<':
			if n == 2 && data[i+1] == '<' {
				depth++
			}
		case '>':
			depth--
		}
		i += n
		if depth <= 0 {
			return i
		}
		i += len(data[i:]) - len(bytes.TrimLeft(data[i:], white))
	}
	return 0
}

// token returns the length of the token at the start of data, or 0 for a token
// without an end.
func token(data []byte) int {
	switch c := data[0]; {
	case c == '(':
		depth := 0
		for i := 0; i < len(data); i++ {
			switch data[i] {
			case '\\':
				i++
			case '(':
				depth++
			case ')':
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
		return 0
	case c == '%':
		return bytes.IndexAny(data, "\r\n") + 1
	case len(data) > 1 && (c == '<' || c == '>') && data[1] == c:
		return 2
	case c == '<':
		return bytes.IndexByte(data, '>') + 1
	case c == '/':
		return 1 + regular(data[1:])
	case strings.IndexByte(delimiters, c) >= 0:
		return 1
	}
	return regular(data)
}

// regular returns the number of bytes before the next white space or delimiter.
func regular(data []byte) int {
	if n := bytes.IndexAny(data, white+delimiters); n >= 0 {
		return n
	}
	return len(data)
}

// dictionary returns the dictionary at the start of data, or nil.
func dictionary(data []byte) []byte {
	data = bytes.TrimLeft(data[:min(len(data), maxDictionary)], white)
	if !bytes.HasPrefix(data, []byte("<<")) {
		return nil
	}
	if n := span(data); n > 0 {
		return data[:n]
	}
	return nil
}

// value returns the value of a key, or nil.
func value(dict []byte, key string) []byte {
	for name, value := range entries(dict) {
		if string(name) == key {
			return value
		}
	}
	return nil
}

// entries yields the keys and values of a dictionary. It stops after a value
// without an end, which is empty.
func entries(dict []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		if len(dict) < 4 {
			return
		}
		rest := bytes.TrimLeft(dict[2:len(dict)-2], white)
		for len(rest) > 0 {
			n := span(rest)
			if n == 0 {
				return
			}
			name := rest[:n]
			rest = bytes.TrimLeft(rest[n:], white)
			if name[0] != '/' {
				continue
			}
			n = valueSpan(rest)
			if !yield(name[1:], bytes.TrimRight(rest[:n], white)) || n == 0 {
				return
			}
			rest = bytes.TrimLeft(rest[n:], white)
		}
	}
}

// valueSpan is span for a value, which may be a whole reference.
func valueSpan(data []byte) int {
	if len(data) == 0 {
		return 0
	}
	if fields := bytes.Fields(data[:min(len(data), 40)]); len(fields) >= 3 && fields[2][0] == 'R' && isNumber(fields[0]) && isNumber(fields[1]) {
		return bytes.IndexByte(data, 'R') + 1
	}
	return span(data)
}

func isNumber(text []byte) bool {
	_, err := strconv.ParseUint(string(text), 10, 63)
	return err == nil
}

// integer returns the number under a key, or 0.
func integer(dict []byte, key string) int64 {
	n, err := strconv.ParseInt(string(value(dict, key)), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// objectBody returns the data after "7 0 obj".
func objectBody(data []byte) ([]byte, bool) {
	head, _, found := bytes.Cut(data[:min(len(data), 64)], []byte("obj"))
	fields := bytes.Fields(head)
	if !found || len(fields) != 2 || !isNumber(fields[0]) || !isNumber(fields[1]) {
		return nil, false
	}
	return data[len(head)+len("obj"):], true
}
