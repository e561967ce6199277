// SPDX-License-Identifier: Apache-2.0

package pdftest

import "fmt"

// claimX1a makes a sound document one of PDF/X-1a:2003.
func claimX1a(s *Sound) {
	s.Version, s.XMP, s.Info["GTS_PDFXVersion"] = "1.4", "", "(PDF/X-1a:2003)"
}

// x1a is write for a document of PDF/X-1a:2003.
func x1a(change func(s *Sound)) func() []byte {
	return write(func(s *Sound) {
		claimX1a(s)
		change(s)
	})
}

// withX1a is with for a document of PDF/X-1a:2003.
func withX1a(text string, resources func(s *Sound) string) func() []byte {
	return with(text, func(s *Sound) string {
		claimX1a(s)
		return resources(s)
	})
}

// pdfxFlaws returns the flaws of the file and of its pages that violate the version of PDF/X that
// the file claims.
func pdfxFlaws() []Flaw {
	layered := func(config string) func() []byte {
		return write(func(s *Sound) {
			layer := s.Add("<< /Type /OCG /Name (Text) >>")
			s.Catalog += fmt.Sprintf(" /OCProperties << /OCGs [%s] /D << /Name (Layers) "+config+" >> >>", layer, layer)
		})
	}
	const asked = "/AS [<< /Event /Print /Category [/Print] /OCGs [%s] >>]"
	extra := func(entry string) func() []byte { return page(func(_ *Sound, p *Page) { p.Extra = entry }) }
	lzw := func(s *Sound) string {
		// The codes 256 and 257, which begin and end the data of an empty form.
		return fmt.Sprintf("/XObject << /X %s >>", s.Stream("/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Filter /LZWDecode", []byte{0x80, 0x40, 0x40}))
	}
	note := func(box string) func() []byte {
		return page(func(_ *Sound, p *Page) { p.Annots = "<< /Type /Annot /Subtype /Text /F 0 /Rect " + box + " >>" })
	}
	return []Flaw{
		{Rule: "pdfx.version", Breaks: write(func(s *Sound) { s.Version = "1.7" }), Twin: sound},
		{Rule: "pdfx.version", Variant: "PDF/X-1a:2001", Breaks: x1a(func(s *Sound) { s.Info["GTS_PDFXVersion"] = "(PDF/X-1a:2001)" }), Twin: x1a(func(*Sound) {})},
		{
			Rule: "pdfx.identification", Breaks: write(func(s *Sound) { s.XMP, s.Info["GTS_PDFXVersion"] = "", "(PDF/X-4)" }),
			Twin: write(func(s *Sound) { s.Info["GTS_PDFXVersion"] = "(PDF/X-4)" }),
		},
		{
			Rule: "pdfx.identification", Variant: "PDF/X-3", Breaks: x1a(func(s *Sound) {
				delete(s.Info, "GTS_PDFXVersion")
				s.XMP = "<pdfxid:GTS_PDFXVersion>PDF/X-3:2003</pdfxid:GTS_PDFXVersion>"
			}), Twin: x1a(func(s *Sound) { s.Info["GTS_PDFXVersion"] = "(PDF/X-3:2003)" }),
		},
		{Rule: "pdfx.metadata", Variant: "missing", Breaks: write(func(s *Sound) { s.Bare = true }), Twin: sound},
		{Rule: "pdfx.metadata", Variant: "other values", Breaks: write(func(s *Sound) { s.XMP += "<dc:title>Another title</dc:title>" }), Twin: sound},
		{
			Rule: "pdfx.metadata", Variant: "PDF/X-1a", Breaks: x1a(func(s *Sound) {
				delete(s.Info, "Title")
				s.XMP = "<dc:title>A sound document</dc:title>"
			}), Twin: x1a(func(s *Sound) { s.Bare = true }),
		},
		{
			Rule: "pdfx.compressed_objects", Breaks: x1a(func(s *Sound) { s.Packed = true }),
			Twin: write(func(s *Sound) { s.Packed = true }),
		},
		// outputintent.profile_missing reports a condition that is not registered.
		{Rule: "pdfx.output_intent", Variant: "profile", Breaks: write(func(s *Sound) {
			s.Intents = "<< /Type /OutputIntent /S /GTS_PDFX /OutputConditionIdentifier (FOGRA51) /RegistryName (http://www.color.org) >>"
		}), Twin: sound},
		{
			Rule: "pdfx.output_intent", Variant: "space", Breaks: x1a(func(s *Sound) { s.Intents = s.Intent("GTS_PDFX", "sRGB", s.ProfileStream(3, Profile{Space: "RGB"})) }),
			Twin: x1a(func(*Sound) {}),
		},
		{Rule: "pdfx.layer", Breaks: layered(asked), Twin: layered("/Order [%s]")},
		{Rule: "pdfx.layer", Variant: "PDF/X-1a", Breaks: x1a(func(s *Sound) {
			s.Catalog += fmt.Sprintf(" /OCProperties << /OCGs [%s] /D << /Name (L) >> >>", s.Add("<< /Type /OCG /Name (Text) >>"))
		}), Twin: x1a(func(*Sound) {})},
		{Rule: "pdfx.presentation", Breaks: extra("/PresSteps << /Type /NavNode >>"), Twin: sound},
		{Rule: "pdfx.presentation", Variant: "alternate", Breaks: cataloged("/Names << /AlternatePresentations << /Names [(a) << /Type /SlideShow >>] >> >>"), Twin: cataloged("/Names << >>")},
		{Rule: "pdfx.annotation", Breaks: note("[200 200 220 220]"), Twin: note("[2 2 18 18]")},
		{Rule: "pdfx.annotation", Variant: "link", Breaks: annotated("/Subtype /Link /Rect [200 200 220 220]"), Twin: annotated("/Subtype /PrinterMark /F 4 /Rect [200 200 220 220]")},
		{Rule: "pdfx.action", Breaks: cataloged("/OpenAction << /S /GoTo /D [0 /Fit] >>"), Twin: cataloged("/OpenAction [0 /Fit]")},
		{Rule: "pdfx.filter", Breaks: withX1a("/X Do\n", lzw), Twin: with("/X Do\n", lzw)},
		{
			Rule: "pdfx.external_data", Breaks: with("/X Do\n", func(s *Sound) string {
				return fmt.Sprintf("/XObject << /X %s >>", s.Stream("/Type /XObject /Subtype /Form /BBox [0 0 9 9] /F (other.txt)", nil))
			}), Twin: with("/X Do\n", func(s *Sound) string {
				return fmt.Sprintf("/XObject << /X %s >>", s.Stream("/Type /XObject /Subtype /Form /BBox [0 0 9 9]", nil))
			}),
		},
		{
			Rule: "pdfx.attachment", Breaks: x1a(func(s *Sound) {
				file := s.Stream("/Type /EmbeddedFile", []byte("hello"))
				s.Catalog += fmt.Sprintf(" /Names << /EmbeddedFiles << /Names [(a) << /Type /Filespec /F (a.txt) /EF << /F %s >> >>] >> >>", file)
			}), Twin: x1a(func(*Sound) {}),
		},
		{Rule: "pdfx.alternate", Breaks: placed(alternative(true)), Twin: placed(alternative(false))},
		{Rule: "pdfx.operator", Breaks: content("BX 1 strange EX\n"), Twin: content("BX 1 w EX\n")},
		{Rule: "pdfx.separated_page", Breaks: extra("/SeparationInfo << /Pages [] /DeviceColorant /Cyan >>"), Twin: sound},
		{Rule: "pdfx.viewer_area", Breaks: cataloged("/ViewerPreferences << /PrintClip /TrimBox >>"), Twin: cataloged("/ViewerPreferences << /PrintClip /BleedBox >>")},
	}
}

