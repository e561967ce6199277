// SPDX-License-Identifier: Apache-2.0

package document

import (
	"errors"
	"fmt"

	"github.com/pdfcpu/pdfcpu/pkg/filter"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/lexer"
)

// RuleImageBytes is the limit on decoded image samples.
const RuleImageBytes = "limits.image_bytes"

// Root is the document catalog.
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

// ImageData returns the data of an image as far as its general filters go: what
// a codec of its own has coded (DCT, JPX, JBIG2) stays so. The data lasts until
// the next call. It is charged to a
// budget for images, whose end stops no reading: the ink of further images is
// not measured then.
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
	data, err := f.undoImage(stream, limit)
	var damaged *damage
	switch {
	case errors.Is(err, filter.ErrDecodeLimitExceeded):
		f.Budget.images += limit
		f.Budget.noImages(page)
		return nil
	case errors.Is(err, errChecksum):
	case err != nil:
		f.collector.Incomplete()
		f.collector.Incident(facts.Incident{
			Rule: RuleStream, Page: page, Object: Ref(o),
			Detail: "The data of an image is damaged. The parser says: " + sentence(err),
		})
		if !errors.As(err, &damaged) {
			return nil
		}
	}
	f.Budget.images += int64(len(data))
	return data
}

// undoImage is undo with a buffer that the next image takes over.
func (f *File) undoImage(s types.StreamDict, limit int64) ([]byte, error) {
	if !onlyDeflated(s) {
		return f.undo(s, limit)
	}
	data, err := inflate(f.samples, s.Raw, limit)
	f.samples = data
	return data, err
}

// Samples takes bytes that an image unpacks to. False means that there is no
// room for them; it is noted.
func (b *Budget) Samples(page int, n int64) bool {
	if n > b.imageBytes() {
		b.noImages(page)
		return false
	}
	b.images += n
	return true
}

func (b *Budget) imageBytes() int64 { return b.limits.ImageBytes - b.images }

func (b *Budget) noImages(page int) {
	b.collector.Exhausted(RuleImageBytes, page, fmt.Sprintf(
		"The images of the file unpack to more than %d MiB; the ink of the rest was not measured.", b.limits.ImageBytes>>20))
}
