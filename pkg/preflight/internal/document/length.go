// SPDX-License-Identifier: Apache-2.0

package document

import (
	"bytes"
	"io"
	"math"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

const (
	// markRoom is how far behind a stream its end is looked for at first.
	markRoom = 24
	// maxMending bounds what is read of a file to mend the lengths of streams.
	maxMending = 256 << 20
)

// whole gives a stream the data that its /Length leaves out or adds wrongly: other
// readers look for the mark of the end then, so what is printed has it all. The
// parser has decrypted the data of an encrypted file; that is left as it is.
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

// upToMark is the data of a stream whose length is wrong, or nil when it is right
// or nothing better is known.
func (f *File) upToMark(offset int64, raw []byte) []byte {
	behind, ok := readAt(f.source, offset+int64(len(raw)), markRoom)
	if !ok || marked(behind) {
		return nil
	}
	room := min(f.limits.StreamBytes, maxMending-f.mending)
	data, ok := readAt(f.source, offset, room)
	f.mending += int64(len(data))
	at := bytes.Index(data, []byte("endstream"))
	if !ok || at < 0 {
		return nil
	}
	if !f.lengthNoted {
		f.lengthNoted = true
		f.incident(RuleRepaired, "The length that is given for a stream of data is wrong; the data was read up to the mark of its end.")
	}
	data = bytes.TrimSuffix(data[:at], []byte("\n"))
	return bytes.Clone(bytes.TrimSuffix(data, []byte("\r")))
}

// marked reports whether what follows a stream is the mark of its end.
func marked(behind []byte) bool {
	behind = bytes.TrimLeft(behind, white)
	return len(behind) == 0 || bytes.HasPrefix(behind, []byte("endstream")) || bytes.HasPrefix(behind, []byte("endobj"))
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
