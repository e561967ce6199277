// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/transaction"
)

var jobCases = map[string]func(*testing.T, *fixture){
	"a job reads back as it was submitted, its url included":           jobReadsBack,
	"fifty submissions with one key make one job":                      oneKeyOneJob,
	"a submission's key with another body is refused":                  jobKeyReused,
	"a backlog cap admits exactly its number of concurrent jobs":       backlogEdge,
	"a backlog counts open jobs of the tenant alone":                   backlogCounts,
	"attempts are fenced":                                              fencing,
	"of many workers with one attempt exactly one holds the job":       beginRace,
	"a cancellation and a finish race to exactly one end":              cancelRace,
	"a report is stored once and reads back byte for byte":             reportOnce,
	"the status of the file server is stored until the job reopens":    upstreamStatus,
	"an attempt past the limit ends the job and publishes an event":    attemptsExhausted,
	"a simulated job is ended by the time its submission is answered":  simulatedJobs,
	"a drained attempt is given back, and its number is not":           drainedAttempt,
	"a failed job is opened again with all attempts before it":         reopened,
	"an operator cancels jobs of every tenant":                         withdrawnByOperator,
	"progress is stored for the holder alone":                          progressFenced,
	"a refused amendment and an unchanged one leave the job as it was": amendNothing,
}

var inspected = []byte(`{"schema":"v1","verdict":"warn","findings":[{"rule":"image.ppi_low"}]}` + "\n")

var warned = preflightjob.Result{Report: inspected, Verdict: preflightjob.Warn, Progress: preflightjob.Progress{PagesDone: 2, PagesTotal: 2}}

func finishJob(t *testing.T, w *fixture, id string) preflightjob.Job {
	t.Helper()
	if _, err := w.jobs.Begin(t.Context(), id, 1, "w1"); err != nil {
		t.Fatalf("begin: %v", err)
	}
	job, err := w.jobs.Finish(t.Context(), id, 1, "w1", warned)
	if err != nil {
		t.Fatalf("finish: %v", err)
	}
	return job
}

func jobReadsBack(t *testing.T, w *fixture) {
	submitted := w.submit(t, acme)
	got, err := w.jobs.Get(t.Context(), acme, submitted.ID)
	if err != nil {
		t.Fatalf("w.jobs.Get: %v", err)
	}
	wantEqual(t, "job", submitted, got)
	if got.FileURL.Reveal() != request("").FileURL {
		t.Error("the stored URL is not the one that was submitted")
	}
	wantEqual(t, "dispatched", []string{submitted.ID + "#0"}, w.queue.take())

	w.clock.advance(time.Second)
	finished := finishJob(t, w, submitted.ID)
	if got, err = w.jobs.Get(t.Context(), acme, submitted.ID); err != nil {
		t.Fatalf("w.jobs.Get: %v", err)
	}
	wantEqual(t, "finished job", finished, got)
	if got.FileURL.Reveal() != "https://files.example.com/flyer.pdf" {
		t.Errorf("the URL of the finished job is %s, want it stored without its query", got.FileURL.Reveal())
	}
	if got.Status != preflightjob.Succeeded || got.Verdict != preflightjob.Warn || !got.FinishedAt.Equal(w.clock.Now()) {
		t.Errorf("job = %+v, want succeeded with warn, now", got)
	}
}

func oneKeyOneJob(t *testing.T, w *fixture) {
	ids, replays := map[string]bool{}, 0
	for _, got := range concurrently(50, func(int) preflightjob.Submitted {
		submitted, err := w.jobs.Submit(t.Context(), acme, request("k1"), 1)
		if err != nil {
			t.Errorf("submit: %v", err)
		}
		return submitted
	}) {
		if ids[got.Job.ID] = true; got.Replayed {
			replays++
		}
	}
	// The cap of one is no obstacle to a replay.
	if len(ids) != 1 || replays != 49 {
		t.Errorf("%d jobs and %d replays, want 1 and 49", len(ids), replays)
	}
	if n := len(w.queue.take()); n != 1 {
		t.Errorf("%d dispatches, want 1", n)
	}
}

