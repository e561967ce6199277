// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/client"
)

func TestPreflightJobIsSubmittedReadAndReported(t *testing.T) {
	t.Parallel()
	c := newTestServer(t).client(t, "acme-test")
	submitted, err := c.SubmitPreflight(t.Context(), client.PreflightSubmit{FileURL: "https://files.example.com/flyer.pdf", Profile: "sim:succeeded:warn"})
	if err != nil || submitted.Replayed {
		t.Fatalf("submitted %+v, error %v", submitted, err)
	}
	job, err := c.WaitPreflight(t.Context(), submitted.JobID)
	if err != nil || job.Status != client.PreflightStatusSucceeded || job.Verdict != client.VerdictWarn || job.Result == nil {
		t.Fatalf("job %+v, error %v", job, err)
	}
	var etag string
	report, err := c.PreflightReport(t.Context(), job.JobID, client.IfChanged(&etag))
	if err != nil {
		t.Fatalf("PreflightReport(%q): %v", job.JobID, err)
	}
	if diff := cmp.Diff(*job.Result, report); diff != "" {
		t.Errorf("report (-job +report):\n%s", diff)
	}
	if _, err := c.PreflightReport(t.Context(), job.JobID, client.IfChanged(&etag)); !errors.Is(err, client.ErrNotModified) {
		t.Errorf("error %v, want not modified", err)
	}
	if _, err := c.CancelPreflight(t.Context(), job.JobID); !client.IsCode(err, client.CodePreflightNotCancellable) {
		t.Errorf("error %v", err)
	}
}

func TestFailedJobHasItsReason(t *testing.T) {
	t.Parallel()
	c := newTestServer(t).client(t, "acme-test")
	submitted, err := c.SubmitPreflight(t.Context(), client.PreflightSubmit{FileURL: "https://files.example.com/flyer.pdf", Profile: "sim:failed:FETCH_STATUS"})
	if err != nil {
		t.Fatalf("SubmitPreflight: %v", err)
	}
	job, err := c.WaitPreflight(t.Context(), submitted.JobID)
	if err != nil || job.Status != client.PreflightStatusFailed || job.Failure == nil || job.Failure.Code != client.FailureCodeFetchStatus || job.Failure.UpstreamStatus != 404 {
		t.Errorf("job %+v, error %v", job, err)
	}
}

func TestPreflightsHasAllPagesAndAppliesItsFilter(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	c := h.client(t, "acme-test")
	var ids []string
	var middle time.Time
	for i := range 6 {
		wanted := client.PreflightSubmit{FileURL: "https://files.example.com/flyer.pdf?signature=hush", Profile: "sim:succeeded:warn", ClientReference: "PO-1"}
		if i%2 == 1 {
			wanted.Profile, wanted.ClientReference = "sim:cancelled", ""
		}
		if i == 4 {
			middle = h.Clock.Now()
		}
		submitted, err := c.SubmitPreflight(t.Context(), wanted)
		if err != nil || submitted.ClientReference != wanted.ClientReference || submitted.FileURL != "https://files.example.com/flyer.pdf" {
			t.Fatalf("submitted %+v, error %v", submitted, err)
		}
		ids = append(ids, submitted.JobID)
		h.Advance(time.Second)
	}
	slices.Reverse(ids)
	for name, tt := range map[string]struct {
		filter client.PreflightFilter
		want   []string
	}{
		"everything":         {client.PreflightFilter{}, ids},
		"in small pages":     {client.PreflightFilter{PageSize: 4}, ids},
		"of a status":        {client.PreflightFilter{Status: []client.PreflightStatus{client.PreflightStatusCancelled}, PageSize: 1}, []string{ids[0], ids[2], ids[4]}},
		"of two verdicts":    {client.PreflightFilter{Verdict: []client.Verdict{client.VerdictWarn, client.VerdictFail}, PageSize: 2}, []string{ids[1], ids[3], ids[5]}},
		"from an instant on": {client.PreflightFilter{CreatedAfter: middle}, ids[:2]},
		"before an instant":  {client.PreflightFilter{CreatedBefore: middle, PageSize: 3}, ids[2:]},
		"of a reference":     {client.PreflightFilter{ClientReference: "PO-1", CreatedBefore: middle}, []string{ids[3], ids[5]}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for job, err := range c.Preflights(t.Context(), tt.filter) {
				if err != nil {
					t.Fatalf("Preflights(%+v): %v", tt.filter, err)
				}
				got = append(got, job.JobID)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("jobs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestJobIsPolledAsOftenAsTheAPIRequests(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	var c *client.Client
	var id string
	waits := 0
	c = h.waiting(t, "acme-live", func(d time.Duration) {
		if waits++; d != time.Second {
			t.Errorf("waited %s, want the second that Retry-After says", d)
		}
		if waits == 3 {
			if job, err := c.CancelPreflight(t.Context(), id); err != nil || job.Status != client.PreflightStatusCancelled {
				t.Errorf("cancelled %+v, error %v", job, err)
			}
		}
	})
	submitted, err := c.SubmitPreflight(t.Context(), client.PreflightSubmit{FileURL: "https://files.example.com/flyer.pdf", Profile: "print_ready"})
	if err != nil {
		t.Fatalf("SubmitPreflight: %v", err)
	}
	id = submitted.JobID
	job, err := c.WaitPreflight(t.Context(), id)
	if err != nil || job.Status != client.PreflightStatusCancelled || waits != 3 {
		t.Errorf("job %+v after %d waits, error %v", job, waits, err)
	}
	asked := 0
	for _, r := range h.requests() {
		if r.Method == "GET" && r.Header.Get("If-None-Match") != "" {
			asked++
		}
	}
	if asked != 3 {
		t.Errorf("%d of 4 reads asked for changes alone, want 3", asked)
	}
}

func TestContextEndsTheWaitForAJob(t *testing.T) {
	t.Parallel()
	h := newTestServer(t)
	ctx, cancel := context.WithCancel(t.Context())
	c := h.waiting(t, "acme-live", func(time.Duration) { cancel() })
	submitted, err := c.SubmitPreflight(t.Context(), client.PreflightSubmit{FileURL: "https://files.example.com/flyer.pdf", Profile: "print_ready"})
	if err != nil {
		t.Fatalf("SubmitPreflight: %v", err)
	}
	job, err := c.WaitPreflight(ctx, submitted.JobID)
	if !errors.Is(err, context.Canceled) || job.Status != client.PreflightStatusQueued {
		t.Errorf("job %+v, error %v", job, err)
	}
}
