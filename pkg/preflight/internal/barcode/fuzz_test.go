// SPDX-License-Identifier: Apache-2.0

package barcode_test

import (
	"image"
	"math"
	"testing"

	"github.com/printmarket/printmarket/pkg/preflight/internal/barcode"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
)

// FuzzRead damages images of codes: finding and reading them must end, and stay inside.
func FuzzRead(f *testing.F) {
	f.Add(uint8(0), uint16(10), []byte{0, 255, 10})
	f.Add(uint8(1), uint16(3000), []byte{128})
	f.Add(uint8(2), uint16(7000), []byte{255, 255, 0, 0, 255, 255, 0, 0})
	f.Add(uint8(3), uint16(0), []byte{})
	f.Add(uint8(4), uint16(900), []byte{0})
	samples := [][][]bool{
		pdftest.Modules("EAN-13", "4006381333931"), pdftest.Modules("Code 128", "Pack 2026"),
		pdftest.Modules("ITF", "14006381333938"), pdftest.Modules("QR Code", "printmarket"), pdftest.Modules("Data Matrix", "printmarket"),
	}
	f.Fuzz(func(t *testing.T, sample uint8, at uint16, pixels []byte) {
		modules := samples[int(sample)%len(samples)]
		height := 40.0
		if len(modules) > 1 {
			height = 3
		}
		m := drawn(400, 120, modules, 20.3, 20.2, 3, height, 0, 255)
		for i, v := range pixels {
			m.Pix[(int(at)*7+i*13)%len(m.Pix)] = v
		}
		for _, region := range barcode.Find(m) {
			if !region.Box.In(image.Rect(-8, -8, m.Width+8, m.Height+8)) {
				t.Errorf("region %v of %d x %d", region, m.Width, m.Height)
			}
		}
		for kind := barcode.Upright; kind <= barcode.DataMatrix; kind++ {
			s, ok := barcode.Read(m, kind)
			if !ok {
				continue
			}
			if !s.Box.In(image.Rect(0, 0, m.Width, m.Height)) || !(s.Module > 0) || math.IsInf(s.Quiet[0], 0) || math.IsNaN(s.Quiet[1]) {
				t.Errorf("symbol %+v of %d x %d", s, m.Width, m.Height)
			}
			for _, at := range append(s.Bars, s.Spaces...) {
				if at < 0 || at >= len(m.Pix) {
					t.Fatalf("place %d of %d", at, len(m.Pix))
				}
			}
		}
	})
}
