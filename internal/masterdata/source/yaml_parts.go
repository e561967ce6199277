// SPDX-License-Identifier: Apache-2.0

package source

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// bareList is the name of the list that a file begins with.
const bareList = "-"

// yamlParts cuts a file of YAML at lines where a member of the top begins, and in a
// list that is written in lines also where an entry does. In YAML nothing goes on
// over such a line: a text or a list in brackets that did would be refused in the
// part that begins it.
type yamlParts struct {
	data  []byte
	lists map[string]bool

	// text is the part, which begins at a line and an offset.
	text         []byte
	line, offset int
	// member is the list in whose lines the part is, memberLine where its name is.
	member      string
	memberLine  int
	first, last bool
	// fault says what cannot be cut.
	fault string

	// at is the offset of what is not cut yet, atLine its line.
	at, atLine int
	// indent is that of the entries, or -1.
	indent  int
	started bool
}

// next cuts the next part; false: there is none.
func (p *yamlParts) next() bool {
	if p.atLine == 0 {
		p.atLine = 1
	}
	if p.member != "" && !p.last {
		p.first = false
		return p.cut(p.entryLine)
	}
	p.member, p.indent = "", -1
	if p.at == len(p.data) {
		return false
	}
	return p.begin()
}

// begin finds out what the next part is.
func (p *yamlParts) begin() bool {
	p.first = true
	line := p.peek()
	switch {
	case !p.started && bytes.HasPrefix(line, []byte("---")) && isComment(line[len("---"):]):
		p.started = true
		p.consume(line)
		return p.at < len(p.data) && p.begin()
	case bytes.HasPrefix(line, []byte("- ")):
		p.member, p.memberLine = bareList, p.atLine
		p.started = true
		return p.cut(p.entryLine)
	default:
		if name, rest, named := bytes.Cut(line, []byte(":")); named && p.lists[string(name)] && endsAfterName(rest) {
			p.member, p.memberLine = string(name), p.atLine
			p.started = true
			p.consume(line)
			return p.cut(p.entryLine)
		}
	}
	return p.cut(p.memberStart)
}

// endsAfterName reports whether nothing but a comment follows.
func endsAfterName(rest []byte) bool {
	trimmed := bytes.TrimLeft(rest, " \t")
	return len(bytes.TrimRight(rest, " \t\r\n")) == 0 || len(trimmed) < len(rest) && trimmed[0] == '#'
}

// peek is the next line with its end.
func (p *yamlParts) peek() []byte {
	rest := p.data[p.at:]
	if i := bytes.IndexByte(rest, '\n'); i >= 0 {
		return rest[:i+1]
	}
	return rest
}

func (p *yamlParts) consume(line []byte) {
	p.at += len(line)
	p.atLine++
}

// verdict is what a line is to the part before it.
type verdict int

const (
	within verdict = iota
	// entry begins another entry: the part may end here.
	entry
	// beyond begins something else: the part ends here.
	beyond
)

// cut takes lines for as long as they belong to the part.
func (p *yamlParts) cut(judge func(line []byte) verdict) bool {
	from := p.at
	p.line, p.offset, p.last = p.atLine, p.at, true
	for p.at < len(p.data) {
		line := p.peek()
		v := within
		if !isComment(line) {
			v = judge(line)
		}
		if v == beyond && p.at > from || v == beyond && p.member != "" {
			break
		}
		if v == entry && p.at-from >= maxPart {
			p.last = false
			break
		}
		if p.fault = p.refused(line, p.at-from); p.fault != "" {
			p.line = p.atLine
			p.text, p.at = nil, len(p.data)
			return true
		}
		p.consume(line)
	}
	p.text = p.data[from:p.at]
	return true
}

// refused says why a line cannot be part of a document.
func (p *yamlParts) refused(line []byte, size int) string {
	switch {
	case line[0] == '%':
		return "directives (%) are not read"
	case isMarker(line) && (p.started || !bytes.HasPrefix(line, []byte("---"))):
		return "one document is read, not several"
	case size+len(line) > MaxEntry+maxPart:
		return fmt.Sprintf("an entry of more than %d bytes; lists are written in lines that begin with \"- \"", MaxEntry)
	}
	if !isComment(line) {
		p.started = true
	}
	return ""
}

// memberStart judges lines of a member that is no list in lines.
func (p *yamlParts) memberStart(line []byte) verdict {
	if strings.IndexByte(" \t]}", line[0]) >= 0 {
		return within
	}
	return beyond
}

// entryLine judges lines of a list.
func (p *yamlParts) entryLine(line []byte) verdict {
	rest := bytes.TrimLeft(line, " ")
	indent := len(line) - len(rest)
	dash := rest[0] == '-' && len(bytes.TrimRight(rest[:min(2, len(rest))], " \r\n")) == 1
	switch {
	case dash && (p.indent < 0 || p.indent == indent):
		p.indent = indent
		return entry
	case indent > 0 || rest[0] == '\t':
		return within
	default:
		return p.memberStart(line)
	}
}

// isComment reports a line that says nothing.
func isComment(line []byte) bool {
	rest := bytes.TrimLeft(line, " \t")
	return len(rest) == 0 || rest[0] == '#' || rest[0] == '\n' || rest[0] == '\r'
}

func isMarker(line []byte) bool {
	text := strings.TrimRight(string(line[:min(4, len(line))]), " \t\r\n")
	return text == "---" || text == "..."
}

// yamlLine is how package yaml says where something is wrong.
var yamlLine = regexp.MustCompile(`^yaml: line (\d+): (.*)`)

// errNextFile ends the reading of one file.
var errNextFile = errors.New("the rest of the file is not read")
