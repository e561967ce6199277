// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/store"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/internal/webhook"
)

var _ webhook.Store = (*Store)(nil)

const (
	standingColumns = `tenant, name, url, enrolled_at, begun_at, disabled, disabled_at, failing_since, delivered_at, failures, rests, rests_until`
	deliveryColumns = `id, tenant, endpoint, event_id, type, subject, event_at, state, attempts, tries, due_at, ended_at, created_at, trace`

	// readDelivery lists the columns and the reference of a delivery that is read.
	readDelivery = deliveryColumns + `, ` + store.ReferenceOf
)

// Relayed implements [webhook.Store].
func (s *Store) Relayed(ctx context.Context) (int64, error) {
	return read(ctx, s, "read relay", func(ctx context.Context, q querier) (seq int64, err error) {
		err = q.QueryRow(ctx, `SELECT relayed FROM webhook_head`).Scan(&seq)
		return seq, err
	})
}

// Relay implements [webhook.Store]. The update of the head's row succeeds for one process
// only.
func (s *Store) Relay(ctx context.Context, from, to int64, deliveries []webhook.Delivery) (relayed bool, err error) {
	err = s.write(ctx, "relay events", func(ctx context.Context, tx pgx.Tx) error {
		moved, err := tx.Exec(ctx, `UPDATE webhook_head SET relayed = $2 WHERE relayed = $1`, from, to)
		if relayed = moved.RowsAffected() == 1; err != nil || !relayed {
			return err
		}
		return insertDeliveries(ctx, tx, deliveries)
	})
	return relayed && err == nil, err
}

// insertDeliveries inserts deliveries, except of events that the endpoint already has.
func insertDeliveries(ctx context.Context, q querier, deliveries []webhook.Delivery) error {
	if len(deliveries) == 0 {
		return nil
	}
	var ids, tenants, endpoints, events, types, subjects, states []string
	var attempts, tries []int
	var eventTimes, created []time.Time
	var due, ended []*time.Time
	var traces []string
	for _, d := range deliveries {
		ids, tenants, endpoints = append(ids, d.ID), append(tenants, d.Owner.String()), append(endpoints, d.Name)
		events, types, subjects = append(events, d.Event.ID), append(types, string(d.Event.Type)), append(subjects, d.Event.Subject)
		states, attempts, tries = append(states, string(d.State)), append(attempts, d.Attempts), append(tries, d.Tries)
		eventTimes, created = append(eventTimes, d.Event.At), append(created, d.CreatedAt)
		due, ended = append(due, maybe(d.DueAt)), append(ended, maybe(d.EndedAt))
		traces = append(traces, d.Event.Trace)
	}
	_, err := q.Exec(ctx,
		`INSERT INTO webhook_delivery (`+deliveryColumns+`)
		 SELECT id, tenant, endpoint, event_id, type, subject, event_at, state, attempts, tries, due_at, ended_at, created_at, nullif(trace, '')
		 FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[],
			$8::text[], $9::bigint[], $10::bigint[], $11::timestamptz[], $12::timestamptz[], $13::timestamptz[], $14::text[]) AS d (`+deliveryColumns+`)
		 ORDER BY tenant COLLATE "C", endpoint COLLATE "C", event_id COLLATE "C"
		 ON CONFLICT (tenant, endpoint, event_id) DO NOTHING`,
		ids, tenants, endpoints, events, types, subjects, eventTimes, states, attempts, tries, due, ended, created, traces)
	return err
}

// Enroll implements [webhook.Store]. It does not touch endpoints that do not change: a
// lock on an endpoint delays the results of its deliveries.
func (s *Store) Enroll(ctx context.Context, endpoints []webhook.Endpoint, now time.Time) error {
	if len(endpoints) == 0 {
		return nil
	}
	var owners, names, urls []string
	for _, endpoint := range endpoints {
		owners, names, urls = append(owners, endpoint.Owner.String()), append(names, endpoint.Name), append(urls, endpoint.URL)
	}
	return s.use(ctx, "enroll endpoints", func(ctx context.Context, conn *pgxpool.Conn) error {
		_, err := conn.Exec(ctx,
			`INSERT INTO webhook_endpoint AS known (tenant, name, url, enrolled_at, begun_at)
			 SELECT e.tenant, e.name, e.url, $4, $4 FROM unnest($1::text[], $2::text[], $3::text[]) AS e (tenant, name, url)
			 WHERE NOT EXISTS (SELECT FROM webhook_endpoint k WHERE k.tenant = e.tenant AND k.name = e.name AND k.url = e.url)
			 ORDER BY e.tenant COLLATE "C", e.name COLLATE "C"
			 ON CONFLICT (tenant, name) DO UPDATE SET url = excluded.url, begun_at = excluded.begun_at,
				disabled = '', disabled_at = NULL, failing_since = NULL, delivered_at = NULL,
				failures = 0, rests = 0, rests_until = NULL
				WHERE known.url <> excluded.url`,
			owners, names, urls, now)
		return err
	})
}

