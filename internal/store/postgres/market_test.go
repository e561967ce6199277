// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/pgtest"
)

// TestWhatIsDueIsFoundByIndex: every replica asks each second, however many RFQs
// there have ever been.
func TestWhatIsDueIsFoundByIndex(t *testing.T) {
	t.Parallel()
	address := pgtest.Shared(t)
	store := openStore(t, address)
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
	rows, err := store.pool.Query(t.Context(), `EXPLAIN `+dueRFQs, now, now, now.UTC().Format(time.RFC3339), 500)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var plan strings.Builder
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		plan.WriteString(line + "\n")
	}
	for _, index := range []string{"rfq_deadline", "rfq_end", "rfq_sandbox", "quote_validity"} {
		if !strings.Contains(plan.String(), index) {
			t.Errorf("the plan does not use %s", index)
		}
	}
	if strings.Contains(plan.String(), "Seq Scan") || t.Failed() {
		t.Errorf("the plan:\n%s", &plan)
	}
}
