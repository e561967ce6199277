// SPDX-License-Identifier: Apache-2.0

package report

// The inspector is a process of its own: it gets a PDF and gives a [Report].
// This file is what both sides agree on; package sandbox is one, package inspect
// the other.
//
//   - Arguments: the name of a profile, last.
//   - File descriptor 3: the PDF, readable at any offset.
//   - Standard input: one byte, sent when the limits of the process are in
//     force. Nothing of the PDF is touched before it arrives.
//   - Standard output: the report as JSON, if and only if the exit code is 0.
//   - Standard error: for the log.
const (
	// InspectorName is the file name of the inspector's executable.
	InspectorName = "inspector"
	// InspectorFile is the descriptor of the PDF.
	InspectorFile = 3
)

// The inspector's exit codes. The Go runtime ends with 2 when it panics, runs
// out of memory or overflows its stack, so 2 is not ours.
const (
	ExitReport = 0
	// ExitUsage: wrong arguments, or an unknown profile.
	ExitUsage = 64
	// ExitInput: the PDF could not be read from its descriptor.
	ExitInput = 66
	// ExitInternal: the report could not be made or written.
	ExitInternal = 70
	// ExitNotReleased: standard input closed before the byte came.
	ExitNotReleased = 75
)
