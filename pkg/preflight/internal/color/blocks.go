// SPDX-License-Identifier: Apache-2.0

package color

import (
	"encoding/binary"
	"slices"
)

// A large JPEG is measured by the mean of each block of 8 x 8 samples, which its
// data holds as one number (ITU-T T.81, A.3.3). That needs no transform and an
// eighth of the time, and ink is limited by area, not by pixel. A JPEG that is less large is reduced to
// 2 x 2 or 4 x 4 samples of each block, by the lowest frequencies alone.

// The bounds of a JPEG that is read in blocks.
const (
	maxComponents = 4
	maxBlocks     = 1 << 22
)

// component is one of the planes of a JPEG.
type component struct {
	id    byte
	h, v  int
	quant int
	// side is the number of samples of a block in each direction.
	side             int
	wide, high       int
	dcTable, acTable int
	means            []int16
	seen             bool
}

// blocks reads a JPEG.
type blocks struct {
	data []byte
	// side is the number of samples of a block in each direction: 1, 2 or 4.
	side          int
	width, height int
	progressive   bool
	transform     int
	marked        bool
	restart       int
	quants        [4][64]int
	tables        [2][4]*huffman
	planes        []component
	// low are the lowest frequencies of a block, row by row, of which the first filled rows have values. filled is 0
	// if only the first frequency has one.
	low        [64]float32
	filled     int
	hMax, vMax int
}

// unpackBlocks converts a JPEG to so many samples for each block in each direction, as a PDF reader would
// see it. It returns false for a damaged JPEG, and for an unusual coding.
func unpackBlocks(i Image, side int, room func(bytes int64) bool) (Image, bool) {
	b := &blocks{data: i.Data, side: side}
	n := i.Space.Components
	switch {
	case n != 1 && n != 3 && n != 4:
		return i, false
	case i.Ahead != nil:
		if b = i.Ahead.blocks; b == nil {
			return i, false
		}
	case !b.headers(room):
		return i, false
	}
	if len(b.planes) != n {
		return i, false
	}
	first := &b.planes[0]
	wide, high := first.wide, first.high
	if side > 1 {
		if first.h < b.hMax || first.v < b.vMax {
			return i, false
		}
		wide, high = ceil(b.width*side, 8), ceil(b.height*side, 8)
	}
	// Without a marker, three components are transformed and four are not (ISO 32000-2,
	// table 13).
	transformed := len(b.planes) == 4 && b.transform != 0 || len(b.planes) == 3 && (!b.marked || b.transform != 0)
	columns := make([][]int, len(b.planes)) // by component, the sample of each pixel of a row
	for c := range b.planes {
		p := &b.planes[c]
		for x := range wide {
			columns[c] = append(columns[c], min(x*p.h*p.side/(first.h*side), p.wide*p.side-1))
		}
	}
	i.Width, i.Height, i.Bits, i.Codec, i.Data = wide, high, 8, Plain, nil
	i.Rows = &pixelRows{height: high, stride: wide * n, fill: func(y int, row []byte) {
		var rows [maxComponents][]int16
		for c := range b.planes {
			p := &b.planes[c]
			rows[c] = p.means[min(y*p.v*p.side/(first.v*side), p.high*p.side-1)*p.wide*p.side:]
		}
		if !transformed {
			for c, column := range columns {
				for x, at := range column {
					row[x*n+c] = clampByte(int(rows[c][at]))
				}
			}
			return
		}
		luma, cb, cr := columns[0][:wide], columns[1][:wide], columns[2][:wide]
		for x := range wide {
			pixel := row[x*n:][:n]
			y, b, r := int(rows[0][luma[x]]), int(rows[1][cb[x]])-128, int(rows[2][cr[x]])-128
			pixel[0], pixel[1], pixel[2] = clampByte(y+r*1402/1000), clampByte(y-b*344/1000-r*714/1000), clampByte(y+b*1772/1000)
			if n == 4 {
				pixel[0], pixel[1], pixel[2] = 255-pixel[0], 255-pixel[1], 255-pixel[2]
				pixel[3] = clampByte(int(rows[3][columns[3][x]]))
			}
		}
	}}
	return i, true
}

func clampByte(v int) byte { return byte(min(max(v, 0), 255)) } // #nosec G115 -- clamped

