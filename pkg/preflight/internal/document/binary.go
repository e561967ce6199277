// SPDX-License-Identifier: Apache-2.0

package document

import (
	"errors"

	"github.com/pdfcpu/pdfcpu/pkg/filter"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/lexer"
)

// RuleImageBytes is the limit on decoded image samples.
const RuleImageBytes = "limits.image_bytes"

// Root returns the document catalog.
func (f *File) Root() types.Dict { return f.Dict(rootOf(f)) }

// Bytes resolves to the bytes of a string or, decoded, of a stream, or nil.
func (f *File) Bytes(o types.Object, page int) []byte {
	switch v := f.Resolve(o).(type) {
	case types.HexLiteral:
		return lexer.AppendText(nil, &lexer.Object{Kind: lexer.String, Hex: true, Text: []byte(v)})
	case types.StringLiteral:
		return lexer.AppendText(nil, &lexer.Object{Kind: lexer.String, Text: []byte(v)})
	case types.StreamDict, *types.StreamDict:
		return f.Decode(o, page)
	}
	return nil
}

// ImageData decodes the general filters of an image; data of image codecs (DCT,
// JPX, JBIG2) stays encoded. The data is valid until the next call. It counts
// against a budget of its own: when that is spent, the ink of further images is
// not measured.
func (f *File) ImageData(o types.Object, page int) []byte {
	stream, ok := f.Stream(o)
	if !ok {
		return nil
	}
	limit := min(f.limits.StreamBytes, f.Budget.imageBytes())
	if limit <= 0 {
		f.Budget.noImages(page)
		return nil
	}
	var data []byte
	var err error
	if onlyDeflated(stream) {
		data, err = inflate(f.samples, stream.Raw, limit)
		f.samples = data // the next image reuses the buffer
	} else {
		data, err = f.undo(stream, limit)
	}
	var damaged *damage
	switch {
	case errors.Is(err, filter.ErrDecodeLimitExceeded):
		if f.Budget.images += limit; limit == f.limits.StreamBytes {
			f.collector.Exhausted(facts.Incident{Rule: RuleImageBytes, Page: page, Object: Ref(o), Variant: "one", Parameters: mebibytes("limit_mib", limit)})
			return nil
		}
		f.Budget.noImages(page)
		return nil
	case errors.Is(err, errChecksum):
	case err != nil:
		f.collector.Incomplete()
		f.collector.Incident(facts.Incident{
			Rule: RuleStream, Page: page, Object: Ref(o),
			Variant: "image", Parameters: facts.Values{"parser": sentence(err)},
		})
		if !errors.As(err, &damaged) {
			return nil
		}
	}
	f.Budget.images += int64(len(data))
	return data
}

// ImagePixels is like [File.ImageData] for an image that is painted. It records nothing:
// measuring the image reports its faults, and a fax that the parser cannot unpack has
// none. It returns what can be decoded, or nil.
func (f *File) ImagePixels(o types.Object) []byte {
	stream, ok := f.Stream(o)
	limit := min(f.limits.StreamBytes, f.limits.ImageBytes-f.Budget.painted)
	if !ok || limit <= 0 {
		return nil
	}
	var data []byte
	if onlyDeflated(stream) {
		data, _ = inflate(f.samples, stream.Raw, limit)
		f.samples = data // the next image reuses the buffer
	} else {
		stream.Content = nil
		_ = caught(func() (err error) {
			data, err = stream.DecodeLengthWithLimit(-1, limit)
			return err
		})
	}
	f.Budget.painted += int64(len(data))
	return data
}

// Paint takes the bytes of an image that is painted from a budget of their own. It
// returns false, and records nothing, when the budget is spent.
func (b *Budget) Paint(n int64) bool {
	if n > b.limits.ImageBytes-b.painted {
		return false
	}
	b.painted += n
	return true
}

// Samples takes the unpacked bytes of an image from the budget. It returns false,
// and records the limit, when the budget is spent.
func (b *Budget) Samples(page int, n int64) bool {
	if n > b.imageBytes() {
		b.noImages(page)
		return false
	}
	b.images += n
	return true
}

func (b *Budget) imageBytes() int64 { return b.limits.ImageBytes - b.images }

// noImages records that the budget for all images is spent.
func (b *Budget) noImages(page int) {
	b.collector.Exhausted(facts.Incident{Rule: RuleImageBytes, Page: page, Variant: "all", Parameters: mebibytes("limit_mib", b.limits.ImageBytes)})
}

// mebibytes returns a number of bytes as a parameter in MiB.
func mebibytes(name string, n int64) facts.Values { return facts.Values{name: float64(n >> 20)} }
