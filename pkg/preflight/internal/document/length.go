// SPDX-License-Identifier: Apache-2.0

package document

import (
	"bytes"
	"io"
	"math"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

const (
	// markRoom is the number of bytes after a stream in which endstream must follow.
	markRoom = 24
	// maxReread bounds the bytes that are read again to correct the lengths of streams.
	maxReread = 256 << 20
)

// whole returns a stream with its data up to endstream, where its /Length is wrong.
// Other readers search for endstream, too, so it is this data that is printed. In an
// encrypted file, whose data the parser has decrypted, streams stay as they are.
func (f *File) whole(s types.StreamDict) types.StreamDict {
	if f.pdf.E != nil || f.source == nil || s.StreamOffset <= 0 || len(s.Raw) == 0 {
		return s
	}
	data, known := f.remeasured[s.StreamOffset]
	if !known {
		data = f.upToMark(s.StreamOffset, s.Raw)
		f.remeasured[s.StreamOffset] = data
	}
	if data != nil {
		s.Raw = data
	}
	return s
}

// upToMark returns the data of a stream up to endstream, or nil when its length is
// correct or endstream is missing.
func (f *File) upToMark(offset int64, raw []byte) []byte {
	behind, ok := readAt(f.source, offset+int64(len(raw)), markRoom)
	behind = bytes.TrimLeft(behind, white)
	if !ok || len(behind) == 0 || bytes.HasPrefix(behind, []byte("endstream")) || bytes.HasPrefix(behind, []byte("endobj")) {
		return nil
	}
	room := min(f.limits.StreamBytes, maxReread-f.reread)
	data, ok := readAt(f.source, offset, room)
	f.reread += int64(len(data))
	at := bytes.Index(data, []byte("endstream"))
	if !ok || at < 0 {
		return nil
	}
	if !f.lengthNoted {
		f.lengthNoted = true
		f.incident(RuleRepaired, "length", nil)
	}
	data = bytes.TrimSuffix(data[:at], []byte("\n"))
	return bytes.Clone(bytes.TrimSuffix(data, []byte("\r")))
}

// readAt reads up to n bytes at an offset.
func readAt(in io.ReadSeeker, offset, n int64) ([]byte, bool) {
	if offset > math.MaxInt64-n {
		return nil, false
	}
	if _, err := in.Seek(offset, io.SeekStart); err != nil {
		return nil, false
	}
	data, err := io.ReadAll(io.LimitReader(in, n))
	return data, err == nil
}
