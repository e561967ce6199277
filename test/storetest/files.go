// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

var fileCases = map[string]func(*testing.T, *fixture){
	"a file is read back by its tenant only":                                 filesBelongToTheirTenant,
	"the files of both modes share the limit of an organization":             filesShareALimit,
	"concurrent files of an organization do not exceed its limit":            filesStayBelowTheLimit,
	"a file expires at its time, and not while an open job uses it":          filesExpire,
	"deleted files have no row, and deleting them again has no effect":       filesAreDeleted,
	"a malformed id finds no file":                                           malformedFileIDs,
	"the files of a tenant are listed in the order in which they are erased": filesAreListed,
}

const roomy = 1 << 40

// file adds a file of a tenant that expires after a day.
func (w *fixture) file(t testing.TB, owner tenant.ID, bytes int64) preflightjob.File {
	t.Helper()
	now := w.clock.Now()
	id, err := recordid.New(preflightjob.FilePrefix, now, rand.Reader)
	if err != nil {
		t.Fatalf("recordid.New: %v", err)
	}
	file := preflightjob.File{ID: id, Tenant: owner, SHA256: strings.Repeat("0f", 32), Bytes: bytes, CreatedAt: now, ExpiresAt: now.Add(24 * time.Hour)}
	if err := w.store.AddFile(t.Context(), file, roomy); err != nil {
		t.Fatalf("w.store.AddFile(%+v): %v", file, err)
	}
	return file
}

func filesBelongToTheirTenant(t *testing.T, w *fixture) {
	want := w.file(t, acme, 1<<28)
	got, err := w.store.File(t.Context(), acme, want.ID)
	if err != nil {
		t.Fatalf("w.store.File: %v", err)
	}
	wantEqual(t, "file", want, got)
	for _, stranger := range strangers {
		if got, err := w.store.File(t.Context(), stranger, want.ID); !errors.Is(err, transaction.ErrNotFound) {
			t.Errorf("File(%s) = %+v, %v, want ErrNotFound", stranger, got, err)
		}
	}
}

func filesShareALimit(t *testing.T, w *fixture) {
	first := w.file(t, acme, 60)
	w.clock.advance(time.Minute)
	w.file(t, acmeTest, 30)
	w.file(t, stark, 500)
	want := preflightjob.FileUse{Bytes: 90, Frees: first.ExpiresAt}
	use, err := w.store.FileUse(t.Context(), acme.Organization)
	if err != nil {
		t.Fatalf("w.store.FileUse: %v", err)
	}
	wantEqual(t, "use", want, use)
	next := first
	next.ID, next.Bytes = recordid.First(preflightjob.FilePrefix, w.clock.Now()), 11
	err = w.store.AddFile(t.Context(), next, 100)
	var exceeded *preflightjob.StorageExceededError
	if !errors.As(err, &exceeded) {
		t.Fatalf("AddFile of 11 bytes beside 90 of 100 = %v, want a StorageExceededError", err)
	}
	wantEqual(t, "error", &preflightjob.StorageExceededError{Limit: 100, FileUse: want}, exceeded)
	next.Bytes = 10
	if err := w.store.AddFile(t.Context(), next, 100); err != nil {
		t.Errorf("AddFile of 10 bytes beside 90 of 100 = %v, want nil", err)
	}
	if use, err := w.store.FileUse(t.Context(), "org_nofiles"); err != nil || use != (preflightjob.FileUse{}) {
		t.Errorf("FileUse without files = %+v, %v, want none", use, err)
	}
}

func filesStayBelowTheLimit(t *testing.T, w *fixture) {
	now := w.clock.Now()
	added := concurrently(8, func(int) bool {
		id, err := recordid.New(preflightjob.FilePrefix, now, rand.Reader)
		if err != nil {
			t.Errorf("recordid.New: %v", err)
		}
		return w.store.AddFile(t.Context(), preflightjob.File{ID: id, Tenant: acme, SHA256: "0f", Bytes: 10, CreatedAt: now, ExpiresAt: now.Add(time.Hour)}, 35) == nil
	})
	if n := len(slices.DeleteFunc(added, func(ok bool) bool { return !ok })); n != 3 {
		t.Errorf("%d of 8 files of 10 bytes were added, want 3 within 35 bytes", n)
	}
}

