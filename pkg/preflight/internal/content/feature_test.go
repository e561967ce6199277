// SPDX-License-Identifier: Apache-2.0

package content_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
)

func TestOverprintAndTransparency(t *testing.T) {
	t.Parallel()
	look := func(m *facts.Mark) string {
		out := fmt.Sprintf("%s %s %s", kind(m), short(m.Alpha), m.Blend)
		if m.Overprint {
			out += fmt.Sprintf(" overprints %d", m.Mode)
		}
		return out
	}
	gs := func(text string) func(*pdftest.Builder) string {
		return fixed("/ExtGState << /G << " + text + " >> /N << /ca 1 /CA 1 /BM /Normal /OP false /SMask /None >> >>")
	}
	const both = "/G gs 0 0 9 9 re B"
	group := func(group, inside string) func(b *pdftest.Builder) string {
		return func(b *pdftest.Builder) string {
			form := b.Stream("/Type /XObject /Subtype /Form /BBox [0 0 500 500] /Group << /S /Transparency "+group+" >> /Resources << /ExtGState << /H << /ca 0.5 >> /S << /BM /Screen >> >> >>", []byte(inside))
			return fmt.Sprintf("/ExtGState << /G << /ca 0.5 /CA 0.1 /BM /Multiply >> >> /XObject << /Fm %s >>", form)
		}
	}
	table(t, look, map[string]markCase{
		"no feature":                        {content: "0 0 9 9 re f", want: []string{"path 1 Normal"}},
		"opacity of fill and stroke":        {content: both, resources: gs("/ca 0.5 /CA 0.25"), want: []string{"path 0.5 Normal", "path stroked 0.25 Normal"}},
		"opacity is cut":                    {content: "/G gs 0 0 9 9 re f", resources: gs("/ca 7"), want: []string{"path 1 Normal"}},
		"a blend mode":                      {content: "/G gs 0 0 9 9 re f", resources: gs("/BM /Multiply"), want: []string{"path 1 Multiply"}},
		"the first known blend mode":        {content: "/G gs 0 0 9 9 re f", resources: gs("/BM [/Strange /Screen /Darken]"), want: []string{"path 1 Screen"}},
		"compatible is normal":              {content: "/G gs 0 0 9 9 re f", resources: gs("/BM /Compatible"), want: []string{"path 1 Normal"}},
		"what gs does not name stays":       {content: "/G gs /L gs 0 0 9 9 re f", resources: fixed("/ExtGState << /G << /ca 0.5 >> /L << /LW 2 >> >>"), want: []string{"path 0.5 Normal"}},
		"gs takes back":                     {content: "/G gs /N gs 0 0 9 9 re f", resources: gs("/ca 0.5 /BM /Multiply /OP true"), want: []string{"path 1 Normal"}},
		"Q takes back":                      {content: "q /G gs Q 0 0 9 9 re f", resources: gs("/ca 0.5 /BM /Multiply"), want: []string{"path 1 Normal"}},
		"OP alone is for both":              {content: both, resources: gs("/OP true"), want: []string{"path 1 Normal overprints 0", "path stroked 1 Normal overprints 0"}},
		"op is for fills":                   {content: both, resources: gs("/OP false /op true /OPM 1"), want: []string{"path 1 Normal overprints 1", "path stroked 1 Normal"}},
		"OP and op":                         {content: both, resources: gs("/OP true /op false"), want: []string{"path 1 Normal", "path stroked 1 Normal overprints 0"}},
		"a form inherits":                   {content: "/G gs /Fm Do", resources: formWith("/G gs 0 0 9 9 re f", "/ExtGState << /G << /ca 0.5 >> >>"), want: []string{"path 0.5 Normal"}},
		"a group as a whole":                {content: "/G gs /Fm Do", resources: group("", "0 0 9 9 re f"), want: []string{"path 0.5 Multiply"}},
		"a group and its parts":             {content: "/G gs /Fm Do", resources: group("", "/H gs 0 0 9 9 re f"), want: []string{"path 0.25 Multiply"}},
		"its strokes are opaque by its own": {content: "/G gs /Fm Do", resources: group("", "0 0 9 9 re S"), want: []string{"path stroked 0.5 Multiply"}},
		"blending inside wins":              {content: "/G gs /Fm Do", resources: group("", "/S gs 0 0 9 9 re f"), want: []string{"path 0.5 Screen"}},
	})
}

