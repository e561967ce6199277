// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/tiff"

	"github.com/printmarket/printmarket/pkg/preflight/internal/color"
	"github.com/printmarket/printmarket/pkg/preflight/internal/content"
	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/raster"
	"github.com/printmarket/printmarket/pkg/preflight/internal/render"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
)

// ghostscriptCMYK is the profile that Ghostscript converts to when it has no other.
const ghostscriptCMYK = "/usr/share/color/icc/ghostscript/default_cmyk.icc"

// separation is one page of Ghostscript's tiffsep: the planes by the name of their ink.
type separation map[string]*image.Gray

var planeName = regexp.MustCompile(`^p(\d+)\((.*)\)\.tif$`)

// separations renders pages of a file with Ghostscript, at four times the resolution
// and reduced, so that edges are means like ours.
func separations(t *testing.T, file string, pages int, resolution float64) (map[int]separation, error) {
	t.Helper()
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, "gs", "-q", "-dNOPAUSE", "-dBATCH", "-dSAFER", "-dPDFSTOPONERROR=false",
		"-sDEVICE=tiffsep", "-sCompression=none", fmt.Sprintf("-r%g", resolution*4), "-dDownScaleFactor=4", "-dMaxSpots=12",
		fmt.Sprintf("-dLastPage=%d", pages), "-dPrinted=true", "-sOutputFile="+filepath.Join(dir, "p%d.tif"), file)
	if output, err := command.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, output[:min(len(output), 400)])
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	out := map[int]separation{}
	for _, entry := range entries {
		match := planeName.FindStringSubmatch(entry.Name())
		if match == nil {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return nil, err
		}
		picture, err := tiff.Decode(bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		gray, ok := picture.(*image.Gray)
		if !ok {
			return nil, fmt.Errorf("%s is %T", entry.Name(), picture)
		}
		var number int
		fmt.Sscan(match[1], &number)
		if out[number] == nil {
			out[number] = separation{}
		}
		out[number][match[2]] = gray
	}
	return out, nil
}

// difference is the comparison of one plane.
type difference struct {
	page int
	ink  string
	// mean is the mean difference of the amounts, in percent.
	mean        float64
	ours, other float64 // mean amounts in percent
}

// compared is the comparison of one page.
type compared struct {
	planes []difference
	// total is the difference of the highest totals, in percent.
	total    float64
	partial  bool
	highest  [2]float64
	duration time.Duration
}

// openFile is a file whose pages can be rendered, with the colours of Ghostscript.
type openFile struct {
	pages       []document.Page
	collector   *facts.Collector
	renderer    *render.Renderer
	interpreter *content.Interpreter
}

// openToRender opens a file. It fails with [io.EOF] for a file without pages to render.
func openToRender(t *testing.T, file string) (*openFile, error) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	profile, err := os.ReadFile(ghostscriptCMYK)
	if err != nil {
		return nil, err
	}
	collector := facts.NewCollector(nil)
	doc, err := document.Open(t.Context(), bytes.NewReader(data), int64(len(data)), document.DefaultLimits(), collector)
	if err != nil || doc == nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	pages := doc.Pages()
	if doc.Opaque() || len(pages) == 0 {
		return nil, io.EOF
	}
	output, err := color.NewOutput(doc, profile, "ghostscript", color.RelativeColorimetric)
	if err != nil {
		return nil, err
	}
	renderer := render.New(doc, 1, output)
	return &openFile{pages, collector, renderer, content.New(doc, collector, document.DefaultLimits(), renderer)}, nil
}

// render renders a page and returns its ink.
func (o *openFile) render(ctx context.Context, page int) (*facts.InkMap, error) {
	if err := o.interpreter.Page(ctx, &o.pages[page]); err != nil {
		return nil, err
	}
	return o.collector.Document().Pages[page].Ink, nil
}

// comparePlanes renders the first pages of a file with both and compares each. The pages have one size.
func comparePlanes(t *testing.T, file string, most int) ([]compared, error) {
	t.Helper()
	opened, err := openToRender(t, file)
	if err != nil {
		return nil, err
	}
	var all []compared
	var separated map[int]separation
	for i := range opened.pages[:min(len(opened.pages), most)] {
		start := time.Now()
		ink, err := opened.render(t.Context(), i)
		if err != nil {
			return nil, err
		}
		out := compared{duration: time.Since(start), partial: !ink.Complete}
		if separated == nil {
			if separated, err = separations(t, file, most, ink.Resolution); err != nil {
				return nil, err
			}
		}
		out.compare(t, opened, i, separated[i+1])
		if dir := os.Getenv("PRINTMARKET_PLANES"); dir != "" {
			dump(t, dir, file, i+1, opened.renderer, ink, separated[i+1])
		}
		all = append(all, out)
	}
	return all, nil
}

// compare compares the planes of the rendered page with those of Ghostscript.
func (c *compared) compare(t *testing.T, opened *openFile, page int, theirs separation) {
	t.Helper()
	for name, plane := range theirs {
		theirs[name] = unrotated(plane, opened.pages[page].Rotate)
	}
	width, height := 0, 0
	for _, plane := range theirs {
		width, height = plane.Rect.Dx(), plane.Rect.Dy()
	}
	seen := raster.Pixels(opened.renderer.Device().Rect(opened.pages[page].Visible()))
	totals, others := make([]int, width*height), make([]int, width*height)
	for _, plane := range opened.collector.Document().Pages[page].Ink.Planes {
		amounts, stride := opened.renderer.Plane(plane.Name)
		other := theirs[plane.Name]
		d := difference{page: page + 1, ink: plane.Name}
		n := 0
		for y := max(0, seen.Min.Y); y < min(height, seen.Max.Y); y++ {
			for x := max(0, seen.Min.X); x < min(width, seen.Max.X); x++ {
				ours, their := 0, 0
				if at := y*stride + x; x < stride && at < len(amounts) {
					ours = int(amounts[at])
				}
				if other != nil {
					their = 255 - int(other.Pix[y*other.Stride+x])
				}
				totals[y*width+x] += ours
				others[y*width+x] += their
				d.mean += math.Abs(float64(ours - their))
				d.ours += float64(ours)
				d.other += float64(their)
				n++
			}
		}
		if n > 0 {
			d.mean, d.ours, d.other = d.mean/float64(n)/2.55, d.ours/float64(n)/2.55, d.other/float64(n)/2.55
		}
		c.planes = append(c.planes, d)
	}
	c.highest = [2]float64{most9(totals), most9(others)}
	c.total = math.Abs(c.highest[0] - c.highest[1])
}

