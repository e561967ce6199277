// SPDX-License-Identifier: Apache-2.0

package preflight_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/pkg/preflight/sandbox"
	"github.com/printmarket/printmarket/test/redistest"
	"github.com/printmarket/printmarket/test/storetest"
	"github.com/printmarket/printmarket/workers/preflight"
)

// scripted is a file with a script and without a bleed; the colour of its artwork is given.
func scripted(color string) []byte {
	s := pdftest.NewSound()
	page := s.Page(color+" k 0 0 700 1000 re f\n", "")
	page.Bleed, page.Media = nil, page.Trim
	s.Catalog += " /OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >>"
	return s.Bytes(page)
}

// uploadOf stores a file for acme and returns its id.
func (f *fixture) uploadOf(data []byte) string {
	f.Helper()
	file, err := f.Files.Upload(f.Context(), acme, preflightjob.Upload{Content: bytes.NewReader(data), Bytes: -1, Allowed: func() bool { return true }})
	f.must(err)
	return file.ID
}

func (f *fixture) submitFile(request preflightjob.Request) string {
	f.Helper()
	request.Profile = storetest.Profile
	submitted, err := f.Submit(f.Context(), acme, request, 10)
	f.must(err)
	return submitted.Job.ID
}

func (f *fixture) fixLog(id string) report.FixLog {
	f.Helper()
	stored, err := f.FixLog(f.Context(), acme, id)
	f.must(err)
	log, _, err := report.DecodeFix(slices.Concat([]byte{byte(len(stored) >> 24), byte(len(stored) >> 16), byte(len(stored) >> 8), byte(len(stored))}, stored))
	f.must(err)
	return log
}

func (f *fixture) comparison(id string) report.Comparison {
	f.Helper()
	stored, err := f.Comparison(f.Context(), acme, id)
	f.must(err)
	made, err := report.DecodeComparison(stored)
	f.must(err)
	return made
}

// realSandbox lets a worker start the inspector.
func realSandbox(t *testing.T) func(*preflight.Config) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "inspector")
	build := exec.Command("go", "build", "-trimpath", "-o", path, "../inspector")
	build.Env = append(build.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the inspector: %v\n%s", err, out)
	}
	return func(c *preflight.Config) {
		c.Inspector = sandbox.Inspector{Path: path}
		c.Inspect, c.Fix, c.Compare, c.Annotate = sandbox.Run, sandbox.Fix, sandbox.Compare, sandbox.Annotate
	}
}

func TestFileIsFixedAndComparedInTheSandbox(t *testing.T) {
	t.Parallel()
	f := newFixture(t, redistest.Mini(t))
	before := scripted("1 0.2 0 0")
	earlier := f.submitFile(preflightjob.Request{FileID: f.uploadOf(before), Fixes: preflightjob.FixAuto})
	after := f.submitFile(preflightjob.Request{FileID: f.uploadOf(scripted("0 0.2 1 0")), CompareWith: earlier})
	fetched := f.submitFile(preflightjob.Request{FileURL: flyerURL, Fixes: preflightjob.FixesOf("actions")})
	f.start("w1", realSandbox(t), fetches(func(_ context.Context, _ string, to io.Writer) error {
		_, err := to.Write(before)
		return err
	}))

	job := f.ended(earlier)
	if job.Status != preflightjob.Succeeded || job.Verdict == preflightjob.Pass {
		t.Fatalf("job = %+v, want it succeeded with findings about the file as sent", job)
	}
	log := f.fixLog(earlier)
	want := &preflightjob.FixSummary{Applied: []report.Fix{report.FixBleed, report.FixActions}, Skipped: []report.Fix{}, FileID: job.Summary.Fix.FileID}
	if diff := cmp.Diff(want, job.Summary.Fix); diff != "" || len(log.Applied) != 2 || want.FileID == "" {
		t.Errorf("summary (-want +got):\n%s\nlog %+v", diff, log)
	}
	row, content, err := f.FixedFile(t.Context(), acme, earlier)
	if err != nil {
		t.Fatalf("FixedFile: %v", err)
	}
	defer func() { _ = content.Close() }()
	fixed, err := io.ReadAll(content)
	if err != nil || !bytes.HasPrefix(fixed, before) || len(fixed) == len(before) || row.SHA256 != log.After.SHA256 || row.Bytes != int64(len(fixed)) {
		t.Errorf("fixed file of %d bytes, %v, row %+v, log %+v; want the file with the update that the log describes", len(fixed), err, row, log.After)
	}

	// The fixed file can be submitted, and compared with the file before.
	again := f.submitFile(preflightjob.Request{FileID: row.ID, CompareWith: earlier})
	if job := f.ended(again); job.Verdict != preflightjob.Pass {
		t.Errorf("verdict of the fixed file = %s, want pass", job.Verdict)
	}
	if made := f.comparison(again); made.After.SHA256 != row.SHA256 || made.Failure != "" {
		t.Errorf("comparison = %+v, want the fixed file after the change", made)
	}

	f.ended(after)
	if made := f.comparison(after); made.Same || !made.Complete || len(made.Changed) != 1 || made.Before.SHA256 != log.Before.SHA256 {
		t.Errorf("comparison = %+v, want other inks on one page", made)
	}
	if got := f.job(after).Summary; got.Fix != nil || *got.Comparison != (preflightjob.ComparisonSummary{Complete: true, Pages: 1}) {
		t.Errorf("summary = %+v, want a comparison with one page", got)
	}

	f.ended(fetched)
	if log := f.fixLog(fetched); len(log.Applied) != 1 || log.Applied[0].Fix != report.FixActions {
		t.Errorf("log of the fetched file = %+v, want the removed actions", log)
	}
	// The fetched file was not kept, but its fixed file was.
	last := f.submitFile(preflightjob.Request{FileID: row.ID, CompareWith: fetched})
	f.ended(last)
	if made := f.comparison(last); made.Before.SHA256 != f.fixLog(fetched).After.SHA256 {
		t.Errorf("compared with %s, want the fixed file of the fetched one", made.Before.SHA256)
	}
}

