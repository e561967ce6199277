// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/printmarket/printmarket/internal/batch"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/store"
	"github.com/printmarket/printmarket/internal/transaction"
)

// How creates share the database: more batches at a time would be smaller ones,
// and would take connections from everybody else. Decision 0018 has the figures.
const (
	createBatches   = 2
	createBatchSize = 64
	createTurn      = 100 * time.Millisecond
)

const createOp = "create rfq"

// creation is one create, with its arguments for createRFQ.
type creation struct {
	record rfq.RFQ
	terms  transaction.Terms
	args   []any
}

// created is what became of it when it is no error.
type created struct {
	record  rfq.RFQ
	outcome transaction.Outcome
}

// errUnsettled means that a create has to be settled alone: it is a replay, or
// needs a second look, or something made the database refuse all of its batch.
// Nothing of it was written.
var errUnsettled = errors.New("to be settled alone")

// createRFQs is createRFQ for several. Each of its parameters is an array of
// what createRFQ takes at that place.
const createRFQs = `WITH claimed AS MATERIALIZED (
	SELECT n, outcome, wait FROM claim_together($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
), item AS MATERIALIZED (
	SELECT i.* FROM claimed JOIN unnest($5::text[], $1::text[], $11::text[], $12::text[], $13::text[], $14::text[],
		$15::bigint[], $16::text[], $17::text[], $18::text[], $19::text[], $20::text[], $21::bigint[], $22::bigint[],
		$23::timestamptz[], $24::timestamptz[], $25::timestamptz[], $26::timestamptz[], $27::jsonb[])
		WITH ORDINALITY AS i (` + rfqColumns + `, quotes, n) USING (n)
	WHERE outcome = 'created'
), made AS (
	INSERT INTO rfq (` + rfqColumns + `) SELECT ` + rfqColumns + ` FROM item
), answered AS (` + newQuotes + `item, jsonb_to_recordset(item.quotes)` + quoteRecord + `)
SELECT outcome, wait FROM claimed ORDER BY n`

// combineCreates lets creates that come at the same time share a statement and a commit.
func (s *Store) combineCreates() *batch.Batcher[creation, created] {
	return batch.New(batch.Config[creation, created]{
		Slots: min(createBatches, int(s.options.MaxConns)), MaxSize: createBatchSize, Long: createTurn,
		MaxWait: s.options.AcquireTimeout, Run: s.createBatch, Refuse: refusedCreate,
	})
}

// refusedCreate tells why a create was not answered.
func refusedCreate(err error) error {
	if errors.Is(err, batch.ErrMaxWait) {
		err = fmt.Errorf("%w: %w", transaction.ErrOverloaded, err)
	}
	return &transaction.UnavailableError{Op: createOp, Err: err}
}

// createBatch answers creates that came together. One alone is cheaper by
// itself.
func (s *Store) createBatch(ctx context.Context, creations []creation) []batch.Result[created] {
	ends := make([]batch.Result[created], len(creations))
	if len(creations) == 1 {
		ends[0].Out, ends[0].Err = s.createAlone(ctx, creations[0])
		return ends
	}
	claims, err := s.claimTogether(ctx, creations)
	for i, c := range creations {
		switch {
		case err != nil:
			ends[i].Err = err
		case claims[i].outcome == "created":
			ends[i].Out = created{c.record, transaction.Created}
		case claims[i].outcome == "replayed", claims[i].outcome == "unsettled":
			ends[i].Err = errUnsettled
		default:
			_, refused := claims[i].replayed(c.terms, nil)
			ends[i].Err = store.Classify(createOp, refused)
		}
	}
	return ends
}

// claimTogether commits what can be settled together of a batch.
func (s *Store) claimTogether(ctx context.Context, creations []creation) (claims []claim, err error) {
	err = s.use(ctx, createOp, func(ctx context.Context, conn *pgxpool.Conn) error {
		rows, err := conn.Query(ctx, createRFQs, columns(creations)...)
		claims, err = collect(rows, err, func(r pgx.Row) (c claim, err error) {
			err = r.Scan(&c.outcome, &c.wait)
			return c, err
		})
		if separable(err) {
			return store.Answer(errUnsettled)
		}
		return err
	})
	return claims, err
}

// SQLSTATE codes and classes of errors that one of a batch may have caused: its
// values, a constraint, or somebody else's lock.
const (
	dataException       = "22"
	constraintViolation = "23"
	lockNotAvailable    = "55P03"
)

// separable reports whether a batch failed, and left nothing, for a reason that
// may be that of one alone.
func separable(err error) bool {
	told := code(err)
	return told == lockNotAvailable || strings.HasPrefix(told, dataException) || strings.HasPrefix(told, constraintViolation)
}

// columns makes one array of each argument.
func columns(creations []creation) []any {
	turned := make([]any, len(creations[0].args))
	for i := range turned {
		column := make([]any, len(creations))
		for n, c := range creations {
			column[n] = c.args[i]
		}
		turned[i] = column
	}
	return turned
}
