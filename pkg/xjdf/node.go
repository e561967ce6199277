// SPDX-License-Identifier: Apache-2.0

package xjdf

import (
	"iter"

	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

// Node is an element of a document.
type Node struct {
	Name       Name
	Attributes []Attribute
	Children   []*Node
	// Text is the text of the element itself, without that of its children.
	// White space between elements is not text. XML that was read is written with its
	// text in the same places among the children; JSON has all of it in one member.
	Text   string
	Parent *Node
	// Definition is the definition of elements of this name in the vocabulary, nil for
	// an unknown name. Parse sets it; writing does not need it.
	Definition *vocabulary.Element

	origin origin
	// after is the number of bytes of the parent's Text after this child in XML.
	after int32
}

// Attribute is an attribute of an element.
type Attribute struct {
	Name Name
	// Value is written as in XML, whatever the encoding was: the items of a
	// list have one space between them.
	Value string
	// Definition is the definition of the attribute on this element, nil for an unknown
	// attribute. Parse sets it.
	Definition *vocabulary.Attribute
	// Form is the JSON form of the value.
	Form Form

	key int32 // the offset of its JSON member plus one
}

// Name is the name of an element or of an attribute.
type Name struct {
	// Space is the namespace. It is Namespace for the elements of XJDF, in
	// every encoding, and empty for attributes that have no prefix.
	Space string
	// Prefix is the text before the colon. It has no meaning of its own.
	Prefix string
	Local  string
}

// Core reports whether this is the name of an element in the namespace of
// XJDF.
func (n Name) Core() bool { return n.Space == Namespace }

// String returns the name as it was written, such as "foo:Bar".
func (n Name) String() string {
	if n.Prefix == "" {
		return n.Local
	}
	return n.Prefix + ":" + n.Local
}

// same reports whether names are equal, whatever their prefixes.
func (n Name) same(other Name) bool { return n.Local == other.Local && n.Space == other.Space }

// Form is the form of the value of an attribute. XML has text only; in canonical JSON
// the datatype of an attribute requires one of the other forms.
type Form uint8

// The forms of a value.
const (
	// FormText is a string.
	FormText Form = iota
	FormNumber
	FormBoolean
	// FormTexts is an array of strings, and also an empty array.
	FormTexts
	FormNumbers
	FormBooleans
	// FormPairs is an array of arrays of numbers.
	FormPairs
	// FormMixed is an array that is not a list: its items are of several kinds, or one
	// of them is empty or contains white space, so that a list in XML would have other
	// items.
	FormMixed
)

var formNames = [...]string{
	FormText: "string", FormNumber: "number", FormBoolean: "boolean", FormTexts: "array of strings",
	FormNumbers: "array of numbers", FormBooleans: "array of booleans", FormPairs: "array of arrays",
	FormMixed: "array of mixed items",
}

// String returns the name of the form in JSON.
func (f Form) String() string {
	if int(f) >= len(formNames) {
		return "unknown"
	}
	return formNames[f]
}

// Array reports whether the value was written as a JSON array.
func (f Form) Array() bool { return f >= FormTexts && f <= FormMixed }

// InArray reports whether the element was an item of a JSON array. It is false for an
// element of XML or of a tree that was not read.
func (n *Node) InArray() bool { return n.origin.index > 0 }

// New makes an element of XJDF, such as the root of a document to be written.
func New(local string) *Node {
	return &Node{Name: Name{Space: Namespace, Local: local}}
}

// Add makes a child in the namespace of the element and returns the child.
func (n *Node) Add(local string) *Node {
	return n.AddNamed(Name{Space: n.Name.Space, Prefix: n.Name.Prefix, Local: local})
}

// AddNamed makes a child of any name and returns the child.
func (n *Node) AddNamed(name Name) *Node {
	child := &Node{Name: name, Parent: n}
	n.Children = append(n.Children, child)
	return child
}

// Set sets the value of the attribute without a prefix, and returns the element.
func (n *Node) Set(local, value string) *Node {
	if a := n.Attribute(local); a != nil {
		a.Value, a.Form = value, FormText
		return n
	}
	n.Attributes = append(n.Attributes, Attribute{Name: Name{Local: local}, Value: value})
	return n
}

// Attribute returns the attribute of that name without a prefix, or nil.
func (n *Node) Attribute(local string) *Attribute {
	for i := range n.Attributes {
		if a := &n.Attributes[i]; a.Name.Local == local && a.Name.Space == "" {
			return a
		}
	}
	return nil
}

// Attr returns the value of the attribute of that name without a prefix.
func (n *Node) Attr(local string) (string, bool) {
	if a := n.Attribute(local); a != nil {
		return a.Value, true
	}
	return "", false
}

// Child returns the first child of that name in the namespace of XJDF, or nil.
func (n *Node) Child(local string) *Node {
	for child := range n.All(local) {
		return child
	}
	return nil
}

// All yields the children of that name in the namespace of XJDF.
func (n *Node) All(local string) iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		for _, child := range n.Children {
			if child.Name.Local == local && child.Name.Core() && !yield(child) {
				return
			}
		}
	}
}

// Descendants yields the element itself and all elements below it, in the order of the
// document.
func (n *Node) Descendants() iter.Seq[*Node] {
	return func(yield func(*Node) bool) { n.walk(yield) }
}

func (n *Node) walk(yield func(*Node) bool) bool {
	if !yield(n) {
		return false
	}
	for _, child := range n.Children {
		if !child.walk(yield) {
			return false
		}
	}
	return true
}
