// SPDX-License-Identifier: Apache-2.0

package pdftest

import (
	"fmt"
	"strings"
)

// Box is left, bottom, right, top in points.
type Box [4]float64

func (b Box) String() string { return fmt.Sprintf("[%g %g %g %g]", b[0], b[1], b[2], b[3]) }

// MM converts a length in millimetres to points.
func MM(mm float64) float64 { return mm * 72 / 25.4 }

// Around grows a box on every side.
func (b Box) Around(points float64) *Box {
	return &Box{b[0] - points, b[1] - points, b[2] + points, b[3] + points}
}

// A4 is a finished page of 210 x 297 mm with its corner 10 mm inside the media.
func A4() *Box {
	return &Box{MM(10), MM(10), MM(220), MM(307)}
}

// Page is one page. Its zero value is an empty page of A4 without boxes.
type Page struct {
	Media, Crop, Bleed, Trim, Art *Box
	Rotate                        int
	UserUnit                      float64
	// Content is the page description. It may name the resources.
	Content string
	// Resources are the insides of the resource dictionary, for example
	// "/Font << /F1 5 0 R >>".
	Resources string
	// Annots is the inside of the /Annots array.
	Annots string
	// Extra goes into the page's dictionary.
	Extra string
}

// Print returns a page of A4 without faults: with a TrimBox and 3 mm of bleed.
func Print(content, resources string) Page {
	trim := A4()
	return Page{
		Media: &Box{0, 0, MM(230), MM(317)}, Trim: trim, Bleed: trim.Around(MM(3)),
		Content: content, Resources: resources,
	}
}

// Document writes the builder's objects and these pages as a file.
func (b *Builder) Document(pages ...Page) []byte {
	tree := b.Reserve()
	kids := make([]string, len(pages))
	for i, page := range pages {
		kids[i] = b.page(tree, page).String()
	}
	b.Set(tree, "<< /Type /Pages /Count %d /Kids [%s%s] >>", len(pages), strings.Join(kids, " "), b.MoreKids)
	return b.Bytes(b.Add("<< /Type /Catalog /Pages %s %s >>", tree, b.Catalog))
}

// page writes one page and its content.
func (b *Builder) page(parent Ref, p Page) Ref {
	var dict strings.Builder
	if p.Media == nil {
		p.Media = &Box{0, 0, MM(210), MM(297)}
	}
	for _, box := range []struct {
		name string
		box  *Box
	}{{"MediaBox", p.Media}, {"CropBox", p.Crop}, {"BleedBox", p.Bleed}, {"TrimBox", p.Trim}, {"ArtBox", p.Art}} {
		if box.box != nil {
			fmt.Fprintf(&dict, " /%s %s", box.name, box.box)
		}
	}
	if p.Rotate != 0 {
		fmt.Fprintf(&dict, " /Rotate %d", p.Rotate)
	}
	if p.UserUnit != 0 {
		fmt.Fprintf(&dict, " /UserUnit %g", p.UserUnit)
	}
	if p.Content != "" {
		fmt.Fprintf(&dict, " /Contents %s", b.Flate("", []byte(p.Content)))
	}
	if p.Annots != "" {
		fmt.Fprintf(&dict, " /Annots [%s]", p.Annots)
	}
	return b.Add("<< /Type /Page /Parent %s /Resources << %s >>%s %s >>", parent, p.Resources, dict.String(), p.Extra)
}

// Pages writes a document that consists of the given pages.
func Pages(pages ...Page) []byte {
	var b Builder
	return b.Document(pages...)
}
