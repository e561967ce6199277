// SPDX-License-Identifier: Apache-2.0

package content_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
)

// layered returns a document with the layers On and Off and a page of content.
func layered(content, properties, config string, more func(b *pdftest.Builder, on, off pdftest.Ref) string) []byte {
	var b pdftest.Builder
	on, off := b.Reserve(), b.Reserve()
	b.Set(on, "<< /Type /OCG /Name (On) /Usage << /Print << /PrintState /OFF >> >> >>")
	b.Set(off, "<< /Type /OCG /Name (Off) /GTS_Metadata << /GTS_ProcStepsGroup /Structural /GTS_ProcStepsType /Cutting >> >>")
	if config == "" {
		config = "/OFF [%off]"
	}
	refs := strings.NewReplacer("%on", on.String(), "%off", off.String())
	b.Catalog = fmt.Sprintf("/OCProperties << /OCGs [%s %s] /D << %s >> >>", on, off, refs.Replace(config))
	resources := "/Properties << /On " + on.String() + " /Off " + off.String() + " /M " + refs.Replace(properties) + " >> "
	if properties == "" {
		resources = "/Properties << /On " + on.String() + " /Off " + off.String() + " >> "
	}
	if more != nil {
		resources += more(&b, on, off)
	}
	return b.Document(pdftest.Page{Media: &pdftest.Box{0, 0, 500, 500}, Content: content, Resources: resources})
}