func jobKeyReused(t *testing.T, w *fixture) {
	first, err := w.jobs.Submit(t.Context(), acme, request("k1"), 10)
	if err != nil {
		t.Fatalf("w.jobs.Submit: %v", err)
	}
	other := request("k1")
	other.Idempotency = keyed("k1", "another")
	if _, err := w.jobs.Submit(t.Context(), acme, other, 10); !errors.Is(err, transaction.ErrKeyReused) {
		t.Errorf("another body: error = %v, want ErrKeyReused", err)
	}
	finishJob(t, w, first.Job.ID)
	again, err := w.jobs.Submit(t.Context(), acme, request("k1"), 10)
	if err != nil || !again.Replayed {
		t.Fatalf("same body: replayed = %t, %v; want a replay", again.Replayed, err)
	}
	first.Job.FileURL = first.Job.FileURL.WithoutQuery()
	wantEqual(t, "replay of a job that has ended meanwhile", first.Job, again.Job)
}

func backlogEdge(t *testing.T, w *fixture) {
	const limit = 4
	admitted := 0
	for _, err := range concurrently(30, func(int) error {
		_, err := w.jobs.Submit(t.Context(), acme, request(""), limit)
		return err
	}) {
		var exceeded *preflightjob.BacklogExceededError
		switch {
		case err == nil:
			admitted++
		case !errors.As(err, &exceeded) || exceeded.Cap != limit:
			t.Errorf("error = %v, want BacklogExceededError of %d", err, limit)
		}
	}
	if admitted != limit {
		t.Errorf("%d jobs were admitted, want exactly %d", admitted, limit)
	}
}

func backlogCounts(t *testing.T, w *fixture) {
	for _, owner := range strangers {
		w.submit(t, owner)
	}
	for range 3 {
		job, err := w.jobs.Submit(t.Context(), acme, request(""), 1)
		if err != nil {
			t.Fatalf("submit with nothing open: %v", err)
		}
		if _, err := w.jobs.Submit(t.Context(), acme, request(""), 1); err == nil {
			t.Fatal("a second open job was admitted over a cap of 1")
		}
		finishJob(t, w, job.Job.ID)
	}
}

// step is one call of a worker, with its expected result.
type step struct {
	verb        string
	attempt     int
	incarnation string
	want        error
}

var fencingTable = map[string][]step{
	"the holder finishes": {
		{"begin", 1, "w1", nil}, {"finish", 1, "w1", nil},
	},
	"a finish without a begin is fenced": {
		{"finish", 1, "w1", preflightjob.ErrFenced},
	},
	"a call whose response was lost may be repeated": {
		{"begin", 1, "w1", nil}, {"begin", 1, "w1", nil}, {"finish", 1, "w1", nil}, {"finish", 1, "w1", nil},
	},
	"the same attempt of another incarnation is stale and fenced": {
		{"begin", 1, "w1", nil}, {"begin", 1, "w2", preflightjob.ErrStaleAttempt}, {"finish", 1, "w2", preflightjob.ErrFenced}, {"finish", 1, "w1", nil},
	},
	"a newer attempt takes the job over": {
		{"begin", 1, "w1", nil}, {"begin", 2, "w2", nil}, {"finish", 1, "w1", preflightjob.ErrFenced}, {"finish", 2, "w2", nil},
	},
	"the same worker's older attempt is fenced too": {
		{"begin", 1, "w1", nil}, {"begin", 2, "w1", nil}, {"finish", 1, "w1", preflightjob.ErrFenced}, {"finish", 2, "w1", nil},
	},
	"an older attempt never begins": {
		{"begin", 3, "w3", nil}, {"begin", 2, "w2", preflightjob.ErrStaleAttempt}, {"begin", 1, "w1", preflightjob.ErrStaleAttempt},
	},
	"attempts may skip numbers": {
		{"begin", 2, "w1", nil}, {"begin", 5, "w2", nil}, {"finish", 5, "w2", nil},
	},
	"nothing begins after the end": {
		{"begin", 1, "w1", nil}, {"finish", 1, "w1", nil}, {"begin", 1, "w1", preflightjob.ErrTerminal}, {"begin", 2, "w2", preflightjob.ErrTerminal},
	},
	"a late finish after another's end is fenced": {
		{"begin", 1, "w1", nil}, {"begin", 2, "w2", nil}, {"finish", 2, "w2", nil}, {"finish", 1, "w1", preflightjob.ErrFenced},
	},
	"nothing begins or finishes after a cancellation": {
		{"begin", 1, "w1", nil}, {"cancel", 0, "", nil}, {"finish", 1, "w1", preflightjob.ErrFenced}, {"begin", 2, "w2", preflightjob.ErrTerminal},
	},
	"a queued job can be cancelled, twice": {
		{"cancel", 0, "", nil}, {"cancel", 0, "", nil}, {"begin", 1, "w1", preflightjob.ErrTerminal},
	},
	"an ended job cannot be cancelled": {
		{"begin", 1, "w1", nil}, {"finish", 1, "w1", nil}, {"cancel", 0, "", preflightjob.ErrNotCancellable},
	},
}

