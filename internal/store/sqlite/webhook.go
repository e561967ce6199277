// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/store"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/internal/webhook"
)

var _ webhook.Store = (*Store)(nil)

const deliveryColumns = `id, tenant, endpoint, event_id, type, subject, event_at, state, attempts, tries, due_at, ended_at, created_at, trace`

// readDelivery lists the columns and the reference of a delivery that is read.
const readDelivery = deliveryColumns + `, ` + store.ReferenceOf

// Relayed implements [webhook.Store].
func (s *Store) Relayed(ctx context.Context) (int64, error) {
	return read(ctx, s, "read relay", func(q querier) (seq int64, err error) {
		err = q.QueryRowContext(ctx, `SELECT relayed FROM webhook_head`).Scan(&seq)
		return seq, err
	})
}

// Relay implements [webhook.Store].
func (s *Store) Relay(ctx context.Context, from, to int64, deliveries []webhook.Delivery) (relayed bool, err error) {
	err = s.write(ctx, "relay events", func(tx *sql.Tx) error {
		moved, err := affected(tx.ExecContext(ctx, `UPDATE webhook_head SET relayed = ? WHERE relayed = ?`, to, from))
		if relayed = moved == 1; err != nil || !relayed {
			return err
		}
		return insertDeliveries(ctx, tx, deliveries)
	})
	return relayed && err == nil, err
}

func affected(done sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return done.RowsAffected()
}