func TestContentOfLayersThatAreNotPrintedIsIgnored(t *testing.T) {
	t.Parallel()
	const (
		square = " 0 0 9 9 re f "
		member = "/OC /M BDC" + square + "EMC"
	)
	seen, hidden := []string{"path [0 0 9 9]"}, []string(nil)
	tests := map[string]struct {
		content, properties, config string
		want                        []string
	}{
		"a layer that is on":                     {content: "/OC /On BDC" + square + "EMC", want: seen},
		"a layer that is off":                    {content: "/OC /Off BDC" + square + "EMC", want: hidden},
		"what follows is seen":                   {content: "/OC /Off BDC EMC" + square, want: seen},
		"other marked content does not hide":     {content: "/Span /Off BDC" + square + "EMC", want: seen},
		"an inner layer does not show":           {content: "/OC /Off BDC /OC /On BDC" + square + "EMC EMC", want: hidden},
		"the end of an inner one does not show":  {content: "/OC /Off BDC /P BMC EMC" + square + "EMC", want: hidden},
		"a surplus end is ignored":               {content: "EMC EMC /OC /Off BDC" + square + "EMC", want: hidden},
		"Q does not end it":                      {content: "q /OC /Off BDC Q" + square + "EMC", want: hidden},
		"an unknown layer is shown":              {content: "/OC /Strange BDC" + square + "EMC", want: seen},
		"all off by default":                     {content: "/OC /On BDC" + square + "EMC", config: "/BaseState /OFF", want: hidden},
		"off by default, but on":                 {content: "/OC /On BDC" + square + "EMC", config: "/BaseState /OFF /ON [%on]", want: seen},
		"switched off for printing":              {content: "/OC /On BDC" + square + "EMC", config: "/AS [<< /Event /Print /Category [/Print] /OCGs [%on] >>]", want: hidden},
		"not switched for another event":         {content: "/OC /On BDC" + square + "EMC", config: "/AS [<< /Event /View /Category [/Print] /OCGs [%on] >>]", want: seen},
		"not switched without being listed":      {content: "/OC /On BDC" + square + "EMC", want: seen},
		"membership: any on":                     {content: member, properties: "<< /Type /OCMD /OCGs [%on %off] >>", want: seen},
		"membership: all on":                     {content: member, properties: "<< /Type /OCMD /OCGs [%on %off] /P /AllOn >>", want: hidden},
		"membership: any off":                    {content: member, properties: "<< /Type /OCMD /OCGs [%on %off] /P /AnyOff >>", want: seen},
		"membership: all off":                    {content: member, properties: "<< /Type /OCMD /OCGs [%on %off] /P /AllOff >>", want: hidden},
		"membership of one":                      {content: member, properties: "<< /Type /OCMD /OCGs %off >>", want: hidden},
		"membership of none is shown":            {content: member, properties: "<< /Type /OCMD /OCGs [] >>", want: seen},
		"expression: not":                        {content: member, properties: "<< /Type /OCMD /VE [/Not %on] >>", want: hidden},
		"expression: and":                        {content: member, properties: "<< /Type /OCMD /VE [/And %on %off] >>", want: hidden},
		"expression: or":                         {content: member, properties: "<< /Type /OCMD /VE [/Or %on %off] >>", want: seen},
		"expression: nested":                     {content: member, properties: "<< /Type /OCMD /VE [/And %on [/Not [/Or %on %off]]] >>", want: hidden},
		"an expression wins over the membership": {content: member, properties: "<< /Type /OCMD /OCGs %off /VE [/Or %on] >>", want: seen},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, _ := marks(t, layered(tc.content, tc.properties, tc.config, nil), shape)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestLayersListTheirPages(t *testing.T) {
	t.Parallel()
	_, doc := marks(t, layered("/OC /Off BDC /OC /Off BDC EMC EMC", "", "", nil), shape)
	var got []string
	for _, l := range doc.Layers {
		got = append(got, fmt.Sprintf("%s %s %t %q %q %v", l.Name, l.Object, l.Printed, l.Group, l.Type, l.Uses.Pages))
	}
	want := []string{`On 1 0 R true "" "" []`, `Off 2 0 R false "Structural" "Cutting" [1]`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestXObjectsOnHiddenLayers(t *testing.T) {
	t.Parallel()
	more := func(b *pdftest.Builder, _, off pdftest.Ref) string {
		font := b.StandardFont("Courier")
		image := b.Flate(fmt.Sprintf("/Subtype /Image /Width 72 /Height 72 /BitsPerComponent 8 /ColorSpace /DeviceGray /OC %s", off), make([]byte, 72*72))
		form := b.Stream(fmt.Sprintf("/Subtype /Form /BBox [0 0 500 500] /OC %s /Resources << /XObject << /Im %s >> /Font << /F %s >> >>", off, image, font),
			[]byte("0 0 9 9 re f "+pdftest.Place("Im", 0, 0, 72, 72)+pdftest.Show("F", "A")))
		return fmt.Sprintf("/XObject << /Im %s /Fm %s >>", image, form)
	}
	got, doc := marks(t, layered(pdftest.Place("Im", 0, 0, 72, 72)+"/Fm Do", "", "", more), shape)
	if len(got) != 0 {
		t.Errorf("marks %v", got)
	}
	if len(doc.Images) != 2 || !doc.Images[0].Hidden || !doc.Images[1].Hidden {
		t.Errorf("images %+v, want two that are hidden", doc.Images)
	}
	if len(doc.Fonts) != 1 || doc.Fonts[0].Uses.Count != 0 {
		t.Errorf("fonts %+v, want one that is not used", doc.Fonts)
	}
}

func TestAnnotationsAreRecorded(t *testing.T) {
	t.Parallel()
	var b pdftest.Builder
	group := b.Add("<< /Type /OCG /Name (Off) >>")
	b.Catalog = fmt.Sprintf("/OCProperties << /OCGs [%s] /D << /OFF [%s] >> >>", group, group)
	form := b.Form(pdftest.Box{0, 0, 1, 1}, "", "0 0 1 1 re f", "")
	appearance := fmt.Sprintf("/AP << /N %s >>", form)
	page := pdftest.Page{Annots: strings.Join([]string{
		"<< /Subtype /Stamp /F 4 /Rect [30 40 10 20] " + appearance + " >>",
		"<< /Subtype /Link /Rect [1 2 3 4] >>",
		"<< /Subtype /Widget /F 6 /Rect [1 2 3 4] " + appearance + " >>",
		fmt.Sprintf("<< /Subtype /Watermark /F 4 /Rect [1 2 3 4] /OC %s %s >>", group, appearance),
		"<< /Subtype /Note /F 36 >>",
		"null", "7",
	}, " ")}
	got, doc := marks(t, b.Document(page), shape)
	if diff := cmp.Diff([]string{"path [10 20 30 40]"}, got); diff != "" {
		t.Errorf("marks (-want +got):\n%s", diff)
	}
	want := []facts.Annotation{
		{Page: 1, Subtype: "Stamp", Printed: true, Box: geom.Rect{10, 20, 30, 40}},
		{Page: 1, Subtype: "Link", Box: geom.Rect{1, 2, 3, 4}},
		{Page: 1, Subtype: "Widget", Hidden: true, Box: geom.Rect{1, 2, 3, 4}},
		{Page: 1, Subtype: "Watermark", Box: geom.Rect{1, 2, 3, 4}},
		{Page: 1, Subtype: "Note", Printed: true, Hidden: true},
	}
	if diff := cmp.Diff(want, doc.Annotations); diff != "" {
		t.Errorf("annotations (-want +got):\n%s", diff)
	}
}

func TestTransparencyGroupOfAPageIsRecorded(t *testing.T) {
	t.Parallel()
	_, doc := marks(t, pdftest.Pages(
		pdftest.Page{Extra: "/Group << /S /Transparency /CS /DeviceRGB /I true >>"},
		pdftest.Page{Extra: "/Group << /S /Transparency >>"},
		pdftest.Page{},
	), shape)
	var got []string
	for _, p := range doc.Pages {
		if p.Group == nil {
			got = append(got, "none")
			continue
		}
		got = append(got, "group "+p.Group.Space)
		if p.Transparent {
			t.Errorf("page %d: a group alone is transparent", p.Number)
		}
	}
	if diff := cmp.Diff([]string{"group DeviceRGB", "group ", "none"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestImagesAreDescribed(t *testing.T) {
	t.Parallel()
	describe := func(i *facts.Image) string {
		return fmt.Sprintf("%dx%d %d bits %d %s %s mask %t soft %t quality %d interpolate %t %s ppi", i.Width, i.Height, i.Bits, i.Components, i.ColorSpace, i.Filter, i.Mask, i.Soft, i.Quality, i.Interpolate, short(i.PPI()))
	}
	image := func(dict string, data []byte) func(b *pdftest.Builder) string {
		return func(b *pdftest.Builder) string {
			return fmt.Sprintf("/XObject << /Im %s >>", b.Stream("/Subtype /Image "+dict, data))
		}
	}
	tests := map[string]struct {
		resources func(b *pdftest.Builder) string
		content   string
		want      []string
	}{
		"sixteen bits": {
			resources: image("/Width 1 /Height 1 /BitsPerComponent 16 /ColorSpace /DeviceRGB /Interpolate true", make([]byte, 6)),
			want:      []string{"1x1 16 bits 3 DeviceRGB  mask false soft false quality 0 interpolate true 1 ppi"},
		},
		"a stencil": {
			resources: image("/Width 1 /Height 1 /ImageMask true", []byte{0}),
			want:      []string{"1x1 1 bits 1   mask true soft false quality 0 interpolate false 1 ppi"},
		},
		"a JPEG": {
			resources: image("/Width 8 /Height 8 /ColorSpace /DeviceCMYK /Filter [/DCTDecode]", []byte("\xff\xd8\xff\xdb\x00\x43\x00"+strings.Repeat("\x02", 64))),
			want:      []string{"8x8 8 bits 4 DeviceCMYK DCTDecode mask false soft false quality 98 interpolate false 8 ppi"},
		},
		"a table of colours": {
			resources: image("/Width 1 /Height 1 /BitsPerComponent 8 /ColorSpace [/Indexed /DeviceRGB 0 <000000>]", []byte{0}),
			want:      []string{"1x1 8 bits 1 DeviceRGB  mask false soft false quality 0 interpolate false 1 ppi"},
		},
		"a JPEG 2000 with a colour space of its own": {
			resources: image("/Width 1 /Height 1 /Filter /JPXDecode", []byte("\x00\x00\x00\x2djp2h\x00\x00\x00\x16ihdr\x00\x00\x00\x01\x00\x00\x00\x01\x00\x03\x07\x07\x00\x00\x00\x00\x00\x0fcolr\x01\x00\x00\x00\x00\x00\x10")),
			want:      []string{"1x1 8 bits 3 DeviceRGB JPXDecode mask false soft false quality 0 interpolate false 1 ppi"},
		},
		"an image and its soft mask": {
			resources: func(b *pdftest.Builder) string {
				mask := b.Stream("/Subtype /Image /Width 2 /Height 2 /BitsPerComponent 8 /ColorSpace /DeviceGray", make([]byte, 4))
				return image(fmt.Sprintf("/Width 1 /Height 1 /BitsPerComponent 8 /ColorSpace /DeviceGray /SMask %s", mask), []byte{0})(b)
			},
			want: []string{
				"1x1 8 bits 1 DeviceGray  mask false soft false quality 0 interpolate false 1 ppi",
				"2x2 8 bits 1 DeviceGray  mask false soft true quality 0 interpolate false 2 ppi",
			},
		},
		"an image inside a mask": {
			resources: func(b *pdftest.Builder) string {
				im := b.Image(pdftest.Image{Width: 2, Height: 2})
				group := b.Form(pdftest.Box{0, 0, 500, 500}, "", pdftest.Place("Im", 0, 0, 72, 72), fmt.Sprintf("/XObject << /Im %s >>", im))
				return fmt.Sprintf("/ExtGState << /G << /SMask << /S /Luminosity /G %s >> >> >>", group)
			},
			content: "/G gs",
			want:    []string{"2x2 8 bits 4 DeviceCMYK FlateDecode mask false soft true quality 0 interpolate false 2 ppi"},
		},
		"an inline image": {
			content: "q 72 0 0 72 0 0 cm BI /W 1 /H 1 /BPC 8 /CS /G /F [/A85 /DCT] /I true ID x EI Q",
			want:    []string{"1x1 8 bits 1 DeviceGray DCTDecode mask false soft false quality 0 interpolate true 1 ppi"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b pdftest.Builder
			resources := ""
			if tc.resources != nil {
				resources = tc.resources(&b)
			}
			if tc.content == "" {
				tc.content = pdftest.Place("Im", 0, 0, 72, 72)
			}
			_, doc := marks(t, b.Document(pdftest.Print(tc.content, resources)), shape)
			var got []string
			for i := range doc.Images {
				got = append(got, describe(&doc.Images[i]))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestMarksHaveTheInnermostLayer(t *testing.T) {
	t.Parallel()
	const square = " 0 0 9 9 re f "
	form := func(b *pdftest.Builder, _, off pdftest.Ref) string {
		return fmt.Sprintf("/XObject << /F %s >>", b.Stream(fmt.Sprintf("/Type /XObject /Subtype /Form /BBox [0 0 99 99] /OC %s", off), []byte(square)))
	}
	name := func(m *facts.Mark) string {
		if m.Shape == nil || m.Shape.Empty() {
			t.Errorf("the mark %s has no shape", shape(m))
		}
		if m.Layer == nil {
			return "none"
		}
		return m.Layer.Name
	}
	for title, tc := range map[string]struct {
		content, properties string
		want                []string
	}{
		"no layer":                        {square + "/P BMC" + square + "EMC", "", []string{"none", "none"}},
		"a layer and what follows":        {"/OC /On BDC" + square + "EMC" + square, "", []string{"On", "none"}},
		"layers in each other":            {"/OC /On BDC /OC /Off BDC" + square + "EMC" + square + "EMC", "", []string{"Off", "On"}},
		"other marked content":            {"/OC /On BDC /P BMC" + square + "EMC EMC", "", []string{"On"}},
		"a form and what follows":         {"/OC /On BDC /F Do" + square + "EMC /F Do", "", []string{"Off", "On", "Off"}},
		"a membership has the step":       {"/OC /M BDC" + square + "EMC", "<< /Type /OCMD /OCGs [%on %off] >>", []string{"Off"}},
		"a membership of one":             {"/OC /M BDC" + square + "EMC", "<< /Type /OCMD /OCGs %on >>", []string{"On"}},
		"a membership without a group":    {"/OC /On BDC /OC /M BDC" + square + "EMC EMC", "<< /Type /OCMD >>", []string{"On"}},
		"an object that is no membership": {"/OC /M BDC" + square + "EMC", "<< /Type /Strange >>", []string{"none"}},
	} {
		t.Run(title, func(t *testing.T) {
			t.Parallel()
			got, _ := marks(t, layered(tc.content, tc.properties, "/ON [%on %off]", form), name)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("layers (-want +got):\n%s", diff)
			}
		})
	}
}
