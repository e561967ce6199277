// SPDX-License-Identifier: Apache-2.0

package document

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"hash/adler32"
	"io"

	"github.com/pdfcpu/pdfcpu/pkg/filter"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// damage is a fault of data that was unpacked nevertheless.
type damage struct{ fault error }

func (e *damage) Error() string { return e.fault.Error() }
func (e *damage) Unwrap() error { return e.fault }

// errChecksum means that the data is complete and only its checksum is wrong.
var errChecksum = errors.New("the checksum is wrong")

// undo decodes the filters of a stream. With a [*damage] it returns the data before
// the damage, as other readers do.
//
// It decodes the commonest filter itself, because the parser does not distinguish
// truncated from complete data.
func undo(s types.StreamDict, limit int64) ([]byte, error) {
	if onlyDeflated(s) {
		return inflate(nil, s.Raw, limit)
	}
	s.Content = nil
	var data []byte
	err := caught(func() (err error) {
		data, err = s.DecodeLengthWithLimit(-1, limit)
		return err
	})
	if err == nil && int64(len(data)) > limit {
		err = filter.ErrDecodeLimitExceeded
	}
	return data, err
}

// zlibHeader is the length of the header before deflated data (RFC 1950).
const zlibHeader = 2

// onlyDeflated reports whether the only filter of a stream is FlateDecode without a
// predictor, and its data has a zlib header.
func onlyDeflated(s types.StreamDict) bool {
	return len(s.FilterPipeline) == 1 && len(s.FilterPipeline[0].DecodeParms) == 0 && s.FilterPipeline[0].Name == filter.Flate && zlibHead(s.Raw)
}

// zlibHead reports whether data begins with a header of zlib.
func zlibHead(head []byte) bool {
	return len(head) >= zlibHeader && head[0]&0x0f == 8 && (int(head[0])<<8+int(head[1]))%31 == 0
}

// flushed reports whether data that ends early was flushed and not closed, like appearances of
// annotations by Acrobat: it is complete.
func flushed(err error, tail []byte) bool {
	return errors.Is(err, io.ErrUnexpectedEOF) && bytes.HasSuffix(bytes.TrimRight(tail, "\r\n"), []byte{0, 0, 0xff, 0xff})
}

// The first buffer for deflated data has the size of content with the usual ratio, up to firstBuffer bytes. The next
// one has at least nextBuffer bytes if they are expected.
const (
	usualRatio  = 4
	firstBuffer = 1 << 18
	nextBuffer  = 16 << 20
)

// inflate unpacks all data up to the limit, into a buffer that grows as needed.
func inflate(buffer, raw []byte, limit int64) ([]byte, error) {
	in := bytes.NewReader(raw[zlibHeader:])
	from := io.LimitReader(flate.NewReader(in), limit+1)
	data := buffer[:0]
	if cap(data) == 0 {
		data = make([]byte, 0, min(usualRatio*int64(len(raw)), limit, firstBuffer)+1)
	}
	var err error
	for err == nil {
		if len(data) == cap(data) {
			// As much as the rest has if its ratio is the same, and a bit more: pages that are not used cost nothing.
			rest := len(data) * in.Len() / (len(raw) - in.Len())
			larger := make([]byte, len(data), len(data)+min(max(rest+rest/4, len(data)/4), max(3*len(data), nextBuffer))+1)
			copy(larger, data)
			data = larger
		}
		var n int
		n, err = from.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	var check [adler32.Size]byte
	switch {
	case int64(len(data)) > limit:
		return data[:limit], filter.ErrDecodeLimitExceeded
	case flushed(err, raw):
		return data, nil
	case err != nil && len(data) == 0:
		return nil, err
	case err != nil:
		return data, &damage{fault: err}
	}
	// A missing checksum is unusual, and harmless.
	if _, err := io.ReadFull(in, check[:]); err == nil && binary.BigEndian.Uint32(check[:]) != adler32.Checksum(data) {
		return data, &damage{fault: errChecksum}
	}
	return data, nil
}
