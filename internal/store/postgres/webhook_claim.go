// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/printmarket/printmarket/internal/webhook"
)

// claimDue reads an index for each lane, up to the limit of the lane. Only the deliveries of a lane
// that have been due longest may be in flight, so those that are claimed count against the limit
// without an index of claims. The claim changes no indexed column, so it writes no index. It skips
// a row that another transaction has locked, and an endpoint whose breaker is open. It limits an
// endpoint whose breaker is half-open to one delivery at a time. $4 is the time, $5 the end of the
// claims, and $6 the room of all lanes together.
const claimDue = `WITH due AS (
		SELECT d.place FROM unnest($1::text[], $2::text[], $3::bigint[]) AS l (tenant, name, most), LATERAL (
			SELECT d.ctid AS place FROM (
				SELECT o.ctid AS place FROM webhook_delivery o
				WHERE o.tenant = l.tenant AND o.endpoint = l.name AND o.state = 'pending' AND o.due_at <= $4
				ORDER BY o.due_at, o.id
				LIMIT coalesce((
					SELECT CASE WHEN e.rests_until IS NULL THEN l.most ELSE least(l.most, 1) END FROM webhook_endpoint e
					WHERE e.tenant = l.tenant AND e.name = l.name AND e.disabled = '' AND (e.rests_until IS NULL OR e.rests_until <= $4)), 0)
			) AS oldest JOIN webhook_delivery d ON d.ctid = oldest.place
			WHERE d.state = 'pending' AND d.due_at <= $4 AND (d.claimed_until IS NULL OR d.claimed_until <= $4)
			ORDER BY d.due_at, d.id
			FOR NO KEY UPDATE OF d SKIP LOCKED
		) AS d
		LIMIT $6
	), claimed AS (
		UPDATE webhook_delivery d SET token = d.token + 1, claimed_until = $5 FROM due WHERE d.ctid = due.place
		RETURNING d.*
	)
	SELECT ` + readDelivery + `, token FROM claimed ORDER BY due_at, id`

// Claim implements [webhook.Store]. It waits for no lock.
func (s *Store) Claim(ctx context.Context, wanted []webhook.Lane, room int, now time.Time, lease time.Duration) ([]webhook.Claim, error) {
	tenants, names, most := columnsOf(wanted)
	return read(ctx, s, "claim deliveries", func(ctx context.Context, q querier) ([]webhook.Claim, error) {
		rows, err := q.Query(ctx, claimDue, tenants, names, most, now, now.Add(lease), room)
		return collect(rows, err, func(r pgx.Row) (c webhook.Claim, err error) {
			err = r.Scan(append(deliveryFields(&c.Delivery), &c.Token)...)
			return c, err
		})
	})
}

// columnsOf returns the parameters of a claim for lanes.
func columnsOf(lanes []webhook.Lane) (tenants, names []string, most []int64) {
	for _, lane := range lanes {
		tenants, names, most = append(tenants, lane.Owner.String()), append(names, lane.Name), append(most, int64(lane.Most))
	}
	return tenants, names, most
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
		SELECT r.* FROM webhook_delivery d JOIN result r ON r.id = d.id
		WHERE d.token = r.token AND d.claimed_until IS NOT NULL
		ORDER BY d.id FOR NO KEY UPDATE OF d
	), kept AS (
		UPDATE webhook_delivery d
		SET state = h.state, due_at = h.due_at, ended_at = h.ended_at,
			attempts = d.attempts + 1, tries = d.tries + 1, claimed_until = NULL
		FROM held h WHERE d.id = h.id
		RETURNING d.id, d.attempts, h.at, h.took, h.status, h.fault, h.excerpt
	)
	INSERT INTO webhook_attempt (delivery_id, number, at, took, status, fault, excerpt) SELECT * FROM kept
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

// changeStandings writes the standings of locked endpoints.
const changeStandings = `UPDATE webhook_endpoint e SET disabled = s.disabled, disabled_at = s.disabled_at,
		failing_since = s.failing_since, delivered_at = s.delivered_at, failures = s.failures, rests = s.rests, rests_until = s.rests_until
	FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::timestamptz[], $6::timestamptz[], $7::bigint[], $8::bigint[], $9::timestamptz[])
		AS s (tenant, name, disabled, disabled_at, failing_since, delivered_at, failures, rests, rests_until)
	WHERE e.tenant = s.tenant AND e.name = s.name`

// judge updates the standings of locked endpoints after attempts, and returns the
// standings of endpoints that the attempts disabled.
func judge(ctx context.Context, tx pgx.Tx, before []webhook.Standing, attempts map[webhook.Address][]webhook.Attempt, now time.Time) ([]webhook.Standing, error) {
	var tenants, names, states, disabled, disabledNames []string
	var disabledAt, failingSince, deliveredAt, until []*time.Time
	var failures, rests []int
	for _, standing := range before {
		made := attempts[standing.Address]
		if len(made) == 0 {
			continue
		}
		after := standing.After(made, now)
		tenants, names, states = append(tenants, after.Owner.String()), append(names, after.Name), append(states, string(after.Disabled))
		disabledAt, failingSince = append(disabledAt, maybe(after.DisabledAt)), append(failingSince, maybe(after.FailingSince))
		deliveredAt, until = append(deliveredAt, maybe(after.DeliveredAt)), append(until, maybe(after.Breaker.Until))
		failures, rests = append(failures, after.Breaker.Failures), append(rests, after.Breaker.Rests)
		if after.Disabled != standing.Disabled {
			disabled, disabledNames = append(disabled, after.Owner.String()), append(disabledNames, after.Name)
		}
	}
	_, err := tx.Exec(ctx, changeStandings, tenants, names, states, disabledAt, failingSince, deliveredAt, failures, rests, until)
	if err != nil || len(disabled) == 0 {
		return nil, err
	}
	rows, err := tx.Query(ctx,
		standings+` WHERE (tenant, name) IN (SELECT * FROM unnest($1::text[], $2::text[])) ORDER BY tenant, name`, disabled, disabledNames)
	return collect(rows, err, scanStanding)
}
