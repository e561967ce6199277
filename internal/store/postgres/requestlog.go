// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"cmp"
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/printmarket/printmarket/internal/requestlog"
	"github.com/printmarket/printmarket/internal/store"
	"github.com/printmarket/printmarket/internal/tenant"
)

var _ requestlog.Store = (*Store)(nil)

// AddRequests implements [requestlog.Store]. Replicas may write the same requests at the
// same time, so each inserts them in the same order.
func (s *Store) AddRequests(ctx context.Context, entries []requestlog.Entry) error {
	var tenants, ids, requestIDs, keys, listeners, surfaces, methods, routes, codes, capabilities, reasons []string
	var times []time.Time
	var statuses, took, bytes, requests []int64
	for i := range entries {
		e := &entries[i]
		tenants, ids, times, requestIDs = append(tenants, e.Tenant.String()), append(ids, e.ID), append(times, e.At), append(requestIDs, e.RequestID)
		keys, listeners, surfaces = append(keys, e.Key), append(listeners, e.Listener), append(surfaces, e.Surface)
		methods, routes, statuses = append(methods, e.Method), append(routes, e.Route), append(statuses, int64(e.Status))
		codes, capabilities, reasons = append(codes, e.Code), append(capabilities, e.Capability), append(reasons, e.Reason)
		took, bytes, requests = append(took, e.Took.Microseconds()), append(bytes, e.Bytes), append(requests, e.Requests)
	}
	return s.use(ctx, "log requests", func(ctx context.Context, conn *pgxpool.Conn) error {
		_, err := conn.Exec(ctx,
			`INSERT INTO request_log (`+store.RequestColumns+`)
			 SELECT * FROM unnest($1::text[], $2::text[], $3::timestamptz[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
				$9::text[], $10::bigint[], $11::text[], $12::text[], $13::text[], $14::bigint[], $15::bigint[], $16::bigint[])
				AS entry (`+store.RequestColumns+`) ORDER BY tenant, id
			 ON CONFLICT (tenant, id) DO NOTHING`,
			tenants, ids, times, requestIDs, keys, listeners, surfaces, methods,
			routes, statuses, codes, capabilities, reasons, took, bytes, requests)
		return err
	})
}

// Requests implements [requestlog.Store].
func (s *Store) Requests(ctx context.Context, query requestlog.Query) ([]requestlog.Entry, error) {
	return read(ctx, s, "list requests", func(ctx context.Context, q querier) ([]requestlog.Entry, error) {
		rows, err := q.Query(ctx, store.ListRequests(query), pgx.NamedArgs{
			"owner": query.Owner.String(), "before": cmp.Or(query.Before, store.BeforeAll), "request": query.RequestID, "code": query.Code,
			"key": query.Key, "route": query.Route, "since": requestlog.FirstID(query.Since), "limit": query.Limit,
		})
		return collect(rows, err, func(r pgx.Row) (e requestlog.Entry, err error) {
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
	return read(ctx, s, "list denials", func(ctx context.Context, q querier) ([]requestlog.Denial, error) {
		rows, err := q.Query(ctx,
			`SELECT reason, code, capability, surface, sum(requests)::bigint AS refused, count(DISTINCT split_part(tenant, '/', 1)), max(at)
			 FROM request_log WHERE `+store.SelectDenied(query)+`
			 GROUP BY reason, code, capability, surface ORDER BY refused DESC, reason, code, capability, surface LIMIT @limit OFFSET @offset`,
			deniedArgs(query))
		return collect(rows, err, func(r pgx.Row) (d requestlog.Denial, err error) {
			err = r.Scan(&d.Reason, &d.Code, &d.Capability, &d.Surface, &d.Requests, &d.Organizations, instant{&d.Last})
			return d, err
		})
	})
}

// DeniedTimes implements [requestlog.Store].
func (s *Store) DeniedTimes(ctx context.Context, query requestlog.DenialQuery, step time.Duration) ([]requestlog.DeniedTime, error) {
	return read(ctx, s, "count denials", func(ctx context.Context, q querier) ([]requestlog.DeniedTime, error) {
		args := deniedArgs(query)
		args["step"] = step
		rows, err := q.Query(ctx,
			`SELECT date_bin(@step, at, 'epoch') AS step, `+store.CountDenied+`
			 FROM request_log WHERE `+store.SelectDenied(query)+` GROUP BY step ORDER BY step`, args)
		return collect(rows, err, func(r pgx.Row) (d requestlog.DeniedTime, err error) {
			err = r.Scan(instant{&d.At}, &d.Rejected, &d.Limited, &d.Closed)
			return d, err
		})
	})
}

func deniedArgs(q requestlog.DenialQuery) pgx.NamedArgs {
	live, test := tenant.ID{Organization: q.Organization, Mode: tenant.Live}, tenant.ID{Organization: q.Organization, Mode: tenant.Test}
	return pgx.NamedArgs{
		"since": q.Since, "live": live.String(), "test": test.String(), "capability": q.Capability, "code": q.Code, "limit": q.Limit, "offset": q.Offset,
	}
}

// PurgeRequests implements [requestlog.Store]. It skips entries that another replica is
// erasing.
func (s *Store) PurgeRequests(ctx context.Context, until time.Time, limit int) (int, error) {
	erased := int64(0)
	err := s.use(ctx, "purge requests", func(ctx context.Context, conn *pgxpool.Conn) error {
		done, err := conn.Exec(ctx,
			`WITH due AS (SELECT tenant, id FROM request_log WHERE at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED)
			 DELETE FROM request_log r USING due WHERE r.tenant = due.tenant AND r.id = due.id`, until, limit)
		erased = done.RowsAffected()
		return err
	})
	if err != nil {
		return 0, err
	}
	return int(erased), nil
}
