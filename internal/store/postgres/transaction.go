// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/printmarket/printmarket/internal/store"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// claimed begins the statement of a write that uses a key and a quota. The argument that
// states whether there is room for the record comes between claimed and claimedEnd. The
// statement takes the parameters of claimArgs; $1 is the tenant and $5 the id of the record.
const (
	claimed = `WITH claimed AS MATERIALIZED (
		SELECT outcome, subject, wait FROM claim($1, $2, $3, $4, $5, $6, $7, $8, $9, `
	claimedEnd = `, $10))`
)

func claimArgs(ctx context.Context, terms transaction.Terms, record string) ([]any, error) {
	events, err := rowsOf(outboxRows(ctx, terms.Events))
	if err != nil {
		return nil, err
	}
	var limit, window *int64
	if terms.Quota != nil {
		seconds := int64(terms.Quota.Window / time.Second)
		limit, window = &terms.Quota.Limit, &seconds
	}
	return []any{
		terms.Tenant.String(), terms.Operation, terms.Idempotency.Key, terms.Idempotency.Fingerprint[:], record,
		terms.Now, terms.Now.Add(-transaction.KeyRetention), limit, window, events,
	}, nil
}

// claim is the result of the SQL function claim.
type claim struct {
	outcome string
	subject *string
	wait    *int64
}

func scanClaim(r pgx.Row) (c claim, err error) {
	err = r.Scan(&c.outcome, &c.subject, &c.wait)
	return c, err
}

// replayed returns the subject that an earlier write committed under the key; it is empty
// if this write created the record. It returns a refusal as an answer; full is the answer
// if there is no room for the record.
func (c claim) replayed(terms transaction.Terms, full error) (string, error) {
	switch {
	case c.outcome == "created":
		return "", nil
	case c.outcome == "replayed" && c.subject != nil:
		return *c.subject, nil
	case c.outcome == "reused":
		return "", store.Answer(transaction.ErrKeyReused)
	case c.outcome == "busy":
		return "", store.Answer(transaction.ErrInProgress)
	case c.outcome == "exceeded" && c.wait != nil && terms.Quota != nil:
		wait := time.Duration(*c.wait) * time.Microsecond
		return "", store.Answer(&transaction.QuotaExceededError{
			Quota: *terms.Quota, RetryAfter: max(wait, time.Second),
			// Windows end at whole seconds of the clock of the database.
			Ends: terms.Now.Add(wait).Round(time.Second),
		})
	case c.outcome == "full" && full != nil:
		return "", store.Answer(full)
	default:
		return "", fmt.Errorf("claim answered %q", c.outcome)
	}
}

// committed returns the subject that was committed under a key; it is empty for a new key.
func committed(ctx context.Context, q querier, owner tenant.ID, operation transaction.Operation, used transaction.Idempotency, now time.Time) (string, error) {
	if used.Key == "" {
		return "", nil
	}
	var subject string
	var fingerprint []byte
	err := q.QueryRow(ctx,
		`SELECT subject, fingerprint FROM idempotency
		 WHERE tenant = $1 AND operation = $2 AND key = $3 AND created_at > $4`,
		owner.String(), operation, used.Key, now.Add(-transaction.KeyRetention)).Scan(&subject, &fingerprint)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return "", nil
	case err != nil:
		return "", err
	case !bytes.Equal(fingerprint, used.Fingerprint[:]):
		return "", store.Answer(transaction.ErrKeyReused)
	default:
		return subject, nil
	}
}

// outboxRow is an event in the form that the SQL function publish reads.
type outboxRow struct {
	ID      string                `json:"id"`
	Type    transaction.EventType `json:"type"`
	Subject string                `json:"subject"`
	At      time.Time             `json:"at"`
	Trace   string                `json:"trace,omitempty"`
}

