// SPDX-License-Identifier: Apache-2.0

package codec

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// The markers of a codestream (ISO/IEC 15444-1, table A.2).
const (
	markerSOC = 0xff4f
	markerSOT = 0xff90
	markerSOD = 0xff93
	markerEOC = 0xffd9
	markerSIZ = 0xff51
	markerCOD = 0xff52
	markerCOC = 0xff53
	markerRGN = 0xff5e
	markerQCD = 0xff5c
	markerQCC = 0xff5d
	markerPOC = 0xff5f
	markerPPM = 0xff60
	markerPPT = 0xff61
)

// The limits of a codestream.
const (
	maxSide     = 1 << 16
	maxChannels = 64
	maxTiles    = 1 << 16
	maxLevels   = 32
)

var errCut = errors.New("the data ends early")

// size is the segment SIZ: the reference grid, its tiles, and the components (A.5.1).
type size struct {
	x0, y0, x1, y1         int
	tileX, tileY           int
	tileWidth, tileHeight  int
	tilesAcross, tilesDown int
	components             []channel
}

// channel is a component as the segment SIZ describes it.
type channel struct {
	bits   int
	signed bool
	stepX  int
	stepY  int
}

// coding is the style of a component (A.6.1).
type coding struct {
	levels               int
	blockX, blockY       int // powers of two
	style                int
	reversible           bool
	precinctX, precinctY []int // powers of two for each resolution; none for the largest
}

// quantization are the step sizes of the subbands of a component (A.6.4).
type quantization struct {
	style     int
	guardBits int
	exponents []int
	mantissas []int
}

// progression is an order of packets, with bounds (A.6.6).
type progression struct {
	order                     int
	resolution, resolutionEnd int
	component, componentEnd   int
	layerEnd                  int
}

// parameters are those of the main header or of one tile.
type parameters struct {
	order, layers        int
	startMarks, endMarks bool
	transform            bool
	coding               []coding
	codingOwn            []bool
	quantization         []quantization
	quantizationOwn      []bool
	shift                []int
	changes              []progression
}

func (p *parameters) clone() *parameters {
	c := *p
	c.coding = append([]coding(nil), p.coding...)
	c.quantization = append([]quantization(nil), p.quantization...)
	c.shift = append([]int(nil), p.shift...)
	// What a tile states for all its components precedes what the main header states for one.
	c.codingOwn, c.quantizationOwn = make([]bool, len(p.coding)), make([]bool, len(p.coding))
	c.changes = append([]progression(nil), p.changes...)
	return &c
}

// tileData is a tile before it is decoded.
type tileData struct {
	parameters *parameters
	data       []byte
}

// codestream is a codestream whose headers are read.
type codestream struct {
	size  size
	main  *parameters
	tiles map[int]*tileData
}

// readCodestream reads all headers. Data that ends early keeps the tiles before.
func readCodestream(data []byte) (*codestream, error) {
	s := &codestream{tiles: map[int]*tileData{}}
	if len(data) < 4 || binary.BigEndian.Uint16(data) != markerSOC {
		return nil, errors.New("no codestream")
	}
	at := 2
	for at+4 <= len(data) {
		marker := int(binary.BigEndian.Uint16(data[at:]))
		if marker == markerEOC {
			break
		}
		length := int(binary.BigEndian.Uint16(data[at+2:]))
		if length < 2 || at+2+length > len(data) {
			break
		}
		body := data[at+4 : at+2+length]
		next := at + 2 + length
		var err error
		switch {
		case marker == markerSOT:
			next, err = s.tilePart(data, at, body)
		case marker == markerSIZ:
			err = s.readSize(body)
		case s.main == nil:
			err = fmt.Errorf("marker %#x before the size", marker)
		default:
			err = s.segment(s.main, marker, body)
		}
		if err != nil {
			return nil, err
		}
		at = next
	}
	if s.main == nil || len(s.tiles) == 0 {
		return nil, errCut
	}
	return s, nil
}

