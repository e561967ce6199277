// SPDX-License-Identifier: Apache-2.0

package document

// The header and the description of ICC profiles (ICC.1:2022, 7.2 and 9.2.41).

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
)

// The layout of a profile, and the bounds of reading.
const (
	headerSize     = 128
	tagSize        = 12
	maxTags        = 256
	maxDescription = 120
)

// ICCHeader is the header of a profile. Signatures have no trailing blanks.
type ICCHeader struct {
	// Size is the length that the header states.
	Size int
	// Version is "4.3".
	Version string
	// Class is scnr, mntr, prtr, link, spac, abst or nmcl.
	Class string
	// Space is the space of the device: GRAY, RGB, CMYK, Lab and so on.
	Space string
	// Connection is XYZ or Lab; of a device link it is a space like Space.
	Connection string
	// Description is the name of the profile, fit for a report; "" for a missing or
	// unreadable name.
	Description string
}

// ICCFault is the reason why a profile is invalid.
type ICCFault struct {
	// Reason is a token of the texts, and Values are the parameters of its text.
	Reason string
	Values facts.Values
}

func (f *ICCFault) Error() string {
	return fmt.Sprintf("invalid ICC profile: %s %v", f.Reason, f.Values)
}

// ParseICC reads the header and the description of a profile. For a damaged profile
// it returns a *[ICCFault] together with the fields that were read.
func ParseICC(data []byte) (ICCHeader, error) {
	if len(data) < headerSize {
		return ICCHeader{}, &ICCFault{"header", facts.Values{"bytes": float64(len(data)), "needed": float64(headerSize)}}
	}
	h := ICCHeader{
		Size:       int(binary.BigEndian.Uint32(data)),
		Version:    fmt.Sprintf("%d.%d", data[8], data[9]>>4),
		Class:      signature(data[12:16]),
		Space:      signature(data[16:20]),
		Connection: signature(data[20:24]),
	}
	if string(data[36:40]) != "acsp" {
		return h, &ICCFault{Reason: "signature"}
	}
	if h.Size > len(data) {
		return h, &ICCFault{"size", facts.Values{"declared": float64(h.Size), "bytes": float64(len(data))}}
	}
	tag, err := descriptionTag(data)
	if err != nil {
		return h, err
	}
	h.Description = description(tag)
	switch h.Class {
	case "scnr", "mntr", "prtr", "link", "spac", "abst", "nmcl":
	default:
		return h, &ICCFault{"class", facts.Values{"class": h.Class}}
	}
	if h.Channels() == 0 {
		return h, &ICCFault{"space", facts.Values{"space": h.Space}}
	}
	if h.Version[0] < '2' || h.Version[0] > '5' || h.Version[1] != '.' {
		return h, &ICCFault{"version", facts.Values{"version": h.Version}}
	}
	return h, nil
}

// Channels returns the number of components of Space, or 0 for an unknown space
// (ICC.1:2022, table 19).
func (h *ICCHeader) Channels() int {
	switch h.Space {
	case "GRAY":
		return 1
	case "RGB", "Lab", "XYZ", "Luv", "YCbr", "Yxy", "HSV", "HLS", "CMY":
		return 3
	case "CMYK":
		return 4
	}
	if digit, ok := strings.CutSuffix(h.Space, "CLR"); ok && len(digit) == 1 {
		return max(strings.Index("0123456789ABCDEF", digit), 0)
	}
	return 0
}

// signature returns four letters, fit for a report.
func signature(b []byte) string {
	return clean(strings.TrimRight(string(b), " \x00"))
}

// descriptionTag returns the data of the desc tag, or nil when it is missing.
func descriptionTag(data []byte) ([]byte, error) {
	if len(data) < headerSize+4 {
		return nil, &ICCFault{Reason: "tags"}
	}
	count := int(binary.BigEndian.Uint32(data[headerSize:]))
	table := data[headerSize+4:]
	if count > len(table)/tagSize {
		return nil, &ICCFault{"tag_count", facts.Values{"tags": float64(count)}}
	}
	for i := range min(count, maxTags) {
		tag := table[i*tagSize:]
		if string(tag[:4]) != "desc" {
			continue
		}
		offset, size := int64(binary.BigEndian.Uint32(tag[4:])), int64(binary.BigEndian.Uint32(tag[8:]))
		if offset+size > int64(len(data)) {
			return nil, &ICCFault{Reason: "description"}
		}
		return data[offset : offset+size], nil
	}
	return nil, nil
}

// description reads both forms: textDescriptionType of version 2 and the first
// record of multiLocalizedUnicodeType of version 4.
func description(tag []byte) string {
	if len(tag) < 12 {
		return ""
	}
	switch string(tag[:4]) {
	case "desc":
		size := int64(binary.BigEndian.Uint32(tag[8:]))
		text := tag[12:]
		text = text[:min(size, int64(len(text)))]
		text, _, _ = bytes.Cut(text, []byte{0})
		return clean(string(text))
	case "mluc":
		if len(tag) < 28 || binary.BigEndian.Uint32(tag[8:]) == 0 {
			return ""
		}
		size, offset := int64(binary.BigEndian.Uint32(tag[20:])), int64(binary.BigEndian.Uint32(tag[24:]))
		if offset+size > int64(len(tag)) {
			return ""
		}
		text := tag[offset : offset+min(size, 4*maxDescription)]
		units := make([]uint16, len(text)/2)
		for i := range units {
			units[i] = binary.BigEndian.Uint16(text[2*i:])
		}
		return clean(string(utf16.Decode(units)))
	}
	return ""
}

// clean makes a text fit for a report: valid, printable and short.
func clean(text string) string {
	var out strings.Builder
	for n := 0; len(text) > 0 && n < maxDescription; n++ {
		r, size := utf8.DecodeRuneInString(text)
		text = text[size:]
		if r == 0 {
			break
		}
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			r = '\uFFFD'
		}
		out.WriteRune(r)
	}
	return strings.TrimSpace(out.String())
}
