// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/store"
)

// TestJobsAreListedByIndex checks the plans, which do not depend on the number of jobs.
func TestJobsAreListedByIndex(t *testing.T) {
	t.Parallel()
	records := openStore(t, filepath.Join(t.TempDir(), "records.db"))
	for _, status := range append(preflightjob.Statuses(), "") {
		index := "job_status (tenant=? AND status=? AND (submitted_at,id)<(?,?))"
		if status == "" {
			index = "job_listing (tenant=? AND (submitted_at,id)<(?,?))"
		}
		rows, err := records.reader.QueryContext(t.Context(), `EXPLAIN QUERY PLAN `+store.ListJobs(jobColumns, status),
			sql.Named("owner", "org_acme01/live"), sql.Named("at", 2), sql.Named("before", ""), sql.Named("status", status), sql.Named("limit", 51), sql.Named("now", 1))
		steps, err := collect(rows, err, func(r row) (step string, err error) {
			var ignored int
			err = r.Scan(&ignored, &ignored, &ignored, &step)
			return step, err
		})
		if err != nil {
			t.Fatalf("collect: %v", err)
		}
		if plan := strings.Join(steps, "\n"); plan != "SEARCH job USING INDEX "+index {
			t.Errorf("the plan for the status %q is\n%s\nwant a search of %s alone", status, plan, index)
		}
	}
}