// segment reads a segment of the main header or of a tile.
func (s *codestream) segment(p *parameters, marker int, body []byte) error {
	switch marker {
	case markerCOD:
		return s.codingDefault(p, body)
	case markerCOC:
		component, body, ok := s.componentOf(body)
		if !ok || len(body) < 6 {
			return errCut
		}
		p.codingOwn[component] = true
		return p.coding[component].read(body[1:], body[0]&1 != 0)
	case markerQCD:
		var q quantization
		if err := q.read(body); err != nil {
			return err
		}
		for c := range p.quantization {
			if !p.quantizationOwn[c] {
				p.quantization[c] = q
			}
		}
	case markerQCC:
		component, body, ok := s.componentOf(body)
		if !ok {
			return errCut
		}
		p.quantizationOwn[component] = true
		return p.quantization[component].read(body)
	case markerRGN:
		component, body, ok := s.componentOf(body)
		if !ok || len(body) < 2 || body[1] > 37 {
			return errCut
		}
		p.shift[component] = int(body[1])
	case markerPOC:
		return s.orderChanges(p, body)
	case markerPPM, markerPPT:
		return errors.New("packed headers of packets are not supported")
	}
	return nil
}

// componentOf reads the index of a component, which takes two bytes above 256 components.
func (s *codestream) componentOf(body []byte) (int, []byte, bool) {
	if len(body) < 1 || int(body[0]) >= len(s.size.components) {
		return 0, nil, false
	}
	return int(body[0]), body[1:], true
}

func (s *codestream) readSize(body []byte) error {
	if len(body) < 36 || s.main != nil {
		return errCut
	}
	word := func(i int) int { return int(binary.BigEndian.Uint32(body[2+4*i:])) }
	z := size{x1: word(0), y1: word(1), x0: word(2), y0: word(3), tileWidth: word(4), tileHeight: word(5), tileX: word(6), tileY: word(7)}
	n := int(binary.BigEndian.Uint16(body[34:]))
	switch {
	case n < 1 || n > maxChannels || len(body) < 36+3*n:
		return fmt.Errorf("%d components", n)
	case z.x1 > maxSide || z.y1 > maxSide || z.x0 >= z.x1 || z.y0 >= z.y1:
		return fmt.Errorf("an image of %d x %d", z.x1, z.y1)
	case z.tileWidth < 1 || z.tileHeight < 1 || z.tileX > z.x0 || z.tileY > z.y0 || z.tileX+z.tileWidth <= z.x0 || z.tileY+z.tileHeight <= z.y0:
		return errors.New("tiles that do not cover the image")
	}
	z.tilesAcross, z.tilesDown = ceil(z.x1-z.tileX, z.tileWidth), ceil(z.y1-z.tileY, z.tileHeight)
	if z.tilesAcross*z.tilesDown > maxTiles {
		return fmt.Errorf("%d x %d tiles", z.tilesAcross, z.tilesDown)
	}
	for c := range n {
		part := body[36+3*c:]
		component := channel{bits: int(part[0]&0x7f) + 1, signed: part[0]&0x80 != 0, stepX: int(part[1]), stepY: int(part[2])}
		if component.stepX == 0 || component.stepY == 0 || component.bits > 24 {
			return fmt.Errorf("a component of %d bits", component.bits)
		}
		z.components = append(z.components, component)
	}
	s.size = z
	s.main = &parameters{
		coding: make([]coding, n), codingOwn: make([]bool, n), quantization: make([]quantization, n), quantizationOwn: make([]bool, n), shift: make([]int, n),
	}
	return nil
}

func (s *codestream) codingDefault(p *parameters, body []byte) error {
	if len(body) < 10 {
		return errCut
	}
	p.startMarks, p.endMarks = body[0]&2 != 0, body[0]&4 != 0
	p.order, p.layers, p.transform = int(body[1]), int(binary.BigEndian.Uint16(body[2:])), body[4] != 0
	var c coding
	if err := c.read(body[5:], body[0]&1 != 0); err != nil {
		return err
	}
	for i := range p.coding {
		if !p.codingOwn[i] {
			p.coding[i] = c
		}
	}
	return nil
}

