// SPDX-License-Identifier: Apache-2.0

package content_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
)

// sink is a sink of marks alone.
type sink func(*facts.Page, *facts.Mark)

func (s sink) Mark(p *facts.Page, m *facts.Mark) { s(p, m) }

func (s sink) EndPage(*facts.Page, func(uint32) (geom.Rect, bool)) {}

// marks returns the marks of a file, one line each, formatted by render.
func marks(t testing.TB, data []byte, render func(m *facts.Mark) string) ([]string, *facts.Document) {
	t.Helper()
	var out []string
	collector := facts.NewCollector(sink(func(_ *facts.Page, m *facts.Mark) { out = append(out, render(m)) }))
	file, err := document.Open(t.Context(), bytes.NewReader(data), int64(len(data)), document.DefaultLimits(), collector)
	if err != nil || file == nil {
		t.Fatalf("open: %v, incidents %+v", err, collector.Document().Incidents)
	}
	in := interpreter(t, file, collector, document.DefaultLimits())
	pages := file.Pages()
	for i := range pages {
		if err := in.Page(t.Context(), &pages[i]); err != nil {
			t.Fatalf("interpreter.Page: %v", err)
		}
	}
	return out, collector.Document()
}

// short formats a number with at most two decimals.
func short(v float64) string { return fmt.Sprint(geom.Round(v, 2)) }

func box(r geom.Rect) string {
	return "[" + short(r[0]) + " " + short(r[1]) + " " + short(r[2]) + " " + short(r[3]) + "]"
}

func kind(m *facts.Mark) string {
	name := [...]string{"path", "text", "picture", "stencil", "shading"}[m.Kind]
	if m.Stroked {
		name += " stroked"
	}
	return name
}

// shape returns the kind and the place of a mark.
func shape(m *facts.Mark) string { return kind(m) + " " + box(m.Box) }

// colour returns the paint of a mark.
func colour(m *facts.Mark) string {
	p := &m.Paint
	out := p.Space
	if p.Known {
		for i, v := range p.CMYK {
			if v > 0 {
				out += fmt.Sprintf(" %c%s", "CMYK"[i], short(v))
			}
		}
		for _, s := range p.Spots {
			out += " " + s.Name + short(s.Amount)
		}
	}
	if p.White {
		out += " white"
	}
	return out
}

