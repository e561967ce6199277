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

// located returns the data of a stream, or its place in the file if it is deferred. The data ends at
// endstream, where /Length is wrong. Other readers search for endstream, too, so it is this data that
// is printed. In an encrypted file, whose data the parser has decrypted, streams stay as they are.
func (f *File) located(s types.StreamDict) ([]byte, *io.SectionReader) {
	declared, deferred := f.deferred[s.StreamOffset]
	length := int64(len(s.Raw))
	if deferred {
		length = int64(max(f.Int(declared), 0))
	}
	if f.pdf.E != nil || f.source == nil || s.StreamOffset <= 0 || length == 0 && !deferred {
		return s.Raw, nil
	}
	data, known := f.remeasured[s.StreamOffset]
	if !known {
		data = f.upToMark(s.StreamOffset, length)
		f.remeasured[s.StreamOffset] = data
	}
	switch {
	case data != nil:
		return data, nil
	case deferred:
		return nil, io.NewSectionReader(f.source, s.StreamOffset, length)
	}
	return s.Raw, nil
}

// overlapping reports whether the deferred streams are longer than the file, so that reading each of them
// would cost many times the file.
func (f *File) overlapping() bool {
	total := int64(0)
	for offset, length := range f.deferred {
		total += min(int64(max(f.Int(length), 0)), f.size-offset)
	}
	return total > f.size
}

// whole returns the data of a stream. It keeps the deferred data that it has read last.
func (f *File) whole(s types.StreamDict) []byte {
	data, section := f.located(s)
	if section == nil {
		return data
	}
	if f.last.offset != s.StreamOffset {
		data := make([]byte, min(section.Size(), f.size-s.StreamOffset))
		n, _ := section.ReadAt(data, 0)
		f.last.offset, f.last.data = s.StreamOffset, data[:n]
	}
	return f.last.data
}

// upToMark returns the data of a stream up to endstream, or nil when its length is
// correct or endstream is missing.
func (f *File) upToMark(offset, length int64) []byte {
	if offset+length <= f.size {
		behind, ok := readAt(f.source, offset+length, markRoom)
		behind = bytes.TrimLeft(behind, white)
		if !ok || len(behind) == 0 || bytes.HasPrefix(behind, []byte("endstream")) || bytes.HasPrefix(behind, []byte("endobj")) {
			return nil
		}
	}
	room := min(f.limits.StreamBytes, maxReread-f.reread)
	data, ok := readAt(f.source, offset, room)
	f.reread += int64(len(data))
	at := bytes.Index(data, []byte("endstream"))
	if !ok || at < 0 {
		return nil
	}
	if length > 0 && !f.lengthNoted {
		f.lengthNoted = true
		f.incident(RuleRepaired, "length", nil)
	}
	data = bytes.TrimSuffix(data[:at], []byte("\n"))
	return bytes.Clone(bytes.TrimSuffix(data, []byte("\r")))
}

// readAt reads up to n bytes at an offset.
func readAt(in io.ReaderAt, offset, n int64) ([]byte, bool) {
	if offset < 0 || offset > math.MaxInt64-n {
		return nil, false
	}
	data, err := io.ReadAll(io.NewSectionReader(in, offset, n))
	return data, err == nil
}
