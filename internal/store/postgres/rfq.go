// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/store"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

var _ rfq.Store = (*Store)(nil)

const rfqColumns = `id, tenant, tracking_code, catalog_product_uid, title, category, quantity, delivery_city,
	product_name, product_group, catalog_id, status, version, quote_count,
	response_deadline, expires_at, created_at, updated_at, client_reference`

// newQuotes inserts quotes from records in the form of quoteRow.
const newQuotes = `INSERT INTO quote (id, rfq_id, supplier_id, revision, status, offer, submitted_at)
	SELECT q.id, q.rfq_id, q.supplier_id, q.revision, q.status, q.offer, q.submitted_at FROM `

const quoteRecord = ` AS q (id text, rfq_id text, supplier_id text, revision bigint, status text, offer jsonb, submitted_at timestamptz)`

// createRFQ commits an RFQ with its companions. Its parameters are those of the claim, then
// the columns of the RFQ that are not among them, then the quotes.
const createRFQ = claimed + `true` + claimedEnd + `, made AS (
	INSERT INTO rfq (` + rfqColumns + `)
	SELECT $5, $1, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27
	FROM claimed WHERE outcome = 'created'
), answered AS (` + newQuotes + `claimed, jsonb_to_recordset($28)` + quoteRecord + ` WHERE outcome = 'created')
SELECT outcome, subject, wait FROM claimed`

// CreateRFQ implements [rfq.Store]. Concurrent creates share one statement and one commit.
func (s *Store) CreateRFQ(ctx context.Context, record rfq.RFQ, quotes []rfq.Quote, terms transaction.Terms) (rfq.RFQ, transaction.Outcome, error) {
	args, err := createRFQArgs(ctx, record, quotes, terms)
	if err != nil {
		return rfq.RFQ{}, 0, store.Classify(createOp, err)
	}
	own := creation{record, terms, args}
	span := telemetry.StartCall(ctx, system, createOp)
	made, err := s.creates.Do(ctx, own)
	end(span, err)
	if errors.Is(err, errRetryAlone) {
		made, err = s.createAlone(ctx, own)
	}
	return made.record, made.outcome, err
}

// createAlone commits one create in a statement of its own.
func (s *Store) createAlone(ctx context.Context, c creation) (created, error) {
	made := created{c.record, transaction.Created}
	err := s.use(ctx, createOp, func(ctx context.Context, conn *pgxpool.Conn) error {
		claim, err := scanClaim(conn.QueryRow(ctx, createRFQ, c.args...))
		if err != nil {
			return err
		}
		replayed, err := claim.replayed(c.terms, nil)
		if err != nil || replayed == "" {
			return err
		}
		made.outcome = transaction.Replayed
		made.record, err = oneRFQ(ctx, conn, c.terms.Tenant, replayed)
		return err
	})
	if err != nil {
		return created{}, err
	}
	return made, nil
}

func createRFQArgs(ctx context.Context, record rfq.RFQ, quotes []rfq.Quote, terms transaction.Terms) ([]any, error) {
	args, err := claimArgs(ctx, terms, record.ID)
	if err != nil {
		return nil, err
	}
	rows, err := rowsOf(quoteRows(quotes))
	if err != nil {
		return nil, err
	}
	return append(args,
		record.TrackingCode,
		record.CatalogProductUID, record.Title, record.Category, record.Quantity, record.DeliveryCity,
		record.Product.Name, record.Product.Group, record.Product.CatalogID,
		record.Status, record.Version, record.QuoteCount,
		record.ResponseDeadline, record.ExpiresAt, record.CreatedAt, record.UpdatedAt, record.ClientReference, rows), nil
}

