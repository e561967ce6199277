// SPDX-License-Identifier: Apache-2.0

package sandbox

// The protocol between the sandbox and the inspector:
//
//   - Arguments: none.
//   - The inspector calls [Isolate] before anything else.
//   - File descriptor 3: the PDF, readable at any offset.
//   - File descriptor 4: the inspector writes each [Progress] to it, and continues
//     if a write fails.
//   - Standard input: one byte, sent after the limits of the process are in force,
//     then the [Request] as JSON up to the end. The inspector reads nothing of the
//     PDF before the byte arrives.
//   - Standard output, only if the exit code is 0: the report as JSON or, if the
//     request asks for annotations, the bytes to append to the PDF. If the request
//     asks for pictures: the output of [EncodePictures].
//   - Standard error: log lines.

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/printmarket/printmarket/pkg/preflight/jobticket"
	"github.com/printmarket/printmarket/pkg/preflight/pageimage"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

const (
	// InspectorName is the file name of the inspector's executable.
	InspectorName = "inspector"
	// InspectorFile is the descriptor of the PDF.
	InspectorFile = 3
	// ProgressFile is the descriptor of the progress.
	ProgressFile = 4
	// OtherFile is the descriptor of the file after the change, in a comparison; otherwise it
	// is the PDF again.
	OtherFile = 5
)

// The inspector's exit codes. The Go runtime ends with 2 when it panics, runs
// out of memory or overflows its stack, so 2 is not ours.
const (
	ExitReport = 0
	// ExitUsage means a request that cannot be read.
	ExitUsage = 64
	// ExitInput: the PDF could not be read from its descriptor.
	ExitInput = 66
	// ExitInternal: the report could not be made or written.
	ExitInternal = 70
	// ExitNotReleased: standard input closed before the byte came.
	ExitNotReleased = 75
	// ExitNotIsolated: [Isolate] failed. The inspector has read nothing of the PDF.
	ExitNotIsolated = 77
)

// Request describes one inspection.
type Request struct {
	// Profile selects the rules. A comparison needs none.
	Profile profile.Profile `json:"profile"`
	// Ticket holds the ordered properties; it may be nil.
	Ticket *jobticket.Ticket `json:"ticket,omitempty"`
	// Pictures requests pictures of the pages after the report.
	Pictures bool `json:"pictures,omitempty"`
	// Annotate requests the findings as an update of the PDF instead of the report.
	Annotate bool `json:"annotate,omitempty"`
	// Compare requests a comparison of the PDF with the other file instead of the report.
	Compare bool `json:"compare,omitempty"`
	// Fix requests fixes and their log instead of the report: those of Fixes, or all for which
	// the inspection has findings.
	Fix   bool         `json:"fix,omitempty"`
	Fixes []report.Fix `json:"fixes,omitempty"`
	// Output is the printing condition for fixes; it may be nil.
	Output *report.Output `json:"output,omitempty"`
	// Language is the language of annotations, one of report.Languages. Empty and unknown
	// languages select English. The report itself is always English.
	Language string `json:"language,omitempty"`
}

// maxRequest limits the JSON of a Request, in bytes. The text of a profile may have 256 KiB, and an ICC profile is
// a third longer in base64.
const maxRequest = 1<<20 + report.MaxProfile*4/3

// ErrInvalidRequest is the error of a Request that cannot be read.
var ErrInvalidRequest = errors.New("invalid request to the inspector")

// Encode returns the JSON of a Request.
func (a Request) Encode() ([]byte, error) {
	data, err := json.Marshal(a)
	if err != nil {
		return nil, fmt.Errorf("encode request to the inspector: %w", err)
	}
	return data, nil
}

// ReadRequest reads a Request to the end of the input. It returns [ErrInvalidRequest] if the
// text is too long, has unknown members, lacks the profile or contains a ticket out of bounds.
func ReadRequest(in io.Reader) (Request, error) {
	data, err := io.ReadAll(io.LimitReader(in, maxRequest+1))
	if err != nil {
		return Request{}, fmt.Errorf("%w: %w", ErrInvalidRequest, err)
	}
	if len(data) > maxRequest {
		return Request{}, fmt.Errorf("%w: longer than %d bytes", ErrInvalidRequest, maxRequest)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	var a Request
	if err := dec.Decode(&a); err != nil {
		return Request{}, fmt.Errorf("%w: %w", ErrInvalidRequest, err)
	}
	if dec.More() {
		return Request{}, fmt.Errorf("%w: data after the document", ErrInvalidRequest)
	}
	if a.Profile.Name == "" && !a.Compare {
		return Request{}, fmt.Errorf("%w: a profile is required", ErrInvalidRequest)
	}
	if err := a.Ticket.Check(); err != nil {
		return Request{}, fmt.Errorf("%w: %w", ErrInvalidRequest, err)
	}
	return a, nil
}

// EncodePictures writes the JSON of a report and a set of pictures, which may be empty.
func EncodePictures(w io.Writer, report, pictures []byte) error {
	head := binary.BigEndian.AppendUint32(nil, uint32(len(report))) // #nosec G115 -- bounded by the caller
	for _, part := range [][]byte{head, report, pictures} {
		if _, err := w.Write(part); err != nil {
			return fmt.Errorf("write report with pictures: %w", err)
		}
	}
	return nil
}

// errFrame is the error of an output with pictures that does not state the length of its report.
var errFrame = errors.New("output without a report")

// decodePictures splits the output of [EncodePictures]. The pictures are nil if there are none, or if
// they are not a valid set.
func decodePictures(output []byte) (report, pictures []byte, err error) {
	if len(output) < 4 {
		return nil, nil, errFrame
	}
	n := int64(binary.BigEndian.Uint32(output))
	if n > int64(len(output)-4) {
		return nil, nil, errFrame
	}
	report, pictures = output[4:4+n], output[4+n:]
	if _, err := pageimage.Open(bytes.NewReader(pictures), int64(len(pictures))); err != nil {
		return report, nil, nil //nolint:nilerr // the report is complete without its pictures
	}
	return report, pictures, nil
}

// Progress is how many pages have been read.
type Progress struct{ Done, Total uint32 }

// progressBytes is the length of a Progress on the wire: two big-endian numbers.
const progressBytes = 8

// Write writes a Progress in one piece.
func (p Progress) Write(w io.Writer) error {
	var wire [progressBytes]byte
	binary.BigEndian.PutUint32(wire[:4], p.Done)
	binary.BigEndian.PutUint32(wire[4:], p.Total)
	if _, err := w.Write(wire[:]); err != nil {
		return fmt.Errorf("write progress: %w", err)
	}
	return nil
}

// ReadProgress passes each Progress of a stream to see, until the stream ends. It omits
// impossible values, because the inspector is not trusted.
func ReadProgress(r io.Reader, see func(Progress)) {
	var wire [progressBytes]byte
	for {
		if _, err := io.ReadFull(r, wire[:]); err != nil {
			return
		}
		p := Progress{Done: binary.BigEndian.Uint32(wire[:4]), Total: binary.BigEndian.Uint32(wire[4:])}
		if p.Done <= p.Total && p.Total <= maxPages {
			see(p)
		}
	}
}

// maxPages is more pages than the engine reads of any file.
const maxPages = 1_000_000