const standings = `SELECT ` + standingColumns + `, waiting, oldest_at FROM webhook_endpoint e, LATERAL (
		SELECT count(*) AS waiting, min(d.event_at) AS oldest_at FROM webhook_delivery d
		WHERE d.tenant = e.tenant AND d.endpoint = e.name AND d.state = 'pending'
	) AS w`

// Standings implements [webhook.Store].
func (s *Store) Standings(ctx context.Context, owner tenant.ID) ([]webhook.Standing, error) {
	return read(ctx, s, "read standings", func(ctx context.Context, q querier) ([]webhook.Standing, error) {
		rows, err := q.Query(ctx, standings+` WHERE $1 OR tenant = $2 ORDER BY tenant, name`, owner.IsZero(), owner.String())
		return collect(rows, err, scanStanding)
	})
}

// Enrolled implements [webhook.Store].
func (s *Store) Enrolled(ctx context.Context) (map[webhook.Address]time.Time, error) {
	return read(ctx, s, "read enrolments", func(ctx context.Context, q querier) (map[webhook.Address]time.Time, error) {
		rows, err := q.Query(ctx, `SELECT tenant, name, enrolled_at FROM webhook_endpoint`)
		if err != nil {
			return nil, err
		}
		enrolled := map[webhook.Address]time.Time{}
		var address webhook.Address
		var at time.Time
		_, err = pgx.ForEachRow(rows, []any{&address.Owner, &address.Name, instant{&at}}, func() error {
			enrolled[address] = at
			return nil
		})
		return enrolled, err
	})
}

// inState returns the condition on a state; it repeats the condition of each partial index
// literally.
func inState(state webhook.State) string {
	switch state {
	case webhook.Pending:
		return `state = 'pending'`
	case webhook.Delivered:
		return `state = 'delivered'`
	case webhook.Exhausted:
		return `state = 'exhausted'`
	case "":
		return `true`
	default:
		return `false`
	}
}

// selectDeliveries returns the query that lists the deliveries that a query selects, with its
// arguments. It has a condition only on what is given, so that the planner can use its index.
func selectDeliveries(query webhook.Query) (string, pgx.NamedArgs) {
	condition := `tenant = @owner AND id < @before`
	if query.Endpoint != "" {
		condition += ` AND endpoint = @endpoint`
	}
	if query.Type != "" {
		condition += ` AND type = @type`
	}
	return `SELECT ` + readDelivery + ` FROM webhook_delivery WHERE ` + condition + ` AND ` + inState(query.State) + ` ORDER BY id DESC LIMIT @limit`,
		pgx.NamedArgs{
			"owner": query.Owner.String(), "before": cmp.Or(query.Before, store.BeforeAll),
			"endpoint": query.Endpoint, "type": query.Type, "limit": query.Limit,
		}
}

// Deliveries implements [webhook.Store].
func (s *Store) Deliveries(ctx context.Context, query webhook.Query) ([]webhook.Delivery, error) {
	return read(ctx, s, "list deliveries", func(ctx context.Context, q querier) ([]webhook.Delivery, error) {
		text, args := selectDeliveries(query)
		rows, err := q.Query(ctx, text, args)
		return collect(rows, err, scanDelivery)
	})
}

// uncounted returns the creation of the newest delivery beyond a limit.
const uncounted = `SELECT created_at FROM webhook_delivery WHERE tenant = $1 AND id >= $2 ORDER BY id DESC OFFSET $3 LIMIT 1`

// activity counts attempts and pending deliveries by the hours since 1970.
const activity = `WITH newest AS (
		SELECT id, endpoint, state, created_at FROM webhook_delivery WHERE tenant = $1 AND id >= $2 ORDER BY id DESC LIMIT $3
	), counted AS (
		SELECT a.at, a.fault = '' AS succeeded, a.fault <> '' AS failed, false AS pending
		FROM newest n JOIN webhook_attempt a ON a.delivery_id = n.id WHERE n.endpoint = $4
		UNION ALL
		SELECT created_at, false, false, true FROM newest WHERE endpoint = $4 AND state = 'pending'
	)
	SELECT floor(extract(epoch FROM at) / 3600)::bigint AS hour,
		count(*) FILTER (WHERE succeeded), count(*) FILTER (WHERE failed), count(*) FILTER (WHERE pending)
	FROM counted GROUP BY hour ORDER BY hour`

