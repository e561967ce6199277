// SPDX-License-Identifier: Apache-2.0

package xjdf

import (
	"strconv"
	"strings"

	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

// builder makes the nodes of one document. Attributes and children of open elements
// are on two stacks; when an element ends, its own move to their final slices. So
// every slice is allocated once with its final size, from a shared chunk.
type builder struct {
	vocabulary *vocabulary.Vocabulary
	limits     Limits
	nodes      int
	depth      int

	attributes []Attribute
	children   []*Node

	nodeChunk      []Node
	attributeChunk []Attribute
	childChunk     []*Node
	chunk          int
}

func newBuilder(body []byte, limits Limits) builder {
	size := min(max(len(body)/40, 8), 512)
	return builder{
		vocabulary: vocabulary.Load(), limits: limits, chunk: size,
		attributes: make([]Attribute, 0, min(size, 16)), children: make([]*Node, 0, min(size, 16)),
	}
}

// open is the start of an open element on the stacks.
type open struct {
	node                 *Node
	attributes, children int
}

func (b *builder) open(n *Node) open {
	return open{node: n, attributes: len(b.attributes), children: len(b.children)}
}

// attributesOf returns the attributes of an open element so far.
func (b *builder) attributesOf(o open) []Attribute { return b.attributes[o.attributes:] }

// empty reports whether an open element has neither attributes nor children.
func (b *builder) empty(o open) bool {
	return len(b.attributes) == o.attributes && len(b.children) == o.children
}

// close sets the attributes and children of an element.
func (b *builder) close(o open) {
	o.node.Attributes = keep(&b.attributeChunk, b.attributes[o.attributes:], b.chunk)
	b.attributes = b.attributes[:o.attributes]
	o.node.Children = keep(&b.childChunk, b.children[o.children:], b.chunk)
	b.children = b.children[:o.children]
}

// keep copies items to the end of a chunk, or of a new one.
func keep[T any](chunk *[]T, items []T, size int) []T {
	if len(items) == 0 {
		return nil
	}
	if cap(*chunk)-len(*chunk) < len(items) {
		*chunk = make([]T, 0, max(size, len(items)))
	}
	start := len(*chunk)
	*chunk = append(*chunk, items...)
	return (*chunk)[start:len(*chunk):len(*chunk)]
}

// count reports a document that is too large.
func (b *builder) count(more int) (Reason, string) {
	if b.nodes += more; b.nodes > b.limits.Nodes {
		return ReasonNodes, strconv.Itoa(b.limits.Nodes) + " are allowed"
	}
	return 0, ""
}

// element makes a node below the one that is open, one level deeper.
func (b *builder) element(parent *Node) (*Node, Reason, string) {
	if reason, detail := b.count(1); reason != 0 {
		return nil, reason, detail
	}
	if b.depth++; b.depth > b.limits.Depth {
		return nil, ReasonDepth, strconv.Itoa(b.limits.Depth) + " elements in each other are allowed"
	}
	if len(b.nodeChunk) == cap(b.nodeChunk) {
		b.nodeChunk = make([]Node, 0, b.chunk/2+1)
	}
	b.nodeChunk = append(b.nodeChunk, Node{})
	n := &b.nodeChunk[len(b.nodeChunk)-1]
	if n.Parent = parent; parent != nil {
		b.children = append(b.children, n)
	}
	return n, 0, ""
}

// name sets the name of a node and its definition in the vocabulary.
func (b *builder) name(n *Node, name Name) {
	if n.Name = name; !name.Core() {
		return
	}
	if n.Definition = b.vocabulary.Element(name.Local); n.Definition != nil {
		n.Name.Local = n.Definition.Name
	}
}

// define sets the definition of an attribute on an element. It removes white space that
// is not part of the value, as XML requires for every datatype but strings.
func define(a *Attribute, on *vocabulary.Element) {
	if on == nil || a.Name.Space != "" {
		return
	}
	a.Definition = on.Attribute(a.Name.Local)
	if a.Definition == nil || a.Definition.Type == vocabulary.String {
		return
	}
	if loose(a.Value) {
		a.Value = strings.Join(fields(a.Value), " ")
	}
}

// loose reports white space other than single spaces between items.
func loose(value string) bool {
	after := byte(' ')
	for i := range len(value) {
		c := value[i]
		if c == '\t' || c == '\n' || c == '\r' || c == ' ' && after == ' ' {
			return true
		}
		after = c
	}
	return value != "" && after == ' '
}

// fields splits at the white space of XML, which has fewer characters than that of Go.
func fields(value string) []string {
	return strings.FieldsFunc(value, func(r rune) bool {
		return r == ' ' || r == '\t' || r == '\n' || r == '\r'
	})
}

// repeated returns an attribute with the same name as an earlier one, or nil.
func repeated(attributes []Attribute) *Attribute {
	const few = 16
	if len(attributes) <= few {
		for i := range attributes {
			for j := range i {
				if attributes[i].Name.same(attributes[j].Name) {
					return &attributes[i]
				}
			}
		}
		return nil
	}
	seen := make(map[Name]struct{}, len(attributes))
	for i := range attributes {
		name := attributes[i].Name
		name.Prefix = ""
		if _, twice := seen[name]; twice {
			return &attributes[i]
		}
		seen[name] = struct{}{}
	}
	return nil
}
