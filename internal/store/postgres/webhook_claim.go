// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/printmarket/printmarket/internal/webhook"
)

// openLanes locks the endpoints from which deliveries may be claimed, and returns the positions
// of their lanes. The lock serializes claims of an endpoint until the transaction ends, so it
// precedes the statement that counts the claimed deliveries. It skips an endpoint that has
// nothing due, or that another claim has locked. It omits an endpoint whose breaker is open, and
// limits an endpoint whose breaker is half-open to one delivery at a time.
const openLanes = `WITH due AS MATERIALIZED (
		SELECT l.* FROM unnest($1::text[], $2::text[], $3::bigint[]) WITH ORDINALITY AS l (tenant, name, most, n), LATERAL (
			SELECT FROM webhook_delivery d
			WHERE d.tenant = l.tenant AND d.endpoint = l.name AND d.state = 'pending' AND d.due_at <= $4
				AND (d.claimed_until IS NULL OR d.claimed_until <= $4)
			LIMIT 1
		) AS d
		ORDER BY l.tenant COLLATE "C", l.name COLLATE "C"
	)
	SELECT l.n, CASE WHEN e.rests_until IS NULL THEN l.most ELSE least(l.most, 1) END
	FROM due l, LATERAL (
		SELECT rests_until FROM webhook_endpoint e
		WHERE e.tenant = l.tenant AND e.name = l.name AND e.disabled = '' AND (e.rests_until IS NULL OR e.rests_until <= $4)
		FOR NO KEY UPDATE SKIP LOCKED
	) AS e`

// claimDue reads an index for each lane, up to the room of the lane. $6 is the room of all
// lanes together.
const claimDue = `WITH due AS (
		SELECT d.id FROM unnest($1::text[], $2::text[], $3::bigint[]) AS l (tenant, name, most), LATERAL (
			SELECT d.id FROM webhook_delivery d
			WHERE d.tenant = l.tenant AND d.endpoint = l.name AND d.state = 'pending' AND d.due_at <= $4
				AND (d.claimed_until IS NULL OR d.claimed_until <= $4)
			ORDER BY d.due_at, d.id
			LIMIT greatest(0, l.most - (
				SELECT count(*) FROM webhook_delivery c
				WHERE c.tenant = l.tenant AND c.endpoint = l.name AND c.claimed_until > $4))
			FOR NO KEY UPDATE SKIP LOCKED
		) AS d
		LIMIT $6
	), claimed AS (
		UPDATE webhook_delivery d SET token = d.token + 1, claimed_until = $5 FROM due WHERE d.id = due.id
		RETURNING d.*
	)
	SELECT ` + readDelivery + `, token FROM claimed ORDER BY due_at, id`

// lanes holds lanes as arrays for the parameters of a statement.
type lanes struct {
	tenants, names []string
	most           []int64
}

