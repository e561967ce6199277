// SPDX-License-Identifier: Apache-2.0

package color

import (
	"encoding/binary"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
)

// JPX is the header of a JPEG 2000 file, whose properties a PDF may omit (ISO
// 32000-2, 7.4.9).
type JPX struct {
	Components, Bits int
	// Family is the family of colour, or "" for an unknown one.
	Family string
}

// maxBoxes bounds the boxes of a file that are read.
const maxBoxes = 256

// The enumerated colour spaces of ISO/IEC 15444-1, I.5.3.3 and 15444-2, M.11.7.3.
const (
	enumCMYK = 12
	enumLab  = 14
	enumRGB  = 16
	enumGray = 17
	enumYCC  = 18
)

// ReadJPX reads the header boxes. It returns false when they are missing.
func ReadJPX(data []byte) (JPX, bool) {
	var out JPX
	boxes(data, func(kind string, body []byte) {
		if kind != "jp2h" {
			return
		}
		boxes(body, func(kind string, body []byte) {
			switch {
			case kind == "ihdr" && len(body) >= 11:
				out.Components = int(binary.BigEndian.Uint16(body[8:]))
				out.Bits = int(body[10]&0x7f) + 1
			case kind == "colr" && len(body) >= 3 && out.Family == "":
				out.Family = jpxFamily(body)
			}
		})
	})
	return out, out.Components > 0
}

// boxes calls visit for each box of a sequence.
func boxes(data []byte, visit func(kind string, body []byte)) {
	for range maxBoxes {
		if len(data) < 8 {
			return
		}
		size, head := uint64(binary.BigEndian.Uint32(data)), uint64(8)
		switch {
		case size == 0:
			size = uint64(len(data))
		case size == 1 && len(data) >= 16:
			size, head = binary.BigEndian.Uint64(data[8:]), 16
		}
		if size < head || size > uint64(len(data)) {
			return
		}
		visit(string(data[4:8]), data[head:size])
		data = data[size:]
	}
}

// jpxFamily reads a colour specification: a number, or an ICC profile.
func jpxFamily(body []byte) string {
	switch body[0] {
	case 1:
		if len(body) < 7 {
			return ""
		}
		switch binary.BigEndian.Uint32(body[3:]) {
		case enumCMYK:
			return DeviceCMYK
		case enumLab:
			return Lab
		case enumRGB, enumYCC:
			return DeviceRGB
		case enumGray:
			return DeviceGray
		}
	case 2, 3:
		header, err := document.ParseICC(body[3:])
		if err != nil {
			return ""
		}
		switch header.Space {
		case "GRAY":
			return ICCGray
		case "RGB":
			return ICCRGB
		case "CMYK":
			return ICCCMYK
		case "Lab":
			return Lab
		}
	}
	return ""
}
