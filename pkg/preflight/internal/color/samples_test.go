// SPDX-License-Identifier: Apache-2.0

package color_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/color"
	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
)

// space resolves a colour space that is written as an object.
func space(t testing.TB, text string) *color.Space {
	t.Helper()
	var b pdftest.Builder
	ref := b.Add("%s", text)
	data := b.Document(pdftest.Page{})
	file, err := document.Open(t.Context(), bytes.NewReader(data), int64(len(data)), document.DefaultLimits(), facts.NewCollector(nil))
	if err != nil || file == nil {
		t.Fatalf("open: %v", err)
	}
	return color.NewResolver(file).Resolve(*types.NewIndirectRef(int(ref), 0), 1)
}

const duotone = "[/DeviceN [/Black /Gold] /DeviceCMYK << /FunctionType 2 /Domain [0 1] /N 1 >>]"

func unlimited(int64) bool { return true }

// measured holds the inks of an image.
type measured struct {
	CMYK  [4]float64
	Spots []facts.Tint
	// Totals are the totals of the pixels, in percent.
	Totals []float64
}

// measure reads all samples of an image whose colours are inks. JPEGs are reduced to about
// the given size.
func measure(i color.Image, side int, room func(int64) bool) (m measured, ok bool) {
	if i, ok = color.Unpack(i, side, side, room); !ok {
		return m, false
	}
	reader := color.NewReader(i)
	if reader == nil {
		return m, false
	}
	for _, name := range i.Space.Spots() {
		m.Spots = append(m.Spots, facts.Tint{Name: name})
	}
	n := i.Space.Components
	values := make([]float64, n)
	for y := 0; ; y++ {
		row := reader.Next()
		if row == nil {
			break
		}
		for x := range i.Width {
			for c := range n {
				values[c] = reader.Levels(c)[row[x*n+c]]
			}
			total := 0.0
			for k, v := range i.Space.Amounts(nil, values) {
				total += v * 100
				if k < 4 {
					m.CMYK[k] = max(m.CMYK[k], v)
				} else {
					m.Spots[k-4].Amount = max(m.Spots[k-4].Amount, v)
				}
			}
			m.Totals = append(m.Totals, total)
		}
	}
	return m, len(m.Totals) > 0
}

// share returns the share of values above a limit.
func share(values []float64, limit float64) float64 {
	n := 0
	for _, v := range values {
		if v > limit {
			n++
		}
	}
	return float64(n) / float64(len(values))
}

