// SPDX-License-Identifier: Apache-2.0

package color_test

import (
	"errors"
	"math"
	"os"
	"testing"

	"github.com/printmarket/printmarket/pkg/preflight/internal/color"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
)

func TestRGBIsConvertedThroughTheOutputProfile(t *testing.T) {
	t.Parallel()
	profile, err := os.ReadFile("/usr/share/color/icc/ghostscript/default_cmyk.icc")
	if err != nil {
		t.Fatalf("os.ReadFile: %v (run make setup)", err)
	}
	output, err := color.NewOutput(nil, profile, "", color.RelativeColorimetric)
	if err != nil {
		t.Fatalf("color.NewOutput: %v", err)
	}
	if !output.Profiled() {
		t.Error("the output is not profiled")
	}
	rgb := color.NewResolver(nil).Device(color.DeviceRGB)
	// The inks of Ghostscript 10 with the same profile, in percent.
	for name, c := range map[string]struct{ in, want []float64 }{
		"black":      {[]float64{0, 0, 0}, []float64{73, 68, 67, 89}},
		"grey":       {[]float64{0.5, 0.5, 0.5}, []float64{51, 44, 44, 8}},
		"red":        {[]float64{1, 0, 0}, []float64{0, 100, 100, 0}},
		"blue":       {[]float64{0, 0, 1}, []float64{88, 77, 0, 0}},
		"light blue": {[]float64{0.2, 0.4, 0.7}, []float64{84, 63, 0, 0}},
		"white":      {[]float64{1, 1, 1}, []float64{0, 0, 0, 0}},
	} {
		got := output.Amounts(nil, rgb, c.in)
		for i, v := range got {
			if math.Abs(v*100-c.want[i]) > 1.5 {
				t.Errorf("%s: %.3f, want %v %%", name, got, c.want)
				break
			}
		}
	}
}

// unprofiled returns an output without a profile.
func unprofiled(t *testing.T) *color.Output {
	t.Helper()
	output, err := color.NewOutput(nil, nil, "", color.RelativeColorimetric)
	if err != nil {
		t.Fatalf("color.NewOutput: %v", err)
	}
	return output
}

func TestGreyWithoutAProfileStaysGreyOnScreen(t *testing.T) {
	t.Parallel()
	output := unprofiled(t)
	rgb := color.NewResolver(nil).Device(color.DeviceRGB)
	for in := 0.0; in <= 1; in += 0.0625 {
		var inks [4]uint8
		for i, v := range output.Amounts(nil, rgb, []float64{in, in, in}) {
			inks[i] = uint8(v*255 + 0.5)
		}
		shown := output.Screen().Amounts(inks[:])
		red, green, blue := int(shown[0]), int(shown[1]), int(shown[2])
		if spread := max(red, green, blue) - min(red, green, blue); spread > 4 {
			t.Errorf("grey of %.0f is shown as %v, want a grey", in*255, shown[:3])
		}
		if in >= 0.5 && math.Abs(float64(green)-in*255) > 5 {
			t.Errorf("grey of %.0f is shown as %v, want the same", in*255, shown[:3])
		}
	}
}

func TestInksWithoutAProfileAreBelowEveryLimit(t *testing.T) {
	t.Parallel()
	output := unprofiled(t)
	rgb := color.NewResolver(nil).Device(color.DeviceRGB)
	for r := 0.0; r <= 1; r += 0.125 {
		for g := 0.0; g <= 1; g += 0.125 {
			for b := 0.0; b <= 1; b += 0.125 {
				total := 0.0
				for _, v := range output.Amounts(nil, rgb, []float64{r, g, b}) {
					total += v
				}
				if total > 2.4 {
					t.Errorf("(%v, %v, %v): %.2f, want at most 2.4: an estimate is no fault", r, g, b, total)
				}
			}
		}
	}
}

func TestDamagedProfileIsRefused(t *testing.T) {
	t.Parallel()
	huge := make([]byte, 200)
	copy(huge[36:], "acsp")
	copy(huge[16:], "CMYKLab ")
	huge[128], huge[129] = 0xff, 0xff
	for name, data := range map[string][]byte{
		"empty": {}, "short": make([]byte, 100), "four billion tags": huge, "no signature": make([]byte, 400),
	} {
		output, err := color.NewOutput(nil, data, "", color.RelativeColorimetric)
		if !errors.Is(err, color.ErrProfile) || output.Profiled() {
			t.Errorf("%s: error %v, profiled %t", name, err, output.Profiled())
		}
	}
}

// FuzzProfile reads arbitrary bytes as the output profile and converts a colour.
func FuzzProfile(f *testing.F) {
	f.Add(pdftest.Profile{Class: "prtr", Space: "CMYK"}.Bytes())
	f.Add(make([]byte, 200))
	rgb := color.NewResolver(nil).Device(color.DeviceRGB)
	f.Fuzz(func(t *testing.T, data []byte) {
		output, err := color.NewOutput(nil, data, "", color.RelativeColorimetric)
		if err != nil && !errors.Is(err, color.ErrProfile) {
			t.Errorf("error %v, want color.ErrProfile", err)
		}
		for _, v := range output.Amounts(nil, rgb, []float64{0.2, 0.4, 0.6}) {
			if !(v >= 0 && v <= 1) {
				t.Errorf("an amount of %v", v)
			}
		}
	})
}

func TestTableConvertsAsAmountsDoes(t *testing.T) {
	t.Parallel()
	profile, err := os.ReadFile("/usr/share/color/icc/ghostscript/default_cmyk.icc")
	if err != nil {
		t.Fatalf("os.ReadFile: %v (run make setup)", err)
	}
	for name, profile := range map[string][]byte{"through a profile": profile, "without a profile": nil} {
		output, err := color.NewOutput(nil, profile, "", color.RelativeColorimetric)
		if err != nil {
			t.Fatalf("color.NewOutput: %v", err)
		}
		rgb := color.NewResolver(nil).Device(color.DeviceRGB)
		table, sum, n := output.Table(rgb, color.NewReader(color.Image{Bits: 8, Space: rgb})), 0.0, 0
		for v := range 1 << 12 {
			in := []uint8{uint8(v & 15 * 17), uint8(v >> 4 & 15 * 17), uint8(v >> 8 * 17)} // #nosec G115 -- at most 255
			got := table.Amounts(in)
			var plane [4][]uint8
			for i := range plane {
				plane[i] = make([]uint8, 1)
			}
			if table.Convert(plane, [][]uint8{in[:1], in[1:2], in[2:]}); got != [4]uint8{plane[0][0], plane[1][0], plane[2][0], plane[3][0]} {
				t.Errorf("%s, the inks of %v are %v as a plane, and %v as a pixel", name, in, plane, got)
			}
			for i, want := range output.Amounts(nil, rgb, []float64{float64(in[0]) / 255, float64(in[1]) / 255, float64(in[2]) / 255}) {
				difference := math.Abs(float64(got[i]) - 255*want)
				if sum, n = sum+difference, n+1; difference > 12 {
					t.Errorf("%s, ink %d of %v is %d, want %.1f", name, i, in, got[i], 255*want)
				}
			}
		}
		if mean := sum / float64(n); mean > 0.8 {
			t.Errorf("%s: the mean difference is %.2f of 255", name, mean)
		}
	}
	if table := func() *color.Table {
		output, _ := color.NewOutput(nil, nil, "", color.RelativeColorimetric)
		return output.Table(color.NewResolver(nil).Device(color.DeviceCMYK), nil)
	}(); table != nil {
		t.Error("DeviceCMYK needs no conversion")
	}
}