// Claim implements [webhook.Store]. It waits for no lock.
func (s *Store) Claim(ctx context.Context, wanted []webhook.Lane, room int, now time.Time, lease time.Duration) ([]webhook.Claim, error) {
	var all lanes
	for _, lane := range wanted {
		all.add(lane.Owner.String(), lane.Name, int64(lane.Most))
	}
	var claims []webhook.Claim
	err := s.write(ctx, "claim deliveries", func(ctx context.Context, tx pgx.Tx) error {
		claims = nil
		open, err := all.open(ctx, tx, now)
		if err != nil || len(open.names) == 0 {
			return err
		}
		rows, err := tx.Query(ctx, claimDue, open.tenants, open.names, open.most, now, now.Add(lease), room)
		claims, err = collect(rows, err, func(r pgx.Row) (c webhook.Claim, err error) {
			err = r.Scan(append(deliveryFields(&c.Delivery), &c.Token)...)
			return c, err
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	return claims, nil
}

func (l *lanes) add(owner, name string, most int64) {
	l.tenants, l.names, l.most = append(l.tenants, owner), append(l.names, name), append(l.most, most)
}

// open locks the lanes that may have deliveries and that no other claim has locked, and
// returns them in their order with their limits.
func (l *lanes) open(ctx context.Context, tx pgx.Tx, now time.Time) (open lanes, err error) {
	rows, err := tx.Query(ctx, openLanes, l.tenants, l.names, l.most, now)
	if err != nil {
		return lanes{}, err
	}
	limits := make([]int64, len(l.names))
	var n, most int64
	_, err = pgx.ForEachRow(rows, []any{&n, &most}, func() error {
		limits[n-1] = most
		return nil
	})
	for i, most := range limits {
		if most > 0 {
			open.add(l.tenants[i], l.names[i], most)
		}
	}
	return open, err
}

// Release implements [webhook.Store].
func (s *Store) Release(ctx context.Context, claims []webhook.Claim) error {
	ids, tokens := make([]string, len(claims)), make([]int64, len(claims))
	for i, claim := range claims {
		ids[i], tokens[i] = claim.ID, claim.Token
	}
	return s.use(ctx, "release deliveries", func(ctx context.Context, conn *pgxpool.Conn) error {
		_, err := conn.Exec(ctx,
			`WITH held AS (
				SELECT d.id FROM webhook_delivery d JOIN unnest($1::text[], $2::bigint[]) AS c (id, token) ON c.id = d.id
				WHERE d.token = c.token AND d.claimed_until IS NOT NULL
				ORDER BY d.id FOR NO KEY UPDATE OF d
			)
			UPDATE webhook_delivery d SET claimed_until = NULL FROM held WHERE d.id = held.id`, ids, tokens)
		return err
	})
}

// lockStandings locks endpoints in the order that every transaction uses.
const lockStandings = `SELECT ` + standingColumns + `, 0, NULL::timestamptz FROM webhook_endpoint
	WHERE (tenant, name) IN (SELECT * FROM unnest($1::text[], $2::text[]))
	ORDER BY tenant, name FOR NO KEY UPDATE`

// Record implements [webhook.Store].
func (s *Store) Record(ctx context.Context, results []webhook.Result, now time.Time) ([]webhook.Standing, error) {
	if len(results) == 0 {
		return nil, nil
	}
	var disabled []webhook.Standing
	err := s.write(ctx, "record deliveries", func(ctx context.Context, tx pgx.Tx) error {
		var tenants, names []string
		for _, result := range results {
			tenants, names = append(tenants, result.Owner.String()), append(names, result.Name)
		}
		rows, err := tx.Query(ctx, lockStandings, tenants, names)
		before, err := collect(rows, err, scanStanding)
		if err != nil {
			return err
		}
		kept, err := keepResults(ctx, tx, results)
		if err != nil {
			return err
		}
		disabled, err = judge(ctx, tx, before, kept, now)
		return err
	})
	if err != nil {
		return nil, err
	}
	return disabled, nil
}

// keep commits the attempts of claims that are still valid, and returns their deliveries.
const keep = `WITH result AS (
		SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::timestamptz[], $5::timestamptz[],
			$6::timestamptz[], $7::bigint[], $8::bigint[], $9::text[], $10::text[])
		AS r (id, token, state, due_at, ended_at, at, took, status, fault, excerpt)
	), held AS (
		SELECT d.id FROM webhook_delivery d JOIN result r ON r.id = d.id
		WHERE d.token = r.token AND d.claimed_until IS NOT NULL
		ORDER BY d.id FOR NO KEY UPDATE OF d
	), kept AS (
		UPDATE webhook_delivery d
		SET state = r.state, due_at = r.due_at, ended_at = r.ended_at,
			attempts = d.attempts + 1, tries = d.tries + 1, claimed_until = NULL
		FROM held, result r WHERE d.id = held.id AND r.id = held.id
		RETURNING d.id, d.attempts
	)
	INSERT INTO webhook_attempt (delivery_id, number, at, took, status, fault, excerpt)
	SELECT k.id, k.attempts, r.at, r.took, r.status, r.fault, r.excerpt FROM kept k JOIN result r ON r.id = k.id
	RETURNING delivery_id`

// keepResults commits results and returns the attempts of valid claims by endpoint.
func keepResults(ctx context.Context, tx pgx.Tx, results []webhook.Result) (map[webhook.Address][]webhook.Attempt, error) {
	var ids, states, faults, excerpts []string
	var tokens, took []int64
	var statuses []int
	var at []time.Time
	var due, ended []*time.Time
	byID := make(map[string]webhook.Result, len(results))
	for _, r := range results {
		byID[r.ID] = r
		ids, tokens, states = append(ids, r.ID), append(tokens, r.Token), append(states, string(r.State))
		due, ended = append(due, maybe(r.DueAt)), append(ended, maybe(r.EndedAt))
		at, took = append(at, r.Attempt.At), append(took, r.Attempt.Took.Microseconds())
		statuses, faults = append(statuses, r.Attempt.Status), append(faults, string(r.Attempt.Fault))
		excerpts = append(excerpts, r.Attempt.Excerpt)
	}
	rows, err := tx.Query(ctx, keep, ids, tokens, states, due, ended, at, took, statuses, faults, excerpts)
	kept, err := collect(rows, err, func(r pgx.Row) (id string, err error) { err = r.Scan(&id); return id, err })
	attempts := map[webhook.Address][]webhook.Attempt{}
	for _, id := range kept {
		result := byID[id]
		attempts[result.Address] = append(attempts[result.Address], result.Attempt)
	}
	return attempts, err
}

// judge updates the standings of locked endpoints after attempts, and returns the
// standings of endpoints that the attempts disabled.
func judge(ctx context.Context, tx pgx.Tx, before []webhook.Standing, attempts map[webhook.Address][]webhook.Attempt, now time.Time) ([]webhook.Standing, error) {
	changes := &pgx.Batch{}
	var tenants, names []string
	for _, standing := range before {
		made := attempts[standing.Address]
		if len(made) == 0 {
			continue
		}
		after := standing.After(made, now)
		changes.Queue(
			`UPDATE webhook_endpoint SET disabled = $3, disabled_at = $4, failing_since = $5, delivered_at = $6,
				failures = $7, rests = $8, rests_until = $9
			 WHERE tenant = $1 AND name = $2`,
			after.Owner.String(), after.Name, after.Disabled, maybe(after.DisabledAt), maybe(after.FailingSince), maybe(after.DeliveredAt),
			after.Breaker.Failures, after.Breaker.Rests, maybe(after.Breaker.Until))
		if after.Disabled != standing.Disabled {
			tenants, names = append(tenants, after.Owner.String()), append(names, after.Name)
		}
	}
	if err := tx.SendBatch(ctx, changes).Close(); err != nil || len(names) == 0 {
		return nil, err
	}
	rows, err := tx.Query(ctx,
		standings+` WHERE (tenant, name) IN (SELECT * FROM unnest($1::text[], $2::text[])) ORDER BY tenant, name`, tenants, names)
	return collect(rows, err, scanStanding)
}
