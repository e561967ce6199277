// SPDX-License-Identifier: Apache-2.0

package color

// huffman is a table of codes (ITU-T T.81, annex C).
type huffman struct {
	// short holds length and symbol of the codes of up to eight bits, by the next
	// eight bits.
	short [256]uint16
	// largest holds the largest code of each length above eight; offset locates its symbols.
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
			if length <= 8 {
				first := code << (8 - length)
				for i := range int32(1) << (8 - length) {
					h.short[(first+i)&0xff] = uint16(length)<<8 | uint16(symbols[k]) // #nosec G115 -- at most 8
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
	bits uint32
	n    int
	// over counts bytes that were read beyond the data, as zeros.
	over int
}

// fill makes at least 16 bits available.
func (r *reader) fill() {
	for r.n <= 24 {
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
		r.bits |= uint32(v) << (24 - r.n)
		r.n += 8
	}
}

// take consumes up to 16 bits.
func (r *reader) take(n int) int {
	if n == 0 {
		return 0
	}
	if r.n < n {
		r.fill()
	}
	v := int(r.bits >> (32 - n))
	r.bits <<= n
	r.n -= n
	return v
}

// maxOver bounds the bytes that a scan may lack at its end.
const maxOver = 16

// decode consumes one code. It returns false for an unknown code, and beyond the end
// of the data.
func (r *reader) decode(h *huffman) (byte, bool) {
	if r.n < 16 {
		r.fill()
	}
	if r.over > maxOver {
		return 0, false
	}
	if entry := h.short[r.bits>>24]; entry != 0 {
		length := int(entry >> 8)
		r.bits <<= length
		r.n -= length
		return byte(entry & 0xff), true
	}
	for length := 9; length <= 16; length++ {
		code := int32(r.bits >> (32 - length)) // #nosec G115 -- at most 16 bits
		if code > h.largest[length] {
			continue
		}
		index := code + h.offset[length]
		if index < 0 || int(index) >= len(h.symbols) {
			return 0, false
		}
		r.bits <<= length
		r.n -= length
		return h.symbols[index], true
	}
	return 0, false
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
