// SPDX-License-Identifier: Apache-2.0

package codec_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/printmarket/printmarket/pkg/preflight/internal/codec"
)

// picture is a test image: gradients, edges and noise, in components side by side.
func picture(width, height, components int) []byte {
	out := make([]byte, 0, width*height*components)
	noise := uint32(1)
	for y := range height {
		for x := range width {
			for c := range components {
				noise = noise*1664525 + 1013904223
				v := float64(x*(c+1)*255)/float64(width*components) + 60*math.Sin(float64(y)/7)
				if (x/13+y/11)%5 == c {
					v = 250
				}
				out = append(out, byte(min(max(v+float64(noise>>29), 0), 255)))
			}
		}
	}
	return out
}

// unlimited is a budget without an end.
func unlimited(int64) bool { return true }

// compressed runs the encoder of OpenJPEG.
func compressed(t testing.TB, samples []byte, width, height, components int, args ...string) []byte {
	t.Helper()
	directory := t.TempDir()
	raw, file := filepath.Join(directory, "in.raw"), filepath.Join(directory, "out.jp2")
	if err := os.WriteFile(raw, samples, 0o600); err != nil {
		t.Fatalf("os.WriteFile: %v", err)
	}
	format := fmt.Sprintf("%d,%d,%d,8,u", width, height, components)
	command := exec.CommandContext(t.Context(), "opj_compress", append([]string{"-i", raw, "-o", file, "-F", format}, args...)...)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("opj_compress %v: %v\n%s", args, err, out)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	return data
}

// planar orders samples by component, as the raw files of OpenJPEG are.
func planar(samples []byte, components int) []byte {
	out := make([]byte, 0, len(samples))
	for c := range components {
		for i := c; i < len(samples); i += components {
			out = append(out, samples[i])
		}
	}
	return out
}

// difference returns the mean difference of two images.
func difference(a, b []byte) float64 {
	sum := 0.0
	for i, v := range a {
		sum += math.Abs(float64(v) - float64(b[i]))
	}
	return sum / float64(len(a))
}

// TestJPEG2000 decodes what the encoder of OpenJPEG writes.
func TestJPEG2000(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		width, height, components int
		args                      []string
		most                      float64
	}{
		"grey without loss":                       {123, 97, 1, nil, 0},
		"three components with a transform":       {200, 150, 3, nil, 0},
		"four components":                         {130, 70, 4, nil, 0},
		"one pixel":                               {1, 1, 1, []string{"-n", "1"}, 0},
		"a single row":                            {99, 1, 1, []string{"-n", "1"}, 0},
		"a single column":                         {1, 99, 3, []string{"-n", "1"}, 0},
		"small tiles":                             {200, 150, 3, []string{"-t", "37,47"}, 0},
		"an offset of image and tiles":            {200, 150, 1, []string{"-d", "17,23", "-T", "3,5", "-t", "64,64"}, 0},
		"precincts and small blocks":              {300, 200, 3, []string{"-c", "[64,64],[32,32]", "-b", "16,16"}, 0},
		"resolutions first":                       {300, 200, 3, []string{"-p", "RLCP", "-r", "20,5,1"}, 0},
		"resolutions and places first":            {300, 200, 3, []string{"-p", "RPCL", "-c", "[64,64]", "-r", "20,1"}, 0},
		"places first":                            {300, 200, 3, []string{"-p", "PCRL", "-c", "[64,64]", "-r", "20,1"}, 0},
		"components first":                        {300, 200, 3, []string{"-p", "CPRL", "-c", "[64,64]", "-r", "20,1"}, 0},
		"arithmetic coding is bypassed":           {200, 150, 1, []string{"-M", "1"}, 0},
		"contexts are reset":                      {200, 150, 1, []string{"-M", "2"}, 0},
		"every pass ends":                         {200, 150, 1, []string{"-M", "4"}, 0},
		"contexts do not look below":              {200, 150, 1, []string{"-M", "8"}, 0},
		"termination can be predicted":            {200, 150, 1, []string{"-M", "16"}, 0},
		"with symbols of segments":                {200, 150, 1, []string{"-M", "32"}, 0},
		"all styles of blocks":                    {200, 150, 3, []string{"-M", "63"}, 0},
		"marks before and after packets":          {200, 150, 3, []string{"-SOP", "-EPH"}, 0},
		"a region of interest":                    {200, 150, 1, []string{"-ROI", "c=0,U=12"}, 0},
		"the irreversible transform":              {200, 150, 3, []string{"-I"}, 0.6},
		"the irreversible transform, one channel": {201, 151, 1, []string{"-I", "-n", "4"}, 0.6},
		"a tenth of the size":                     {256, 256, 3, []string{"-I", "-r", "10"}, 6},
		"a tenth of the size, reversible":         {256, 256, 3, []string{"-r", "10"}, 8},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := picture(test.width, test.height, test.components)
			data := compressed(t, planar(want, test.components), test.width, test.height, test.components, test.args...)
			got, err := codec.DecodeJPX(data, codec.Options{Width: test.width, Height: test.height, Room: unlimited})
			if err != nil {
				t.Fatalf("DecodeJPX: %v", err)
			}
			if got.Width != test.width || got.Height != test.height || got.Components != test.components {
				t.Fatalf("%d x %d, %d components, want %d x %d, %d", got.Width, got.Height, got.Components, test.width, test.height, test.components)
			}
			if d := difference(got.Samples, want); d > test.most || math.IsNaN(d) {
				t.Errorf("the mean difference is %.3f, want at most %v", d, test.most)
			}
		})
	}
}

