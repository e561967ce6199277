// SPDX-License-Identifier: Apache-2.0

package pdftest

import "fmt"

// sized gives a page a new size with the same margins.
func (p *Page) sized(width, height float64) {
	p.Trim = &Box{MM(10), MM(10), MM(10 + width), MM(10 + height)}
	p.Media, p.Bleed = p.Trim.Around(MM(10)), p.Trim.Around(MM(3))
	p.Media[0], p.Media[1] = 0, 0
}

func pageFlaws() []Flaw {
	pages := func(n int) func() []byte { return func() []byte { return pagesOf(n) } }
	second := func(width, height float64) func() []byte {
		return func() []byte {
			s := NewSound()
			p := s.Page("", "")
			p.sized(width, height)
			return s.Bytes(s.Page("", ""), p)
		}
	}
	return []Flaw{
		{Rule: "page.count", Breaks: pages(0), Twin: pages(1)},
		{Rule: "page.count_above", Profile: "magazine_ad", Breaks: pages(2), Twin: pages(1)},
		{Rule: "page.count_multiple", Profile: "book_interior", Breaks: pages(3), Twin: pages(4)},
		{Rule: "page.blank", Breaks: page(func(_ *Sound, p *Page) { p.Content = "" }), Twin: sound},
		{Rule: "page.blank", Variant: "white paint", Breaks: page(func(_ *Sound, p *Page) { p.Content = "0 0 0 0 k 60 60 90 90 re f" }), Twin: page(func(_ *Sound, p *Page) { p.Content = "0 0 0 0.5 k 60 60 90 90 re f" })},
		{Rule: "page.size_mixed", Breaks: second(148, 210), Twin: second(210, 297.2)},
		{Rule: "page.orientation_mixed", Breaks: second(297, 210), Twin: second(210, 297)},
		{Rule: "page.user_unit", Breaks: page(func(_ *Sound, p *Page) { p.sized(105, 148.5); p.UserUnit = 2 }), Twin: page(func(_ *Sound, p *Page) { p.sized(105, 148.5) })},
		{Rule: "page.rotate_invalid", Breaks: page(func(_ *Sound, p *Page) { p.Rotate = 45 }), Twin: page(func(_ *Sound, p *Page) { p.Rotate = 90 })},
	}
}