// outboxRows returns events with the trace of ctx.
func outboxRows(ctx context.Context, events []transaction.Event) []outboxRow {
	rows, trace := make([]outboxRow, len(events)), telemetry.Traceparent(ctx)
	for i, event := range events {
		rows[i] = outboxRow{ID: event.ID, Type: event.Type, Subject: event.Subject, At: event.At, Trace: trace}
	}
	return rows
}

// quotaUsage computes the window like the SQL function claim, with the same clock.
const quotaUsage = `WITH window_now AS (
	SELECT to_timestamp(floor(extract(epoch FROM ledger_now()) / $3::bigint) * $3::bigint) AS begins
), bounds AS (
	SELECT begins, begins + make_interval(secs => $3::bigint) AS ends FROM window_now
)
SELECT coalesce(q.used, 0), b.ends FROM bounds b
LEFT JOIN quota q ON q.tenant = $1 AND q.operation = $2 AND q.window_start = b.begins AND q.window_end = b.ends`

// QuotaUsage returns how much a tenant has used of a quota in the current window. It
// uses the clock of the database and ignores the caller's.
func (s *Store) QuotaUsage(ctx context.Context, owner tenant.ID, operation transaction.Operation, quota transaction.Quota, _ time.Time) (transaction.Usage, error) {
	return read(ctx, s, "read quota", func(ctx context.Context, q querier) (usage transaction.Usage, err error) {
		err = q.QueryRow(ctx, quotaUsage, owner.String(), operation, int64(quota.Window/time.Second)).Scan(&usage.Used, &usage.Ends)
		usage.Ends = usage.Ends.UTC()
		return usage, err
	})
}

// QuotaDays returns how much a tenant has used of the quotas of an operation on each day
// since the day of an instant, in ascending order, without days of no use. It includes
// windows that are not erased yet, such as the current ones; one query reads both tables.
func (s *Store) QuotaDays(ctx context.Context, owner tenant.ID, operation transaction.Operation, since time.Time) ([]transaction.DayUse, error) {
	return read(ctx, s, "read quota history", func(ctx context.Context, q querier) ([]transaction.DayUse, error) {
		rows, err := q.Query(ctx,
			`SELECT day, sum(used)::bigint FROM (
				SELECT day, used FROM quota_day WHERE tenant = $1 AND operation = $2
				UNION ALL
				SELECT `+dayOfWindow+`, used FROM quota WHERE tenant = $1 AND operation = $2
			) AS known WHERE day >= ($3::timestamptz AT TIME ZONE 'UTC')::date GROUP BY day ORDER BY day`,
			owner.String(), operation, since)
		return collect(rows, err, func(r pgx.Row) (use transaction.DayUse, err error) {
			err = r.Scan(instant{&use.Day}, &use.Used)
			return use, err
		})
	})
}

const dayOfWindow = `(window_start AT TIME ZONE 'UTC')::date`

// queuePublish adds a statement to a batch that publishes the events of a tenant.
func queuePublish(ctx context.Context, batch *pgx.Batch, owner tenant.ID, events []transaction.Event) error {
	if len(events) == 0 {
		return nil
	}
	rows, err := rowsOf(outboxRows(ctx, events))
	if err != nil {
		return err
	}
	batch.Queue(`SELECT publish($1, $2)`, owner.String(), rows)
	return nil
}

// Events reads at most limit entries of the outbox, in the order of Seq, whose Seq is
// greater than after. It first numbers entries that have no Seq and commits the numbers,
// so that no entry appears later below a Seq that was read. The order of concurrent
// commits is undefined; a commit that began after another one ended always has the
// greater Seq.
func (s *Store) Events(ctx context.Context, after int64, limit int) ([]transaction.Entry, error) {
	var entries []transaction.Entry
	err := s.use(ctx, "read outbox", func(ctx context.Context, conn *pgxpool.Conn) error {
		if _, err := conn.Exec(ctx, `SELECT number_outbox($1)`, limit); err != nil {
			return err
		}
		rows, err := conn.Query(ctx,
			`SELECT seq, tenant, id, type, subject, at, trace FROM outbox WHERE seq > $1 ORDER BY seq LIMIT $2`, after, limit)
		entries, err = collect(rows, err, scanEntry)
		return err
	})
	return entries, err
}

