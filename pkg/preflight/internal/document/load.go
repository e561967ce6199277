// SPDX-License-Identifier: Apache-2.0

package document

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strconv"

	"github.com/pdfcpu/pdfcpu/pkg/filter"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// load parses the file. It parses a repaired copy when the survey has found a fault
// that the parser rejects, or when the parser has failed.
func (f *File) load(ctx context.Context, frame *survey) error {
	faulty := !frame.rooted || !frame.knownVersion() || frame.encryptsDirectly()
	if faulty {
		if err := f.loadRepaired(ctx, frame, f.hasPages); err == nil || encrypted(err) {
			return err
		}
	}
	err := f.parse(ctx, frame.in, frame.size, frame.size > f.limits.KeptBytes && frame.rooted && value(frame.trailer, "Encrypt") == nil)
	if err == nil && f.overlapping() {
		err = f.parse(ctx, frame.in, frame.size, false)
	}
	var ours *inputError
	switch {
	case ctx.Err() != nil || errors.As(err, &ours) || encrypted(err):
		return err
	case err == nil && f.hasPages():
		f.opaque = frame.encryptsDirectly()
		// Without a repair, the table is used as it is.
		if !faulty && f.misnumbered() {
			_ = f.loadRepaired(ctx, frame, f.hasPages)
		} else if !faulty && !f.hasAllPages() {
			_ = f.loadRepaired(ctx, frame, f.hasAllPages)
		}
		return nil
	case !faulty && f.loadRepaired(ctx, frame, f.hasPages) == nil:
		return nil
	}
	return err
}

// errBeyondRepair means that the repaired copy is unreadable, too.
var errBeyondRepair = errors.New("the file cannot be repaired")

// loadRepaired parses a repaired copy. When that fails, or the copy is not sound, f stays unchanged.
func (f *File) loadRepaired(ctx context.Context, frame *survey, sound func() bool) error {
	before, source, size, deferred := f.pdf, f.source, f.size, f.deferred
	copied := f.repair(frame)
	if copied == nil {
		return errBeyondRepair
	}
	err := f.parse(ctx, bytes.NewReader(copied.data), int64(len(copied.data)), false)
	if err == nil && !sound() {
		err = errBeyondRepair
	}
	if err != nil {
		f.pdf, f.source, f.size, f.deferred = before, source, size, deferred
		return err
	}
	f.repaired = true
	for _, note := range copied.notes {
		f.incident(RuleRepaired, note.variant, note.values)
	}
	if copied.cut {
		f.collector.Incomplete()
		f.incident(RuleUnreadable, "cut", nil)
	}
	return nil
}

// parse calls the parser. The data of long streams may be deferred. It returns an inputError for a
// fault of the disk.
func (f *File) parse(ctx context.Context, in io.ReaderAt, size int64, deferred bool) error {
	source := &faultReader{in: io.NewSectionReader(in, 0, size)}
	long := &deferring{ReadSeeker: source, from: min(longStream, f.limits.KeptBytes), lengths: map[int]types.Object{}}
	// pdfcpu's own constructor of a configuration reads and writes a directory in the
	// user's home and keeps it in a global.
	configuration := &model.Configuration{
		Reader15:                  true,
		ValidationMode:            model.ValidationRelaxed,
		UnsupportedResourcePolicy: model.UnsupportedResourceSkip,
		Eol:                       types.EolLF,
		Cmd:                       model.VALIDATE,
		Offline:                   true,
		Limits:                    f.limits.parser(size),
	}
	err := caught(func() (err error) {
		if deferred {
			f.pdf, err = pdfcpu.ReadWithContext(ctx, long, configuration)
		} else {
			f.pdf, err = pdfcpu.ReadWithContext(ctx, source, configuration)
		}
		return err
	})
	if source.fault != nil {
		return &inputError{fault: source.fault}
	}
	if err == nil {
		f.source, f.size, f.deferred = in, size, long.restore(f.pdf)
	}
	return err
}

// inputError is a fault of the disk, not of the file.
type inputError struct{ fault error }

func (e *inputError) Error() string { return e.fault.Error() }

// hasPages reports whether the catalog leads to a page tree and the tree to a page.
// With a wrong table the parser may succeed and find neither.
func (f *File) hasPages() bool {
	tree := f.Dict(f.Dict(rootOf(f))["Pages"])
	kids := f.Array(tree["Kids"])
	return tree != nil && (len(kids) == 0 || f.Dict(kids[0]) != nil)
}

// hasAllPages reports whether the table has the objects that the root of the page tree refers to. The
// parser leaves out entries that lead to no object.
func (f *File) hasAllPages() bool {
	kids := f.Array(f.Dict(f.Dict(rootOf(f))["Pages"])["Kids"])
	return !slices.ContainsFunc(kids[:min(len(kids), maxCompared)], func(kid types.Object) bool { return f.Dict(kid) == nil })
}

// maxCompared bounds the objects that are compared with the table.
const maxCompared = 256

// misnumbered reports whether the table leads to objects with other numbers, as that of a program
// whose first section begins with 1 instead of 0. The parser does not compare the numbers.
func (f *File) misnumbered() bool {
	numbers := slices.Sorted(maps.Keys(f.pdf.Table))
	for i := 0; i < len(numbers); i += len(numbers)/maxCompared + 1 {
		e := f.pdf.Table[numbers[i]]
		if e == nil || e.Free || e.Compressed || e.Offset == nil || *e.Offset <= 0 {
			continue
		}
		head, _ := readAt(f.source, *e.Offset, 32)
		fields := bytes.Fields(head)
		if len(fields) > 2 && bytes.HasPrefix(fields[2], []byte("obj")) && string(fields[0]) != strconv.Itoa(numbers[i]) {
			return true
		}
	}
	return false
}

// tableFits reports whether a stream of the cross-reference table is within the
// limits, which the parser does not apply to it.
func (f *File) tableFits(dict, body []byte) bool {
	at := bytes.Index(body, []byte("stream"))
	if at < 0 {
		return true
	}
	_, err := f.decodeRaw(dict, body[at+len("stream"):])
	return !errors.Is(err, filter.ErrDecodeLimitExceeded)
}

// faultReader keeps a fault of the disk, which the parser would report as damage to
// the file.
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
	// An invalid offset in the file causes an invalid seek, which is not a disk fault.
	return r.in.Seek(offset, whence)
}
