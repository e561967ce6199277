// SPDX-License-Identifier: Apache-2.0

package lexer

// class is the class of a byte (ISO 32000-2, 7.2.3).
type class uint8

const (
	regular class = iota
	space
	delimiter
)

// classes is a constant table.
var classes = [256]class{
	0: space, '\t': space, '\n': space, '\f': space, '\r': space, ' ': space,
	'(': delimiter, ')': delimiter, '<': delimiter, '>': delimiter, '[': delimiter,
	']': delimiter, '{': delimiter, '}': delimiter, '/': delimiter, '%': delimiter,
}
