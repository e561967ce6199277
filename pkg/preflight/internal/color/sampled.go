// SPDX-License-Identifier: Apache-2.0

package color

import (
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// sampled is type 0: a table with one dimension for each input. It interpolates
// linearly between the entries.
type sampled struct {
	domain         []interval
	size           []int
	encode, decode []interval
	bits           int
	data           []byte
}

func (p *parser) sampled(f *Function, o types.Object, dict types.Dict) error {
	s := &sampled{domain: f.domain, bits: p.file.Int(dict["BitsPerSample"])}
	f.outputs = len(f.bounds)
	switch s.bits {
	case 1, 2, 4, 8, 12, 16, 24, 32:
	default:
		return ErrFunction
	}
	if f.outputs == 0 || f.inputs > maxSampledInputs {
		return ErrFunction
	}
	sizes, ok := p.file.Numbers(dict["Size"], f.inputs)
	if !ok {
		return ErrFunction
	}
	total := f.outputs
	for _, size := range sizes {
		if size < 1 || size > maxSamples || total > maxSamples/int(size) {
			return ErrFunction
		}
		s.size = append(s.size, int(size))
		total *= int(size)
	}
	s.ranges(p, f, dict)
	s.data = p.file.Decode(o, p.page)
	if len(s.data) < (total*s.bits+7)/8 {
		return ErrFunction
	}
	f.body = s
	return nil
}

// ranges reads Encode and Decode, or their defaults. They may run backwards.
func (s *sampled) ranges(p *parser, f *Function, dict types.Dict) {
	encode, ok := p.file.Numbers(dict["Encode"], 2*f.inputs)
	for i, size := range s.size {
		if ok {
			s.encode = append(s.encode, interval{encode[2*i], encode[2*i+1]})
		} else {
			s.encode = append(s.encode, interval{0, float64(size - 1)})
		}
	}
	s.decode = f.bounds
	if decode, ok := p.file.Numbers(dict["Decode"], 2*f.outputs); ok {
		s.decode = make([]interval, f.outputs)
		for i := range s.decode {
			s.decode[i] = interval{decode[2*i], decode[2*i+1]}
		}
	}
}

func (s *sampled) eval(out, in []float64) {
	var cell [maxSampledInputs]int
	var part [maxSampledInputs]float64
	for i, x := range in {
		last := float64(s.size[i] - 1)
		e := interpolate(x, s.domain[i].low, s.domain[i].high, s.encode[i].low, s.encode[i].high)
		e = interval{0, last}.clamp(e)
		cell[i] = min(int(e), max(s.size[i]-2, 0))
		part[i] = e - float64(cell[i])
	}
	for corner := range 1 << len(in) {
		weight, index, stride := 1.0, 0, 1
		for i := range in {
			step := corner >> i & 1
			if step == 1 {
				weight *= part[i]
			} else {
				weight *= 1 - part[i]
			}
			index += min(cell[i]+step, s.size[i]-1) * stride
			stride *= s.size[i]
		}
		if weight == 0 {
			continue
		}
		for j := range out {
			out[j] += weight * float64(s.sample(index*len(out)+j))
		}
	}
	most := float64(uint64(1)<<s.bits - 1)
	for j := range out {
		out[j] = interpolate(out[j], 0, most, s.decode[j].low, s.decode[j].high)
	}
}

// sample returns the i-th number of the table. Samples are packed without gaps.
func (s *sampled) sample(i int) uint32 {
	switch s.bits {
	case 8:
		return uint32(s.data[i])
	case 16:
		return uint32(s.data[2*i])<<8 | uint32(s.data[2*i+1])
	}
	at, v := i*s.bits, uint64(0)
	end := at + s.bits
	for b := at / 8; b*8 < end; b++ {
		v = v<<8 | uint64(s.data[b])
	}
	v >>= (8 - end%8) % 8
	return uint32(v & (1<<s.bits - 1)) // #nosec G115 -- masked to at most 32 bits
}
