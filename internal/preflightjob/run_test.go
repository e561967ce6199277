// SPDX-License-Identifier: Apache-2.0

package preflightjob_test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/transaction"
)

var passed = preflightjob.Result{Report: []byte(`{"verdict":"pass"}`), Verdict: preflightjob.Pass, Progress: preflightjob.Progress{PagesDone: 8, PagesTotal: 8}}

func TestTheStateGraphHasThreeTerminalStates(t *testing.T) {
	t.Parallel()
	want := map[preflightjob.Status][]preflightjob.Status{
		preflightjob.Queued:     {preflightjob.Processing, preflightjob.Failed, preflightjob.Cancelled},
		preflightjob.Processing: {preflightjob.Processing, preflightjob.Succeeded, preflightjob.Failed, preflightjob.Cancelled},
		preflightjob.Succeeded:  nil, preflightjob.Failed: nil, preflightjob.Cancelled: nil,
	}
	for _, from := range preflightjob.Statuses() {
		for _, to := range preflightjob.Statuses() {
			if got := from.CanBecome(to); got != slices.Contains(want[from], to) {
				t.Errorf("%s can become %s: %t", from, to, got)
			}
		}
		if from.Terminal() != (want[from] == nil) {
			t.Errorf("%s is terminal: %t", from, from.Terminal())
		}
	}
}

func TestLifeOfAJobIsRecorded(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := b.submitted(t).ID
	b.now = nine.Add(time.Second)
	begun, err := b.Begin(t.Context(), id, 1, "w1")
	if err != nil || begun.Status != preflightjob.Processing || !begun.StartedAt.Equal(b.now) || begun.Attempt != 1 || begun.Incarnation != "w1" {
		t.Fatalf("begun = %+v, %v", begun, err)
	}
	if err := b.Progress(t.Context(), id, 1, "w1", preflightjob.Progress{PagesDone: 3, PagesTotal: 8}); err != nil {
		t.Fatalf(`Progress(%q, "w1"): %v`, id, err)
	}
	b.now = nine.Add(time.Minute)
	again, err := b.Begin(t.Context(), id, 2, "w2")
	if err != nil || !again.StartedAt.Equal(nine.Add(time.Second)) || again.Progress != (preflightjob.Progress{}) {
		t.Fatalf("begun again = %+v, %v; want the first start and no progress", again, err)
	}
	b.now = nine.Add(time.Hour)
	finished, err := b.Finish(t.Context(), id, 2, "w2", passed)
	if err != nil || finished.Status != preflightjob.Succeeded || finished.Verdict != preflightjob.Pass ||
		!finished.FinishedAt.Equal(b.now) || !finished.ExpiresAt.Equal(b.now.Add(preflightjob.Retention)) || finished.Version != 5 || finished.Progress != passed.Progress {
		t.Fatalf("finished = %+v, %v", finished, err)
	}
	if len(b.store.events) != 1 || b.store.events[0].Type != transaction.PreflightSucceeded || b.store.events[0].Subject != id {
		t.Errorf("events = %+v", b.store.events)
	}
	if report, err := b.Report(t.Context(), acme, id); err != nil || string(report) != string(passed.Report) {
		t.Errorf("report = %s, %v", report, err)
	}
}

func TestEachFailureHasADetail(t *testing.T) {
	t.Parallel()
	for _, kind := range preflightjob.Failures() {
		b := newBench(t)
		id := b.submitted(t).ID
		if _, err := b.Begin(t.Context(), id, 1, "w1"); err != nil {
			t.Fatalf(`Begin(%q, "w1"): %v`, id, err)
		}
		got, err := b.Finish(t.Context(), id, 1, "w1", preflightjob.Result{Failure: kind.Code})
		if err != nil || got.Status != preflightjob.Failed || got.Failure != (preflightjob.Failure{Code: kind.Code, Detail: kind.Detail}) || !strings.HasSuffix(kind.Detail, ".") {
			t.Errorf("%s: job = %+v, %v", kind.Code, got, err)
		}
		if b.store.events[0].Type != transaction.PreflightFailed {
			t.Errorf("%s: events = %+v", kind.Code, b.store.events)
		}
		var missing *preflightjob.NoReportError
		if _, err := b.Report(t.Context(), acme, id); !errors.As(err, &missing) || missing.Failure != got.Failure {
			t.Errorf("%s: report error = %v, want NoReportError with the failure", kind.Code, err)
		}
	}
}