// pdfxColorFlaws returns the flaws of colours, transparency and screening that violate PDF/X.
func pdfxColorFlaws() []Flaw {
	const mark = "0 0 0 0.6 k" + square
	rgb := func(text, space string) func() []byte {
		return with(text, fixed("/ColorSpace << /DefaultRGB "+space+" >>"))
	}
	managed := func(profile Profile, state string) func() []byte {
		return with("/G gs /C cs 0.1 0.2 0.3 0 sc"+square, func(s *Sound) string {
			return fmt.Sprintf("/ColorSpace << /C [/ICCBased %s] >> /ExtGState << /G << %s >> >>", s.ProfileStream(4, profile), state)
		})
	}
	halftone := func(entries string) func() []byte {
		return state("/HT << /Type /Halftone /Frequency 60 /Angle 45 /SpotFunction /Round "+entries+" >>", mark)
	}
	group := func(space string) func() []byte {
		return page(func(_ *Sound, p *Page) { p.Extra = "/Group << /S /Transparency /CS " + space + " >>" })
	}
	form := func(group string) func() []byte {
		return withX1a("/X Do\n", func(s *Sound) string {
			return fmt.Sprintf("/XObject << /X %s >>", s.Stream("/Type /XObject /Subtype /Form /BBox [0 0 200 200] "+group, []byte(mark)))
		})
	}
	several := func(space, ends string) func() []byte {
		return with("/C cs 1 1 scn"+square, func(s *Sound) string {
			program := s.Stream("/FunctionType 4 /Domain [0 1 0 1] /Range ["+ends+"]", []byte("{ 0 }"))
			return fmt.Sprintf("/ColorSpace << /C [/DeviceN [/Gold /Black] /%s %s] >>", space, program)
		})
	}
	return []Flaw{
		{Rule: "pdfx.color", Breaks: content("0.9 0.2 0.2 rg" + square), Twin: rgb("0.9 0.2 0.2 rg"+square, "[/CalRGB << /WhitePoint [0.95 1 1.09] >>]")},
		{Rule: "pdfx.color", Variant: "PDF/X-1a", Breaks: withX1a("/C cs 50 20 20 sc"+square, fixed("/ColorSpace << /C [/Lab << /WhitePoint [0.96 1 0.82] >>] >>")), Twin: withX1a(mark, fixed(""))},
		{Rule: "pdfx.color", Variant: "alternate", Breaks: with("/C cs 1 scn"+square, fixed("/ColorSpace << /C [/Separation /Gold /DeviceRGB << /FunctionType 2 /Domain [0 1] /N 1 /C0 [1 1 1] /C1 [0.8 0.7 0.2] >>] >>")), Twin: inSpot("Gold", "0 0.2 0.8 0.2")},
		{Rule: "pdfx.color", Variant: "alternate of several inks", Breaks: several("DeviceRGB", "0 1 0 1 0 1"), Twin: several("DeviceCMYK", "0 1 0 1 0 1 0 1")},
		{Rule: "pdfx.transparency", Variant: "form", Breaks: form("/Group << /S /Transparency /CS /DeviceCMYK >>"), Twin: form("")},
		{Rule: "pdfx.color", Variant: "group", Breaks: group("/DeviceRGB"), Twin: group("/DeviceCMYK")},
		{Rule: "pdfx.icc_identical", Breaks: managed(Profile{Space: "CMYK"}, ""), Twin: managed(Profile{Space: "CMYK", Name: "Another press"}, "")},
		{Rule: "pdfx.icc_overprint", Breaks: managed(Profile{Space: "CMYK", Name: "Another press"}, overprint), Twin: managed(Profile{Space: "CMYK", Name: "Another press"}, "/OP true /op true /OPM 0")},
		{Rule: "pdfx.transparency", Breaks: withX1a("/G gs "+mark, fixed("/ExtGState << /G << /ca 0.5 >> >>")), Twin: withX1a("/G gs "+mark, fixed("/ExtGState << /G << /ca 1 /BM /Normal /SMask /None >> >>"))},
		{
			Rule: "pdfx.transparency", Variant: "group", Breaks: func() []byte {
				s := NewSound()
				claimX1a(s)
				p := s.Page("", "")
				p.Extra = "/Group << /S /Transparency /CS /DeviceCMYK >>"
				return s.Bytes(p)
			}, Twin: x1a(func(*Sound) {}),
		},
		{Rule: "pdfx.halftone", Variant: "type", Breaks: halftone("/HalftoneType 6"), Twin: halftone("/HalftoneType 1")},
		{Rule: "pdfx.halftone", Variant: "name", Breaks: halftone("/HalftoneType 1 /HalftoneName (Fine)"), Twin: halftone("/HalftoneType 1")},
		{Rule: "pdfx.halftone", Variant: "phase", Breaks: state("/HTP [0 0]", mark), Twin: state("/HT /Default", mark)},
		{Rule: "pdfx.rendering_intent", Breaks: content("/Vivid ri " + mark), Twin: content("/Perceptual ri " + mark)},
		{Rule: "pdfx.rendering_intent", Variant: "in a graphics state", Breaks: state("/RI /Vivid", mark), Twin: state("/RI /Saturation", mark)},
	}
}
