// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"crypto/rand"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

var extraCases = map[string]func(*testing.T, *fixture){
	"the fixes and the comparison of a job read back, for its tenant only": extrasReadBack,
	"a job without fixes has neither a fix log nor a comparison":           noExtras,
	"a job ends together with its fixed file, or not at all":               fixedFileInOneCommit,
	"a fixed file of a job that another worker holds gets no row":          fixedFileFenced,
	"a purge erases the fix log and the comparison of a job":               extrasPurged,
	"a file does not expire while an open job compares with it":            comparedFilesExpire,
	"an ICC profile does not expire while an open job prints with it":      profileFilesExpire,
}

// extraJob creates a job with fixes for a printing condition that is compared with a file of an earlier
// job, and annotated.
func (w *fixture) extraJob(t testing.TB, compareFile, profileFile string) preflightjob.Job {
	t.Helper()
	now := w.clock.Now()
	id, err := recordid.New(recordid.Job, now, rand.Reader)
	if err != nil {
		t.Fatalf("recordid.New: %v", err)
	}
	job := preflightjob.Job{
		ID: id, Tenant: acme, FileURL: preflightjob.UploadedFile("file_x"), Profile: "print_ready",
		Fixes: preflightjob.FixesOf("bleed", "actions"), CompareWith: "pref_earlier", CompareFile: compareFile, Annotate: "de",
		Output: &preflightjob.Output{ProfileFile: profileFile, Condition: "FOGRA51", Intent: "perceptual"},
		Status: preflightjob.Queued, Version: 1, SubmittedAt: now, DispatchedAt: now, ExpiresAt: now.Add(preflightjob.Retention),
	}
	stored, _, err := w.store.CreateJob(t.Context(), job, transaction.Terms{Tenant: acme, Operation: transaction.SubmitPreflight, Now: now}, 100)
	if err != nil {
		t.Fatalf("w.store.CreateJob: %v", err)
	}
	wantEqual(t, "created job", job, stored)
	return job
}

// fixedResult is a result with both documents, and with a fixed file unless it is nil.
func fixedResult(file *preflightjob.File) preflightjob.Result {
	result := warned
	result.Fixed = &preflightjob.Fixed{File: file, Log: report.FixLog{
		Version: report.FixVersion, Applied: []report.AppliedFix{{Fix: report.FixBleed, Changes: []report.ObjectChange{{Page: 1, Name: "Contents"}}}},
		Skipped: []report.SkippedFix{{Fix: report.FixActions, Page: 1, Reason: report.FixStructure}, {Fix: report.FixActions, Page: 2, Reason: report.FixStructure}},
	}}
	result.Annotated = &preflightjob.Annotated{Reason: "the file is encrypted"}
	result.Comparison = &report.Comparison{Version: report.ComparisonVersion, Complete: true, Changed: []report.PageChange{{Page: 2}}, Omitted: 3}
	return result
}

// finishing returns a service for which the files of an organization may use most bytes.
func (w *fixture) finishing(most int64) *preflightjob.Service {
	return preflightjob.New(preflightjob.Config{
		Store: w.store, Dispatcher: w.queue, Files: preflightjob.NewFiles(preflightjob.FilesConfig{MaxStored: most}),
		Now: w.clock.Now, Random: rand.Reader, Logger: slog.New(slog.DiscardHandler),
	})
}

// fixedFile returns a file without a row.
func (w *fixture) fixedFile(t testing.TB, bytes int64) *preflightjob.File {
	t.Helper()
	id, err := recordid.New(preflightjob.FilePrefix, w.clock.Now(), rand.Reader)
	if err != nil {
		t.Fatalf("recordid.New: %v", err)
	}
	return &preflightjob.File{
		ID: id, Tenant: acme, SHA256: strings.Repeat("0f", 32), Bytes: bytes, CreatedAt: w.clock.Now(), ExpiresAt: w.clock.Now().Add(24 * time.Hour),
	}
}

