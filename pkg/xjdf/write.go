// SPDX-License-Identifier: Apache-2.0

package xjdf

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// Write writes a tree in an encoding: JSON in one line, XML in indented lines.
func Write(w io.Writer, root *Node, to Encoding, options ...JSONOption) error {
	switch to {
	case CanonicalJSON, AttributeJSON:
		return writeJSON(w, root, to, options)
	default:
		return WriteXML(w, root)
	}
}

// WriteError means that an encoding cannot represent a tree.
type WriteError struct {
	Encoding Encoding
	// XPath is the element, in the notation of the standard.
	XPath  string
	Detail string
}

// Error returns the encoding, the element and the fault in one line.
func (e *WriteError) Error() string {
	return fmt.Sprintf("write XJDF as %s: %s: %s", e.Encoding, e.XPath, e.Detail)
}

// prefixes maps each foreign namespace of a tree to the prefix that the writers declare
// at the root: that of the tree, if it is free.
type prefixes struct {
	ofSpace map[string]string
	spaces  []binding
	taken   map[string]bool
}

// prefixesOf collects the prefixes of a tree. With all, elements without a prefix get
// one too: XML can declare a namespace for them in place, JSON cannot.
func prefixesOf(root *Node, all bool) prefixes {
	p := prefixes{}
	for n := range root.Descendants() {
		if !n.Name.Core() && n.Name.Space != "" && (all || n.Name.Prefix != "") {
			p.need(n.Name)
		}
		for i := range n.Attributes {
			if name := n.Attributes[i].Name; name.Space != "" {
				p.need(name)
			}
		}
	}
	return p
}

func (p *prefixes) need(name Name) {
	if name.Space == xmlNamespace || p.ofSpace[name.Space] != "" {
		return
	}
	if p.ofSpace == nil {
		p.ofSpace, p.taken = map[string]string{}, map[string]bool{"xml": true, "xmlns": true}
	}
	prefix := name.Prefix
	for i := 1; prefix == "" || p.taken[prefix] || !plain(prefix); i++ {
		prefix = "ns" + strconv.Itoa(i)
	}
	p.taken[prefix] = true
	p.ofSpace[name.Space] = prefix
	p.spaces = append(p.spaces, binding{prefix: prefix, space: name.Space})
}

// sorted returns the prefixes with their namespaces, by prefix.
func (p *prefixes) sorted() []binding {
	return slices.SortedFunc(slices.Values(p.spaces), func(a, b binding) int {
		return cmp.Compare(a.prefix, b.prefix)
	})
}

// qualified returns a name with the prefix of its namespace, if any.
func (p *prefixes) qualified(name Name) string {
	prefix := p.ofSpace[name.Space]
	if name.Space == xmlNamespace {
		prefix = "xml"
	}
	return Name{Prefix: prefix, Local: name.Local}.String()
}
