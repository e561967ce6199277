// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/printmarket/printmarket/internal/requestlog"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/store"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/test/pgtest"
)

// TestRFQsAreFoundByIndex checks that due RFQs, which every replica queries each second, and
// lists by status do not slow down with the number of RFQs.
func TestRFQsAreFoundByIndex(t *testing.T) {
	t.Parallel()
	address := pgtest.Shared(t)
	records := openStore(t, address)
	execute(t, address,
		`INSERT INTO rfq (id, tenant, tracking_code, catalog_product_uid, title, category, quantity, delivery_city, product_name,
			product_group, catalog_id, status, version, quote_count, response_deadline, expires_at, created_at, updated_at)
		 SELECT 'rfq_' || n, CASE WHEN n % 3 = 0 THEN 'org_acme01/test' ELSE 'org_acme01/live' END, 'RFQ-' || n, 'p', 't', 'c', 1, 'd', 'n',
			'g', 'i', CASE WHEN n % 500 = 0 THEN 'open' WHEN n % 500 = 1 THEN 'closed' ELSE 'expired' END, 1, 0,
			now() + n * interval '1 minute', now() + n * interval '2 minutes', now() - n * interval '1 second', now()
		 FROM generate_series(1, 20000) AS n`,
		`INSERT INTO quote (id, rfq_id, supplier_id, revision, status, offer, submitted_at)
		 SELECT 'quo_' || n, 'rfq_' || n, 's', 1, CASE WHEN n % 500 = 0 THEN 'submitted' ELSE 'expired' END,
			jsonb_build_object('validUntil', to_char(now() + n * interval '1 minute', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')), now()
		 FROM generate_series(1, 20000) AS n`,
		`ANALYZE rfq`, `ANALYZE quote`)
	now := time.Now()
	due := explain(t, records, dueRFQs, now, now, now.UTC().Format(time.RFC3339), 500)
	for _, index := range []string{"rfq_deadline", "rfq_end", "rfq_sandbox", "quote_validity"} {
		if !strings.Contains(due, index) {
			t.Errorf("the plan does not use %s:\n%s", index, due)
		}
	}
	for _, status := range []rfq.Status{rfq.Open, rfq.Quoted, rfq.Closed, rfq.Awarded, rfq.Expired, rfq.Cancelled} {
		plan := explain(t, records, store.ListRFQs("id", store.OfOwner, []rfq.Status{status}, false), pgx.NamedArgs{
			"owner": "org_acme01/live", "from": "", "before": store.BeforeAll, "limit": 20, "now": now,
		})
		// A search for a rare status must not read every RFQ of the partner. For a frequent
		// status the planner may choose another index.
		if rare := status == rfq.Awarded || status == rfq.Cancelled; rare && !strings.Contains(plan, "rfq_status") || strings.Contains(plan, "rfq_pkey") {
			t.Errorf("the plan for %s does not use rfq_status:\n%s", status, plan)
		}
	}
	if plan := explain(t, records, store.ListRFQs("id", store.OfMode(tenant.Live), []rfq.Status{rfq.Awarded}, false), pgx.NamedArgs{
		"from": "", "before": store.BeforeAll, "limit": 20, "now": now,
	}); !strings.Contains(plan, "rfq_of_all") {
		t.Errorf("the plan for a rare status of all RFQs does not use rfq_of_all:\n%s", plan)
	}
	if plan := explain(t, records, store.ListRFQs("id", store.OfOwner, nil, true), pgx.NamedArgs{
		"owner": "org_acme01/live", "reference": "PO-1", "from": "", "before": store.BeforeAll, "limit": 20,
	}); !strings.Contains(plan, "rfq_reference") {
		t.Errorf("the plan for a client reference does not use rfq_reference:\n%s", plan)
	}
	if plan := explain(t, records, store.ListRFQs("id", store.OfMode(tenant.Test), nil, false), pgx.NamedArgs{
		"from": "", "before": store.BeforeAll, "limit": 20,
	}); !strings.Contains(plan, "rfq_test") {
		t.Errorf("the plan for the sandbox does not use rfq_test:\n%s", plan)
	}
}

// Each filter of the request log has an index that finds rare entries of an organization and no
// entry, except the path.
func TestRequestLogIsListedByIndex(t *testing.T) {
	t.Parallel()
	address := pgtest.Shared(t)
	records := openStore(t, address)
	execute(t, address, `INSERT INTO request_log (`+store.RequestColumns+`)
		SELECT 'org_acme01/live', 'log_' || lpad(n::text, 26, '0'), now(), 'req_' || n, 'production', 'api', 'partner', 'GET', '/api/v1/rfq', 200, '', 'rfq-read', '', 1, 1, 1
		FROM generate_series(1, 50000) AS n`, `VACUUM ANALYZE request_log`)
	for index, query := range map[string]requestlog.Query{
		"request_log_pkey":    {},
		"request_log_key":     {Key: "none"},
		"request_log_request": {RequestID: "req_none"},
		"request_log_code":    {Code: "NONE"},
		"request_log_class":   {Class: 4},
	} {
		plan := explain(t, records, store.ListRequests(query), pgx.NamedArgs{
			"owner": "org_acme01/live", "before": store.BeforeAll, "request": query.RequestID, "code": query.Code, "key": query.Key, "limit": 51,
		})
		if !strings.Contains(plan, "using "+index+" on request_log") {
			t.Errorf("the plan for %+v does not use %s:\n%s", query, index, plan)
		}
	}
}

// explain returns the plan of a query, and fails the test if the plan reads a whole table.
func explain(t *testing.T, store *Store, query string, args ...any) string {
	t.Helper()
	rows, err := store.pool.Query(t.Context(), `EXPLAIN `+query, args...)
	if err != nil {
		t.Fatalf("store.pool.Query: %v", err)
	}
	defer rows.Close()
	var plan strings.Builder
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatalf("rows.Scan: %v", err)
		}
		plan.WriteString(line + "\n")
	}
	if strings.Contains(plan.String(), "Seq Scan") {
		t.Errorf("the plan reads a whole table, want an index:\n%s", &plan)
	}
	return plan.String()
}
