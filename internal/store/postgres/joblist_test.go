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
			failure_detail, version, submitted_at, started_at, finished_at, expires_at, dispatched_at)
		 SELECT 'pref_' || lpad(n::text, 7, '0'), CASE WHEN n % 11 = 0 THEN 'org_stark1/live' ELSE 'org_acme01/live' END,
			CASE WHEN n <= 55000 THEN '' ELSE 'https://files.example.com/a.pdf' END, 'print_ready',
			CASE WHEN n % 5000 = 1 THEN 'failed' WHEN n % 5000 = 2 THEN 'processing' ELSE 'succeeded' END, 1, '', 0, 0, '', '',
			'', 3, now() + (n - 110000) * interval '1 second', now(), now(),
			now() + CASE WHEN n <= 55000 THEN interval '-1 day' ELSE interval '10 days' END, now()
		 FROM generate_series(1, 110000) AS n`,
		`VACUUM ANALYZE job`)
	for _, status := range append(preflightjob.Statuses(), "") {
		for page, ago := range map[string]time.Duration{"first": 0, "middle": 30_000 * time.Second, "last": 54_990 * time.Second} {
			for _, owner := range []string{"org_acme01/live", "org_stark1/live"} {
				plan := explain(t, records, store.ListJobs(jobColumns, status), pgx.NamedArgs{
					"owner": owner, "at": time.Now().Add(-ago), "before": "", "status": status, "limit": 51, "now": time.Now(),
				})
				indexes := "job_status"
				if status == "" || status == preflightjob.Succeeded {
					// The listing index of the tenant also finds a status that most jobs have.
					indexes += " job_listing"
				}
				_, used, _ := strings.Cut(plan, "using ")
				used, _, _ = strings.Cut(used, " ")
				// A sort would also read all jobs after the page. The number of open
				// jobs is bounded, so a sort of open jobs is acceptable.
				if bounded := used == "job_backlog" && !status.Terminal(); !bounded && (used == "" || !strings.Contains(indexes, used) || strings.Contains(plan, "Sort")) {
					t.Errorf("the plan of the %s page of %s with the status %q does not read %s in order:\n%s", page, owner, status, indexes, plan)
				}
			}
		}
	}
}