// TestJPEG2000AtALowerResolution compares a reduced image with the means of the whole one.
func TestJPEG2000AtALowerResolution(t *testing.T) {
	t.Parallel()
	const width, height = 512, 384
	samples := make([]byte, width*height)
	for i := range samples {
		samples[i] = byte(128 + 100*math.Sin(float64(i%width)/60)*math.Cos(float64(i/width)/50))
	}
	data := compressed(t, samples, width, height, 1, "-I")
	for reduce := range 4 {
		got, err := codec.DecodeJPX(data, codec.Options{Width: width >> reduce, Height: height >> reduce, Room: unlimited})
		if err != nil {
			t.Fatalf("DecodeJPX: %v", err)
		}
		if got.Width != width>>reduce || got.Height != height>>reduce {
			t.Fatalf("%d x %d, want a reduction by %s", got.Width, got.Height, strconv.Itoa(1<<reduce))
		}
		for y := range got.Height {
			for x := range got.Width {
				want := float64(samples[y<<reduce*width+x<<reduce])
				if d := math.Abs(float64(got.Samples[y*got.Width+x]) - want); d > 8 {
					t.Fatalf("reduced by %d, the pixel %d,%d differs by %v", 1<<reduce, x, y, d)
				}
			}
		}
	}
}

// TestPaletteOfJPEG2000 decodes indices to the colours of the palette, and keeps them for a space of the
// PDF with a table of its own.
func TestPaletteOfJPEG2000(t *testing.T) {
	t.Parallel()
	indices := []byte{0, 1, 2, 1}
	data := compressed(t, indices, 4, 1, 1, "-n", "1")
	stream := data[bytes.Index(data, []byte("jp2c"))+4:]
	box := func(kind string, body []byte) []byte {
		return slices.Concat(binary.BigEndian.AppendUint32(nil, uint32(8+len(body))), []byte(kind), body)
	}
	palette := box("pclr", []byte{0, 3, 3, 7, 7, 7, 10, 20, 30, 40, 50, 60, 70, 80, 90})
	file := slices.Concat(box("jP  ", []byte("\r\n\x87\n")), box("jp2h", palette), box("jp2c", stream))
	for name, test := range map[string]struct {
		index bool
		want  []byte
	}{
		"a palette":                     {false, []byte{10, 20, 30, 40, 50, 60, 70, 80, 90, 40, 50, 60}},
		"a palette below another table": {true, indices},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := codec.DecodeJPX(file, codec.Options{Width: 4, Height: 1, Index: test.index, Room: unlimited})
			if err != nil || !bytes.Equal(got.Samples, test.want) {
				t.Errorf("%v %v, want %v", got, err, test.want)
			}
		})
	}
}

// TestCutJPEG2000 decodes what is left of a file that ends early.
func TestCutJPEG2000(t *testing.T) {
	t.Parallel()
	want := picture(200, 150, 3)
	data := compressed(t, planar(want, 3), 200, 150, 3, "-r", "40,10,1")
	got, err := codec.DecodeJPX(data[:len(data)*3/4], codec.Options{Width: 200, Height: 150, Room: unlimited})
	if err != nil {
		t.Fatalf("DecodeJPX: %v", err)
	}
	if d := difference(got.Samples, want); d == 0 || d > 20 {
		t.Errorf("the mean difference is %.3f, want a coarse image", d)
	}
}

// TestJPEG2000StaysInItsRoom decodes with too small a budget.
func TestJPEG2000StaysInItsRoom(t *testing.T) {
	t.Parallel()
	data := compressed(t, picture(300, 300, 1), 300, 300, 1)
	left := int64(50_000)
	room := func(n int64) bool { left -= n; return left >= 0 }
	if _, err := codec.DecodeJPX(data, codec.Options{Width: 300, Height: 300, Room: room}); err == nil {
		t.Error("no error without room")
	}
}

// FuzzDecodeJPX decodes any data within a budget.
func FuzzDecodeJPX(f *testing.F) {
	f.Add(bytes.Repeat([]byte{0xff, 0x4f, 0xff, 0x51}, 20))
	for _, args := range [][]string{nil, {"-I", "-r", "10,2", "-M", "63"}, {"-t", "16,16", "-p", "CPRL", "-SOP", "-EPH"}} {
		f.Add(compressed(f, planar(picture(40, 30, 3), 3), 40, 30, 3, append(args, "-n", "3")...))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		left := int64(16 << 20)
		room := func(n int64) bool { left -= n; return left >= 0 && n >= 0 }
		if p, err := codec.DecodeJPX(data, codec.Options{Width: 64, Height: 64, Room: room}); err == nil && len(p.Samples) != p.Width*p.Height*p.Components {
			t.Errorf("%d samples of %d x %d x %d", len(p.Samples), p.Width, p.Height, p.Components)
		}
	})
}
