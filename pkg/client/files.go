// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/printmarket/printmarket/pkg/client/preflightapi"
)

const (
	routeFiles = "/api/v1/files"
	routeFile  = "/api/v1/files/{fileId}"

	// maxFile is the largest file, and minRate the fewest bytes per second, that the API
	// accepts.
	maxFile = 256 << 20
	minRate = 64 << 10
)

// UploadFile uploads a PDF without a public URL. Submit a job with its FileID before it
// expires. size is the number of bytes of content; -1 if it is unknown. One attempt has the time
// for the slowest rate that the API accepts, in addition to the [RetryPolicy]'s AttemptTimeout.
// UploadFile never retries, because content can be read once; repeat the call with the content
// from its start. It does not close content.
func (c *Client) UploadFile(ctx context.Context, content io.Reader, size int64) (UploadedFile, error) {
	const operation = "UploadFile"
	if size < -1 || size == 0 || size > maxFile {
		return UploadedFile{}, argumentFault(operation, &ArgumentError{Argument: "size", Reason: "is not 1 to 268435456 bytes, or -1"})
	}
	longest := size
	if size < 0 {
		longest = maxFile
	}
	file, header, err := do[UploadedFile](ctx, c, sending{
		operation: operation, route: routeFiles, want: http.StatusCreated, transfer: time.Duration(longest) * time.Second / minRate,
		send: func(ctx context.Context) (*http.Response, error) {
			// The transport would close a content that is an io.Closer.
			return c.preflight.UploadFileWithBody(ctx, "application/pdf", io.NopCloser(content), func(_ context.Context, r *http.Request) error {
				r.ContentLength = size
				return nil
			})
		},
	})
	if err == nil && file.FileID == "" {
		err = unnamed(operation, "", http.StatusCreated, header)
	}
	return file, err
}

// File reads the properties of an uploaded file that has not expired.
func (c *Client) File(ctx context.Context, id string) (UploadedFile, error) {
	const operation = "File"
	if err := checkID(id); err != nil {
		return UploadedFile{}, argumentFault(operation, err)
	}
	file, _, err := do[UploadedFile](ctx, c, sending{
		operation: operation, route: routeFile, want: http.StatusOK,
		send: func(ctx context.Context) (*http.Response, error) { return c.preflight.GetFile(ctx, id) },
	})
	return file, err
}

// DeleteFile deletes an uploaded file. Jobs that have not read it yet fail.
func (c *Client) DeleteFile(ctx context.Context, id string) error {
	const operation = "DeleteFile"
	if err := checkID(id); err != nil {
		return argumentFault(operation, err)
	}
	_, _, err := do[preflightapi.FileID](ctx, c, sending{
		operation: operation, route: routeFile, want: http.StatusNoContent,
		send: func(ctx context.Context) (*http.Response, error) { return c.preflight.DeleteFile(ctx, id) },
	})
	return err
}