// ReplayedRFQ implements [rfq.Store].
func (s *Store) ReplayedRFQ(ctx context.Context, owner tenant.ID, used transaction.Idempotency, now time.Time) (rfq.RFQ, error) {
	return read(ctx, s, "replay rfq", func(ctx context.Context, q querier) (rfq.RFQ, error) {
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
	return read(ctx, s, "read rfq", func(ctx context.Context, q querier) (rfq.RFQ, error) { return oneRFQ(ctx, q, owner, id) })
}

// RFQs implements [rfq.Store].
func (s *Store) RFQs(ctx context.Context, owner tenant.ID, chosen rfq.Selection) ([]rfq.RFQ, error) {
	return s.selectRFQs(ctx, "list rfqs", store.OfOwner, owner.String(), chosen)
}

// RFQQuotes implements [rfq.Store].
func (s *Store) RFQQuotes(ctx context.Context, owner tenant.ID, id string) ([]rfq.Quote, error) {
	return read(ctx, s, "list quotes", func(ctx context.Context, q querier) ([]rfq.Quote, error) {
		_, quotes, err := withQuotes(ctx, q, owner, id, "")
		return quotes, err
	})
}

// RFQEvents implements [rfq.Store].
func (s *Store) RFQEvents(ctx context.Context, owner tenant.ID, id string, after int64, limit int) ([]transaction.Entry, error) {
	return read(ctx, s, "list events of rfq", func(ctx context.Context, q querier) ([]transaction.Entry, error) {
		if _, err := oneRFQ(ctx, q, owner, id); err != nil {
			return nil, err
		}
		rows, err := q.Query(ctx, `SELECT o.arrival, o.tenant, o.id, o.type, o.subject, o.at, o.trace
			FROM rfq JOIN outbox o ON o.subject = rfq.id AND left(o.subject, 4) = 'rfq_'
			WHERE rfq.id = $1 AND rfq.tenant = $2 AND o.arrival > $3 ORDER BY o.arrival LIMIT $4`, id, owner.String(), after, limit)
		return collect(rows, err, scanEntry)
	})
}

// AmendRFQ implements [rfq.Store].
func (s *Store) AmendRFQ(ctx context.Context, owner tenant.ID, id string, decide func(rfq.RFQ, []rfq.Quote) (rfq.Amendment, error)) error {
	return s.write(ctx, "amend rfq", func(ctx context.Context, tx pgx.Tx) error {
		record, quotes, err := withQuotes(ctx, tx, owner, id, " FOR UPDATE")
		if err != nil {
			return err
		}
		amendment, err := decide(record, quotes)
		if err != nil {
			return store.Answer(err)
		}
		changes := &pgx.Batch{}
		changes.Queue(`UPDATE rfq SET status = $1, version = $2, quote_count = $3, updated_at = $4 WHERE id = $5`,
			amendment.RFQ.Status, amendment.RFQ.Version, amendment.RFQ.QuoteCount, amendment.RFQ.UpdatedAt, id)
		if err := queueQuotes(changes, quotes, amendment.Quotes); err != nil {
			return err
		}
		if err := queuePublish(ctx, changes, owner, amendment.Events); err != nil {
			return err
		}
		queueAudit(changes, amendment.AuditEntry)
		return tx.SendBatch(ctx, changes).Close()
	})
}

func oneRFQ(ctx context.Context, q querier, owner tenant.ID, id string) (rfq.RFQ, error) {
	return found(scanRFQ(q.QueryRow(ctx, `SELECT `+rfqColumns+` FROM rfq WHERE id = $1 AND tenant = $2`, id, owner.String())))
}

// withQuotes reads an RFQ with its quotes in one round trip. If the first statement locks
// the RFQ, the second one reads the latest quotes.
func withQuotes(ctx context.Context, q querier, owner tenant.ID, id, lock string) (record rfq.RFQ, quotes []rfq.Quote, err error) {
	batch := &pgx.Batch{}
	batch.Queue(`SELECT `+rfqColumns+` FROM rfq WHERE id = $1 AND tenant = $2`+lock, id, owner.String())
	batch.Queue(`SELECT id, rfq_id, revision, status, offer, submitted_at FROM quote WHERE rfq_id = $1 ORDER BY id`, id)
	results := q.SendBatch(ctx, batch)
	defer func() { err = errors.Join(err, results.Close()) }()
	if record, err = found(scanRFQ(results.QueryRow())); err != nil {
		return rfq.RFQ{}, nil, err
	}
	rows, err := results.Query()
	quotes, err = collect(rows, err, func(r pgx.Row) (quote rfq.Quote, err error) {
		var offer []byte
		if err := r.Scan(&quote.ID, &quote.RFQID, &quote.Revision, &quote.Status, &offer, instant{&quote.SubmittedAt}); err != nil {
			return rfq.Quote{}, err
		}
		return quote, json.Unmarshal(offer, &quote.Offer)
	})
	return record, quotes, err
}

func scanRFQ(r pgx.Row) (record rfq.RFQ, err error) {
	err = r.Scan(&record.ID, &record.Tenant, &record.TrackingCode,
		&record.CatalogProductUID, &record.Title, &record.Category, &record.Quantity, &record.DeliveryCity,
		&record.Product.Name, &record.Product.Group, &record.Product.CatalogID,
		&record.Status, &record.Version, &record.QuoteCount,
		instant{&record.ResponseDeadline}, instant{&record.ExpiresAt}, instant{&record.CreatedAt}, instant{&record.UpdatedAt}, &record.ClientReference)
	record.Product.UID = record.CatalogProductUID
	return record, err
}

// quoteRow is a quote in the form that newQuotes reads.
type quoteRow struct {
	ID          string          `json:"id"`
	RFQID       string          `json:"rfq_id"`
	SupplierID  string          `json:"supplier_id"`
	Revision    int             `json:"revision"`
	Status      rfq.QuoteStatus `json:"status"`
	Offer       rfq.Offer       `json:"offer"`
	SubmittedAt time.Time       `json:"submitted_at"`
}

func quoteRows(quotes []rfq.Quote) []quoteRow {
	rows := make([]quoteRow, len(quotes))
	for i, q := range quotes {
		rows[i] = quoteRow{q.ID, q.RFQID, q.Offer.Supplier.ID, q.Revision, q.Status, q.Offer, q.SubmittedAt}
	}
	return rows
}

// queueQuotes updates the statuses of known quotes before it inserts new ones: a quote must
// be superseded before its new revision can be inserted.
func queueQuotes(batch *pgx.Batch, known, amended []rfq.Quote) error {
	var added []rfq.Quote
	for _, quote := range amended {
		if slices.ContainsFunc(known, func(k rfq.Quote) bool { return k.ID == quote.ID }) {
			batch.Queue(`UPDATE quote SET status = $1 WHERE id = $2`, quote.Status, quote.ID)
		} else {
			added = append(added, quote)
		}
	}
	rows, err := rowsOf(quoteRows(added))
	if err == nil && len(added) > 0 {
		batch.Queue(newQuotes+`jsonb_to_recordset($1)`+quoteRecord, rows)
	}
	return err
}
