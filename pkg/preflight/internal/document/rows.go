// SPDX-License-Identifier: Apache-2.0

package document

import (
	"bufio"
	"bytes"
	"compress/flate"
	"errors"
	"io"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
)

// Rows are the samples of an image whose only filter is FlateDecode, or which has none. They are
// unpacked as they are read, so an image of any size takes the memory of one row.
type Rows struct {
	file   *File
	object types.Object
	page   int
	quiet  bool
	raw    *io.SectionReader
	in     io.Reader
	fault  error
}

// Rows returns the first size bytes of the samples of an image, or nil for other filters and where
// the budget for images is spent; ok is false for the latter. A quiet reader has a budget of its
// own, like [File.ImageAgain].
func (f *File) Rows(o types.Object, page int, size int64, quiet bool) (rows *Rows, ok bool) {
	stream, found := f.declared(o)
	if !found || len(stream.FilterPipeline) > 1 {
		return nil, true
	}
	data, raw := f.located(stream)
	if raw == nil {
		raw = io.NewSectionReader(bytes.NewReader(data), 0, int64(len(data)))
	}
	r := &Rows{file: f, object: o, page: page, quiet: quiet, raw: raw, in: bufio.NewReaderSize(raw, 64<<10)}
	var parms types.Dict
	if len(stream.FilterPipeline) == 1 {
		var head [zlibHeader]byte
		if n, _ := io.ReadFull(r.in, head[:]); !zlibFirst(stream, head[:n]) {
			return nil, true
		}
		parms = stream.FilterPipeline[0].DecodeParms
		r.in = flate.NewReader(r.in)
	}
	if predictor := f.Int(parms["Predictor"]); predictor > 1 {
		number := func(key string, absent int) int {
			if n := f.Int(parms[key]); n > 0 {
				return n
			}
			return absent
		}
		colors, bits, columns := number("Colors", 1), number("BitsPerComponent", 8), number("Columns", 1)
		if colors > 32 || bits > 16 || columns > 1<<20 || colors*bits*columns/8 > maxRow || predictor == tiffPredictor && bits != 8 {
			return nil, true
		}
		r.in = &predicted{
			in: r.in, tagged: predictor >= 10, pixel: max(colors*bits/8, 1), row: make([]byte, (colors*bits*columns+7)/8), before: make([]byte, (colors*bits*columns+7)/8),
		}
	}
	r.in = io.LimitReader(r.in, size)
	if quiet {
		return r, f.Budget.Paint(size)
	}
	if size > f.Budget.imageBytes() {
		f.Budget.noImages(page)
		return nil, false
	}
	f.Budget.images += size
	return r, true
}

func (r *Rows) Read(p []byte) (int, error) {
	n, err := r.in.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		r.fault = err
	}
	return n, err
}

// Close records damage before the end of what was read.
func (r *Rows) Close() error {
	tail := make([]byte, min(r.raw.Size(), markRoom))
	if _, err := r.raw.ReadAt(tail, r.raw.Size()-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		tail = nil
	}
	if r.quiet || r.fault == nil || flushed(r.fault, tail) {
		return nil
	}
	r.file.collector.Incomplete()
	r.file.collector.Incident(facts.Incident{
		Rule: RuleStream, Page: r.page, Object: Ref(r.object), Variant: "image", Parameters: facts.Values{"parser": sentence(&damage{fault: r.fault})},
	})
	return nil
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
	switch kind {
	case 1:
		for i := r.pixel; i < len(r.row); i++ {
			r.row[i] += r.row[i-r.pixel]
		}
	case 2:
		for i, v := range r.before {
			r.row[i] += v
		}
	case 3:
		for i, v := range r.before {
			left := byte(0)
			if i >= r.pixel {
				left = r.row[i-r.pixel]
			}
			r.row[i] += byte((int(left) + int(v)) / 2) // #nosec G115 -- a mean of bytes
		}
	case 4:
		for i, v := range r.before {
			var left, corner byte
			if i >= r.pixel {
				left, corner = r.row[i-r.pixel], r.before[i-r.pixel]
			}
			r.row[i] += paeth(left, v, corner)
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
