// SPDX-License-Identifier: Apache-2.0

package color

import (
	"bytes"
	"encoding/binary"
)

// mostPixels is the largest JPEG that is unpacked in full.
const mostPixels = 1 << 24

// adobe is a marker for four components that are not transformed. The decoder
// requires it; a PDF does not.
const adobe = "\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00\x00"

// withAdobe adds the marker where it is missing.
func withAdobe(data []byte) []byte {
	components, marked := 0, false
	segments(data, func(marker byte, body []byte) {
		switch {
		case marker == 0xee && bytes.HasPrefix(body, []byte("Adobe")):
			marked = true
		case frameHeader(marker) && len(body) > 5:
			components = int(body[5])
		}
	})
	if marked || components != 4 {
		return data
	}
	out := append([]byte(nil), data[:2]...)
	return append(append(out, adobe...), data[2:]...)
}

// frameHeader reports whether a marker is that of a frame header, with the size.
func frameHeader(marker byte) bool {
	return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc
}

// segments calls visit for each marker segment before the coded data.
func segments(data []byte, visit func(marker byte, body []byte)) {
	if !bytes.HasPrefix(data, []byte{0xff, 0xd8}) {
		return
	}
	for at := 2; at+4 <= len(data); {
		if data[at] != 0xff {
			return
		}
		marker := data[at+1]
		if marker == 0xff { // filling
			at++
			continue
		}
		size := int(binary.BigEndian.Uint16(data[at+2:]))
		if marker == 0xda || size < 2 || at+2+size > len(data) {
			return
		}
		visit(marker, data[at+4:at+2+size])
		at += 2 + size
	}
}

// commonSum is the sum of the luminance table of ITU-T T.81, annex K: quality 50.
const commonSum = 3688

// JPEGQuality estimates the quality of a JPEG, 1 to 100, by comparing its first
// quantization table with the table that most encoders scale. It returns 0 for data
// without a table.
func JPEGQuality(data []byte) int {
	sum := 0
	segments(data, func(marker byte, body []byte) {
		if marker == 0xdb && sum == 0 {
			sum = tableSum(body)
		}
	})
	if sum == 0 {
		return 0
	}
	scale := float64(sum) * 100 / commonSum
	quality := 5000 / scale
	if scale <= 100 {
		quality = (200 - scale) / 2
	}
	// A table of ones is the finest possible.
	if sum <= 64 {
		return 100
	}
	return max(1, min(int(quality+0.5), 100))
}

// tableSum adds up the first table of a DQT segment.
func tableSum(body []byte) int {
	if len(body) < 65 {
		return 0
	}
	sum := 0
	if body[0]>>4 == 0 {
		for _, v := range body[1:65] {
			sum += int(v)
		}
		return sum
	}
	for k := 1; k+1 < min(len(body), 129); k += 2 {
		sum += int(binary.BigEndian.Uint16(body[k:]))
	}
	return sum
}