// dump writes the planes of both side by side, for a look at a difference.
func dump(t *testing.T, dir, file string, page int, renderer *render.Renderer, ink *facts.InkMap, theirs separation) {
	t.Helper()
	for _, plane := range ink.Planes {
		other := theirs[plane.Name]
		if other == nil {
			continue
		}
		w, h := other.Rect.Dx(), other.Rect.Dy()
		amounts, stride := renderer.Plane(plane.Name)
		var out bytes.Buffer
		fmt.Fprintf(&out, "P5 %d %d 255\n", 2*w+4, h)
		for y := range h {
			for x := range w {
				v := byte(255)
				if at := y*stride + x; x < stride && at < len(amounts) {
					v = 255 - amounts[at]
				}
				out.WriteByte(v)
			}
			out.Write([]byte{128, 128, 128, 128})
			for x := range w {
				out.WriteByte(other.GrayAt(x, y).Y)
			}
		}
		name := fmt.Sprintf("%s-%d-%s.pgm", strings.TrimSuffix(filepath.Base(file), ".pdf"), page, strings.ReplaceAll(plane.Name, "/", "_"))
		if err := os.WriteFile(filepath.Join(dir, name), out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// unrotated undoes the rotation of a page, in degrees clockwise.
func unrotated(p *image.Gray, degrees int) *image.Gray {
	if degrees == 0 {
		return p
	}
	w, h := p.Rect.Dx(), p.Rect.Dy()
	if degrees%180 != 0 {
		w, h = h, w
	}
	out := image.NewGray(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			u, v := x, y
			switch degrees {
			case 90:
				u, v = h-1-y, x
			case 180:
				u, v = w-1-x, h-1-y
			case 270:
				u, v = y, w-1-x
			}
			out.SetGray(x, y, p.GrayAt(u, v))
		}
	}
	return out
}

func separationOf(t *testing.T, file string, page int, resolution float64) (separation, error) {
	t.Helper()
	all, err := separations(t, file, page, resolution)
	if err != nil {
		return nil, err
	}
	return all[page], nil
}

// most9 returns the total that 99.9 % of the inked pixels do not exceed, in percent: single
// pixels at edges differ.
func most9(totals []int) float64 {
	var counts [16*255 + 1]int
	n := 0
	for _, v := range totals {
		if v > 2 {
			counts[v]++
			n++
		}
	}
	left := n / 1000
	for v := len(counts) - 1; v > 0; v-- {
		if left -= counts[v]; left < 0 {
			return float64(v) / 2.55
		}
	}
	return 0
}

// composition is a page that is composited: what judging object by object cannot see.
type composition struct {
	content   string
	resources func(b *pdftest.Builder) string
	// extra goes into the dictionary of the page.
	extra string
}

// goFont writes a TrueType font with a program.
func goFont(b *pdftest.Builder) pdftest.Ref {
	program := b.Flate(fmt.Sprintf("/Length1 %d", len(goregular.TTF)), goregular.TTF)
	descriptor := b.Add("<< /Type /FontDescriptor /FontName /GoRegular /Flags 32 /FontBBox [0 0 1000 1000] /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 /FontFile2 %s >>", program)
	return b.Add("<< /Type /Font /Subtype /TrueType /BaseFont /GoRegular /FirstChar 65 /LastChar 66 /Widths [680 680] /Encoding /WinAnsiEncoding /FontDescriptor %s >>", descriptor)
}

// bilevelDisc is a page of 96 x 64 pixels in JBIG2: a disc and an edge, as the tests of package codec
// encode them.
const bilevelDisc = "000000003000010000001300000060000000400000000000000000000000000000012600010000006a00000060000000400000000000000000000803" +
	"fffdff02fefefea4e14ab5adbf18aed0d40659f706c9d4ac941450166ef2a3f519c99e88bd6ddca64609a1b137a5b8f97074fad830a0cacd8ead630a" +
	"3d7cb0887d4aaa953c5d750a7cd561839e26a8c598b7824adfffac"

// jpeg2000 returns the data of a picture that OpenJPEG has encoded.
func jpeg2000(t *testing.T, picture image.Image, args ...string) []byte {
	t.Helper()
	directory := t.TempDir()
	in, out := filepath.Join(directory, "in.png"), filepath.Join(directory, "out.jp2")
	var data bytes.Buffer
	if err := errors.Join(png.Encode(&data, picture), os.WriteFile(in, data.Bytes(), 0o600)); err != nil {
		t.Fatalf("write the picture: %v", err)
	}
	if text, err := exec.CommandContext(t.Context(), "opj_compress", append([]string{"-i", in, "-o", out}, args...)...).CombinedOutput(); err != nil {
		t.Fatalf("opj_compress: %v\n%s", err, text)
	}
	coded, err := os.ReadFile(out)
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	return coded
}

// bitsOf packs bits, which are written as text.
func bitsOf(parts ...string) []byte {
	var out []byte
	for i, bit := range strings.ReplaceAll(strings.Join(parts, ""), " ", "") {
		if i%8 == 0 {
			out = append(out, 0)
		}
		out[i/8] |= byte(bit-'0') << (7 - i%8)
	}
	return out
}

// inlineHex returns deflated samples in hexadecimal digits.
func inlineHex(samples []byte) string {
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	_, _ = w.Write(samples)
	_ = w.Close()
	return hex.EncodeToString(packed.Bytes()) + ">"
}

// compositions returns pages with overprinting, transparency, clips, patterns, gradients,
// images and text.
func compositions(t *testing.T) map[string]composition {
	t.Helper()
	const states = "/ExtGState << /O << /OP true /op true /OPM 1 >> /Z << /OP true /op true /OPM 0 >> /H << /ca 0.5 /CA 0.5 >> " +
		"/N << /ca 0 >> /C << /BM /Color >> /M << /BM /Multiply >> /S << /BM /Screen >> /D << /BM /Darken >> /L << /BM /Lighten >> /X << /BM /ColorBurn >> /Lu << /BM /Luminosity >> >> "
	const gold = "/ColorSpace << /Gold [/Separation /Gold /DeviceCMYK << /FunctionType 2 /Domain [0 1] /C0 [0 0 0 0] /C1 [0 0.2 0.8 0.1] /N 1 >>] " +
		"/All [/Separation /All /DeviceCMYK << /FunctionType 2 /Domain [0 1] /C0 [0 0 0 0] /C1 [1 1 1 1] /N 1 >>] " +
		"/Two [/DeviceN [/Cyan /Gold] /DeviceCMYK << /FunctionType 4 /Domain [0 1 0 1] /Range [0 1 0 1 0 1 0 1] /Length 0 >>] >> "
	plain := func(more string) func(*pdftest.Builder) string {
		return func(*pdftest.Builder) string { return states + more }
	}
	shape := func(color string) string { return color + " 150 250 250 250 re f " }
	below := "1 0 0.4 0 k 60 160 250 250 re f "
	group := func(dict, content string) func(b *pdftest.Builder) string {
		return func(b *pdftest.Builder) string {
			form := b.Stream("/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Group << /S /Transparency "+dict+" >> /Resources << "+states+" >>", []byte(content))
			return states + fmt.Sprintf("/XObject << /G %s >> ", form)
		}
	}
	square := func(b *pdftest.Builder, dict string, pixels []byte) string {
		return fmt.Sprintf("/XObject << /I %s >> ", b.Flate("/Type /XObject /Subtype /Image "+dict, pixels))
	}
	ramp := make([]byte, 64*64*4)
	for i := range 64 * 64 {
		ramp[4*i], ramp[4*i+1], ramp[4*i+2], ramp[4*i+3] = byte(i%64*4), byte(i/64*4), byte(255-i%64*4), byte(i%7*20)
	}
	bits := make([]byte, 32*512)
	for i := range bits {
		if (i/32/20+i%32/2)%3 == 0 {
			bits[i] = 0xff
		}
	}
	coded := func(b *pdftest.Builder, dict string, data []byte) string {
		if strings.Contains(dict, "/FlateDecode") {
			var packed bytes.Buffer
			w := zlib.NewWriter(&packed)
			_, _ = w.Write(data)
			_ = w.Close()
			data = packed.Bytes()
		}
		return fmt.Sprintf("/XObject << /I %s >> ", b.Stream("/Type /XObject /Subtype /Image "+dict, data))
	}
	slopes := image.NewGray(image.Rect(0, 0, 120, 90))
	for i := range slopes.Pix {
		slopes.Pix[i] = byte(i%120 + i/120)
	}
	disc, err := hex.DecodeString(bilevelDisc)
	if err != nil {
		t.Fatalf("hex.DecodeString: %v", err)
	}
	// nested returns a form with the attributes of a group that paints content and then another group.
	nested := func(outer, inner, content, innerContent string) func(b *pdftest.Builder) string {
		return func(b *pdftest.Builder) string {
			const form = "/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Group << /S /Transparency %s >> /Resources << " + states + "%s >>"
			in := b.Stream(fmt.Sprintf(form, inner, ""), []byte(innerContent))
			out := b.Stream(fmt.Sprintf(form, outer, fmt.Sprintf("/XObject << /N %s >>", in)), []byte(content+" /N Do"))
			return fmt.Sprintf("/XObject << /G %s >> ", out)
		}
	}
	type parts struct {
		content   string
		resources func(b *pdftest.Builder) string
	}
	all := map[string]parts{
		"knockout":                               {below + shape("0 1 0 0.2 k"), plain("")},
		"overprint without zeros":                {below + "/O gs " + shape("0 1 0 0.2 k"), plain("")},
		"overprint with zeros":                   {below + "/Z gs " + shape("0 1 0 0.2 k"), plain("")},
		"overprint of a spot":                    {below + "/O gs /Gold cs 0.7 scn " + shape(""), plain(gold)},
		"a spot knocks out":                      {below + "/Gold cs 0.7 scn " + shape(""), plain(gold)},
		"a spot below an overprint":              {"/Gold cs 1 scn 60 160 250 250 re f /Z gs " + shape("0 0.5 0 0 k"), plain(gold)},
		"registration":                           {below + "/All cs 0.6 scn " + shape(""), plain(gold)},
		"half opaque":                            {below + "/H gs " + shape("0 1 0 0.2 k"), plain("")},
		"multiply":                               {below + "/M gs " + shape("0.5 1 0 0.2 k"), plain("")},
		"screen":                                 {below + "/S gs " + shape("0.5 1 0 0.2 k"), plain("")},
		"darken":                                 {below + "/D gs " + shape("0.5 1 0 0.2 k"), plain("")},
		"lighten":                                {below + "/L gs " + shape("0.5 1 0 0.2 k"), plain("")},
		"a group, half opaque":                   {below + "/H gs /G Do", group("", shape("0 1 0 0.2 k")+"0.3 0 0 0 k 200 300 100 100 re f")},
		"an isolated group, multiplied":          {below + "/M gs /G Do", group("/I true", shape("0 1 0 0.2 k"))},
		"multiply in a group":                    {below + "/G Do", group("", "/M gs "+shape("0.5 1 0 0.2 k"))},
		"multiply in a group in RGB":             {below + "/G Do", group("/I true /CS /DeviceRGB", "0.9 0.3 0.2 rg 100 200 200 200 re f /M gs 0.2 0.6 0.9 rg 150 250 250 250 re f 0 1 0 0.2 k 120 220 60 250 re f")},
		"half opaque in a group in RGB":          {below + "/G Do", group("/I true /CS /DeviceRGB", "0.9 0.3 0.2 rg 100 200 200 200 re f /H gs 0.2 0.6 0.9 rg 150 250 250 250 re f 0 1 0 0.2 k 120 220 60 250 re f")},
		"screen in a knockout group in RGB":      {below + "/G Do", group("/I true /K true /CS /DeviceRGB", "0.9 0.3 0.2 rg 100 200 200 200 re f /S gs 0.2 0.6 0.9 rg 150 250 250 250 re f")},
		"inks in an isolated group in RGB":       {below + "/G Do", group("/I true /CS /DeviceRGB", "0 1 0 0.2 k 150 250 250 250 re f /H gs 0 0 0 1 k 200 200 50 300 re f")},
		"luminosity in an isolated group in RGB": {below + "/G Do", group("/I true /CS /DeviceRGB", "0.9 0.3 0.2 rg 100 200 200 200 re f /Lu gs 0.2 0.6 0.9 rg 150 250 250 250 re f")},

		"a group in CMYK in a group in RGB": {below + "/G Do", func(b *pdftest.Builder) string {
			inner := b.Stream("/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Group << /S /Transparency /I true /CS /DeviceCMYK >> /Resources << "+states+" >>",
				[]byte("0.3 0.6 0 0 k 150 250 250 250 re f /M gs 0 0.5 0.5 0 k 120 220 60 250 re f"))
			form := b.Stream("/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Group << /S /Transparency /I true /CS /DeviceRGB >> /Resources << "+states+fmt.Sprintf("/XObject << /N %s >> >>", inner),
				[]byte("0.9 0.3 0.2 rg 100 200 200 200 re f /M gs /N Do"))
			return states + fmt.Sprintf("/XObject << /G %s >> ", form)
		}},
		"an image in CMYK in a group in RGB": {below + "/G Do", func(b *pdftest.Builder) string {
			image := b.Flate("/Type /XObject /Subtype /Image /Width 64 /Height 64 /BitsPerComponent 8 /ColorSpace /DeviceCMYK", ramp)
			form := b.Stream("/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Group << /S /Transparency /I true /CS /DeviceRGB >> /Resources << "+states+fmt.Sprintf("/XObject << /I %s >> >>", image),
				[]byte("0.9 0.3 0.2 rg 100 200 200 200 re f /M gs q 300 0 0 300 200 250 cm /I Do Q"))
			return states + fmt.Sprintf("/XObject << /G %s >> ", form)
		}},
		"a gradient and an image in RGB in a group in RGB": {below + "/G Do", func(b *pdftest.Builder) string {
			image := b.Flate("/Type /XObject /Subtype /Image /Width 73 /Height 73 /BitsPerComponent 8 /ColorSpace /DeviceRGB", ramp)
			gradient := "/Shading << /R << /ShadingType 2 /ColorSpace /DeviceRGB /Coords [100 100 500 700] /Extend [true true] /Function << /FunctionType 2 /Domain [0 1] /C0 [1 0.4 0] /C1 [0 0.5 1] /N 1 >> >> >>"
			form := b.Stream("/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Group << /S /Transparency /I true /CS /DeviceRGB >> /Resources << "+states+gradient+fmt.Sprintf("/XObject << /I %s >> >>", image),
				[]byte("q 100 200 300 300 re W n /R sh Q /M gs q 300 0 0 300 200 250 cm /I Do Q"))
			return states + fmt.Sprintf("/XObject << /G %s >> ", form)
		}},
		"a knockout group with a part without opacity":        {below + "/G Do", group("/K true", shape("0 1 0 0.2 k")+"/N gs 0.9 0 0 0 k 200 300 300 100 re f")},
		"colours blended in a knockout group":                 {below + "/G Do", group("/K true", "/C gs "+shape("0 0.6 1 0 k"))},
		"a knockout group":                                    {below + "/G Do", group("/K true", "/H gs "+shape("0 1 0 0.2 k")+"0.9 0 0 0 k 200 300 300 100 re f")},
		"a group in a knockout group":                         {below + "/G Do", nested("/K true", "", "/H gs "+shape("0 1 0 0.2 k"), "0.9 0 0 0 k 200 300 300 100 re f 0 0 1 0 k 250 320 60 200 re f")},
		"a multiplied group in a knockout group":              {below + "/G Do", nested("/K true", "", shape("0 1 0 0.2 k"), "/M gs 0.9 0 0 0 k 200 300 300 100 re f 0 0.5 1 0 k 250 320 60 200 re f")},
		"an isolated group, half opaque, in a knockout group": {below + "/G Do", nested("/K true", "/I true", shape("0 1 0 0.2 k")+"/H gs ", "0.9 0 0 0 k 200 300 300 100 re f 0 0 1 0 k 250 320 60 200 re f")},
		"half opaque parts of a group in a knockout group":    {below + "/G Do", nested("/K true", "", shape("0 1 0 0.2 k"), "/H gs 0.9 0 0 0 k 200 300 300 100 re f 0 0 1 0 k 250 320 60 200 re f")},
		"a knockout group in a knockout group":                {below + "/G Do", nested("/K true", "/K true", shape("0 1 0 0.2 k"), "/H gs 0.9 0 0 0 k 200 300 300 100 re f 0 0 1 0 k 250 320 60 200 re f")},
		"a group in an isolated knockout group":               {below + "/G Do", nested("/I true /K true", "", shape("0 1 0 0.2 k"), "/M gs 0.9 0 0 0 k 200 300 300 100 re f 0 0.5 1 0 k 250 320 60 200 re f")},
		"a soft mask": {below + "/F gs " + shape("0 1 0 0.2 k"), func(b *pdftest.Builder) string {
			shading := "/Shading << /R << /ShadingType 2 /ColorSpace /DeviceGray /Coords [150 0 400 0] /Function << /FunctionType 2 /Domain [0 1] /C0 [0] /C1 [1] /N 1 >> >> >>"
			form := b.Stream("/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Group << /S /Transparency /CS /DeviceGray >> /Resources << "+shading+" >>", []byte("/R sh"))
			return fmt.Sprintf("/ExtGState << /F << /SMask << /S /Luminosity /G %s >> >> >> ", form)
		}},
		"a soft mask of an image below another": {below + "/F gs q 400 0 0 400 100 200 cm /I Do Q", func(b *pdftest.Builder) string {
			form := b.Stream("/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Group << /S /Transparency /CS /DeviceGray >> /Resources << >>", []byte("1 g 0 0 300 800 re f"))
			mask := b.Flate("/Type /XObject /Subtype /Image /Width 64 /Height 64 /BitsPerComponent 8 /ColorSpace /DeviceGray /Decode [0.5 1]", ramp[:64*64])
			return fmt.Sprintf("/ExtGState << /F << /SMask << /S /Luminosity /G %s >> >> >> ", form) + square(b, fmt.Sprintf("/Width 64 /Height 64 /BitsPerComponent 8 /ColorSpace /DeviceCMYK /SMask %s", mask), ramp)
		}},
		"curves, even-odd rule":   {"0 0 0 1 k 300 400 m 450 400 450 600 300 600 c 150 600 150 400 300 400 c h 250 450 100 100 re f*", plain("")},
		"a clip by a curve":       {"q 300 400 m 450 400 450 600 300 600 c 150 600 150 400 300 400 c h W n " + "0 1 1 0 k 0 0 600 800 re f Q", plain("")},
		"wide lines":              {"0 0 1 0.3 K 20 w 1 j 1 J 100 100 m 300 500 l 500 100 l S 2 J 0 j 12 w 100 600 m 300 700 l 500 600 l s", plain("")},
		"dashes":                  {"1 0 0 0 K 10 w [40 20] 10 d 60 100 m 500 700 l S", plain("")},
		"areas without an extent": {"0 0 0 1 k " + strings.Repeat("100 100 300 0 re 100 100 0 300 re f 1 0 0 1 2 2 cm ", 60), plain("")},
		"a line style of a state": {"1 0 0 0 K /D gs 60 100 m 500 700 l 540 300 l S", func(*pdftest.Builder) string {
			return "/ExtGState << /D << /LW 20 /LC 1 /LJ 1 /ML 2 /D [[60 40] 10] >> >> "
		}},
		"a form without an extent": {below + "/F Do", func(b *pdftest.Builder) string {
			return fmt.Sprintf("/XObject << /F %s >> ", b.Stream("/Type /XObject /Subtype /Form /BBox [0 0 0 0]", []byte(shape("0 1 0 0.2 k"))))
		}},
		"an axial gradient": {"/R sh", plain("/Shading << /R << /ShadingType 2 /ColorSpace /DeviceCMYK /Coords [100 100 500 700] /Extend [true false] /Function << /FunctionType 2 /Domain [0 1] /C0 [1 0 0 0] /C1 [0 0.5 1 0.2] /N 1 >> >> >>")},
		"a radial gradient": {"/R sh", plain("/Shading << /R << /ShadingType 3 /ColorSpace /DeviceCMYK /Coords [300 400 50 320 420 250] /Extend [false false] /Function << /FunctionType 2 /Domain [0 1] /C0 [1 0 0 0] /C1 [0 0.5 1 0.2] /N 1.5 >> >> >>")},
		"an image in CMYK": {"q 400 40 -40 400 100 200 cm /I Do Q", func(b *pdftest.Builder) string {
			return square(b, "/Width 64 /Height 64 /BitsPerComponent 8 /ColorSpace /DeviceCMYK", ramp)
		}},
		"an image in grey": {"q 400 0 0 400 100 200 cm /I Do Q", func(b *pdftest.Builder) string {
			return square(b, "/Width 128 /Height 128 /BitsPerComponent 8 /ColorSpace /DeviceGray", ramp)
		}},
		"an image of one bit": {"0.2 0.9 0 0 k q 400 0 0 400 100 200 cm /I Do Q", func(b *pdftest.Builder) string {
			return square(b, "/Width 256 /Height 512 /BitsPerComponent 1 /ImageMask true", bits)
		}},
		"an image with a colour key": {below + "q 400 0 0 400 100 200 cm /I Do Q", func(b *pdftest.Builder) string {
			return square(b, "/Width 16 /Height 16 /BitsPerComponent 8 /ColorSpace /DeviceGray /Mask [0 100]", ramp)
		}},
		"an image in RGB": {"q 400 0 0 400 100 200 cm /I Do Q", func(b *pdftest.Builder) string {
			return square(b, "/Width 73 /Height 73 /BitsPerComponent 8 /ColorSpace /DeviceRGB", ramp)
		}},
		"a fax of mixed rows": {"q 400 0 0 400 100 400 cm /I Do Q", func(b *pdftest.Builder) string {
			// Rows of 8 pixels: 2 white, 3 black and 3 white; then the same, one pixel to the right. After the end of a line,
			// a bit states whether a row is coded by runs.
			return coded(b, "/Width 8 /Height 2 /BitsPerComponent 1 /ColorSpace /DeviceGray /Filter /CCITTFaxDecode /DecodeParms << /K 4 /Columns 8 /Rows 2 >>",
				bitsOf("000000000001 1 0111 10 1000", "000000000001 0 011 011 1", "000000000001 1 000000000001 1"))
		}},
		"an image in JPEG 2000, grey": {"q 400 0 0 400 100 200 cm /I Do Q", func(b *pdftest.Builder) string {
			return coded(b, "/Width 120 /Height 90 /Filter /JPXDecode /ColorSpace /DeviceGray", jpeg2000(t, slopes, "-r", "8"))
		}},
		"an image in JPEG 2000, in a space of the file": {"q 400 0 0 400 100 200 cm /I Do Q", func(b *pdftest.Builder) string {
			return coded(b, "/Width 120 /Height 90 /Filter /JPXDecode /ColorSpace [/Separation /Gold /DeviceCMYK << /FunctionType 2 /Domain [0 1] /C0 [0 0 0 0] /C1 [0 0.2 0.8 0.1] /N 1 >>]", jpeg2000(t, slopes))
		}},
		"a mask in JBIG2": {"0.2 0.9 0 0 k q 480 0 0 320 60 200 cm /I Do Q", func(b *pdftest.Builder) string {
			return coded(b, "/Width 96 /Height 64 /BitsPerComponent 1 /ImageMask true /Filter /JBIG2Decode", disc)
		}},
		"an image in JBIG2": {"q 480 0 0 320 60 200 cm /I Do Q", func(b *pdftest.Builder) string {
			return coded(b, "/Width 96 /Height 64 /BitsPerComponent 1 /ColorSpace /DeviceGray /Filter [/FlateDecode /JBIG2Decode]", disc)
		}},
		"an inline image with filters": {
			"q 400 0 0 400 100 200 cm BI /W 64 /H 64 /BPC 8 /CS /CMYK /F [/AHx /Fl] ID " + inlineHex(ramp) + " EI Q", plain(""),
		},
		"an inline mask with a predictor": {
			"0 1 0 0 k q 400 0 0 400 100 200 cm BI /W 64 /H 64 /BPC 8 /CS /G /F [/AHx /Fl] /DP [null << /Predictor 2 /Colors 1 /Columns 64 >>] ID " + inlineHex(ramp[:64*64]) + " EI Q", plain(""),
		},
		"colours of RGB": {"1 0 0 rg 60 60 200 200 re f 0.2 0.4 0.7 rg 260 60 200 200 re f 0 g 60 260 200 200 re f 0.5 0.5 0.5 rg 260 260 200 200 re f", plain("")},
		"text of a TrueType font": {"BT 0 0 0 1 k /F1 60 Tf 60 400 Td (ABAB) Tj ET BT 1 0 0 0 k 1 Tr 3 w /F1 60 Tf 60 200 Td (ABBA) Tj ET", func(b *pdftest.Builder) string {
			return fmt.Sprintf("/Font << /F1 %s >> ", goFont(b))
		}},
		"text as a clip": {"q BT 7 Tr /F1 120 Tf 60 400 Td (ABAB) Tj ET 0 1 0 0 k 0 0 300 800 re f Q", func(b *pdftest.Builder) string {
			return fmt.Sprintf("/Font << /F1 %s >> ", goFont(b))
		}},
		"characters of a Type 3 font": {"BT 0 0.8 0 0 k 1 0 0 0 K /F1 200 Tf 60 400 Td (AA) Tj ET", func(b *pdftest.Builder) string {
			return fmt.Sprintf("/Font << /F1 %s >> ", b.Type3Font("1000 0 0 0 750 750 d1 0 0 750 400 re f 60 w 30 450 690 270 re S", ""))
		}},
		"a pattern of tiles": {"/Pattern cs /P scn 60 160 400 400 re f", func(b *pdftest.Builder) string {
			p := b.Stream("/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 40 40] /XStep 50 /YStep 50 /Resources << >>", []byte("1 0 0 0 k 0 0 30 30 re f 0 1 0 0 k 20 20 20 20 re f"))
			return fmt.Sprintf("/Pattern << /P %s >> ", p)
		}},
		"a pattern as large as the page": {"/Pattern cs /P scn 60 160 400 400 re f 480 600 60 60 re f", func(b *pdftest.Builder) string {
			p := b.Stream("/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 650 900] /XStep 2876 /YStep 2876 /Resources << >>", []byte("1 0 0 0 k 0 0 300 300 re f 0 1 0 0 k 200 200 320 440 re f"))
			return fmt.Sprintf("/Pattern << /P %s >> ", p)
		}},
		"a pattern with one small tile": {"/Pattern cs /P scn 60 160 400 400 re f", func(b *pdftest.Builder) string {
			p := b.Stream("/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [100 200 300 500] /XStep 90000 /YStep 90000 /Resources << >>", []byte("1 0 0 0 k 0 0 650 900 re f 0 1 0 0 k 150 250 100 100 re f"))
			return fmt.Sprintf("/Pattern << /P %s >> ", p)
		}},
		"a pattern without colours": {"/Cs cs 0 0 1 0.5 /P scn 60 160 400 400 re f", func(b *pdftest.Builder) string {
			p := b.Stream("/Type /Pattern /PatternType 1 /PaintType 2 /TilingType 1 /BBox [0 0 40 40] /XStep 40 /YStep 40 /Matrix [0.7 0.7 -0.7 0.7 0 0] /Resources << >>", []byte("0 0 20 20 re f"))
			return fmt.Sprintf("/ColorSpace << /Cs [/Pattern /DeviceCMYK] >> /Pattern << /P %s >> ", p)
		}},
		"a stencil with a gradient": {"/Pattern cs /P scn q 400 0 0 400 100 200 cm /I Do Q", func(b *pdftest.Builder) string {
			return "/Pattern << /P << /PatternType 2 /Shading << /ShadingType 2 /ColorSpace /DeviceCMYK /Coords [60 0 460 0] /Function << /FunctionType 2 /Domain [0 1] /C0 [1 0 0 0] /C1 [0 0 1 0] /N 1 >> >> >> >> " +
				square(b, "/Width 256 /Height 512 /BitsPerComponent 1 /ImageMask true", bits)
		}},
		"an inline stencil with tiles": {"/Pattern cs /P scn q 400 0 0 400 100 200 cm BI /W 2 /H 2 /IM true /F /AHx ID 8040> EI Q", func(b *pdftest.Builder) string {
			p := b.Stream("/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 40 40] /XStep 50 /YStep 50 /Resources << >>", []byte("1 0 0 0 k 0 0 30 30 re f 0 1 0 0 k 20 20 20 20 re f"))
			return fmt.Sprintf("/Pattern << /P %s >> ", p)
		}},
		"a pattern of a gradient": {"/Pattern cs /P scn 60 160 400 400 re f", plain("/Pattern << /P << /PatternType 2 /Shading << /ShadingType 2 /ColorSpace /DeviceCMYK /Coords [60 0 460 0] /Function << /FunctionType 2 /Domain [0 1] /C0 [1 0 0 0] /C1 [0 0 1 0] /N 1 >> >> >> >>")},
		"a mesh of patches": {"/R sh", func(b *pdftest.Builder) string {
			data := []byte{0}
			for _, at := range [][2]byte{{0, 0}, {20, 80}, {0, 160}, {0, 255}, {80, 200}, {160, 255}, {255, 255}, {200, 160}, {255, 80}, {255, 0}, {160, 60}, {80, 0}} {
				data = append(data, at[0], at[1])
			}
			data = append(data, 255, 0, 0, 0, 0, 255, 0, 0, 0, 0, 255, 0, 0, 0, 0, 255)
			mesh := b.Flate("/ShadingType 6 /ColorSpace /DeviceCMYK /BitsPerCoordinate 8 /BitsPerComponent 8 /BitsPerFlag 8 /Decode [100 500 200 600 0 1 0 1 0 1 0 1]", data)
			return fmt.Sprintf("/Shading << /R %s >> ", mesh)
		}},
		"a mesh of triangles in indices": {"/R sh", func(b *pdftest.Builder) string {
			mesh := b.Flate("/ShadingType 4 /ColorSpace [/Indexed /DeviceCMYK 3 <FF00000000FF00000000FF00000000FF>] /BitsPerCoordinate 8 /BitsPerComponent 8 /BitsPerFlag 8 /Decode [100 500 200 600 0 255]",
				[]byte{0, 0, 0, 0, 0, 255, 0, 1, 0, 0, 255, 2, 1, 255, 255, 3})
			return fmt.Sprintf("/Shading << /R %s >> ", mesh)
		}},
	}
	out := map[string]composition{}
	for name, p := range all {
		out[name] = composition{content: p.content, resources: p.resources}
	}
	// Pages that blend in RGB.
	for _, mode := range []string{"M", "S", "H", "X", "Lu"} {
		out["a page in RGB, mode "+mode] = composition{
			content: "0.9 0.3 0.2 rg 100 200 200 200 re f /" + mode + " gs 0.2 0.6 0.9 rg 150 250 250 250 re f 0 0.8 0.3 0.1 k 120 220 60 250 re f", resources: plain(""),
			extra: "/Group << /S /Transparency /CS /DeviceRGB >>",
		}
	}
	return out
}

// TestPlanesOfCompositionsAreThoseOfGhostscript compares pages that are composited with
// Ghostscript's tiffsep.
func TestPlanesOfCompositionsAreThoseOfGhostscript(t *testing.T) {
	t.Parallel()
	all := compositions(t)
	// A file has several compositions, because a tenth of a second goes to each start of Ghostscript.
	for names := range slices.Chunk(slices.Sorted(maps.Keys(all)), 10) {
		t.Run("from "+names[0], func(t *testing.T) {
			t.Parallel()
			var b pdftest.Builder
			var pages []pdftest.Page
			for _, name := range names {
				page := pdftest.Print(all[name].content, all[name].resources(&b))
				page.Extra = all[name].extra
				pages = append(pages, page)
			}
			file := filepath.Join(t.TempDir(), "pages.pdf")
			if err := os.WriteFile(file, b.Document(pages...), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := comparePlanes(t, file, len(names))
			if err != nil || len(got) != len(names) {
				t.Fatalf("compare: %d pages of %d: %v", len(got), len(names), err)
			}
			for i, name := range names {
				t.Run(name, got[i].agrees)
			}
		})
	}
}

// agrees fails the test if the planes differ.
func (c *compared) agrees(t *testing.T) {
	painted := 0.0
	for _, d := range c.planes {
		painted += d.other
		if d.mean > 1 || math.Abs(d.ours-d.other) > 0.3 {
			t.Errorf("%s: mean difference %.2f %%, want at most 1; amounts %.2f and %.2f %%", d.ink, d.mean, d.ours, d.other)
		}
	}
	if c.total > 4 {
		t.Errorf("highest totals %.0f and %.0f %%, want them within 4 points", c.highest[0], c.highest[1])
	}
	if painted == 0 || c.partial {
		t.Errorf("painted %.2f %%, incomplete: %t", painted, c.partial)
	}
}

// coverages returns the mean amount of each ink of the first page, in percent.
func coverages(t *testing.T, data []byte) map[string]float64 {
	t.Helper()
	collector := facts.NewCollector(nil)
	doc, err := document.Open(t.Context(), bytes.NewReader(data), int64(len(data)), document.DefaultLimits(), collector)
	if err != nil {
		t.Fatalf("document.Open: %v", err)
	}
	output, err := color.NewOutput(doc, nil, "", color.RelativeColorimetric)
	if err != nil {
		t.Fatalf("color.NewOutput: %v", err)
	}
	page := doc.Pages()[0]
	if err := content.New(doc, collector, document.DefaultLimits(), render.New(doc, 1, output)).Page(t.Context(), &page); err != nil {
		t.Fatalf("Page: %v", err)
	}
	ink := collector.Document().Pages[0].Ink
	if !ink.Complete {
		t.Error("the page is painted in part")
	}
	out := map[string]float64{}
	for _, plane := range ink.Planes {
		out[plane.Name] = 100 * plane.Coverage
	}
	return out
}

// TestOpacityInsideOfAJPEG2000ImageIsASoftMask compares with an image that has the same opacity as a
// soft mask. Ghostscript ignores SMaskInData.
func TestOpacityInsideOfAJPEG2000ImageIsASoftMask(t *testing.T) {
	t.Parallel()
	picture := image.NewNRGBA(image.Rect(0, 0, 120, 90))
	var colors, opacities []byte
	for i := range 120 * 90 {
		pixel := []byte{byte(2 * (i % 120)), byte(2 * (i / 120)), 90, byte(255 - 2*(i%120))}
		copy(picture.Pix[4*i:], pixel)
		colors, opacities = append(colors, pixel[:3]...), append(opacities, pixel[3])
	}
	page := func(image func(b *pdftest.Builder) pdftest.Ref) []byte {
		var b pdftest.Builder
		resources := fmt.Sprintf("/XObject << /I %s >> ", image(&b))
		return b.Document(pdftest.Print("0 0 0 1 k 100 200 200 400 re f q 400 0 0 400 100 200 cm /I Do Q", resources))
	}
	const dict = "/Type /XObject /Subtype /Image /Width 120 /Height 90 "
	got := coverages(t, page(func(b *pdftest.Builder) pdftest.Ref {
		return b.Stream(dict+"/Filter /JPXDecode /SMaskInData 1", jpeg2000(t, picture))
	}))
	want := coverages(t, page(func(b *pdftest.Builder) pdftest.Ref {
		mask := b.Flate(dict+"/BitsPerComponent 8 /ColorSpace /DeviceGray", opacities)
		return b.Flate(dict+fmt.Sprintf("/BitsPerComponent 8 /ColorSpace /DeviceRGB /SMask %s", mask), colors)
	}))
	for ink, amount := range want {
		if math.Abs(amount-got[ink]) > 0.05 || amount == 0 {
			t.Errorf("%s covers %.2f %%, want %.2f %%", ink, got[ink], amount)
		}
	}
}

// parserSamples returns PDFs of the parser's module whose first pages agree with
// Ghostscript: photographs of several codings, and watermarks.
func parserSamples(t *testing.T) []string {
	t.Helper()
	module, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/pdfcpu/pdfcpu").Output()
	if err != nil {
		t.Fatalf("go list -m github.com/pdfcpu/pdfcpu: %v", err)
	}
	var files []string
	for _, folder := range []string{"images", "import", "watermark/image"} {
		found, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(module)), "pkg/samples", folder, "*.pdf"))
		if err != nil || len(found) == 0 {
			t.Fatalf("%d PDFs in %s, want some: %v", len(found), folder, err)
		}
		files = append(files, found...)
	}
	return files
}

