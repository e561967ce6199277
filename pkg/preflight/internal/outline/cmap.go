// SPDX-License-Identifier: Apache-2.0

package outline

import (
	"cmp"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/lexer"
)

// The bounds of a CMap. A ToUnicode CMap with a line for each of 65,536 codes has less than a megabyte.
const (
	maxCMap       = 4 << 20
	maxToUnicode  = 1 << 20
	maxCodeSpaces = 256
	maxRanges     = 100_000
)

// CMap splits text into the character codes of a composite font, and maps codes to CIDs (9.7.5).
type CMap struct {
	// Vertical reports whether lines run downwards.
	Vertical bool
	// identity maps codes without a range to themselves. predefined is a CMap for Chinese, Japanese
	// or Korean, of which only the lengths of codes are known.
	identity, predefined bool
	spaces               []codeSpace
	ranges               []cidRange
}

// codeSpace contains the codes of one length whose bytes all lie between those of low and high
// (9.7.6.2).
type codeSpace struct {
	size      int
	low, high [4]byte
}

type cidRange struct{ first, last, cid int }

// ReadCMap reads the Encoding of a composite font: the name of a predefined CMap, or a CMap in the
// file. It records incidents on the given page.
func ReadCMap(file *document.File, o types.Object, page int) *CMap {
	if name := file.Name(o); name != "" {
		return predefined(name)
	}
	dict := file.Dict(o)
	m := &CMap{Vertical: file.Int(dict["WMode"]) == 1, identity: file.Name(dict["UseCMap"]) != ""}
	data := file.Decode(o, page)
	m.read(data[:min(len(data), maxCMap)])
	return m
}

func predefined(name string) *CMap {
	m := &CMap{Vertical: strings.HasSuffix(name, "-V") || name == "V", identity: true, predefined: !strings.HasPrefix(name, "Identity")}
	// Some CMaps of table 116 mix codes of one and of two bytes. Their names contain the character set.
	one := func(low, high byte) codeSpace { return codeSpace{size: 1, low: [4]byte{low}, high: [4]byte{high}} }
	switch {
	case strings.Contains(name, "RKSJ"):
		m.spaces = []codeSpace{one(0x00, 0x80), one(0xa0, 0xdf), one(0xfd, 0xff)}
	case strings.Contains(name, "EUC") || strings.Contains(name, "GBK") || strings.Contains(name, "B5") || strings.HasPrefix(name, "KSCms"):
		m.spaces = []codeSpace{one(0x00, 0x80)}
	}
	return m
}

// read reads the sections of a CMap for code spaces, ranges and single characters.
func (m *CMap) read(data []byte) {
	section := ""
	var codes [][]byte
	tokens := lexer.Of(data)
	for t := tokens.Next(); t.Kind != lexer.EOF && len(m.ranges) < maxRanges; t = tokens.Next() {
		switch t.Kind {
		case lexer.Keyword:
			section, codes = string(t.Text), codes[:0]
		case lexer.String:
			codes = append(codes, lexer.AppendText([]byte{}, &t))
			n := len(codes)
			switch {
			case section == "begincodespacerange" && n == 2:
				m.addSpace(codes[0], codes[1])
				codes = codes[:0]
			// The operators of a ToUnicode CMap. In a wrong CMap for CIDs, their numbers are CIDs.
			case section == "beginbfchar" && n == 2, section == "beginbfrange" && n == 3:
				m.ranges = append(m.ranges, cidRange{value(codes[0]), value(codes[n-2]), value(codes[n-1])})
				codes = codes[:0]
			}
		case lexer.Array:
			if section == "beginbfrange" && len(codes) == 2 {
				for i := range t.Items {
					code := value(codes[0]) + i
					m.ranges = append(m.ranges, cidRange{code, code, value(lexer.AppendText([]byte{}, &t.Items[i]))})
				}
			}
			codes = codes[:0]
		case lexer.Number:
			switch cid := int(t.Value); {
			case section == "begincidrange" && len(codes) == 2:
				m.ranges = append(m.ranges, cidRange{value(codes[0]), value(codes[1]), cid})
			case section == "begincidchar" && len(codes) == 1:
				m.ranges = append(m.ranges, cidRange{value(codes[0]), value(codes[0]), cid})
			}
			codes = codes[:0]
		default:
		}
		tokens.Release()
	}
	sort.SliceStable(m.ranges, func(i, k int) bool { return m.ranges[i].first < m.ranges[k].first })
}

// compositeCharacters returns the character of each code of a composite font: that of its ToUnicode CMap (9.10.3), or
// the code itself if its predefined CMap has characters as codes, else standIn.
func compositeCharacters(file *document.File, dict types.Dict) func(code int) rune {
	name := file.Name(dict["Encoding"])
	m := &CMap{identity: strings.Contains(name, "UCS2") || strings.Contains(name, "UTF16")}
	data := file.Quietly(dict["ToUnicode"])
	m.read(data[:min(len(data), maxToUnicode)])
	return func(code int) rune {
		c := cmp.Or(m.CID(code), standIn)
		for c > utf8.MaxRune {
			c >>= 16 // the first of several characters
		}
		return rune(c)
	}
}

func (m *CMap) addSpace(low, high []byte) {
	if n := len(low); n >= 1 && n <= 4 && n == len(high) && len(m.spaces) < maxCodeSpaces {
		s := codeSpace{size: n}
		copy(s.low[:], low)
		copy(s.high[:], high)
		m.spaces = append(m.spaces, s)
	}
}

// value returns the number of a code.
func value(code []byte) (v int) {
	for _, b := range code[:min(len(code), 4)] {
		v = v<<8 | int(b)
	}
	return v
}

// Next splits the first code off a text, which must not be empty. A code has two bytes, except
// where a code space has another size.
func (m *CMap) Next(text []byte) (code, size int) {
	size = min(2, len(text))
	for i := range m.spaces {
		if m.spaces[i].contains(text) {
			size = m.spaces[i].size
			break
		}
	}
	return value(text[:size]), size
}

func (s *codeSpace) contains(text []byte) bool {
	if len(text) < s.size {
		return false
	}
	for i := range s.size {
		if text[i] < s.low[i] || text[i] > s.high[i] {
			return false
		}
	}
	return true
}

// CID returns the CID of a code, 0 for a code that the CMap does not map. A predefined CMap returns
// the code.
func (m *CMap) CID(code int) int {
	i := sort.Search(len(m.ranges), func(i int) bool { return m.ranges[i].first > code }) - 1
	if i >= 0 && code <= m.ranges[i].last {
		return m.ranges[i].cid + code - m.ranges[i].first
	}
	if m.identity {
		return code
	}
	return 0
}
