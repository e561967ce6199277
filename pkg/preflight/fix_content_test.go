// SPDX-License-Identifier: Apache-2.0

package preflight_test

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/preflight"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// coated returns a printing condition with a profile that conversions can use.
func coated(t *testing.T) *report.Output {
	t.Helper()
	profile, err := os.ReadFile("/usr/share/color/icc/ghostscript/default_cmyk.icc")
	if err != nil {
		t.Fatalf("os.ReadFile: %v (run make setup)", err)
	}
	return &report.Output{Profile: profile, Condition: "Coated"}
}

// intentless returns a file without its output intent, whose profile has no tables.
func intentless(data []byte) []byte {
	return bytes.Replace(data, []byte("/OutputIntents"), []byte("/OutputIntentZ"), 1)
}

func TestFixesRemoveTheFlawsOfTheirRules(t *testing.T) {
	t.Parallel()
	output := coated(t)
	fixes := map[string]report.Fix{
		"color.rgb": report.FixColors, "color.lab": report.FixColors, "text.rich_black": report.FixBlack, "text.rgb_black": report.FixBlack,
		"overprint.black_text_knockout": report.FixBlack, "overprint.white": report.FixWhite, "line.hairline": report.FixHairlines,
		"line.thin": report.FixHairlines, "line.multi_ink_thin": report.FixHairlines, "line.white_thin": report.FixHairlines, "layer.hidden": report.FixLayers, "outputintent.missing": report.FixIntent,
	}
	tried := map[report.Fix]int{}
	for _, flaw := range pdftest.Flaws() {
		fix, ok := fixes[flaw.Rule]
		// A clip makes a line thin, whatever its width is.
		if !ok || flaw.Variant == "inside a clip" {
			continue
		}
		if flaw.Profile == "" {
			flaw.Profile = "print_ready"
		}
		tried[fix]++
		t.Run(flaw.Rule+" "+flaw.Variant, func(t *testing.T) {
			t.Parallel()
			data := intentless(flaw.Breaks())
			p := lookup(t, flaw.Profile)
			opts := preflight.Options{Output: output}
			update, log, err := preflight.Fix(t.Context(), bytes.NewReader(data), int64(len(data)), p, []report.Fix{fix}, opts)
			if err != nil || len(log.Applied) != 1 || len(log.Skipped) > 0 {
				t.Fatalf("applied %v, skipped %v, error %v, want %s", applied(log), log.Skipped, err, fix)
			}
			out := slices.Concat(data, update)
			accepted(t, out)
			again, err := preflight.Inspect(t.Context(), bytes.NewReader(out), int64(len(out)), p, preflight.Options{})
			if err != nil {
				t.Fatalf("preflight.Inspect: %v", err)
			}
			for _, f := range again.Findings {
				if f.Rule == flaw.Rule {
					t.Errorf("the fixed file has %s: %s", f.Rule, f.Message)
				}
			}
		})
	}
	for _, fix := range fixes {
		if tried[fix] == 0 {
			t.Errorf("no flaw of the fix %s", fix)
		}
	}
}

// rgbImage writes an image of w x 2 pixels, and further entries.
// A line in one colour of light is a line in several inks after the conversion, and needs their width.
func TestConvertedLinesGetTheWidthOfSeveralInks(t *testing.T) {
	t.Parallel()
	s := pdftest.NewSound()
	data := intentless(s.Bytes(s.Page("0 0 1 RG 0.2 w 100 300 m 300 300 l S 1 1 1 RG 100 200 m 300 200 l S\n", "")))
	fixes := []report.Fix{report.FixColors, report.FixHairlines}
	_, log, err := preflight.Fix(t.Context(), bytes.NewReader(data), int64(len(data)), lookup(t, "print_ready"), fixes, preflight.Options{Output: coated(t)})
	if err != nil || len(log.Applied) != 2 {
		t.Fatalf("applied %v, skipped %v, error %v, want both", applied(log), log.Skipped, err)
	}
	var widths []string
	for _, a := range log.Applied {
		for _, change := range a.Changes {
			if change.Name == "line width" {
				widths = append(widths, change.Before+" to "+change.After)
			}
		}
	}
	if diff := cmp.Diff([]string{"0.2 to 0.250125"}, widths); diff != "" {
		t.Errorf("widths (-want +got):\n%s", diff)
	}
}

