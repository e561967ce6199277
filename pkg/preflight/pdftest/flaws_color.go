// SPDX-License-Identifier: Apache-2.0

package pdftest

import (
	"fmt"
	"strings"
)

// square paints a square in the current colour.
const square = " 100 300 50 50 re f\n"

// Spot returns a Separation space whose full tint is the given CMYK colour.
func (b *Builder) Spot(name, cmyk string) string {
	tint := b.Add("<< /FunctionType 2 /Domain [0 1] /N 1 /C0 [0 0 0 0] /C1 [%s] >>", cmyk)
	return fmt.Sprintf("[/Separation /%s /DeviceCMYK %s]", strings.ReplaceAll(name, " ", "#20"), tint)
}

// in paints squares, each in a separate colour space named C0, C1, ...
func in(color string, spaces ...func(s *Sound) string) func() []byte {
	marks := ""
	for i := range spaces {
		marks += fmt.Sprintf("/C%d cs %s %d 300 20 20 re f\n", i, color, 100+30*i)
	}
	return with(marks, func(s *Sound) string {
		resources := ""
		for i, write := range spaces {
			resources += fmt.Sprintf("/C%d %s ", i, write(s))
		}
		return "/ColorSpace << " + resources + ">>"
	})
}

func separation(name, cmyk string) func(s *Sound) string {
	return func(s *Sound) string { return s.Spot(name, cmyk) }
}

func inSpot(name, cmyk string) func() []byte { return in("1 scn", separation(name, cmyk)) }

func iccBased(write func(s *Sound) Ref) func(s *Sound) string {
	return func(s *Sound) string { return fmt.Sprintf("[/ICCBased %s]", write(s)) }
}

func profiled(n int, p Profile) func(s *Sound) string {
	return iccBased(func(s *Sound) Ref { return s.ProfileStream(n, p) })
}

func colorFlaws() []Flaw {
	space := func(text string) func(s *Sound) string { return func(*Sound) string { return text } }
	deviceN := func(s *Sound) string {
		program := s.Stream("/FunctionType 4 /Domain [0 1 0 1] /Range [0 1 0 1 0 1 0 1]", []byte("{ 0 exch 0 exch }"))
		return fmt.Sprintf("[/DeviceN [/Cyan /Black] /DeviceCMYK %s]", program)
	}
	remap := func(key string) func() []byte {
		return with("0.5 g"+square, func(s *Sound) string {
			return fmt.Sprintf("/ColorSpace << /%s [/ICCBased %s] >>", key, s.ProfileStream(1, Profile{Space: "GRAY"}))
		})
	}
	grayICC := profiled(1, Profile{Space: "GRAY"})
	const whitePoint = "<< /WhitePoint [0.9642 1 0.8249] >>"
	return []Flaw{
		{Rule: "color.rgb", Breaks: content("1 0 0 rg" + square), Twin: content("0 1 1 0 k" + square)},
		{Rule: "color.rgb", Variant: "ICC", Breaks: in("1 0 0 scn", profiled(3, Profile{Space: "RGB", Class: "mntr"})), Twin: content("0 1 1 0 k" + square)},
		{Rule: "color.lab", Breaks: in("50 20 20 scn", space("[/Lab "+whitePoint+"]")), Twin: content("0 0.5 0.5 0 k" + square)},
		{Rule: "color.icc_cmyk", Breaks: in("0 0 0 0.5 scn", profiled(4, Profile{Space: "CMYK"})), Twin: content("0 0 0 0.5 k" + square)},
		{Rule: "color.calibrated", Breaks: in("0.5 scn", space("[/CalGray "+whitePoint+"]")), Twin: in("0.5 scn", space("/DeviceGray"))},
		{Rule: "color.default_remap", Breaks: remap("DefaultGray"), Twin: remap("Unrelated")},
		{Rule: "color.device_n", Breaks: in("0.5 0.5 scn", deviceN), Twin: content("0.5 0 0 0.5 k" + square)},
		{
			Rule: "color.icc_invalid", Variant: "rubbish",
			Breaks: in("0.5 scn", iccBased(func(s *Sound) Ref { return s.Flate("/N 1 /Alternate /DeviceGray", []byte("rubbish")) })),
			Twin:   in("0.5 scn", grayICC),
		},
		{Rule: "color.icc_invalid", Variant: "number of components", Breaks: in("0.5 scn", profiled(1, Profile{Space: "CMYK"})), Twin: in("0.5 scn", grayICC)},
		{Rule: "color.not_gray", Profile: "book_interior", Breaks: leaf("0.5 0 0 0 k" + square), Twin: leaf("0 0 0 0.5 k" + square)},
		{Rule: "color.not_gray", Variant: "RGB", Profile: "book_interior", Breaks: leaf("0.5 0.5 0.5 rg" + square), Twin: leaf("0.5 g" + square)},
	}
}

// leaf returns a document of two facing pages, as in a book.
func leaf(text string) func() []byte {
	return func() []byte {
		s := NewSound()
		return s.Bytes(s.Page(text, ""), s.Page("", ""))
	}
}

func inkFlaws() []Flaw {
	first, second, third := separation("Gold", "0 0.2 0.8 0.2"), separation("Silver", "0 0 0 0.3"), separation("Varnish", "0 0 0.1 0")
	all := func(x float64) func() []byte {
		return with(fmt.Sprintf("/C cs 1 scn %g 300 5 50 re f\n", x), func(s *Sound) string {
			return fmt.Sprintf("/ColorSpace << /C %s >>", s.Spot("All", "1 1 1 1"))
		})
	}
	return []Flaw{
		{Rule: "ink.spot_used", Breaks: inSpot("Gold", "0 0.2 0.8 0.2"), Twin: inSpot("Cyan", "1 0 0 0")},
		{Rule: "ink.spot_used", Variant: "declared only", Breaks: inSpot("Gold", "0 0.2 0.8 0.2"), Twin: with("", func(s *Sound) string { return "/ColorSpace << /C " + s.Spot("Gold", "0 0.2 0.8 0.2") + " >>" })},
		{Rule: "ink.spot_count", Breaks: in("1 scn", first, second, third), Twin: in("1 scn", first, second, first)},
		{Rule: "ink.spot_ambiguous", Breaks: in("1 scn", first, separation("Gold", "0 0.3 0.9 0.1")), Twin: in("1 scn", first, first)},
		{Rule: "ink.spot_name", Variant: "a blank at the end", Breaks: inSpot("Gold ", "0 0.2 0.8 0.2"), Twin: inSpot("Gold", "0 0.2 0.8 0.2")},
		{
			Rule: "ink.spot_name", Variant: "two spellings",
			Breaks: in("1 scn", separation("PANTONE 871 C", "0 0.2 0.8 0.2"), separation("Pantone 871 C", "0 0.2 0.8 0.2")),
			Twin:   in("1 scn", separation("PANTONE 871 C", "0 0.2 0.8 0.2"), separation("PANTONE 877 C", "0 0.2 0.8 0.2")),
		},
		// Marks for the cutter belong outside of the bleed.
		{Rule: "ink.registration_all", Breaks: all(200), Twin: all(MM(1))},
		{Rule: "ink.tac", Breaks: content("1 1 1 0.1 k" + square), Twin: content("1 1 1 0 k" + square)},
		{Rule: "ink.tac", Variant: "area", Breaks: content("1 1 1 1 k 100 300 12 12 re f\n"), Twin: content("1 1 1 1 k 100 300 10 10 re f\n")},
	}
}
