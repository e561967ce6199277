// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// The platform has three roles in its database. The migrator owns the schema
// and is the only one that can change it, the clock of quotas included. The
// other two get what [RuntimeGrants] and [WorkerGrants] say; the migrator grants
// it again after each migration. Functions run with the rights of their caller.

// Grant gives the role of API servers and that of workers their rights. A name
// that is empty is left out. Only the owner of the schema can do that. Errors:
// ledger.UnavailableError.
func (s *Store) Grant(ctx context.Context, api, worker string) error {
	var statements string
	if api != "" {
		statements += RuntimeGrants(api)
	}
	if worker != "" {
		statements += WorkerGrants(worker)
	}
	return s.use(ctx, "grant rights", func(conn *pgxpool.Conn) error {
		_, err := conn.Exec(ctx, statements, pgx.QueryExecModeSimpleProtocol)
		return err
	})
}

// RuntimeGrants are the statements that let a role serve the API and sweep.
func RuntimeGrants(role string) string {
	return grants(role,
		"SELECT, INSERT, UPDATE, DELETE ON idempotency, quota, rfq, quote, job, report",
		"SELECT, INSERT, UPDATE ON outbox",
		"SELECT, UPDATE ON outbox_head",
		"SELECT ON goose_db_version",
	)
}

// WorkerGrants are the statements that let a role begin and finish preflight
// jobs, and nothing else: it cannot submit one, read a report or see an RFQ.
func WorkerGrants(role string) string {
	return grants(role,
		"SELECT ON job",
		`UPDATE (status, attempt, incarnation, pages_done, pages_total, verdict, failure_code, failure_detail,
			version, started_at, finished_at, expires_at) ON job`,
		"INSERT ON report",
		"INSERT (id, tenant, type, subject, at) ON outbox",
		"SELECT ON goose_db_version",
	)
}

func grants(role string, rights ...string) string {
	var statements strings.Builder
	for _, right := range rights {
		statements.WriteString("GRANT " + right + " TO " + pgx.Identifier{role}.Sanitize() + ";\n")
	}
	return statements.String()
}
