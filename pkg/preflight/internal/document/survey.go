// SPDX-License-Identifier: Apache-2.0

package document

import (
	"bytes"
	"io"
	"strconv"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
)

// The bounds of a survey: the sections of the cross-reference table, whose square
// determines the parser's time, and the bytes that are read of them.
const (
	tailBytes   = 2048
	eofSearch   = 1024
	maxSections = 1000
	maxSurvey   = 64 << 20
)

// survey describes the frame of a file, before the parser reads it (ISO 32000-2,
// 7.5.2, 7.5.4 to 7.5.8).
type survey struct {
	in   io.ReaderAt
	size int64
	// header is the position of %PDF-, version the text after it.
	header  int64
	version string
	// ends reports whether %%EOF is near the end.
	ends bool
	// start is the offset of the last startxref; rooted reports whether a section of
	// the table is there.
	start  int64
	rooted bool
	// trailer is the dictionary of the newest section, as it is written.
	trailer []byte
	// broken reports whether an older section is missing at its offset.
	broken   bool
	sections int
	read     int64
	// table checks a stream of the table against the limits.
	table func(dict, rest []byte) bool
	// refused is the limit because of which the parser must not read the file, or nil.
	refused *facts.Incident
}

// surveyFile surveys a file with the given first bytes.
func surveyFile(in io.ReaderAt, size int64, head []byte, table func(dict, rest []byte) bool) *survey {
	s := &survey{in: in, size: size, table: table, header: int64(bytes.Index(head, []byte("%PDF-")))}
	version := head[s.header+int64(len("%PDF-")):]
	digits := bytes.IndexFunc(version, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
	if digits < 0 {
		digits = len(version)
	}
	s.version = string(version[:min(digits, 8)])
	tail, ok := readAt(in, max(0, size-tailBytes), tailBytes)
	if !ok {
		return s
	}
	s.ends = bytes.Contains(tail[max(0, len(tail)-eofSearch):], []byte("%%EOF"))
	at := bytes.LastIndex(tail, []byte("startxref"))
	if at < 0 {
		return s
	}
	fields := bytes.Fields(tail[at+len("startxref"):])
	if len(fields) == 0 {
		return s
	}
	start, err := strconv.ParseInt(string(fields[0]), 10, 64)
	if err != nil || start <= 0 || start >= size {
		return s
	}
	s.start = start
	s.chain()
	return s
}

// knownVersion reports whether the parser accepts the version.
func (s *survey) knownVersion() bool {
	_, err := model.PDFVersion(s.version[:min(len(s.version), 3)])
	return err == nil
}

// chain follows the sections of the table back to the first.
func (s *survey) chain() {
	seen := map[int64]bool{}
	waiting := []int64{s.start}
	for len(waiting) > 0 {
		at := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		if seen[at] || at <= 0 || at >= s.size {
			s.broken = s.broken || at < 0 || at >= s.size
			continue
		}
		seen[at] = true
		if s.sections++; s.sections > maxSections {
			s.refused = &facts.Incident{Rule: RuleStructure, Variant: "sections", Parameters: facts.Values{"limit": float64(maxSections)}}
			return
		}
		dict, ok := s.section(at + s.header)
		if !ok && s.header > 0 {
			// Some writers count from the start of the file nevertheless.
			dict, ok = s.section(at)
		}
		if s.refused != nil || !ok {
			s.broken = true
			return
		}
		if s.trailer == nil {
			s.trailer, s.rooted = dict, true
		}
		waiting = append(waiting, integer(dict, "Prev"), integer(dict, "XRefStm"))
	}
}

// section reads the dictionary of one section.
func (s *survey) section(at int64) ([]byte, bool) {
	for _, window := range [...]int64{16 << 10, 1 << 20, 24 << 20} {
		if s.read += window; s.read > maxSurvey {
			return nil, false
		}
		data, ok := readAt(s.in, at, window)
		if !ok {
			return nil, false
		}
		whole := int64(len(data)) < window
		data = bytes.TrimLeft(data, white)
		if bytes.HasPrefix(data, []byte("xref")) {
			_, after, found := bytes.Cut(data, []byte("trailer"))
			if dict := dictionary(after); found && dict != nil {
				return dict, true
			}
		} else {
			body, ok := objectBody(data)
			if !ok {
				return nil, false
			}
			dict := dictionary(body)
			if dict != nil && (whole || window > 16<<10 || bytes.Contains(body, []byte("endstream"))) {
				if string(value(dict, "Type")) != "/XRef" {
					return dict, false
				}
				if !s.table(dict, body) {
					s.refused = &facts.Incident{Rule: RuleDecode, Variant: "table"}
					return dict, false
				}
				return dict, true
			}
		}
		if whole {
			return nil, false
		}
	}
	return nil, false
}