func TestInvalidResultIsRefused(t *testing.T) {
	t.Parallel()
	results := map[string]preflightjob.Result{
		"nothing":                  {},
		"a verdict alone":          {Verdict: preflightjob.Pass},
		"a report alone":           {Report: []byte(`{}`)},
		"an unknown verdict":       {Report: []byte(`{}`), Verdict: "good"},
		"a report of invalid JSON": {Report: []byte(`{`), Verdict: preflightjob.Pass},
		"a report too large":       {Report: []byte(`"` + strings.Repeat("a", preflightjob.MaxReport) + `"`), Verdict: preflightjob.Pass},
		"a negative progress":      {Report: []byte(`{}`), Verdict: preflightjob.Pass, Progress: preflightjob.Progress{PagesDone: -1, PagesTotal: 8}},
		"an unknown failure":       {Failure: "OOPS"},
		"a failure with a report":  {Failure: preflightjob.TimeLimit, Report: []byte(`{}`)},
		"a failure with a verdict": {Failure: preflightjob.TimeLimit, Verdict: preflightjob.Fail},
		"a status without fetch":   {Failure: preflightjob.TimeLimit, UpstreamStatus: 404},
		"a status of two digits":   {Failure: preflightjob.FetchStatus, UpstreamStatus: 99},
		"a status of four digits":  {Failure: preflightjob.FetchStatus, UpstreamStatus: 1000},
	}
	for name, result := range results {
		b := newBench(t)
		id := b.submitted(t).ID
		calls := b.store.calls
		if _, err := b.Finish(t.Context(), id, 1, "w1", result); !errors.Is(err, preflightjob.ErrInvalidResult) || b.store.calls != calls {
			t.Errorf("%s: error = %v, want ErrInvalidResult without a call of the store", name, err)
		}
	}
}

func TestWorkerRequiresAName(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := b.submitted(t).ID
	calls := b.store.calls
	for name, call := range map[string]func() error{
		"attempt zero":              func() error { _, err := b.Begin(t.Context(), id, 0, "w1"); return err },
		"a negative attempt":        func() error { _, err := b.Begin(t.Context(), id, -1, "w1"); return err },
		"no incarnation":            func() error { _, err := b.Begin(t.Context(), id, 1, ""); return err },
		"an invalid incarnation":    func() error { _, err := b.Begin(t.Context(), id, 1, "w\x00\xff"); return err },
		"a long incarnation":        func() error { _, err := b.Begin(t.Context(), id, 1, strings.Repeat("w", 129)); return err },
		"no id":                     func() error { _, err := b.Begin(t.Context(), "", 1, "w1"); return err },
		"finish without id":         func() error { _, err := b.Finish(t.Context(), "x", 1, "w1", passed); return err },
		"progress without a holder": func() error { return b.Progress(t.Context(), id, 1, "", preflightjob.Progress{}) },
		"negative progress":         func() error { return b.Progress(t.Context(), id, 1, "w1", preflightjob.Progress{PagesDone: -1}) },
	} {
		if err := call(); !errors.Is(err, preflightjob.ErrInvalidResult) && !errors.Is(err, transaction.ErrNotFound) {
			t.Errorf("%s: error = %v, want ErrInvalidResult without a call of the store", name, err)
		}
	}
	if b.store.calls != calls {
		t.Error("the store was called")
	}
}

