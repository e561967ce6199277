// SPDX-License-Identifier: Apache-2.0

package document

import (
	"bufio"
	"bytes"
	"compress/flate"
	stdlzw "compress/lzw"
	"encoding/ascii85"
	"encoding/hex"
	"errors"
	"io"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/filter"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
	"golang.org/x/image/ccitt"
	"golang.org/x/image/tiff/lzw"

	"github.com/printmarket/printmarket/pkg/preflight/internal/codec"
)

// unpacked returns a reader that undoes the filters of a stream (ISO 32000-2, 7.4), or nil for filters
// that only the parser undoes.
func (f *File) unpacked(s types.StreamDict, raw io.Reader) io.Reader {
	in := bufio.NewReaderSize(raw, 64<<10)
	for i, step := range s.FilterPipeline {
		switch parms := step.DecodeParms; step.Name {
		case filter.Flate:
			if head, _ := in.Peek(zlibHeader); !zlibHead(head) {
				return nil
			}
			_, _ = in.Discard(zlibHeader)
			in = f.unpredicted(flate.NewReader(in), parms)
		case filter.LZW:
			if early, ok := f.Number(parms["EarlyChange"]); ok && early == 0 {
				in = f.unpredicted(stdlzw.NewReader(in, stdlzw.MSB, 8), parms)
			} else {
				in = f.unpredicted(lzw.NewReader(in, lzw.MSB, 8), parms)
			}
		case filter.ASCII85:
			in = bufio.NewReader(ascii85.NewDecoder(&base85{in: in}))
		case filter.ASCIIHex:
			in = bufio.NewReader(&digits{in: in})
		case filter.RunLength:
			in = bufio.NewReader(&runs{in: in})
		case filter.CCITTFax:
			if i < len(s.FilterPipeline)-1 {
				return nil
			}
			in = f.fax(in, s.Dict, parms)
		default:
			return nil
		}
		if in == nil {
			return nil
		}
	}
	return in
}

// unpredicted undoes the predictor of FlateDecode and LZWDecode (table 8), or returns nil for an unusual one.
func (f *File) unpredicted(in io.Reader, parms types.Dict) *bufio.Reader {
	predictor := f.Int(parms["Predictor"])
	if predictor <= 1 {
		return bufio.NewReader(in)
	}
	colors, bits, columns := f.positive(parms["Colors"], 1), f.positive(parms["BitsPerComponent"], 8), f.positive(parms["Columns"], 1)
	if colors > 32 || bits > 16 || columns > 1<<20 || colors*bits*columns/8 > maxRow || predictor == tiffPredictor && bits != 8 {
		return nil
	}
	size := (colors*bits*columns + 7) / 8
	return bufio.NewReader(&predicted{
		in: in, tagged: predictor >= 10, pixel: max(colors*bits/8, 1), row: make([]byte, size), before: make([]byte, size),
	})
}

// fax undoes CCITTFaxDecode (table 11), or returns nil for a fax that is too large.
func (f *File) fax(in *bufio.Reader, dict, parms types.Dict) *bufio.Reader {
	columns, rows := f.positive(parms["Columns"], 1728), f.positive(parms["Rows"], f.Int(dict["Height"]))
	if columns > 1<<20 || rows > 1<<20 {
		return nil
	}
	k, _ := f.Number(parms["K"])
	black, aligned := f.Bool(parms["BlackIs1"]), f.Bool(parms["EncodedByteAlign"])
	if k >= 0 {
		return bufio.NewReader(codec.NewFax(in, codec.FaxOptions{Columns: columns, Rows: rows, Mixed: k > 0, Aligned: aligned, BlackIsOne: black}))
	}
	return bufio.NewReader(ccitt.NewReader(in, ccitt.MSB, ccitt.Group4, columns, rows, &ccitt.Options{Invert: black, Align: aligned}))
}

// positive resolves to a whole number above 0, or returns the default.
func (f *File) positive(o types.Object, absent int) int {
	if n := f.Int(o); n > 0 {
		return n
	}
	return absent
}

// base85 reads the digits of ASCII85Decode up to the mark that ends them (7.4.3).
type base85 struct {
	in    io.Reader
	ended bool
}

func (r *base85) Read(p []byte) (int, error) {
	if r.ended {
		return 0, io.EOF
	}
	n, err := r.in.Read(p)
	if i := bytes.IndexByte(p[:n], '~'); i >= 0 {
		n, err, r.ended = i, nil, true
	}
	return n, err
}

// digits undoes ASCIIHexDecode (7.4.2).
type digits struct{ in *bufio.Reader }