func TestSamplesAreReadInEveryDepth(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		space string
		image color.Image
		want  measured
	}{
		"CMYK": {
			"/DeviceCMYK",
			color.Image{Width: 2, Height: 1, Bits: 8, Data: []byte{255, 255, 255, 0, 0, 0, 0, 51}},
			measured{CMYK: [4]float64{1, 1, 1, 0.2}, Totals: []float64{300, 20}},
		},
		"CMYK upside down": {
			"/DeviceCMYK",
			color.Image{Width: 1, Height: 1, Bits: 8, Decode: []float64{1, 0, 1, 0, 1, 0, 1, 0}, Data: []byte{255, 255, 255, 0}},
			measured{CMYK: [4]float64{0, 0, 0, 1}, Totals: []float64{100}},
		},
		"grey is black ink":    {"/DeviceGray", color.Image{Width: 2, Height: 1, Bits: 8, Data: []byte{255, 0}}, measured{CMYK: [4]float64{0, 0, 0, 1}, Totals: []float64{0, 100}}},
		"white paints nothing": {"/DeviceGray", color.Image{Width: 8, Height: 1, Bits: 1, Data: []byte{255}}, measured{Totals: []float64{0, 0, 0, 0, 0, 0, 0, 0}}},
		"one bit":              {"/DeviceGray", color.Image{Width: 9, Height: 2, Bits: 1, Data: []byte{255, 255, 255, 0}}, measured{CMYK: [4]float64{0, 0, 0, 1}, Totals: []float64{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 100}}},
		"two bits":             {"/DeviceGray", color.Image{Width: 2, Height: 1, Bits: 2, Data: []byte{0b11_11_00_00}}, measured{Totals: []float64{0, 0}}},
		"four bits":            {"/DeviceCMYK", color.Image{Width: 1, Height: 1, Bits: 4, Data: []byte{0xf0, 0x0f}}, measured{CMYK: [4]float64{1, 0, 0, 1}, Totals: []float64{200}}},
		"sixteen bits":         {"/DeviceCMYK", color.Image{Width: 1, Height: 1, Bits: 16, Data: []byte{255, 255, 0, 0, 255, 255, 255, 255}}, measured{CMYK: [4]float64{1, 0, 1, 1}, Totals: []float64{300}}},
		"inks by name":         {duotone, color.Image{Width: 1, Height: 1, Bits: 8, Data: []byte{255, 51}}, measured{CMYK: [4]float64{0, 0, 0, 1}, Spots: []facts.Tint{{Name: "Gold", Amount: 0.2}}, Totals: []float64{120}}},
		"a table":              {"[/Indexed /DeviceCMYK 1 <00000000FFFFFF00>]", color.Image{Width: 8, Height: 1, Bits: 1, Data: []byte{0x01}}, measured{CMYK: [4]float64{1, 1, 1, 0}, Totals: []float64{0, 0, 0, 0, 0, 0, 0, 300}}},
		"an index beyond the table is the last": {
			"[/Indexed /DeviceCMYK 1 <00000000FF000000>]",
			color.Image{Width: 1, Height: 1, Bits: 8, Data: []byte{200}},
			measured{CMYK: [4]float64{1, 0, 0, 0}, Totals: []float64{100}},
		},
		"rows that are missing are not counted": {
			"/DeviceCMYK",
			color.Image{Width: 1, Height: 100, Bits: 8, Data: []byte{255, 255, 255, 0}},
			measured{CMYK: [4]float64{1, 1, 1, 0}, Totals: []float64{300}},
		},
		"registration is every process ink": {
			"[/Separation /All /DeviceGray << /FunctionType 2 /Domain [0 1] /N 1 >>]",
			color.Image{Width: 1, Height: 1, Bits: 8, Data: []byte{255}},
			measured{CMYK: [4]float64{1, 1, 1, 1}, Totals: []float64{400}},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.image.Space = space(t, tc.space)
			got, ok := measure(tc.image, 0, unlimited)
			if !ok {
				t.Fatal("not measured")
			}
			near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-6 })
			if diff := cmp.Diff(tc.want, got, near); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestRestHasTheRowsFromOneOn(t *testing.T) {
	t.Parallel()
	const width, height = 21, 16
	samples := make([]byte, width*height)
	for k := range samples {
		samples[k] = byte(k * k)
	}
	var compressed bytes.Buffer
	picture := &image.Gray{Pix: samples, Stride: width, Rect: image.Rect(0, 0, width, height)}
	if err := jpeg.Encode(&compressed, picture, nil); err != nil {
		t.Fatal(err)
	}
	grey := space(t, "/DeviceGray")
	for name, made := range map[string]func() color.Image{
		"data":                func() color.Image { return color.Image{Bits: 8, Data: samples} },
		"data of two bits":    func() color.Image { return color.Image{Bits: 2, Data: samples} },
		"rows that are read":  func() color.Image { return color.Image{Bits: 8, Rows: bytes.NewReader(samples)} },
		"rows of a JPEG":      func() color.Image { return color.Image{Codec: color.JPEG, Data: compressed.Bytes()} },
		"rows that end early": func() color.Image { return color.Image{Bits: 8, Rows: bytes.NewReader(samples[:10*width])} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rows := func(top, count int) (out [][]byte) {
				i := made()
				i.Width, i.Height, i.Space = width, height, grey
				i, ok := color.Unpack(i, width, height, unlimited)
				if !ok {
					t.Fatal("the image cannot be read")
				}
				if top > 0 {
					i = i.Rest(top, count)
				}
				for _, part := range color.NewReader(i).Parts(2, 1) {
					for row := part.Next(); row != nil; row = part.Next() {
						out = append(out, slices.Clone(row))
					}
				}
				return out
			}
			whole := rows(0, height)
			if diff := cmp.Diff(whole[min(5, len(whole)):min(12, len(whole))], rows(5, 7)); diff != "" || len(whole) < 10 {
				t.Errorf("rows 5 to 11 of %d (-whole +rest):\n%s", len(whole), diff)
			}
		})
	}
}

func TestImagesThatCannotBeReadAreRefused(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		space string
		image color.Image
	}{
		"an unknown depth":        {"/DeviceGray", color.Image{Width: 1, Height: 1, Bits: 7, Data: []byte{1}}},
		"no data":                 {"/DeviceGray", color.Image{Width: 1, Height: 1, Bits: 8}},
		"no size":                 {"/DeviceGray", color.Image{Bits: 8, Data: []byte{1}}},
		"a damaged JPEG":          {"/DeviceGray", color.Image{Width: 1, Height: 1, Codec: color.JPEG, Data: []byte{0xff, 0xd8, 0xff}}},
		"a JPEG of another space": {"/DeviceCMYK", color.Image{Width: 1, Height: 1, Codec: color.JPEG, Data: coded(t, 50)}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.image.Space = space(t, tc.space)
			if got, ok := measure(tc.image, 0, unlimited); ok {
				t.Errorf("measured %+v, want a refusal", got)
			}
		})
	}
}