// formWith writes a form Fm with the page's resources and additional ones.
func formWith(inside, more string) func(b *pdftest.Builder) string {
	return func(b *pdftest.Builder) string {
		return fmt.Sprintf("/XObject << /Fm %s >> %s", b.Form(pdftest.Box{0, 0, 500, 500}, "", inside, more), more)
	}
}

func TestFeatures(t *testing.T) {
	t.Parallel()
	gs := func(text string) func(*pdftest.Builder) string {
		return fixed("/ExtGState << /G << " + text + " >> >>")
	}
	const used, curve = "/G gs 0 0 9 9 re f", "<< /FunctionType 2 /Domain [0 1] /N 2 >>"
	mask := func(b *pdftest.Builder) string {
		return fmt.Sprintf("/ExtGState << /G << /SMask << /S /Luminosity /G %s >> >> >>", b.Form(pdftest.Box{0, 0, 9, 9}, "", "0 0 9 9 re f", ""))
	}
	image := func(dict string) func(b *pdftest.Builder) string {
		return func(b *pdftest.Builder) string {
			return fmt.Sprintf("/XObject << /Fm %s >>", b.Stream("/Subtype /Image /Width 1 /Height 1 /BitsPerComponent 8 /ColorSpace /DeviceGray "+dict, []byte{0}))
		}
	}
	form := func(dict, inside string) func(b *pdftest.Builder) string {
		return func(b *pdftest.Builder) string {
			return fmt.Sprintf("/XObject << /Fm %s >>", b.Stream("/Subtype /Form /BBox [0 0 9 9] /Resources << /ExtGState << /G << /ca 0.5 >> >> >> "+dict, []byte(inside)))
		}
	}
	tests := map[string]struct {
		content   string
		resources func(*pdftest.Builder) string
		want      string
	}{
		"opacity that is used":              {used, gs("/ca 0.5"), "transparency Alpha"},
		"opacity that is not":               {"/G gs 0 0 9 9 re S", gs("/ca 0.5"), ""},
		"opacity that is only set":          {"/G gs", gs("/ca 0.5 /CA 0.5 /BM /Multiply"), ""},
		"a blend mode that is used":         {used, gs("/BM /Darken"), "transparency BlendMode Darken"},
		"a soft mask that is used":          {used, mask, "transparency SoftMask"},
		"a soft mask that is only set":      {"/G gs", mask, ""},
		"a group is not transparent":        {"/Fm Do", form("/Group << /S /Transparency /I true >>", "0 0 9 9 re f"), "form group"},
		"an isolated group of such":         {"/Fm Do", form("/Group << /S /Transparency /I true >>", "/G gs 0 0 9 9 re f"), "form group, transparency Alpha, transparency Group"},
		"a plain group of such":             {"/Fm Do", form("/Group << /S /Transparency >>", "/G gs 0 0 9 9 re f"), "form group, transparency Alpha"},
		"an image with its mask in itself":  {"9 0 0 9 0 0 cm /Fm Do", image("/SMaskInData 1"), "transparency SoftMask"},
		"a transfer function":               {used, gs("/TR << /FunctionType 2 /Domain [0 1] /N 2 >>"), "transfer function TR"},
		"the neutral transfer functions":    {used, gs("/TR /Identity /TR2 /Default"), ""},
		"the newer transfer function":       {used, gs("/TR << /FunctionType 2 /Domain [0 1] /N 2 >> /TR2 /Default"), ""},
		"one for each ink":                  {used, gs("/TR2 [/Identity /Identity << >> /Identity]"), "transfer function TR2"},
		"a halftone":                        {used, gs("/HT << /HalftoneType 1 >>"), "halftone HT"},
		"a transfer function of a halftone": {used, gs("/HT << /HalftoneType 1 /TransferFunction " + curve + " >>"), "halftone HT, transfer function HT"},
		"the neutral one of a halftone":     {used, gs("/HT << /HalftoneType 1 /TransferFunction /Identity >>"), "halftone HT"},
		"that of a process ink":             {used, gs("/HT << /HalftoneType 5 /Cyan << /HalftoneType 1 /TransferFunction " + curve + " >> >>"), "halftone HT, transfer function HT"},
		"that of a spot colour":             {used, gs("/HT << /HalftoneType 5 /Gold << /HalftoneType 1 /TransferFunction " + curve + " >> >>"), "halftone HT"},
		"the printer's halftone":            {used, gs("/HT /Default"), ""},
		"black generation":                  {used, gs("/BG << >> /UCR2 /Default"), "black generation BG"},
		"what gs does not choose is unused": {"0 0 9 9 re f", gs("/HT << /HalftoneType 1 >>"), ""},
		"PostScript": {"/Fm Do", func(b *pdftest.Builder) string {
			return fmt.Sprintf("/XObject << /Fm %s >>", b.Stream("/Subtype /PS", nil))
		}, "postscript"},
		"PostScript in a form":            {"/Fm Do", form("/Subtype2 /PS", ""), "postscript"},
		"a form for OPI":                  {"/Fm Do", form("/OPI << /2.0 << >> >>", ""), "opi"},
		"an image for OPI":                {"9 0 0 9 0 0 cm /Fm Do", image("/OPI << /1.3 << >> >>"), "opi"},
		"alternate images":                {"9 0 0 9 0 0 cm /Fm Do", image("/Alternates [<< >>]"), "alternate image"},
		"an alternate image for print":    {"9 0 0 9 0 0 cm /Fm Do", image("/Alternates [<< >> << /DefaultForPrinting true >>]"), "alternate image, alternate image for print"},
		"an alternate image for screens":  {"9 0 0 9 0 0 cm /Fm Do", image("/Alternates [<< /DefaultForPrinting false >>]"), "alternate image"},
		"an inline image with an intent":  {"BI /W 1 /H 1 /BPC 8 /CS /G /Intent /Vivid ID a EI", nil, "rendering intent Vivid"},
		"one with an intent of PDF":       {"BI /W 1 /H 1 /BPC 8 /CS /G /Intent /Perceptual ID a EI", nil, ""},
		"a form from another file":        {"/Fm Do", form("/Ref << /F (other.pdf) /Page 0 >>", ""), "reference xobject"},
		"operators that no PDF has":       {"1 2 strange 0 0 9 9 re f", nil, "unknown operator strange"},
		"those that are bracketed":        {"BX BX 1 strange EX other EX 0 0 9 9 re f", nil, "bracketed operator strange, bracketed operator other"},
		"operators that change nothing":   {"1 J 1 j 10 M [1] 0 d /Perceptual ri 1 i /A MP /B << >> DP /C BMC EMC", nil, ""},
		"a device space that is remapped": {"1 0 0 rg 0 0 9 9 re f", fixed("/ColorSpace << /DefaultRGB [/CalRGB << /WhitePoint [1 1 1] >>] >>"), "default space DefaultRGB"},
		"one that is not used":            {"1 0 0 rg 0 0 9 9 re n", fixed("/ColorSpace << /DefaultRGB [/CalRGB << /WhitePoint [1 1 1] >>] >>"), ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b pdftest.Builder
			resources := ""
			if tc.resources != nil {
				resources = tc.resources(&b)
			}
			_, doc := marks(t, b.Document(pdftest.Print(tc.content, resources)), shape)
			if got := features(doc); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			if want := strings.Contains(tc.want, "transparency"); doc.Pages[0].Transparent != want {
				t.Errorf("transparent %t, want %t", doc.Pages[0].Transparent, want)
			}
		})
	}
}