func TestAttemptsAreLimited(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(c *preflightjob.Config) { c.MaxAttempts = 2 })
	id := b.submitted(t).ID
	// Tries counts attempts; their numbers may have gaps.
	for _, attempt := range []int{1, 4} {
		if _, err := b.Begin(t.Context(), id, attempt, "w1"); err != nil {
			t.Fatalf("attempt %d: %v", attempt, err)
		}
	}
	if _, err := b.Begin(t.Context(), id, 5, "w2"); !errors.Is(err, preflightjob.ErrExhausted) || !errors.Is(err, preflightjob.ErrTerminal) {
		t.Errorf("attempt over the limit: error = %v, want ErrExhausted, which is ErrTerminal", err)
	}
	if got, err := b.Get(t.Context(), acme, id); err != nil || got.Failure.Code != preflightjob.AttemptsExhausted {
		t.Errorf("job = %+v, %v", got, err)
	}
	if _, err := b.Finish(t.Context(), id, 4, "w1", passed); !errors.Is(err, preflightjob.ErrFenced) {
		t.Errorf("finish of the previous attempt: error = %v, want ErrFenced", err)
	}
}

func TestCancelSucceedsWhileTheQueueIsUnavailable(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := b.submitted(t).ID
	b.queue.err = errors.New("connection refused")
	got, err := b.Cancel(t.Context(), acme, id)
	if err != nil || got.Status != preflightjob.Cancelled || !slices.Contains(b.queue.cancelled, id) {
		t.Errorf("cancelled = %+v, %v; the queue received %v", got, err, b.queue.cancelled)
	}
	if !strings.Contains(b.log.String(), id) {
		t.Errorf("log = %q", b.log)
	}
}

func TestInvalidIDIsNotQueried(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, id := range []string{"", "pref_", "pref_01kb0qxr80zzzzzzzzzzzzzzzz", "rfq_01KB0QXR80ZZZZZZZZZZZZZZZZ"} {
		_, getErr := b.Get(t.Context(), acme, id)
		_, reportErr := b.Report(t.Context(), acme, id)
		_, cancelErr := b.Cancel(t.Context(), acme, id)
		for verb, err := range map[string]error{"get": getErr, "report": reportErr, "cancel": cancelErr} {
			if !errors.Is(err, transaction.ErrNotFound) {
				t.Errorf("%s %q: error = %v, want ErrNotFound", verb, id, err)
			}
		}
	}
	if b.store.calls != 0 {
		t.Error("the store was called")
	}
}

func TestReportPurgedBetweenTwoReadsIsGone(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := b.submitted(t).ID
	if _, err := b.Begin(t.Context(), id, 1, "w1"); err != nil {
		t.Fatalf(`Begin(%q, "w1"): %v`, id, err)
	}
	if _, err := b.Finish(t.Context(), id, 1, "w1", passed); err != nil {
		t.Fatalf(`Finish(%q, "w1"): %v`, id, err)
	}
	delete(b.store.documents[preflightjob.ReportDocument], id)
	if _, err := b.Report(t.Context(), acme, id); !errors.Is(err, preflightjob.ErrGone) {
		t.Errorf("error = %v, want ErrGone", err)
	}
}

