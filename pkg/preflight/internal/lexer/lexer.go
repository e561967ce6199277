// SPDX-License-Identifier: Apache-2.0

// Package lexer splits a PDF content stream into operands and operators.
//
// It reads what viewers read, not only what ISO 32000-2 7.2 and 7.8.2 allow: it
// drops stray brackets, reads an invalid number up to the first fault, and ends an
// open array with the data. It never fails and never reads beyond the given bytes; a
// fuzz test checks both.
package lexer

// Kind is the kind of an [Object].
type Kind uint8

// The kinds. EOF is the zero value.
const (
	EOF Kind = iota
	Number
	Name
	String
	Array
	Dict
	Bool
	Null
	// Keyword is an operator, or "ID" and the like inside an inline image.
	Keyword
)

// The bounds of nested operands, far above those in real files.
const (
	maxDepth = 16
	maxItems = 1 << 16
)

// Object is one operand or operator.
type Object struct {
	Kind Kind
	// Value holds a Number; for a Bool it is 0 or 1.
	Value float64
	// Text holds a Name (without the slash, #xx resolved), a Keyword, or the
	// undecoded body of a String ([AppendText] decodes it). It may alias the input.
	Text []byte
	// Hex reports whether a String is in <...>, not in (...).
	Hex bool
	// Items are the elements of an Array; of a Dict, keys and values in turn.
	// They are valid until [Lexer.Release].
	Items []Object
}

// Lexer reads objects from chunks of bytes. An end of a chunk ends a token, as
// the end of one stream of a /Contents array does (7.8.2).
type Lexer struct {
	more  func() ([]byte, bool)
	chunk []byte
	pos   int
	// chunks counts the chunks so far, and start is the offset of the object that was read last.
	chunks, start int
	// stack holds the items of the arrays that are being read, items those of the
	// arrays that were returned.
	stack, items []Object
	// read holds the object that is being read at each depth.
	read [maxDepth + 2]Object
}

// Position is a place between the bytes of a chunk. Chunks count from 0.
type Position struct{ Chunk, Offset int }

// Start returns the place before the object that was read last, if that is no part of another one.
func (l *Lexer) Start() Position { return Position{l.chunks - 1, l.start} }

// End returns the place after the object that was read last.
func (l *Lexer) End() Position { return Position{l.chunks - 1, l.pos} }

// New returns a lexer of the chunks that more returns, until it returns false.
func New(more func() ([]byte, bool)) *Lexer { return &Lexer{more: more} }

// Of returns a lexer of one chunk.
func Of(chunk []byte) *Lexer {
	return &Lexer{chunk: chunk, chunks: 1, more: func() ([]byte, bool) { return nil, false }}
}

// Release frees the memory of all Items returned so far for reuse. Calling it is
// optional.
func (l *Lexer) Release() { l.items = l.items[:0] }

// Next returns the next operand or operator; its Kind is EOF at the end.
func (l *Lexer) Next() Object {
	o := &l.read[maxDepth+1]
	l.Read(o)
	return *o
}

// Read is [Lexer.Next] without a copy: it overwrites an object.
func (l *Lexer) Read(o *Object) {
	for !l.object(o, 0) {
	}
}

// object reads one object. It returns false after consuming an invalid byte.
func (l *Lexer) object(o *Object, depth int) bool {
	*o = Object{}
	c, ok := l.skipSpace()
	if !ok {
		return true
	}
	if depth == 0 {
		l.start = l.pos
	}
	if classes[c] == regular {
		word(o, l.regular())
		return true
	}
	switch c {
	case '/':
		l.pos++
		o.Kind, o.Text = Name, unescapeName(l.regular())
	case '(':
		o.Kind, o.Text = String, l.literal()
	case '<':
		if l.peek(1) == '<' {
			l.pos += 2
			l.collect(o, Dict, depth)
			break
		}
		o.Kind, o.Hex, o.Text = String, true, l.hex()
	case '[':
		l.pos++
		l.collect(o, Array, depth)
	default:
		l.pos++
		return false
	}
	return true
}

// collect reads items up to the closing bracket.
func (l *Lexer) collect(o *Object, kind Kind, depth int) {
	bottom := len(l.stack)
	for !l.closes(kind, depth) {
		item := &l.read[depth]
		if l.object(item, depth+1) && len(l.stack)-bottom < maxItems {
			l.stack = append(l.stack, *item)
		}
	}
	first := len(l.items)
	l.items = append(l.items, l.stack[bottom:]...)
	l.stack = l.stack[:bottom]
	o.Kind, o.Items = kind, l.items[first:len(l.items):len(l.items)]
}

// closes reports whether an array or dictionary ends here, and consumes its end. The
// end of the data and too deep nesting end it, too: the caller reads the rest, one
// level up.
func (l *Lexer) closes(kind Kind, depth int) bool {
	c, ok := l.skipSpace()
	switch {
	case !ok:
		return true
	case kind == Array && c == ']', depth >= maxDepth:
		l.pos++
		return true
	case kind == Dict && c == '>' && l.peek(1) == '>':
		l.pos += 2
		return true
	}
	return false
}

// skipSpace skips white space, comments and the ends of chunks, and returns the next
// byte. It returns false at the end of the last chunk.
func (l *Lexer) skipSpace() (byte, bool) {
	for {
		chunk, pos := l.chunk, l.pos
		for pos < len(chunk) {
			c := chunk[pos]
			switch {
			case classes[c] == space:
				pos++
			case c == '%':
				for pos < len(chunk) && chunk[pos] != '\n' && chunk[pos] != '\r' {
					pos++
				}
			default:
				l.pos = pos
				return c, true
			}
		}
		next, ok := l.more()
		if !ok {
			l.chunk, l.pos = nil, 0
			return 0, false
		}
		l.chunk, l.pos = next, 0
		l.chunks++
	}
}

func (l *Lexer) peek(ahead int) byte {
	if l.pos+ahead < len(l.chunk) {
		return l.chunk[l.pos+ahead]
	}
	return 0
}

// regular reads a run of regular characters.
func (l *Lexer) regular() []byte {
	rest := l.chunk[l.pos:]
	n := 0
	for n < len(rest) && classes[rest[n]] == regular {
		n++
	}
	l.pos += n
	return rest[:n]
}

// literal reads (...) and returns the text inside, with its escapes.
func (l *Lexer) literal() []byte {
	l.pos++
	start, open := l.pos, 1
	for ; l.pos < len(l.chunk); l.pos++ {
		switch l.chunk[l.pos] {
		case '\\':
			l.pos++
		case '(':
			open++
		case ')':
			if open--; open == 0 {
				l.pos++
				return l.chunk[start : l.pos-1]
			}
		}
	}
	l.pos = len(l.chunk)
	return l.chunk[start:]
}

// hex reads <...> and returns the digits.
func (l *Lexer) hex() []byte {
	l.pos++
	start := l.pos
	for ; l.pos < len(l.chunk); l.pos++ {
		if l.chunk[l.pos] == '>' {
			l.pos++
			return l.chunk[start : l.pos-1]
		}
	}
	return l.chunk[start:]
}