func TestUnknownOperatorsAreBounded(t *testing.T) {
	t.Parallel()
	var content strings.Builder
	for i := range 100 {
		fmt.Fprintf(&content, "strange%d ", i)
	}
	_, doc := marks(t, pdftest.Pages(pdftest.Print(content.String(), "")), shape)
	if n := len(doc.Features); n != 20 {
		t.Errorf("%d unknown operators are recorded, want 20", n)
	}
}

func TestDefaultSpacesReplaceDeviceSpaces(t *testing.T) {
	t.Parallel()
	const defaults = "/DefaultGray [/CalGray << /WhitePoint [1 1 1] >>] /DefaultRGB [/CalRGB << /WhitePoint [1 1 1] >>] /DefaultCMYK "
	resources := func(b *pdftest.Builder) string {
		im := b.Image(pdftest.Image{Width: 1, Height: 1})
		return fmt.Sprintf("/ColorSpace << %s %s /T [/Indexed /DeviceRGB 0 <FFFFFF>] >> /XObject << /Im %s >>", defaults, b.ICC(4), im)
	}
	const square = " 0 0 9 9 re f"
	table(t, colour, map[string]markCase{
		"rg":               {content: "1 0 0 rg" + square, resources: resources, want: []string{"CalRGB"}},
		"g":                {content: "0 g" + square, resources: resources, want: []string{"CalGray K1"}},
		"k":                {content: "1 0 0 0 k" + square, resources: resources, want: []string{"ICCBased-CMYK C1"}},
		"the first colour": {content: square, resources: resources, want: []string{"CalGray K1"}},
		"by name":          {content: "/DeviceRGB cs 1 0 0 scn" + square, resources: resources, want: []string{"CalRGB"}},
		"below a table":    {content: "/T cs 0 scn" + square, resources: resources, want: []string{"CalRGB white"}},
		"of an image":      {content: "9 0 0 9 0 0 cm /Im Do", resources: resources, want: []string{"ICCBased-CMYK C0.25 M0.25 Y0.25 K0.25"}},
		"with the wrong":   {content: "1 0 0 rg" + square, resources: fixed("/ColorSpace << /DefaultRGB [/CalGray << >>] >>"), want: []string{"DeviceRGB"}},
		"with a pattern":   {content: "1 0 0 rg" + square, resources: fixed("/ColorSpace << /DefaultRGB /Pattern >>"), want: []string{"DeviceRGB"}},
	})
}

