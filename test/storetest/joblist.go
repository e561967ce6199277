// SPDX-License-Identifier: Apache-2.0

package storetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/preflightjob"
)

var jobListCases = map[string]func(*testing.T, *fixture){
	"pages of jobs of any size join to the whole list, newest first": jobPagesJoin,
	"jobs submitted between two pages do not shift the second":       jobPagesAreStable,
	"a list holds the tenant's own jobs alone":                       jobListIsOwn,
	"a list of a status holds the jobs that have it":                 jobListOfStatus,
	"a job is listed until its retention has passed, purged or not":  jobListForgets,
	"a cursor of jobs is good for its tenant and its filter alone":   jobCursorIsBound,
	"filters of jobs are combined, and their pages join":             jobListIsFiltered,
}

// queueUp submits jobs of acme and returns their ids, the newest first.
func (w *fixture) queueUp(t *testing.T, n int) []string {
	t.Helper()
	var ids []string
	for range n {
		ids = append(ids, w.submit(t, acme).ID)
		w.clock.advance(time.Millisecond)
	}
	slices.Reverse(ids)
	return ids
}

// walkJobs reads every page of acme's jobs and returns the ids.
func (w *fixture) walkJobs(t *testing.T, next preflightjob.Page, between func()) []string {
	t.Helper()
	var ids []string
	for range maxPages {
		list, err := w.jobs.List(t.Context(), acme, next)
		if err != nil {
			t.Fatalf("a page of %d: %v", next.Limit, err)
		}
		for _, item := range list.Items {
			ids = append(ids, item.ID)
		}
		if list.NextCursor == "" {
			return ids
		}
		if len(list.Items) != next.Limit {
			t.Fatalf("a page has %d items and a next page, want %d", len(list.Items), next.Limit)
		}
		next.Cursor = list.NextCursor
		between()
	}
	t.Fatalf("no end after %d pages of %d", maxPages, next.Limit)
	return nil
}

func jobPagesJoin(t *testing.T, w *fixture) {
	const total = 23
	want := w.queueUp(t, total)
	for _, limit := range []int{1, 5, total - 1, total, total + 1, preflightjob.MaxLimit} {
		wantEqual(t, fmt.Sprintf("ids in pages of %d", limit), want, w.walkJobs(t, preflightjob.Page{Limit: limit}, func() {}))
	}
}

func jobPagesAreStable(t *testing.T, w *fixture) {
	want := w.queueUp(t, 12)
	got := w.walkJobs(t, preflightjob.Page{Limit: 4}, func() { w.queueUp(t, 3) })
	wantEqual(t, "ids read while others were submitted", want, got)
}

func jobListIsOwn(t *testing.T, w *fixture) {
	mine := w.submit(t, acme)
	for _, owner := range strangers {
		w.submit(t, owner)
	}
	list, err := w.jobs.List(t.Context(), acme, preflightjob.Page{})
	if err != nil {
		t.Fatalf("w.jobs.List: %v", err)
	}
	wantEqual(t, "list", []preflightjob.Job{mine}, list.Items)
}

func jobListOfStatus(t *testing.T, w *fixture) {
	ids := w.queueUp(t, 5)
	finishJob(t, w, ids[0])
	finishJob(t, w, ids[3])
	if _, err := w.jobs.Cancel(t.Context(), acme, ids[2]); err != nil {
		t.Fatalf("w.jobs.Cancel: %v", err)
	}
	if _, err := w.jobs.Begin(t.Context(), ids[4], 1, "w1"); err != nil {
		t.Fatalf("w.jobs.Begin: %v", err)
	}
	for status, want := range map[preflightjob.Status][]string{
		preflightjob.Queued: {ids[1]}, preflightjob.Processing: {ids[4]}, preflightjob.Succeeded: {ids[0], ids[3]}, preflightjob.Failed: nil, preflightjob.Cancelled: {ids[2]},
	} {
		wantEqual(t, fmt.Sprintf("ids with the status %q", status), want, w.walkJobs(t, preflightjob.Page{Filter: preflightjob.Filter{Statuses: []preflightjob.Status{status}}, Limit: 1}, func() {}))
	}
}

