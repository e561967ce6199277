// SPDX-License-Identifier: Apache-2.0

package codec

// mqDecoder is the adaptive binary arithmetic decoder that JPEG 2000 and JBIG2 share (ISO/IEC
// 15444-1, annex C.3; ITU-T T.88, annex E.3). After the end of the data it reads ones.
type mqDecoder struct {
	data  []byte
	at    int
	c, a  uint32
	count int
}

// mqContext is the state of one context: the index of the table, and the likelier bit in the
// lowest bit.
type mqContext uint8

// mqState is a row of the table of states.
type mqState struct {
	qe                 uint32
	afterMPS, afterLPS uint8
	exchange           uint8
}

// mqStates is table C.2 of ISO/IEC 15444-1.
var mqStates = [47]mqState{
	{0x5601, 1, 1, 1},
	{0x3401, 2, 6, 0},
	{0x1801, 3, 9, 0},
	{0x0ac1, 4, 12, 0},
	{0x0521, 5, 29, 0},
	{0x0221, 38, 33, 0},
	{0x5601, 7, 6, 1},
	{0x5401, 8, 14, 0},
	{0x4801, 9, 14, 0},
	{0x3801, 10, 14, 0},
	{0x3001, 11, 17, 0},
	{0x2401, 12, 18, 0},
	{0x1c01, 13, 20, 0},
	{0x1601, 29, 21, 0},
	{0x5601, 15, 14, 1},
	{0x5401, 16, 14, 0},
	{0x5101, 17, 15, 0},
	{0x4801, 18, 16, 0},
	{0x3801, 19, 17, 0},
	{0x3401, 20, 18, 0},
	{0x3001, 21, 19, 0},
	{0x2801, 22, 19, 0},
	{0x2401, 23, 20, 0},
	{0x2201, 24, 21, 0},
	{0x1c01, 25, 22, 0},
	{0x1801, 26, 23, 0},
	{0x1601, 27, 24, 0},
	{0x1401, 28, 25, 0},
	{0x1201, 29, 26, 0},
	{0x1101, 30, 27, 0},
	{0x0ac1, 31, 28, 0},
	{0x09c1, 32, 29, 0},
	{0x08a1, 33, 30, 0},
	{0x0521, 34, 31, 0},
	{0x0441, 35, 32, 0},
	{0x02a1, 36, 33, 0},
	{0x0221, 37, 34, 0},
	{0x0141, 38, 35, 0},
	{0x0111, 39, 36, 0},
	{0x0085, 40, 37, 0},
	{0x0049, 41, 38, 0},
	{0x0025, 42, 39, 0},
	{0x0015, 43, 40, 0},
	{0x0009, 44, 41, 0},
	{0x0005, 45, 42, 0},
	{0x0001, 45, 43, 0},
	{0x5601, 46, 46, 0},
}

func newMQ(data []byte) *mqDecoder {
	d := &mqDecoder{data: data}
	d.c = uint32(d.byte(0)) << 16
	d.next()
	d.c <<= 7
	d.count -= 7
	d.a = 0x8000
	return d
}

func (d *mqDecoder) byte(i int) byte {
	if i < len(d.data) {
		return d.data[i]
	}
	return 0xff
}

// next reads a byte; a byte after 0xff has seven bits, or is a marker that ends the data.
func (d *mqDecoder) next() {
	if d.byte(d.at) != 0xff {
		d.at++
		d.c += uint32(d.byte(d.at)) << 8
		d.count = 8
		return
	}
	if following := d.byte(d.at + 1); following <= 0x8f {
		d.at++
		d.c += uint32(following) << 9
		d.count = 7
		return
	}
	d.c += 0xff00
	d.count = 8
}

// bit decodes one bit in a context.
func (d *mqDecoder) bit(context *mqContext) int {
	state, mps := &mqStates[*context>>1], *context&1
	d.a -= state.qe
	var likely bool
	if d.c>>16 < state.qe {
		likely = d.a < state.qe
		d.a = state.qe
	} else {
		d.c -= state.qe << 16
		if d.a&0x8000 != 0 {
			return int(mps)
		}
		likely = d.a >= state.qe
	}
	bit := mps
	if likely {
		*context = mqContext(state.afterMPS<<1) | mps
	} else {
		bit = 1 - mps
		*context = mqContext(state.afterLPS<<1) | mps ^ mqContext(state.exchange)
	}
	for {
		if d.count == 0 {
			d.next()
		}
		d.a <<= 1
		d.c <<= 1
		d.count--
		if d.a&0x8000 != 0 {
			return int(bit)
		}
	}
}
