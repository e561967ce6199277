// SPDX-License-Identifier: Apache-2.0

// Package pdftest generates PDF files for tests and demonstrations. [Builder] writes
// objects; [Pages] writes documents with readable parameters; [Hostile] returns files
// that break readers.
package pdftest

import (
	"bytes"
	"cmp"
	"compress/zlib"
	"fmt"
	"strings"
)

// Ref is the number of an object.
type Ref int

// String returns the reference in PDF syntax.
func (r Ref) String() string { return fmt.Sprintf("%d 0 R", int(r)) }

// Builder collects objects. The zero Builder is empty.
type Builder struct {
	objects [][]byte
	// Version goes into the header; "" means 1.6.
	Version string
	// Info is the information dictionary, if any.
	Info Ref
	// Catalog is added to the document catalog.
	Catalog string
	// MoreKids is added to the kids of the page tree.
	MoreKids string
	// Trailer is added to the trailer's dictionary.
	Trailer string
	// Packed puts the objects into an object stream where that is allowed, and
	// writes the table as a stream, too.
	Packed bool
	// Permissions are those of an encrypted file; 0 means all.
	Permissions int32
	crypt       *crypt
}

// Reserve returns a number whose object follows later.
func (b *Builder) Reserve() Ref {
	b.objects = append(b.objects, nil)
	return Ref(len(b.objects))
}

// Set writes the object of a reserved number.
func (b *Builder) Set(r Ref, format string, args ...any) {
	b.objects[r-1] = fmt.Appendf(nil, format, args...)
}

// Add writes an object.
func (b *Builder) Add(format string, args ...any) Ref {
	r := b.Reserve()
	b.Set(r, format, args...)
	return r
}

// Stream writes a stream as it is; dict is the inside of its dictionary.
func (b *Builder) Stream(dict string, data []byte) Ref {
	r := b.Reserve()
	b.SetStream(r, dict, data)
	return r
}

// SetStream writes the stream of a reserved number.
func (b *Builder) SetStream(r Ref, dict string, data []byte) {
	if b.crypt != nil {
		data = b.crypt.encrypt(int(r), data)
	}
	b.objects[r-1] = fmt.Appendf(nil, "<< %s /Length %d >>\nstream\n%s\nendstream", dict, len(data), data)
}

// Flate writes a compressed stream.
func (b *Builder) Flate(dict string, data []byte) Ref {
	return b.Stream(dict+" /Filter /FlateDecode", Deflate(data))
}

// Deflate compresses data for /FlateDecode.
func Deflate(data []byte) []byte {
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	_, _ = w.Write(data) // a bytes.Buffer does not fail
	_ = w.Close()
	return out.Bytes()
}

// Bytes writes the file with a catalog.
func (b *Builder) Bytes(catalog Ref) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "%%PDF-%s\n%%\xE2\xE3\xCF\xD3\n", cmp.Or(b.Version, "1.6"))
	if b.Packed {
		b.pack(&out, catalog)
		return out.Bytes()
	}
	offsets := make([]int, len(b.objects))
	for i, object := range b.objects {
		offsets[i] = out.Len()
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	table := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(b.objects)+1)
	for _, offset := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&out, "trailer\n<< /Size %d%s >>\nstartxref\n%d\n%%%%EOF\n", len(b.objects)+1, b.trailer(catalog), table)
	return out.Bytes()
}

// trailer returns the entries of the trailer, without the size.
func (b *Builder) trailer(catalog Ref) string {
	info := ""
	if b.Info != 0 {
		info = fmt.Sprintf(" /Info %s", b.Info)
	}
	return fmt.Sprintf(" /Root %s%s%s", catalog, info, b.Trailer)
}

// Text returns a literal string, encrypted in an encrypted file.
func (b *Builder) Text(owner Ref, text string) string {
	if b.crypt != nil {
		return fmt.Sprintf("<%x>", b.crypt.encrypt(int(owner), []byte(text)))
	}
	return "(" + strings.NewReplacer("\\", "\\\\", "(", "\\(", ")", "\\)").Replace(text) + ")"
}
