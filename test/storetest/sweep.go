// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/transaction"
)

var sweepCases = map[string]func(*testing.T, *fixture){
	"a job that the queue did not take is swept in with its attempt": sweepRepairs,
	"a sweep of everything takes each open job once":                 sweepAll,
	"a sweep that the queue interrupts goes on where it stopped":     sweepResumes,
	"a sweep settles simulated jobs":                                 sweepSettles,
	"a purge erases url and report of jobs past their retention":     purge,
	"an open job outlives every purge":                               purgeSparesOpen,
}

func sweepRepairs(t *testing.T, w *fixture) {
	w.queue.failing = errors.New("queue is down")
	job := w.submit(t, acme)
	w.queue.failing = nil
	if n, err := w.jobs.Sweep(t.Context(), time.Minute, 10); n != 0 || err != nil {
		t.Errorf("swept %d (%v) at once, want none before a minute", n, err)
	}
	w.clock.advance(time.Minute)
	if n, err := w.jobs.Sweep(t.Context(), time.Minute, 10); n != 1 || err != nil {
		t.Errorf("swept %d (%v), want 1", n, err)
	}
	if _, err := w.jobs.Begin(t.Context(), job.ID, 3, "w1"); err != nil {
		t.Fatalf("w.jobs.Begin: %v", err)
	}
	w.clock.advance(2 * time.Minute)
	if n, err := w.jobs.Sweep(t.Context(), time.Minute, 10); n != 1 || err != nil {
		t.Errorf("swept %d (%v) while processing, want 1", n, err)
	}
	finished, err := w.jobs.Finish(t.Context(), job.ID, 3, "w1", warned)
	if err != nil || finished.Version != 3 {
		t.Errorf("version %d (%v), want 3: dispatching is no change of a job", finished.Version, err)
	}
	w.clock.advance(2 * time.Minute)
	if n, err := w.jobs.Sweep(t.Context(), time.Minute, 10); n != 0 || err != nil {
		t.Errorf("swept %d (%v) after the end, want none", n, err)
	}
	wantEqual(t, "dispatched", []string{job.ID + "#0", job.ID + "#3"}, w.queue.take())
}

func sweepAll(t *testing.T, w *fixture) {
	var want []string
	for i := range 11 {
		owner := acme
		if i%2 == 1 {
			owner = stark
		}
		want = append(want, w.submit(t, owner).ID+"#0")
		w.clock.advance(time.Millisecond)
	}
	w.queue.take()
	for _, batch := range []int{1, 4, 11, 100} {
		n, err := w.jobs.Sweep(t.Context(), 0, batch)
		if err != nil || n != len(want) {
			t.Errorf("batch %d: swept %d (%v), want %d", batch, n, err, len(want))
		}
		got := w.queue.take()
		slices.Sort(got)
		wantEqual(t, "dispatched", want, got)
		w.clock.advance(time.Second)
	}
}

func sweepResumes(t *testing.T, w *fixture) {
	for range 5 {
		w.submit(t, acme)
	}
	w.queue.take()
	w.queue.failing = errors.New("queue is down")
	if n, err := w.jobs.Sweep(t.Context(), 0, 2); n != 0 || !errors.Is(err, w.queue.failing) {
		t.Errorf("swept %d (%v), want the queue's error", n, err)
	}
	w.queue.failing = nil
	if n, err := w.jobs.Sweep(t.Context(), 0, 2); n != 5 || err != nil {
		t.Errorf("swept %d (%v), want 5", n, err)
	}
}

