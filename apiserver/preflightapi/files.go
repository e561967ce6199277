// SPDX-License-Identifier: Apache-2.0

package preflightapi

import (
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"time"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/safehttp"
	"github.com/printmarket/printmarket/internal/tenant"
)

// Files stores uploaded files. Package preflightjob implements it.
type Files interface {
	Upload(ctx context.Context, owner tenant.ID, upload preflightjob.Upload) (preflightjob.File, error)
	Get(ctx context.Context, owner tenant.ID, id string) (preflightjob.File, error)
	Delete(ctx context.Context, owner tenant.ID, id string) error
	// Disabled reports whether this installation stores no files.
	Disabled() bool
}

const (
	mediaForm = "multipart/form-data"
	// uploadLimit leaves 64 KiB for the boundaries of a form. The limit of the file itself is
	// that of [preflightjob.Files].
	uploadLimit = safehttp.DefaultMaxBytes + 64<<10
	// retryFiles is the time to retry after while files cannot be stored.
	retryFiles = 10 * time.Second
)

// NewUploads returns the limits of uploads: 64, 4 per organization, and 64 KiB per second over
// every 5 seconds.
func NewUploads() *gate.Uploads { return gate.NewUploads(64, 4, 5*time.Second) }

// UploadFile serves POST /api/v1/files.
func (s *surface) UploadFile(c *gate.Call) (UploadFileResponseObject, error) {
	body, refusal := c.Upload(s.Uploads)
	if refusal != nil {
		return nil, refusal
	}
	defer body.Close()
	upload := preflightjob.Upload{Content: body, Bytes: c.Request.ContentLength}
	if c.ContentType == mediaForm {
		form, err := newForm(c.Request.Header.Get("Content-Type"), body)
		if err != nil {
			return nil, err
		}
		upload.Content, upload.Bytes = form, -1
	}
	file, err := s.store(c, upload)
	if err != nil {
		return nil, err
	}
	return UploadFile201JSONResponse{
		Body: fileModel(file), Headers: UploadFile201ResponseHeaders{Location: "/api/v1/files/" + file.ID},
	}, nil
}

// store stores the file of a call whose caller may still upload when the file is complete.
func (s *surface) store(c *gate.Call, upload preflightjob.Upload) (preflightjob.File, error) {
	upload.Allowed = c.StillAllowed
	file, err := s.Files.Upload(c.Context(), c.Tenant(), upload)
	if errors.Is(err, preflightjob.ErrFileForbidden) {
		// Responses with 403 have no rate limit, because the gate decides before it counts.
		c.Writer.Header().Del("Ratelimit")
		c.Writer.Header().Del("Ratelimit-Policy")
	}
	if err != nil {
		return preflightjob.File{}, s.problemOf(err)
	}
	return file, nil
}

// form reads the last part of a multipart body, which is the only one without [form.fields]. At the
// end of the part it requires that no other part follows.
type form struct {
	parts *multipart.Reader
	part  *multipart.Part
}

func newForm(contentType string, body io.Reader) (*form, error) {
	// The gate has parsed the field.
	_, parameters, _ := mime.ParseMediaType(contentType)
	f := &form{parts: multipart.NewReader(body, parameters["boundary"])}
	if parameters["boundary"] == "" {
		return nil, formProblem(errors.New("no boundary"))
	}
	part, err := f.parts.NextRawPart()
	if err != nil {
		return nil, formProblem(err)
	}
	f.part = part
	return f, nil
}

// Read implements io.Reader. Its errors, except io.EOF, are problems.
func (f *form) Read(into []byte) (int, error) {
	n, err := f.part.Read(into)
	switch {
	case err == nil:
		return n, nil
	case !errors.Is(err, io.EOF):
		return n, formProblem(err)
	}
	_, err = f.parts.NextRawPart()
	switch {
	case errors.Is(err, io.EOF):
		return n, io.EOF
	case err == nil:
		return n, formProblem(errors.New("a second part"))
	default:
		return n, formProblem(err)
	}
}

// formProblem returns the problem of the body, if err has one, or that of an invalid form.
func formProblem(err error) *problem.Problem {
	if p, ok := errors.AsType[*problem.Problem](err); ok {
		return p
	}
	return problem.New(problem.CodeInvalidRequest, "The body must be a complete form with exactly one part.").With(err)
}

// GetFile serves GET /api/v1/files/{fileId}.
func (s *surface) GetFile(c *gate.Call, fileID FileID) (GetFileResponseObject, error) {
	file, err := s.Files.Get(c.Context(), c.Tenant(), fileID)
	if err != nil {
		return nil, s.problemOf(err)
	}
	return GetFile200JSONResponse(fileModel(file)), nil
}

// DeleteFile serves DELETE /api/v1/files/{fileId}.
func (s *surface) DeleteFile(c *gate.Call, fileID FileID) (DeleteFileResponseObject, error) {
	if err := s.Files.Delete(c.Context(), c.Tenant(), fileID); err != nil {
		return nil, s.problemOf(err)
	}
	return DeleteFile204Response{}, nil
}

func fileModel(file preflightjob.File) UploadedFile {
	return UploadedFile{FileID: file.ID, SHA256: file.SHA256, Bytes: file.Bytes, ExpiresAt: respond.Instant(file.ExpiresAt)}
}

// fileProblem returns the problem of an error of uploaded files, or nil for any other error.
func fileProblem(err error) *problem.Problem {
	var refused *problem.Problem
	var exceeded *preflightjob.StorageExceededError
	var fault *preflightjob.FileFaultError
	switch {
	case errors.As(err, &refused):
		return refused
	case errors.As(err, &exceeded):
		p := problem.New(problem.CodeFileStorageExceeded, "Your organization may store %d bytes of files and has stored %d.", exceeded.Limit, exceeded.Bytes).
			After(exceeded.Wait)
		p.Limited = &problem.Limited{Limit: exceeded.Limit, Remaining: max(0, exceeded.Limit-exceeded.Bytes), Resets: exceeded.Frees}
		return p
	case errors.As(err, &fault):
		return problem.New(problem.CodeFilesUnavailable, "The file could not be stored, scanned or deleted. A failed upload leaves nothing behind.").After(retryFiles).With(err)
	case errors.Is(err, preflightjob.ErrFilesDisabled):
		return problem.New(problem.CodeFilesDisabled, "This installation accepts no uploads.")
	case errors.Is(err, preflightjob.ErrFileTooLarge):
		return problem.New(problem.CodePayloadTooLarge, "The file is larger than %d bytes.", int64(safehttp.DefaultMaxBytes))
	case errors.Is(err, preflightjob.ErrFileEmpty):
		return problem.New(problem.CodeInvalidRequest, "The file is empty.")
	case errors.Is(err, preflightjob.ErrFileInfected):
		return problem.New(problem.CodeFileRejected, "The virus scanner rejects the file. It was not stored.")
	case errors.Is(err, preflightjob.ErrFileForbidden):
		return problem.New(problem.CodeCapabilityNotEntitled, "Your access ended during the upload. The response to another request gives the reason.")
	default:
		return nil
	}
}
