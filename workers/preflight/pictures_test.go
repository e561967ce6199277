// SPDX-License-Identifier: Apache-2.0

package preflight_test

import (
	"context"
	"errors"
	"image"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/pkg/preflight/pageimage"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/pkg/preflight/sandbox"
	"github.com/printmarket/printmarket/test/redistest"
	"github.com/printmarket/printmarket/workers/preflight"
)

// pictures returns a set with one page.
func pictures(t *testing.T) []byte {
	t.Helper()
	var w pageimage.Writer
	if ok, err := w.Add(pageimage.Page{Number: 1, Width: 16, Height: 8, Inks: []string{}}, image.NewGray(image.Rect(0, 0, 32, 16)), nil); !ok || err != nil {
		t.Fatalf("w.Add = %t, %v", ok, err)
	}
	set, err := w.Bytes()
	if err != nil {
		t.Fatalf("w.Bytes: %v", err)
	}
	return set
}

// pictured returns an inspection with pictures, if the worker requests them.
func pictured(set []byte) preflight.Inspect {
	return func(_ context.Context, spec sandbox.Spec) (sandbox.Inspected, error) {
		made := goodReport()
		if spec.Pictures {
			made.Pictures = set
		}
		return made, nil
	}
}

func TestPicturesAreStoredWithTheJob(t *testing.T) {
	t.Parallel()
	f := newFixture(t, redistest.Mini(t))
	id := f.submitFile(preflightjob.Request{FileURL: flyerURL, Fixes: preflightjob.FixAuto})
	set := pictures(t)
	f.start("w1", func(c *preflight.Config) {
		c.Inspect = pictured(set)
		c.Fix = func(ctx context.Context, spec sandbox.Spec, fixes []report.Fix) ([]byte, report.FixLog, error) {
			if spec.Pictures {
				return nil, report.FixLog{}, errors.New("pictures of a fix")
			}
			return oneFix(ctx, spec, fixes)
		}
	})
	job := f.ended(id)
	if job.Status != preflightjob.Succeeded || job.Summary.Pictures == nil || job.Summary.Pictures.Pages != 1 || job.Summary.Fix.FileID == "" {
		t.Fatalf("job = %+v, %+v, want it succeeded with pictures of one page, and a fixed file", job, job.Summary)
	}
	row, err := f.SQLite.File(t.Context(), acme, job.Summary.Pictures.FileID)
	if err != nil || row.Kind != preflightjob.PictureFile || row.Bytes != int64(len(set)) || !row.ExpiresAt.Equal(job.ExpiresAt) {
		t.Errorf("row = %+v, %v, want the pictures, with the expiry of the job", row, err)
	}
	if _, err := f.Files.Open(t.Context(), acme, row.ID); !errors.Is(err, preflightjob.ErrFileMissing) {
		t.Errorf("pictures opened as a file: error = %v, want ErrFileMissing", err)
	}
}

func TestJobSucceedsWithoutItsPictures(t *testing.T) {
	t.Parallel()
	refuse := func(err error) func(*watchedFiles) {
		return func(w *watchedFiles) {
			w.keep = func(context.Context, tenant.ID, preflightjob.FileKind, io.Reader, int64) (preflightjob.File, error) {
				return preflightjob.File{}, err
			}
		}
	}
	tests := map[string]struct {
		set     []byte
		arrange func(*watchedFiles)
	}{
		"when the inspector makes none":            {nil, func(*watchedFiles) {}},
		"when the inspector writes something else": {[]byte("PK"), func(*watchedFiles) {}},
		"when the organization has no room":        {pictures(t), refuse(&preflightjob.StorageExceededError{Kind: preflightjob.PictureFile})},
		"when the storage fails":                   {pictures(t), refuse(&preflightjob.FileFaultError{Err: errors.New("disk full")})},
		"when the worker stores no files":          {pictures(t), func(w *watchedFiles) { w.Files = preflightjob.NewFiles(preflightjob.FilesConfig{}) }},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, redistest.Mini(t))
			id := f.submit()
			files := &watchedFiles{Files: f.Files}
			tc.arrange(files)
			f.start("w1", func(c *preflight.Config) { c.Inspect, c.Files = pictured(tc.set), files })
			job := f.ended(id)
			if job.Status != preflightjob.Succeeded || job.Verdict != preflightjob.Warn || job.Tries != 1 || job.Summary != nil {
				t.Errorf("job = %+v, %+v, want it succeeded after one try, without pictures", job, job.Summary)
			}
		})
	}
}

func TestPicturesOfAJobThatEndsWithoutThemAreRemoved(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		// meanwhile happens between the pictures and the end of the job.
		meanwhile func(f *fixture, id string)
		status    preflightjob.Status
		fixed     bool
	}{
		"a cancelled job": {func(f *fixture, id string) {
			_, err := f.Cancel(f.Context(), acme, id)
			f.must(err)
		}, preflightjob.Cancelled, false},
		"an organization that stores other pictures meanwhile": {func(f *fixture, _ string) {
			now := time.Now().UTC().Truncate(time.Millisecond)
			f.must(f.SQLite.AddFile(f.Context(), preflightjob.File{
				ID: recordid.First(preflightjob.FilePrefix, now), Kind: preflightjob.PictureFile, Tenant: acme, SHA256: "0f", Bytes: 1 << 30,
				CreatedAt: now, ExpiresAt: now.Add(time.Hour),
			}, 1<<40))
		}, preflightjob.Succeeded, true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, redistest.Mini(t))
			id := f.submitFile(preflightjob.Request{FileURL: flyerURL, Fixes: preflightjob.FixAuto})
			files := &watchedFiles{Files: f.Files}
			files.keep = func(ctx context.Context, owner tenant.ID, kind preflightjob.FileKind, content io.Reader, bytes int64) (preflightjob.File, error) {
				file, err := f.Files.Keep(ctx, owner, kind, content, bytes)
				if kind == preflightjob.PictureFile {
					tc.meanwhile(f, id)
				}
				return file, err
			}
			r := f.start("w1", func(c *preflight.Config) { c.Inspect, c.Fix, c.Files = pictured(pictures(t)), oneFix, files })
			job := f.ended(id)
			r.stop()
			if job.Status != tc.status || job.Summary != nil && (job.Summary.Pictures != nil || job.Summary.Fix.FileID == "") {
				t.Errorf("job = %+v, %+v, want it %s without pictures, and with its fixed file", job, job.Summary, tc.status)
			}
			want := files.kept
			if tc.fixed {
				want = files.kept[:1] // the fixed file stays
			}
			slices.Sort(want)
			slices.Sort(files.discarded)
			if len(want) == 0 || !slices.Equal(want, files.discarded) {
				t.Errorf("discarded %v, want %v", files.discarded, want)
			}
		})
	}
}
