// SPDX-License-Identifier: Apache-2.0

package pdftest

import (
	"bytes"
	"fmt"
)

// wordAt shows a grey word at a distance from the left of the page.
func wordAt(x float64) string {
	return fmt.Sprintf("0 0 0 0.6 k BT /F1 14 Tf %g 400 Td (AB) Tj ET\n", x)
}

// word shows a word of a size in the current colour.
func word(size float64) string { return wordIn("F1", size) }

func wordIn(font string, size float64) string {
	return fmt.Sprintf("BT /%s %g Tf 100 400 Td (AB) Tj ET\n", font, size)
}

// inFont shows a word in an additional font.
func inFont(text string, write func(s *Sound) Ref) func() []byte {
	return func() []byte {
		s := NewSound()
		p := s.Page(text, "")
		p.Resources = fmt.Sprintf("/Font << /F1 %s /F2 %s >>", s.Font, write(s))
		return s.Bytes(p)
	}
}

// ProgramlessFont writes a font with a descriptor but without an embedded program.
func (b *Builder) ProgramlessFont(name string) Ref {
	descriptor := b.Add("<< /Type /FontDescriptor /FontName /%s /Flags 32 /FontBBox [0 0 600 700] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>", name)
	return b.Add("<< /Type /Font /Subtype /TrueType /BaseFont /%s /FirstChar 65 /LastChar 66 /Widths [600 600] /Encoding /WinAnsiEncoding /FontDescriptor %s >>", name, descriptor)
}

func fontFlaws() []Flaw {
	shown := "0 0 0 0.6 k " + wordIn("F2", 16)
	font := func(name string) func(*Sound) Ref { return func(s *Sound) Ref { return s.ProgramFont(name) } }
	bare := func(name string) func(*Sound) Ref { return func(s *Sound) Ref { return s.ProgramlessFont(name) } }
	standard := func(s *Sound) Ref { return s.StandardFont("Helvetica") }
	type3 := func(s *Sound) Ref { return s.Type3Font("600 0 d0 0 0 0 0.6 k 0 0 500 500 re f", "") }
	program := func(widths string, data []byte) func(*Sound) Ref {
		return func(s *Sound) Ref { return s.programFont("ABCDEF+There", widths, data) }
	}
	composite := func(s *Sound) Ref { return s.CompositeFont("ABCDEF+Wide", true) }
	// drawn is a font of which the glyph A has another width than the font states, 1000.
	drawn := func(width string) func(*Sound) Ref {
		return func(s *Sound) Ref { return s.Type3Font(width+" 0 0 0 500 500 d1 0 0 500 500 re f", "") }
	}
	says := func(text string) string { return "0 0 0 0.6 k BT /F2 16 Tf 100 400 Td (" + text + ") Tj ET\n" }
	return []Flaw{
		{Rule: "font.not_embedded", Breaks: inFont(shown, bare("Missing")), Twin: inFont(shown, font("ABCDEF+There"))},
		{Rule: "font.not_embedded", Variant: "standard font", Breaks: inFont(shown, standard), Twin: inFont("", standard)},
		{Rule: "font.declared_unused", Profile: NoProfile, Breaks: inFont("", bare("Missing")), Twin: inFont("", font("ABCDEF+There"))},
		{Rule: "font.type3", Breaks: inFont("0 0 0 0.6 k BT /F2 16 Tf 100 400 Td (A) Tj ET\n", type3), Twin: inFont("", type3)},
		{Rule: "font.courier", Breaks: inFont(shown, font("ABCDEF+Courier-Bold")), Twin: inFont(shown, font("ABCDEF+Corner-Bold"))},
		{Rule: "font.damaged", Breaks: inFont(shown, program("600 600", []byte{0, 1, 0, 0, 0, 0, 0, 0})), Twin: inFont(shown, program("600 600", TrueType()))},
		{Rule: "font.embedding_restricted", Breaks: inFont(shown, program("600 600", trueType(2))), Twin: inFont(shown, program("600 600", trueType(4)))},
		{Rule: "font.damaged", Variant: "without widths", Breaks: inFont(shown, program("600 600", bytes.Replace(TrueType(), []byte("hmtx"), []byte("hmty"), 1))), Twin: inFont(shown, program("600 600", bytes.Replace(TrueType(), []byte("post"), []byte("posu"), 1)))},
		{Rule: "font.embedding_restricted", Variant: "to bitmaps", Breaks: inFont(shown, program("600 600", trueType(0x200))), Twin: inFont(shown, program("600 600", trueType(0x100)))},
		{Rule: "font.subset_of_subset", Breaks: inFont(shown, font("ABCDEF+GHIJKL+There")), Twin: inFont(shown, font("ABCDEF+There"))},
		{Rule: "font.glyph_missing", Breaks: inFont(says("AC"), font("ABCDEF+There")), Twin: inFont(says("AB"), font("ABCDEF+There"))},
		{Rule: "font.glyph_missing", Variant: "in a composite font", Breaks: inFont(says("\\000\\001\\000\\003"), composite), Twin: inFont(says("\\000\\001\\000\\002"), composite)},
		{Rule: "font.glyph_missing", Variant: "not shown", Breaks: inFont(says("C"), font("ABCDEF+There")), Twin: inFont("3 Tr "+says("C"), font("ABCDEF+There"))},
		{Rule: "font.glyph_missing", Variant: "Type 3", Breaks: inFont(says("AB"), drawn("1000")), Twin: inFont(says("A A"), drawn("1000"))},
		{Rule: "font.glyph_missing", Variant: "damaged", Breaks: inFont(shown, program("600 600", bytes.Replace(TrueType(), boxGlyph(500), make([]byte, len(boxGlyph(500))), 1))), Twin: inFont(says("A"), program("600 600", bytes.Replace(TrueType(), boxGlyph(500), make([]byte, len(boxGlyph(500))), 1)))},
		{Rule: "font.width_mismatch", Breaks: inFont(shown, program("620 600", TrueType())), Twin: inFont(shown, program("605 600", TrueType()))},
		{Rule: "font.width_mismatch", Variant: "PDF/X-4", Profile: "pdfx4", Breaks: inFont(shown, program("602 600", TrueType())), Twin: inFont(shown, program("601 600", TrueType()))},
		{Rule: "font.width_mismatch", Variant: "Type 3", Breaks: inFont(says("A"), drawn("500")), Twin: inFont(says("A"), drawn("1000"))},
		{Rule: "font.not_subset", Profile: NoProfile, Breaks: inFont(shown, font("Whole")), Twin: inFont(shown, font("ABCDEF+Whole"))},
	}
}