func fencing(t *testing.T, w *fixture) {
	for name, steps := range fencingTable {
		t.Run(name, func(t *testing.T) {
			job := w.submit(t, acme)
			for i, step := range steps {
				if err := w.take(t, job.ID, step); !errors.Is(err, step.want) {
					t.Errorf("step %d, %s %d by %q: error = %v, want %v", i, step.verb, step.attempt, step.incarnation, err, step.want)
				}
			}
			ends := 0
			for range w.eventsAbout(t, job.ID) {
				ends++
			}
			if ends > 1 {
				t.Errorf("%d events of one end, want 1", ends)
			}
		})
	}
}

func (w *fixture) take(t *testing.T, id string, s step) error {
	var err error
	switch s.verb {
	case "begin":
		_, err = w.jobs.Begin(t.Context(), id, s.attempt, s.incarnation)
	case "finish":
		_, err = w.jobs.Finish(t.Context(), id, s.attempt, s.incarnation, warned)
	case "cancel":
		_, err = w.jobs.Cancel(t.Context(), acme, id)
	default:
		t.Fatalf("no verb %q", s.verb)
	}
	return err
}

func beginRace(t *testing.T, w *fixture) {
	job := w.submit(t, acme)
	holders := 0
	for _, err := range concurrently(20, func(i int) error {
		_, err := w.jobs.Begin(t.Context(), job.ID, 1, fmt.Sprint("w", i))
		return err
	}) {
		switch {
		case err == nil:
			holders++
		case !errors.Is(err, preflightjob.ErrStaleAttempt):
			t.Errorf("error = %v, want ErrStaleAttempt", err)
		}
	}
	if holders != 1 {
		t.Errorf("%d workers hold the job, want 1", holders)
	}
}

func cancelRace(t *testing.T, w *fixture) {
	for range 20 {
		job := w.submit(t, acme)
		if _, err := w.jobs.Begin(t.Context(), job.ID, 1, "w1"); err != nil {
			t.Fatalf("w.jobs.Begin: %v", err)
		}
		errs := concurrently(2, func(i int) error {
			return w.take(t, job.ID, []step{{verb: "cancel"}, {verb: "finish", attempt: 1, incarnation: "w1"}}[i])
		})
		got, err := w.jobs.Get(t.Context(), acme, job.ID)
		if err != nil {
			t.Fatalf("w.jobs.Get: %v", err)
		}
		_, reportErr := w.jobs.Report(t.Context(), acme, job.ID)
		events := w.eventsAbout(t, job.ID)
		var missing *preflightjob.NoReportError
		switch got.Status {
		case preflightjob.Cancelled:
			wantEqual(t, "events", []transaction.EventType{transaction.PreflightCancelled}, events)
			if errs[0] != nil || !errors.Is(errs[1], preflightjob.ErrFenced) || !errors.As(reportErr, &missing) {
				t.Errorf("cancelled: errors %v, report %v", errs, reportErr)
			}
		case preflightjob.Succeeded:
			wantEqual(t, "events", []transaction.EventType{transaction.PreflightSucceeded}, events)
			if !errors.Is(errs[0], preflightjob.ErrNotCancellable) || errs[1] != nil || reportErr != nil {
				t.Errorf("succeeded: errors %v, report %v", errs, reportErr)
			}
		default:
			t.Errorf("job is %s after both", got.Status)
		}
	}
}