func (w *fixture) finishExtras(t testing.TB, id string, result preflightjob.Result) preflightjob.Job {
	t.Helper()
	if _, err := w.jobs.Begin(t.Context(), id, 1, "w1"); err != nil {
		t.Fatalf("w.jobs.Begin: %v", err)
	}
	job, err := w.finishing(roomy).Finish(t.Context(), id, 1, "w1", result)
	if err != nil {
		t.Fatalf("Finish: %v", err)
	}
	return job
}

func extrasReadBack(t *testing.T, w *fixture) {
	job := w.extraJob(t, "file_earlier", "file_icc")
	read, err := w.store.Job(t.Context(), acme, job.ID)
	if err != nil {
		t.Fatalf("w.store.Job: %v", err)
	}
	wantEqual(t, "submitted job", job, read)

	file := w.fixedFile(t, 1<<20)
	finished := w.finishExtras(t, job.ID, fixedResult(file))
	if read, err = w.jobs.Get(t.Context(), acme, job.ID); err != nil {
		t.Fatalf("w.jobs.Get: %v", err)
	}
	wantEqual(t, "finished job", finished, read)
	wantEqual(t, "summary", &preflightjob.Summary{
		Fix:        &preflightjob.FixSummary{Applied: []report.Fix{report.FixBleed}, Skipped: []report.Fix{report.FixActions}, FileID: file.ID},
		Comparison: &preflightjob.ComparisonSummary{Complete: true, Pages: 4},
		Annotated:  &preflightjob.AnnotatedSummary{Reason: "the file is encrypted"},
	}, read.Summary)
	for name, document := range map[string]func(owner tenant.ID) ([]byte, error){
		`"fixVersion"`:        func(owner tenant.ID) ([]byte, error) { return w.jobs.FixLog(t.Context(), owner, job.ID) },
		`"comparisonVersion"`: func(owner tenant.ID) ([]byte, error) { return w.jobs.Comparison(t.Context(), owner, job.ID) },
	} {
		if text, err := document(acme); err != nil || !strings.Contains(string(text), name) {
			t.Errorf("document = %q, %v, want one with %s", text, err, name)
		}
		for _, stranger := range strangers {
			if _, err := document(stranger); !errors.Is(err, transaction.ErrNotFound) {
				t.Errorf("document with %s as %s: error = %v, want ErrNotFound", name, stranger, err)
			}
		}
	}
	for _, document := range []preflightjob.Document{preflightjob.FixLogDocument, preflightjob.ComparisonDocument} {
		if _, err := w.store.JobDocument(t.Context(), stark, job.ID, document); !errors.Is(err, transaction.ErrNotFound) {
			t.Errorf("%s as %s: error = %v, want ErrNotFound", document, stark, err)
		}
	}
}

func noExtras(t *testing.T, w *fixture) {
	job := finishJob(t, w, w.submit(t, acme).ID)
	for _, document := range []preflightjob.Document{preflightjob.FixLogDocument, preflightjob.ComparisonDocument} {
		if text, err := w.store.JobDocument(t.Context(), acme, job.ID, document); !errors.Is(err, transaction.ErrNotFound) {
			t.Errorf("%s = %q, %v, want ErrNotFound", document, text, err)
		}
	}
	read, err := w.store.Job(t.Context(), acme, job.ID)
	if err != nil || read.Fixes != "" || read.CompareWith != "" || read.Summary != nil {
		t.Errorf("job = %+v, %v, want one without extras", read, err)
	}
}