// insertDeliveries inserts deliveries, except of events that the endpoint already has.
func insertDeliveries(ctx context.Context, tx *sql.Tx, deliveries []webhook.Delivery) error {
	for _, d := range deliveries {
		if _, err := tx.ExecContext(ctx,
			`INSERT INTO webhook_delivery (`+deliveryColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, nullif(?, ''))
			 ON CONFLICT (tenant, endpoint, event_id) DO NOTHING`,
			d.ID, d.Owner.String(), d.Name, d.Event.ID, d.Event.Type, d.Event.Subject, millis(d.Event.At),
			d.State, d.Attempts, d.Tries, millis(d.DueAt), millis(d.EndedAt), millis(d.CreatedAt), d.Event.Trace); err != nil {
			return err
		}
	}
	return nil
}

// Enroll implements [webhook.Store].
func (s *Store) Enroll(ctx context.Context, endpoints []webhook.Endpoint, now time.Time) error {
	return s.write(ctx, "enroll endpoints", func(tx *sql.Tx) error {
		for _, endpoint := range endpoints {
			if _, err := tx.ExecContext(ctx,
				`INSERT INTO webhook_endpoint AS known (tenant, name, url, enrolled_at, begun_at) VALUES (?1, ?2, ?3, ?4, ?4)
				 ON CONFLICT (tenant, name) DO UPDATE SET url = excluded.url, begun_at = excluded.begun_at,
					disabled = '', disabled_at = 0, failing_since = 0, delivered_at = 0, failures = 0, rests = 0, rests_until = 0
					WHERE known.url <> excluded.url`,
				endpoint.Owner.String(), endpoint.Name, endpoint.URL, millis(now)); err != nil {
				return err
			}
		}
		return nil
	})
}

const standings = `SELECT tenant, name, url, enrolled_at, begun_at, disabled, disabled_at, failing_since, delivered_at,
	failures, rests, rests_until,
	(SELECT count(*) FROM webhook_delivery d WHERE d.tenant = e.tenant AND d.endpoint = e.name AND d.state = 'pending'),
	(SELECT coalesce(min(d.event_at), 0) FROM webhook_delivery d WHERE d.tenant = e.tenant AND d.endpoint = e.name AND d.state = 'pending')
	FROM webhook_endpoint e`

// Standings implements [webhook.Store].
func (s *Store) Standings(ctx context.Context, owner tenant.ID) ([]webhook.Standing, error) {
	return read(ctx, s, "read standings", func(q querier) ([]webhook.Standing, error) {
		rows, err := q.QueryContext(ctx, standings+` WHERE ? OR tenant = ? ORDER BY tenant, name`, owner.IsZero(), owner.String())
		return collect(rows, err, scanStanding)
	})
}

// Enrolled implements [webhook.Store].
func (s *Store) Enrolled(ctx context.Context) (map[webhook.Address]time.Time, error) {
	enrolled := map[webhook.Address]time.Time{}
	_, err := read(ctx, s, "read enrolments", func(q querier) ([]struct{}, error) {
		rows, err := q.QueryContext(ctx, `SELECT tenant, name, enrolled_at FROM webhook_endpoint`)
		return collect(rows, err, func(r row) (none struct{}, err error) {
			var address webhook.Address
			var at time.Time
			err = r.Scan(&address.Owner, &address.Name, instant{&at})
			enrolled[address] = at
			return none, err
		})
	})
	return enrolled, err
}

// Claim implements [webhook.Store]. There is one writer, so nothing needs a lock.
func (s *Store) Claim(ctx context.Context, lanes []webhook.Lane, room int, now time.Time, lease time.Duration) ([]webhook.Claim, error) {
	var claims []webhook.Claim
	err := s.write(ctx, "claim deliveries", func(tx *sql.Tx) error {
		for _, lane := range lanes {
			taken, err := claimDue(ctx, tx, lane, room-len(claims), now, lease)
			if err != nil {
				return err
			}
			claims = append(claims, taken...)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return claims, nil
}

// claimDue claims deliveries up to room and the limit of a lane, and one at a time while the breaker is
// half-open. It claims none if the breaker is open, or the endpoint is disabled or not enrolled.
func claimDue(ctx context.Context, tx *sql.Tx, lane webhook.Lane, room int, now time.Time, lease time.Duration) ([]webhook.Claim, error) {
	var most int
	err := tx.QueryRowContext(ctx,
		`SELECT iif(rests = 0, ?3, min(?3, 1)) - (SELECT count(*) FROM webhook_delivery WHERE tenant = ?1 AND endpoint = ?2 AND claimed_until > 0 AND claimed_until > ?4)
		 FROM webhook_endpoint WHERE tenant = ?1 AND name = ?2 AND disabled = '' AND rests_until <= ?4`,
		lane.Owner.String(), lane.Name, lane.Most, millis(now)).Scan(&most)
	room = min(room, most)
	if errors.Is(err, sql.ErrNoRows) || err == nil && room <= 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	rows, err := tx.QueryContext(ctx,
		`SELECT `+readDelivery+`, token + 1 FROM webhook_delivery
		 WHERE tenant = ? AND endpoint = ? AND state = 'pending' AND due_at <= ? AND claimed_until <= ?
		 ORDER BY due_at, id LIMIT ?`,
		lane.Owner.String(), lane.Name, millis(now), millis(now), room)
	claims, err := collect(rows, err, func(r row) (c webhook.Claim, err error) {
		err = r.Scan(append(deliveryFields(&c.Delivery), &c.Token)...)
		return c, err
	})
	if err != nil {
		return nil, err
	}
	for _, claim := range claims {
		if _, err := tx.ExecContext(ctx, `UPDATE webhook_delivery SET token = ?, claimed_until = ? WHERE id = ?`,
			claim.Token, millis(now.Add(lease)), claim.ID); err != nil {
			return nil, err
		}
	}
	return claims, nil
}

// Release implements [webhook.Store].
func (s *Store) Release(ctx context.Context, claims []webhook.Claim) error {
	return s.write(ctx, "release deliveries", func(tx *sql.Tx) error {
		for _, claim := range claims {
			if _, err := tx.ExecContext(ctx, `UPDATE webhook_delivery SET claimed_until = 0 WHERE id = ? AND token = ?`,
				claim.ID, claim.Token); err != nil {
				return err
			}
		}
		return nil
	})
}

// Record implements [webhook.Store].
func (s *Store) Record(ctx context.Context, results []webhook.Result, now time.Time) ([]webhook.Standing, error) {
	var disabled []webhook.Standing
	err := s.write(ctx, "record deliveries", func(tx *sql.Tx) error {
		kept := map[webhook.Address][]webhook.Attempt{}
		for _, result := range results {
			standing, err := keepResult(ctx, tx, result)
			if err != nil {
				return err
			}
			if standing {
				kept[result.Address] = append(kept[result.Address], result.Attempt)
			}
		}
		for address, attempts := range kept {
			after, changed, err := judge(ctx, tx, address, attempts, now)
			if err != nil {
				return err
			}
			if changed {
				disabled = append(disabled, after)
			}
		}
		slices.SortFunc(disabled, func(a, b webhook.Standing) int {
			return cmp.Or(cmp.Compare(a.Owner.String(), b.Owner.String()), cmp.Compare(a.Name, b.Name))
		})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return disabled, nil
}

// keepResult commits a result and reports whether its claim was still valid.
func keepResult(ctx context.Context, tx *sql.Tx, r webhook.Result) (bool, error) {
	kept, err := affected(tx.ExecContext(ctx,
		`UPDATE webhook_delivery SET state = ?, due_at = ?, ended_at = ?, attempts = attempts + 1, tries = tries + 1, claimed_until = 0
		 WHERE id = ? AND token = ? AND claimed_until > 0`,
		r.State, millis(r.DueAt), millis(r.EndedAt), r.ID, r.Token))
	if err != nil || kept == 0 {
		return false, err
	}
	_, err = tx.ExecContext(ctx,
		`INSERT INTO webhook_attempt (delivery_id, number, at, took, status, fault, excerpt)
		 SELECT id, attempts, ?, ?, ?, ?, ? FROM webhook_delivery WHERE id = ?`,
		millis(r.Attempt.At), r.Attempt.Took.Microseconds(), r.Attempt.Status, r.Attempt.Fault, r.Attempt.Excerpt, r.ID)
	return true, err
}

// judge updates the standing of an endpoint after attempts, and reports whether they
// disabled the endpoint.
func judge(ctx context.Context, tx *sql.Tx, address webhook.Address, attempts []webhook.Attempt, now time.Time) (webhook.Standing, bool, error) {
	before, err := standingOf(ctx, tx, address)
	if errors.Is(err, sql.ErrNoRows) {
		return webhook.Standing{}, false, nil
	}
	if err != nil {
		return webhook.Standing{}, false, err
	}
	after := before.After(attempts, now)
	if _, err := tx.ExecContext(ctx,
		`UPDATE webhook_endpoint SET disabled = ?, disabled_at = ?, failing_since = ?, delivered_at = ?,
			failures = ?, rests = ?, rests_until = ? WHERE tenant = ? AND name = ?`,
		after.Disabled, millis(after.DisabledAt), millis(after.FailingSince), millis(after.DeliveredAt),
		after.Breaker.Failures, after.Breaker.Rests, millis(after.Breaker.Until),
		address.Owner.String(), address.Name); err != nil {
		return webhook.Standing{}, false, err
	}
	after, err = standingOf(ctx, tx, address)
	return after, after.Disabled != before.Disabled, err
}

func standingOf(ctx context.Context, q querier, address webhook.Address) (webhook.Standing, error) {
	return scanStanding(q.QueryRowContext(ctx, standings+` WHERE tenant = ? AND name = ?`, address.Owner.String(), address.Name))
}

// Deliveries implements [webhook.Store].
func (s *Store) Deliveries(ctx context.Context, query webhook.Query) ([]webhook.Delivery, error) {
	return read(ctx, s, "list deliveries", func(q querier) ([]webhook.Delivery, error) {
		rows, err := q.QueryContext(ctx,
			`SELECT `+readDelivery+` FROM webhook_delivery
			 WHERE tenant = ?1 AND id < ?2 AND (?3 = '' OR endpoint = ?3) AND (?4 = '' OR state = ?4) AND (?5 = '' OR type = ?5)
			 ORDER BY id DESC LIMIT ?6`,
			query.Owner.String(), cmp.Or(query.Before, store.BeforeAll), query.Endpoint, query.State, query.Type, query.Limit)
		return collect(rows, err, scanDelivery)
	})
}

// uncounted returns the creation of the newest delivery beyond a limit.
const uncounted = `SELECT created_at FROM webhook_delivery WHERE tenant = ?1 AND id >= ?2 ORDER BY id DESC LIMIT 1 OFFSET ?3`

// activity counts attempts and pending deliveries by the hours since 1970.
const activity = `WITH newest AS MATERIALIZED (
		SELECT id, endpoint, state, created_at FROM webhook_delivery WHERE tenant = ?1 AND id >= ?2 ORDER BY id DESC LIMIT ?3
	), counted AS (
		SELECT a.at, a.fault = '' AS succeeded, a.fault <> '' AS failed, 0 AS pending
		FROM newest n JOIN webhook_attempt a ON a.delivery_id = n.id WHERE n.endpoint = ?4
		UNION ALL
		SELECT created_at, 0, 0, 1 FROM newest WHERE endpoint = ?4 AND state = 'pending'
	)
	SELECT at / 3600000 AS hour, sum(succeeded), sum(failed), sum(pending) FROM counted GROUP BY hour ORDER BY hour`

// Activity implements [webhook.ActivityStore].
func (s *Store) Activity(ctx context.Context, address webhook.Address, since time.Time, limit int) (webhook.Activity, error) {
	counted := webhook.Activity{Since: since}
	owner, first := address.Owner.String(), recordid.First(webhook.DeliveryPrefix, since)
	hours, err := read(ctx, s, "count deliveries", func(q querier) ([]webhook.Hour, error) {
		err := q.QueryRowContext(ctx, uncounted, owner, first, limit).Scan(instant{&counted.Since})
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return nil, err
		}
		rows, err := q.QueryContext(ctx, activity, owner, first, limit, address.Name)
		return collect(rows, err, func(r row) (hour webhook.Hour, err error) {
			var hours int64
			err = r.Scan(&hours, &hour.Succeeded, &hour.Failed, &hour.Pending)
			hour.At = time.Unix(hours*3600, 0).UTC()
			return hour, err
		})
	})
	counted.Hours = hours
	return counted, err
}

// Delivery implements [webhook.Store]. It omits an attempt that is committed between its
// two queries, because the delivery that it returns does not count that attempt yet.
func (s *Store) Delivery(ctx context.Context, owner tenant.ID, id string) (delivery webhook.Delivery, attempts []webhook.Attempt, err error) {
	attempts, err = read(ctx, s, "read delivery", func(q querier) ([]webhook.Attempt, error) {
		if delivery, err = deliveryOf(ctx, q, owner, id); err != nil {
			return nil, err
		}
		rows, err := q.QueryContext(ctx,
			`SELECT number, at, took, status, fault, excerpt FROM webhook_attempt WHERE delivery_id = ? AND number <= ? ORDER BY number`,
			id, delivery.Attempts)
		return collect(rows, err, func(r row) (a webhook.Attempt, err error) {
			var took int64
			err = r.Scan(&a.Number, instant{&a.At}, &took, &a.Status, &a.Fault, &a.Excerpt)
			a.Took = time.Duration(took) * time.Microsecond
			return a, err
		})
	})
	if err != nil {
		return webhook.Delivery{}, nil, err
	}
	return delivery, attempts, nil
}

func deliveryOf(ctx context.Context, q querier, owner tenant.ID, id string) (webhook.Delivery, error) {
	delivery, err := scanDelivery(q.QueryRowContext(ctx,
		`SELECT `+readDelivery+` FROM webhook_delivery WHERE id = ? AND tenant = ?`, id, owner.String()))
	if errors.Is(err, sql.ErrNoRows) {
		err = store.Answer(transaction.ErrNotFound)
	}
	return delivery, err
}

// AddDelivery implements [webhook.Store].
func (s *Store) AddDelivery(ctx context.Context, delivery webhook.Delivery) error {
	delivery.Event.Trace = telemetry.Traceparent(ctx)
	return s.write(ctx, "add delivery", func(tx *sql.Tx) error {
		return insertDeliveries(ctx, tx, []webhook.Delivery{delivery})
	})
}

// Redeliver implements [webhook.Store].
func (s *Store) Redeliver(ctx context.Context, owner tenant.ID, id string, now time.Time) (webhook.Delivery, error) {
	var delivery webhook.Delivery
	err := s.write(ctx, "redeliver", func(tx *sql.Tx) (err error) {
		if _, err := deliveryOf(ctx, tx, owner, id); err != nil {
			return err
		}
		if err := restart(ctx, tx, id, now); err != nil {
			return err
		}
		delivery, err = deliveryOf(ctx, tx, owner, id)
		return err
	})
	return delivery, err
}

// restart makes a delivery pending, due now and unclaimed.
func restart(ctx context.Context, tx *sql.Tx, id string, now time.Time) error {
	_, err := tx.ExecContext(ctx,
		`UPDATE webhook_delivery SET state = 'pending', tries = 0, due_at = ?, ended_at = 0, token = token + 1, claimed_until = 0
		 WHERE id = ?`, millis(now), id)
	return err
}

// recoverable selects exhausted deliveries with their ids, and events without a delivery
// with an empty id, oldest first.
const recoverable = `
	SELECT * FROM (
		SELECT event_at AS at, id, event_id, type, subject, trace FROM webhook_delivery
		WHERE tenant = ?1 AND endpoint = ?2 AND state = 'exhausted' AND event_at >= ?3 ORDER BY event_at, id LIMIT ?5
	) UNION ALL SELECT * FROM (
		SELECT o.at, '', o.id, o.type, o.subject, o.trace FROM outbox o
		WHERE o.tenant = ?1 AND o.at >= ?3 AND o.seq <= (SELECT relayed FROM webhook_head)
			AND (?4 = '[]' OR o.type IN (SELECT value FROM json_each(?4)))
			AND NOT EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.tenant = o.tenant AND d.endpoint = ?2 AND d.event_id = o.id)
		ORDER BY o.at LIMIT ?5
	)
	ORDER BY at LIMIT ?5`

// Recover implements [webhook.Store].
func (s *Store) Recover(ctx context.Context, endpoint webhook.Endpoint, since, now time.Time, limit int, mint func() (string, error)) (int, error) {
	const op = "recover deliveries"
	wanted, err := json.Marshal(append([]transaction.EventType{}, endpoint.Events...))
	if err != nil {
		return 0, store.Classify(op, err)
	}
	recovered := 0
	err = s.write(ctx, op, func(tx *sql.Tx) error {
		if _, err := standingOf(ctx, tx, endpoint.Address); errors.Is(err, sql.ErrNoRows) {
			return store.Answer(transaction.ErrNotFound)
		} else if err != nil {
			return err
		}
		rows, err := tx.QueryContext(ctx, recoverable, endpoint.Owner.String(), endpoint.Name, millis(since), string(wanted), limit)
		events, err := collect(rows, err, func(r row) (u unsent, err error) {
			err = r.Scan(instant{&u.event.At}, &u.delivery, &u.event.ID, &u.event.Type, &u.event.Subject, text{&u.event.Trace})
			return u, err
		})
		if err != nil {
			return err
		}
		recovered = len(events)
		return recoverEvents(ctx, tx, endpoint.Address, events, now, mint)
	})
	if err != nil {
		return 0, err
	}
	return recovered, nil
}

// unsent is an event that an endpoint has not received. The id of its delivery is empty if the
// event has no delivery.
type unsent struct {
	event    transaction.Event
	delivery string
}

func recoverEvents(ctx context.Context, tx *sql.Tx, address webhook.Address, events []unsent, now time.Time, mint func() (string, error)) error {
	for _, unsent := range events {
		if unsent.delivery != "" {
			if err := restart(ctx, tx, unsent.delivery, now); err != nil {
				return err
			}
			continue
		}
		id, err := mint()
		if err != nil {
			return store.Answer(err)
		}
		if err := insertDeliveries(ctx, tx, []webhook.Delivery{{
			ID: id, Address: address, Event: unsent.event, State: webhook.Pending, DueAt: now, CreatedAt: now,
		}}); err != nil {
			return err
		}
	}
	return nil
}

// Enable implements [webhook.Store].
func (s *Store) Enable(ctx context.Context, address webhook.Address, now time.Time) error {
	return s.write(ctx, "enable endpoint", func(tx *sql.Tx) error {
		enabled, err := affected(tx.ExecContext(ctx,
			`UPDATE webhook_endpoint SET disabled = '', disabled_at = 0, failing_since = 0, begun_at = ?, failures = 0, rests = 0, rests_until = 0
			 WHERE tenant = ? AND name = ?`,
			millis(now), address.Owner.String(), address.Name))
		if err != nil {
			return err
		}
		if enabled == 0 {
			return store.Answer(transaction.ErrNotFound)
		}
		_, err = tx.ExecContext(ctx,
			`UPDATE webhook_delivery SET due_at = ? WHERE tenant = ? AND endpoint = ? AND state = 'pending' AND due_at > ?`,
			millis(now), address.Owner.String(), address.Name, millis(now))
		return err
	})
}

// PurgeWebhooks implements [webhook.Store]. It selects events by the time in their
// ids, and keeps the history of RFQs.
func (s *Store) PurgeWebhooks(ctx context.Context, before time.Time, limit int) (int, error) {
	erased := int64(0)
	err := s.write(ctx, "purge webhooks", func(tx *sql.Tx) error {
		deliveries, err := affected(tx.ExecContext(ctx,
			`DELETE FROM webhook_delivery WHERE id IN (
				SELECT id FROM webhook_delivery WHERE created_at < ? ORDER BY created_at LIMIT ?)`, millis(before), limit))
		if err != nil {
			return err
		}
		events, err := affected(tx.ExecContext(ctx,
			`DELETE FROM outbox WHERE seq IN (
				SELECT seq FROM outbox WHERE id < ? AND at < ? AND substr(subject, 1, 4) <> 'rfq_' ORDER BY id LIMIT ?)`,
			recordid.First(recordid.Event, before.Add(time.Millisecond)), millis(before), limit))
		erased = deliveries + events
		return err
	})
	if err != nil {
		return 0, err
	}
	return int(erased), nil
}

func scanStanding(r row) (standing webhook.Standing, err error) {
	err = r.Scan(&standing.Owner, &standing.Name, &standing.URL, instant{&standing.EnrolledAt}, instant{&standing.BegunAt},
		&standing.Disabled, instant{&standing.DisabledAt}, instant{&standing.FailingSince}, instant{&standing.DeliveredAt},
		&standing.Breaker.Failures, &standing.Breaker.Rests, instant{&standing.Breaker.Until}, &standing.Waiting, instant{&standing.OldestAt})
	return standing, err
}

// deliveryFields returns the destinations for a row of readDelivery.
func deliveryFields(d *webhook.Delivery) []any {
	return []any{
		&d.ID, &d.Owner, &d.Name, &d.Event.ID, &d.Event.Type, &d.Event.Subject,
		instant{&d.Event.At},
		&d.State, &d.Attempts, &d.Tries,
		instant{&d.DueAt},
		instant{&d.EndedAt},
		instant{&d.CreatedAt},
		text{&d.Event.Trace},
		&d.Event.Reference,
	}
}

func scanDelivery(r row) (d webhook.Delivery, err error) {
	err = r.Scan(deliveryFields(&d)...)
	return d, err
}