func upstreamStatus(t *testing.T, w *fixture) {
	id := w.submit(t, acme).ID
	if _, err := w.jobs.Begin(t.Context(), id, 1, "w1"); err != nil {
		t.Fatalf("begin: %v", err)
	}
	if _, err := w.jobs.Finish(t.Context(), id, 1, "w1", preflightjob.Result{Failure: preflightjob.FetchStatus, UpstreamStatus: 403}); err != nil {
		t.Fatalf("finish: %v", err)
	}
	if job, err := w.jobs.Get(t.Context(), acme, id); err != nil || job.Failure.UpstreamStatus != 403 {
		t.Errorf("job %+v, %v; want the status 403", job, err)
	}
	if _, err := w.jobs.Reopen(t.Context(), id, 1); err != nil {
		t.Fatalf("reopen: %v", err)
	}
	if job, err := w.jobs.Get(t.Context(), acme, id); err != nil || job.Failure != (preflightjob.Failure{}) {
		t.Errorf("reopened job %+v, %v; want no failure", job, err)
	}
}

func reportOnce(t *testing.T, w *fixture) {
	job := w.submit(t, acme)
	if _, err := w.jobs.Report(t.Context(), acme, job.ID); !errors.Is(err, preflightjob.ErrNotReady) {
		t.Errorf("report of a queued job: error = %v, want ErrNotReady", err)
	}
	finishJob(t, w, job.ID)
	got, err := w.jobs.Report(t.Context(), acme, job.ID)
	if err != nil {
		t.Fatalf("w.jobs.Report: %v", err)
	}
	wantEqual(t, "report", string(inspected), string(got))

	// Even a caller that breaks the rules of the service cannot overwrite it.
	_, err = w.store.AmendJob(t.Context(), job.ID, func(job preflightjob.Job) (preflightjob.Change, error) {
		return preflightjob.Change{Job: job, Report: []byte(`{}`)}, nil
	})
	if err == nil {
		t.Error("a second report was stored")
	}
	if got, err = w.jobs.Report(t.Context(), acme, job.ID); err != nil || string(got) != string(inspected) {
		t.Errorf("report is now %q (%v)", got, err)
	}
}

func attemptsExhausted(t *testing.T, w *fixture) {
	job := w.submit(t, acme)
	for attempt := 1; attempt <= preflightjob.DefaultMaxAttempts; attempt++ {
		if _, err := w.jobs.Begin(t.Context(), job.ID, attempt, "w1"); err != nil {
			t.Fatalf("attempt %d: %v", attempt, err)
		}
	}
	if _, err := w.jobs.Begin(t.Context(), job.ID, preflightjob.DefaultMaxAttempts+1, "w1"); !errors.Is(err, preflightjob.ErrTerminal) {
		t.Errorf("attempt past the limit: error = %v, want ErrTerminal", err)
	}
	got, err := w.jobs.Get(t.Context(), acme, job.ID)
	if err != nil || got.Status != preflightjob.Failed || got.Failure.Code != preflightjob.AttemptsExhausted || got.Failure.Detail == "" {
		t.Errorf("job = %+v (%v), want failed with ATTEMPTS_EXHAUSTED", got, err)
	}
	wantEqual(t, "events", []transaction.EventType{transaction.PreflightFailed}, w.eventsAbout(t, job.ID))
}

func simulatedJobs(t *testing.T, w *fixture) {
	for _, profile := range preflightjob.SimulatorProfiles() {
		simulated := request("")
		simulated.Profile = profile
		submitted, err := w.jobs.Submit(t.Context(), acmeTest, simulated, 1)
		if err != nil {
			t.Fatalf("%s: %v", profile, err)
		}
		if submitted.Job.Status != preflightjob.Queued {
			t.Errorf("%s: status = %s, want queued", profile, submitted.Job.Status)
		}
		got, err := w.jobs.Get(t.Context(), acmeTest, submitted.Job.ID)
		if err != nil || !got.Status.Terminal() {
			t.Errorf("%s: %s (%v), want an end", profile, got.Status, err)
		}
		if n := len(w.eventsAbout(t, got.ID)); n != 1 {
			t.Errorf("%s: %d events, want 1", profile, n)
		}
	}
	if dispatched := w.queue.take(); len(dispatched) != 0 {
		t.Errorf("simulated jobs were dispatched: %v", dispatched)
	}
}

