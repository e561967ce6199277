// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/requestlog"
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

// TestRequestLogIsListedByIndex checks the plans of all filters but the path, which has no index.
func TestRequestLogIsListedByIndex(t *testing.T) {
	t.Parallel()
	records := openStore(t, filepath.Join(t.TempDir(), "records.db"))
	for index, query := range map[string]requestlog.Query{
		"PRIMARY KEY (tenant=? AND id<?)":                                {},
		"INDEX request_log_key (tenant=? AND key_name=? AND id<?)":       {Key: "erp"},
		"INDEX request_log_request (tenant=? AND request_id=? AND id<?)": {RequestID: "req_00000001"},
		"INDEX request_log_code (tenant=? AND code=? AND id<?)":          {Code: "OVERLOADED"},
		"INDEX request_log_class (tenant=? AND <expr>=? AND id<?)":       {Class: 5},
	} {
		rows, err := records.reader.QueryContext(t.Context(), `EXPLAIN QUERY PLAN `+store.ListRequests(query),
			sql.Named("owner", "org_acme01/live"), sql.Named("key", query.Key), sql.Named("request", query.RequestID), sql.Named("code", query.Code),
			sql.Named("before", store.BeforeAll), sql.Named("limit", 51))
		steps, err := collect(rows, err, func(r row) (step string, err error) {
			var ignored int
			err = r.Scan(&ignored, &ignored, &ignored, &step)
			return step, err
		})
		if err != nil {
			t.Fatalf("collect: %v", err)
		}
		if plan := strings.Join(steps, "\n"); plan != "SEARCH request_log USING "+index {
			t.Errorf("the plan for %+v is\n%s\nwant a search of %s alone", query, plan, index)
		}
	}
}
