// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/test/pgtest"
)

// TestMalformedJobIsReportedAndSkipped checks that a damaged row blocks neither the other jobs
// nor a worker that waits for the store to become available.
func TestMalformedJobIsReportedAndSkipped(t *testing.T) {
	t.Parallel()
	for column, value := range map[string]string{"tenant": "unknown", "ticket": `{"pages":"many"}`} {
		t.Run(column, func(t *testing.T) {
			t.Parallel()
			address := pgtest.Shared(t)
			store := openStore(t, address)
			_, preflight := services(t, store)
			var ids []string
			for range 3 {
				submitted, err := preflight.Submit(t.Context(), acme, jobOf(""), 10)
				if err != nil {
					t.Fatalf("preflight.Submit: %v", err)
				}
				ids = append(ids, submitted.Job.ID)
			}
			execute(t, address, `UPDATE job SET `+column+` = '`+value+`' WHERE id = '`+ids[1]+`'`)
			var malformed *preflightjob.MalformedError
			open, err := store.OpenJobs(t.Context(), time.Now().Add(time.Hour), 10)
			if !errors.As(err, &malformed) || len(malformed.IDs) != 1 || malformed.IDs[0] != ids[1] {
				t.Errorf("OpenJobs: %v, want the error of job %s", err, ids[1])
			}
			// Jobs of one instant are listed by their ids, which are random.
			var sound []string
			for _, job := range open {
				sound = append(sound, job.ID)
			}
			want := []string{ids[0], ids[2]}
			slices.Sort(want)
			slices.Sort(sound)
			if !slices.Equal(sound, want) {
				t.Errorf("open jobs %v, want the two valid jobs %v", sound, want)
			}
			listed, err := store.Jobs(t.Context(), acme, preflightjob.Selection{Before: preflightjob.Position{SubmittedAt: time.Now().Add(time.Hour)}, Now: time.Now(), Limit: 10})
			if reported := errors.As(err, &malformed); reported != (column != "tenant") || !reported && err != nil || len(listed) != 2 {
				t.Errorf("Jobs = %v, %v; want the two valid jobs, and the error of %s if it belongs to the tenant", listed, err, ids[1])
			}
			var unavailable *transaction.UnavailableError
			if _, err := preflight.Begin(t.Context(), ids[1], 1, "w1"); !errors.As(err, &malformed) || errors.As(err, &unavailable) {
				t.Errorf("Begin: %v, want a MalformedError and not ErrNotFound", err)
			}
			if n, err := preflight.Sweep(t.Context(), 0, 10); err != nil || n != 3 {
				t.Errorf("swept %d, %v; want all jobs", n, err)
			}
		})
	}
}