func progressFenced(t *testing.T, w *fixture) {
	job := w.submit(t, acme)
	half := preflightjob.Progress{PagesDone: 4, PagesTotal: 8}
	if err := w.jobs.Progress(t.Context(), job.ID, 1, "w1", half); !errors.Is(err, preflightjob.ErrFenced) {
		t.Errorf("before any begin: error = %v, want ErrFenced", err)
	}
	if _, err := w.jobs.Begin(t.Context(), job.ID, 1, "w1"); err != nil {
		t.Fatalf("w.jobs.Begin: %v", err)
	}
	for range 2 {
		if err := w.jobs.Progress(t.Context(), job.ID, 1, "w1", half); err != nil {
			t.Fatalf("w.jobs.Progress: %v", err)
		}
	}
	got, err := w.jobs.Get(t.Context(), acme, job.ID)
	if err != nil || got.Progress != half || got.Version != 3 {
		t.Errorf("progress %+v in version %d (%v), want %+v in version 3", got.Progress, got.Version, err, half)
	}
	if _, err := w.jobs.Begin(t.Context(), job.ID, 2, "w2"); err != nil {
		t.Fatalf("w.jobs.Begin: %v", err)
	}
	if err := w.jobs.Progress(t.Context(), job.ID, 1, "w1", half); !errors.Is(err, preflightjob.ErrFenced) {
		t.Errorf("after a newer begin: error = %v, want ErrFenced", err)
	}
}

func amendNothing(t *testing.T, w *fixture) {
	job := w.submit(t, acme)
	refusal := errors.New("refused")
	if _, err := w.store.AmendJob(t.Context(), job.ID, func(preflightjob.Job) (preflightjob.Change, error) {
		return preflightjob.Change{}, refusal
	}); !errors.Is(err, refusal) {
		t.Errorf("error = %v, want the one of decide", err)
	}
	if _, err := w.store.AmendJob(t.Context(), job.ID, func(job preflightjob.Job) (preflightjob.Change, error) {
		job.Status = preflightjob.Failed
		return preflightjob.Change{Job: job, Unchanged: true}, nil
	}); err != nil {
		t.Fatalf("w.store.AmendJob: %v", err)
	}
	got, err := w.jobs.Get(t.Context(), acme, job.ID)
	if err != nil {
		t.Fatalf("w.jobs.Get: %v", err)
	}
	wantEqual(t, "job", job, got)
	absent, err := recordid.New(recordid.Job, w.clock.Now(), zeros{})
	if err != nil {
		t.Fatalf("recordid.New: %v", err)
	}
	if _, err := w.jobs.Begin(t.Context(), absent, 1, "w1"); !errors.Is(err, transaction.ErrNotFound) {
		t.Errorf("begin of no job: error = %v, want ErrNotFound", err)
	}
}

// zeros is a random source without randomness.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func drainedAttempt(t *testing.T, w *fixture) {
	id := w.submit(t, acme).ID
	for attempt := 1; attempt <= 2*preflightjob.DefaultMaxAttempts; attempt++ {
		if _, err := w.jobs.Begin(t.Context(), id, attempt, "w1"); err != nil {
			t.Fatalf("begin %d: %v", attempt, err)
		}
		if err := w.jobs.Release(t.Context(), id, attempt, "w2"); !errors.Is(err, preflightjob.ErrFenced) {
			t.Errorf("released by another: %v, want ErrFenced", err)
		}
		if err := w.jobs.Release(t.Context(), id, attempt, "w1"); err != nil {
			t.Fatalf("release %d: %v", attempt, err)
		}
		// A second release would give back a try that another attempt has used.
		if err := w.jobs.Release(t.Context(), id, attempt, "w1"); !errors.Is(err, preflightjob.ErrFenced) {
			t.Errorf("released twice: %v, want ErrFenced", err)
		}
		if _, err := w.jobs.Finish(t.Context(), id, attempt, "w1", warned); !errors.Is(err, preflightjob.ErrFenced) {
			t.Errorf("finished after its release: %v, want ErrFenced", err)
		}
		if _, err := w.jobs.Begin(t.Context(), id, attempt, "w3"); !errors.Is(err, preflightjob.ErrStaleAttempt) {
			t.Errorf("its number begins again: %v, want ErrStaleAttempt", err)
		}
	}
	job, err := w.jobs.Get(t.Context(), acme, id)
	if err != nil || job.Tries != 0 || job.Attempt != 2*preflightjob.DefaultMaxAttempts || job.Status != preflightjob.Processing {
		t.Errorf("job = %+v, %v", job, err)
	}
}

