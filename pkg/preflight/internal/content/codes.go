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

// codes split a text into codes. The zero value knows codes of one byte.
type codes struct {
	// composite codes have two bytes unless a range says otherwise.
	composite bool
	vertical  bool
	ranges    []codeRange
}

// codeRange holds codes of one length, whose bytes all lie between those of low
// and high (9.7.6.2).
type codeRange struct {
	size      int
	low, high [4]byte
}

func (r *codeRange) holds(text []byte) bool {
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

func (c *codes) next(text []byte) (code, size int) {
	if !c.composite {
		return int(text[0]), 1
	}
	size = min(2, len(text))
	for i := range c.ranges {
		if c.ranges[i].holds(text) {
			size = c.ranges[i].size
			break
		}
	}
	for _, b := range text[:size] {
		code = code<<8 | int(b)
	}
	return code, size
}

// readCodes looks at the /Encoding of a composite font: the name of a CMap that
// readers have, or a CMap in the file.
func readCodes(file *document.File, o types.Object, page int) codes {
	c := codes{composite: true}
	if name := file.Name(o); name != "" {
		c.vertical = strings.HasSuffix(name, "-V") || name == "V"
		c.ranges = mixedCodes(name)
		return c
	}
	dict := file.Dict(o)
	c.vertical = file.Int(dict["WMode"]) == 1
	data := file.Decode(o, page)
	c.ranges = codeSpace(data[:min(len(data), maxCMapSize)])
	return c
}

// mixedCodes are the ranges of the CMaps of table 116 that have codes of one and
// of two bytes, by the character set that is in their names.
func mixedCodes(name string) []codeRange {
	one := func(low, high byte) codeRange { return codeRange{size: 1, low: [4]byte{low}, high: [4]byte{high}} }
	switch {
	case strings.Contains(name, "RKSJ"):
		return []codeRange{one(0x00, 0x80), one(0xa0, 0xdf), one(0xfd, 0xff)}
	case strings.Contains(name, "EUC") || strings.Contains(name, "GBK") || strings.Contains(name, "B5") || strings.HasPrefix(name, "KSCms"):
		return []codeRange{one(0x00, 0x80)}
	}
	return nil
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
