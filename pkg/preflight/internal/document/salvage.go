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

// damage is what is wrong with data that could be unpacked all the same.
type damage struct{ fault error }

func (e *damage) Error() string { return e.fault.Error() }
func (e *damage) Unwrap() error { return e.fault }

// errChecksum says that everything is there, and only the check of it fails.
var errChecksum = errors.New("the checksum is wrong")

// undo undoes the filters of a stream. With a [*damage] it returns what could be
// had, as other readers do.
//
// The commonest case is unpacked here: the parser does not tell data that was cut
// off from data that is whole.
func (f *File) undo(s types.StreamDict, limit int64) ([]byte, error) {
	if onlyDeflated(s) {
		return inflate(nil, s.Raw, limit)
	}
	s.Content = nil
	var data []byte
	err := f.guard(func() (err error) {
		data, err = s.DecodeLengthWithLimit(-1, limit)
		return err
	})
	if err == nil && int64(len(data)) > limit {
		err = filter.ErrDecodeLimitExceeded
	}
	return data, err
}

// zlibHeader is the length of what stands before deflated data (RFC 1950).
const zlibHeader = 2

// onlyDeflated tells streams whose only filter is FlateDecode without a predictor,
// and whose data has its header.
func onlyDeflated(s types.StreamDict) bool {
	if len(s.FilterPipeline) != 1 || s.FilterPipeline[0].Name != filter.Flate || len(s.FilterPipeline[0].DecodeParms) > 0 {
		return false
	}
	return len(s.Raw) > zlibHeader && s.Raw[0]&0x0f == 8 && (int(s.Raw[0])<<8+int(s.Raw[1]))%31 == 0
}

// inflate unpacks as much as there is, into a buffer that is grown as needed.
func inflate(buffer, raw []byte, limit int64) ([]byte, error) {
	in := bytes.NewReader(raw[zlibHeader:])
	out := bytes.NewBuffer(buffer[:0])
	_, err := out.ReadFrom(io.LimitReader(flate.NewReader(in), limit+1))
	data := out.Bytes()
	var check [adler32.Size]byte
	switch {
	case int64(len(data)) > limit:
		return data[:limit], filter.ErrDecodeLimitExceeded
	case errors.Is(err, io.ErrUnexpectedEOF) && flushed(raw):
		return data, nil
	case err != nil && len(data) == 0:
		return nil, err
	case err != nil:
		return data, &damage{fault: err}
	}
	// What goes without a checksum is unusual, and harmless.
	if _, err := io.ReadFull(in, check[:]); err == nil && binary.BigEndian.Uint32(check[:]) != adler32.Checksum(data) {
		return data, &damage{fault: errChecksum}
	}
	return data, nil
}

// flushed tells data that was written out without being closed, as Acrobat leaves
// the appearances of annotations: all of it is there.
func flushed(raw []byte) bool {
	return bytes.HasSuffix(bytes.TrimRight(raw, "\r\n"), []byte{0, 0, 0xff, 0xff})
}
