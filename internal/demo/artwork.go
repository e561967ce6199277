// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"

	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
)

// flyer is the artwork of the demo: a page of A4 with a landscape, text and two photos.
type flyer struct {
	title string
	// bleed is how far the artwork and the BleedBox extend beyond the trim, in millimetres.
	bleed float64
	// photos are the colour spaces of both photos, and ppi their resolutions.
	photos [2]string
	ppi    [2]float64
	// band is the colour of the band at the foot.
	band string
}

// sound is a flyer without faults.
func sound() flyer {
	return flyer{title: "Spring Fair", bleed: 3, photos: [2]string{"/DeviceCMYK", "/DeviceCMYK"}, ppi: [2]float64{300, 300}, band: "0.9 0.55 0.2 0.1"}
}

// The size of a photo in millimetres: 2 x 4/3 inches.
const photoWidth, photoHeight = 50.8, 25.4 * 4 / 3

// artwork is a document of flyers.
type artwork struct {
	*pdftest.Sound
	fonts  string
	photos map[string]pdftest.Ref
}

// start begins a document with the fonts F1 and F2, and the profile of a press as output intent.
func start(title string) (*artwork, error) {
	s := pdftest.NewSound()
	s.Info["Title"], s.Info["Producer"] = "("+title+")", "(printmarket demo)"
	s.Intents = s.Intent("GTS_PDFX", "FOGRA51", s.ProfileStream(4, pdftest.Profile{Space: "CMYK", Press: true, Name: "Demo coated"}))
	regular, err := embed(s, "Go-Regular", goregular.TTF)
	if err != nil {
		return nil, err
	}
	bold, err := embed(s, "Go-Bold", gobold.TTF)
	return &artwork{s, fmt.Sprintf("/Font << /F1 %s /F2 %s >>", regular, bold), map[string]pdftest.Ref{}}, err
}

// embed writes a TrueType font with the characters of ASCII.
func embed(s *pdftest.Sound, name string, program []byte) (pdftest.Ref, error) {
	parsed, err := sfnt.Parse(program)
	if err != nil {
		return 0, fmt.Errorf("read the font %s: %w", name, err)
	}
	var buffer sfnt.Buffer
	var widths []string
	for r := ' '; r <= '~'; r++ {
		glyph, err := parsed.GlyphIndex(&buffer, r)
		if err != nil {
			return 0, fmt.Errorf("read the font %s: %w", name, err)
		}
		advance, err := parsed.GlyphAdvance(&buffer, glyph, fixed.I(1000), font.HintingNone)
		if err != nil {
			return 0, fmt.Errorf("read the font %s: %w", name, err)
		}
		widths = append(widths, strconv.Itoa(advance.Round()))
	}
	file := s.Flate(fmt.Sprintf("/Length1 %d", len(program)), program)
	descriptor := s.Add("<< /Type /FontDescriptor /FontName /%s /Flags 32 /FontBBox [-440 -432 2160 1041] /ItalicAngle 0 /Ascent 935 /Descent -211 /CapHeight 700 /StemV 90 /FontFile2 %s >>", name, file)
	return s.Add("<< /Type /Font /Subtype /TrueType /BaseFont /%s /FirstChar 32 /LastChar 126 /Widths [%s] /Encoding /WinAnsiEncoding /FontDescriptor %s >>",
		name, strings.Join(widths, " "), descriptor), nil
}

// page draws a flyer. Lengths are millimetres from the lower left corner of the trim.
func (s *artwork) page(f flyer) pdftest.Page {
	ramp := s.Add("<< /FunctionType 2 /Domain [0 1] /C0 [0 0.22 0.6 0] /C1 [0.82 0.42 0 0] /N 0.8 >>")
	sky := s.Add("<< /ShadingType 2 /ColorSpace /DeviceCMYK /Coords [0 170 0 300] /Function %s /Extend [true true] >>", ramp)
	low, right, top := -f.bleed, 210+f.bleed, 297+f.bleed
	var c strings.Builder
	scale := pdftest.MM(1)
	fmt.Fprintf(&c, "q %.5f 0 0 %.5f %.3f %.3f cm\n", scale, scale, pdftest.MM(10), pdftest.MM(10))
	fmt.Fprintf(&c, "q %g 150 %g %g re W n /Sky sh Q\n", low, right-low, top-150)
	circle(&c, "0 0.08 0.55 0", 150, 212, 17)
	hill(&c, "0.55 0.1 0.5 0.05", low, right, 150, 178, 205, 186)
	hill(&c, "0.7 0.15 0.8 0.1", low, right, 150, 196, 162, 178)
	hill(&c, "0.8 0.3 0.95 0.2", low, right, 150, 160, 182, 158)
	fmt.Fprintf(&c, "%s k %g %g %g %g re f\n", f.band, low, low, right-low, 22-low)
	line := func(font string, points, y float64, color, words string) {
		fmt.Fprintf(&c, "BT /%s %.7g Tf %s k 18 %g Td (%s) Tj ET\n", font, points/scale, color, y, words)
	}
	const white, black, blue = "0 0 0 0", "0 0 0 1", "0.9 0.55 0.2 0.1"
	line("F2", 56, 262, white, f.title)
	line("F1", 20, 249, white, "Crafts, music and good food by the river")
	line("F2", 23, 128, blue, "Saturday 17 April, 10 to 18 h")
	for i, words := range []string{
		"Ninety makers from the region show what they do:", "potters, bookbinders, bakers and smiths. Try the old", "letterpress and take your own poster home.", "",
		"Entry is free. Trams 4 and 11 stop at the gate;", "there are stands for 300 bicycles.",
	} {
		line("F1", 13, 114-float64(i)*7, black, words)
	}
	line("F1", 14, 9, white, "Old Harbour, Quay 12   www.fair.example")
	var photos strings.Builder
	for i := range f.photos {
		fmt.Fprintf(&photos, " /Photo%d %s", i, s.photo(f.photos[i], f.ppi[i], i))
		fmt.Fprintf(&c, "q %g 0 0 %g 141.2 %g cm /Photo%d Do Q\n", photoWidth, photoHeight, 94-44*float64(i), i)
	}
	c.WriteString("Q\n")
	page := pdftest.Print(c.String(), fmt.Sprintf("%s /Shading << /Sky %s >> /XObject <<%s >>", s.fonts, sky, &photos))
	page.Bleed = page.Trim.Around(pdftest.MM(f.bleed))
	return page
}

