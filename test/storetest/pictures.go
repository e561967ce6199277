// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"errors"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/transaction"
)

var pictureCases = map[string]func(*testing.T, *fixture){
	"the pictures of a job get a row, and expire with the job":               picturesExpireWithTheJob,
	"pictures do not count in the limit of files, nor files in that of them": picturesHaveTheirLimit,
}

// picturedResult is a result with pictures of a size.
func (w *fixture) picturedResult(t testing.TB, bytes int64) preflightjob.Result {
	t.Helper()
	result, file := warned, w.fixedFile(t, bytes)
	file.Kind = preflightjob.PictureFile
	result.Pictures = &preflightjob.Pictures{File: *file, Pages: 2}
	return result
}

func picturesExpireWithTheJob(t *testing.T, w *fixture) {
	job, result := w.extraJob(t, "", ""), w.picturedResult(t, 1)
	finished := w.finishExtras(t, job.ID, result)
	read, err := w.store.Job(t.Context(), acme, job.ID)
	if err != nil {
		t.Fatalf("w.store.Job: %v", err)
	}
	id := result.Pictures.File.ID
	wantEqual(t, "summary", &preflightjob.Summary{Pictures: &preflightjob.PictureSummary{FileID: id, Pages: 2}}, read.Summary)
	want := result.Pictures.File
	want.ExpiresAt = finished.ExpiresAt
	got, err := w.store.File(t.Context(), acme, id)
	if err != nil {
		t.Fatalf("w.store.File: %v", err)
	}
	wantEqual(t, "file", want, got)
	for _, stranger := range strangers {
		if got, err := w.store.File(t.Context(), stranger, id); !errors.Is(err, transaction.ErrNotFound) {
			t.Errorf("File(%s) = %+v, %v, want ErrNotFound", stranger, got, err)
		}
	}
	for at, want := range map[time.Time][]string{finished.ExpiresAt.Add(-time.Millisecond): {}, finished.ExpiresAt: {id}} {
		expired, err := w.store.ExpiredFiles(t.Context(), at, 10)
		if err != nil {
			t.Fatalf("w.store.ExpiredFiles: %v", err)
		}
		wantEqual(t, "expired files", want, expired)
	}
}

func picturesHaveTheirLimit(t *testing.T, w *fixture) {
	const size = 3 * preflightjob.MinUse
	uploaded := w.file(t, acmeTest, size)
	job, result := w.extraJob(t, "", ""), w.picturedResult(t, size)
	if _, err := w.jobs.Begin(t.Context(), job.ID, 1, "w1"); err != nil {
		t.Fatalf("w.jobs.Begin: %v", err)
	}
	if _, err := w.finishing(size).Finish(t.Context(), job.ID, 1, "w1", result); err != nil {
		t.Fatalf("Finish beside a file that uses the limit: %v", err)
	}
	for kind, frees := range map[preflightjob.FileKind]time.Time{
		preflightjob.PartnerFile: uploaded.ExpiresAt, preflightjob.PictureFile: w.clock.Now().Add(preflightjob.Retention),
	} {
		use, err := w.store.FileUse(t.Context(), acme.Organization, kind)
		if err != nil {
			t.Fatalf("w.store.FileUse(%q): %v", kind, err)
		}
		wantEqual(t, "use of "+string(kind), preflightjob.FileUse{Bytes: size, Frees: frees}, use)
	}

	more := w.fixedFile(t, size)
	more.Tenant = acmeTest
	if err := w.store.AddFile(t.Context(), *more, 2*size); err != nil {
		t.Errorf("AddFile beside pictures: %v", err)
	}
	next := w.extraJob(t, "", "")
	if _, err := w.jobs.Begin(t.Context(), next.ID, 1, "w1"); err != nil {
		t.Fatalf("w.jobs.Begin: %v", err)
	}
	_, err := w.finishing(2*size-1).Finish(t.Context(), next.ID, 1, "w1", w.picturedResult(t, size))
	var exceeded *preflightjob.StorageExceededError
	if !errors.As(err, &exceeded) || exceeded.Kind != preflightjob.PictureFile || exceeded.Bytes != size {
		t.Errorf("Finish without room for pictures: error = %v, want a StorageExceededError about them", err)
	}
}
