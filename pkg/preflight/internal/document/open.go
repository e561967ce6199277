// SPDX-License-Identifier: Apache-2.0

// Package document opens a PDF and returns its objects.
//
// It is the only package that calls the parser (pdfcpu), and does not trust it:
// every call recovers from panics, every stream is decoded within a budget of the
// whole document, and this package walks the page tree. It does not use the parser's
// validator, page count and content reader, because they change the document,
// trust /Count, or join streams without a bound.
//
// A fault of the file becomes an incident in the facts. An error means that the
// file could not be read from disk, or that the context was cancelled.
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

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
)

// Rule ids of the incidents of opening a file.
const (
	RuleNotPDF     = "file.not_pdf"
	RuleEmpty      = "file.empty"
	RuleUnreadable = "structure.unreadable"
	RulePanic      = "structure.parser_panic"
	RulePageTree   = "structure.page_tree"
	RuleStream     = "structure.stream_unreadable"
	RuleRepaired   = "structure.repaired"
	RulePassword   = "security.password_required"
	RuleEncrypted  = "security.encrypted"
	headerSearch   = 1024
)

// File is an open PDF. It is not safe for concurrent use.
type File struct {
	Budget *Budget

	pdf *model.Context
	// frame is the survey of the file; repaired reports whether pdf was read from a
	// repaired copy.
	frame    *survey
	repaired bool
	// source is the file or the copy from which pdf was read, of size bytes, and deferred the lengths of
	// the streams whose data is still there, by offset.
	source   io.ReaderAt
	deferred map[int64]types.Object
	size     int64
	// last is the deferred stream that was read last.
	last struct {
		offset int64
		data   []byte
	}
	collector *facts.Collector
	limits    Limits
	// streams keeps small decoded streams: forms are used many times.
	streams map[int][]byte
	kept    int64
	// profiles holds the ICC profiles that were read, by object number.
	profiles map[int]*facts.ICC
	// actions counts actions by type; applications and attached hold the recorded private data and
	// attachments.
	actions      map[string]int
	applications map[string]bool
	attached     map[uintptr]bool
	// steps counts the elements of structures that were read.
	steps int
	// samples is the buffer of image data.
	samples []byte
	// remeasured holds the corrected data of streams by offset, nil for a correct
	// length. reread counts the bytes that were read again for it.
	remeasured  map[int64][]byte
	reread      int64
	lengthNoted bool
	// opaque reports whether content is encrypted with an unknown key.
	opaque bool
}

// Open reads the objects of the file. It returns nil without an error when the file
// cannot be opened as a PDF; an incident states the reason.
func Open(ctx context.Context, in io.ReaderAt, size int64, limits Limits, collector *facts.Collector) (*File, error) {
	f := &File{
		Budget:     &Budget{limits: limits, collector: collector},
		collector:  collector,
		limits:     limits,
		streams:    map[int][]byte{},
		remeasured: map[int64][]byte{},
		profiles:   map[int]*facts.ICC{},
		actions:    map[string]int{}, applications: map[string]bool{}, attached: map[uintptr]bool{},
	}
	head, err := f.sniff(in, size)
	if head == nil || err != nil {
		collector.Incomplete()
		return nil, err
	}
	frame := surveyFile(in, size, head, f.tableFits)
	if frame.refused != nil {
		collector.Exhausted(*frame.refused)
		return nil, nil
	}
	if err := f.load(ctx, frame); err != nil {
		var ours *inputError
		switch {
		case ctx.Err() != nil:
			return nil, fmt.Errorf("read PDF: %w", context.Cause(ctx))
		case errors.As(err, &ours):
			return nil, fmt.Errorf("read PDF: %w", ours.fault)
		}
		collector.Incomplete()
		// Record the parser's error as an incident.
		var panicked *panicError
		switch {
		case errors.As(err, &panicked):
			f.panicked(panicked)
		case errors.Is(err, pdfcpu.ErrWrongPassword), errors.Is(err, pdfcpu.ErrOwnerPasswordRequired):
			f.incident(RulePassword, "", nil)
		case errors.Is(err, pdfcpu.ErrUnsupportedEncryptionFeature), errors.Is(err, pdfcpu.ErrPermissionDenied):
			f.incident(RuleEncrypted, "", nil)
			f.incident(RuleUnreadable, "encrypted", facts.Values{"parser": sentence(err)})
		default:
			f.incident(RuleUnreadable, "damaged", facts.Values{"parser": sentence(err)})
		}
		return nil, nil
	}
	f.frame = frame
	f.describe(frame)
	return f, nil
}

