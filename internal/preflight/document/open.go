// SPDX-License-Identifier: Apache-2.0

// Package document opens a PDF and hands out its objects.
//
// It is the only package that calls the parser (pdfcpu), and it does so with
// suspicion: every call is wrapped against panics, every stream is decoded
// against a budget that the whole document shares, the page tree is walked here,
// and the parser's validator, page count and content reader are never used,
// because they change the document, believe /Count, or join streams without a
// bound.
//
// What is wrong with the file becomes an incident in the facts. An error means
// that we could not do our work: the file could not be read from disk, or the
// context was cancelled.
package document

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/internal/preflight/facts"
)

// Rule ids of the incidents of opening a file.
const (
	RuleNotPDF      = "file.not_pdf"
	RuleEmpty       = "file.empty"
	RuleUnreadable  = "structure.unreadable"
	RulePanic       = "structure.parser_panic"
	RulePageTree    = "structure.page_tree"
	RuleStream      = "structure.stream_unreadable"
	RulePassword    = "security.password_required"
	RuleEncrypted   = "security.encrypted"
	headerSearch    = 1024
	encryptedDetail = "The file is encrypted."
)

// File is an open PDF. It is not safe for concurrent use.
type File struct {
	Budget *Budget

	pdf       *model.Context
	collector *facts.Collector
	limits    Limits
	// streams keeps small decoded streams: forms are used again and again.
	streams map[int][]byte
	kept    int64
	// opaque is true when content is encrypted with a key that we do not have.
	opaque bool
}

// Open reads the file's objects. It returns nil without an error when the file
// cannot be opened as a PDF; the incident says why.
func Open(ctx context.Context, in io.ReadSeeker, size int64, limits Limits, collector *facts.Collector) (*File, error) {
	f := &File{
		Budget:    &Budget{limits: limits, collector: collector},
		collector: collector,
		limits:    limits,
		streams:   map[int][]byte{},
	}
	if ok, err := f.sniff(in, size); !ok || err != nil {
		collector.Incomplete()
		return nil, err
	}
	source := &faultReader{in: in}
	err := f.guard(func() (err error) {
		f.pdf, err = pdfcpu.ReadWithContext(ctx, source, configuration(limits))
		return err
	})
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("read PDF: %w", context.Cause(ctx))
	case source.fault != nil:
		return nil, fmt.Errorf("read PDF: %w", source.fault)
	case err != nil:
		collector.Incomplete()
		f.refused(err)
		return nil, nil
	}
	f.describe(in, size)
	return f, nil
}

// sniff looks at the first bytes before the parser does.
func (f *File) sniff(in io.ReadSeeker, size int64) (bool, error) {
	if size == 0 {
		f.incident(RuleEmpty, "The file has no content: zero bytes.")
		return false, nil
	}
	if size > f.limits.FileBytes {
		f.collector.Exhausted(RuleFileSize, 0, fmt.Sprintf("The file has %d bytes; at most %d are inspected.", size, f.limits.FileBytes))
		return false, nil
	}
	head := make([]byte, min(size, headerSearch))
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return false, fmt.Errorf("read PDF header: %w", err)
	}
	if _, err := io.ReadFull(in, head); err != nil {
		return false, fmt.Errorf("read PDF header: %w", err)
	}
	if !bytes.Contains(head, []byte("%PDF-")) {
		f.incident(RuleNotPDF, "The file is not a PDF: the mark %PDF- is missing at its start.")
		return false, nil
	}
	return true, nil
}

// configuration is spelt out, because pdfcpu's own constructor reads and writes
// a directory in the user's home and keeps it in a global.
func configuration(limits Limits) *model.Configuration {
	return &model.Configuration{
		Reader15:                  true,
		ValidationMode:            model.ValidationRelaxed,
		UnsupportedResourcePolicy: model.UnsupportedResourceSkip,
		Eol:                       types.EolLF,
		Cmd:                       model.VALIDATE,
		Offline:                   true,
		Limits:                    limits.parser(),
	}
}

// refused turns the parser's error into the incident that fits.
func (f *File) refused(err error) {
	var panicked *panicError
	switch {
	case errors.As(err, &panicked):
		// guard has noted it.
	case errors.Is(err, pdfcpu.ErrWrongPassword), errors.Is(err, pdfcpu.ErrOwnerPasswordRequired):
		f.incident(RulePassword, "The file can only be opened with a password.")
	case errors.Is(err, pdfcpu.ErrUnsupportedEncryptionFeature), errors.Is(err, pdfcpu.ErrPermissionDenied):
		f.incident(RuleEncrypted, encryptedDetail)
		f.incident(RuleUnreadable, "The file is encrypted in a way that cannot be opened. The parser says: "+sentence(err))
	default:
		f.incident(RuleUnreadable, "The file is damaged or incomplete and cannot be opened. The parser says: "+sentence(err))
	}
}

// describe fills the facts that stand outside the pages.
func (f *File) describe(in io.ReadSeeker, size int64) {
	doc := f.collector.Document()
	doc.Opened = true
	switch {
	case f.pdf.RootVersion != nil:
		doc.PDFVersion = f.pdf.RootVersion.String()
	case f.pdf.HeaderVersion != nil:
		doc.PDFVersion = f.pdf.HeaderVersion.String()
	}
	doc.Encrypted = f.pdf.Encrypt != nil
	if !doc.Encrypted && f.hasDirectEncrypt(in, size) {
		doc.Encrypted, f.opaque = true, true
		f.collector.Incomplete()
	}
	if doc.Encrypted {
		f.incident(RuleEncrypted, encryptedDetail)
	}
	if f.pdf.Info == nil || f.opaque {
		return
	}
	info := f.Dict(*f.pdf.Info)
	doc.Title = f.Text(info["Title"])
	doc.Producer = f.Text(info["Producer"])
	doc.Creator = f.Text(info["Creator"])
}

// Opaque reports whether the content is encrypted and cannot be read, although
// the structure could.
func (f *File) Opaque() bool { return f.opaque }

func (f *File) incident(rule, detail string) {
	f.collector.Incident(facts.Incident{Rule: rule, Detail: detail})
}

// sentence is the parser's error as one bounded line.
func sentence(err error) string { return Clean(err.Error(), 160) + "." }

// faultReader remembers a fault of the disk, which the parser would report as
// damage to the file.
type faultReader struct {
	in    io.ReadSeeker
	fault error
}

func (r *faultReader) Read(p []byte) (int, error) {
	n, err := r.in.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		r.fault = err
	}
	return n, err
}

func (r *faultReader) Seek(offset int64, whence int) (int64, error) {
	// A wild offset in the file makes a wild seek: that is no fault of ours.
	return r.in.Seek(offset, whence)
}