func TestSimulatorEndsEachJobByItsProfile(t *testing.T) {
	t.Parallel()
	profiles := preflightjob.SimulatorProfiles()
	if want := 3 + len(preflightjob.Failures()) + 1; len(profiles) != want {
		t.Errorf("%d simulated profiles, want %d", len(profiles), want)
	}
	for _, profile := range profiles {
		b := newBench(t, func(c *preflightjob.Config) {
			c.SimulatedReport = func(v preflightjob.Verdict) []byte { return []byte(`{"chosen":"` + string(v) + `"}`) }
		})
		got, err := b.Submit(t.Context(), acmeTest, preflightjob.Request{FileURL: signedURL, Profile: profile}, 10)
		if err != nil || got.Job.Status != preflightjob.Queued || len(b.queue.submitted) != 0 {
			t.Fatalf("%s: submitted = %+v, %v; dispatched %v", profile, got, err, b.queue.submitted)
		}
		job, err := b.Get(t.Context(), acmeTest, got.Job.ID)
		if err != nil {
			t.Fatalf("Get(%q): %v", got.Job.ID, err)
		}
		parts := strings.Split(profile, ":")
		if string(job.Status) != parts[1] {
			t.Errorf("%s: job is %s", profile, job.Status)
		}
		if len(parts) == 3 && string(job.Verdict)+string(job.Failure.Code) != parts[2] {
			t.Errorf("%s: verdict %q, failure %q", profile, job.Verdict, job.Failure.Code)
		}
		report, err := b.Report(t.Context(), acmeTest, job.ID)
		if want := `{"chosen":"` + string(job.Verdict) + `"}`; job.Status == preflightjob.Succeeded && (err != nil || string(report) != want) {
			t.Errorf("%s: report %s, %v", profile, report, err)
		}
	}
}

func TestSimulatedReportsAreMinimalByDefault(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	got, err := b.Submit(t.Context(), acmeTest, preflightjob.Request{FileURL: signedURL, Profile: "sim:succeeded:warn"}, 10)
	if err != nil {
		t.Fatalf("Submit: %v", err)
	}
	report, err := b.Report(t.Context(), acmeTest, got.Job.ID)
	if err != nil || string(report) != `{"simulated":true,"verdict":"warn"}` || !json.Valid(report) {
		t.Errorf("report = %s, %v", report, err)
	}
}

// Any order of calls preserves the invariants of a job: attempts grow, an end is final
// and has one event, and a report exists exactly if the job succeeded.
func TestAnyOrderOfCallsPreservesTheInvariants(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for range 300 {
		b := newBench(t)
		id := b.submitted(t).ID
		before := b.store.jobs[0]
		for range 25 {
			attempt, owner := 1+random.IntN(7), []string{"w1", "w2"}[random.IntN(2)]
			switch random.IntN(5) {
			case 0, 1:
				_, _ = b.Begin(t.Context(), id, attempt, owner)
			case 2:
				_, _ = b.Finish(t.Context(), id, attempt, owner, []preflightjob.Result{passed, {Failure: preflightjob.FetchStatus}}[random.IntN(2)])
			case 3:
				_ = b.Progress(t.Context(), id, attempt, owner, preflightjob.Progress{PagesDone: random.IntN(3), PagesTotal: 3})
			case 4:
				if random.IntN(8) == 0 {
					_, _ = b.Cancel(t.Context(), acme, id)
				}
			}
			after := b.store.jobs[0]
			checkStep(t, before, after)
			before = after
		}
		_, hasReport := b.store.documents[preflightjob.ReportDocument][id]
		if ended := before.Status.Terminal(); hasReport != (before.Status == preflightjob.Succeeded) || (len(b.store.events) == 1) != ended {
			t.Fatalf("job %+v has report %t and %d events", before, hasReport, len(b.store.events))
		}
	}
}

func checkStep(t *testing.T, before, after preflightjob.Job) {
	t.Helper()
	switch {
	case cmp.Equal(before, after):
	case before.Status.Terminal():
		t.Fatalf("an ended job changed from %+v to %+v", before, after)
	case !before.Status.CanBecome(after.Status):
		t.Fatalf("%s became %s", before.Status, after.Status)
	case after.Version <= before.Version || after.Attempt < before.Attempt:
		t.Fatalf("version or attempt decreased from %+v to %+v", before, after)
	case after.Attempt == before.Attempt && after.Incarnation != before.Incarnation:
		t.Fatalf("the holder of attempt %d changed from %s to %s", before.Attempt, before.Incarnation, after.Incarnation)
	}
}
