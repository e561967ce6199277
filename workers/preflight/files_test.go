// SPDX-License-Identifier: Apache-2.0

package preflight_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/pkg/preflight/sandbox"
	"github.com/printmarket/printmarket/test/redistest"
	"github.com/printmarket/printmarket/test/storetest"
	"github.com/printmarket/printmarket/workers/preflight"
)

// upload stores the flyer for acme and submits a job for it.
func (f *fixture) upload() (fileID, jobID string) {
	f.Helper()
	file, err := f.Files.Upload(f.Context(), acme, preflightjob.Upload{Content: strings.NewReader(content), Bytes: -1, Allowed: func() bool { return true }})
	f.must(err)
	submitted, err := f.Submit(f.Context(), acme, preflightjob.Request{FileID: file.ID, Profile: storetest.Profile}, 10)
	f.must(err)
	return file.ID, submitted.Job.ID
}

func TestUploadedFileIsInspectedInPlace(t *testing.T) {
	t.Parallel()
	f := newFixture(t, redistest.Mini(t))
	_, id := f.upload()
	read := make(chan string, 1)
	f.start("w1", func(c *preflight.Config) {
		c.Fetch = func(context.Context, string, io.Writer) error { return errors.New("a fetch of an uploaded file") }
		c.Inspect = func(_ context.Context, spec sandbox.Spec) (sandbox.Inspected, error) {
			text, err := io.ReadAll(io.NewSectionReader(spec.File, 0, 1<<20))
			if _, writeErr := spec.File.WriteString("x"); writeErr == nil {
				err = errors.New("the file can be written")
			}
			read <- string(text)
			return goodReport(), err
		}
	})
	if job := f.ended(id); job.Status != preflightjob.Succeeded {
		t.Errorf("job %+v, want succeeded", job)
	}
	if got := <-read; got != content {
		t.Errorf("the inspection has read %q, want %q", got, content)
	}
}

func TestJobOfADeletedFileFailsAtOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t, redistest.Mini(t))
	file, id := f.upload()
	f.must(f.Files.Delete(t.Context(), acme, file))
	f.start("w1")
	if job := f.ended(id); job.Failure.Code != preflightjob.FileUnavailable || job.Tries != 1 {
		t.Errorf("the job ends with %q after %d tries, want %s after one", job.Failure.Code, job.Tries, preflightjob.FileUnavailable)
	}
}

func TestFileOpensForItsTenantOnlyAndAfterItsExpiry(t *testing.T) {
	t.Parallel()
	now := time.Now()
	jobs := storetest.NewJobs(t, redistest.Mini(t), func() time.Time { return now })
	f := &fixture{t, jobs}
	id, _ := f.upload()
	now = now.Add(25 * time.Hour)
	file, err := f.Files.Open(t.Context(), acme, id)
	if err != nil {
		t.Fatalf("Open after the expiry: %v", err)
	}
	_ = file.Close()
	for _, stranger := range []tenant.ID{{Organization: acme.Organization, Mode: tenant.Test}, {Organization: "org_stark1", Mode: tenant.Live}} {
		if _, err := f.Files.Open(t.Context(), stranger, id); !errors.Is(err, preflightjob.ErrFileMissing) {
			t.Errorf("Open as %s = %v, want ErrFileMissing", stranger, err)
		}
	}
}
