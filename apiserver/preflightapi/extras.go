// SPDX-License-Identifier: Apache-2.0

package preflightapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"os"
	"strconv"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/tenant"
)

// GetPreflightFixes serves GET /api/v1/preflight/{jobId}/fixes.
func (s *surface) GetPreflightFixes(c *gate.Call, jobID JobID) (GetPreflightFixesResponseObject, error) {
	stored, current, err := s.extra(c, s.Jobs.FixLog, jobID)
	if err != nil {
		return nil, err
	}
	if current {
		return GetPreflightFixes304Response{}, nil
	}
	return GetPreflightFixes200ApplicationResponse{Body: stored, ContentType: MediaJSON}, nil
}

// GetPreflightComparison serves GET /api/v1/preflight/{jobId}/comparison.
func (s *surface) GetPreflightComparison(c *gate.Call, jobID JobID) (GetPreflightComparisonResponseObject, error) {
	stored, current, err := s.extra(c, s.Jobs.Comparison, jobID)
	if err != nil {
		return nil, err
	}
	if current {
		return GetPreflightComparison304Response{}, nil
	}
	return GetPreflightComparison200ApplicationResponse{Body: stored, ContentType: MediaJSON}, nil
}

// extra reads a document of a job, and reports whether the copy of the client is current.
func (s *surface) extra(c *gate.Call, read func(context.Context, tenant.ID, string) ([]byte, error), jobID JobID) (stored []byte, current bool, err error) {
	if stored, err = read(c.Context(), c.Tenant(), jobID); err != nil {
		return nil, false, s.problemOf(err)
	}
	sum := sha256.Sum256(stored)
	return stored, c.Revalidate(`"` + hex.EncodeToString(sum[:16]) + `"`), nil
}

// GetFixedFile serves GET /api/v1/preflight/{jobId}/fixed.pdf.
func (s *surface) GetFixedFile(c *gate.Call, jobID JobID) (GetFixedFileResponseObject, error) {
	made, current, err := s.fileCopy(c, s.Jobs.FixedFile, jobID, FixedCopy)
	if err != nil {
		return nil, err
	}
	if current {
		return GetFixedFile304Response{}, nil
	}
	return made, nil
}

// GetAnnotatedFile serves GET /api/v1/preflight/{jobId}/annotated.pdf.
func (s *surface) GetAnnotatedFile(c *gate.Call, jobID JobID) (GetAnnotatedFileResponseObject, error) {
	made, current, err := s.fileCopy(c, s.Jobs.AnnotatedFile, jobID, AnnotatedCopy)
	if err != nil {
		return nil, err
	}
	if current {
		return GetAnnotatedFile304Response{}, nil
	}
	return made, nil
}

// fileCopy opens a copy of the file of a job, and reports whether that of the client is current.
func (s *surface) fileCopy(c *gate.Call, open func(context.Context, tenant.ID, string) (preflightjob.File, *os.File, error), jobID, kind string) (made *fileCopy, current bool, err error) {
	file, content, err := open(c.Context(), c.Tenant(), jobID)
	if err != nil {
		return nil, false, s.problemOf(err)
	}
	if c.Revalidate(`"` + file.SHA256 + `"`) {
		_ = content.Close()
		return nil, true, nil
	}
	return &fileCopy{jobID, kind, file, content}, false, nil
}

// fileCopy is the response that streams a copy of a file.
type fileCopy struct {
	jobID, kind string
	file        preflightjob.File
	content     *os.File
}

func (f *fileCopy) answerGetFixedFile(c *gate.Call) error     { return f.answer(c) }
func (f *fileCopy) answerGetAnnotatedFile(c *gate.Call) error { return f.answer(c) }

// answer writes the file, as fast as the client reads it.
func (f *fileCopy) answer(c *gate.Call) error {
	defer func() { _ = f.content.Close() }()
	fields := func(header http.Header) { CopyFields(header, f.jobID, f.kind, f.file) }
	if c.Request.Method == http.MethodHead {
		fields(c.Writer.Header())
		c.Writer.WriteHeader(http.StatusOK)
		return nil
	}
	stream, refusal := c.Stream(fields)
	if refusal != nil {
		return refusal
	}
	defer stream.Close()
	CopyFile(stream, f.content)
	return nil
}

// The kinds of copies, which their file names contain.
const (
	FixedCopy     = "fixed"
	AnnotatedCopy = "annotated"
)

// CopyFields sets the header fields of a copy of the file of a job.
func CopyFields(header http.Header, jobID, kind string, file preflightjob.File) {
	header.Set("Content-Type", MediaPDF)
	header.Set("Content-Length", strconv.FormatInt(file.Bytes, 10))
	header.Set("Content-Disposition", `attachment; filename="`+jobID+"-"+kind+`.pdf"`)
}

// CopyFile writes a file to a stream. An incomplete response ends its connection, because it is
// shorter than its Content-Length.
func CopyFile(stream *gate.Stream, file *os.File) {
	// The buffer is what a client has to read within the stall timeout of a stream.
	_, _ = io.CopyBuffer(stream, struct{ io.Reader }{file}, make([]byte, 64<<10))
}