// coded returns a grey JPEG of 16 x 16 pixels.
func coded(t testing.TB, quality int) []byte {
	t.Helper()
	picture := image.NewGray(image.Rect(0, 0, 16, 16))
	for i := range picture.Pix {
		picture.Pix[i] = 51
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, picture, &jpeg.Options{Quality: quality}); err != nil {
		t.Fatalf("jpeg.Encode: %v", err)
	}
	return out.Bytes()
}

func TestJPEG(t *testing.T) {
	t.Parallel()
	p, ok := measure(color.Image{Width: 16, Height: 16, Codec: color.JPEG, Data: coded(t, 90), Space: space(t, "/DeviceGray")}, 16, unlimited)
	if !ok || math.Abs(p.CMYK[3]-0.8) > 0.02 {
		t.Errorf("%+v, %t: want 80 percent of black", p, ok)
	}
	if _, ok := measure(color.Image{Width: 16, Height: 16, Codec: color.JPEG, Data: coded(t, 90), Space: space(t, "/DeviceGray")}, 16, func(n int64) bool { return n < 100 }); ok {
		t.Error("measured without room")
	}
}

func TestQualityIsThatOfTheEncoder(t *testing.T) {
	t.Parallel()
	for _, want := range []int{25, 50, 75, 90, 95, 100} {
		if got := color.JPEGQuality(coded(t, want)); got < want-1 || got > want+1 {
			t.Errorf("quality %d is taken for %d", want, got)
		}
	}
	if got := color.JPEGQuality([]byte("no JPEG")); got != 0 {
		t.Errorf("no JPEG has quality %d", got)
	}
}

func TestFourComponentsNeedNoMarker(t *testing.T) {
	t.Parallel()
	data := cmykJPEG()
	p, ok := measure(color.Image{Width: 8, Height: 8, Codec: color.JPEG, Data: data, Space: space(t, "/DeviceCMYK")}, 8, unlimited)
	if !ok {
		t.Fatal("not measured")
	}
	// All coefficients are zero: the middle of the scale in every ink.
	for _, v := range p.CMYK {
		if math.Abs(v-128.0/255) > 0.01 {
			t.Errorf("inks %v, want half of each", p.CMYK)
		}
	}
}

func TestLargeJPEGsAreMeasuredByTheirBlocks(t *testing.T) {
	t.Parallel()
	// The picture is a gradient from black to white with a patch of black in one corner.
	picture := image.NewGray(image.Rect(0, 0, 1000, 1000))
	for y := range 1000 {
		for x := range 1000 {
			picture.Pix[y*picture.Stride+x] = byte(64 + x*128/1000)
			if x >= 800 && y >= 800 {
				picture.Pix[y*picture.Stride+x] = 0
			}
		}
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, picture, &jpeg.Options{Quality: 85}); err != nil {
		t.Fatalf("jpeg.Encode: %v", err)
	}
	gray := space(t, "/DeviceGray")
	asked := int64(0)
	p, ok := measure(color.Image{Width: 1000, Height: 1000, Codec: color.JPEG, Data: out.Bytes(), Space: gray}, 100, func(n int64) bool {
		asked += n
		return true
	})
	if !ok || p.CMYK[3] < 0.98 || math.Abs(share(p.Totals, 90)-0.04) > 0.005 || math.Abs(share(p.Totals, 50)-0.54) > 0.02 {
		t.Errorf("%t: black %v, over 90 percent %v, over 50 percent %v", ok, p.CMYK[3], share(p.Totals, 90), share(p.Totals, 50))
	}
	if asked > 100_000 {
		t.Errorf("asked for %d bytes: the whole was unpacked", asked)
	}
}

func TestFourLargeComponents(t *testing.T) {
	t.Parallel()
	cmyk := space(t, "/DeviceCMYK")
	for name, progressive := range map[string]bool{"sequential": false, "progressive": true} {
		p, ok := measure(color.Image{Width: 1000, Height: 1000, Codec: color.JPEG, Data: flatJPEG(1000, progressive), Space: cmyk}, 100, unlimited)
		if !ok || math.Abs(slices.Max(p.Totals)-4*128.0/255*100) > 1 {
			t.Errorf("%s: %t, total %v, want half of each", name, ok, p)
		}
	}
}