// update is an update that the storage accepts.
var update = []byte("\nstartxref\n0\n%%EOF\n")

// oneFix is a fix of the sandbox for any file.
func oneFix(context.Context, sandbox.Spec, []report.Fix) ([]byte, report.FixLog, error) {
	return update, report.FixLog{Version: report.FixVersion, Applied: []report.AppliedFix{{Fix: report.FixBleed}}, Skipped: []report.SkippedFix{}}, nil
}

// watchedFiles records which files a worker keeps and discards.
type watchedFiles struct {
	*preflightjob.Files
	// keep replaces Keep unless it is nil.
	keep func(context.Context, tenant.ID, preflightjob.FileKind, io.Reader, int64) (preflightjob.File, error)

	mu              sync.Mutex
	kept, discarded []string
}

func (w *watchedFiles) Keep(ctx context.Context, owner tenant.ID, kind preflightjob.FileKind, content io.Reader, bytes int64) (preflightjob.File, error) {
	keep := w.Files.Keep
	if w.keep != nil {
		keep = w.keep
	}
	file, err := keep(ctx, owner, kind, content, bytes)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.kept = append(w.kept, file.ID)
	return file, err
}

func (w *watchedFiles) Discard(file preflightjob.File) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.discarded = append(w.discarded, file.ID)
	return w.Files.Discard(file)
}