func sweepSettles(t *testing.T, w *fixture) {
	// A process that dies behind the commit leaves the job like this.
	simulated := request("")
	simulated.Profile = "sim:failed:TIME_LIMIT"
	address, err := preflightjob.ParseFileURL(simulated.FileURL, false)
	if err != nil {
		t.Fatalf("preflightjob.ParseFileURL: %v", err)
	}
	id, err := recordid.New(recordid.Job, w.clock.Now(), zeros{})
	if err != nil {
		t.Fatalf("recordid.New: %v", err)
	}
	now := w.clock.Now()
	orphan := preflightjob.Job{
		ID: id, Tenant: acmeTest, FileURL: address, Profile: simulated.Profile, Status: preflightjob.Queued,
		Version: 1, SubmittedAt: now, DispatchedAt: now, ExpiresAt: now.Add(preflightjob.Retention),
	}
	if _, _, err := w.store.CreateJob(t.Context(), orphan, transaction.Terms{Tenant: acmeTest, Operation: transaction.SubmitPreflight, Now: now}, 1); err != nil {
		t.Fatalf("w.store.CreateJob: %v", err)
	}
	if n, err := w.jobs.Sweep(t.Context(), 0, 10); n != 1 || err != nil {
		t.Errorf("swept %d (%v), want 1", n, err)
	}
	got, err := w.jobs.Get(t.Context(), acmeTest, id)
	if err != nil || got.Status != preflightjob.Failed || got.Failure.Code != preflightjob.TimeLimit {
		t.Errorf("job = %+v (%v), want failed with TIME_LIMIT", got, err)
	}
}

func purge(t *testing.T, w *fixture) {
	old := w.submit(t, acme)
	finishJob(t, w, old.ID)
	w.clock.advance(time.Hour)
	young := w.submit(t, acme)
	finishJob(t, w, young.ID)
	w.clock.advance(preflightjob.Retention - time.Hour)

	// The clock, not the purge, decides what a partner sees.
	for name, read := range map[string]func() error{
		"get":    func() error { _, err := w.jobs.Get(t.Context(), acme, old.ID); return err },
		"report": func() error { _, err := w.jobs.Report(t.Context(), acme, old.ID); return err },
		"cancel": func() error { _, err := w.jobs.Cancel(t.Context(), acme, old.ID); return err },
	} {
		if err := read(); !errors.Is(err, preflightjob.ErrGone) {
			t.Errorf("%s past the retention: error = %v, want ErrGone", name, err)
		}
	}
	for _, want := range []int{1, 0} {
		if n, err := w.jobs.Purge(t.Context(), 10); n != want || err != nil {
			t.Errorf("purged %d (%v), want %d", n, err, want)
		}
	}
	left, err := w.store.Job(t.Context(), acme, old.ID)
	if err != nil || !left.FileURL.IsZero() || left.Status != preflightjob.Succeeded {
		t.Errorf("purged job = %+v (%v), want a row without its URL", left, err)
	}
	if _, err := w.store.JobDocument(t.Context(), acme, old.ID, preflightjob.ReportDocument); !errors.Is(err, transaction.ErrNotFound) {
		t.Errorf("report of a purged job: error = %v, want ErrNotFound", err)
	}
	if _, err := w.jobs.Get(t.Context(), acme, old.ID); !errors.Is(err, preflightjob.ErrGone) {
		t.Errorf("get of a purged job: error = %v, want ErrGone", err)
	}
	if _, err := w.jobs.Report(t.Context(), acme, young.ID); err != nil {
		t.Errorf("report within its retention: %v", err)
	}
}

func purgeSparesOpen(t *testing.T, w *fixture) {
	job := w.submit(t, acme)
	w.clock.advance(2 * preflightjob.Retention)
	if n, err := w.jobs.Purge(t.Context(), 10); n != 0 || err != nil {
		t.Errorf("purged %d (%v), want none", n, err)
	}
	if n, err := w.jobs.Sweep(t.Context(), 0, 10); n != 1 || err != nil {
		t.Errorf("swept %d (%v), want 1", n, err)
	}
	finishJob(t, w, job.ID)
	if _, err := w.jobs.Get(t.Context(), acme, job.ID); err != nil {
		t.Errorf("a job that ended late is kept from its end: %v", err)
	}
}