// cmykJPEG returns the smallest possible JPEG of four components: one block for each component.
func cmykJPEG() []byte { return flatJPEG(8, false) }

// flatJPEG returns a square JPEG of four components in which all coefficients are zero.
func flatJPEG(side int, progressive bool) []byte {
	out := []byte{0xff, 0xd8, 0xff, 0xdb, 0, 67, 0}
	for range 64 {
		out = append(out, 1)
	}
	frame, end := byte(0xc0), byte(63)
	if progressive {
		frame, end = 0xc2, 0
	}
	out = append(out, 0xff, frame, 0, 20, 8, byte(side>>8), byte(side), byte(side>>8), byte(side), 4)
	for c := byte(1); c <= 4; c++ {
		out = append(out, c, 0x11, 0)
	}
	for _, class := range []byte{0x00, 0x10} { // one code of one bit: no difference, end of block
		out = append(out, 0xff, 0xc4, 0, 20, class, 1)
		out = append(out, make([]byte, 15)...)
		out = append(out, 0)
	}
	out = append(out, 0xff, 0xda, 0, 14, 4, 1, 0, 2, 0, 3, 0, 4, 0, 0, end, 0)
	blocks := (side + 7) / 8
	out = append(out, make([]byte, blocks*blocks)...)
	return append(out, 0xff, 0xd9)
}

// FuzzMeasure measures arbitrary images.
func FuzzMeasure(f *testing.F) {
	f.Add(2, 2, 8, false, []byte{1, 2, 3, 4, 5, 6, 7, 8})
	f.Add(8, 8, 8, true, cmykJPEG())
	f.Add(2000, 2000, 8, true, flatJPEG(64, true))
	f.Add(2000, 2000, 8, true, flatJPEG(64, false))
	f.Add(450, 450, 8, true, flatJPEG(64, true)) // of which some samples of each block are read
	f.Add(250, 250, 8, true, flatJPEG(64, true))
	f.Add(250, 202, 8, true, []byte("\xff\xd8\xff\xda\x00\x08\x00000000")) // a scan of no component, without a frame
	repeated := bytes.Replace(flatJPEG(64, false), []byte{14, 4, 1, 0, 2, 0, 3, 0, 4, 0}, []byte{20, 7, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0}, 1)
	f.Add(250, 250, 8, true, repeated) // a scan that lists one component seven times
	f.Add(9, 3, 1, false, []byte{1, 2, 3, 4, 5, 6, 7, 8})
	spaces := []*color.Space{space(f, "/DeviceCMYK"), space(f, "/DeviceGray"), space(f, duotone), space(f, "[/Indexed /DeviceCMYK 1 <00>]")}
	f.Fuzz(func(t *testing.T, width, height, bits int, coded bool, data []byte) {
		codec := color.Plain
		if coded {
			codec = color.JPEG
		}
		color.JPEGQuality(data)
		for _, s := range spaces {
			p, ok := measure(color.Image{Width: width, Height: height, Bits: bits, Space: s, Codec: codec, Data: data}, 100, func(n int64) bool { return n < 1<<20 })
			if ok && !(slices.Max(p.Totals) >= 0 && slices.Max(p.Totals) <= 400.1) {
				t.Errorf("%+v", p)
			}
		}
	})
}

func BenchmarkMeasure(b *testing.B) {
	i := color.Image{Width: 2000, Height: 2000, Bits: 8, Space: space(b, "/DeviceCMYK"), Data: bytes.Repeat([]byte{10, 20, 30, 40}, 4_000_000)}
	b.ReportAllocs()
	for b.Loop() {
		measure(i, 500, unlimited)
	}
}

func BenchmarkJPEG(b *testing.B) {
	picture := image.NewGray(image.Rect(0, 0, 2480, 3508))
	for i := range picture.Pix {
		picture.Pix[i] = byte(i*7 + i/2480*3)
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, picture, &jpeg.Options{Quality: 80}); err != nil {
		b.Fatalf("jpeg.Encode: %v", err)
	}
	i := color.Image{Width: 2480, Height: 3508, Codec: color.JPEG, Space: space(b, "/DeviceGray"), Data: out.Bytes()}
	b.SetBytes(int64(out.Len()))
	for b.Loop() {
		measure(i, 500, unlimited)
	}
}
