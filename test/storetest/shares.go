// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"errors"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/transaction"
)

var shareCases = map[string]func(*testing.T, *fixture){
	"a share reads back, and does not change the version of its job": sharesReadBack,
	"concurrent shares of a job do not exceed the limit":             sharesStayBelowTheLimit,
	"a purge erases the shares of a job":                             sharesPurged,
	"a job of any tenant is found for a token":                       sharedJobs,
}

func sharesReadBack(t *testing.T, w *fixture) {
	job := w.finishExtras(t, w.extraJob(t, "", "").ID, fixedResult(nil))
	first, err := w.jobs.Share(t.Context(), acme, job.ID, time.Hour)
	if err != nil {
		t.Fatalf("w.jobs.Share: %v", err)
	}
	second, err := w.jobs.Share(t.Context(), acme, job.ID, 2*time.Hour)
	if err != nil {
		t.Fatalf("w.jobs.Share: %v", err)
	}
	listed, err := w.jobs.Shares(t.Context(), acme, job.ID)
	if err != nil {
		t.Fatalf("w.jobs.Shares: %v", err)
	}
	wantEqual(t, "shares", preflightjob.Shares{first, second}, listed)
	first.Token, second.Token = "", "" // tokens are not stored
	want := job
	want.Shares = preflightjob.Shares{first, second}
	read, err := w.store.Job(t.Context(), acme, job.ID)
	if err != nil {
		t.Fatalf("w.store.Job: %v", err)
	}
	wantEqual(t, "job with shares", want, read)
	for _, stranger := range strangers {
		if err := w.jobs.Unshare(t.Context(), stranger, job.ID, first.ID); !errors.Is(err, transaction.ErrNotFound) {
			t.Errorf("Unshare as %s: error = %v, want ErrNotFound", stranger, err)
		}
	}
	for _, share := range want.Shares {
		if err := w.jobs.Unshare(t.Context(), acme, job.ID, share.ID); err != nil {
			t.Fatalf("w.jobs.Unshare: %v", err)
		}
	}
	if read, err = w.store.Job(t.Context(), acme, job.ID); err != nil {
		t.Fatalf("w.store.Job: %v", err)
	}
	wantEqual(t, "job without shares", job, read)
}

func sharesStayBelowTheLimit(t *testing.T, w *fixture) {
	job := w.finishExtras(t, w.extraJob(t, "", "").ID, fixedResult(nil))
	for range preflightjob.MaxShares - 2 {
		if _, err := w.jobs.Share(t.Context(), acme, job.ID, time.Hour); err != nil {
			t.Fatalf("w.jobs.Share: %v", err)
		}
	}
	added := concurrently(6, func(int) bool {
		_, err := w.jobs.Share(t.Context(), acme, job.ID, time.Hour)
		if err != nil && !errors.Is(err, preflightjob.ErrTooManyShares) {
			t.Errorf("w.jobs.Share: %v, want ErrTooManyShares", err)
		}
		return err == nil
	})
	n := 0
	for _, ok := range added {
		if ok {
			n++
		}
	}
	if n != 2 {
		t.Errorf("%d of 6 concurrent shares were added, want 2", n)
	}
}

func sharesPurged(t *testing.T, w *fixture) {
	job := w.finishExtras(t, w.extraJob(t, "", "").ID, fixedResult(nil))
	share, err := w.jobs.Share(t.Context(), acme, job.ID, preflightjob.Retention)
	if err != nil {
		t.Fatalf("w.jobs.Share: %v", err)
	}
	w.clock.advance(preflightjob.Retention)
	if n, err := w.jobs.Purge(t.Context(), 10); n != 1 || err != nil {
		t.Errorf("purged %d, %v, want 1", n, err)
	}
	if read, err := w.store.Job(t.Context(), acme, job.ID); err != nil || read.Shares != nil {
		t.Errorf("shares of a purged job = %v, %v, want none", read.Shares, err)
	}
	if _, err := w.jobs.Shared(t.Context(), share.Token); !errors.Is(err, transaction.ErrNotFound) {
		t.Errorf("Shared after the purge: error = %v, want ErrNotFound", err)
	}
}

func sharedJobs(t *testing.T, w *fixture) {
	job := w.submit(t, stark)
	read, err := w.store.SharedJob(t.Context(), job.ID)
	if err != nil {
		t.Fatalf("w.store.SharedJob: %v", err)
	}
	wantEqual(t, "job", stark, read.Tenant)
	for _, id := range []string{recordid.First(recordid.Job, w.clock.Now()), "", "' OR 1=1 --"} {
		if _, err := w.store.SharedJob(t.Context(), id); !errors.Is(err, transaction.ErrNotFound) {
			t.Errorf("SharedJob(%q): error = %v, want ErrNotFound", id, err)
		}
	}
}
