// SPDX-License-Identifier: Apache-2.0

package docsite

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// page is a parsed Markdown file.
type page struct {
	path, title string
	source      []byte
	tree        ast.Node
	headings    []heading
}

// heading is a heading with the id that links to it use.
type heading struct {
	Level    int
	ID, Text string
}

// section is a part of the navigation.
type section struct {
	Title string
	Links []entry
}

// has reports whether the section links a file.
func (s section) has(file string) bool {
	return slices.ContainsFunc(s.Links, func(e entry) bool { return e.File == file })
}

// entry is a link of the navigation to a file of the site.
type entry struct{ Title, File string }

// markdown parses and renders CommonMark with tables, and omits HTML.
func markdown() goldmark.Markdown {
	return goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
}

func parse(name string, source []byte) *page {
	p := &page{path: name, source: source}
	context := parser.NewContext(parser.WithIDs(&ids{taken: map[string]int{}}))
	p.tree = markdown().Parser().Parse(text.NewReader(source), parser.WithContext(context))
	for node := p.tree.FirstChild(); node != nil; node = node.NextSibling() {
		if h, ok := node.(*ast.Heading); ok {
			id, _ := h.AttributeString("id")
			bytes, _ := id.([]byte)
			p.headings = append(p.headings, heading{Level: h.Level, ID: string(bytes), Text: plain(h, p.source)})
		}
	}
	p.title = path.Base(name)
	if len(p.headings) > 0 {
		p.title = p.headings[0].Text
	}
	return p
}

// target is the destination of a link within the repository.
type target struct {
	// file begins with ../ if it is outside of the documentation.
	file string
	// fragment begins with #, or is empty.
	fragment string
}

// target parses a destination; outside reports whether it is on another site.
func (p *page) target(destination string) (t target, outside bool) {
	if strings.Contains(destination, "://") || strings.HasPrefix(destination, "mailto:") {
		return t, true
	}
	file, fragment, found := strings.Cut(destination, "#")
	if found {
		t.fragment = "#" + fragment
	}
	t.file = p.path
	if file != "" {
		t.file = path.Join(path.Dir(p.path), file)
	}
	return t, false
}

// sections reads the navigation: a heading of the second level begins a section, and the
// links below it to other pages are its entries.
func (p *page) sections() []section {
	var all []section
	for node := p.tree.FirstChild(); node != nil; node = node.NextSibling() {
		if h, ok := node.(*ast.Heading); ok && h.Level == 2 {
			all = append(all, section{Title: plain(h, p.source)})
			continue
		}
		if len(all) == 0 {
			continue
		}
		current := &all[len(all)-1]
		walk(node, func(node ast.Node) {
			link, ok := node.(*ast.Link)
			if !ok {
				return
			}
			if t, outside := p.target(string(link.Destination)); !outside && path.Ext(t.file) == ".md" && !strings.HasPrefix(t.file, "../") {
				current.Links = append(current.Links, entry{Title: plain(link, p.source), File: address(t.file)})
			}
		})
	}
	return all
}

// walk visits a node and all below it.
func walk(node ast.Node, visit func(ast.Node)) {
	// The visitor returns no error, so neither does Walk.
	_ = ast.Walk(node, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			visit(node)
		}
		return ast.WalkContinue, nil
	})
}

// plain returns the text of a node and its descendants, with spaces between blocks.
func plain(node ast.Node, source []byte) string {
	var out strings.Builder
	walk(node, func(node ast.Node) {
		switch node := node.(type) {
		case *ast.Text:
			out.Write(node.Segment.Value(source))
			if node.SoftLineBreak() || node.HardLineBreak() {
				out.WriteByte(' ')
			}
		case *ast.FencedCodeBlock:
			out.Write(node.Lines().Value(source))
		case *ast.CodeBlock:
			out.Write(node.Lines().Value(source))
		default:
			if node.Type() == ast.TypeBlock && out.Len() > 0 {
				out.WriteByte(' ')
			}
		}
	})
	return strings.TrimSpace(out.String())
}

// ids generates the ids of headings as code hosts do, so that a link works in both places:
// in lower case, without punctuation, with hyphens for spaces, and with a number if the id
// is taken.
type ids struct{ taken map[string]int }

// Generate implements [parser.IDs].
func (i *ids) Generate(value []byte, _ ast.NodeKind) []byte {
	id := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		default:
			return -1
		}
	}, strings.TrimSpace(string(value)))
	before := i.taken[id]
	i.taken[id]++
	if before > 0 {
		id = fmt.Sprintf("%s-%d", id, before)
	}
	return []byte(id)
}

// Put implements [parser.IDs].
func (i *ids) Put(value []byte) { i.taken[string(value)]++ }
