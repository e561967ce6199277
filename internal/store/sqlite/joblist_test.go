// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/store"
)

// TestJobsAreListedByIndex checks the plans, which do not depend on the number of jobs.
func TestJobsAreListedByIndex(t *testing.T) {
	t.Parallel()
	records := openStore(t, filepath.Join(t.TempDir(), "records.db"))
	const position = "(submitted_at,id)<(?,?))"
	chosen := map[string]preflightjob.Selection{
		"job_listing (tenant=? AND " + position:                          {},
		"job_reference (tenant=? AND client_reference=? AND " + position: {ClientReference: "PO-1", Statuses: preflightjob.Statuses()},
		"job_verdict (tenant=? AND verdict=? AND " + position:            {Verdicts: []preflightjob.Verdict{preflightjob.Warn}},
		"job_listing (tenant=? AND submitted_at>? AND " + position:       {From: time.UnixMilli(1)},
		"job_status (tenant=? AND status=? AND " + position:              {Statuses: []preflightjob.Status{preflightjob.Queued}},
	}
	for index, selection := range chosen {
		rows, err := records.reader.QueryContext(t.Context(), `EXPLAIN QUERY PLAN `+store.ListJobs(jobColumns, selection),
			sql.Named("owner", "org_acme01/live"), sql.Named("reference", "PO-1"), sql.Named("from", 0), sql.Named("at", 2), sql.Named("before", ""),
			sql.Named("limit", 51), sql.Named("now", 1))
		steps, err := collect(rows, err, func(r row) (step string, err error) {
			var ignored int
			err = r.Scan(&ignored, &ignored, &ignored, &step)
			return step, err
		})
		if err != nil {
			t.Fatalf("collect: %v", err)
		}
		if plan := strings.Join(steps, "\n"); plan != "SEARCH job USING INDEX "+index {
			t.Errorf("the plan for %+v is\n%s\nwant a search of %s alone", selection, plan, index)
		}
	}
}
