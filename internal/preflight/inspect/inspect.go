// SPDX-License-Identifier: Apache-2.0

// Package inspect is the body of the inspector, the process in which foreign
// PDFs are opened.
//
// It speaks the protocol of report/protocol.go: it waits until its parent has
// put limits around it, reads the PDF from descriptor 3, and writes one report.
// It needs no file system, no network and no environment. The same body runs as
// the binary workers/inspector and, where that is not installed, inside the main
// binary under a hidden command.
package inspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/printmarket/printmarket/internal/preflight"
	"github.com/printmarket/printmarket/internal/preflight/profile"
	"github.com/printmarket/printmarket/internal/preflight/report"
)

// maxStack bounds a goroutine's stack. A reader that recurses without end then
// dies at once instead of after filling a gigabyte.
const maxStack = 64 << 20

// Main runs the inspector with the arguments after the program's name and
// returns the exit code.
func Main(args []string) int {
	debug.SetMaxStack(maxStack)
	file := os.NewFile(report.InspectorFile, "pdf")
	if file == nil {
		fmt.Fprintln(os.Stderr, "inspector: descriptor 3 is not open")
		return report.ExitInput
	}
	defer func() { _ = file.Close() }()
	code, err := run(args, os.Stdin, file, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "inspector:", err)
	}
	return code
}

// run is Main without the process.
func run(args []string, release io.Reader, file *os.File, out io.Writer) (int, error) {
	if len(args) != 1 {
		return report.ExitUsage, errors.New("usage: inspector PROFILE, with the PDF on descriptor 3")
	}
	p, err := profile.Lookup(args[0])
	if err != nil {
		return report.ExitUsage, err
	}
	if _, err := io.ReadFull(release, make([]byte, 1)); err != nil {
		return report.ExitNotReleased, fmt.Errorf("wait for release: %w", err)
	}
	info, err := file.Stat()
	if err != nil {
		return report.ExitInput, fmt.Errorf("stat PDF: %w", err)
	}
	r, err := preflight.Inspect(context.Background(), file, info.Size(), p, preflight.Options{})
	if err != nil {
		return report.ExitInput, err
	}
	data, err := report.Encode(r)
	if err != nil {
		return report.ExitInternal, err
	}
	if len(data) > report.MaxBytes {
		return report.ExitInternal, fmt.Errorf("report has %d bytes, more than %d", len(data), report.MaxBytes)
	}
	if _, err := out.Write(data); err != nil {
		return report.ExitInternal, fmt.Errorf("write report: %w", err)
	}
	return report.ExitReport, nil
}
