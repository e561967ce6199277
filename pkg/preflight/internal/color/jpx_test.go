// SPDX-License-Identifier: Apache-2.0

package color_test

import (
	"encoding/binary"
	"testing"

	"github.com/printmarket/printmarket/pkg/preflight/internal/color"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
)

// jpxBox writes a box of a JPEG 2000 file.
func jpxBox(kind string, body []byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(8+len(body)))
	return append(append(out, kind...), body...)
}

// jpxFile returns the header of a file with a colour specification.
func jpxFile(components, bits byte, specification []byte) []byte {
	header := jpxBox("ihdr", []byte{0, 0, 0, 1, 0, 0, 0, 1, 0, components, bits - 1, 7, 0, 0})
	header = append(header, jpxBox("colr", specification)...)
	return append(jpxBox("jP  ", []byte{13, 10, 0x87, 10}), jpxBox("jp2h", header)...)
}

func TestReadJPX(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		data []byte
		want color.JPX
		ok   bool
	}{
		"RGB by number":            {jpxFile(3, 8, []byte{1, 0, 0, 0, 0, 0, 16}), color.JPX{Components: 3, Bits: 8, Family: "DeviceRGB"}, true},
		"grey by number":           {jpxFile(1, 16, []byte{1, 0, 0, 0, 0, 0, 17}), color.JPX{Components: 1, Bits: 16, Family: "DeviceGray"}, true},
		"CMYK by number":           {jpxFile(4, 8, []byte{1, 0, 0, 0, 0, 0, 12}), color.JPX{Components: 4, Bits: 8, Family: "DeviceCMYK"}, true},
		"by a profile":             {jpxFile(4, 8, append([]byte{2, 0, 0}, pdftest.Profile{Space: "CMYK"}.Bytes()...)), color.JPX{Components: 4, Bits: 8, Family: "ICCBased-CMYK"}, true},
		"by a profile that is not": {jpxFile(4, 8, []byte{2, 0, 0, 1, 2, 3}), color.JPX{Components: 4, Bits: 8}, true},
		"an unknown number":        {jpxFile(2, 8, []byte{1, 0, 0, 0, 0, 0, 99}), color.JPX{Components: 2, Bits: 8}, true},
		"a box larger than all":    {[]byte("\xff\xff\xff\xffjp2h"), color.JPX{}, false},
		"a box that ends nowhere":  {[]byte("\x00\x00\x00\x01jp2h\xff\xff\xff\xff\xff\xff\xff\xff"), color.JPX{}, false},
		"a bare code stream":       {[]byte("\xff\x4f\xff\x51"), color.JPX{}, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, ok := color.ReadJPX(tc.data)
			if got != tc.want || ok != tc.ok {
				t.Errorf("got %+v %t, want %+v %t", got, ok, tc.want, tc.ok)
			}
		})
	}
}

func FuzzReadJPX(f *testing.F) {
	f.Add(jpxFile(3, 8, []byte{1, 0, 0, 0, 0, 0, 16}))
	f.Add([]byte("\x00\x00\x00\x01jp2h\x00\x00\x00\x00\x00\x00\x00\x10"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if got, ok := color.ReadJPX(data); ok != (got.Components > 0) {
			t.Errorf("%+v %t", got, ok)
		}
	})
}
