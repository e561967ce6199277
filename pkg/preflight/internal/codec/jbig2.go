// SPDX-License-Identifier: Apache-2.0

package codec

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// The types of segments (ITU-T T.88, 7.3).
const (
	segmentSymbols          = 0
	segmentText             = 4
	segmentTextNow          = 6
	segmentTextLossless     = 7
	segmentPatterns         = 16
	segmentHalftone         = 20
	segmentHalftoneNow      = 22
	segmentHalftoneLossless = 23
	segmentGeneric          = 36
	segmentGenericNow       = 38
	segmentGenericLossless  = 39
	segmentRefine           = 40
	segmentRefineNow        = 42
	segmentRefineLossless   = 43
	segmentPage             = 48
	segmentTable            = 53
)

// The limits of a bilevel image.
const (
	maxBilevel  = 1 << 27 // pixels
	maxSegments = 1 << 16
	maxSymbols  = 1 << 16
)

// DecodeJBIG2 decodes an image that a PDF embeds, with its global segments, to rows of one bit for
// each pixel; a bit of 0 is black, as the filter JBIG2Decode has it (ISO 32000-2, 7.4.7).
func DecodeJBIG2(data, globals []byte, width, height int, room func(int64) bool) ([]byte, error) {
	d := &jbig2{width: width, height: height, room: room, segments: map[uint32]*segment{}}
	for _, part := range [][]byte{globals, data} {
		if err := d.readSegments(part); err != nil && d.page == nil {
			return nil, err
		}
	}
	if d.page == nil {
		return nil, errors.New("no page")
	}
	stride := (width + 7) / 8
	if !room(int64(stride) * int64(height)) {
		return nil, errRoom
	}
	out := make([]byte, stride*height)
	for i := range out {
		out[i] = 0xff
	}
	for y := range min(height, d.page.height) {
		for x, v := range d.page.row(y)[:min(width, d.page.width)] {
			out[y*stride+x/8] ^= v << (7 - x%8)
		}
	}
	return out, nil
}

// bilevel is a bitmap with one byte, 0 or 1, for each pixel.
type bilevel struct {
	width, height int
	pixels        []byte
}

func (b *bilevel) row(y int) []byte { return b.pixels[y*b.width : (y+1)*b.width] }

// at returns a pixel; those outside are 0.
func (b *bilevel) at(x, y int) int {
	if x < 0 || y < 0 || x >= b.width || y >= b.height {
		return 0
	}
	return int(b.pixels[y*b.width+x])
}

// The operators that combine bitmaps (7.4.1.5).
const (
	combineOr = iota
	combineAnd
	combineXor
	combineXnor
	combineReplace
)

// combine draws a bitmap.
func (b *bilevel) combine(from *bilevel, x, y, operator int) {
	for row := max(0, -y); row < min(from.height, b.height-y); row++ {
		left, right := max(0, -x), min(from.width, b.width-x)
		if left >= right {
			return
		}
		into := b.row(y + row)[x+left : x+right]
		for i, v := range from.row(row)[left:right] {
			switch operator {
			case combineOr:
				into[i] |= v
			case combineAnd:
				into[i] &= v
			case combineXor:
				into[i] ^= v
			case combineXnor:
				into[i] = 1 - into[i] ^ v
			default:
				into[i] = v
			}
		}
	}
}

// segment is what later segments refer to.
type segment struct {
	symbols  []*bilevel
	patterns []*bilevel
	bitmap   *bilevel
	table    *huffmanTable
	// The contexts that a dictionary keeps for the next one.
	generic, refinement []mqContext
}

// jbig2 decodes the segments of one page.
type jbig2 struct {
	width, height int
	room          func(int64) bool
	segments      map[uint32]*segment
	page          *bilevel
}

// newBitmap returns a bitmap of zeros.
func (d *jbig2) newBitmap(width, height int) (*bilevel, error) {
	if width < 0 || height < 0 || width > 2*maxSide || height > 2*maxSide || int64(width)*int64(height) > maxBilevel ||
		!d.room(int64(width+1)*int64(height)+64) {
		return nil, errRoom
	}
	return &bilevel{width: width, height: height, pixels: make([]byte, width*height)}, nil
}

// header is that of a segment (7.2).
type header struct {
	number   uint32
	kind     int
	referred []uint32
	data     []byte
}

var errBits = errors.New("a segment ends early")

