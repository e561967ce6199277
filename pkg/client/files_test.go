// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"image"
	"image/png"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/apiserver/preflightapi"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/pkg/client"
	"github.com/printmarket/printmarket/pkg/preflight/pageimage"
	"github.com/printmarket/printmarket/pkg/preflight/report"
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

func TestCopiesAreDownloadedWithTheFixLogAndTheComparison(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.client(t, "acme-test")
	file, err := c.UploadFile(t.Context(), strings.NewReader("%PDF"), 4)
	if err != nil {
		t.Fatalf("UploadFile: %v", err)
	}
	earlier, err := c.SubmitPreflight(t.Context(), client.PreflightSubmit{FileID: file.FileID, Profile: "print_ready", Fix: client.Fixes{"auto"}})
	if err != nil {
		t.Fatalf("SubmitPreflight: %v", err)
	}
	job, err := c.SubmitPreflight(t.Context(), client.PreflightSubmit{
		FileID: file.FileID, Profile: "print_ready", Fix: client.Fixes{"bleed", "actions"}, CompareWith: earlier.JobID, Annotate: "en",
		Output: &client.PrintingCondition{Condition: "FOGRA51"},
	})
	if err != nil || !slices.Equal(job.Fix, client.Fixes{"bleed", "actions"}) || !slices.Equal(earlier.Fix, client.Fixes{"auto"}) || job.CompareWith != earlier.JobID {
		t.Fatalf("SubmitPreflight = %+v after %+v, %v, want the fixes and the earlier job", job, earlier, err)
	}
	if err := c.DownloadFixedFile(t.Context(), job.JobID, io.Discard); !client.IsCode(err, client.CodePreflightReportNotReady) {
		t.Errorf("DownloadFixedFile of a queued job: %v, want PREFLIGHT_REPORT_NOT_READY", err)
	}
	content := bytes.Repeat([]byte("%PDF "), 100_000)
	fixed, err := h.Files.Keep(t.Context(), h.Tenant("acme-test"), preflightjob.PartnerFile, bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatalf("Keep: %v", err)
	}
	annotated, err := h.Files.Keep(t.Context(), h.Tenant("acme-test"), preflightjob.PartnerFile, strings.NewReader("%PDF commented"), 14)
	if err != nil {
		t.Fatalf("Keep: %v", err)
	}
	if _, err := h.Jobs.Begin(t.Context(), job.JobID, 1, "w1"); err != nil {
		t.Fatalf("Begin: %v", err)
	}
	if _, err := h.Jobs.Finish(t.Context(), job.JobID, 1, "w1", preflightjob.Result{
		Report: preflightapi.SimulatedReport(preflightjob.Warn), Verdict: preflightjob.Warn,
		Annotated: &preflightjob.Annotated{File: &annotated},
		Fixed: &preflightjob.Fixed{File: &fixed, Log: report.FixLog{
			Version: report.FixVersion, Before: described, After: described,
			Applied: []report.AppliedFix{{Fix: report.FixBleed, Changes: []report.ObjectChange{}}}, Skipped: []report.SkippedFix{},
		}},
		Comparison: &report.Comparison{
			Version: report.ComparisonVersion, Before: described, After: described, Failure: "TIME_LIMIT", Document: []report.Change{}, Changed: []report.PageChange{},
			Fonts: noNames, Colors: noNames, Inks: noNames, Layers: noNames,
		},
	}); err != nil {
		t.Fatalf("Finish: %v", err)
	}
	var got bytes.Buffer
	if err := c.DownloadFixedFile(t.Context(), job.JobID, &got); err != nil || !bytes.Equal(got.Bytes(), content) {
		t.Errorf("DownloadFixedFile = %d bytes, %v, want %d", got.Len(), err, len(content))
	}
	got.Reset()
	if err := c.DownloadAnnotatedFile(t.Context(), job.JobID, &got); err != nil || got.String() != "%PDF commented" {
		t.Errorf("DownloadAnnotatedFile = %q, %v, want the copy", got.String(), err)
	}
	if err := c.DownloadAnnotatedFile(t.Context(), "../x", io.Discard); err == nil {
		t.Error("DownloadAnnotatedFile with an invalid id succeeds, want an error")
	}
	if log, err := c.PreflightFixes(t.Context(), job.JobID); err != nil || len(log.Applied) != 1 || log.Applied[0].Fix != "bleed" {
		t.Errorf("PreflightFixes = %+v, %v, want the applied bleed", log, err)
	}
	if made, err := c.PreflightComparison(t.Context(), job.JobID); err != nil || made.Failure != "TIME_LIMIT" {
		t.Errorf("PreflightComparison = %+v, %v, want the failure TIME_LIMIT", made, err)
	}
	full := errors.New("disk full")
	if err := c.DownloadFixedFile(t.Context(), job.JobID, failingWriter{full}); !errors.Is(err, full) {
		t.Errorf("DownloadFixedFile to a full disk: %v, want its error", err)
	}
	if err := c.DownloadFixedFile(t.Context(), "../x", io.Discard); err == nil {
		t.Error("DownloadFixedFile with an invalid id succeeds, want an error")
	}
}