func TestJobSucceedsWithItsReportWhenAFixFails(t *testing.T) {
	t.Parallel()
	engine := func(reason error) preflight.Fix {
		return func(context.Context, sandbox.Spec, []report.Fix) ([]byte, report.FixLog, error) {
			return nil, report.FixLog{}, &sandbox.Error{Reason: reason, Detail: "as it died"}
		}
	}
	automatic := slices.DeleteFunc(report.Fixes(), func(fix report.Fix) bool { return fix == report.FixScale || fix == report.FixStretch })
	tests := map[string]struct {
		fixes preflightjob.Fixes
		fix   preflight.Fix
		keep  error
		want  []report.Fix
		code  string
	}{
		"a fix that takes too long":        {preflightjob.FixesOf("bleed", "trim"), engine(sandbox.ErrTimeLimit), nil, []report.Fix{report.FixBleed, report.FixTrim}, "TIME_LIMIT"},
		"a fix that needs too much memory": {preflightjob.FixAuto, engine(sandbox.ErrMemoryLimit), nil, automatic, "MEMORY_LIMIT"},
		"a log that is too long":           {preflightjob.FixAuto, engine(sandbox.ErrOutputLimit), nil, automatic, "OUTPUT_LIMIT"},
		"a crash":                          {preflightjob.FixesOf("trim"), engine(sandbox.ErrCrash), nil, []report.Fix{report.FixTrim}, "ENGINE_CRASH"},
		"an organization without room":     {preflightjob.FixAuto, oneFix, &preflightjob.StorageExceededError{}, []report.Fix{report.FixBleed}, "FILE_STORAGE_EXCEEDED"},
		"a virus":                          {preflightjob.FixAuto, oneFix, preflightjob.ErrFileInfected, []report.Fix{report.FixBleed}, "FILE_REJECTED"},
		"a fixed file that is too large":   {preflightjob.FixAuto, oneFix, preflightjob.ErrFileTooLarge, []report.Fix{report.FixBleed}, "FILE_TOO_LARGE"},
		"a worker without storage":         {preflightjob.FixAuto, oneFix, preflightjob.ErrFilesDisabled, []report.Fix{report.FixBleed}, "FILES_DISABLED"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, redistest.Mini(t))
			id := f.submitFile(preflightjob.Request{FileURL: flyerURL, Fixes: tc.fixes})
			files := &watchedFiles{Files: f.Files, keep: func(context.Context, tenant.ID, preflightjob.FileKind, io.Reader, int64) (preflightjob.File, error) {
				return preflightjob.File{}, tc.keep
			}}
			f.start("w1", func(c *preflight.Config) { c.Fix, c.Files = tc.fix, files })
			job := f.ended(id)
			if job.Status != preflightjob.Succeeded || job.Verdict != preflightjob.Warn || job.Tries != 1 {
				t.Fatalf("job = %+v, want it succeeded after one try", job)
			}
			if diff := cmp.Diff(&preflightjob.FixSummary{Applied: []report.Fix{}, Skipped: tc.want}, job.Summary.Fix); diff != "" {
				t.Errorf("summary (-want +got):\n%s", diff)
			}
			for _, skipped := range f.fixLog(id).Skipped {
				if skipped.Reason != report.FixFailed || skipped.Detail != tc.code {
					t.Errorf("skipped = %+v, want the reason %s with %s", skipped, report.FixFailed, tc.code)
				}
			}
			var missing *preflightjob.NoDocumentError
			if _, _, err := f.FixedFile(t.Context(), acme, id); !errors.As(err, &missing) {
				t.Errorf("FixedFile: error = %v, want a NoDocumentError", err)
			}
		})
	}
}

func TestFaultOfTheStorageIsRetried(t *testing.T) {
	t.Parallel()
	f := newFixture(t, redistest.Mini(t))
	id := f.submitFile(preflightjob.Request{FileURL: flyerURL, Fixes: preflightjob.FixAuto})
	files := &watchedFiles{Files: f.Files}
	files.keep = func(ctx context.Context, owner tenant.ID, kind preflightjob.FileKind, content io.Reader, bytes int64) (preflightjob.File, error) {
		if len(files.kept) == 0 {
			return preflightjob.File{}, &preflightjob.FileFaultError{Err: errors.New("disk full")}
		}
		return f.Files.Keep(ctx, owner, kind, content, bytes)
	}
	f.start("w1", func(c *preflight.Config) { c.Fix, c.Files = oneFix, files })
	job := f.ended(id)
	if job.Status != preflightjob.Succeeded || job.Tries != 2 || job.Summary.Fix.FileID != files.kept[1] {
		t.Errorf("job = %+v, %+v, want it succeeded at the second try, with the second file of %v", job, job.Summary, files.kept)
	}
}

