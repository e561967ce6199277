// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/printmarket/printmarket/internal/store"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// writeWithTerms runs a write that uses a key and a quota. It checks the key, then the quota,
// and then inserts the record. If the key was committed before, it returns the subject of the
// key and writes nothing.
func writeWithTerms(ctx context.Context, tx *sql.Tx, terms transaction.Terms, subject string, insert func() error) (replayed string, err error) {
	replayed, err = committed(ctx, tx, terms.Tenant, terms.Operation, terms.Idempotency, terms.Now)
	if err != nil || replayed != "" {
		return replayed, err
	}
	if err := charge(ctx, tx, terms); err != nil {
		return "", err
	}
	if err := insert(); err != nil {
		return "", err
	}
	if err := storeKey(ctx, tx, terms, subject); err != nil {
		return "", err
	}
	return "", publish(ctx, tx, terms.Tenant, terms.Events)
}

// committed returns the subject that was committed under a key; it is empty for a new key.
func committed(ctx context.Context, q querier, owner tenant.ID, operation transaction.Operation, used transaction.Idempotency, now time.Time) (string, error) {
	if used.Key == "" {
		return "", nil
	}
	var subject string
	var fingerprint []byte
	err := q.QueryRowContext(ctx,
		`SELECT subject, fingerprint FROM idempotency WHERE tenant = ? AND operation = ? AND key = ? AND created_at > ?`,
		owner.String(), operation, used.Key, millis(now.Add(-transaction.KeyRetention))).Scan(&subject, &fingerprint)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return "", nil
	case err != nil:
		return "", err
	case !bytes.Equal(fingerprint, used.Fingerprint[:]):
		return "", store.Answer(transaction.ErrKeyReused)
	default:
		return subject, nil
	}
}

// charge counts one write in the quota's window, or answers that the quota is used up.
func charge(ctx context.Context, tx *sql.Tx, terms transaction.Terms) error {
	if terms.Quota == nil {
		return nil
	}
	start, end := terms.Quota.Start(terms.Now), terms.Quota.End(terms.Now)
	changed, err := tx.ExecContext(ctx,
		`INSERT INTO quota (tenant, operation, window_start, window_end, used)
		 SELECT ?, ?, ?, ?, 1 WHERE ? > 0
		 ON CONFLICT DO UPDATE SET used = used + 1 WHERE used < ?`,
		terms.Tenant.String(), terms.Operation, millis(start), millis(end), terms.Quota.Limit, terms.Quota.Limit)
	if err != nil {
		return err
	}
	if n, err := changed.RowsAffected(); err != nil || n == 1 {
		return err
	}
	return store.Answer(&transaction.QuotaExceededError{
		Quota:      *terms.Quota,
		RetryAfter: max(end.Sub(terms.Now), time.Second),
		Ends:       end,
	})
}

// storeKey stores the key. It replaces a row past its retention, which committed does not
// return.
func storeKey(ctx context.Context, tx *sql.Tx, terms transaction.Terms, subject string) error {
	if terms.Idempotency.Key == "" {
		return nil
	}
	_, err := tx.ExecContext(ctx,
		`INSERT OR REPLACE INTO idempotency (tenant, operation, key, fingerprint, subject, created_at) VALUES (?, ?, ?, ?, ?, ?)`,
		terms.Tenant.String(), terms.Operation, terms.Idempotency.Key, terms.Idempotency.Fingerprint[:], subject, millis(terms.Now))
	return err
}

// publish inserts events with the trace of ctx.
func publish(ctx context.Context, tx *sql.Tx, owner tenant.ID, events []transaction.Event) error {
	trace := telemetry.Traceparent(ctx)
	for _, event := range events {
		if _, err := tx.ExecContext(ctx,
			`INSERT INTO outbox (id, tenant, type, subject, at, trace) VALUES (?, ?, ?, ?, ?, nullif(?, ''))`,
			event.ID, owner.String(), event.Type, event.Subject, millis(event.At), trace); err != nil {
			return err
		}
	}
	return nil
}