var (
	described = report.File{SHA256: strings.Repeat("0f", 32), Bytes: 4}
	noNames   = report.Names{Removed: []string{}, Added: []string{}}
)

// failingWriter fails with its error.
type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

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

func TestPicturesAndLinksOfAJob(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.client(t, "acme-test")
	job, err := c.SubmitPreflight(t.Context(), client.PreflightSubmit{FileURL: "https://files.example.com/a.pdf", Profile: "print_ready"})
	if err != nil {
		t.Fatalf("SubmitPreflight: %v", err)
	}
	var w pageimage.Writer
	gold := image.NewGray(image.Rect(0, 0, 64, 32))
	if ok, err := w.Add(pageimage.Page{Number: 3, Width: 128, Height: 64, Inks: []string{"Gold 871"}}, gold, []*image.Gray{gold}); !ok || err != nil {
		t.Fatalf("w.Add = %t, %v", ok, err)
	}
	set, err := w.Bytes()
	if err != nil {
		t.Fatalf("w.Bytes: %v", err)
	}
	file, err := h.Files.Keep(t.Context(), h.Tenant("acme-test"), preflightjob.PictureFile, bytes.NewReader(set), int64(len(set)))
	if err != nil {
		t.Fatalf("Keep: %v", err)
	}
	if _, err := h.Jobs.Begin(t.Context(), job.JobID, 1, "w1"); err != nil {
		t.Fatalf("Begin: %v", err)
	}
	if _, err := h.Jobs.Finish(t.Context(), job.JobID, 1, "w1", preflightjob.Result{
		Report: preflightapi.SimulatedReport(preflightjob.Warn), Verdict: preflightjob.Warn, Pictures: &preflightjob.Pictures{File: file, Pages: 1},
	}); err != nil {
		t.Fatalf("Finish: %v", err)
	}
	pages, err := c.PagePictures(t.Context(), job.JobID)
	if err != nil || len(pages) != 1 || pages[0].Page != 3 || pages[0].PixelWidth != 64 || !slices.Equal(pages[0].Inks, []string{"Gold 871"}) {
		t.Fatalf("PagePictures = %+v, %v, want page 3 with one ink", pages, err)
	}
	for width, of := range map[int]client.PictureOf{64: {Page: 3}, 16: {Page: 3, Layer: "Gold 871", Width: 16}} {
		var got bytes.Buffer
		if err := c.DownloadPagePicture(t.Context(), job.JobID, of, &got); err != nil {
			t.Errorf("DownloadPagePicture(%+v): %v", of, err)
			continue
		}
		if drawn, err := png.Decode(&got); err != nil || drawn.Bounds().Dx() != width {
			t.Errorf("DownloadPagePicture(%+v) = %v, %v, want a picture %d pixels wide", of, drawn, err, width)
		}
	}
	if err := c.DownloadPagePicture(t.Context(), job.JobID, client.PictureOf{Page: 4}, io.Discard); !client.IsCode(err, client.CodeNotFound) {
		t.Errorf("DownloadPagePicture of page 4: %v, want NOT_FOUND", err)
	}
	share, err := c.SharePreflight(t.Context(), job.JobID, time.Hour)
	if err != nil || share.URL == "" || share.ExpiresAt.Sub(share.CreatedAt) != time.Hour {
		t.Fatalf("SharePreflight = %+v, %v, want a link for an hour", share, err)
	}
	if shares, err := c.PreflightShares(t.Context(), job.JobID); err != nil || len(shares) != 1 || shares[0].ShareID != share.ShareID {
		t.Errorf("PreflightShares = %+v, %v, want the link", shares, err)
	}
	if err := c.RevokePreflightShare(t.Context(), job.JobID, share.ShareID); err != nil {
		t.Errorf("RevokePreflightShare: %v", err)
	}
	if shares, err := c.PreflightShares(t.Context(), job.JobID); err != nil || len(shares) != 0 {
		t.Errorf("PreflightShares after RevokePreflightShare = %+v, %v, want none", shares, err)
	}
	if err := c.DownloadPagePicture(t.Context(), "../x", client.PictureOf{Page: 1}, io.Discard); err == nil {
		t.Error("DownloadPagePicture with an invalid id succeeds, want an error")
	}
}
