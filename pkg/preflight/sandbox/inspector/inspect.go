// SPDX-License-Identifier: Apache-2.0

// Package inspector is the child side of package sandbox: the process that opens
// foreign PDFs.
//
// It isolates itself, waits until its parent has set the limits, reads the PDF from descriptor 3, and
// writes one report, also with pictures of the pages, a comparison, or an update of the PDF with comments or fixes. It uses no file system,
// network or environment. The binary workers/inspector runs it; where that binary is
// not installed, the main binary runs it under a hidden command.
package inspector

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/printmarket/printmarket/pkg/preflight"
	"github.com/printmarket/printmarket/pkg/preflight/pageimage"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/pkg/preflight/sandbox"
)

// maxStack bounds a goroutine's stack. A reader that recurses without end then
// dies at once instead of after filling a gigabyte.
const maxStack = 64 << 20

// Main runs the inspector and returns the exit code.
func Main() int {
	debug.SetMaxStack(maxStack)
	if err := sandbox.Isolate(); err != nil {
		fmt.Fprintln(os.Stderr, "inspector:", err)
		return sandbox.ExitNotIsolated
	}
	file := os.NewFile(sandbox.InspectorFile, "pdf")
	progress := os.NewFile(sandbox.ProgressFile, "progress")
	other := os.NewFile(sandbox.OtherFile, "other pdf")
	if file == nil || progress == nil || other == nil {
		fmt.Fprintln(os.Stderr, "inspector: descriptors 3, 4 and 5 are not open")
		return sandbox.ExitInput
	}
	defer func() { _, _, _ = file.Close(), progress.Close(), other.Close() }()
	sandbox.PrepareHeap(max(sizeOf(file), sizeOf(other)))
	code, err := run(os.Stdin, file, other, progress, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "inspector:", err)
	}
	return code
}

// sizeOf returns the size of a file, or 0. The inspection reports errors.
func sizeOf(file *os.File) int64 {
	info, err := file.Stat()
	if err != nil {
		return 0
	}
	return info.Size()
}

// run is Main without the process.
func run(in io.Reader, file, other *os.File, progress, out io.Writer) (int, error) {
	if _, err := io.ReadFull(in, make([]byte, 1)); err != nil {
		return sandbox.ExitNotReleased, fmt.Errorf("wait for release: %w", err)
	}
	ask, err := sandbox.ReadRequest(in)
	if err != nil {
		return sandbox.ExitUsage, err
	}
	if ask.Compare {
		return compared(file, other, progress, out)
	}
	info, err := file.Stat()
	if err != nil {
		return sandbox.ExitInput, fmt.Errorf("stat PDF: %w", err)
	}
	if ask.Fix {
		update, log, err := preflight.Fix(context.Background(), file, info.Size(), ask.Profile, ask.Fixes, preflight.Options{Ticket: ask.Ticket, Output: ask.Output})
		if err != nil {
			return sandbox.ExitInput, err
		}
		if err := report.EncodeFix(out, log, update); err != nil {
			return sandbox.ExitInternal, err
		}
		return sandbox.ExitReport, nil
	}
	opts := preflight.Options{Ticket: ask.Ticket, Progress: progressWriter(progress)}
	if ask.Pictures {
		opts.Pictures = &pageimage.Writer{}
	}
	r, err := preflight.Inspect(context.Background(), file, info.Size(), ask.Profile, opts)
	if err != nil {
		return sandbox.ExitInput, err
	}
	if ask.Annotate {
		return annotated(file, info.Size(), report.Localize(r, ask.Language), out)
	}
	return write(out, r, opts.Pictures)
}

// compared writes the comparison of two files.
func compared(before, after *os.File, progress, out io.Writer) (int, error) {
	var sources [2]preflight.Source
	for i, file := range [...]*os.File{before, after} {
		info, err := file.Stat()
		if err != nil {
			return sandbox.ExitInput, fmt.Errorf("stat PDF: %w", err)
		}
		sources[i] = preflight.Source{File: file, Size: info.Size()}
	}
	c, err := preflight.Compare(context.Background(), sources[0], sources[1], preflight.Options{Progress: progressWriter(progress)})
	if err != nil {
		return sandbox.ExitInput, err
	}
	data, err := report.EncodeComparison(c)
	if err != nil {
		return sandbox.ExitInternal, err
	}
	if _, err := out.Write(data); err != nil {
		return sandbox.ExitInternal, fmt.Errorf("write comparison: %w", err)
	}
	return sandbox.ExitReport, nil
}

// annotated writes the update. A refusal is an exit code of its own.
func annotated(file *os.File, size int64, r report.Report, out io.Writer) (int, error) {
	data, err := preflight.Annotate(context.Background(), file, size, r, preflight.Limits{})
	var refusal report.Refusal
	switch {
	case errors.As(err, &refusal):
		return int(refusal), err
	case err != nil:
		return sandbox.ExitInput, err
	}
	if _, err := out.Write(data); err != nil {
		return sandbox.ExitInternal, fmt.Errorf("write update: %w", err)
	}
	return sandbox.ExitReport, nil
}

// progressWriter returns a function that writes progress until a write fails.
func progressWriter(w io.Writer) func(done, total int) {
	broken := false
	return func(done, total int) {
		if broken {
			return
		}
		broken = sandbox.Progress{Done: uint32(done), Total: uint32(total)}.Write(w) != nil
	}
}

// write writes a report, with pictures unless they are nil. Pictures that cannot be stored are omitted.
func write(out io.Writer, r report.Report, pictures *pageimage.Writer) (int, error) {
	data, err := report.Encode(r)
	if err != nil {
		return sandbox.ExitInternal, err
	}
	if len(data) > report.MaxBytes {
		return sandbox.ExitInternal, fmt.Errorf("report has %d bytes, more than %d", len(data), report.MaxBytes)
	}
	if pictures != nil {
		set, err := pictures.Bytes()
		if err != nil || len(set) > pageimage.MaxBytes {
			set = nil
		}
		if err := sandbox.EncodePictures(out, data, set); err != nil {
			return sandbox.ExitInternal, err
		}
		return sandbox.ExitReport, nil
	}
	if _, err := out.Write(data); err != nil {
		return sandbox.ExitInternal, fmt.Errorf("write report: %w", err)
	}
	return sandbox.ExitReport, nil
}