func (c *coding) read(body []byte, precincts bool) error {
	*c = coding{levels: int(body[0]), blockX: int(body[1]&15) + 2, blockY: int(body[2]&15) + 2, style: int(body[3]), reversible: body[4] == 1}
	if c.levels > maxLevels || c.blockX > 10 || c.blockY > 10 || c.blockX+c.blockY > 12 || c.style >= 1<<6 {
		return errors.New("a style of coding that does not exist")
	}
	for r := range c.levels + 1 {
		x, y := 15, 15
		if precincts {
			if len(body) < 6+r {
				return errCut
			}
			x, y = int(body[5+r]&15), int(body[5+r]>>4)
			if r > 0 && (x == 0 || y == 0) {
				return errors.New("precincts without an extent")
			}
		}
		c.precinctX, c.precinctY = append(c.precinctX, x), append(c.precinctY, y)
	}
	return nil
}

// The styles of quantization (table A.28).
const (
	quantizeNone = iota
	quantizeDerived
	quantizeExpounded
)

func (q *quantization) read(body []byte) error {
	if len(body) < 2 {
		return errCut
	}
	*q = quantization{style: int(body[0] & 31), guardBits: int(body[0] >> 5)}
	body = body[1:]
	if q.style == quantizeNone {
		for _, v := range body {
			q.exponents, q.mantissas = append(q.exponents, int(v>>3)), append(q.mantissas, 0)
		}
		return nil
	}
	for ; len(body) >= 2; body = body[2:] {
		v := int(binary.BigEndian.Uint16(body))
		q.exponents, q.mantissas = append(q.exponents, v>>11), append(q.mantissas, v&0x7ff)
	}
	if q.style > quantizeExpounded || len(q.exponents) == 0 {
		return errors.New("a quantization that does not exist")
	}
	return nil
}

// step returns the exponent and mantissa of a subband; the index counts from LL, then HL, LH
// and HH of each level (equation E-5).
func (q *quantization) step(index int) (exponent, mantissa int, ok bool) {
	if q.style == quantizeDerived {
		return q.exponents[0] - max(index-1, 0)/3, q.mantissas[0], true
	}
	if index >= len(q.exponents) {
		return 0, 0, false
	}
	return q.exponents[index], q.mantissas[index], true
}

func (s *codestream) orderChanges(p *parameters, body []byte) error {
	for ; len(body) >= 7; body = body[7:] {
		p.changes = append(p.changes, progression{
			resolution: int(body[0]), component: int(body[1]), layerEnd: int(binary.BigEndian.Uint16(body[2:])),
			resolutionEnd: int(body[4]), componentEnd: int(body[5]), order: int(body[6]),
		})
		// An end of 0 is 256 (table A.32).
		if last := &p.changes[len(p.changes)-1]; last.componentEnd == 0 {
			last.componentEnd = 256
		}
	}
	if len(p.changes) > 1<<10 {
		return errors.New("too many orders of packets")
	}
	return nil
}

// tilePart reads the header and the data of a part of a tile, and returns where the next
// one begins.
func (s *codestream) tilePart(data []byte, start int, body []byte) (int, error) {
	if len(body) < 8 || s.main == nil {
		return 0, errCut
	}
	index, length, part := int(binary.BigEndian.Uint16(body)), int(binary.BigEndian.Uint32(body[2:])), body[6]
	if index >= s.size.tilesAcross*s.size.tilesDown {
		return 0, fmt.Errorf("tile %d does not exist", index)
	}
	end := start + length
	if length == 0 || end > len(data) {
		end = len(data)
	}
	tile := s.tiles[index]
	if tile == nil {
		tile = &tileData{parameters: s.main.clone()}
		s.tiles[index] = tile
	}
	for at := start + 12; at+2 <= end; {
		marker := int(binary.BigEndian.Uint16(data[at:]))
		if marker == markerSOD {
			tile.data = append(tile.data, data[at+2:end]...)
			return max(end, at+2), nil
		}
		if at+4 > end {
			break
		}
		size := int(binary.BigEndian.Uint16(data[at+2:]))
		if size < 2 || at+2+size > end {
			break
		}
		if marker == markerPOC && part == 0 {
			tile.parameters.changes = nil
		}
		if err := s.segment(tile.parameters, marker, data[at+4:at+2+size]); err != nil {
			return 0, err
		}
		at += 2 + size
	}
	return 0, errCut
}

func ceil(a, b int) int { return (a + b - 1) / b }

func ceilShift(a, n int) int { return (a + 1<<n - 1) >> n }
