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

// counted runs the part of a counted write that every operation shares, around
// the insert of its record: the key answers first, then the quota. It returns
// the subject of the key if it was committed before, and then has written
// nothing.
func counted(ctx context.Context, tx *sql.Tx, terms transaction.Terms, subject string, insert func() error) (replayed string, err error) {
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
	if err := remember(ctx, tx, terms, subject); err != nil {
		return "", err
	}
	return "", publish(ctx, tx, terms.Tenant, terms.Events)
}

// committed finds the subject that a key was committed with; none is empty.
func committed(ctx context.Context, q querier, who tenant.ID, operation transaction.Operation, used transaction.Idempotency, now time.Time) (string, error) {
	if used.Key == "" {
		return "", nil
	}
	var subject string
	var fingerprint []byte
	err := q.QueryRowContext(ctx,
		`SELECT subject, fingerprint FROM idempotency WHERE tenant = ? AND operation = ? AND key = ? AND created_at > ?`,
		who.String(), operation, used.Key, millis(now.Add(-transaction.KeyRetention))).Scan(&subject, &fingerprint)
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

// charge takes one from the quota's window, or answers that it is used up.
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
	})
}

// remember writes the key. A row that is still there has outlived its
// retention, or committed would have found it.
func remember(ctx context.Context, tx *sql.Tx, terms transaction.Terms, subject string) error {
	if terms.Idempotency.Key == "" {
		return nil
	}
	_, err := tx.ExecContext(ctx,
		`INSERT OR REPLACE INTO idempotency (tenant, operation, key, fingerprint, subject, created_at) VALUES (?, ?, ?, ?, ?, ?)`,
		terms.Tenant.String(), terms.Operation, terms.Idempotency.Key, terms.Idempotency.Fingerprint[:], subject, millis(terms.Now))
	return err
}

// publish writes events that come of ctx.
func publish(ctx context.Context, tx *sql.Tx, who tenant.ID, events []transaction.Event) error {
	trace := telemetry.Traceparent(ctx)
	for _, event := range events {
		if _, err := tx.ExecContext(ctx,
			`INSERT INTO outbox (id, tenant, type, subject, at, trace) VALUES (?, ?, ?, ?, ?, nullif(?, ''))`,
			event.ID, who.String(), event.Type, event.Subject, millis(event.At), trace); err != nil {
			return err
		}
	}
	return nil
}

// Events reads the outbox in the order of commits, at most limit entries, from
// the first whose Seq is greater than after.
func (s *Store) Events(ctx context.Context, after int64, limit int) ([]transaction.Entry, error) {
	return read(ctx, s, "read outbox", func(q querier) ([]transaction.Entry, error) {
		rows, err := q.QueryContext(ctx,
			`SELECT seq, tenant, id, type, subject, at, trace FROM outbox WHERE seq > ? ORDER BY seq LIMIT ?`, after, limit)
		return collect(rows, err, func(r row) (e transaction.Entry, err error) {
			err = r.Scan(&e.Seq, &e.Tenant, &e.Event.ID, &e.Event.Type, &e.Event.Subject, instant{&e.Event.At}, text{&e.Event.Trace})
			return e, err
		})
	})
}

// QuotaUsage tells how much a tenant has used of a quota in the window in which
// now lies.
func (s *Store) QuotaUsage(ctx context.Context, who tenant.ID, operation transaction.Operation, quota transaction.Quota, now time.Time) (transaction.Usage, error) {
	return read(ctx, s, "read quota", func(q querier) (transaction.Usage, error) {
		usage := transaction.Usage{Ends: quota.End(now)}
		err := q.QueryRowContext(ctx,
			`SELECT used FROM quota WHERE tenant = ? AND operation = ? AND window_start = ? AND window_end = ?`,
			who.String(), operation, millis(quota.Start(now)), millis(usage.Ends)).Scan(&usage.Used)
		if errors.Is(err, sql.ErrNoRows) {
			err = nil
		}
		return usage, err
	})
}

// dayMillis is the length of a day.
const dayMillis = int64(24 * time.Hour / time.Millisecond)

// QuotaDays tells how much a tenant has used of the quotas of an operation on each day
// since the one of an instant, the first one first and none on which nothing was used.
// Windows that have not been erased yet, the present ones included, are counted among
// them.
func (s *Store) QuotaDays(ctx context.Context, who tenant.ID, operation transaction.Operation, since time.Time) ([]transaction.DayUse, error) {
	return read(ctx, s, "read quota history", func(q querier) ([]transaction.DayUse, error) {
		rows, err := q.QueryContext(ctx,
			`SELECT day, sum(used) FROM (
				SELECT day, used FROM quota_day WHERE tenant = @owner AND operation = @operation
				UNION ALL
				SELECT window_start - window_start % @length, used FROM quota WHERE tenant = @owner AND operation = @operation
			) WHERE day >= @since - @since % @length GROUP BY day ORDER BY day`,
			sql.Named("owner", who.String()), sql.Named("operation", operation), sql.Named("length", dayMillis), sql.Named("since", millis(since)))
		return collect(rows, err, func(r row) (use transaction.DayUse, err error) {
			err = r.Scan(instant{&use.Day}, &use.Used)
			return use, err
		})
	})
}

// PurgeLedger erases idempotency keys past their retention and quota windows
// that have ended. Neither can be seen any more by then, but for what the windows came
// to, which is added to their days; days are erased behind that.
func (s *Store) PurgeLedger(ctx context.Context, now time.Time) error {
	return s.write(ctx, "purge ledger", func(tx *sql.Tx) error {
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
		} {
			if _, err := tx.ExecContext(ctx, one.statement, one.args...); err != nil {
				return err
			}
		}
		return nil
	})
}