func rgbImage(s *pdftest.Sound, bits int, space, extra string, row []byte) pdftest.Ref {
	width := len(row) * 8 / bits
	if space == "/DeviceRGB" {
		width /= 3
	}
	return s.Flate(fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height 2 /BitsPerComponent %d /ColorSpace %s %s", width, bits, space, extra), slices.Concat(row, row))
}

func TestFixesOfContentsKeepOtherArtwork(t *testing.T) {
	t.Parallel()
	output := coated(t)
	small := func(text string) string { return "BT /F1 6 Tf 100 400 Td (" + text + ") Tj ET\n" }
	const square = "200 200 90 90 re f\n"
	image := func(bits int, space, extra string, row []byte) func(s *pdftest.Sound) string {
		return func(s *pdftest.Sound) string {
			return fmt.Sprintf("/XObject << /Im %s >>", rgbImage(s, bits, space, extra, row))
		}
	}
	const place = "0 0.4 0.4 0 k 90 290 200 60 re f q 144 0 0 36 100 300 cm /Im Do Q\n"
	sixteen := bytes.Repeat([]byte{0xF0, 0x12, 0x40, 0x00, 0x10, 0x00, 0x20, 0x00, 0xFF, 0xFF, 0xFF, 0xFF}, 4)
	eight := []byte{255, 0, 0, 0, 255, 0, 0, 0, 255, 200, 100, 50}
	form := func(content, resources string) func(s *pdftest.Sound) string {
		return func(s *pdftest.Sound) string {
			if resources == "font" {
				resources = fmt.Sprintf("/Font << /F1 %s >>", s.Font)
			}
			return fmt.Sprintf("/XObject << /Fm %s >>", s.Form(pdftest.Box{0, 0, 700, 900}, "", content, resources))
		}
	}
	const mesh = "q 90 290 120 120 re W n /S sh Q\n"
	rgb := report.ObjectChange{Name: "ColorSpace", Before: "DeviceRGB", After: "DeviceCMYK"}
	meshOf := func(s *pdftest.Sound, kind, flag int, space, decode string, records ...[]byte) string {
		return fmt.Sprintf("/Shading << /S %s >>", s.Flate(fmt.Sprintf("/ShadingType %d /ColorSpace %s /BitsPerCoordinate 8 /BitsPerComponent 8 /BitsPerFlag %d "+
			"/VerticesPerRow 2 /Decode [100 200 300 400 %s]", kind, space, flag, decode), slices.Concat(records...)))
	}
	meshed := func(kind, flag int, records ...[]byte) func(s *pdftest.Sound) string {
		return func(s *pdftest.Sound) string { return meshOf(s, kind, flag, "/DeviceRGB", "0 1 0 1 0 1", records...) }
	}
	coons := []byte{0, 0, 0, 20, 80, 0, 160, 0, 255, 80, 200, 160, 255, 255, 255, 200, 160, 255, 80, 255, 0, 160, 60, 80, 0}
	placed := func(program string) func(s *pdftest.Sound) string {
		return func(s *pdftest.Sound) string {
			function := s.Stream("/FunctionType 4 /Domain [0 1 0 1] /Range [0 1 0 1 0 1]", []byte(program))
			return fmt.Sprintf("/Shading << /S << /ShadingType 1 /ColorSpace /DeviceRGB /Matrix [50 0 0 50 100 300] /Function %s >> >>", function)
		}
	}
	tests := map[string]struct {
		content   string
		resources func(s *pdftest.Sound) string
		catalog   func(s *pdftest.Sound) (entry, resources string)
		fix       report.Fix
		want      []report.ObjectChange // without objects; nil for a fix that is not possible
		reason    report.FixReason
	}{
		"an object after the text keeps the colour and the overprint": {
			content: "0.6 0.6 0.6 1 k /G gs " + small("A") + square, fix: report.FixBlack,
			resources: func(*pdftest.Sound) string { return "/ExtGState << /G << /OP true /op true /OPM 0 >> >>" },
			want:      []report.ObjectChange{{Page: 1, Name: "text", Before: "0.6 0.6 0.6 1 k", After: "0 0 0 1 k, overprint"}},
		},
		"an object after outlined text keeps its colour": {
			content: "0 1 0 0 k 1 Tr " + small("A") + square, fix: report.FixBlack,
			want: []report.ObjectChange{{Page: 1, Name: "text", Before: "0 G", After: "0 0 0 1 K, overprint"}},
		},
		"an object after the text keeps a colour of a named space": {
			content: "/Rich cs 0.9 1 scn " + small("A") + square, fix: report.FixBlack,
			resources: func(s *pdftest.Sound) string {
				function := s.Stream("/FunctionType 4 /Domain [0 1 0 1] /Range [0 1 0 1 0 1 0 1]", []byte("{ 0 exch 0 exch }"))
				return fmt.Sprintf("/ColorSpace << /Rich [/DeviceN [/Cyan /Black] /DeviceCMYK %s] >>", function)
			},
			want: []report.ObjectChange{{Page: 1, Name: "text", Before: "/Rich cs 0.9 1 scn", After: "0 0 0 1 k, overprint"}},
		},
		"text in a form has the colour of the page": {
			content: "0.6 0.6 0.6 1 k /Fm Do " + square, resources: form(small("A"), "font"), fix: report.FixBlack,
			want: []report.ObjectChange{{Name: "text", Before: "0.6 0.6 0.6 1 k", After: "0 0 0 1 k, overprint"}},
		},
		"large rich black text in the same form as small text stays": {
			content: "/Fm Do\n", resources: form("0.6 0.6 0.6 1 k "+small("A")+"BT /F1 60 Tf 100 500 Td (B) Tj ET", "font"), fix: report.FixBlack,
			want: []report.ObjectChange{{Name: "text", Before: "0.6 0.6 0.6 1 k", After: "0 0 0 1 k, overprint"}},
		},
		"a form with a line in two sizes gets the greater width": {
			content: "/Fm Do q 0.5 0 0 0.5 0 0 cm /Fm Do Q\n", resources: form("0 0 0 1 K 0.1 w 100 300 m 300 300 l S 3 w 100 200 m 300 200 l S", ""), fix: report.FixHairlines,
			want: []report.ObjectChange{{Name: "line width", Before: "0.1", After: "0.50025"}},
		},
		"a white object of a form is knocked out": {
			content: "0 1 0 0 k 90 90 300 300 re f /G gs /Fm Do " + square, fix: report.FixWhite,
			resources: func(s *pdftest.Sound) string {
				return "/ExtGState << /G << /OP true /op true /OPM 1 >> >> " + form("0 0 0 0 k 100 100 50 50 re f", "")(s)
			},
			want: []report.ObjectChange{{Name: "overprint", Before: "true", After: "false"}},
		},
		"text on a hidden layer moves the pen of visible text": {
			content: "0 0 0 1 k BT /F1 20 Tf 100 400 Td (A) Tj /OC /L BDC 1 Tc (AB) Tj [(A) 500 (B)] TJ 0 Tc EMC (B) Tj ET /OC /L BDC 10 10 400 400 re f EMC\n",
			catalog: func(s *pdftest.Sound) (string, string) {
				r := s.Add("<< /Type /OCG /Name (Notes) >>")
				return fmt.Sprintf("/OCProperties << /OCGs [%s] /D << /OFF [%[1]s] /Order [[(Group) %[1]s]] >> >>", r), fmt.Sprintf("/Properties << /L %s >>", r)
			},
			fix: report.FixLayers,
			want: []report.ObjectChange{
				{Page: 1, Name: "Tj", Before: "on a hidden layer"},
				{Page: 1, Name: "TJ", Before: "on a hidden layer"},
				{Page: 1, Name: "f", Before: "on a hidden layer"},
				{Name: "OCGs", Before: "Notes"},
			},
		},
		"a hidden layer beside a visible one": {
			content: "0 0 0 1 k /OC /V BDC 60 60 40 40 re f EMC /OC /L BDC 10 10 400 400 re f EMC\n",
			catalog: func(s *pdftest.Sound) (string, string) {
				hidden, visible := s.Add("<< /Type /OCG /Name (Notes) >>"), s.Add("<< /Type /OCG /Name (Artwork) >>")
				return fmt.Sprintf("/OCProperties << /OCGs [%s %s] /D << /OFF [%[1]s] >> >>", hidden, visible), fmt.Sprintf("/Properties << /L %s /V %s >>", hidden, visible)
			},
			fix: report.FixLayers,
			want: []report.ObjectChange{
				{Page: 1, Name: "f", Before: "on a hidden layer"},
				{Name: "OCGs", Before: "Notes"},
			},
		},
		"a hidden processing step stays": {
			content: "0 0 0 1 k /OC /L BDC 10 10 400 400 re f EMC\n",
			catalog: func(s *pdftest.Sound) (string, string) {
				r := s.Add("<< /Type /OCG /Name (Cut) /GTS_Metadata << /GTS_ProcStepsGroup /Structural /GTS_ProcStepsType /Cutting >> >>")
				return fmt.Sprintf("/OCProperties << /OCGs [%s] /D << /OFF [%[1]s] >> >>", r), fmt.Sprintf("/Properties << /L %s >>", r)
			},
			fix: report.FixLayers,
		},
		"an image in RGB": {
			content: place, resources: image(8, "/DeviceRGB", "", eight), fix: report.FixColors,
			want: []report.ObjectChange{{Name: "ColorSpace", Before: "DeviceRGB", After: "DeviceCMYK"}},
		},
		"an image of 16 bits with an inverted Decode": {
			content: place, resources: image(16, "/DeviceRGB", "/Decode [1 0 1 0 1 0]", sixteen), fix: report.FixColors,
			want: []report.ObjectChange{{Name: "ColorSpace", Before: "DeviceRGB", After: "DeviceCMYK"}},
		},
		"an image in Lab": {
			content: place, fix: report.FixColors,
			resources: func(s *pdftest.Sound) string {
				data := []byte{200, 128, 128, 100, 200, 40, 20, 128, 128, 128, 40, 220}
				return fmt.Sprintf("/XObject << /Im %s >>", s.Flate("/Type /XObject /Subtype /Image /Width 4 /Height 1 /BitsPerComponent 8 /ColorSpace [/Lab << /WhitePoint [0.96 1 0.82] /Range [-128 127 -128 127] >>]", data))
			},
			want: []report.ObjectChange{{Name: "ColorSpace", Before: "Lab", After: "DeviceCMYK"}},
		},
		"an image with a colour key": {
			content: place, resources: image(8, "/DeviceRGB", "/Mask [250 255 0 5 0 5]", eight), fix: report.FixColors,
			want: []report.ObjectChange{{Name: "ColorSpace", Before: "DeviceRGB", After: "DeviceCMYK"}},
		},
		"an image with a palette": {
			content: place, resources: image(8, "[/Indexed /DeviceRGB 2 <FF0000 00FF00 204080>]", "", []byte{0, 1, 2, 0}), fix: report.FixColors,
			want: []report.ObjectChange{{Name: "ColorSpace", Before: "DeviceRGB", After: "DeviceCMYK"}},
		},
		"a form with an inline image that is drawn twice": {
			content: "/Fm Do q 1 0 0 1 200 0 cm /Fm Do Q\n", fix: report.FixColors,
			resources: form("q 80 0 0 80 100 300 cm BI /W 2 /H 1 /BPC 8 /CS /RGB ID \x20\xC0\x30\xF0\x10\x80 EI Q", ""),
			want:      []report.ObjectChange{{Name: "inline image", Before: "DeviceRGB", After: "DeviceCMYK"}},
		},
		"a gradient that is painted twice": {
			content: "q 100 300 50 50 re W n /S sh Q q 100 400 50 50 re W n /S sh Q\n", fix: report.FixColors,
			resources: func(*pdftest.Sound) string {
				return "/Shading << /S << /ShadingType 2 /ColorSpace /DeviceRGB /Coords [100 300 150 300] /Extend [true true] /Function << /FunctionType 2 /Domain [0 1] /N 1 /C0 [1 0 0] /C1 [0 0 1] >> >> >>"
			},
			want: []report.ObjectChange{{Page: 1, Name: "gradient", Before: "DeviceRGB", After: "DeviceCMYK"}},
		},
		"a gradient that depends on the place": {
			content: "q 100 300 50 50 re W n /S sh Q\n", fix: report.FixColors, resources: placed("{ 2 copy mul }"),
			want: []report.ObjectChange{{Page: 1, Name: "gradient", Before: "DeviceRGB", After: "DeviceCMYK"}},
		},
		"a gradient with more detail than a table can have": {
			content: "q 100 300 50 50 re W n /S sh Q\n", fix: report.FixColors, reason: report.FixContent,
			resources: placed("{ mul 1000000 mul dup truncate sub dup dup }"),
		},
		"a mesh of triangles in similar colours": {
			content: mesh, resources: meshed(4, 8, []byte{0, 0, 0, 250, 0, 0}, []byte{0, 255, 0, 250, 0, 0}, []byte{0, 0, 255, 250, 6, 0}, []byte{1, 255, 255, 250, 0, 0}), fix: report.FixColors,
			want: []report.ObjectChange{rgb},
		},
		"a mesh of triangles in colours of all kinds": {
			content: mesh, resources: meshed(4, 8, []byte{0, 0, 0, 255, 0, 0}, []byte{0, 255, 0, 0, 255, 0}, []byte{0, 0, 255, 0, 0, 255}, []byte{1, 255, 255, 255, 255, 255}), fix: report.FixColors,
			want: []report.ObjectChange{{Name: "mesh", Before: "2 pieces", After: "16560 pieces"}, rgb},
		},
		"a mesh of rows": {
			content: mesh, resources: meshed(5, 0, []byte{0, 0, 255, 255, 255}, []byte{255, 0, 0, 128, 0}, []byte{0, 255, 0, 0, 0}, []byte{255, 255, 255, 0, 255}), fix: report.FixColors,
			want: []report.ObjectChange{{Name: "mesh", Before: "2 pieces", After: "10574 pieces"}, rgb},
		},
		"a mesh of Coons patches": {
			content: mesh, resources: meshed(6, 8, coons, []byte{255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 0}), fix: report.FixColors,
			want: []report.ObjectChange{{Name: "mesh", Before: "1 pieces", After: "4096 pieces"}, rgb},
		},
		"a mesh of tensor-product patches": {
			content: mesh, resources: meshed(7, 8, coons, []byte{60, 60, 60, 200, 200, 200, 200, 60}, []byte{255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 0}), fix: report.FixColors,
			want: []report.ObjectChange{{Name: "mesh", Before: "1 pieces", After: "4096 pieces"}, rgb},
		},
		"a mesh in indices": {
			content: mesh, resources: func(s *pdftest.Sound) string {
				return meshOf(s, 4, 8, "[/Indexed /DeviceRGB 1 <FA0000FA0600>]", "0 1", []byte{0, 0, 0, 0}, []byte{0, 255, 0, 255}, []byte{0, 0, 255, 0})
			}, fix: report.FixColors, want: []report.ObjectChange{rgb},
		},
		"a mesh in indices by a function": {
			content: mesh, resources: func(s *pdftest.Sound) string {
				function := "/Function << /FunctionType 2 /Domain [0 1] /N 1 /C0 [0] /C1 [1] >>"
				return meshOf(s, 4, 8, "[/Indexed /DeviceRGB 1 <FA0000FA0600>] "+function, "0 1", []byte{0, 0, 0, 0}, []byte{0, 255, 0, 255}, []byte{0, 0, 255, 0})
			}, fix: report.FixColors, reason: report.FixContent,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := pdftest.NewSound()
			resources := ""
			if tc.resources != nil {
				resources = tc.resources(s)
			}
			if tc.catalog != nil {
				s.Catalog, resources = tc.catalog(s)
			}
			data := intentless(s.Bytes(s.Page(tc.content, resources)))
			update, log, err := preflight.Fix(t.Context(), bytes.NewReader(data), int64(len(data)), lookup(t, "print_ready"), []report.Fix{tc.fix}, preflight.Options{Output: output})
			if err != nil {
				t.Fatalf("preflight.Fix: %v", err)
			}
			var changes []report.ObjectChange
			for _, a := range log.Applied {
				for _, c := range a.Changes {
					c.Object = ""
					changes = append(changes, c)
				}
			}
			var reason report.FixReason
			for _, s := range log.Skipped {
				reason = s.Reason
			}
			if diff := cmp.Diff(tc.want, changes); diff != "" || reason != tc.reason {
				t.Errorf("reason %q, want %q; changes (-want +got):\n%s", reason, tc.reason, diff)
			}
			if len(update) > 0 {
				accepted(t, slices.Concat(data, update))
			}
		})
	}
}