// Activity implements [webhook.ActivityStore].
func (s *Store) Activity(ctx context.Context, address webhook.Address, since time.Time, limit int) (webhook.Activity, error) {
	counted := webhook.Activity{Since: since}
	owner, first := address.Owner.String(), recordid.First(webhook.DeliveryPrefix, since)
	hours, err := read(ctx, s, "count deliveries", func(ctx context.Context, q querier) ([]webhook.Hour, error) {
		err := q.QueryRow(ctx, uncounted, owner, first, limit).Scan(instant{&counted.Since})
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return nil, err
		}
		rows, err := q.Query(ctx, activity, owner, first, limit, address.Name)
		return collect(rows, err, func(r pgx.Row) (hour webhook.Hour, err error) {
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
	attempts, err = read(ctx, s, "read delivery", func(ctx context.Context, q querier) ([]webhook.Attempt, error) {
		delivery, err = found(scanDelivery(q.QueryRow(ctx,
			`SELECT `+readDelivery+` FROM webhook_delivery WHERE id = $1 AND tenant = $2`, id, owner.String())))
		if err != nil {
			return nil, err
		}
		rows, err := q.Query(ctx,
			`SELECT number, at, took, status, fault, excerpt FROM webhook_attempt
			 WHERE delivery_id = $1 AND number <= $2 ORDER BY number`, id, delivery.Attempts)
		return collect(rows, err, func(r pgx.Row) (a webhook.Attempt, err error) {
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

// AddDelivery implements [webhook.Store].
func (s *Store) AddDelivery(ctx context.Context, delivery webhook.Delivery) error {
	delivery.Event.Trace = telemetry.Traceparent(ctx)
	return s.use(ctx, "add delivery", func(ctx context.Context, conn *pgxpool.Conn) error {
		return insertDeliveries(ctx, conn, []webhook.Delivery{delivery})
	})
}

// pendingAgain sets a delivery to pending, due at $1 and unclaimed.
const pendingAgain = `state = 'pending', tries = 0, due_at = $1, ended_at = NULL, token = token + 1, claimed_until = NULL`

// Redeliver implements [webhook.Store].
func (s *Store) Redeliver(ctx context.Context, owner tenant.ID, id string, now time.Time) (webhook.Delivery, error) {
	return read(ctx, s, "redeliver", func(ctx context.Context, q querier) (webhook.Delivery, error) {
		return found(scanDelivery(q.QueryRow(ctx,
			`UPDATE webhook_delivery SET `+pendingAgain+` WHERE id = $2 AND tenant = $3 RETURNING `+readDelivery, now, id, owner.String())))
	})
}

// recoverable selects exhausted deliveries with their ids, and events without a delivery
// with the id NULL. Indexes serve both parts; the oldest event comes first.
const recoverable = `
	(
		SELECT event_at AS at, id, event_id, type, subject, trace FROM webhook_delivery
		WHERE tenant = $1 AND endpoint = $2 AND state = 'exhausted' AND event_at >= $3 ORDER BY event_at, id LIMIT $5
	) UNION ALL (
		SELECT o.at, NULL, o.id, o.type, o.subject, o.trace FROM outbox o
		WHERE o.tenant = $1 AND o.at >= $3 AND o.seq <= (SELECT relayed FROM webhook_head)
			AND (cardinality($4::text[]) = 0 OR o.type = ANY ($4))
			AND NOT EXISTS (SELECT FROM webhook_delivery d WHERE d.tenant = o.tenant AND d.endpoint = $2 AND d.event_id = o.id)
		ORDER BY o.at LIMIT $5
	)
	ORDER BY at LIMIT $5`

// Recover implements [webhook.Store]. Its lock on the endpoint excludes a second recovery
// and the recording of results.
func (s *Store) Recover(ctx context.Context, endpoint webhook.Endpoint, since, now time.Time, limit int, mint func() (string, error)) (int, error) {
	recovered := 0
	err := s.write(ctx, "recover deliveries", func(ctx context.Context, tx pgx.Tx) error {
		var name string
		_, err := found(name, tx.QueryRow(ctx, `SELECT name FROM webhook_endpoint WHERE tenant = $1 AND name = $2 FOR NO KEY UPDATE`,
			endpoint.Owner.String(), endpoint.Name).Scan(&name))
		if err != nil {
			return err
		}
		wanted := make([]string, len(endpoint.Events))
		for i, kind := range endpoint.Events {
			wanted[i] = string(kind)
		}
		rows, err := tx.Query(ctx, recoverable, endpoint.Owner.String(), endpoint.Name, since, wanted, limit)
		events, err := collect(rows, err, func(r pgx.Row) (u unsent, err error) {
			err = r.Scan(instant{&u.event.At}, &u.delivery, &u.event.ID, &u.event.Type, &u.event.Subject, text{&u.event.Trace})
			return u, err
		})
		if err != nil {
			return err
		}
		recovered = len(events)
		return restart(ctx, tx, endpoint.Address, events, now, mint)
	})
	if err != nil {
		return 0, err
	}
	return recovered, nil
}

// unsent is an event that an endpoint has not received, with the id of its delivery or nil.
type unsent struct {
	event    transaction.Event
	delivery *string
}

// restart makes exhausted deliveries pending again and inserts the missing deliveries.
func restart(ctx context.Context, tx pgx.Tx, address webhook.Address, events []unsent, now time.Time, mint func() (string, error)) error {
	var exhausted []string
	var missing []webhook.Delivery
	for _, unsent := range events {
		if unsent.delivery != nil {
			exhausted = append(exhausted, *unsent.delivery)
			continue
		}
		id, err := mint()
		if err != nil {
			return store.Answer(err)
		}
		missing = append(missing, webhook.Delivery{
			ID: id, Address: address, Event: unsent.event, State: webhook.Pending, DueAt: now, CreatedAt: now,
		})
	}
	if _, err := tx.Exec(ctx, `UPDATE webhook_delivery SET `+pendingAgain+` WHERE id = ANY ($2) AND state = 'exhausted'`, now, exhausted); err != nil {
		return err
	}
	return insertDeliveries(ctx, tx, missing)
}

// Enable implements [webhook.Store].
func (s *Store) Enable(ctx context.Context, address webhook.Address, now time.Time) error {
	return s.write(ctx, "enable endpoint", func(ctx context.Context, tx pgx.Tx) error {
		enabled, err := tx.Exec(ctx,
			`UPDATE webhook_endpoint SET disabled = '', disabled_at = NULL, failing_since = NULL, begun_at = $3,
				failures = 0, rests = 0, rests_until = NULL
			 WHERE tenant = $1 AND name = $2`, address.Owner.String(), address.Name, now)
		if err != nil {
			return err
		}
		if enabled.RowsAffected() == 0 {
			return store.Answer(transaction.ErrNotFound)
		}
		_, err = tx.Exec(ctx,
			`UPDATE webhook_delivery SET due_at = $3 WHERE tenant = $1 AND endpoint = $2 AND state = 'pending' AND due_at > $3`,
			address.Owner.String(), address.Name, now)
		return err
	})
}

const (
	// purgeDeliveries selects deliveries by the time in their ids.
	purgeDeliveries = `WITH due AS (
			SELECT id FROM webhook_delivery WHERE id < $1 AND created_at < $2 ORDER BY id LIMIT $3 FOR UPDATE SKIP LOCKED
		)
		DELETE FROM webhook_delivery d USING due WHERE d.id = due.id`
	// purgeEvents selects events by the time in their ids. It keeps the history of RFQs.
	purgeEvents = `WITH due AS (
			SELECT arrival FROM outbox WHERE id < $1 AND at < $2 AND left(subject, 4) <> 'rfq_' ORDER BY id LIMIT $3 FOR UPDATE
		)
		DELETE FROM outbox o USING due WHERE o.arrival = due.arrival`
)

// PurgeWebhooks implements [webhook.Store]. It skips deliveries that another transaction
// has locked; a later purge erases them.
func (s *Store) PurgeWebhooks(ctx context.Context, before time.Time, limit int) (int, error) {
	var deliveries, events int64
	err := s.use(ctx, "purge deliveries", func(ctx context.Context, conn *pgxpool.Conn) error {
		done, err := conn.Exec(ctx, purgeDeliveries,
			recordid.First(webhook.DeliveryPrefix, before.Add(time.Millisecond)), before, limit)
		deliveries = done.RowsAffected()
		return err
	})
	if err != nil {
		return 0, err
	}
	err = s.write(ctx, "purge outbox", func(ctx context.Context, tx pgx.Tx) error {
		// The lock prevents that another process numbers events meanwhile: the number of
		// an erased event would be assigned again.
		if _, err := tx.Exec(ctx, `SELECT FROM outbox_head FOR UPDATE`); err != nil {
			return err
		}
		done, err := tx.Exec(ctx, purgeEvents,
			recordid.First(recordid.Event, before.Add(time.Millisecond)), before, limit)
		events = done.RowsAffected()
		return err
	})
	if err != nil {
		return 0, err
	}
	return int(deliveries + events), nil
}

func scanStanding(r pgx.Row) (standing webhook.Standing, err error) {
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

func scanDelivery(r pgx.Row) (d webhook.Delivery, err error) {
	err = r.Scan(deliveryFields(&d)...)
	return d, err
}