func TestFixedFileOfAJobThatEndsWithoutItIsRemoved(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		// meanwhile happens between the fix and the end of the job.
		meanwhile func(f *fixture, id string)
		status    preflightjob.Status
	}{
		"a cancelled job": {func(f *fixture, id string) {
			_, err := f.Cancel(f.Context(), acme, id)
			f.must(err)
		}, preflightjob.Cancelled},
		"an organization that stores another file meanwhile": {func(f *fixture, _ string) {
			now := time.Now().UTC().Truncate(time.Millisecond)
			f.must(f.SQLite.AddFile(f.Context(), preflightjob.File{
				ID: recordid.First(preflightjob.FilePrefix, now), Tenant: acme, SHA256: "0f", Bytes: 1 << 30, CreatedAt: now, ExpiresAt: now.Add(time.Hour),
			}, 1<<40))
		}, preflightjob.Succeeded},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, redistest.Mini(t))
			id := f.submitFile(preflightjob.Request{FileURL: flyerURL, Fixes: preflightjob.FixAuto})
			files := &watchedFiles{Files: f.Files}
			files.keep = func(ctx context.Context, owner tenant.ID, kind preflightjob.FileKind, content io.Reader, bytes int64) (preflightjob.File, error) {
				file, err := f.Files.Keep(ctx, owner, kind, content, bytes)
				tc.meanwhile(f, id)
				return file, err
			}
			r := f.start("w1", func(c *preflight.Config) { c.Fix, c.Files = oneFix, files })
			job := f.ended(id)
			r.stop()
			if job.Status != tc.status || job.Summary != nil && job.Summary.Fix.FileID != "" {
				t.Errorf("job = %+v, %+v, want it %s without a fixed file", job, job.Summary, tc.status)
			}
			if len(files.kept) != 1 || !slices.Equal(files.kept, files.discarded) {
				t.Errorf("kept %v, discarded %v, want one file, discarded", files.kept, files.discarded)
			}
			if job.Status == preflightjob.Succeeded && f.fixLog(id).Skipped[0].Detail != "FILE_STORAGE_EXCEEDED" {
				t.Errorf("log = %+v, want FILE_STORAGE_EXCEEDED", f.fixLog(id))
			}
		})
	}
}

func TestJobSucceedsWithItsReportWhenTheComparisonFails(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		compare error
		delete  bool
		want    string
	}{
		"a comparison that takes too long": {&sandbox.Error{Reason: sandbox.ErrTimeLimit}, false, "TIME_LIMIT"},
		"a crash":                          {&sandbox.Error{Reason: sandbox.ErrCrash}, false, "ENGINE_CRASH"},
		"an earlier file that was deleted": {nil, true, "FILE_UNAVAILABLE"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, redistest.Mini(t))
			file, earlier := f.upload()
			id := f.submitFile(preflightjob.Request{FileURL: flyerURL, CompareWith: earlier})
			_, err := f.Cancel(t.Context(), acme, earlier)
			f.must(err)
			if tc.delete {
				f.must(f.Files.Delete(t.Context(), acme, file))
			}
			f.start("w1", func(c *preflight.Config) {
				c.Compare = func(context.Context, sandbox.Spec) (report.Comparison, error) { return report.Comparison{}, tc.compare }
			})
			job := f.ended(id)
			if job.Status != preflightjob.Succeeded || job.Verdict != preflightjob.Warn || *job.Summary.Comparison != (preflightjob.ComparisonSummary{}) {
				t.Errorf("job = %+v, %+v, want it succeeded and neither same nor complete", job, job.Summary)
			}
			if got := f.comparison(id); got.Failure != tc.want || got.Same || got.Complete {
				t.Errorf("comparison = %+v, want the failure %s", got, tc.want)
			}
		})
	}
}

func TestFixedFileHasThePrintingConditionOfTheJob(t *testing.T) {
	t.Parallel()
	f := newFixture(t, redistest.Mini(t))
	profile, err := os.ReadFile("/usr/share/color/icc/ghostscript/default_cmyk.icc")
	if err != nil {
		t.Fatalf("os.ReadFile: %v (run make setup)", err)
	}
	// The sound file without its output intent.
	flawed := bytes.Replace(scripted("1 0.2 0 0"), []byte("/OutputIntents"), []byte("/OutputIntentZ"), 1)
	id := f.submitFile(preflightjob.Request{
		FileID: f.uploadOf(flawed), Fixes: preflightjob.FixesOf("intent"), Output: &preflightjob.Output{ProfileFile: f.uploadOf(profile), Condition: "HOUSE"},
	})
	f.start("w1", realSandbox(t))
	f.ended(id)
	if log := f.fixLog(id); len(log.Applied) != 1 || log.Applied[0].Fix != report.FixIntent || log.After.Bytes < int64(len(flawed)+len(profile)/4) {
		t.Fatalf("log = %+v, want the embedded output intent", log)
	}
	fixed := f.submitFile(preflightjob.Request{FileID: f.job(id).Summary.Fix.FileID})
	f.ended(fixed)
	text, err := f.Report(t.Context(), acme, fixed)
	f.must(err)
	made, err := report.Decode(text)
	f.must(err)
	if intents := made.Document.OutputIntents; len(intents) != 1 || intents[0].Condition != "HOUSE" {
		t.Errorf("output intents of the fixed file = %+v, want HOUSE", intents)
	}
}