func reopened(t *testing.T, w *fixture) {
	id := w.submit(t, acme).ID
	for attempt := 1; attempt <= preflightjob.DefaultMaxAttempts; attempt++ {
		if _, err := w.jobs.Begin(t.Context(), id, attempt, "w1"); err != nil {
			t.Fatalf("begin %d: %v", attempt, err)
		}
	}
	last := preflightjob.DefaultMaxAttempts + 1
	if _, err := w.jobs.Begin(t.Context(), id, last, "w1"); !errors.Is(err, preflightjob.ErrExhausted) {
		t.Fatalf("one attempt too many: %v, want ErrExhausted", err)
	}
	w.clock.advance(time.Hour)
	if _, err := w.jobs.Reopen(t.Context(), id, last-1); !errors.Is(err, preflightjob.ErrTerminal) {
		t.Errorf("before the last attempt: error = %v, want ErrTerminal", err)
	}
	for range 2 { // the second finds it open
		if _, err := w.jobs.Reopen(t.Context(), id, last); err != nil {
			t.Fatalf("reopen: %v", err)
		}
	}
	job, err := w.jobs.Get(t.Context(), acme, id)
	if err != nil || job.Status != preflightjob.Queued || job.Tries != 0 || job.Failure != (preflightjob.Failure{}) || !job.FinishedAt.IsZero() ||
		!job.ExpiresAt.Equal(w.clock.Now().Add(preflightjob.Retention)) {
		t.Errorf("reopened job = %+v, %v", job, err)
	}
	if _, err := w.jobs.Begin(t.Context(), id, last, "w2"); !errors.Is(err, preflightjob.ErrStaleAttempt) {
		t.Errorf("a number from before: %v, want ErrStaleAttempt", err)
	}
	if _, err := w.jobs.Begin(t.Context(), id, last+1, "w2"); err != nil {
		t.Fatalf("begin after reopening: %v", err)
	}
	if _, err := w.jobs.Finish(t.Context(), id, last+1, "w2", warned); err != nil {
		t.Fatalf("finish after reopening: %v", err)
	}
	if _, err := w.jobs.Reopen(t.Context(), id, last+1); !errors.Is(err, preflightjob.ErrTerminal) {
		t.Errorf("a job that succeeded: %v, want ErrTerminal", err)
	}
	if got, err := w.jobs.Report(t.Context(), acme, id); err != nil || string(got) != string(inspected) {
		t.Errorf("report %q, %v", got, err)
	}
}

func withdrawnByOperator(t *testing.T, w *fixture) {
	id := w.submit(t, acme).ID
	for range 2 {
		if job, err := w.jobs.Withdraw(t.Context(), id); err != nil || job.Status != preflightjob.Cancelled {
			t.Errorf("job = %+v, %v", job, err)
		}
	}
	if _, err := w.jobs.Withdraw(t.Context(), finishJob(t, w, w.submit(t, acme).ID).ID); !errors.Is(err, preflightjob.ErrNotCancellable) {
		t.Errorf("an ended job: %v, want ErrNotCancellable", err)
	}
	if _, err := w.jobs.Withdraw(t.Context(), "pref_none"); !errors.Is(err, transaction.ErrNotFound) {
		t.Errorf("no job: %v, want ErrNotFound", err)
	}
}
