// SPDX-License-Identifier: Apache-2.0

package codec

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"sync"
)

// FaxOptions describe a fax of Group 3.
type FaxOptions struct {
	Columns, Rows int
	// Mixed means that a row may be coded by its differences from the row before.
	Mixed bool
	// Aligned means that rows begin with a byte.
	Aligned bool
	// BlackIsOne means that black pixels are ones.
	BlackIsOne bool
}

// errFax means that the data is no code.
var errFax = errors.New("invalid code of a fax")

// NewFax returns a reader of the rows of a fax of Group 3 (ITU-T T.4), of one bit for each pixel. The ends of
// lines may be missing, as in most PDFs. The reader ends early if the fax does.
func NewFax(in *bufio.Reader, o FaxOptions) io.Reader {
	return &faxReader{FaxOptions: o, in: in, row: make([]byte, (o.Columns+7)/8)}
}

type faxReader struct {
	FaxOptions
	in *bufio.Reader
	// window holds the next bits, of which there are count; missing is the number of bits behind the end.
	window         uint64
	count, missing int
	// before and changes hold the pixels at which the colour changes in the row before and in the row, from
	// white on.
	before, changes []int
	read            int
	row, rest       []byte
}

// Read implements [io.Reader].
func (f *faxReader) Read(p []byte) (int, error) {
	if len(f.rest) == 0 {
		if f.read == f.Rows {
			return 0, io.EOF
		}
		if err := f.next(); err != nil {
			return 0, err
		}
		f.read++
		f.rest = f.row
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

// peek returns the next n bits, at most 13; those behind the end are 0.
func (f *faxReader) peek(n int) int {
	for f.count < n {
		b, err := f.in.ReadByte()
		if err != nil {
			f.missing += 8
		}
		f.window = f.window<<8 | uint64(b)
		f.count += 8
	}
	return int(f.window >> (f.count - n) & (1<<n - 1)) // #nosec G115 -- at most 13 bits
}

// drop skips bits, which have been peeked.
func (f *faxReader) drop(n int) { f.count -= n }

// ended reports whether all bits have been read.
func (f *faxReader) ended() bool { return f.missing > 0 && f.count <= f.missing }

// lineEnd is the code at the end of a line.
const lineEnd, lineEndBits = 1, 12

// next decodes a row.
func (f *faxReader) next() error {
	marked := false
	for f.peek(lineEndBits) == 0 && !f.ended() {
		f.drop(1)
	}
	if f.peek(lineEndBits) == lineEnd {
		f.drop(lineEndBits)
		marked = true
	}
	if f.Aligned && !marked {
		f.drop(f.count % 8)
	}
	alone := true
	if f.Mixed {
		alone = f.peek(1) == 1
		f.drop(1)
	}
	if f.ended() || marked && f.peek(lineEndBits) == lineEnd { // several ends of lines end the fax
		return io.EOF
	}
	f.before, f.changes = f.changes, f.before[:0]
	var err error
	if alone {
		err = f.runs()
	} else {
		err = f.differences()
	}
	if err != nil {
		return err
	}
	f.pack()
	return nil
}

// runs decodes a row of runs (4.1).
func (f *faxReader) runs() error {
	for at := 0; at < f.Columns; {
		run, err := f.run(len(f.changes) % 2)
		if err != nil {
			return err
		}
		at += run
		f.changes = append(f.changes, at)
	}
	return nil
}

// differences decodes a row by its differences from the row before (4.2).
func (f *faxReader) differences() error {
	for at := -1; at < f.Columns; {
		color := len(f.changes) % 2
		i := color
		for i < len(f.before) && f.before[i] <= at {
			i += 2
		}
		above := func(i int) int {
			if i < len(f.before) {
				return f.before[i]
			}
			return f.Columns
		}
		mode := faxModes()[f.peek(7)]
		f.drop(mode.size)
		switch mode.value {
		case modeNone:
			return errFax
		case modePass:
			at = above(i + 1)
		case modeRuns:
			at = max(at, 0)
			for k := range 2 {
				run, err := f.run((color + k) % 2)
				if err != nil {
					return err
				}
				at += run
				f.changes = append(f.changes, at)
			}
		default:
			next := above(i) + mode.value
			if next < max(at, 0) {
				return errFax
			}
			at = next
			f.changes = append(f.changes, at)
		}
	}
	return nil
}

// run decodes the length of a run of a colour, 0 for white: any codes for multiples of 64, and one for the rest.
func (f *faxReader) run(color int) (int, error) {
	for total := 0; total <= f.Columns; {
		code := faxRuns()[color][f.peek(13)]
		if code.size == 0 {
			return 0, errFax
		}
		f.drop(code.size)
		if total += code.value; code.value < 64 {
			return total, nil
		}
	}
	return 0, errFax
}

// pack writes the pixels of the row.
func (f *faxReader) pack() {
	clear(f.row)
	at := 0
	for i, change := range append(f.changes, f.Columns) {
		if change = min(change, f.Columns); i%2 == 1 {
			for ; at < change; at++ {
				f.row[at/8] |= 0x80 >> (at % 8)
			}
		}
		at = max(at, change)
	}
	if !f.BlackIsOne {
		for i := range f.row {
			f.row[i] = ^f.row[i]
		}
	}
}

// code is a code with what it stands for; a size of 0 means no code.
type code struct{ value, size int }

// fill sets the entries of a table that begin with a code of bits.
func fill(table []code, width int, bits string, value int) {
	first := 0
	for _, bit := range bits {
		first = first<<1 | int(bit-'0')
	}
	first <<= width - len(bits)
	for i := range 1 << (width - len(bits)) {
		table[first+i] = code{value, len(bits)}
	}
}

// The modes of rows that are coded by differences. The others are vertical: the distance of a change from the
// one above it.
const (
	modeNone = 100 + iota
	modePass
	modeRuns
)

// faxModes returns the codes of modes (table 4), by the next 7 bits.
var faxModes = sync.OnceValue(func() []code {
	table := make([]code, 1<<7)
	for i := range table {
		table[i] = code{value: modeNone}
	}
	for bits, value := range map[string]int{
		"0001": modePass, "001": modeRuns, "1": 0, "011": 1, "000011": 2, "0000011": 3, "010": -1, "000010": -2, "0000010": -3,
	} {
		fill(table, 7, bits, value)
	}
	return table
})

// faxRuns returns the codes of white and of black runs (tables 2 and 3), by the next 13 bits.
var faxRuns = sync.OnceValue(func() [2][]code {
	var tables [2][]code
	for color, list := range [2]string{whiteRuns, blackRuns} {
		tables[color] = make([]code, 1<<13)
		for i, bits := range strings.Fields(list) {
			length := i
			if i > 63 {
				length = (i - 63) * 64
			}
			fill(tables[color], 13, bits, length)
		}
	}
	return tables
})

// The codes of runs of 0 to 63 pixels, and then of 64, 128 and so on up to 2560 pixels.
const (
	whiteRuns = `00110101 000111 0111 1000 1011 1100 1110 1111 10011 10100 00111 01000 001000 000011 110100 110101 101010 101011
	0100111 0001100 0001000 0010111 0000011 0000100 0101000 0101011 0010011 0100100 0011000 00000010 00000011 00011010
	00011011 00010010 00010011 00010100 00010101 00010110 00010111 00101000 00101001 00101010 00101011 00101100
	00101101 00000100 00000101 00001010 00001011 01010010 01010011 01010100 01010101 00100100 00100101 01011000
	01011001 01011010 01011011 01001010 01001011 00110010 00110011 00110100 11011 10010 010111 0110111 00110110
	00110111 01100100 01100101 01101000 01100111 011001100 011001101 011010010 011010011 011010100 011010101 011010110
	011010111 011011000 011011001 011011010 011011011 010011000 010011001 010011010 011000 010011011 00000001000
	00000001100 00000001101 000000010010 000000010011 000000010100 000000010101 000000010110 000000010111 000000011100
	000000011101 000000011110 000000011111`
	blackRuns = `0000110111 010 11 10 011 0011 0010 00011 000101 000100 0000100 0000101 0000111 00000100 00000111 000011000
	0000010111 0000011000 0000001000 00001100111 00001101000 00001101100 00000110111 00000101000 00000010111
	00000011000 000011001010 000011001011 000011001100 000011001101 000001101000 000001101001 000001101010 000001101011
	000011010010 000011010011 000011010100 000011010101 000011010110 000011010111 000001101100 000001101101
	000011011010 000011011011 000001010100 000001010101 000001010110 000001010111 000001100100 000001100101
	000001010010 000001010011 000000100100 000000110111 000000111000 000000100111 000000101000 000001011000
	000001011001 000000101011 000000101100 000001011010 000001100110 000001100111 0000001111 000011001000 000011001001
	000001011011 000000110011 000000110100 000000110101 0000001101100 0000001101101 0000001001010 0000001001011
	0000001001100 0000001001101 0000001110010 0000001110011 0000001110100 0000001110101 0000001110110 0000001110111
	0000001010010 0000001010011 0000001010100 0000001010101 0000001011010 0000001011011 0000001100100 0000001100101
	00000001000 00000001100 00000001101 000000010010 000000010011 000000010100 000000010101 000000010110 000000010111
	000000011100 000000011101 000000011110 000000011111`
)
