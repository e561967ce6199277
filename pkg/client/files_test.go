// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/pkg/client"
)

// closing reports that it was closed.
type closing struct {
	io.Reader
	closed bool
}

func (c *closing) Close() error { c.closed = true; return nil }

func TestUploadedFileIsSubmittedReadAndDeleted(t *testing.T) {
	t.Parallel()
	content := bytes.Repeat([]byte("%PDF "), 100_000)
	digest := sha256.Sum256(content)
	for name, size := range map[string]int64{"of a known size": int64(len(content)), "of an unknown size": -1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newTestServer(t)
			c := h.client(t, "acme-test")
			body := &closing{Reader: bytes.NewReader(content)}
			file, err := c.UploadFile(t.Context(), body, size)
			if err != nil {
				t.Fatalf("UploadFile: %v", err)
			}
			if file.Bytes != int64(len(content)) || file.SHA256 != hex.EncodeToString(digest[:]) || file.ExpiresAt.IsZero() {
				t.Errorf("file %+v, want %d bytes with the digest %x", file, len(content), digest)
			}
			if got := h.requests()[0].ContentLength; got != size {
				t.Errorf("Content-Length = %d, want %d", got, size)
			}
			if body.closed {
				t.Error("UploadFile has closed the content, want it open")
			}
			if read, err := c.File(t.Context(), file.FileID); err != nil || !read.ExpiresAt.Equal(file.ExpiresAt) || read.SHA256 != file.SHA256 {
				t.Errorf("File = %+v, %v, want %+v", read, err, file)
			}
			submitted, err := c.SubmitPreflight(t.Context(), client.PreflightSubmit{FileID: file.FileID, Profile: "sim:succeeded:pass"})
			if err != nil || submitted.FileID != file.FileID || submitted.FileURL != "" {
				t.Errorf("SubmitPreflight = %+v, %v, want the file %s", submitted, err, file.FileID)
			}
			if err := c.DeleteFile(t.Context(), file.FileID); err != nil {
				t.Errorf("DeleteFile: %v", err)
			}
			if _, err := c.File(t.Context(), file.FileID); !client.IsCode(err, client.CodeNotFound) {
				t.Errorf("File after DeleteFile: %v, want NOT_FOUND", err)
			}
		})
	}
}

func TestUploadIsNotRetried(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	h.disturbed(func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { w.WriteHeader(http.StatusBadGateway) })
	_, err := h.client(t, "acme-live").UploadFile(t.Context(), strings.NewReader("%PDF"), 4)
	var failed *client.CallError
	if !errors.As(err, &failed) || failed.Attempts != 1 || len(h.requests()) != 1 {
		t.Errorf("UploadFile = %v after %d requests, want an error after one", err, len(h.requests()))
	}
}

func TestUploadOfAnImpossibleSizeIsNotSent(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	for _, size := range []int64{0, -2, 256<<20 + 1} {
		_, err := h.client(t, "acme-live").UploadFile(t.Context(), strings.NewReader("%PDF"), size)
		var argument *client.ArgumentError
		if !errors.As(err, &argument) || len(h.requests()) > 0 {
			t.Errorf("UploadFile of %d bytes = %v after %d requests, want an ArgumentError and none", size, err, len(h.requests()))
		}
	}
}

func TestUploadThatEndsEarlyFails(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	if file, err := h.client(t, "acme-live").UploadFile(t.Context(), strings.NewReader("%PDF"), 5); err == nil {
		t.Errorf("UploadFile of 4 of 5 bytes = %+v, want an error", file)
	}
}