func fixedFileInOneCommit(t *testing.T, w *fixture) {
	const size = 3 * preflightjob.MinUse
	w.file(t, acmeTest, size)
	job, file := w.extraJob(t, "", ""), w.fixedFile(t, size)
	if _, err := w.jobs.Begin(t.Context(), job.ID, 1, "w1"); err != nil {
		t.Fatalf("w.jobs.Begin: %v", err)
	}
	_, err := w.finishing(2*size-1).Finish(t.Context(), job.ID, 1, "w1", fixedResult(file))
	var exceeded *preflightjob.StorageExceededError
	if !errors.As(err, &exceeded) || exceeded.Limit != 2*size-1 || exceeded.Bytes != size {
		t.Fatalf("Finish without room: error = %v, want a StorageExceededError", err)
	}
	if read, err := w.store.Job(t.Context(), acme, job.ID); err != nil || read.Status != preflightjob.Processing || read.Summary != nil {
		t.Errorf("job = %+v, %v, want it processing still", read, err)
	}
	if _, err := w.store.JobDocument(t.Context(), acme, job.ID, preflightjob.ReportDocument); !errors.Is(err, transaction.ErrNotFound) {
		t.Errorf("report: error = %v, want ErrNotFound", err)
	}
	if _, err := w.store.File(t.Context(), acme, file.ID); !errors.Is(err, transaction.ErrNotFound) {
		t.Errorf("file without room: error = %v, want ErrNotFound", err)
	}
	for range 2 { // the response to the first may be lost
		if _, err := w.finishing(2*size).Finish(t.Context(), job.ID, 1, "w1", fixedResult(file)); err != nil {
			t.Fatalf("Finish with room: %v", err)
		}
	}
	got, err := w.store.File(t.Context(), acme, file.ID)
	if err != nil {
		t.Fatalf("w.store.File: %v", err)
	}
	wantEqual(t, "file", *file, got)
}

func fixedFileFenced(t *testing.T, w *fixture) {
	job, file := w.extraJob(t, "", ""), w.fixedFile(t, 1)
	for attempt, worker := range []string{"w1", "w2"} {
		if _, err := w.jobs.Begin(t.Context(), job.ID, attempt+1, worker); err != nil {
			t.Fatalf("w.jobs.Begin: %v", err)
		}
	}
	if _, err := w.finishing(roomy).Finish(t.Context(), job.ID, 1, "w1", fixedResult(file)); !errors.Is(err, preflightjob.ErrFenced) {
		t.Errorf("Finish of a superseded attempt: error = %v, want ErrFenced", err)
	}
	if known, err := w.store.KnownFiles(t.Context(), []string{file.ID}); err != nil || len(known) > 0 {
		t.Errorf("known files = %v, %v, want none", known, err)
	}
}

func extrasPurged(t *testing.T, w *fixture) {
	job := w.extraJob(t, "", "")
	w.finishExtras(t, job.ID, fixedResult(nil))
	w.clock.advance(preflightjob.Retention)
	if _, err := w.jobs.FixLog(t.Context(), acme, job.ID); !errors.Is(err, preflightjob.ErrGone) {
		t.Errorf("fix log after the retention: error = %v, want ErrGone", err)
	}
	if n, err := w.jobs.Purge(t.Context(), 10); n != 1 || err != nil {
		t.Errorf("purged %d, %v, want 1", n, err)
	}
	for _, document := range []preflightjob.Document{preflightjob.FixLogDocument, preflightjob.ComparisonDocument} {
		if _, err := w.store.JobDocument(t.Context(), acme, job.ID, document); !errors.Is(err, transaction.ErrNotFound) {
			t.Errorf("%s of a purged job: error = %v, want ErrNotFound", document, err)
		}
	}
}

func comparedFilesExpire(t *testing.T, w *fixture) {
	w.wantKeptForJob(t, func(file string) preflightjob.Job { return w.extraJob(t, file, "") })
}

func profileFilesExpire(t *testing.T, w *fixture) {
	w.wantKeptForJob(t, func(file string) preflightjob.Job { return w.extraJob(t, "", file) })
}

// wantKeptForJob checks that a file does not expire before a job that uses it ends.
func (w *fixture) wantKeptForJob(t *testing.T, jobOf func(file string) preflightjob.Job) {
	t.Helper()
	file := w.file(t, acme, 1)
	job := jobOf(file.ID)
	expired := func() []string {
		t.Helper()
		ids, err := w.store.ExpiredFiles(t.Context(), file.ExpiresAt, 10)
		if err != nil {
			t.Fatalf("w.store.ExpiredFiles: %v", err)
		}
		return ids
	}
	if got := expired(); len(got) > 0 {
		t.Errorf("expired beside an open job: %v, want none", got)
	}
	w.finishExtras(t, job.ID, fixedResult(nil))
	wantEqual(t, "expired after the job", []string{file.ID}, expired())
}
