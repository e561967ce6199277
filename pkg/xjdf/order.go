// SPDX-License-Identifier: Apache-2.0

package xjdf

import (
	"cmp"
	"math"
	"slices"

	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

// Equal reports whether two trees have the same content. It ignores the order of
// attributes, the order of children with different names, and the places of the text
// among the children, which JSON does not keep. The order in a pool and of the messages of an XJMF counts.
func Equal(a, b *Node) bool {
	return a.Name.same(b.Name) && a.Text == b.Text &&
		slices.EqualFunc(sortedAttributes(a), sortedAttributes(b), func(x, y Attribute) bool {
			return x.Name.same(y.Name) && x.Value == y.Value
		}) &&
		slices.EqualFunc(grouped(a), grouped(b), Equal)
}

// definition returns the definition of a node, also of one that Parse did not make.
func definition(v *vocabulary.Vocabulary, n *Node) *vocabulary.Element {
	if !n.Name.Core() {
		return nil
	}
	return v.Element(n.Name.Local)
}

// sortedAttributes returns the attributes of XJDF by name, then the foreign ones.
func sortedAttributes(n *Node) []Attribute {
	byName := func(a, b Attribute) int {
		return cmp.Or(cmp.Compare(a.Name.Space, b.Name.Space), cmp.Compare(a.Name.Local, b.Name.Local))
	}
	if slices.IsSortedFunc(n.Attributes, byName) {
		return n.Attributes
	}
	sorted := slices.Clone(n.Attributes)
	slices.SortStableFunc(sorted, byName)
	return sorted
}

// grouped returns the children in the order of JSON: those of one name together, in
// the order of the schema, then the other children by name.
func grouped(n *Node) []*Node {
	e := definition(vocabulary.Load(), n)
	if e != nil && (e.Pool || e.Name == "XJMF") {
		return sequenced(n)
	}
	return sortedChildren(n, func(a, b *Node) int {
		return cmp.Or(cmp.Compare(schemaPlace(e, a), schemaPlace(e, b)),
			cmp.Compare(a.Name.Space, b.Name.Space), cmp.Compare(a.Name.Local, b.Name.Local))
	})
}

// sequenced returns the children in the order of XML: first in the order of the schema,
// then the other children. Children that share a place in the schema keep their order.
func sequenced(n *Node) []*Node {
	e := definition(vocabulary.Load(), n)
	return sortedChildren(n, func(a, b *Node) int {
		return cmp.Compare(sharedPlace(e, a), sharedPlace(e, b))
	})
}

func sortedChildren(n *Node, compare func(a, b *Node) int) []*Node {
	if slices.IsSortedFunc(n.Children, compare) {
		return n.Children
	}
	sorted := slices.Clone(n.Children)
	slices.SortStableFunc(sorted, compare)
	return sorted
}

// schemaPlace returns the place of a child in the order of the schema.
func schemaPlace(parent *vocabulary.Element, child *Node) int {
	if parent != nil && child.Name.Core() {
		if _, place := parent.Child(child.Name.Local); place >= 0 {
			return place
		}
	}
	return math.MaxInt
}

// sharedPlace is schemaPlace, with one place for alternatives in any order.
func sharedPlace(parent *vocabulary.Element, child *Node) int {
	place := schemaPlace(parent, child)
	if place == math.MaxInt {
		return place
	}
	if choice := parent.Children[place].Choice; choice >= 0 && parent.Choices[choice].Many {
		_, place = parent.Child(parent.Choices[choice].Children[0])
	}
	return place
}
