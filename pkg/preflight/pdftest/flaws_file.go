// SPDX-License-Identifier: Apache-2.0

package pdftest

import (
	"bytes"
	"fmt"
	"strings"
)

func fileFlaws() []Flaw {
	return []Flaw{
		{Rule: "file.empty", Breaks: func() []byte { return []byte{} }, Twin: sound},
		{Rule: "file.not_pdf", Breaks: func() []byte { return bytes.Replace(sound(), []byte("%PDF-"), []byte("%!PS-"), 1) }, Twin: sound},
		{Rule: "structure.unreadable", Variant: "cut off in the middle", Breaks: func() []byte { return sound()[:len(sound())/2] }, Twin: sound},
		{Rule: "structure.unreadable", Variant: "without a catalog", Breaks: func() []byte {
			data := bytes.ReplaceAll(sound(), []byte("/Root "), []byte("/Tree "))
			return bytes.ReplaceAll(data, []byte("/Type /Catalog"), []byte("/Type /Unknown"))
		}, Twin: sound},
		{Rule: "structure.repaired", Variant: "bytes before the header", Breaks: func() []byte { return append([]byte("\r\n\r\n"), sound()...) }, Twin: sound},
		{Rule: "structure.repaired", Variant: "no end", Breaks: func() []byte { return bytes.TrimSuffix(sound(), []byte("%%EOF\n")) }, Twin: sound},
		{Rule: "structure.repaired", Variant: "a wrong offset of the table", Breaks: func() []byte { return bytes.Replace(sound(), []byte("startxref\n"), []byte("startxref\n9"), 1) }, Twin: sound},
		{Rule: "structure.page_tree", Variant: "a wrong count", Breaks: func() []byte { return bytes.Replace(sound(), []byte("/Count 1"), []byte("/Count 2"), 1) }, Twin: sound},
		{Rule: "structure.page_tree", Variant: "a page that does not exist", Breaks: write(func(s *Sound) { s.MoreKids = " 99 0 R" }), Twin: sound},
		{
			Rule:   "structure.stream_unreadable",
			Breaks: page(func(s *Sound, p *Page) { p.Content, p.Extra = "", streamOf(s, []byte("never compressed")) }),
			Twin:   page(func(s *Sound, p *Page) { p.Content, p.Extra = "", streamOf(s, Deflate([]byte(Paper))) }),
		},
		{Rule: "structure.unknown_operator", Breaks: content("1 2 strange\n"), Twin: content("BX 1 2 strange EX\n")},
		{Rule: "security.encrypted", Breaks: encrypted("", 0), Twin: sound},
		{Rule: "security.password_required", Breaks: encrypted("secret", 0), Twin: encrypted("", 0)},
		{Rule: "security.print_denied", Breaks: encrypted("", -8), Twin: encrypted("", -4)},
	}
}

func streamOf(s *Sound, data []byte) string {
	return fmt.Sprintf("/Contents %s", s.Stream("/Filter /FlateDecode", data))
}

func encrypted(userPassword string, permissions int32) func() []byte {
	return func() []byte {
		s := NewEncrypted(userPassword, permissions)
		return s.Bytes(s.Page("", ""))
	}
}

// limitFlaws returns files at the limits of the engine and one above them.
func limitFlaws() []Flaw {
	many := func(n int, write func(n int) []byte) func() []byte { return func() []byte { return write(n) } }
	return []Flaw{
		{Rule: "limits.pages", Breaks: many(20_001, pagesOf), Twin: many(3, pagesOf)},
		{Rule: "limits.decoded_bytes", Breaks: many(80<<20, decodeBomb), Twin: many(8<<20, decodeBomb)},
		{Rule: "limits.content_bytes", Breaks: many(2000, repeatedText), Twin: many(2, repeatedText)},
		{Rule: "limits.operators", Breaks: many(1000, repeatedOperators), Twin: many(2, repeatedOperators)},
		{Rule: "limits.painting", Breaks: content(strings.Repeat("0 0 2000 2000 re f ", 2000)), Twin: content(strings.Repeat("0 0 2000 2000 re f ", 20))},
		{Rule: "limits.nesting", Variant: "a form in itself", Breaks: formInItself, Twin: func() []byte {
			s := NewSound()
			box := Box{0, 0, 600, 800}
			inner := s.Form(box, "", "0 0 0 0.5 k 50 50 10 10 re f", "")
			for range 3 {
				inner = s.Form(box, "", "/Fm Do", fmt.Sprintf("/XObject << /Fm %s >>", inner))
			}
			return s.Bytes(s.Page("/Fm Do", fmt.Sprintf("/XObject << /Fm %s >>", inner)))
		}},
		{Rule: "limits.nesting", Variant: "saved states", Breaks: content(strings.Repeat("q ", 5000)), Twin: content(strings.Repeat("q ", 50) + strings.Repeat("Q ", 50))},
		{Rule: "limits.structure", Breaks: many(1001, tableChain), Twin: many(20, tableChain)},
		{Rule: "limits.fonts", Breaks: many(5001, fontsOf), Twin: many(50, fontsOf)},
		{Rule: "limits.images", Breaks: many(20_001, imagesOf), Twin: many(20, imagesOf)},
		{Rule: "limits.inks", Breaks: many(501, inksOf), Twin: many(2, inksOf)},
		{Rule: "limits.annotations", Breaks: many(20_001, annotationsOf), Twin: many(20, annotationsOf)},
	}
}

func pagesOf(n int) []byte {
	s := NewSound()
	p := s.Page("", "")
	// All pages share one content, because compressing 20000 contents is slow.
	p.Extra, p.Content = fmt.Sprintf("/Contents %s", s.Flate("", []byte(p.Content))), ""
	pages := make([]Page, n)
	for i := range pages {
		pages[i] = p
	}
	return s.Bytes(pages...)
}

func fontsOf(n int) []byte {
	s := NewSound()
	var fonts strings.Builder
	for i := range n {
		fmt.Fprintf(&fonts, "/X%d %s ", i, s.ProgramlessFont(fmt.Sprintf("Declared%d", i)))
	}
	p := s.Page("", "")
	p.Resources = fmt.Sprintf("/Font << /F1 %s %s >>", s.Font, fonts.String())
	return s.Bytes(p)
}

func imagesOf(n int) []byte {
	s := NewSound()
	im := s.Image(Image{Width: 100, Height: 100})
	return s.Bytes(s.Page(strings.Repeat(Place("Im", 100, 300, 24, 24), n), fmt.Sprintf("/XObject << /Im %s >>", im)))
}

func inksOf(n int) []byte {
	s := NewSound()
	var spaces, marks strings.Builder
	for i := range n {
		fmt.Fprintf(&spaces, "/C%d %s ", i, s.Spot(fmt.Sprintf("Ink%d", i), "1 0 0 0"))
		fmt.Fprintf(&marks, "/C%d cs 1 scn %d 300 20 20 re f\n", i, 60+i%200)
	}
	return s.Bytes(s.Page(marks.String(), fmt.Sprintf("/ColorSpace << %s >>", spaces.String())))
}

func annotationsOf(n int) []byte {
	s := NewSound()
	p := s.Page("", "")
	p.Annots = strings.Repeat("<< /Type /Annot /Subtype /Link /Rect [60 60 90 90] /Border [0 0 0] >> ", n)
	return s.Bytes(p)
}