// sniff reads the first bytes. It returns nil when the file is not a PDF.
func (f *File) sniff(in io.ReaderAt, size int64) ([]byte, error) {
	if size == 0 {
		f.incident(RuleEmpty, "", nil)
		return nil, nil
	}
	if size > f.limits.FileBytes {
		f.collector.Exhausted(facts.Incident{Rule: RuleFileSize, Parameters: facts.Values{"bytes": float64(size), "limit": float64(f.limits.FileBytes)}})
		return nil, nil
	}
	head := make([]byte, min(size, headerSearch))
	if n, err := in.ReadAt(head, 0); n < len(head) {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("read PDF header: %w", err)
	}
	if !bytes.Contains(head, []byte("%PDF-")) {
		f.incident(RuleNotPDF, "", nil)
		return nil, nil
	}
	return head, nil
}

// encrypted reports whether the parser rejects the encryption of the file, which no
// repair can change.
func encrypted(err error) bool {
	return errors.Is(err, pdfcpu.ErrWrongPassword) || errors.Is(err, pdfcpu.ErrOwnerPasswordRequired) ||
		errors.Is(err, pdfcpu.ErrUnsupportedEncryptionFeature) || errors.Is(err, pdfcpu.ErrPermissionDenied)
}

// The permissions to print (ISO 32000-2, table 22): bit 3, and from revision 3
// on bit 12 for printing in full quality.
const (
	mayPrint     = 1 << 2
	mayPrintFine = 1 << 11
)

// describe records the facts of the document outside the pages.
func (f *File) describe(frame *survey) {
	doc := f.collector.Document()
	doc.Opened = true
	doc.PDFVersion = frame.version
	if f.pdf.RootVersion != nil {
		doc.PDFVersion = f.pdf.RootVersion.String()
	}
	if frame.header > 0 {
		f.incident(RuleRepaired, "header_bytes", facts.Values{"bytes": float64(frame.header)})
	}
	if !frame.ends {
		f.incident(RuleRepaired, "eof", nil)
	}
	doc.Encrypted = f.pdf.Encrypt != nil || f.opaque
	if f.opaque {
		f.collector.Incomplete()
	}
	if doc.Encrypted {
		f.incident(RuleEncrypted, "", nil)
	}
	doc.HasID = len(f.pdf.ID) == 2
	doc.Linearized = f.linearized(frame.size)
	doc.Compressed = f.pdf.Read.UsingObjectStreams || f.pdf.Read.UsingXRefStreams
	if e := f.pdf.E; e != nil {
		doc.PrintDenied = e.P&mayPrint == 0 || e.R >= 3 && e.P&mayPrintFine == 0
	}
	if f.opaque {
		return
	}
	f.metadata()
	f.catalog()
}

// linearized reports whether the file is linearized. After an incremental update,
// the length in the linearization dictionary differs from that of the file (ISO
// 32000-2, annex F.3.3).
func (f *File) linearized(size int64) bool {
	for number := range f.pdf.LinearizationObjs {
		ref := types.NewIndirectRef(number, 0)
		if length, ok := f.Number(f.Dict(*ref)["L"]); ok && int64(length) == size {
			return true
		}
	}
	return false
}

// Opaque reports whether the content is encrypted and cannot be read, although
// the structure could.
func (f *File) Opaque() bool { return f.opaque }

func (f *File) incident(rule, variant string, values facts.Values) {
	f.collector.Incident(facts.Incident{Rule: rule, Variant: variant, Parameters: values})
}

// sentence returns the parser's error as one bounded line.
func sentence(err error) string { return Clean(err.Error(), 160) + "." }
