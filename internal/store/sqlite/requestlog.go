// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/printmarket/printmarket/internal/requestlog"
	"github.com/printmarket/printmarket/internal/store"
	"github.com/printmarket/printmarket/internal/tenant"
)

var _ requestlog.Store = (*Store)(nil)

const insertRequest = `INSERT INTO request_log (` + store.RequestColumns + `)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`

// AddRequests implements [requestlog.Store].
func (s *Store) AddRequests(ctx context.Context, entries []requestlog.Entry) error {
	return s.write(ctx, "log requests", func(tx *sql.Tx) (err error) {
		insert, err := tx.PrepareContext(ctx, insertRequest)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, insert.Close()) }()
		for i := range entries {
			e := &entries[i]
			if _, err := insert.ExecContext(ctx,
				e.Tenant.String(), e.ID, millis(e.At), e.RequestID, e.Key, e.Listener, e.Surface, e.Method, e.Route, e.Status, e.Code,
				e.Capability, e.Reason, e.Took.Microseconds(), e.Bytes, e.Requests); err != nil {
				return err
			}
		}
		return nil
	})
}

// Requests implements [requestlog.Store].
func (s *Store) Requests(ctx context.Context, query requestlog.Query) ([]requestlog.Entry, error) {
	return read(ctx, s, "list requests", func(q querier) ([]requestlog.Entry, error) {
		rows, err := q.QueryContext(ctx, store.ListRequests(query),
			sql.Named("owner", query.Owner.String()), sql.Named("before", cmp.Or(query.Before, store.BeforeAll)),
			sql.Named("request", query.RequestID), sql.Named("code", query.Code),
			sql.Named("key", query.Key), sql.Named("route", query.Route), sql.Named("since", requestlog.FirstID(query.Since)), sql.Named("limit", query.Limit))
		return collect(rows, err, func(r row) (e requestlog.Entry, err error) {
			var took int64
			err = r.Scan(&e.Tenant, &e.ID, instant{&e.At}, &e.RequestID, &e.Key, &e.Listener, &e.Surface, &e.Method, &e.Route, &e.Status, &e.Code,
				&e.Capability, &e.Reason, &took, &e.Bytes, &e.Requests)
			e.Took = time.Duration(took) * time.Microsecond
			return e, err
		})
	})
}

// Denials implements [requestlog.Store].
func (s *Store) Denials(ctx context.Context, query requestlog.DenialQuery) ([]requestlog.Denial, error) {
	return read(ctx, s, "list denials", func(q querier) ([]requestlog.Denial, error) {
		rows, err := q.QueryContext(ctx,
			`SELECT reason, code, capability, surface, sum(requests) AS refused, count(DISTINCT substr(tenant, 1, instr(tenant, '/') - 1)), max(at)
			 FROM request_log WHERE `+store.SelectDenied(query)+`
			 GROUP BY reason, code, capability, surface ORDER BY refused DESC, reason, code, capability, surface LIMIT @limit OFFSET @offset`,
			deniedArgs(query, sql.Named("limit", query.Limit), sql.Named("offset", query.Offset))...)
		return collect(rows, err, func(r row) (d requestlog.Denial, err error) {
			err = r.Scan(&d.Reason, &d.Code, &d.Capability, &d.Surface, &d.Requests, &d.Organizations, instant{&d.Last})
			return d, err
		})
	})
}

// DeniedTimes implements [requestlog.Store].
func (s *Store) DeniedTimes(ctx context.Context, query requestlog.DenialQuery, step time.Duration) ([]requestlog.DeniedTime, error) {
	return read(ctx, s, "count denials", func(q querier) ([]requestlog.DeniedTime, error) {
		rows, err := q.QueryContext(ctx,
			`SELECT at / @step * @step AS step, `+store.CountDenied+`
			 FROM request_log WHERE `+store.SelectDenied(query)+` GROUP BY step ORDER BY step`,
			deniedArgs(query, sql.Named("step", step.Milliseconds()))...)
		return collect(rows, err, func(r row) (d requestlog.DeniedTime, err error) {
			err = r.Scan(instant{&d.At}, &d.Rejected, &d.Limited, &d.Closed)
			return d, err
		})
	})
}

func deniedArgs(q requestlog.DenialQuery, more ...any) []any {
	live, test := tenant.ID{Organization: q.Organization, Mode: tenant.Live}, tenant.ID{Organization: q.Organization, Mode: tenant.Test}
	return append(more, sql.Named("since", millis(q.Since)), sql.Named("live", live.String()), sql.Named("test", test.String()),
		sql.Named("capability", q.Capability), sql.Named("code", q.Code))
}

// PurgeRequests implements [requestlog.Store].
func (s *Store) PurgeRequests(ctx context.Context, until time.Time, limit int) (int, error) {
	erased := int64(0)
	err := s.write(ctx, "purge requests", func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx,
			`DELETE FROM request_log WHERE (tenant, id) IN (SELECT tenant, id FROM request_log WHERE at <= ? LIMIT ?)`, millis(until), limit)
		if err != nil {
			return err
		}
		erased, err = done.RowsAffected()
		return err
	})
	if err != nil {
		return 0, err
	}
	return int(erased), nil
}