func TestPatterns(t *testing.T) {
	t.Parallel()
	tile := func(dict, inside string) func(b *pdftest.Builder) string {
		return func(b *pdftest.Builder) string {
			p := b.Stream("/PatternType 1 /TilingType 1 /BBox [0 0 10 10] /XStep 10 /YStep 10 "+dict, []byte(inside))
			return fmt.Sprintf("/ColorSpace << /U [/Pattern /DeviceCMYK] >> /Pattern << /P %s >>", p)
		}
	}
	both := func(m *facts.Mark) string {
		return fmt.Sprintf("%s %s %s width %s", shape(m), colour(m), short(m.Alpha), short(m.Width))
	}
	const half = "/PaintType 1 /Resources << >>"
	table(t, both, map[string]markCase{
		"the marks of a tile cover the region": {
			content: "/Pattern cs /P scn 0 0 100 100 re f", resources: tile(half, "1 0 0 0 k 0 0 5 10 re f"),
			want: []string{"path [0 0 100 100] DeviceCMYK C1 1 width 0"},
		},
		"lengths are those of its matrix": {
			content: "0.1 0 0 0.1 0 0 cm /Pattern cs /P scn 0 0 1000 1000 re f", resources: tile(half+" /Matrix [2 0 0 2 0 0]", "1 0 0 0 K 0 5 m 10 5 l S"),
			want: []string{"path stroked [0 0 100 100] DeviceCMYK C1 1 width 2"},
		},
		"elsewhere it paints again": {
			content: "/Pattern cs /P scn 0 0 100 100 re f 100 100 10 10 re f", resources: tile(half, "1 0 0 0 k 0 0 5 10 re f"),
			want: []string{"path [0 0 100 100] DeviceCMYK C1 1 width 0", "path [100 100 110 110] DeviceCMYK C1 1 width 0"},
		},
		"a tile without colours takes that of the place": {
			content: "/U cs 1 0 0 0 /P scn 0 0 100 100 re f 0 1 0 0 /P scn 0 0 10 10 re f", resources: tile("/PaintType 2 /Resources << >>", "0 0 0 1 k 0 0 5 10 re f"),
			want: []string{"path [0 0 100 100] DeviceCMYK C1 1 width 0", "path [0 0 5 10] DeviceCMYK M1 1 width 0"},
		},
		"in a region of one tile the marks are in their places": {
			content: "/Pattern cs /P scn 1 1 8 8 re f", resources: tile(half, "1 0 0 0 k 0 0 5 10 re f 7 2 1 1 re f 9.5 0 0.5 10 re f"),
			want: []string{"path [1 1 5 9] DeviceCMYK C1 1 width 0", "path [7 2 8 3] DeviceCMYK C1 1 width 0"},
		},
		"in another region of that tile, too": {
			content: "/Pattern cs /P scn 1 1 3 8 re f 5 1 4 8 re f", resources: tile(half, "1 0 0 0 k 0 0 4.5 10 re f 7 2 1 1 re f"),
			want: []string{"path [1 1 4 9] DeviceCMYK C1 1 width 0", "path [7 2 8 3] DeviceCMYK C1 1 width 0"},
		},
		"steps larger than the tile leave one in the region": {
			content: "/Pattern cs /P scn 0 0 14 14 re f", want: []string{"path [0 0 5 10] DeviceCMYK C1 1 width 0"},
			resources: func(b *pdftest.Builder) string {
				p := b.Stream("/PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 10 10] /XStep 20 /YStep -20 /Resources << >>", []byte("1 0 0 0 k 0 0 5 10 re f"))
				return fmt.Sprintf("/Pattern << /P %s >>", p)
			},
		},
		"the opacity of the place is that of the pattern": {
			content: "/G gs /Pattern cs /P scn 0 0 10 10 re f", want: []string{"path [0 0 5 10] DeviceCMYK C1 0.5 width 0"},
			resources: func(b *pdftest.Builder) string {
				return "/ExtGState << /G << /ca 0.5 >> >> " + tile(half, "1 0 0 0 k 0 0 5 10 re f")(b)
			},
		},
		"a pattern that paints with itself": {
			content: "/Pattern cs /P scn 0 0 10 10 re f", want: nil,
			resources: func(b *pdftest.Builder) string {
				p := b.Reserve()
				b.SetStream(p, fmt.Sprintf("/PatternType 1 /PaintType 1 /BBox [0 0 10 10] /XStep 10 /YStep 10 /Resources << /Pattern << /P %s >> >>", p), []byte("/Pattern cs /P scn 0 0 5 5 re f"))
				return fmt.Sprintf("/Pattern << /P %s >>", p)
			},
		},
		"a missing pattern paints nothing": {content: "/Pattern cs /P scn 0 0 10 10 re f", want: nil},
		"a shading has the region": {
			content:   "/Pattern cs /P scn 0 0 100 100 re f",
			resources: fixed("/Pattern << /P << /PatternType 2 /Shading << /ShadingType 2 /ColorSpace /DeviceCMYK /Coords [0 0 100 0] /Function << /FunctionType 2 /Domain [0 1] /N 1 /C0 [0 0 0 0] /C1 [1 0 0 0] >> >> >> >>"),
			want:      []string{"shading [0 0 100 100] DeviceCMYK C1 1 width 0"},
		},
		"a pattern in a pattern covers the outer region": {
			content: "/Pattern cs /P scn 0 0 100 100 re f", want: []string{"path [0 0 100 100] DeviceCMYK C1 1 width 0"},
			resources: func(b *pdftest.Builder) string {
				inner := b.Stream("/PatternType 1 /PaintType 1 /BBox [0 0 2 2] /XStep 2 /YStep 2 /Resources << >>", []byte("1 0 0 0 k 0 0 1 2 re f"))
				return tile(fmt.Sprintf("/PaintType 1 /Resources << /Pattern << /Q %s >> >>", inner), "/Pattern cs /Q scn 0 0 5 10 re f")(b)
			},
		},
	})
}

