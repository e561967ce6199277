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

// RootObject returns the reference to the document catalog.
func (f *File) RootObject() types.Object { return rootOf(f) }

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
	data, err := f.pixels(stream, limit)
	f.panicked(err)
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

// ImageAgain is [File.ImageData] for an image whose ink is known already, or never will
// be: it has a budget of its own, and records nothing.
func (f *File) ImageAgain(o types.Object) []byte {
	stream, ok := f.Stream(o)
	limit := min(f.limits.StreamBytes, f.limits.ImageBytes-f.Budget.painted)
	if !ok || limit <= 0 {
		return nil
	}
	data, _ := f.pixels(stream, limit)
	f.Budget.painted += int64(len(data))
	return data
}

// pixels decodes an image. The data is valid until the next call.
func (f *File) pixels(stream types.StreamDict, limit int64) ([]byte, error) {
	if !onlyDeflated(stream) {
		return undo(stream, limit)
	}
	data, err := inflate(f.samples, stream.Raw, limit)
	f.samples = data // the next image reuses the buffer
	return data, err
}

// Quietly decodes a stream that only rendering needs, from the budget for painting. It
// records nothing, and returns what a damaged stream has before the damage.
func (f *File) Quietly(o types.Object) []byte {
	if ref, ok := o.(types.IndirectRef); ok {
		if data, ok := f.streams[int(ref.ObjectNumber)]; ok {
			return data
		}
	}
	stream, ok := f.Stream(o)
	limit := min(f.limits.StreamBytes, f.limits.ImageBytes-f.Budget.painted)
	if !ok || limit <= 0 {
		return nil
	}
	data, _ := undo(stream, limit)
	f.Budget.painted += int64(len(data))
	return data
}

// Inline decodes the general filters of an inline image, like [File.Quietly].
func (f *File) Inline(filters []types.PDFFilter, raw []byte) []byte {
	if len(filters) == 0 {
		return raw
	}
	f.noteFilters(filters, "")
	limit := min(f.limits.StreamBytes, f.limits.ImageBytes-f.Budget.painted)
	if limit <= 0 {
		return nil
	}
	data, _ := undo(types.StreamDict{Dict: types.Dict{}, Raw: raw, FilterPipeline: filters}, limit)
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

func (b *Budget) imageBytes() int64 { return b.limits.ImageBytes - b.images }

// noImages records that the budget for all images is spent.
func (b *Budget) noImages(page int) {
	b.collector.Exhausted(facts.Incident{Rule: RuleImageBytes, Page: page, Variant: "all", Parameters: mebibytes("limit_mib", b.limits.ImageBytes)})
}

// mebibytes returns a number of bytes as a parameter in MiB.
func mebibytes(name string, n int64) facts.Values { return facts.Values{name: float64(n >> 20)} }