func boxFlaws() []Flaw {
	// background fills the finished page and a margin around it.
	background := func(around float64) func() []byte {
		b := A4().Around(MM(around))
		return content(fmt.Sprintf("0 0 0 0.5 k %g %g %g %g re f\n", b[0], b[1], b[2]-b[0], b[3]-b[1]))
	}
	// backdrop fills the page with its bleed. logoAt paints a triangle at a distance from the left
	// edge of the media, frameAt a frame inside the finished page, and border one that reaches into
	// the bleed; in millimetres.
	const backdrop = "0 0.1 0.3 0 k 0 0 652 899 re f\n"
	logoAt := func(left float64) string {
		return fmt.Sprintf("0.8 0 0 0 k %g 300 m %g 330 l %[2]g 270 l f\n", MM(left), MM(left+12))
	}
	white := func(left float64) string {
		return fmt.Sprintf("0 0 0 0 k BT /F1 14 Tf %g 400 Td (AB) Tj ET\n", MM(left))
	}
	frameAt := func(inside float64) string {
		b := A4().Around(MM(-inside))
		return fmt.Sprintf("0.8 0 0 0 K 2 w %g %g %g %g re S\n", b[0]+1, b[1]+1, b[2]-b[0]-2, b[3]-b[1]-2)
	}
	border := func(width float64) string {
		b := A4().Around(MM(-width))
		return fmt.Sprintf("0.8 0 0 0 k 0 0 652 899 re %g %g %g %g re f*\n", b[0], b[1], b[2]-b[0], b[3]-b[1])
	}
	return []Flaw{
		{Rule: "box.trim_missing", Breaks: page(func(_ *Sound, p *Page) { p.Trim, p.Bleed = nil, nil }), Twin: sound},
		{Rule: "box.nesting", Breaks: page(func(_ *Sound, p *Page) { p.Bleed = p.Trim.Around(MM(15)) }), Twin: page(func(_ *Sound, p *Page) { p.Bleed = p.Trim.Around(MM(10)) })},
		{Rule: "box.trim_and_art", Breaks: page(func(_ *Sound, p *Page) { p.Art = p.Trim }), Twin: page(func(_ *Sound, p *Page) { p.Art, p.Trim = p.Trim, nil })},
		{Rule: "box.crop_differs", Breaks: page(func(_ *Sound, p *Page) { p.Crop = p.Trim }), Twin: page(func(_ *Sound, p *Page) { p.Crop = p.Media })},
		{Rule: "box.bleed_missing", Breaks: page(func(_ *Sound, p *Page) { p.Media, p.Bleed = p.Trim, nil }), Twin: page(func(_ *Sound, p *Page) { p.Bleed = nil })},
		{Rule: "box.bleed_missing", Variant: "BleedBox is the TrimBox", Breaks: page(func(_ *Sound, p *Page) { p.Bleed = p.Trim }), Twin: sound},
		{Rule: "box.bleed_short", Breaks: page(func(_ *Sound, p *Page) { p.Bleed = p.Trim.Around(MM(2)) }), Twin: page(func(_ *Sound, p *Page) { p.Bleed = p.Trim.Around(MM(2.95)) })},
		{Rule: "box.bleed_short", Variant: "one side", Breaks: page(func(_ *Sound, p *Page) { p.Bleed[2] -= MM(1) }), Twin: sound},
		{Rule: "box.art_short_of_bleed", Breaks: background(1), Twin: background(3)},
		{Rule: "box.art_short_of_bleed", Variant: "clipped at the edge", Breaks: content("q 28.35 28.35 595.28 841.89 re W n 0 0.3 0.6 0 k 0 0 652 899 re f Q\n"), Twin: content("q 0 0 652 899 re W n 0 0.3 0.6 0 k 0 0 652 899 re f Q\n")},
		{Rule: "box.art_short_of_bleed", Variant: "covered in the bleed", Breaks: content("0 0.3 0.6 0 k 0 0 652 899 re f 0 0 0 0 k 0 0 28 899 re f\n"), Twin: content("0 0.3 0.6 0 k 0 0 652 899 re f 0 0 0 0 k 0 0 18 899 re f\n")},
		{Rule: "box.art_short_of_bleed", Variant: "up to the edge", Breaks: background(0), Twin: background(-5)},
		{Rule: "box.oversize", Breaks: page(func(_ *Sound, p *Page) { p.sized(5200, 297) }), Twin: page(func(_ *Sound, p *Page) { p.sized(5000, 297) })},
		{Rule: "safety.content_near_trim", Breaks: content(wordAt(MM(11))), Twin: content(wordAt(MM(15)))},
		{Rule: "safety.content_near_trim", Variant: "white on a background", Breaks: content(backdrop + white(11)), Twin: content(backdrop + white(15))},
		{Rule: "safety.object_near_trim", Breaks: content(backdrop + logoAt(11)), Twin: content(backdrop + logoAt(14))},
		{Rule: "safety.object_near_trim", Variant: "of a frame", Breaks: content(frameAt(2)), Twin: content(frameAt(4))},
		{Rule: "safety.object_near_trim", Variant: "on the safe zone", Breaks: content(frameAt(2.8)), Twin: content(frameAt(2.95))},
		{Rule: "safety.object_near_trim", Variant: "among artwork in the bleed", Breaks: content(logoAt(11)), Twin: content(logoAt(11) + "0 0.3 0.8 0 k 10 340 60 40 re f\n")},
		{Rule: "safety.text_cut", Breaks: content(wordAt(MM(8))), Twin: content(wordAt(MM(10.2)))},
		{Rule: "safety.frame_thin", Breaks: content(border(2)), Twin: content(border(4))},
		{Rule: "safety.frame_thin", Variant: "as wide as the safe zone", Breaks: content(border(2.5)), Twin: content(border(3))},
	}
}