// filesOfOthers returns the files that match the pattern in PRINTMARKET_PDFS. Without it, it returns
// the samples of the parser, all of which must agree.
func filesOfOthers(t *testing.T) (files []string, allAgree bool) {
	t.Helper()
	pattern := os.Getenv("PRINTMARKET_PDFS")
	if pattern == "" {
		return parserSamples(t), true
	}
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatalf("filepath.Glob(%q): %v", pattern, err)
	}
	return files, false
}

// TestPlanesAgainstGhostscript compares the first pages of files of other programs. With
// PRINTMARKET_PDFS, a pattern, it prints the differences of all files that match: the
// figures of the guide on accuracy.
func TestPlanesAgainstGhostscript(t *testing.T) {
	files, allAgree := filesOfOthers(t)
	same, different := 0, 0
	for _, file := range files {
		all, err := comparePlanes(t, file, 1)
		if err != nil {
			t.Logf("%s: %v", filepath.Base(file), err)
			continue
		}
		got := all[0]
		var worst difference
		for _, d := range got.planes {
			if d.mean >= worst.mean {
				worst = d
			}
		}
		if worst.mean <= 2 && got.total <= 4 {
			same++
			continue
		}
		different++
		t.Logf("%-44s %.2f %% page %d %s (%.2f, %.2f); total %.0f (%.0f, %.0f) partial %t %v", filepath.Base(file), worst.mean, worst.page, worst.ink, worst.ours, worst.other,
			got.total, got.highest[0], got.highest[1], got.partial, got.duration.Round(time.Millisecond))
	}
	t.Logf("%d files agree, %d differ", same, different)
	if allAgree && same < len(files) {
		t.Errorf("%d of %d files agree with Ghostscript, want all", same, len(files))
	}
}
