// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/store"
	"github.com/printmarket/printmarket/test/pgtest"
)

// TestJobsAreListedByIndex checks the plans for a tenant with 100,000 jobs and for a tenant with
// 10,000 jobs, half of them purged.
func TestJobsAreListedByIndex(t *testing.T) {
	t.Parallel()
	address := pgtest.Shared(t)
	records := openStore(t, address)
	execute(t, address,
		`INSERT INTO job (id, tenant, file_url, profile, status, attempt, incarnation, pages_done, pages_total, verdict, failure_code,
			failure_detail, version, submitted_at, started_at, finished_at, expires_at, dispatched_at, client_reference)
		 SELECT 'pref_' || lpad(n::text, 7, '0'), CASE WHEN n % 11 = 0 THEN 'org_stark1/live' ELSE 'org_acme01/live' END,
			CASE WHEN n <= 55000 THEN '' ELSE 'https://files.example.com/a.pdf' END, 'print_ready',
			CASE WHEN n % 5000 = 1 THEN 'failed' WHEN n % 5000 = 2 THEN 'processing' ELSE 'succeeded' END, 1, '', 0, 0,
			CASE WHEN n % 5000 IN (1, 2) THEN '' WHEN n % 5000 = 3 THEN 'fail' ELSE 'pass' END, '',
			'', 3, now() + (n - 110000) * interval '1 second', now(), now(),
			now() + CASE WHEN n <= 55000 THEN interval '-1 day' ELSE interval '10 days' END, now(),
			CASE WHEN n % 100 = 0 THEN 'PO-' || n % 1000 ELSE '' END
		 FROM generate_series(1, 110000) AS n`,
		`VACUUM ANALYZE job`)
	tests := map[string]preflightjob.Selection{
		"job_listing":             {},
		"job_reference":           {ClientReference: "PO-100", Statuses: preflightjob.Statuses()},
		"job_verdict":             {Verdicts: []preflightjob.Verdict{preflightjob.Fail}},
		"job_verdict job_listing": {Verdicts: []preflightjob.Verdict{preflightjob.Pass}},
	}
	for _, status := range preflightjob.Statuses() {
		indexes := "job_status " + string(status)
		if status == preflightjob.Succeeded {
			// The listing index of the tenant also finds a status that most jobs have.
			indexes += " job_listing"
		}
		tests[indexes] = preflightjob.Selection{Statuses: []preflightjob.Status{status}}
	}
	for indexes, selection := range tests {
		for page, ago := range map[string]time.Duration{"first": 0, "middle": 30_000 * time.Second, "last": 54_990 * time.Second} {
			for _, owner := range []string{"org_acme01/live", "org_stark1/live"} {
				plan := explain(t, records, store.ListJobs(jobColumns, selection), pgx.NamedArgs{
					"owner": owner, "reference": selection.ClientReference, "from": time.Time{}, "at": time.Now().Add(-ago), "before": "", "limit": 51, "now": time.Now(),
				})
				_, used, _ := strings.Cut(plan, "using ")
				used, _, _ = strings.Cut(used, " ")
				// A sort would also read all jobs after the page. The number of open
				// jobs is bounded, so a sort of open jobs is acceptable.
				if bounded := used == "job_backlog" && len(selection.Statuses) == 1 && !selection.Statuses[0].Terminal(); !bounded && (used == "" || !strings.Contains(indexes, used) || strings.Contains(plan, "Sort")) {
					t.Errorf("the plan of the %s page of %s with %+v does not read %s in order:\n%s", page, owner, selection, indexes, plan)
				}
			}
		}
	}
}
