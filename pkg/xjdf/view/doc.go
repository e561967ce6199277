// SPDX-License-Identifier: Apache-2.0

// Package view reads common elements of XJDF documents as typed values.
//
// A view holds an element of the tree and reads it when a method is called; it changes
// nothing and copies nothing. Elements that a document may omit come with a boolean.
// Numbers and times come with an error that wraps [xjdf.ErrMissing] or [xjdf.ErrValue],
// so that a caller can distinguish a size that is missing from one that is wrong. Texts
// are "" if they are missing.
//
// [Ticket] reads an order, to compare a PDF with.
//
// The views do not validate: package validate reports what a document violates.
package view

import "github.com/printmarket/printmarket/pkg/xjdf"

// Length is a length in points, the unit of XJDF (1/72 inch).
type Length float64

// Millimetres returns the length in millimetres.
func (l Length) Millimetres() float64 { return float64(l) * 25.4 / 72 }

// Size is a width, a height and, for a product with a volume, a depth.
type Size struct{ Width, Height, Depth Length }

// ByID returns the element with an ID, or nil. A tree in which several elements have the
// ID gives the first.
func ByID(root *xjdf.Node, id string) *xjdf.Node {
	if id == "" {
		return nil
	}
	for n := range root.Descendants() {
		if own, given := n.Attr("ID"); given && own == id {
			return n
		}
	}
	return nil
}

// text returns an attribute, or "" without the attribute or the element.
func text(n *xjdf.Node, attribute string) string {
	if n == nil {
		return ""
	}
	value, _ := n.Attr(attribute)
	return value
}

// size returns an attribute with two or three lengths.
func size(n *xjdf.Node, attribute string, count int) (Size, error) {
	values, err := n.Numbers(attribute, count)
	if err != nil {
		return Size{}, err
	}
	s := Size{Width: Length(values[0]), Height: Length(values[1])}
	if count > 2 {
		s.Depth = Length(values[2])
	}
	return s, nil
}

// rootOf returns the root of the tree of an element.
func rootOf(n *xjdf.Node) *xjdf.Node {
	for n.Parent != nil {
		n = n.Parent
	}
	return n
}