func (r *digits) Read(p []byte) (int, error) {
	for i := range p {
		first, err := r.next()
		if err != nil {
			return i, err
		}
		second, err := r.next()
		if err != nil {
			second = '0' // the last digit may be missing
		}
		if _, err := hex.Decode(p[i:i+1], []byte{first, second}); err != nil {
			return i, err
		}
	}
	return len(p), nil
}

// next returns the next digit, or io.EOF.
func (r *digits) next() (byte, error) {
	for {
		c, err := r.in.ReadByte()
		switch {
		case err != nil:
			return 0, err
		case c == '>':
			return 0, io.EOF
		case strings.IndexByte(white, c) < 0:
			return c, nil
		}
	}
}

// runs undoes RunLengthDecode (7.4.5).
type runs struct {
	in *bufio.Reader
	// left counts the bytes of the run that have not been read; repeated is set for copies of value.
	left     int
	repeated bool
	value    byte
}

// runsEnd is the length that ends the data.
const runsEnd = 128

func (r *runs) Read(p []byte) (int, error) {
	if r.left == 0 {
		length, err := r.in.ReadByte()
		switch {
		case err != nil:
			return 0, err
		case length == runsEnd:
			return 0, io.EOF
		case length < runsEnd:
			r.left, r.repeated = int(length)+1, false
		default:
			r.left, r.repeated = 257-int(length), true
			if r.value, err = r.in.ReadByte(); err != nil {
				return 0, unexpected(err)
			}
		}
	}
	p = p[:min(len(p), r.left)]
	if r.repeated {
		for i := range p {
			p[i] = r.value
		}
		r.left -= len(p)
		return len(p), nil
	}
	n, err := r.in.Read(p)
	r.left -= n
	return n, unexpected(err)
}

// unexpected returns the error of data that ends within an element.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// maxRow bounds a row with a predictor, in bytes: two rows are kept.
const maxRow = 4 << 20

// tiffPredictor is the predictor that adds the sample to the left (table 10).
const tiffPredictor = 2

// predicted undoes the predictors of TIFF and PNG, row by row (ISO 32000-2, 7.4.4.4).
type predicted struct {
	in io.Reader
	// tagged is set for PNG, where each row states its predictor.
	tagged bool
	// pixel is the size of a pixel in bytes.
	pixel       int
	row, before []byte
	// left is what has not been read of the row.
	left []byte
}

func (r *predicted) Read(p []byte) (int, error) {
	if len(r.left) == 0 {
		r.row, r.before = r.before, r.row
		kind := [1]byte{1}
		if r.tagged {
			if _, err := io.ReadFull(r.in, kind[:]); err != nil {
				return 0, err
			}
		}
		n, err := io.ReadFull(r.in, r.row)
		if n == 0 {
			return 0, err
		}
		clear(r.row[n:])
		r.undo(kind[0])
		r.left = r.row[:n]
	}
	n := copy(p, r.left)
	r.left = r.left[n:]
	return n, nil
}

// undo adds the prediction to a row: 1 is the pixel to the left, 2 the one above, 3 the mean of both,
// 4 the nearest of three (PNG, clause 9).
func (r *predicted) undo(kind byte) {
	row, before := r.row, r.before[:len(r.row)]
	if kind == 2 {
		for i, above := range before {
			row[i] += above
		}
		return
	}
	// The pixels of one component after the other, so that the neighbours stay in registers.
	for component := range r.pixel {
		var left, corner byte
		switch kind {
		case 1:
			for i := component; i < len(row); i += r.pixel {
				left += row[i]
				row[i] = left
			}
		case 3:
			for i := component; i < len(row); i += r.pixel {
				left = row[i] + byte((int(left)+int(before[i]))/2) // #nosec G115 -- a mean of bytes
				row[i] = left
			}
		case 4:
			for i := component; i < len(row); i += r.pixel {
				above := before[i]
				left = row[i] + paeth(left, above, corner)
				row[i], corner = left, above
			}
		}
	}
}

// paeth returns the neighbour that is nearest to left + above - corner.
func paeth(left, above, corner byte) byte {
	distance := func(a, b int) int { return max(a-b, b-a) }
	p := int(left) + int(above) - int(corner)
	toLeft, toAbove, toCorner := distance(p, int(left)), distance(p, int(above)), distance(p, int(corner))
	switch {
	case toLeft <= toAbove && toLeft <= toCorner:
		return left
	case toAbove <= toCorner:
		return above
	}
	return corner
}