// inLab returns a function that writes text in a colour of Lab.
func inLab(values string) func() []byte {
	return with("/Lab cs "+values+" sc "+word(9), func(*Sound) string {
		return "/ColorSpace << /Lab [/Lab << /WhitePoint [0.9642 1 0.8249] /Range [-128 127 -128 127] >>] >>"
	})
}

func textFlaws() []Flaw {
	const dark = "0 0 0 0.6 k 90 390 60 40 re f 0 0 0 0 k "
	return []Flaw{
		{Rule: "text.small", Breaks: content("0 0 0 0.6 k " + word(4.5)), Twin: content("0 0 0 0.6 k " + word(5))},
		{Rule: "text.small", Variant: "by the matrix", Breaks: content("0 0 0 0.6 k q 0.25 0 0 0.25 0 0 cm " + word(16) + "Q\n"), Twin: content("0 0 0 0.6 k q 0.5 0 0 0.5 0 0 cm " + word(16) + "Q\n")},
		{Rule: "text.small_multi_ink", Breaks: content("0.5 0.5 0 0 k " + word(7)), Twin: content("0.5 0 0 0 k " + word(7))},
		{Rule: "text.small_white", Breaks: content(dark + word(7)), Twin: content(dark + word(8))},
		{Rule: "text.rich_black", Breaks: content("0.5 0 0 1 k " + word(11)), Twin: content("0.5 0 0 1 k " + word(12))},
		{Rule: "text.rgb_black", Breaks: content("0 0 0 rg " + word(11)), Twin: content("0 0 0 rg " + word(12))},
		{Rule: "text.rgb_black", Variant: "in Lab", Breaks: inLab("5 0 0"), Twin: inLab("60 0 0")},
		{Rule: "text.invisible", Breaks: content("3 Tr " + word(16)), Twin: content("0 Tr 0 0 0 0.6 k " + word(16))},
	}
}
