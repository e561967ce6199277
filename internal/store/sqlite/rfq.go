// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/store"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

var _ rfq.Store = (*Store)(nil)

const rfqColumns = `id, tenant, tracking_code, catalog_product_uid, title, category, quantity, delivery_city,
	product_name, product_group, catalog_id, status, version, quote_count,
	response_deadline, expires_at, created_at, updated_at, client_reference`

// CreateRFQ implements [rfq.Store].
func (s *Store) CreateRFQ(ctx context.Context, record rfq.RFQ, quotes []rfq.Quote, terms transaction.Terms) (rfq.RFQ, transaction.Outcome, error) {
	stored, outcome := record, transaction.Created
	err := s.write(ctx, "create rfq", func(tx *sql.Tx) error {
		replayed, err := writeWithTerms(ctx, tx, terms, record.ID, func() error {
			if _, err := tx.ExecContext(ctx,
				`INSERT INTO rfq (`+rfqColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
				record.ID, record.Tenant.String(), record.TrackingCode,
				record.CatalogProductUID, record.Title, record.Category, record.Quantity, record.DeliveryCity,
				record.Product.Name, record.Product.Group, record.Product.CatalogID,
				record.Status, record.Version, record.QuoteCount,
				millis(record.ResponseDeadline), millis(record.ExpiresAt), millis(record.CreatedAt), millis(record.UpdatedAt), record.ClientReference); err != nil {
				return err
			}
			return insertQuotes(ctx, tx, quotes)
		})
		if err != nil || replayed == "" {
			return err
		}
		outcome = transaction.Replayed
		stored, err = oneRFQ(ctx, tx, terms.Tenant, replayed)
		return err
	})
	if err != nil {
		return rfq.RFQ{}, 0, err
	}
	return stored, outcome, nil
}

// ReplayedRFQ implements [rfq.Store].
func (s *Store) ReplayedRFQ(ctx context.Context, owner tenant.ID, used transaction.Idempotency, now time.Time) (rfq.RFQ, error) {
	return read(ctx, s, "replay rfq", func(q querier) (rfq.RFQ, error) {
		subject, err := committed(ctx, q, owner, transaction.CreateRFQ, used, now)
		if err != nil {
			return rfq.RFQ{}, err
		}
		if subject == "" {
			return rfq.RFQ{}, store.Answer(transaction.ErrNotFound)
		}
		return oneRFQ(ctx, q, owner, subject)
	})
}

// RFQ implements [rfq.Store].
func (s *Store) RFQ(ctx context.Context, owner tenant.ID, id string) (rfq.RFQ, error) {
	return read(ctx, s, "read rfq", func(q querier) (rfq.RFQ, error) { return oneRFQ(ctx, q, owner, id) })
}

// RFQs implements [rfq.Store].
func (s *Store) RFQs(ctx context.Context, owner tenant.ID, chosen rfq.Selection) ([]rfq.RFQ, error) {
	return s.selectRFQs(ctx, "list rfqs", store.OfOwner, owner.String(), chosen)
}

// RFQQuotes implements [rfq.Store].
func (s *Store) RFQQuotes(ctx context.Context, owner tenant.ID, id string) ([]rfq.Quote, error) {
	return read(ctx, s, "list quotes", func(q querier) ([]rfq.Quote, error) {
		if _, err := oneRFQ(ctx, q, owner, id); err != nil {
			return nil, err
		}
		return quotesOf(ctx, q, id)
	})
}

// RFQEvents implements [rfq.Store].
func (s *Store) RFQEvents(ctx context.Context, owner tenant.ID, id string, after int64, limit int) ([]transaction.Entry, error) {
	return read(ctx, s, "list events of rfq", func(q querier) ([]transaction.Entry, error) {
		if _, err := oneRFQ(ctx, q, owner, id); err != nil {
			return nil, err
		}
		rows, err := q.QueryContext(ctx, `SELECT `+eventColumns+` FROM outbox
			WHERE subject = ? AND substr(subject, 1, 4) = 'rfq_' AND seq > ? ORDER BY seq LIMIT ?`, id, after, limit)
		return collect(rows, err, scanEntry)
	})
}