// circle fills a circle.
func circle(c *strings.Builder, color string, x, y, radius float64) {
	const bend = 0.5523
	b := bend * radius
	fmt.Fprintf(c, "%s k %g %g m %g %g %g %g %g %g c %g %g %g %g %g %g c %g %g %g %g %g %g c %g %g %g %g %g %g c f\n", color, x+radius, y,
		x+radius, y+b, x+b, y+radius, x, y+radius, x-b, y+radius, x-radius, y+b, x-radius, y,
		x-radius, y-b, x-b, y-radius, x, y-radius, x+b, y-radius, x+radius, y-b, x+radius, y)
}

// hill fills a curve from one side to the other down to a floor.
func hill(c *strings.Builder, color string, low, right, floor, from, over, to float64) {
	fmt.Fprintf(c, "%s k %g %g m %g %g l %g %g %g %g %g %g c %g %g l f\n", color, low, floor, low, from, low+70, over, right-70, 2*floor-over+40, right, to, right, floor)
}

// photo writes a picture of three fruits before a wall, once.
func (s *artwork) photo(space string, ppi float64, index int) pdftest.Ref {
	name := fmt.Sprint(space, ppi, index)
	if known, ok := s.photos[name]; ok {
		return known
	}
	width, height := int(photoWidth/25.4*ppi+0.5), int(photoHeight/25.4*ppi+0.5)
	samples := make([]byte, 0, 4*width*height)
	for y := range height {
		for x := range width {
			r, g, b := still(float64(x)/float64(width)*photoWidth, float64(y)/float64(height)*photoHeight, index)
			if space == "/DeviceRGB" {
				samples = append(samples, byte(255*r), byte(255*g), byte(255*b))
				continue
			}
			black := 0.6 * (1 - max(r, g, b))
			samples = append(samples, byte(255*(1-r-black)), byte(255*(1-g-black)), byte(255*(1-b-black)), byte(255*black))
		}
	}
	s.photos[name] = s.Flate(fmt.Sprintf("/Type /XObject /Subtype /Image /BitsPerComponent 8 /Width %d /Height %d /ColorSpace %s", width, height, space), samples)
	return s.photos[name]
}

// still returns the colour of the picture at a place in millimetres from its upper left corner. Light
// falls from the upper left.
func still(x, y float64, index int) (r, g, b float64) {
	shade := 0.75 + 0.2*x/photoWidth
	r, g, b = 0.62*shade, 0.72*shade, 0.74*shade // the wall
	if y > 25 {
		r, g, b = 0.66-0.004*y, 0.5-0.004*y, 0.36-0.003*y // the table
	}
	for i, at := range [][3]float64{{15, 19, 10}, {36, 20, 9}, {26, 23, 8}} {
		dx, dy, radius := x-at[0], y-at[1], at[2]
		if shadow := math.Hypot((dx-2)/1.2, (y-at[1]-radius+1)*3) / radius; y > 25 && shadow < 1 {
			dark := 0.45 + 0.55*shadow
			r, g, b = r*dark, g*dark, b*dark
		}
		if d := math.Hypot(dx, dy) / radius; d < 1 {
			z := math.Sqrt(1 - d*d)
			light := 0.35 + 0.65*max(0, 0.75*z-0.4*dx/radius-0.5*dy/radius)
			gloss := math.Pow(max(0, 0.78*z-0.42*dx/radius-0.46*dy/radius), 40)
			green := 0.55
			if (i+index)%3 == 2 { // a lemon
				green = 0.85
			}
			r, g, b = min(1, 0.98*light+gloss), min(1, green*light+gloss), min(1, 0.1*light+gloss)
		}
	}
	return r, g, b
}
