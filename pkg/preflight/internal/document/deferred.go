// SPDX-License-Identifier: Apache-2.0

package document

import (
	"bytes"
	"io"
	"strconv"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// longStream is the length from which a stream of a long file is deferred.
const longStream = 64 << 10

// headBytes is the number of bytes in which the dictionary of a deferred stream must end.
const headBytes = 4 << 10

// deferring reads a file for the parser, which loads the data of all streams and keeps it. For a
// long stream, deferring replaces the number of bytes in the dictionary by 1, so the data stays in
// the file until [File.Stream] or [File.Rows] reads it.
type deferring struct {
	io.ReadSeeker
	at int64
	// from is the length from which streams are deferred.
	from int64
	// lengths holds the value of /Length by the number of the object.
	lengths map[int]types.Object
	// patch replaces the bytes of the file at patchAt: the length of the object at the offset of the last
	// Seek. The parser seeks every object.
	patch   []byte
	patchAt int64
}

func (r *deferring) Seek(offset int64, whence int) (int64, error) {
	at, err := r.ReadSeeker.Seek(offset, whence)
	if err == nil && whence == io.SeekStart {
		err = r.lookAhead(at)
	}
	r.at = at
	return at, err
}

func (r *deferring) Read(p []byte) (int, error) {
	n, err := r.ReadSeeker.Read(p)
	for i, c := range r.patch {
		if at := r.patchAt + int64(i) - r.at; at >= 0 && at < int64(n) {
			p[at] = c
		}
	}
	r.at += int64(n)
	return n, err
}

// lookAhead sets the patch of an object that starts at the offset. It leaves the reader there.
func (r *deferring) lookAhead(at int64) error {
	r.patch = nil
	head := make([]byte, headBytes)
	n, err := io.ReadFull(r.ReadSeeker, head)
	if err != nil && n == 0 {
		return nil // the parser reports an offset beyond the end, and a fault of the disk
	}
	r.defers(at, head[:n])
	_, err = r.ReadSeeker.Seek(at, io.SeekStart)
	return err
}

// defers sets the patch of the object whose first bytes are head, if it is a long stream. It leaves
// out streams that hold objects, which the parser reads.
func (r *deferring) defers(at int64, head []byte) {
	body, ok := objectBody(bytes.TrimLeft(head, white))
	if !ok {
		return
	}
	number, err := strconv.Atoi(string(bytes.Fields(head)[0]))
	dict := dictionary(body)
	if err != nil || dict == nil {
		return
	}
	if _, after, _ := bytes.Cut(body, dict); !bytes.HasPrefix(bytes.TrimLeft(after, white), []byte("stream")) {
		return
	}
	switch string(value(dict, "Type")) {
	case "", "/XObject", "/Pattern", "/EmbeddedFile":
	default:
		return
	}
	text := value(dict, "Length")
	fields := bytes.Fields(text)
	var length types.Object
	switch {
	case len(fields) == 1 && integer(dict, "Length") >= r.from:
		length = types.Integer(integer(dict, "Length"))
	case len(fields) == 3:
		target, err := strconv.Atoi(string(fields[0]))
		generation, err2 := strconv.Atoi(string(fields[1]))
		if err != nil || err2 != nil {
			return
		}
		length = *types.NewIndirectRef(target, generation)
	default:
		return
	}
	// The value is a part of head.
	r.patchAt = at + int64(cap(head)-cap(text))
	r.patch = append([]byte("1"), bytes.Repeat([]byte(" "), len(text)-1)...)
	r.lengths[number] = length
}

// restore puts the lengths back into the dictionaries, and returns them by the offset of the data.
func (r *deferring) restore(pdf *model.Context) map[int64]types.Object {
	deferred := map[int64]types.Object{}
	for number, length := range r.lengths {
		entry := pdf.Table[number]
		if entry == nil {
			continue
		}
		if stream, ok := entry.Object.(types.StreamDict); ok && len(stream.Raw) <= 1 && stream.StreamOffset > 0 {
			stream.Dict["Length"] = length
			deferred[stream.StreamOffset] = length
		}
	}
	return deferred
}