func scanEntry(r pgx.Row) (e transaction.Entry, err error) {
	err = r.Scan(&e.Seq, &e.Tenant, &e.Event.ID, &e.Event.Type, &e.Event.Subject, instant{&e.Event.At}, text{&e.Event.Trace})
	return e, err
}

// purgeBatch limits the rows that one statement erases, so that no statement runs for long.
const purgeBatch = 5000

// PurgeKeysAndQuotas erases idempotency keys past their retention at now, quota windows
// that have ended by the clock of the database, days past the history of quotas, and ends
// of sessions that have expired at now. The statement that erases windows adds their use to
// their days. The other erased rows had no effect for callers any more. It skips rows that
// another replica is erasing.
func (s *Store) PurgeKeysAndQuotas(ctx context.Context, now time.Time) error {
	for _, one := range []struct {
		statement string
		args      []any
	}{
		{`WITH due AS (
			SELECT tenant, operation, key FROM idempotency WHERE created_at <= $2 LIMIT $1 FOR UPDATE SKIP LOCKED
		), gone AS (
			DELETE FROM idempotency i USING due
			WHERE i.tenant = due.tenant AND i.operation = due.operation AND i.key = due.key RETURNING 1
		)
		SELECT count(*) FROM gone`, []any{now.Add(-transaction.KeyRetention)}},
		{purgeWindows, nil},
		{`WITH due AS (
			SELECT tenant, operation, day FROM quota_day WHERE day < (ledger_now() AT TIME ZONE 'UTC')::date - $2::integer
			LIMIT $1 FOR UPDATE SKIP LOCKED
		), gone AS (
			DELETE FROM quota_day d USING due WHERE d.tenant = due.tenant AND d.operation = due.operation AND d.day = due.day RETURNING 1
		)
		SELECT count(*) FROM gone`, []any{transaction.HistoryDays}},
		{`WITH due AS (
			SELECT name FROM ended_session WHERE until <= $2 LIMIT $1 FOR UPDATE SKIP LOCKED
		), gone AS (
			DELETE FROM ended_session e USING due WHERE e.name = due.name RETURNING 1
		)
		SELECT count(*) FROM gone`, []any{now}},
	} {
		// Each statement erases up to $1 rows and returns how many it erased.
		for erased := int64(purgeBatch); erased == purgeBatch; {
			var err error
			erased, err = read(ctx, s, "purge keys and quotas", func(ctx context.Context, q querier) (erased int64, err error) {
				err = q.QueryRow(ctx, one.statement, append([]any{purgeBatch}, one.args...)...).Scan(&erased)
				return erased, err
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// purgeWindows adds the use of ended windows to their days and erases the windows. If a
// charge commits after its window was erased, it creates the window again, and the next
// purge moves it. The statement locks days in a fixed order, so that replicas never
// deadlock.
const purgeWindows = `WITH moment AS MATERIALIZED (SELECT ledger_now() AS at), due AS (
		SELECT tenant, operation, window_start, window_end FROM quota
		WHERE window_end <= (SELECT at FROM moment) LIMIT $1 FOR UPDATE SKIP LOCKED
	), gone AS (
		DELETE FROM quota q USING due
		WHERE q.tenant = due.tenant AND q.operation = due.operation
			AND q.window_start = due.window_start AND q.window_end = due.window_end
		RETURNING q.tenant, q.operation, q.window_start, q.used
	), kept AS (
		INSERT INTO quota_day AS d (tenant, operation, day, used)
		SELECT tenant, operation, ` + dayOfWindow + ` AS day, sum(used) FROM gone
		GROUP BY tenant, operation, day ORDER BY tenant COLLATE "C", operation COLLATE "C", day
		ON CONFLICT (tenant, operation, day) DO UPDATE SET used = d.used + excluded.used
	)
	SELECT count(*) FROM gone`
