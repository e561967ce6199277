// SPDX-License-Identifier: Apache-2.0

package render

// bits reads packed numbers. Those beyond the data are 0.
type bitReader struct {
	data []byte
	at   int
}

func (b *bitReader) take(n int) uint64 {
	v := uint64(0)
	for n > 0 {
		part := min(n, 8-b.at%8)
		v <<= part
		if b.at/8 < len(b.data) {
			v |= uint64(b.data[b.at/8]>>(8-b.at%8-part)) & (1<<part - 1)
		}
		b.at += part
		n -= part
	}
	return v
}

// more reports whether a number of bits is left.
func (b *bitReader) more(n int) bool { return b.at+n <= 8*len(b.data) }

// bitWriter appends packed numbers to data that ends at a whole byte.
type bitWriter struct {
	data []byte
	// left is the number of bits of the last byte that are not used.
	left int
}

func (p *bitWriter) put(v uint64, n int) {
	for n > 0 {
		if p.left == 0 {
			p.data, p.left = append(p.data, 0), 8
		}
		part := min(n, p.left)
		p.left -= part
		n -= part
		p.data[len(p.data)-1] |= byte(v>>n) & (1<<part - 1) << p.left // #nosec G115 -- masked
	}
}
