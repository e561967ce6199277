// SPDX-License-Identifier: Apache-2.0

package content

import (
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/lexer"
)

// The bounds of a CMap.
const (
	maxRanges   = 256
	maxCMapSize = 1 << 20
)

// codes splits a text into character codes. The zero value splits into single bytes.
type codes struct {
	// composite codes have two bytes, except where a range has another size.
	composite bool
	vertical  bool
	ranges    []codeRange
}

// codeRange contains the codes of one length whose bytes all lie between those of
// low and high (9.7.6.2).
type codeRange struct {
	size      int
	low, high [4]byte
}

// Next splits the first code off a text, which must not be empty.
func (f *Font) Next(text []byte) (code, size int) {
	if !f.codes.composite {
		return int(text[0]), 1
	}
	size = min(2, len(text))
	for i := range f.codes.ranges {
		if f.codes.ranges[i].contains(text) {
			size = f.codes.ranges[i].size
			break
		}
	}
	for _, b := range text[:size] {
		code = code<<8 | int(b)
	}
	return code, size
}

func (r *codeRange) contains(text []byte) bool {
	if len(text) < r.size {
		return false
	}
	for i := range r.size {
		if text[i] < r.low[i] || text[i] > r.high[i] {
			return false
		}
	}
	return true
}

// readCodes reads the /Encoding of a composite font: the name of a predefined
// CMap, or a CMap in the file.
func readCodes(file *document.File, o types.Object, page int) codes {
	c := codes{composite: true}
	name := file.Name(o)
	if name == "" {
		dict := file.Dict(o)
		c.vertical = file.Int(dict["WMode"]) == 1
		data := file.Decode(o, page)
		c.ranges = codeSpace(data[:min(len(data), maxCMapSize)])
		return c
	}
	c.vertical = strings.HasSuffix(name, "-V") || name == "V"
	// Some CMaps of table 116 mix codes of one and of two bytes. Their names
	// contain the character set.
	one := func(low, high byte) codeRange { return codeRange{size: 1, low: [4]byte{low}, high: [4]byte{high}} }
	switch {
	case strings.Contains(name, "RKSJ"):
		c.ranges = []codeRange{one(0x00, 0x80), one(0xa0, 0xdf), one(0xfd, 0xff)}
	case strings.Contains(name, "EUC") || strings.Contains(name, "GBK") || strings.Contains(name, "B5") || strings.HasPrefix(name, "KSCms"):
		c.ranges = []codeRange{one(0x00, 0x80)}
	}
	return c
}

// codeSpace reads the sections begincodespacerange ... endcodespacerange.
func codeSpace(data []byte) []codeRange {
	var out []codeRange
	inside := false
	var low []byte
	tokens := lexer.Of(data)
	for o := tokens.Next(); o.Kind != lexer.EOF && len(out) < maxRanges; o = tokens.Next() {
		tokens.Release()
		switch {
		case o.Kind == lexer.Keyword:
			inside, low = string(o.Text) == "begincodespacerange", nil
		case !inside || o.Kind != lexer.String:
		case low == nil:
			low = lexer.AppendText([]byte{}, &o)
		default:
			high := lexer.AppendText(nil, &o)
			if n := len(low); n >= 1 && n <= 4 && n == len(high) {
				r := codeRange{size: n}
				copy(r.low[:], low)
				copy(r.high[:], high)
				out = append(out, r)
			}
			low = nil
		}
	}
	return out
}
