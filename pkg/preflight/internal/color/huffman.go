// SPDX-License-Identifier: Apache-2.0

package color

import "encoding/binary"

// shortBits is the length of the codes that one access to a table decodes.
const shortBits = 10

// huffman is a table of codes (ITU-T T.81, annex C).
type huffman struct {
	// short holds length and symbol of the codes of up to shortBits bits, by the next bits.
	short [1 << shortBits]uint16
	// largest holds the largest code of each longer length; offset locates its symbols.
	largest [17]int32
	offset  [17]int32
	symbols []byte
}

// huffmanTables reads a DHT segment.
func (b *blocks) huffmanTables(body []byte) bool {
	for len(body) > 0 {
		if len(body) < 17 {
			return false
		}
		class, id := int(body[0]>>4), int(body[0]&15)
		total := 0
		for _, n := range body[1:17] {
			total += int(n)
		}
		if class > 1 || id > 3 || total > 256 || len(body) < 17+total {
			return false
		}
		b.tables[class][id] = newHuffman(body[1:17], body[17:17+total])
		body = body[17+total:]
	}
	return true
}

func newHuffman(counts, symbols []byte) *huffman {
	h := &huffman{symbols: symbols}
	code, k := int32(0), int32(0)
	for length := 1; length <= 16; length++ {
		h.offset[length] = k - code
		for range counts[length-1] {
			if length <= shortBits {
				first := code << (shortBits - length)
				for i := range int32(1) << (shortBits - length) {
					h.short[(first+i)&(1<<shortBits-1)] = uint16(length)<<8 | uint16(symbols[k]) // #nosec G115 -- at most shortBits
				}
			}
			code++
			k++
		}
		h.largest[length] = code - 1
		if counts[length-1] == 0 {
			h.largest[length] = -1
		}
		code <<= 1
	}
	return h
}

// reader reads the bits of a scan.
type reader struct {
	data []byte
	at   int
	// bits holds the next n bits, the first one in the highest place.
	bits uint64
	n    int
	// over counts bytes that were read beyond the data, as zeros.
	over int
}

// maxOver bounds the bytes that a scan may lack at its end. Eight of them may only be read ahead.
const maxOver = 20

// enough is the number of bits that hold a code and a number.
const enough = 32

// fill makes enough bits available. It returns false beyond the end of the data.
func (r *reader) fill() bool {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	if r.at+8 <= len(r.data) {
		word := binary.BigEndian.Uint64(r.data[r.at:])
		if zeros := ^word; (zeros-ones)&^zeros&tops == 0 { // no byte is 0xff
			whole := (64 - r.n) / 8
			r.bits |= word >> (64 - 8*whole) << (64 - 8*whole - r.n)
			r.at += whole
			r.n += 8 * whole
			return true
		}
	}
	for r.n <= 56 {
		v := byte(0)
		switch {
		case r.at >= len(r.data):
			r.over++
		case r.data[r.at] != 0xff:
			v = r.data[r.at]
			r.at++
		case r.at+1 < len(r.data) && r.data[r.at+1] == 0:
			v = 0xff
			r.at += 2
		default: // a marker: the scan has ended
			r.over++
		}
		r.bits |= uint64(v) << (56 - r.n)
		r.n += 8
	}
	return r.over <= maxOver
}

// code returns the next symbol and the length of its code, which is 0 for an unknown code. It consumes
// nothing. At least 16 bits must be available.
func (r *reader) code(h *huffman) (symbol byte, length int) {
	if entry := h.short[r.bits>>(64-shortBits)]; entry != 0 {
		return byte(entry & 0xff), int(entry >> 8)
	}
	for length := shortBits + 1; length <= 16; length++ {
		code := int32(r.bits >> (64 - length)) // #nosec G115 -- at most 16 bits
		if code > h.largest[length] {
			continue
		}
		index := code + h.offset[length]
		if index < 0 || int(index) >= len(h.symbols) {
			return 0, 0
		}
		return h.symbols[index], length
	}
	return 0, 0
}

// number returns the number of size bits, at most 15, after so many other bits, and consumes both (table F.1).
func (r *reader) number(after, size int) int {
	v := int(r.bits << after >> 1 >> (63 - size))
	r.bits <<= after + size
	r.n -= after + size
	if v < 1<<size>>1 {
		v -= 1<<size - 1
	}
	return v
}

// restart moves behind the next restart marker.
func (r *reader) restart() bool {
	for ; r.at+1 < len(r.data); r.at++ {
		if r.data[r.at] != 0xff {
			continue
		}
		switch marker := r.data[r.at+1]; {
		case marker >= 0xd0 && marker <= 0xd7:
			r.at += 2
			r.bits, r.n, r.over = 0, 0, 0
			return true
		case marker != 0 && marker != 0xff:
			return false
		}
	}
	return false
}