// table reads the page of each case and compares its formatted marks.
func table(t *testing.T, render func(m *facts.Mark) string, tests map[string]markCase) {
	t.Helper()
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b pdftest.Builder
			resources := ""
			if tc.resources != nil {
				resources = tc.resources(&b)
			}
			page := pdftest.Page{Media: &pdftest.Box{0, 0, 500, 500}, Content: tc.content, Resources: resources, UserUnit: tc.unit}
			got, _ := marks(t, b.Document(page), render)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

type markCase struct {
	content   string
	resources func(b *pdftest.Builder) string
	unit      float64
	want      []string
}

// fixed returns a resource dictionary that needs no objects.
func fixed(text string) func(*pdftest.Builder) string {
	return func(*pdftest.Builder) string { return text }
}

func TestMarkOfAPathHasItsBox(t *testing.T) {
	t.Parallel()
	table(t, shape, map[string]markCase{
		"a rectangle":                               {content: "10 20 30 40 re f", want: []string{"path [10 20 40 60]"}},
		"a rectangle with negative sides":           {content: "40 60 -30 -40 re f", want: []string{"path [10 20 40 60]"}},
		"the page cuts it":                          {content: "-10 -10 30 40 re f", want: []string{"path [0 0 20 30]"}},
		"the clip cuts it":                          {content: "0 0 20 20 re W n 10 10 90 90 re f", want: []string{"path [10 10 20 20]"}},
		"a clip of one point removes it":            {content: "0 0 20 20 re W n 5 5 m W n 10 10 90 90 re f", want: nil},
		"a clip without a path keeps it":            {content: "W n 10 10 90 90 re f", want: []string{"path [10 10 100 100]"}},
		"a clip is gone after Q":                    {content: "q 0 0 20 20 re W n Q 10 10 90 90 re f", want: []string{"path [10 10 100 100]"}},
		"a path that clips is painted before":       {content: "0 0 90 90 re W f 0 0 99 99 re f", want: []string{"path [0 0 90 90]", "path [0 0 90 90]"}},
		"a curve is smaller than its control box":   {content: "100 100 m 100 200 200 200 200 100 c f", want: []string{"path [100 100 200 175]"}},
		"the curves v and y":                        {content: "100 100 m 150 200 200 100 v 100 100 m 150 200 200 100 y f", want: []string{"path [100 100 200 144.44]"}},
		"a move without a segment paints nothing":   {content: "400 400 m 10 10 m 20 20 l 20 10 l f", want: []string{"path [10 10 20 20]"}},
		"a lone move paints nothing":                {content: "10 10 m f 10 10 m S", want: nil},
		"a stroke reaches half its width":           {content: "10 w 100 100 m 200 100 l S", want: []string{"path stroked [95 95 205 105]"}},
		"closing draws back to the start":           {content: "0 w 10 10 m 90 10 l 90 90 l s", want: []string{"path stroked [10 10 90 90]"}},
		"fill and stroke are two marks":             {content: "2 w 10 10 20 20 re B", want: []string{"path [10 10 30 30]", "path stroked [9 9 31 31]"}},
		"after closing a path goes on at its start": {content: "10 10 m 20 10 l 20 20 l h 0 0 l f", want: []string{"path [0 0 20 20]"}},
		"a path that is not painted is no mark":     {content: "10 10 20 20 re n", want: nil},
		"nor is one beyond the page":                {content: "600 10 20 20 re f", want: nil},
		"an overflowing matrix paints no mark":      {content: "999999999999999 0 0 999999999999999 0 0 cm 1 1 9 9 re f", want: nil},
		"matrices apply when a point is made":       {content: "10 10 m 2 0 0 2 0 0 cm 20 20 l 20 5 l f", want: []string{"path [10 10 40 40]"}},
	})
}

func TestStrokeWidthIsMeasuredOnPaper(t *testing.T) {
	t.Parallel()
	width := func(m *facts.Mark) string { return short(m.Width) }
	table(t, width, map[string]markCase{
		"one unit is the default":          {content: "0 0 m 9 9 l S", want: []string{"1"}},
		"the matrix scales it":             {content: "0.5 w 0.5 0 0 0.5 0 0 cm 0 0 m 9 9 l S", want: []string{"0.25"}},
		"a turned matrix does, too":        {content: "0 2 -2 0 100 0 cm 1 w 0 0 m 9 9 l S", want: []string{"2"}},
		"a distorted one at its thinnest":  {content: "4 0 0 0.25 0 0 cm 1 w 0 0 m 9 9 l S", want: []string{"0.25"}},
		"user units enlarge it":            {content: "0.5 w 0 0 m 9 9 l S", unit: 3, want: []string{"1.5"}},
		"gs sets it":                       {content: "/G gs 0 0 m 9 9 l S", resources: fixed("/ExtGState << /G << /LW 3 >> >>"), want: []string{"3"}},
		"zero is the thinnest there is":    {content: "0 w 0 0 m 9 9 l S", want: []string{"0"}},
		"Q brings the old one back":        {content: "q 7 w Q 0 0 m 9 9 l S", want: []string{"1"}},
		"a fill has none":                  {content: "7 w 0 0 9 9 re f", want: []string{"0"}},
		"a negative width is its absolute": {content: "-2 w 0 0 m 9 9 l S", want: []string{"2"}},
	})
}

func TestThinnessOfFilledShapesIsMeasured(t *testing.T) {
	t.Parallel()
	thin := func(m *facts.Mark) string { return fmt.Sprint(geom.Round(m.Thin, 4)) }
	table(t, thin, map[string]markCase{
		"a rectangle":                            {content: "10 10 100 0.2 re f", want: []string{"0.2"}},
		"one drawn by lines":                     {content: "10 10 m 10.1 10 l 10.1 90 l 10 90 l f", want: []string{"0.1"}},
		"one that closes itself":                 {content: "10 10 m 10.1 10 l 10.1 90 l 10 90 l 10 10 l h f", want: []string{"0.1"}},
		"a turned one":                           {content: "0.7071 0.7071 -0.7071 0.7071 200 100 cm 0 0 90 0.3 re f", want: []string{"0.3"}},
		"a sheared one":                          {content: "1 0 5 1 0 0 cm 10 10 90 0.3 re f", want: []string{"0.3"}},
		"the thinnest of some":                   {content: "10 10 100 5 re 10 30 100 0.4 re f", want: []string{"0.4"}},
		"user units enlarge it":                  {content: "10 10 100 0.2 re f", unit: 2, want: []string{"0.4"}},
		"a line that is filled":                  {content: "10 10 m 90 10 l f", want: []string{"0.0001"}},
		"a rectangle without height":             {content: "10 10 90 0 re f", want: []string{"0.0001"}},
		"a border with one side":                 {content: "10 10 90 0 re 10 11 90 -0.75 re f*", want: []string{"0.75"}},
		"a side without width beside a triangle": {content: "10 10 90 0 re 10 10 m 90 10 l 90 20 l f", want: []string{"0"}},
		"two lines that are filled":              {content: "10 10 m 90 10 l 10 20 m 90 20 l f", want: []string{"0.0001"}},
		"a flat triangle":                        {content: "10 10 m 90 10 l 90 10.5 l f", want: []string{"0.5"}},
		"a flat triangle that is turned":         {content: "0.7071 0.7071 -0.7071 0.7071 200 100 cm 0 0 m 80 0 l 80 0.5 l f", want: []string{"0.5"}},
		"a flat trapezium":                       {content: "10 10 m 90 10 l 80 11 l 20 11 l f", want: []string{"1"}},
		"a flat lens":                            {content: "10 10 m 40 10.4 60 10.4 90 10 c 60 9.6 40 9.6 10 10 c f", want: []string{"0.6"}},
		"the thickest of slivers":                {content: "10 20 m 90 20 l 90 20.2 l 10 30 m 90 30 l 90 30.5 l f", want: []string{"0.5"}},
		"a wide rectangle in a thin clip":        {content: "10 10 0.3 90 re W n 0 0 90 90 re f", want: []string{"0.3"}},
		"a triangle is no sliver":                {content: "10 10 m 90 10 l 90 20 l f", want: []string{"0"}},
		"a curve is none":                        {content: "10 10 m 10 20 30 20 30 10 c f", want: []string{"0"}},
		"nor a sliver with a triangle":           {content: "10 10 100 0.2 re 10 10 m 90 10 l 90 20 l f", want: []string{"0"}},
		"a bow tie is none":                      {content: "10 10 m 90 90 l 90 10 l 10 90 l f", want: []string{"0"}},
	})
}

// axial writes a shading S between two colours.
func axial(space, from, to string) string {
	if !strings.HasPrefix(space, "[") {
		space = "/" + space
	}
	return fmt.Sprintf("/Shading << /S << /ShadingType 2 /ColorSpace %s /Coords [0 0 100 0] /Function << /FunctionType 2 /Domain [0 1] /N 1 /C0 %s /C1 %s >> >> >>", space, from, to)
}

const (
	gold     = "[/Separation /Gold /DeviceCMYK << /FunctionType 2 /Domain [0 1] /N 1 /C0 [0 0 0 0] /C1 [0 0.2 0.6 0.1] >>]"
	allInks  = "[/Separation /All /DeviceGray << /FunctionType 2 /Domain [0 1] /N 1 >>]"
	noInk    = "[/Separation /None /DeviceGray << /FunctionType 2 /Domain [0 1] /N 1 >>]"
	blackInk = "[/Separation /Black /DeviceGray << /FunctionType 2 /Domain [0 1] /N 1 >>]"
	twoInks  = "[/DeviceN [/Magenta /Gold /None] /DeviceCMYK << >>]"
)

func TestPaintListsTheInksOfAColour(t *testing.T) {
	t.Parallel()
	spaces := func(text string) func(*pdftest.Builder) string { return fixed("/ColorSpace << " + text + " >>") }
	const square = " 0 0 9 9 re f"
	table(t, colour, map[string]markCase{
		"the first colour is black":       {content: square, want: []string{"DeviceGray K1"}},
		"grey":                            {content: "0.25 g" + square, want: []string{"DeviceGray K0.75"}},
		"white grey":                      {content: "1 g" + square, want: []string{"DeviceGray white"}},
		"CMYK":                            {content: "0.1 0.2 0.3 0.4 k" + square, want: []string{"DeviceCMYK C0.1 M0.2 Y0.3 K0.4"}},
		"white CMYK":                      {content: "0 0 0 0 k" + square, want: []string{"DeviceCMYK white"}},
		"amounts are cut":                 {content: "7 -3 0 0 k" + square, want: []string{"DeviceCMYK C1"}},
		"the inks of light are not known": {content: "0.5 0.5 0.5 rg" + square, want: []string{"DeviceRGB"}},
		"white light":                     {content: "1 1 1 rg" + square, want: []string{"DeviceRGB white"}},
		"a space by name starts with its initial": {content: "/DeviceCMYK cs" + square, want: []string{"DeviceCMYK K1"}},
		"a spot starts in full":                   {content: "/C cs" + square, resources: spaces("/C " + gold), want: []string{"Separation Gold1"}},
		"a spot":                                  {content: "/C cs 0.3 scn" + square, resources: spaces("/C " + gold), want: []string{"Separation Gold0.3"}},
		"no tint is white":                        {content: "/C cs 0 scn" + square, resources: spaces("/C " + gold), want: []string{"Separation Gold0 white"}},
		"a process ink by name":                   {content: "/C cs 0.3 scn" + square, resources: spaces("/C " + blackInk), want: []string{"Separation K0.3"}},
		"registration is every ink":               {content: "/C cs 0.9 scn" + square, resources: spaces("/C " + allInks), want: []string{"Separation C0.9 M0.9 Y0.9 K0.9"}},
		"None paints nothing":                     {content: "/C cs 1 scn" + square, resources: spaces("/C " + noInk), want: nil},
		"several inks":                            {content: "/C cs 0.5 0.7 1 scn" + square, resources: spaces("/C " + twoInks), want: []string{"DeviceN M0.5 Gold0.7"}},
		"an entry of a table":                     {content: "/C cs 1 sc" + square, resources: spaces("/C [/Indexed /DeviceCMYK 1 <00000000FF003300>]"), want: []string{"DeviceCMYK C1 Y0.2"}},
		"an entry beyond the table is the last":   {content: "/C cs 9 sc" + square, resources: spaces("/C [/Indexed /DeviceCMYK 1 <00000000FF003300>]"), want: []string{"DeviceCMYK C1 Y0.2"}},
		"calibrated grey":                         {content: "/C cs 0.5 sc" + square, resources: spaces("/C [/CalGray << /WhitePoint [1 1 1] >>]"), want: []string{"CalGray K0.5"}},
		"white in Lab":                            {content: "/C cs 100 0 0 sc" + square, resources: spaces("/C [/Lab << /WhitePoint [1 1 1] >>]"), want: []string{"Lab white"}},
		"a broken space paints nothing known":     {content: "/C cs 1 sc" + square, resources: spaces("/C [/Strange 1 2]"), want: []string{""}},
		"a space that contains itself":            {content: "/C cs 1 sc" + square, resources: selfIndexed, want: []string{""}},
		"Q brings the old colour back":            {content: "q 1 1 0 0 k Q" + square, want: []string{"DeviceGray K1"}},
		"the stroke has a colour of its own":      {content: "1 0 0 0 k 0 1 0 0 K 0 0 9 9 re B", want: []string{"DeviceCMYK C1", "DeviceCMYK M1"}},
		"a profile of CMYK is ink": {
			content: "/C cs 0.1 0 0 1 sc" + square, want: []string{"ICCBased-CMYK C0.1 K1"},
			resources: func(b *pdftest.Builder) string { return "/ColorSpace << /C " + b.ICC(4) + " >>" },
		},
		"a shading has the most of each ink": {content: "/S sh", resources: fixed(axial("DeviceCMYK", "[0.5 0 0 0]", "[0 0.25 0 1]")), want: []string{"DeviceCMYK C0.5 M0.25 K1"}},
		"a shading of light has none":        {content: "/S sh", resources: fixed(axial("DeviceRGB", "[0 0 0]", "[1 1 1]")), want: []string{"DeviceRGB"}},
		"a shading of a spot":                {content: "/S sh", resources: fixed(axial(gold, "[0]", "[0.5]")), want: []string{"Separation Gold0.5"}},
		"a shading by a function of the plane": {
			content: "/S sh", want: []string{"DeviceGray K1"},
			resources: func(b *pdftest.Builder) string {
				fn := b.Stream("/FunctionType 4 /Domain [0 1 0 1] /Range [0 1]", []byte("{ mul }"))
				return fmt.Sprintf("/Shading << /S << /ShadingType 1 /ColorSpace /DeviceGray /Function %s >> >>", fn)
			},
		},
		"a shading with a function for each ink": {
			content: "/S sh", want: []string{"DeviceCMYK C1 K0.5"},
			resources: fixed("/Shading << /S << /ShadingType 3 /ColorSpace /DeviceCMYK /Coords [0 0 0 9 9 9] /Function [" +
				strings.Join([]string{ramp(1), ramp(0), ramp(0), ramp(0.5)}, " ") + "] >> >>"),
		},
		"triangles by their corners":  {content: "/S sh", resources: mesh(4, 8, "\x00\x00\x00\xff\x00\x00\x00"+"\x00\xff\x00\xff\x00\x00\x00"+"\x00\x00\xff\x00\x33\x00\x00"), want: []string{"DeviceCMYK C1 M0.2"}},
		"a lattice by its corners":    {content: "/S sh", resources: mesh(5, 0, "\x00\x00\xff\x00\x00\x00"+"\xff\x00\xff\x00\x00\x00"+"\x00\xff\x00\x00\x00\x33"+"\xff\xff\x00\x00\x00\x33"), want: []string{"DeviceCMYK C1 K0.2"}},
		"a patch by its corners":      {content: "/S sh", resources: mesh(6, 8, "\x00"+"\x00\x00\x00\x55\x00\xaa\x00\xff\x55\xff\xaa\xff\xff\xff\xff\xaa\xff\x55\xff\x00\xaa\x00\x55\x00"+"\xff\x00\x00\x00"+strings.Repeat("\x00", 11)+"\x33"), want: []string{"DeviceCMYK C1 K0.2"}},
		"a truncated mesh is ignored": {content: "/S sh", resources: mesh(7, 8, "\x00abc"), want: []string{"DeviceCMYK white"}},
		"an image has the most of each ink": {
			content: pdftest.Place("Im", 0, 0, 9, 9), want: []string{"DeviceCMYK C1 K0.2"},
			resources: func(b *pdftest.Builder) string {
				return fmt.Sprintf("/XObject << /Im %s >>", b.Flate("/Subtype /Image /Width 2 /Height 1 /BitsPerComponent 8 /ColorSpace /DeviceCMYK", []byte{255, 0, 0, 0, 0, 0, 0, 51}))
			},
		},
		"a stencil has the fill colour": {
			content: "0 1 0 0 k " + pdftest.Place("Im", 0, 0, 9, 9), want: []string{"DeviceCMYK M1"},
			resources: func(b *pdftest.Builder) string {
				return fmt.Sprintf("/XObject << /Im %s >>", b.Image(pdftest.Image{Width: 2, Height: 2, Mask: true}))
			},
		},
		"an inline image": {content: "q 9 0 0 9 0 0 cm BI /W 1 /H 1 /BPC 8 /CS /CMYK ID \xff\x00\x33\x00 EI Q", want: []string{"DeviceCMYK C1 Y0.2"}},
		"an inline image with a table": {
			content: "q 9 0 0 9 0 0 cm BI /W 1 /H 1 /BPC 8 /CS [/I /CMYK 1 <00000000FF003300>] /D [0 255] ID \x01 EI Q", want: []string{"DeviceCMYK C1 Y0.2"},
		},
		"a large grey image has the means of its parts": {
			content: pdftest.Place("Im", 0, 0, 9, 9), want: []string{"DeviceGray K0.75"},
			resources: func(b *pdftest.Builder) string {
				return fmt.Sprintf("/XObject << /Im %s >>", b.Image(pdftest.Image{Width: 1000, Height: 1000, Space: "/DeviceGray", Components: 1}))
			},
		},
	})
}

func ramp(to float64) string {
	return fmt.Sprintf("<< /FunctionType 2 /Domain [0 1] /N 1 /C0 [0] /C1 [%g] >>", to)
}

func selfIndexed(b *pdftest.Builder) string {
	r := b.Reserve()
	b.Set(r, "[/Indexed %s 1 <0000>]", r)
	return fmt.Sprintf("/ColorSpace << /C %s >>", r)
}

// mesh writes a shading S with CMYK colours and coordinates of eight bits.
func mesh(kind, flag int, data string) func(b *pdftest.Builder) string {
	return func(b *pdftest.Builder) string {
		more := ""
		if flag > 0 {
			more = fmt.Sprintf(" /BitsPerFlag %d", flag)
		}
		return fmt.Sprintf("/Shading << /S %s >>", b.Stream(fmt.Sprintf(
			"/ShadingType %d /ColorSpace /DeviceCMYK /BitsPerCoordinate 8 /BitsPerComponent 8 /VerticesPerRow 2 /Decode [0 100 0 100 0 1 0 1 0 1 0 1]%s", kind, more), []byte(data)))
	}
}