// Events reads at most limit entries of the outbox, in the order of commits, whose Seq is
// greater than after.
func (s *Store) Events(ctx context.Context, after int64, limit int) ([]transaction.Entry, error) {
	return read(ctx, s, "read outbox", func(q querier) ([]transaction.Entry, error) {
		rows, err := q.QueryContext(ctx, `SELECT `+eventColumns+` FROM outbox WHERE seq > ? ORDER BY seq LIMIT ?`, after, limit)
		return collect(rows, err, scanEntry)
	})
}

const eventColumns = `seq, tenant, id, type, subject, at, trace`

func scanEntry(r row) (e transaction.Entry, err error) {
	err = r.Scan(&e.Seq, &e.Tenant, &e.Event.ID, &e.Event.Type, &e.Event.Subject, instant{&e.Event.At}, text{&e.Event.Trace})
	return e, err
}

// QuotaUsage returns how much a tenant has used of a quota in the window that contains now.
func (s *Store) QuotaUsage(ctx context.Context, owner tenant.ID, operation transaction.Operation, quota transaction.Quota, now time.Time) (transaction.Usage, error) {
	return read(ctx, s, "read quota", func(q querier) (transaction.Usage, error) {
		usage := transaction.Usage{Ends: quota.End(now)}
		err := q.QueryRowContext(ctx,
			`SELECT used FROM quota WHERE tenant = ? AND operation = ? AND window_start = ? AND window_end = ?`,
			owner.String(), operation, millis(quota.Start(now)), millis(usage.Ends)).Scan(&usage.Used)
		if errors.Is(err, sql.ErrNoRows) {
			err = nil
		}
		return usage, err
	})
}

// dayMillis is the length of a day.
const dayMillis = int64(24 * time.Hour / time.Millisecond)

// QuotaDays returns how much a tenant has used of the quotas of an operation on each day
// since the day of an instant, in ascending order, without days of no use. It includes
// windows that are not erased yet, such as the current ones.
func (s *Store) QuotaDays(ctx context.Context, owner tenant.ID, operation transaction.Operation, since time.Time) ([]transaction.DayUse, error) {
	return read(ctx, s, "read quota history", func(q querier) ([]transaction.DayUse, error) {
		rows, err := q.QueryContext(ctx,
			`SELECT day, sum(used) FROM (
				SELECT day, used FROM quota_day WHERE tenant = @owner AND operation = @operation
				UNION ALL
				SELECT window_start - window_start % @length, used FROM quota WHERE tenant = @owner AND operation = @operation
			) WHERE day >= @since - @since % @length GROUP BY day ORDER BY day`,
			sql.Named("owner", owner.String()), sql.Named("operation", operation), sql.Named("length", dayMillis), sql.Named("since", millis(since)))
		return collect(rows, err, func(r row) (use transaction.DayUse, err error) {
			err = r.Scan(instant{&use.Day}, &use.Used)
			return use, err
		})
	})
}

// PurgeKeysAndQuotas erases idempotency keys past their retention, quota windows that have
// ended, days past the history of quotas, and ends of sessions that have expired. It adds the
// use of the erased windows to their days. The other erased rows had no effect for callers any
// more.
func (s *Store) PurgeKeysAndQuotas(ctx context.Context, now time.Time) error {
	return s.write(ctx, "purge keys and quotas", func(tx *sql.Tx) error {
		for _, one := range []struct {
			statement string
			args      []any
		}{
			{`DELETE FROM idempotency WHERE created_at <= ?`, []any{millis(now.Add(-transaction.KeyRetention))}},
			{`INSERT INTO quota_day (tenant, operation, day, used)
			  SELECT tenant, operation, window_start - window_start % ?, sum(used) FROM quota WHERE window_end <= ? GROUP BY 1, 2, 3
			  ON CONFLICT DO UPDATE SET used = used + excluded.used`, []any{dayMillis, millis(now)}},
			{`DELETE FROM quota WHERE window_end <= ?`, []any{millis(now)}},
			{`DELETE FROM quota_day WHERE day < ?`, []any{millis(now.Truncate(24*time.Hour).AddDate(0, 0, -transaction.HistoryDays))}},
			{`DELETE FROM ended_session WHERE until <= ?`, []any{millis(now)}},
		} {
			if _, err := tx.ExecContext(ctx, one.statement, one.args...); err != nil {
				return err
			}
		}
		return nil
	})
}
