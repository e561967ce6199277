// SPDX-License-Identifier: Apache-2.0

package color

import (
	"encoding/binary"

	"github.com/printmarket/printmarket/pkg/preflight/internal/codec"
	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
)

// JPX is the header of a JPEG 2000 file, whose properties a PDF may omit (ISO
// 32000-2, 7.4.9).
type JPX struct {
	// Components are those of the colours, without opacities.
	Components, Bits int
	// Family is the family of colour, or "" for an unknown one.
	Family string
}

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
	opacities := 0
	codec.EachBox(data, func(kind string, body []byte) {
		if kind != "jp2h" {
			return
		}
		codec.EachBox(body, func(kind string, body []byte) {
			switch {
			case kind == "ihdr" && len(body) >= 11:
				out.Components = int(binary.BigEndian.Uint16(body[8:]))
				out.Bits = int(body[10]&0x7f) + 1
			case kind == "cdef" && len(body) >= 2:
				// Channels of opacity are no colours.
				for body = body[2:]; len(body) >= 6; body = body[6:] {
					if kind := binary.BigEndian.Uint16(body[2:]); kind == 1 || kind == 2 {
						opacities++
					}
				}
			case kind == "colr" && len(body) >= 3 && out.Family == "":
				out.Family = jpxFamily(body)
			}
		})
	})
	out.Components -= min(opacities, max(out.Components-1, 0))
	return out, out.Components > 0
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