func filesExpire(t *testing.T, w *fixture) {
	used, unused := w.file(t, acme, 1), w.file(t, acme, 1)
	w.clock.advance(time.Hour)
	later := w.file(t, stark, 1)
	job := preflightjob.Job{
		ID: recordid.First(recordid.Job, w.clock.Now()), Tenant: acme, FileURL: preflightjob.UploadedFile(used.ID), Profile: "print_ready",
		Status: preflightjob.Queued, Version: 1, SubmittedAt: w.clock.Now(), DispatchedAt: w.clock.Now(), ExpiresAt: w.clock.Now().Add(preflightjob.Retention),
	}
	if _, _, err := w.store.CreateJob(t.Context(), job, transaction.Terms{Tenant: acme, Operation: transaction.SubmitPreflight, Now: w.clock.Now()}, 10); err != nil {
		t.Fatalf("w.store.CreateJob: %v", err)
	}
	expired := func(at time.Time, limit int) []string {
		t.Helper()
		ids, err := w.store.ExpiredFiles(t.Context(), at, limit)
		if err != nil {
			t.Fatalf("w.store.ExpiredFiles: %v", err)
		}
		return ids
	}
	if got := expired(unused.ExpiresAt.Add(-time.Millisecond), 10); len(got) > 0 {
		t.Errorf("expired before the time: %v, want none", got)
	}
	wantEqual(t, "expired beside an open job", []string{unused.ID}, expired(unused.ExpiresAt, 10))
	wantEqual(t, "one expired file", []string{unused.ID}, expired(later.ExpiresAt, 1))
	if _, err := w.jobs.Cancel(t.Context(), acme, job.ID); err != nil {
		t.Fatalf("w.jobs.Cancel: %v", err)
	}
	got := expired(later.ExpiresAt, 10)
	slices.Sort(got)
	want := []string{used.ID, unused.ID, later.ID}
	slices.Sort(want)
	wantEqual(t, "expired after the job", want, got)
	read, err := w.store.Job(t.Context(), acme, job.ID)
	if err != nil || read.FileURL.FileID() != used.ID {
		t.Errorf("Job = %v with the file %q, want %q", err, read.FileURL.FileID(), used.ID)
	}
}

func filesAreDeleted(t *testing.T, w *fixture) {
	kept, deleted := w.file(t, acme, 1), w.file(t, acme, 1)
	for range 2 {
		if err := w.store.DeleteFiles(t.Context(), []string{deleted.ID}); err != nil {
			t.Fatalf("w.store.DeleteFiles: %v", err)
		}
	}
	if err := w.store.DeleteFiles(t.Context(), nil); err != nil {
		t.Errorf("DeleteFiles of no ids = %v, want nil", err)
	}
	known, err := w.store.KnownFiles(t.Context(), []string{deleted.ID, kept.ID})
	if err != nil {
		t.Fatalf("w.store.KnownFiles: %v", err)
	}
	wantEqual(t, "known files", []string{kept.ID}, known)
}

func malformedFileIDs(t *testing.T, w *fixture) {
	w.file(t, acme, 1)
	for _, id := range []string{"", "file_", "' OR 1=1 --", "file_%"} {
		if got, err := w.store.File(t.Context(), acme, id); !errors.Is(err, transaction.ErrNotFound) {
			t.Errorf("File(%q) = %+v, %v, want ErrNotFound", id, got, err)
		}
	}
}

func filesAreListed(t *testing.T, w *fixture) {
	var want []string
	for range 3 {
		want = append(want, w.file(t, acme, 1).ID)
		w.clock.advance(time.Millisecond)
	}
	w.file(t, acmeTest, 1)
	w.file(t, stark, 1)
	got, err := w.store.FilesOf(t.Context(), acme, 2)
	if err != nil {
		t.Fatalf("w.store.FilesOf: %v", err)
	}
	wantEqual(t, "the first two files of a tenant", want[:2], got)
}
