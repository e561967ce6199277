// SPDX-License-Identifier: Apache-2.0

package pdftest

import "fmt"

// annotated returns a function that writes a page with annotations, which may have an appearance.
func annotated(format string) func() []byte {
	return func() []byte {
		s := NewSound()
		look := s.Form(Box{0, 0, 20, 20}, "", "0 0 0 0.6 k 0 0 20 20 re f", "")
		p := s.Page("", "")
		p.Annots = fmt.Sprintf("<< /Type /Annot "+format+" /AP << /N %s >> >>", look)
		return s.Bytes(p)
	}
}

// cataloged returns a function that writes a sound document with additional catalog entries.
func cataloged(entries string) func() []byte {
	return write(func(s *Sound) { s.Catalog += " " + entries })
}

func interactiveFlaws() []Flaw {
	const link = "/Subtype /Link /Rect [200 200 220 220]"
	field := func(kind, value string) func() []byte {
		return func() []byte {
			s := NewSound()
			r := s.Reserve()
			s.Set(r, "<< /Type /Annot /Subtype /Widget /FT /%s /T (field) /Rect [200 200 220 220] /F 2 %s >>", kind, value)
			s.Catalog = fmt.Sprintf("/AcroForm << /Fields [%s] >>", r)
			p := s.Page("", "")
			p.Annots = r.String()
			return s.Bytes(p)
		}
	}
	attached := func(catalog string) func() []byte {
		return write(func(s *Sound) {
			file := s.Stream("/Type /EmbeddedFile", []byte("hello"))
			spec := s.Add("<< /Type /Filespec /F (readme.txt) /EF << /F %s >> >>", file)
			if catalog != "" {
				s.Catalog = fmt.Sprintf(catalog, spec)
			}
		})
	}
	return []Flaw{
		{Rule: "annotation.in_trim", Breaks: annotated("/Subtype /Square /F 4 /Rect [200 200 220 220]"), Twin: annotated("/Subtype /Square /F 4 /Rect [2 2 18 18]")},
		{Rule: "annotation.in_trim", Variant: "not printed", Breaks: annotated("/Subtype /Square /F 4 /Rect [200 200 220 220]"), Twin: annotated("/Subtype /Square /F 0 /Rect [200 200 220 220]")},
		{Rule: "annotation.present", Profile: NoProfile, Breaks: annotated("/Subtype /Text /F 0 /Rect [200 200 220 220]"), Twin: sound},
		{Rule: "annotation.multimedia", Breaks: annotated("/Subtype /Movie /Rect [200 200 220 220] /Movie << /F (film.mov) >>"), Twin: annotated(link)},
		{Rule: "form.field", Breaks: field("Tx", ""), Twin: cataloged("/AcroForm << /Fields [] >>")},
		{Rule: "form.field", Variant: "XFA", Breaks: cataloged("/AcroForm << /Fields [] /XFA [(a) null] >>"), Twin: cataloged("/AcroForm << /Fields [] >>")},
		{Rule: "form.signature", Breaks: field("Sig", "/V << /Type /Sig /Filter /Adobe.PPKLite /ByteRange [0 1 2 3] /Contents <00> >>"), Twin: field("Sig", "")},
		{Rule: "action.javascript", Variant: "when opened", Breaks: cataloged("/OpenAction << /S /JavaScript /JS (app.beep\\(0\\)) >>"), Twin: cataloged("/OpenAction << /S /GoTo /D [0 /Fit] >>")},
		{Rule: "action.javascript", Variant: "named", Breaks: cataloged("/Names << /JavaScript << /Names [(a) << /S /JavaScript /JS (1) >>] >> >>"), Twin: cataloged("/Names << /JavaScript << /Names [] >> >>")},
		{Rule: "action.javascript", Variant: "on a page", Breaks: page(func(_ *Sound, p *Page) { p.Extra = "/AA << /O << /S /JavaScript /JS (1) >> >>" }), Twin: page(func(_ *Sound, p *Page) { p.Extra = "/AA << >>" })},
		{Rule: "action.other", Breaks: annotated(link + " /A << /S /Launch /F (program) >>"), Twin: annotated(link + " /A << /S /URI /URI (https://example.com) >>")},
		{Rule: "file.attachment", Breaks: attached("/Names << /EmbeddedFiles << /Names [(a) %s] >> >>"), Twin: attached("")},
		{Rule: "file.attachment", Variant: "associated", Breaks: attached("/AF [%s]"), Twin: attached("")},
	}
}

func featureFlaws() []Flaw {
	const mark = "0 0 0 0.6 k" + square
	object := func(dict, data string) func() []byte {
		return with("/X Do\n", func(s *Sound) string { return fmt.Sprintf("/XObject << /X %s >>", s.Stream(dict, []byte(data))) })
	}
	const form = "/Type /XObject /Subtype /Form /BBox [0 0 200 400]"
	curve := "<< /FunctionType 2 /Domain [0 1] /N 2 /C0 [0] /C1 [1] >>"
	return []Flaw{
		{Rule: "feature.postscript", Breaks: object("/Type /XObject /Subtype /PS", "showpage"), Twin: object(form, mark)},
		{Rule: "feature.transfer_function", Breaks: state("/TR "+curve, mark), Twin: state("/TR /Identity", mark)},
		{Rule: "feature.transfer_function", Variant: "of a halftone", Breaks: state("/HT << /HalftoneType 1 /TransferFunction "+curve+" >>", mark), Twin: state("/HT << /HalftoneType 1 /TransferFunction /Identity >>", mark)},
		{Rule: "feature.transfer_function", Variant: "TR2", Breaks: state("/TR2 "+curve, mark), Twin: state("/TR2 /Default", mark)},
		{Rule: "feature.halftone", Breaks: state("/HT << /Type /Halftone /HalftoneType 1 /Frequency 60 /Angle 45 /SpotFunction /Round >>", mark), Twin: state("/HT /Default", mark)},
		{Rule: "feature.black_generation", Breaks: state("/BG "+curve, mark), Twin: state("/BG2 /Default", mark)},
		{Rule: "feature.private_data", Variant: "document", Breaks: cataloged("/PieceInfo << /Acme << /LastModified (D:2026) >> >>"), Twin: sound},
		{Rule: "feature.private_data", Variant: "page", Breaks: page(func(_ *Sound, p *Page) { p.Extra = "/PieceInfo << /Acme << >> >>" }), Twin: sound},
		{Rule: "feature.reference_xobject", Breaks: object(form+" /Ref << /F (other.pdf) /Page 0 >>", mark), Twin: object(form, mark)},
	}
}
