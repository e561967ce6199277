// SPDX-License-Identifier: Apache-2.0

package webhooktest

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/internal/webhook"
)

// Deliveries implements webhook.Store.
func (m *Memory) Deliveries(ctx context.Context, q webhook.Query) ([]webhook.Delivery, error) {
	return locked(ctx, m, "list deliveries", func() ([]webhook.Delivery, error) {
		var found []webhook.Delivery
		for _, r := range m.rows {
			if r.Owner == q.Owner && (q.Endpoint == "" || r.Name == q.Endpoint) && (q.State == "" || r.State == q.State) &&
				(q.Type == "" || r.Event.Type == q.Type) && (q.Before == "" || r.ID < q.Before) {
				found = append(found, r.Delivery)
			}
		}
		slices.SortFunc(found, func(a, b webhook.Delivery) int { return cmp.Compare(b.ID, a.ID) })
		return found[:min(q.Limit, len(found))], nil
	})
}

// Delivery implements webhook.Store.
func (m *Memory) Delivery(ctx context.Context, owner tenant.ID, id string) (webhook.Delivery, []webhook.Attempt, error) {
	var attempts []webhook.Attempt
	delivery, err := locked(ctx, m, "read delivery", func() (webhook.Delivery, error) {
		r := m.rows[id]
		if r == nil || r.Owner != owner {
			return webhook.Delivery{}, transaction.ErrNotFound
		}
		attempts = slices.Clone(r.attempts)
		return r.Delivery, nil
	})
	return delivery, attempts, err
}

// AddDelivery implements webhook.Store.
func (m *Memory) AddDelivery(ctx context.Context, delivery webhook.Delivery) error {
	return done(ctx, m, "add delivery", func() error {
		m.add(delivery)
		return nil
	})
}

// Redeliver implements webhook.Store.
func (m *Memory) Redeliver(ctx context.Context, owner tenant.ID, id string, now time.Time) (webhook.Delivery, error) {
	return locked(ctx, m, "redeliver", func() (webhook.Delivery, error) {
		r := m.rows[id]
		if r == nil || r.Owner != owner {
			return webhook.Delivery{}, transaction.ErrNotFound
		}
		r.again(now)
		return r.Delivery, nil
	})
}

// again resets a delivery to be sent again.
func (r *row) again(now time.Time) {
	r.State, r.DueAt, r.EndedAt, r.Tries = webhook.Pending, now, time.Time{}, 0
	r.token, r.until = 0, time.Time{}
}

// Recover implements webhook.Store.
func (m *Memory) Recover(ctx context.Context, endpoint webhook.Endpoint, since, now time.Time, limit int, mint func() (string, error)) (int, error) {
	return locked(ctx, m, "recover", func() (int, error) {
		recovered := 0
		for _, entry := range m.entries {
			if recovered == limit || entry.Seq > m.relayed {
				break
			}
			if entry.Tenant != endpoint.Owner || entry.Event.At.Before(since) {
				continue
			}
			fresh, err := m.recoverOne(endpoint, entry.Event, now, mint)
			if err != nil {
				return recovered, err
			}
			if fresh {
				recovered++
			}
		}
		return recovered, nil
	})
}

func (m *Memory) recoverOne(endpoint webhook.Endpoint, event transaction.Event, now time.Time, mint func() (string, error)) (bool, error) {
	for _, r := range m.lanes[endpoint.Address] {
		if r.Event.ID == event.ID {
			exhausted := r.State == webhook.Exhausted
			if exhausted {
				r.again(now)
			}
			return exhausted, nil
		}
	}
	if !endpoint.Wants(event.Type) {
		return false, nil
	}
	id, err := mint()
	if err != nil {
		return false, err
	}
	return m.add(webhook.Delivery{ID: id, Address: endpoint.Address, Event: event, State: webhook.Pending, DueAt: now, CreatedAt: now}), nil
}

// Enable implements webhook.Store.
func (m *Memory) Enable(ctx context.Context, address webhook.Address, _ time.Time) error {
	return done(ctx, m, "enable", func() error {
		s := m.standings[address]
		if s == nil {
			return transaction.ErrNotFound
		}
		s.Disabled, s.DisabledAt, s.FailingSince, s.Breaker = webhook.NotDisabled, time.Time{}, time.Time{}, webhook.Breaker{}
		return nil
	})
}

// PurgeWebhooks implements webhook.Store. It forgets deliveries alone: the tests of
// an outbox that forgets are those of the databases.
func (m *Memory) PurgeWebhooks(ctx context.Context, before time.Time, limit int) (int, error) {
	return locked(ctx, m, "purge deliveries", func() (int, error) {
		purged := 0
		for id, r := range m.rows {
			if purged < limit && r.CreatedAt.Before(before) {
				delete(m.rows, id)
				m.lanes[r.Address] = slices.DeleteFunc(m.lanes[r.Address], func(other *row) bool { return other == r })
				purged++
			}
		}
		return purged, nil
	})
}