func TestInksAreIdentifiedByName(t *testing.T) {
	t.Parallel()
	separation := func(name, full string) string {
		return fmt.Sprintf("[/Separation /%s /DeviceCMYK << /FunctionType 2 /Domain [0 1] /N 1 /C0 [0 0 0 0] /C1 [%s] >>]", name, full)
	}
	const (
		use  = "/A cs 1 scn 0 0 9 9 re f "
		use2 = "/B cs 1 1 scn 0 0 9 9 re f "
	)
	tests := map[string]struct{ content, spaces, want string }{
		"a spot":                         {use, "/A " + separation("Gold", "0 0.2 0.6 0.1"), "Gold spot DeviceCMYK [0 0.2 0.6 0.1] 1"},
		"a process ink":                  {use, "/A " + separation("Cyan", "1 0 0 0"), "Cyan process DeviceCMYK [1 0 0 0] 1"},
		"registration":                   {use, "/A " + separation("All", "1 1 1 1"), "All registration DeviceCMYK [1 1 1 1] 1"},
		"None is no ink":                 {use, "/A " + separation("None", "1 1 1 1"), ""},
		"a space that is not used":       {"/A cs 1 scn 0 0 9 9 re n", "/A " + separation("Gold", "0 0.2 0.6 0.1"), ""},
		"one definition is one":          {use + use2, "/A " + separation("Gold", "0 0.2 0.6 0.1") + " /B " + separation("Gold", "0 0.2 0.6 0.1"), "Gold spot DeviceCMYK [0 0.2 0.6 0.1] 1"},
		"two definitions are two":        {use + use2, "/A " + separation("Gold", "0 0.2 0.6 0.1") + " /B " + separation("Gold", "0 0.2 0.9 0.1"), "Gold spot DeviceCMYK [0 0.2 0.6 0.1] 2"},
		"blanks are part of a name":      {use, "/A " + separation("#20Gold#20", "0 0 0 0"), " Gold  spot DeviceCMYK [0 0 0 0] 1"},
		"DeviceN names several":          {use2, "/B [/DeviceN [/Gold /Black] /DeviceCMYK << >>]", "Gold spot  [] 0; Black process  [] 0"},
		"DeviceN may define them":        {use2, "/B [/DeviceN [/Gold /Black] /DeviceCMYK << >> << /Colorants << /Gold " + separation("Gold", "0 0.2 0.6 0.1") + " >> >>]", "Gold spot DeviceCMYK [0 0.2 0.6 0.1] 1; Black process  [] 0"},
		"an alternate space in itself":   {use, "/A [/Separation /Gold [/Separation /Gold /DeviceGray << >>] << >>]", "Gold spot  [] 0"},
		"the base of a table has inks":   {use, "/A [/Indexed " + separation("Gold", "0 0 0 0.5") + " 1 <00FF>]", "Gold spot DeviceCMYK [0 0 0 0.5] 1"},
		"the colour below a pattern has": {"/A cs 1 scn", "/A [/Pattern " + separation("Gold", "0 0 0 0.5") + "]", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, doc := marks(t, pdftest.Pages(pdftest.Print(tc.content, "/ColorSpace << "+tc.spaces+" >>")), shape)
			var got []string
			for _, i := range doc.Inks {
				got = append(got, fmt.Sprintf("%s %s %s %v %d", i.Name, i.Kind, i.Space, i.Full, len(i.Alternates)))
			}
			if diff := cmp.Diff(tc.want, strings.Join(got, "; ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestUsedProfilesAreRecorded(t *testing.T) {
	t.Parallel()
	var b pdftest.Builder
	sound := b.Flate("/N 4", pdftest.Profile{Space: "CMYK", Name: "Coated"}.Bytes())
	wrong := b.Flate("/N 3", pdftest.Profile{Space: "CMYK"}.Bytes())
	unused := b.Flate("/N 1", pdftest.Profile{Space: "GRAY"}.Bytes())
	resources := fmt.Sprintf("/ColorSpace << /A [/ICCBased %s] /B [/ICCBased %s] /C [/ICCBased %s] >>", sound, wrong, unused)
	_, doc := marks(t, b.Document(pdftest.Print("/A cs 0 0 9 9 re f /B cs 0 0 9 9 re f /C cs 0 0 9 9 re n", resources)), shape)
	var got []string
	for _, p := range doc.Profiles {
		got = append(got, fmt.Sprintf("%s %s %d fault %t used %d", p.Space, p.Description, p.Components, p.Fault != "", p.Uses.Count))
	}
	want := []string{"CMYK Coated 4 fault false used 1", "CMYK Test CMYK prtr 3 fault true used 1", "GRAY Test GRAY prtr 1 fault false used 0"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
