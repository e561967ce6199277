// SPDX-License-Identifier: Apache-2.0

package source

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// bareList is the name of a list without a name, with which a file begins.
const bareList = "-"

// yamlParts cuts a YAML file at lines where a member at the top begins, and within a block
// list at lines where an entry begins. No YAML value continues across such a line: an
// unfinished text or bracketed list is a syntax error in the part that begins it.
type yamlParts struct {
	data  []byte
	lists map[string]bool

	// text is the current part; line and offset are its beginning.
	text         []byte
	line, offset int
	// member is the block list of the part, memberLine the line of its name.
	member      string
	memberLine  int
	first, last bool
	// fault is the reason why the rest cannot be cut.
	fault string

	// at is the offset of the rest of the file, atLine its line.
	at, atLine int
	// indent is the indentation of the entries, or -1.
	indent  int
	started bool
}

// next cuts the next part, and reports false at the end.
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

// begin determines the kind of the next part and cuts it.
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

// endsAfterName reports whether the rest of a line is empty or a comment.
func endsAfterName(rest []byte) bool {
	trimmed := bytes.TrimLeft(rest, " \t")
	return len(bytes.TrimRight(rest, " \t\r\n")) == 0 || len(trimmed) < len(rest) && trimmed[0] == '#'
}

// peek returns the next line, including its line break.
func (p *yamlParts) peek() []byte {
	rest := p.data[p.at:]
	if i := bytes.IndexByte(rest, '\n'); i >= 0 {
		return rest[:i+1]
	}
	return rest
}

// consume advances to the next line.
func (p *yamlParts) consume(line []byte) {
	p.at += len(line)
	p.atLine++
}

// verdict is the relation of a line to the current part.
type verdict int

const (
	within verdict = iota
	// entry: the line begins another entry, so the part may end here.
	entry
	// beyond: the line begins another member, so the part ends here.
	beyond
)

// cut collects lines while they belong to the part.
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

// refused returns the reason why a line cannot be part of a document, or an empty text.
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

// memberStart judges the lines of a member that is not a block list.
func (p *yamlParts) memberStart(line []byte) verdict {
	if strings.IndexByte(" \t]}", line[0]) >= 0 {
		return within
	}
	return beyond
}

// entryLine judges the lines of a block list.
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

// isComment reports whether a line is empty or a comment.
func isComment(line []byte) bool {
	rest := bytes.TrimLeft(line, " \t")
	return len(rest) == 0 || rest[0] == '#' || rest[0] == '\n' || rest[0] == '\r'
}

func isMarker(line []byte) bool {
	text := strings.TrimRight(string(line[:min(4, len(line))]), " \t\r\n")
	return text == "---" || text == "..."
}

// yamlLine matches an error of package yaml with a line number.
var yamlLine = regexp.MustCompile(`^yaml: line (\d+): (.*)`)

// errNextFile ends the reading of the current file.
var errNextFile = errors.New("the rest of the file is not read")
