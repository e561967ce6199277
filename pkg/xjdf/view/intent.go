// SPDX-License-Identifier: Apache-2.0

package view

import "github.com/printmarket/printmarket/pkg/xjdf"

// Laminating returns the LaminatingIntent.
func (p Product) Laminating() (LaminatingIntent, bool) {
	n, ok := p.Intent("LaminatingIntent")
	return LaminatingIntent{n}, ok
}

// HoleMaking returns the HoleMakingIntent.
func (p Product) HoleMaking() (HoleMakingIntent, bool) {
	n, ok := p.Intent("HoleMakingIntent")
	return HoleMakingIntent{n}, ok
}

// ShapeCutting returns the ShapeCuttingIntent.
func (p Product) ShapeCutting() (ShapeCuttingIntent, bool) {
	n, ok := p.Intent("ShapeCuttingIntent")
	return ShapeCuttingIntent{n}, ok
}

// Embossing returns the EmbossingIntent.
func (p Product) Embossing() (EmbossingIntent, bool) {
	n, ok := p.Intent("EmbossingIntent")
	return EmbossingIntent{n}, ok
}

// Variable returns the VariableIntent.
func (p Product) Variable() (VariableIntent, bool) {
	n, ok := p.Intent("VariableIntent")
	return VariableIntent{n}, ok
}

// Production returns the ProductionIntent.
func (p Product) Production() (ProductionIntent, bool) {
	n, ok := p.Intent("ProductionIntent")
	return ProductionIntent{n}, ok
}

// ContentCheck returns the ContentCheckIntent.
func (p Product) ContentCheck() (ContentCheckIntent, bool) {
	n, ok := p.Intent("ContentCheckIntent")
	return ContentCheckIntent{n}, ok
}

// LaminatingIntent is the laminate of a product (4.9).
type LaminatingIntent struct{ *xjdf.Node }

// Surfaces returns the laminated sides: "Front", "Back" or both.
func (l LaminatingIntent) Surfaces() []string { return l.Items("Surface") }

// Temperature returns "Hot", "Cold" or "".
func (l LaminatingIntent) Temperature() string { return text(l.Node, "Temperature") }

// Texture returns the texture of the laminate, such as "Matte".
func (l LaminatingIntent) Texture() string { return text(l.Node, "Texture") }

// Thickness returns the thickness in micrometres.
func (l LaminatingIntent) Thickness() (float64, error) { return l.Number("Thickness") }

// HoleMakingIntent is the holes of a product (4.8).
type HoleMakingIntent struct{ *xjdf.Node }

// Patterns returns the rows of holes.
func (h HoleMakingIntent) Patterns() []HolePattern {
	var all []HolePattern
	for n := range h.All("HolePattern") {
		all = append(all, HolePattern{n})
	}
	return all
}

// HolePattern is a row of equal holes (8.25).
type HolePattern struct{ *xjdf.Node }

// Catalog returns the pattern of the catalogue, such as "R2m-DIN".
func (h HolePattern) Catalog() string { return text(h.Node, "Pattern") }

// Shape returns the shape of each hole, such as "Round".
func (h HolePattern) Shape() string { return text(h.Node, "Shape") }

// Extent returns the size of each hole.
func (h HolePattern) Extent() (Size, error) { return size(h.Node, "Extent", 2) }

// Edge returns the edge of the product along which the holes are, such as "Left".
func (h HolePattern) Edge() string { return text(h.Node, "ReferenceEdge") }

// ShapeCuttingIntent is the outlines that are cut (4.13).
type ShapeCuttingIntent struct{ *xjdf.Node }

// Cuts returns the outlines.
func (s ShapeCuttingIntent) Cuts() []ShapeCut {
	var all []ShapeCut
	for n := range s.All("ShapeCut") {
		all = append(all, ShapeCut{n})
	}
	return all
}

// ShapeCut is one outline (4.13.1).
type ShapeCut struct{ *xjdf.Node }

// Shape returns the ShapeType, such as "RoundedRectangle".
func (s ShapeCut) Shape() string { return text(s.Node, "ShapeType") }

// Type returns "Cut", "Perforate" or "".
func (s ShapeCut) Type() string { return text(s.Node, "CutType") }

