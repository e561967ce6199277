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
	w.mu.Lock()
	defer w.mu.Unlock()
	w.bytes[file.ID] = owner
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
	const size = preflightjob.MinUse
	first := w.file(t, acme, 6*size)
	w.clock.advance(time.Minute)
	w.file(t, acmeTest, 1) // uses the size of a small file
	w.file(t, stark, 50*size)
	want := preflightjob.FileUse{Bytes: 7 * size, Frees: first.ExpiresAt}
	use, err := w.store.FileUse(t.Context(), acme.Organization, preflightjob.PartnerFile)
	if err != nil {
		t.Fatalf("w.store.FileUse: %v", err)
	}
	wantEqual(t, "use", want, use)
	next := first
	next.ID = recordid.First(preflightjob.FilePrefix, w.clock.Now())
	for bytes, limit := range map[int64]int64{1: 8*size - 1, 2 * size: 9*size - 1} {
		next.Bytes = bytes
		err = w.store.AddFile(t.Context(), next, limit)
		var exceeded *preflightjob.StorageExceededError
		if !errors.As(err, &exceeded) {
			t.Fatalf("AddFile of %d bytes beside %d of %d = %v, want a StorageExceededError", bytes, want.Bytes, limit, err)
		}
		wantEqual(t, "error", &preflightjob.StorageExceededError{Limit: limit, FileUse: want}, exceeded)
	}
	next.Bytes = 2 * size
	if err := w.store.AddFile(t.Context(), next, 9*size); err != nil {
		t.Errorf("AddFile of %d bytes beside %d of %d = %v, want nil", next.Bytes, want.Bytes, 9*size, err)
	}
	if use, err := w.store.FileUse(t.Context(), "org_nofiles", preflightjob.PartnerFile); err != nil || use != (preflightjob.FileUse{}) {
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
		file := preflightjob.File{ID: id, Tenant: acme, SHA256: "0f", Bytes: preflightjob.MinUse, CreatedAt: now, ExpiresAt: now.Add(time.Hour)}
		return w.store.AddFile(t.Context(), file, 4*preflightjob.MinUse-1) == nil
	})
	if n := len(slices.DeleteFunc(added, func(ok bool) bool { return !ok })); n != 3 {
		t.Errorf("%d of 8 concurrent files were added, want 3 below the limit of 4", n)
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
	for after, expected := range map[string][]string{"": want[:2], want[0]: want[1:], want[1]: want[2:], want[2]: nil} {
		got, err := w.store.FilesOf(t.Context(), acme, after, 2)
		if err != nil {
			t.Fatalf("w.store.FilesOf: %v", err)
		}
		if !slices.Equal(expected, got) {
			t.Errorf("FilesOf(after %q) = %v, want %v", after, got, expected)
		}
	}
}
