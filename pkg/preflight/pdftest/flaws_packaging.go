// SPDX-License-Identifier: Apache-2.0

package pdftest

import "fmt"

// overprinted makes technical inks keep the artwork below them.
const overprinted = "/G gs /CutContour CS /CutContour cs 1 SCN 1 scn 0.5 w "

// tools returns the resources of spot colours with one space for each name, and a graphics state
// that overprints.
func tools(s *Sound, names ...string) string {
	spaces := ""
	for _, name := range names {
		spaces += fmt.Sprintf("/%s %s ", name, s.Spot(name, "0 1 0 0"))
	}
	return "/ColorSpace << " + spaces + ">> /ExtGState << /G << /OP true /op true /OPM 1 >> >> "
}

// tooled returns a page that draws with a cutting ink.
func tooled(text string) func() []byte {
	return with(overprinted+text, func(s *Sound) string { return tools(s, "CutContour", "Crease") })
}

// layerPage returns a page with a cutting ink and with the layer L, which has more entries.
func layerPage(entries, text string) func() []byte {
	return func() []byte {
		s := NewSound()
		r := s.Add("<< /Type /OCG /Name (Layer) %s >>", entries)
		s.Catalog = fmt.Sprintf("/OCProperties << /OCGs [%s] /D << /Name (Default) /Order [%s] >> >>", r, r)
		return s.Bytes(s.Page(overprinted+text, tools(s, "CutContour")+fmt.Sprintf("/Properties << /L %s >>", r)))
	}
}

// Step returns the entry of a layer for a processing step of ISO 19593-1; kind may be empty.
func Step(group, kind string) string {
	if kind != "" {
		kind = " /GTS_ProcStepsType /" + kind
	}
	return fmt.Sprintf("/GTS_Metadata << /GTS_ProcStepsGroup /%s%s >>", group, kind)
}

func packagingFlaws() []Flaw {
	const contour = "100 300 m 200 300 l 200 400 l 100 400 l "
	const cut, artwork = "100 300 100 100 re S ", "0 0 0 0.6 k 120 320 20 20 re f "
	onLayer := func(text string) string { return "/OC /L BDC " + text + "EMC\n" }
	mixed := func(name string) func() []byte {
		return with("/C cs 1 0.5 scn"+square, func(s *Sound) string {
			program := s.Stream("/FunctionType 4 /Domain [0 1 0 1] /Range [0 1 0 1 0 1 0 1]", []byte("{ 0 exch 0 exch }"))
			return fmt.Sprintf("/ColorSpace << /C [/DeviceN [/%s /Black] /DeviceCMYK %s] >>", name, program)
		})
	}
	step := func(group, kind string) func() []byte {
		return layerPage(Step(group, kind), onLayer(cut))
	}
	return []Flaw{
		{Rule: "packaging.contour_open", Breaks: tooled(contour + "S\n"), Twin: tooled(contour + "s\n")},
		{Rule: "packaging.contour_open", Variant: "a gap of 0.1 mm", Breaks: tooled(contour + "100 300.3 l S\n"), Twin: tooled(contour + "100 300.1 l S\n")},
		{
			Rule: "packaging.contour_open", Variant: "of two paths",
			Breaks: tooled("100 300 m 200 300 l 200 400 l S 100 300 m 100 399 l 199 399 l S\n"),
			Twin:   tooled("100 300 m 200 300 l 200 400 l S 100 300 m 100 400 l 200.1 400 l S\n"),
		},
		{
			Rule: "packaging.contour_open", Variant: "a slit that meets a crease", Profile: "carton",
			Breaks: tooled(cut + "120 350 m 180 350 l S\n"),
			Twin:   tooled(cut + "120 350 m 180 350 l S /Crease CS 1 SCN 120 300 m 120 400 l 180 300 m 180 400 l S\n"),
		},
		{
			Rule: "packaging.contour_open", Variant: "of a processing step",
			Breaks: layerPage(Step("Structural", "Cutting"), onLayer(contour+"S ")), Twin: layerPage(Step("Structural", "Creasing"), onLayer("/CutContour CS 1 SCN "+contour+"s ")),
		},
		{Rule: "packaging.cut_tint", Breaks: tooled("0.5 SCN " + cut), Twin: tooled(cut)},
		{Rule: "packaging.filled_line", Breaks: tooled("100 300 100 100 re f\n"), Twin: tooled(cut)},
		{Rule: "packaging.ink_mixed", Breaks: mixed("Varnish"), Twin: mixed("Gold")},
		{Rule: "packaging.layer_mixed", Breaks: layerPage("", onLayer(cut+artwork)), Twin: layerPage("", onLayer(cut)+artwork)},
		{Rule: "packaging.layer_mixed", Variant: "none", Breaks: layerPage("", onLayer(artwork)+cut), Twin: tooled(cut + artwork)},
		{Rule: "packaging.step_process", Breaks: layerPage(Step("Structural", "Cutting"), onLayer("0 0 0 1 K "+cut)), Twin: step("Structural", "Cutting")},
		{Rule: "packaging.step_unknown", Breaks: step("Structure", "Cutting"), Twin: step("Structural", "Cutting")},
		{Rule: "packaging.step_unknown", Variant: "type", Breaks: step("Structural", "Cut"), Twin: step("Structural", "VENDOR_Cut")},
		{Rule: "packaging.step_unknown", Variant: "without a group", Breaks: layerPage("/GTS_Metadata << /GTS_ProcStepsType /Cutting >>", onLayer(cut)), Twin: layerPage("/GTS_Metadata << /Other /Cutting >>", onLayer(cut))},
		{Rule: "packaging.step_unknown", Variant: "untyped", Breaks: step("White", "Cutting"), Twin: step("White", "")},
	}
}