// Depth returns "Full", "Partial" or "".
func (s ShapeCut) Depth() string { return text(s.Node, "CutDepth") }

// Size returns the size of the box around the outline.
func (s ShapeCut) Size() (Size, error) {
	box, err := s.Numbers("CutBox", 4)
	if err != nil {
		return Size{}, err
	}
	return Size{Width: Length(box[2] - box[0]), Height: Length(box[3] - box[1])}, nil
}

// EmbossingIntent is what is embossed or stamped on a product (4.6).
type EmbossingIntent struct{ *xjdf.Node }

// Items returns the embossed images.
func (e EmbossingIntent) Items() []EmbossingItem {
	var all []EmbossingItem
	for n := range e.All("EmbossingItem") {
		all = append(all, EmbossingItem{n})
	}
	return all
}

// EmbossingItem is one embossed or stamped image (4.6.1).
type EmbossingItem struct{ *xjdf.Node }

// Type returns the EmbossingType, such as "FoilStamping".
func (e EmbossingItem) Type() string { return text(e.Node, "EmbossingType") }

// Direction returns the direction, such as "Raised".
func (e EmbossingItem) Direction() string { return text(e.Node, "Direction") }

// Face returns the side of the product, such as "Front".
func (e EmbossingItem) Face() string { return text(e.Node, "Face") }

// FoilColor returns the color of the foil, such as "Gold".
func (e EmbossingItem) FoilColor() string { return text(e.Node, "FoilColor") }

// Image returns the size of the image.
func (e EmbossingItem) Image() (Size, error) { return size(e.Node, "ImageSize", 2) }

// VariableIntent is the variable data of a product (4.14).
type VariableIntent struct{ *xjdf.Node }

// Type returns the VariableType, such as "AddressField".
func (v VariableIntent) Type() string { return text(v.Node, "VariableType") }

// Quality returns the VariableQuality, such as "Imprint".
func (v VariableIntent) Quality() string { return text(v.Node, "VariableQuality") }

// Area returns the share of the surface that is variable, from 0 to 1.
func (v VariableIntent) Area() (float64, error) { return v.Number("Area") }

// Copies returns the number of copies of each record.
func (v VariableIntent) Copies() (int64, error) { return v.Integer("NumberOfCopies") }

// Colors returns the variable colors of both sides.
func (v VariableIntent) Colors() (front, back []string) {
	return v.Items("ColorsUsedFront"), v.Items("ColorsUsedBack")
}

// ProductionIntent is how a product is to be made (4.12).
type ProductionIntent struct{ *xjdf.Node }

// Preference returns the PrintPreference, such as "CostEffective".
func (p ProductionIntent) Preference() string { return text(p.Node, "PrintPreference") }

// Processes returns the acceptable printing processes, such as "OffsetLithography".
func (p ProductionIntent) Processes() []string { return p.Items("PrintProcess") }

// ContentCheckIntent is the proofs and the preflight of a product (4.5).
type ContentCheckIntent struct{ *xjdf.Node }

// PreflightLevels returns the levels of the requested preflights, such as "Basic".
func (c ContentCheckIntent) PreflightLevels() []string {
	var all []string
	for n := range c.All("PreflightItem") {
		all = append(all, text(n, "PreflightLevel"))
	}
	return all
}

// Proofs returns the requested proofs.
func (c ContentCheckIntent) Proofs() []ProofItem {
	var all []ProofItem
	for n := range c.All("ProofItem") {
		all = append(all, ProofItem{n})
	}
	return all
}

// ProofItem is a proof of some pages (4.5.2).
type ProofItem struct{ *xjdf.Node }

// ID returns the ID, by which a delivery refers to the proof.
func (p ProofItem) ID() string { return text(p.Node, "ID") }

// Amount returns the number of copies of the proof.
func (p ProofItem) Amount() (int64, error) { return p.Integer("Amount") }

// ColorType returns the color of the proof, such as "MatchedColor".
func (p ProofItem) ColorType() string { return text(p.Node, "ColorType") }

// Contract reports whether the document states that the proof is binding for its color.
func (p ProofItem) Contract() bool {
	contract, err := p.Boolean("Contract")
	return err == nil && contract
}
