// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/printmarket/printmarket/internal/store"
)

// The platform has four roles in its database. The migrator owns the schema, and only the
// migrator can change it, including the clock of quotas. The other roles get the rights
// in [RuntimeGrants], [WorkerGrants] and [WebhookGrants]; the migrator grants them after
// each migration. Functions run with the rights of their caller.

// Roles names the database roles that get rights. An empty name is skipped.
type Roles struct {
	// API is the role of API servers, Worker that of preflight workers, Webhooks
	// that of the workers that deliver events.
	API, Worker, Webhooks string
}

// Grant grants the roles their rights, and revokes rights that only a former version
// granted. The caller must own the schema; a second concurrent call waits for the first.
// Errors: transaction.UnavailableError, and the database's own for an unknown role.
func (s *Store) Grant(ctx context.Context, roles Roles) error {
	given := []struct {
		role   string
		grants func(string) string
	}{{roles.API, RuntimeGrants}, {roles.Worker, WorkerGrants}, {roles.Webhooks, WebhookGrants}}
	// All statements run in one transaction that holds a lock, because concurrent
	// grants on one table fail.
	var revoked, granted strings.Builder
	for _, to := range given {
		if to.role != "" {
			revoked.WriteString("REVOKE ALL ON " + tables + " FROM " + pgx.Identifier{to.role}.Sanitize() + ";\n")
			revoked.WriteString("REVOKE ALL ON FUNCTION " + eraseRecords + " FROM " + pgx.Identifier{to.role}.Sanitize() + ";\n")
			granted.WriteString(to.grants(to.role))
		}
	}
	statements := fmt.Sprintf("SELECT pg_advisory_xact_lock(%d);\n", grantLock) + revoked.String() + granted.String()
	return s.use(ctx, "grant rights", func(ctx context.Context, conn *pgxpool.Conn) error {
		_, err := conn.Exec(ctx, statements, pgx.QueryExecModeSimpleProtocol)
		if refused, ok := errors.AsType[*pgconn.PgError](err); ok && refused.Code == undefinedObject {
			return store.Answer(fmt.Errorf("grant rights: %w", refused))
		}
		return err
	})
}

// tables lists every table that the migrations create.
const tables = "idempotency, quota, quota_day, rfq, quote, job, report, uploaded_file, outbox, outbox_head, audit, audit_head, key_use, request_log, xjmf_message, xjmf_state, masterdata_snapshot, masterdata_approval, masterdata_revision, webhook_endpoint, webhook_delivery, webhook_attempt, webhook_head, ended_session, erasure, goose_db_version"

// eraseRecords is the function that erases records with the rights of the owner of the schema.
const eraseRecords = "erase_records(text, text, bigint, bytea[])"

// grantLock is an arbitrary number that no other program locks in this database.
const grantLock = 7_316_842_250_114_603

// RuntimeGrants returns the statements that let a role serve the API and sweep.
func RuntimeGrants(role string) string {
	return grants(role,
		"SELECT, INSERT, UPDATE, DELETE ON idempotency, quota, quota_day, xjmf_message, xjmf_state, ended_session, erasure",
		"SELECT, INSERT, UPDATE ON rfq, quote, job, key_use",
		"SELECT, INSERT, DELETE ON report, uploaded_file",
		"SELECT, INSERT, UPDATE (seq) ON outbox",
		"SELECT, UPDATE ON outbox_head",
		"SELECT, INSERT ON audit",
		"SELECT ON audit_head",
		"SELECT, INSERT, DELETE, UPDATE (requests) ON request_log", // the row locks of a purge require UPDATE
		"SELECT, INSERT ON masterdata_snapshot",
		"SELECT, INSERT, UPDATE (withdrawn_at, withdrawn_by, withdrawn_reason) ON masterdata_approval",
		"SELECT, UPDATE ON masterdata_revision",
		"SELECT, UPDATE (disabled, disabled_at, failing_since, begun_at, failures, rests, rests_until) ON webhook_endpoint",
		"SELECT, INSERT, UPDATE (state, tries, due_at, ended_at, token, claimed_until) ON webhook_delivery",
		"SELECT ON webhook_attempt, webhook_head, goose_db_version",
		"EXECUTE ON FUNCTION "+eraseRecords, // deletes the records of organizations whose erasure is in the audit
	)
}

// WorkerGrants returns the statements that let a role begin and finish preflight jobs, and add
// the files that it has fixed. The role cannot submit jobs, read reports or read RFQs.
func WorkerGrants(role string) string {
	return grants(role,
		"SELECT ON job, uploaded_file",
		`UPDATE (status, attempt, incarnation, pages_done, pages_total, verdict, failure_code, failure_detail, upstream_status,
			version, tries, started_at, finished_at, expires_at, file_url, summary) ON job`,
		"INSERT ON report, uploaded_file",
		"INSERT (id, tenant, type, subject, at, trace) ON outbox",
		"SELECT ON goose_db_version",
	)
}

// WebhookGrants returns the statements that let a role read, number and erase the events of
// the outbox, and deliver them. Of RFQs and jobs, the role reads only ids and client references.
func WebhookGrants(role string) string {
	return grants(role,
		"SELECT, UPDATE (seq), DELETE ON outbox",
		"SELECT, UPDATE ON outbox_head, webhook_head",
		"SELECT, INSERT, UPDATE ON webhook_endpoint",
		"SELECT, INSERT, UPDATE, DELETE ON webhook_delivery",
		"SELECT, INSERT ON webhook_attempt",
		"SELECT (id, client_reference) ON rfq, job",
		"SELECT ON goose_db_version",
	)
}

func grants(role string, rights ...string) string {
	var statements strings.Builder
	to := pgx.Identifier{role}.Sanitize()
	for _, right := range rights {
		statements.WriteString("GRANT " + right + " TO " + to + ";\n")
	}
	return statements.String()
}