// headers reads all segments and scans.
func (b *blocks) headers(room func(bytes int64) bool) bool {
	at := 2
	for at+4 <= len(b.data) {
		if b.data[at] != 0xff {
			return false
		}
		marker := b.data[at+1]
		if marker == 0xff {
			at++
			continue
		}
		if marker == 0xd9 {
			break
		}
		size := int(binary.BigEndian.Uint16(b.data[at+2:]))
		if size < 2 || at+2+size > len(b.data) {
			return false
		}
		body := b.data[at+4 : at+2+size]
		at += 2 + size
		if marker == 0xda {
			next, ok := b.scan(body, at)
			if !ok || b.complete() {
				return ok
			}
			at = next
			continue
		}
		if !b.segment(marker, body, room) {
			return false
		}
	}
	return b.complete()
}

// complete reports whether the means of all planes are known.
func (b *blocks) complete() bool {
	return len(b.planes) > 0 && !slices.ContainsFunc(b.planes, func(c component) bool { return !c.seen })
}

func (b *blocks) segment(marker byte, body []byte, room func(bytes int64) bool) bool {
	switch {
	case marker == 0xdb:
		return b.quantization(body)
	case marker == 0xc4:
		return b.huffmanTables(body)
	case marker == 0xdd && len(body) >= 2:
		b.restart = int(binary.BigEndian.Uint16(body))
	case marker == 0xee && len(body) >= 12 && string(body[:5]) == "Adobe":
		b.transform, b.marked = int(body[11]), true
	case marker == 0xc0 || marker == 0xc1 || marker == 0xc2:
		// The lowest frequencies of a progressive JPEG are spread over its scans.
		if b.progressive = marker == 0xc2; b.progressive && b.side > 1 {
			return false
		}
		return b.frame(body, room)
	case frameHeader(marker):
		return false
	}
	return true
}

// quantization reads the steps of a table, in the order of frequencies.
func (b *blocks) quantization(body []byte) bool {
	for len(body) > 0 {
		wide, id := int(body[0]>>4), int(body[0]&15)
		size := 1 + 64*(wide+1)
		if wide > 1 || id > 3 || len(body) < size {
			return false
		}
		for k := range b.quants[id] {
			if wide == 1 {
				b.quants[id][k] = int(binary.BigEndian.Uint16(body[1+2*k:]))
			} else {
				b.quants[id][k] = int(body[1+k])
			}
		}
		body = body[size:]
	}
	return true
}

func (b *blocks) frame(body []byte, room func(bytes int64) bool) bool {
	if len(b.planes) > 0 || len(body) < 6 || body[0] != 8 {
		return false
	}
	b.height, b.width = int(binary.BigEndian.Uint16(body[1:])), int(binary.BigEndian.Uint16(body[3:]))
	n := int(body[5])
	if b.height == 0 || b.width == 0 || n == 0 || n > maxComponents || len(body) < 6+3*n {
		return false
	}
	for c := range n {
		part := body[6+3*c:]
		p := component{id: part[0], h: int(part[1] >> 4), v: int(part[1] & 15), quant: int(part[2])}
		if p.h < 1 || p.h > 4 || p.v < 1 || p.v > 4 || p.quant > 3 {
			return false
		}
		b.hMax, b.vMax = max(b.hMax, p.h), max(b.vMax, p.v)
		b.planes = append(b.planes, p)
	}
	total := int64(0)
	for c := range b.planes {
		p := &b.planes[c]
		p.wide = ceil(ceil(b.width*p.h, b.hMax), 8)
		p.high = ceil(ceil(b.height*p.v, b.vMax), 8)
		if p.side = b.side; b.side > 1 && b.hMax == 2*p.h && b.vMax == 2*p.v {
			p.side *= 2 // as many samples of chrominance as of luminance
		}
		total += int64(p.wide) * int64(p.high) * int64(p.side*p.side)
	}
	if total > maxComponents*maxBlocks || !room(3*total) {
		return false
	}
	for c := range b.planes {
		b.planes[c].means = make([]int16, b.planes[c].wide*b.planes[c].high*b.planes[c].side*b.planes[c].side)
	}
	return true
}

func ceil(a, b int) int { return (a + b - 1) / b }