func jobListIsFiltered(t *testing.T, w *fixture) {
	start := w.clock.Now()
	var ids []string
	for i, reference := range []string{"PO-1", "", "PO-1", "po-1", "PO-1", "PO-2"} {
		wanted := request(fmt.Sprint("key", i))
		wanted.ClientReference = reference
		submitted, err := w.jobs.Submit(t.Context(), acme, wanted, 1_000)
		if err != nil || submitted.Job.ClientReference != reference {
			t.Fatalf("submitted %+v, %v; want the reference %q", submitted.Job, err, reference)
		}
		ids = append(ids, submitted.Job.ID)
		w.clock.advance(time.Second)
	}
	for i, verdict := range []preflightjob.Verdict{preflightjob.Pass, preflightjob.Warn, preflightjob.Fail, preflightjob.Warn} {
		if _, err := w.jobs.Begin(t.Context(), ids[i], 1, "w1"); err != nil {
			t.Fatalf("begin: %v", err)
		}
		if _, err := w.jobs.Finish(t.Context(), ids[i], 1, "w1", preflightjob.Result{Report: inspected, Verdict: verdict}); err != nil {
			t.Fatalf("finish: %v", err)
		}
	}
	if _, err := w.jobs.Cancel(t.Context(), acme, ids[4]); err != nil {
		t.Fatalf("cancel: %v", err)
	}
	type filter = preflightjob.Filter
	warnOrFail := []preflightjob.Verdict{preflightjob.Warn, preflightjob.Fail, preflightjob.Warn}
	for name, tc := range map[string]struct {
		filter filter
		want   []int
	}{
		"everything":                   {filter{}, []int{5, 4, 3, 2, 1, 0}},
		"a reference":                  {filter{ClientReference: "PO-1"}, []int{4, 2, 0}},
		"an unknown reference":         {filter{ClientReference: "PO-3"}, nil},
		"a reference and two statuses": {filter{ClientReference: "PO-1", Statuses: []preflightjob.Status{preflightjob.Succeeded, preflightjob.Queued}}, []int{2, 0}},
		"a reference and a verdict":    {filter{ClientReference: "PO-1", Verdicts: warnOrFail}, []int{2}},
		"a verdict":                    {filter{Verdicts: []preflightjob.Verdict{preflightjob.Pass}}, []int{0}},
		"two verdicts, one repeated":   {filter{Verdicts: warnOrFail}, []int{3, 2, 1}},
		"verdicts and their status":    {filter{Verdicts: warnOrFail, Statuses: []preflightjob.Status{preflightjob.Succeeded}}, []int{3, 2, 1}},
		"verdicts and another status":  {filter{Verdicts: warnOrFail, Statuses: []preflightjob.Status{preflightjob.Failed}}, nil},
		"two statuses":                 {filter{Statuses: []preflightjob.Status{preflightjob.Queued, preflightjob.Cancelled}}, []int{5, 4}},
		"from an instant on":           {filter{CreatedAfter: start.Add(3 * time.Second)}, []int{5, 4, 3}},
		"before an instant":            {filter{CreatedBefore: start.Add(3 * time.Second)}, []int{2, 1, 0}},
		"verdicts in a period":         {filter{Verdicts: warnOrFail, CreatedAfter: start.Add(2 * time.Second), CreatedBefore: start.Add(3 * time.Second)}, []int{2}},
		"statuses in a period":         {filter{Statuses: []preflightjob.Status{preflightjob.Succeeded, preflightjob.Queued}, CreatedAfter: start.Add(3 * time.Second)}, []int{5, 3}},
		"a reference in a period":      {filter{ClientReference: "PO-1", CreatedBefore: start.Add(4 * time.Second)}, []int{2, 0}},
	} {
		var want []string
		for _, i := range tc.want {
			want = append(want, ids[i])
		}
		wantEqual(t, name, want, w.walkJobs(t, preflightjob.Page{Filter: tc.filter, Limit: 1}, func() {}))
		wantEqual(t, name+" on one page", want, w.walkJobs(t, preflightjob.Page{Filter: tc.filter}, func() {}))
	}
}

func jobListForgets(t *testing.T, w *fixture) {
	ended := w.submit(t, acme)
	finishJob(t, w, ended.ID)
	w.clock.advance(time.Hour)
	later := w.submit(t, acme)
	finishJob(t, w, later.ID)
	w.clock.advance(preflightjob.Retention - time.Hour - time.Millisecond)
	both := []string{later.ID, ended.ID}
	wantEqual(t, "just before the end", both, w.walkJobs(t, preflightjob.Page{}, func() {}))
	w.clock.advance(time.Millisecond)
	wantEqual(t, "at the end", both[:1], w.walkJobs(t, preflightjob.Page{}, func() {}))
	if n, err := w.jobs.Purge(t.Context(), 10); n != 1 || err != nil {
		t.Errorf("purged %d (%v), want 1", n, err)
	}
	wantEqual(t, "after the purge", both[:1], w.walkJobs(t, preflightjob.Page{}, func() {}))
}

func jobCursorIsBound(t *testing.T, w *fixture) {
	w.queueUp(t, 3)
	first, err := w.jobs.List(t.Context(), acme, preflightjob.Page{Limit: 1})
	if err != nil {
		t.Fatalf("w.jobs.List: %v", err)
	}
	for _, owner := range strangers {
		if _, err := w.jobs.List(t.Context(), owner, preflightjob.Page{Limit: 1, Cursor: first.NextCursor}); !errors.Is(err, preflightjob.ErrInvalidPage) {
			t.Errorf("as %s: error = %v, want ErrInvalidPage", owner, err)
		}
	}
	if _, err := w.jobs.List(t.Context(), acme, preflightjob.Page{Filter: preflightjob.Filter{Statuses: []preflightjob.Status{preflightjob.Queued}}, Cursor: first.NextCursor}); !errors.Is(err, preflightjob.ErrInvalidPage) {
		t.Errorf("of another status: error = %v, want ErrInvalidPage", err)
	}
	if _, err := w.jobs.List(t.Context(), acme, preflightjob.Page{Filter: preflightjob.Filter{ClientReference: "PO-1"}, Cursor: first.NextCursor}); !errors.Is(err, preflightjob.ErrInvalidPage) {
		t.Errorf("of a reference: error = %v, want ErrInvalidPage", err)
	}
}