func TestDeletedICCProfileEndsTheFixNotTheJob(t *testing.T) {
	t.Parallel()
	f := newFixture(t, redistest.Mini(t))
	icc := f.uploadOf([]byte("profile"))
	id := f.submitFile(preflightjob.Request{FileURL: flyerURL, Fixes: preflightjob.FixesOf("intent"), Output: &preflightjob.Output{ProfileFile: icc}})
	f.must(f.Files.Delete(t.Context(), acme, icc))
	f.start("w1")
	if job := f.ended(id); job.Status != preflightjob.Succeeded {
		t.Fatalf("job = %+v, want it succeeded", job)
	}
	if log := f.fixLog(id); len(log.Skipped) != 1 || log.Skipped[0].Detail != "FILE_UNAVAILABLE" {
		t.Errorf("log = %+v, want FILE_UNAVAILABLE", log)
	}
}

func TestFileIsAnnotatedInTheSandbox(t *testing.T) {
	t.Parallel()
	f := newFixture(t, redistest.Mini(t))
	flawed := scripted("1 0.2 0 0")
	id := f.submitFile(preflightjob.Request{FileID: f.uploadOf(flawed), Annotate: "de"})
	broken := f.submitFile(preflightjob.Request{FileID: f.uploadOf([]byte("no PDF")), Annotate: "en"})
	f.start("w1", realSandbox(t))

	job := f.ended(id)
	if job.Summary == nil || job.Summary.Annotated == nil || job.Summary.Annotated.FileID == "" {
		t.Fatalf("job = %+v, %+v, want an annotated copy", job, job.Summary)
	}
	row, content, err := f.AnnotatedFile(t.Context(), acme, id)
	f.must(err)
	defer func() { _ = content.Close() }()
	annotated, err := io.ReadAll(content)
	if err != nil || !bytes.HasPrefix(annotated, flawed) || !bytes.Contains(annotated[len(flawed):], []byte("/Annot")) || row.Bytes != int64(len(annotated)) {
		t.Errorf("annotated copy of %d bytes, %v, row %+v; want the file with annotations at its end", len(annotated), err, row)
	}
	if got := f.ended(broken).Summary.Annotated; got.FileID != "" || got.Reason != report.RefusedUnreadable.Error() {
		t.Errorf("annotated = %+v, want the reason that the file is no PDF", got)
	}
}

func TestJobSucceedsWithItsReportWhenTheAnnotationFails(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		annotate, keep error
		want           string
	}{
		"an annotation that takes too long": {annotate: &sandbox.Error{Reason: sandbox.ErrTimeLimit}, want: "the copy could not be made or stored (TIME_LIMIT)"},
		"a crash":                           {annotate: &sandbox.Error{Reason: sandbox.ErrCrash}, want: "the copy could not be made or stored (ENGINE_CRASH)"},
		"a file without a finding":          {annotate: report.RefusedNothing, want: report.RefusedNothing.Error()},
		"an organization without room":      {keep: &preflightjob.StorageExceededError{}, want: "the copy could not be made or stored (FILE_STORAGE_EXCEEDED)"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, redistest.Mini(t))
			id := f.submitFile(preflightjob.Request{FileURL: flyerURL, Annotate: "en"})
			files := &watchedFiles{Files: f.Files}
			if tc.keep != nil {
				files.keep = func(context.Context, tenant.ID, preflightjob.FileKind, io.Reader, int64) (preflightjob.File, error) {
					return preflightjob.File{}, tc.keep
				}
			}
			f.start("w1", func(c *preflight.Config) {
				c.Files = files
				c.Annotate = func(context.Context, sandbox.Spec) ([]byte, error) { return update, tc.annotate }
			})
			job := f.ended(id)
			if job.Status != preflightjob.Succeeded || job.Tries != 1 || *job.Summary.Annotated != (preflightjob.AnnotatedSummary{Reason: tc.want}) {
				t.Errorf("job = %+v, %+v, want it succeeded without a copy because of %s", job, job.Summary, tc.want)
			}
		})
	}
}
