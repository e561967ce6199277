// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/printmarket/printmarket/internal/batch"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/store"
	"github.com/printmarket/printmarket/internal/transaction"
)

// These limits define how creates share the database. More concurrent batches would be
// smaller, and would take connections from other calls. Decision 0018 has the figures.
const (
	createBatches   = 2
	createBatchSize = 64
	createBatchTime = 100 * time.Millisecond
)

const createOp = "create rfq"

// creation is one create, with its arguments for createRFQ.
type creation struct {
	record rfq.RFQ
	terms  transaction.Terms
	args   []any
}

// created is the result of a create that succeeded.
type created struct {
	record  rfq.RFQ
	outcome transaction.Outcome
}

// errRetryAlone means that a create must run in a statement of its own: it is a replay,
// it needs a second attempt, or the database rejected its whole batch. The create has written
// nothing.
var errRetryAlone = errors.New("retry outside the batch")

// createRFQs runs createRFQ for several records. Each of its parameters is an array of
// the values that createRFQ takes in the same position.
const createRFQs = `WITH claimed AS MATERIALIZED (
	SELECT n, outcome, wait FROM claim_together($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
), item AS MATERIALIZED (
	SELECT i.* FROM claimed JOIN unnest($5::text[], $1::text[], $11::text[], $12::text[], $13::text[], $14::text[],
		$15::bigint[], $16::text[], $17::text[], $18::text[], $19::text[], $20::text[], $21::bigint[], $22::bigint[],
		$23::timestamptz[], $24::timestamptz[], $25::timestamptz[], $26::timestamptz[], $27::text[], $28::jsonb[])
		WITH ORDINALITY AS i (` + rfqColumns + `, quotes, n) USING (n)
	WHERE outcome = 'created'
), made AS (
	INSERT INTO rfq (` + rfqColumns + `) SELECT ` + rfqColumns + ` FROM item
), answered AS (` + newQuotes + `item, jsonb_to_recordset(item.quotes)` + quoteRecord + `)
SELECT outcome, wait FROM claimed ORDER BY n`

// createBatch runs the creates of one batch. A single create uses its own statement,
// which is cheaper.
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
			ends[i].Err = errRetryAlone
		default:
			_, refused := claims[i].replayed(c.terms, nil)
			ends[i].Err = store.Classify(createOp, refused)
		}
	}
	return ends
}

// claimTogether commits the creates of a batch that can be committed together.
func (s *Store) claimTogether(ctx context.Context, creations []creation) (claims []claim, err error) {
	arrays := make([]any, len(creations[0].args))
	for i := range arrays {
		array := make([]any, len(creations))
		for n, c := range creations {
			array[n] = c.args[i]
		}
		arrays[i] = array
	}
	err = s.use(ctx, createOp, func(ctx context.Context, conn *pgxpool.Conn) error {
		rows, err := conn.Query(ctx, createRFQs, arrays...)
		claims, err = collect(rows, err, func(r pgx.Row) (c claim, err error) {
			err = r.Scan(&c.outcome, &c.wait)
			return c, err
		})
		// The batch wrote nothing. One of its creates may be the only cause.
		state := code(err)
		if state == lockNotAvailable || strings.HasPrefix(state, dataException) || strings.HasPrefix(state, constraintViolation) {
			return store.Answer(errRetryAlone)
		}
		return err
	})
	return claims, err
}

// SQLSTATE codes and classes of errors that one create of a batch may cause: through its
// values, a constraint, or a lock that another transaction holds.
const (
	dataException       = "22"
	constraintViolation = "23"
	lockNotAvailable    = "55P03"
)