// AmendRFQ implements [rfq.Store].
func (s *Store) AmendRFQ(ctx context.Context, owner tenant.ID, id string, decide func(rfq.RFQ, []rfq.Quote) (rfq.Amendment, error)) error {
	return s.write(ctx, "amend rfq", func(tx *sql.Tx) error {
		record, err := oneRFQ(ctx, tx, owner, id)
		if err != nil {
			return err
		}
		quotes, err := quotesOf(ctx, tx, id)
		if err != nil {
			return err
		}
		amendment, err := decide(record, quotes)
		if err != nil {
			return store.Answer(err)
		}
		if _, err := tx.ExecContext(ctx,
			`UPDATE rfq SET status = ?, version = ?, quote_count = ?, updated_at = ? WHERE id = ?`,
			amendment.RFQ.Status, amendment.RFQ.Version, amendment.RFQ.QuoteCount, millis(amendment.RFQ.UpdatedAt), id); err != nil {
			return err
		}
		if err := amendQuotes(ctx, tx, quotes, amendment.Quotes); err != nil {
			return err
		}
		if err := audit(ctx, tx, amendment.AuditEntry); err != nil {
			return err
		}
		return publish(ctx, tx, owner, amendment.Events)
	})
}

func oneRFQ(ctx context.Context, q querier, owner tenant.ID, id string) (rfq.RFQ, error) {
	record, err := scanRFQ(q.QueryRowContext(ctx,
		`SELECT `+rfqColumns+` FROM rfq WHERE id = ? AND tenant = ?`, id, owner.String()))
	if errors.Is(err, sql.ErrNoRows) {
		return rfq.RFQ{}, store.Answer(transaction.ErrNotFound)
	}
	return record, err
}

func scanRFQ(r row) (record rfq.RFQ, err error) {
	err = r.Scan(&record.ID, &record.Tenant, &record.TrackingCode,
		&record.CatalogProductUID, &record.Title, &record.Category, &record.Quantity, &record.DeliveryCity,
		&record.Product.Name, &record.Product.Group, &record.Product.CatalogID,
		&record.Status, &record.Version, &record.QuoteCount,
		instant{&record.ResponseDeadline}, instant{&record.ExpiresAt}, instant{&record.CreatedAt}, instant{&record.UpdatedAt}, &record.ClientReference)
	record.Product.UID = record.CatalogProductUID
	return record, err
}

func quotesOf(ctx context.Context, q querier, rfqID string) ([]rfq.Quote, error) {
	rows, err := q.QueryContext(ctx,
		`SELECT id, rfq_id, revision, status, offer, submitted_at FROM quote WHERE rfq_id = ? ORDER BY id`, rfqID)
	return collect(rows, err, func(r row) (quote rfq.Quote, err error) {
		var offer []byte
		if err := r.Scan(&quote.ID, &quote.RFQID, &quote.Revision, &quote.Status, &offer, instant{&quote.SubmittedAt}); err != nil {
			return rfq.Quote{}, err
		}
		return quote, json.Unmarshal(offer, &quote.Offer)
	})
}

// amendQuotes updates the statuses of known quotes before it inserts new ones: a quote must
// be superseded before its new revision can be inserted.
func amendQuotes(ctx context.Context, tx *sql.Tx, known, amended []rfq.Quote) error {
	var added []rfq.Quote
	for _, quote := range amended {
		if !slices.ContainsFunc(known, func(k rfq.Quote) bool { return k.ID == quote.ID }) {
			added = append(added, quote)
			continue
		}
		if _, err := tx.ExecContext(ctx, `UPDATE quote SET status = ? WHERE id = ?`, quote.Status, quote.ID); err != nil {
			return err
		}
	}
	return insertQuotes(ctx, tx, added)
}

func insertQuotes(ctx context.Context, tx *sql.Tx, quotes []rfq.Quote) error {
	for _, quote := range quotes {
		offer, err := json.Marshal(quote.Offer)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx,
			`INSERT INTO quote (id, rfq_id, supplier_id, revision, status, offer, submitted_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
			quote.ID, quote.RFQID, quote.Offer.Supplier.ID, quote.Revision, quote.Status, string(offer), millis(quote.SubmittedAt)); err != nil {
			return err
		}
	}
	return nil
}
