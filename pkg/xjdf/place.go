// SPDX-License-Identifier: Apache-2.0

package xjdf

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Place is a position in the submitted body.
type Place struct {
	// Pointer is the place in a JSON body, an RFC 6901 JSON Pointer as a URI fragment:
	// "#" for the root, "#/ProductList" for a member. It is empty for XML and for
	// a tree that was not read.
	Pointer string
	// XPath is the place in the notation of the standard, such as
	// "XJDF/ProductList/Product[2]/@Amount".
	XPath string
	// Line and Column count from one, in characters. They are zero for a tree
	// that was not read.
	Line, Column int
}

// origin is the position of an element in a body. Each number is an offset or index
// plus one; 0 is unknown.
type origin struct {
	at    int32 // the offset of its object, its text or its tag
	key   int32 // the offset of the name of its JSON member
	index int32 // the index in a JSON array
}

// Place returns the place of an element.
func (d *Document) Place(n *Node) Place {
	p := d.way(n)
	d.locate(&p, n.origin.at)
	return p
}

// way returns the place of an element without its line.
func (d *Document) way(n *Node) Place {
	p := Place{XPath: xpath(n)}
	if d.Encoding != XML && d.body != nil {
		p.Pointer = fragment(string(d.pointer(nil, n)))
	}
	return p
}

// AttributePlace returns the place of an attribute, whose name includes its prefix. For
// a missing attribute it returns the place of the element, with the XPath of the
// attribute.
func (d *Document) AttributePlace(n *Node, name string) Place {
	p := d.way(n)
	p.XPath += "/@" + name
	for i := range n.Attributes {
		if a := &n.Attributes[i]; a.Name.String() == name {
			d.locateAttribute(&p, n, a)
			break
		}
	}
	if p.Line == 0 {
		d.locate(&p, n.origin.at)
	}
	return p
}

// ItemPlace returns the place of an item of a list, counted from zero. For a list that
// is not a JSON array it returns the place of the attribute.
func (d *Document) ItemPlace(n *Node, name string, item int) Place {
	p := d.AttributePlace(n, name)
	a := n.Attribute(name)
	if d.Encoding != XML && a != nil && (a.Form == FormTexts || a.Form == FormNumbers || a.Form == FormBooleans) {
		p.Pointer += "/" + strconv.Itoa(item)
	}
	return p
}

func (d *Document) locateAttribute(p *Place, n *Node, a *Attribute) {
	if d.Encoding != XML {
		if a.key > 0 {
			p.Pointer += fragment(string(d.memberPointer(nil, a.key)))[1:]
		}
		d.locate(p, a.key)
		return
	}
	if n.origin.at == 0 {
		return
	}
	start := int(n.origin.at - 1)
	tag := tagScanner{text: d.body[start:]}
	for tag.next() {
		if string(tag.name) == a.Name.String() {
			d.locate(p, int32(start+tag.at+1))
			return
		}
	}
}

// locate sets line and column from an offset plus one.
func (d *Document) locate(p *Place, at int32) {
	if at > 0 && int(at) <= len(d.body) {
		p.Line, p.Column = d.ruler.position(d.body, int(at-1))
	}
}

// pointer appends the tokens that lead to an element, as they were written.
func (d *Document) pointer(to []byte, n *Node) []byte {
	if n.Parent != nil {
		to = d.pointer(to, n.Parent)
	}
	if n.origin.key > 0 {
		to = d.memberPointer(to, n.origin.key)
	}
	if n.origin.index > 0 {
		to = appendToken(to, strconv.Itoa(int(n.origin.index-1)))
	}
	return to
}

// memberPointer appends the member that begins at an offset plus one.
func (d *Document) memberPointer(to []byte, key int32) []byte {
	if index, ok := d.fragments[key]; ok {
		to = appendToken(to, strconv.Itoa(int(index-1)))
	}
	return appendToken(to, d.member(key))
}

// member returns the name of the JSON member that begins at an offset plus one.
func (d *Document) member(at int32) string {
	if int(at) > len(d.body) {
		return ""
	}
	raw := d.body[at-1:]
	end := 1
	for end < len(raw) && raw[end] != '"' {
		if raw[end] == '\\' {
			end++
		}
		end++
	}
	name, err := jsontext.AppendUnquote(nil, raw[:min(end+1, len(raw))])
	if err != nil {
		return ""
	}
	return string(name)
}

// fragment returns a JSON Pointer as a URI fragment (RFC 6901, section 6). It escapes
// characters that a fragment cannot contain.
func fragment(pointer string) string {
	return "#" + (&url.URL{Fragment: pointer}).EscapedFragment()
}

var tokenEscapes = strings.NewReplacer("~", "~0", "/", "~1")

func appendToken(to []byte, token string) []byte {
	return append(append(to, '/'), tokenEscapes.Replace(token)...)
}

// standard returns the name as the standard writes it: its own names have no prefix.
func (n Name) standard() string {
	if n.Core() {
		return n.Local
	}
	return n.String()
}

// xpath returns the path from the root to an element. It contains an index only among
// several siblings of the same name.
func xpath(n *Node) string {
	if n.Parent == nil {
		return n.Name.standard()
	}
	step := "/" + n.Name.standard()
	place, count := 0, 0
	for _, sibling := range n.Parent.Children {
		if sibling.Name.same(n.Name) {
			count++
		}
		if sibling == n {
			place = count
		}
		if place > 0 && count > 1 {
			break
		}
	}
	if count > 1 {
		step += "[" + strconv.Itoa(place) + "]"
	}
	return xpath(n.Parent) + step
}
