// SPDX-License-Identifier: Apache-2.0

package document

import (
	"bytes"
	"errors"
	"io"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
)

// Rows are the samples of an image without an image codec other than that of faxes. They are unpacked
// as they are read, so an image of any size takes the memory of one row.
type Rows struct {
	file   *File
	object types.Object
	page   int
	quiet  bool
	raw    *io.SectionReader
	in     io.Reader
	fault  error
}

// Rows returns the first size bytes of the samples of an image, or nil for filters that are not unpacked
// by rows and where the budget for images is spent; ok is false for the latter. A quiet reader has a
// budget of its own, like [File.ImageAgain].
func (f *File) Rows(o types.Object, page int, size int64, quiet bool) (rows *Rows, ok bool) {
	stream, found := f.declared(o)
	if !found {
		return nil, true
	}
	data, raw := f.located(stream)
	if raw == nil {
		raw = io.NewSectionReader(bytes.NewReader(data), 0, int64(len(data)))
	}
	r := &Rows{file: f, object: o, page: page, quiet: quiet, raw: raw, in: f.unpacked(stream, raw)}
	if r.in == nil {
		return nil, true
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
