// SPDX-License-Identifier: Apache-2.0

package view

import (
	"slices"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

// Product is a product or a part of one (3.3.1).
type Product struct{ *xjdf.Node }

// Products returns the products of a document, in its order.
func Products(root *xjdf.Node) []Product {
	var all []Product
	if list := root.Child("ProductList"); list != nil {
		for n := range list.All("Product") {
			all = append(all, Product{n})
		}
	}
	return all
}

// ID returns the ID, by which other products refer to this one.
func (p Product) ID() string { return text(p.Node, "ID") }

// Type returns the ProductType, such as "Booklet".
func (p Product) Type() string { return text(p.Node, "ProductType") }

// Amount returns the number of copies to be made.
func (p Product) Amount() (int64, error) { return p.Integer("Amount") }

// Root reports whether the document states that the product is delivered and is not a
// part of another.
func (p Product) Root() bool {
	root, err := p.Boolean("IsRoot")
	return err == nil && root
}

// Intent returns the element of an intent, such as "FoldingIntent".
func (p Product) Intent(name string) (*xjdf.Node, bool) {
	for n := range p.All("Intent") {
		if found := n.Child(name); found != nil {
			return found, true
		}
	}
	return nil, false
}

// Parts returns the products that the binding of this one joins, in its order. It omits
// references to nothing.
func (p Product) Parts() []Product {
	binding, ok := p.Binding()
	if !ok {
		return nil
	}
	refs := binding.ChildRefs()
	parts := slices.DeleteFunc(Products(rootOf(p.Node)), func(q Product) bool { return !slices.Contains(refs, q.ID()) })
	slices.SortStableFunc(parts, func(a, b Product) int { return slices.Index(refs, a.ID()) - slices.Index(refs, b.ID()) })
	return parts
}

// Layout returns the LayoutIntent.
func (p Product) Layout() (LayoutIntent, bool) {
	n, ok := p.Intent("LayoutIntent")
	return LayoutIntent{n}, ok
}

// Media returns the MediaIntent.
func (p Product) Media() (MediaIntent, bool) {
	n, ok := p.Intent("MediaIntent")
	return MediaIntent{n}, ok
}

// Color returns the ColorIntent.
func (p Product) Color() (ColorIntent, bool) {
	n, ok := p.Intent("ColorIntent")
	return ColorIntent{n}, ok
}

// Binding returns the BindingIntent.
func (p Product) Binding() (BindingIntent, bool) {
	n, ok := p.Intent("BindingIntent")
	return BindingIntent{n}, ok
}

// Folding returns the FoldingIntent.
func (p Product) Folding() (FoldingIntent, bool) {
	n, ok := p.Intent("FoldingIntent")
	return FoldingIntent{n}, ok
}

// LayoutIntent is the size and the pages of a product (4.10).
type LayoutIntent struct{ *xjdf.Node }

// FinishedSize returns the size of the product after folding and trimming.
func (l LayoutIntent) FinishedSize() (Size, error) { return size(l.Node, "FinishedDimensions", 3) }

// FlatSize returns the size of the product before folding.
func (l LayoutIntent) FlatSize() (Size, error) { return size(l.Node, "Dimensions", 2) }

// Bleed returns the bleed on each side.
func (l LayoutIntent) Bleed() (Length, error) {
	value, err := l.Number("Bleed")
	return Length(value), err
}

// Pages returns the number of pages: a single sheet has two, whether printed or not.
func (l LayoutIntent) Pages() (int64, error) { return l.Integer("Pages") }

// Sides returns which sides are printed, such as "TwoSidedHeadToHead".
func (l LayoutIntent) Sides() string { return text(l.Node, "Sides") }

// MediaIntent is the paper or other material of a product (4.11).
type MediaIntent struct{ *xjdf.Node }

// Type returns the MediaType, such as "Paper".
func (m MediaIntent) Type() string { return text(m.Node, "MediaType") }

// Weight returns the weight in grams per square metre.
func (m MediaIntent) Weight() (float64, error) { return m.Number("Weight") }

// Thickness returns the thickness in micrometres.
func (m MediaIntent) Thickness() (float64, error) { return m.Number("Thickness") }

// Coating returns the coating of the front, such as "Gloss".
func (m MediaIntent) Coating() string { return text(m.Node, "Coating") }

// ColorIntent is the colours of a product (4.4).
type ColorIntent struct{ *xjdf.Node }

// Surface returns the colours and the coatings of "Front" or "Back"; not ok if the
// document does not describe the surface.
func (c ColorIntent) Surface(name string) (colors, coatings []string, ok bool) {
	for n := range c.All("SurfaceColor") {
		if text(n, "Surface") == name {
			return n.Items("ColorsUsed"), n.Items("Coatings"), true
		}
	}
	return nil, nil, false
}

// BindingIntent is how the parts of a product are joined (4.3).
type BindingIntent struct{ *xjdf.Node }

// Type returns the BindingType, such as "SaddleStitch".
func (b BindingIntent) Type() string { return text(b.Node, "BindingType") }

// Side returns the bound side, such as "Left".
func (b BindingIntent) Side() string { return text(b.Node, "BindingSide") }

// ChildRefs returns the IDs of the parts.
func (b BindingIntent) ChildRefs() []string { return b.Items("ChildRefs") }

// FoldingIntent is how a sheet is folded (4.7).
type FoldingIntent struct{ *xjdf.Node }

// Catalog returns the fold of the catalogue, such as "F6-1".
func (f FoldingIntent) Catalog() string { return text(f.Node, "FoldCatalog") }