// readHeader reads a header, and returns what follows its data.
func readHeader(data []byte) (h header, rest []byte, err error) {
	if len(data) < 11 {
		return h, nil, errBits
	}
	h.number, h.kind = binary.BigEndian.Uint32(data), int(data[4]&63)
	pageSize := 1
	if data[4]&0x40 != 0 {
		pageSize = 4
	}
	count, at := int(data[5]>>5), 6
	if count == 7 {
		count = int(binary.BigEndian.Uint32(data[5:]) & 0x1fffffff)
		at = 9 + (count+8)/8
	}
	size := 4
	switch {
	case h.number <= 256:
		size = 1
	case h.number <= 65536:
		size = 2
	}
	if count > maxSegments || len(data) < at+count*size+pageSize+4 {
		return h, nil, errBits
	}
	for range count {
		v := uint32(0)
		for _, b := range data[at : at+size] {
			v = v<<8 | uint32(b)
		}
		h.referred = append(h.referred, v)
		at += size
	}
	at += pageSize
	length := binary.BigEndian.Uint32(data[at:])
	at += 4
	// The length of a generic region may be unknown; a page in a PDF then ends with it.
	end := min(uint64(at)+uint64(length), uint64(len(data))) // #nosec G115 -- not negative
	h.data = data[at:end]
	return h, data[end:], nil
}

func (d *jbig2) readSegments(data []byte) error {
	for range maxSegments {
		if len(data) == 0 {
			return nil
		}
		h, rest, err := readHeader(data)
		if err != nil {
			return err
		}
		if err := d.segment(&h); err != nil {
			return fmt.Errorf("segment %d: %w", h.number, err)
		}
		data = rest
	}
	return errors.New("too many segments")
}

func (d *jbig2) segment(h *header) error {
	switch h.kind {
	case segmentSymbols:
		return d.symbolDictionary(h)
	case segmentPatterns:
		return d.patternDictionary(h)
	case segmentTable:
		return d.tableSegment(h)
	case segmentPage:
		return d.pageInformation(h.data)
	case segmentText, segmentTextNow, segmentTextLossless, segmentHalftone, segmentHalftoneNow, segmentHalftoneLossless,
		segmentGeneric, segmentGenericNow, segmentGenericLossless, segmentRefine, segmentRefineNow, segmentRefineLossless:
		return d.region(h)
	}
	return nil // the end of a page, a stripe or a file, profiles, extensions
}

// pageInformation is 7.4.8.
func (d *jbig2) pageInformation(data []byte) error {
	if len(data) < 19 {
		return errBits
	}
	width, height := binary.BigEndian.Uint32(data), binary.BigEndian.Uint32(data[4:])
	if height == 0xffffffff {
		height = uint32(d.height) // #nosec G115 -- checked below
	}
	page, err := d.newBitmap(int(width), int(height))
	if err != nil {
		return err
	}
	if data[16]&4 != 0 {
		for i := range page.pixels {
			page.pixels[i] = 1
		}
	}
	d.page = page
	return nil
}

// region decodes a region and draws it on the page, or keeps it (7.4.1).
func (d *jbig2) region(h *header) error {
	if len(h.data) < 18 {
		return errBits
	}
	word := func(i int) int { return int(int32(binary.BigEndian.Uint32(h.data[4*i:]))) } // #nosec G115 -- signed
	width, height, x, y, operator := word(0), word(1), word(2), word(3), int(h.data[16]&7)
	var made *bilevel
	var err error
	switch body := h.data[17:]; h.kind {
	case segmentText, segmentTextNow, segmentTextLossless:
		made, err = d.textRegion(h, body, width, height)
	case segmentHalftone, segmentHalftoneNow, segmentHalftoneLossless:
		made, err = d.halftoneRegion(h, body, width, height)
	case segmentGeneric, segmentGenericNow, segmentGenericLossless:
		made, err = d.genericRegion(body, width, height)
	default:
		made, err = d.refinementRegion(h, body, width, height, x, y)
	}
	if err != nil {
		return err
	}
	switch h.kind {
	case segmentText, segmentHalftone, segmentGeneric, segmentRefine:
		d.segments[h.number] = &segment{bitmap: made}
		return nil
	}
	if d.page == nil {
		return errors.New("a region before its page")
	}
	d.page.combine(made, x, y, operator)
	return nil
}
