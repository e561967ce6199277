// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"math"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/printmarket/printmarket/internal/store"
)

// Load inserts complete records in one transaction. Only the owner of the schema may load
// records.
func (s *Store) Load(ctx context.Context, records store.Records) error {
	const op = "load records"
	tables, err := records.Tables(func(at time.Time) any { return maybe(at) })
	if err != nil {
		return store.Classify(op, err)
	}
	return s.write(ctx, op, func(ctx context.Context, tx pgx.Tx) error {
		for _, table := range tables {
			if len(table.Rows) == 0 {
				continue
			}
			if _, err := tx.CopyFrom(ctx, pgx.Identifier{table.Name}, table.Columns, pgx.CopyFromRows(table.Rows)); err != nil {
				return err
			}
		}
		var batch pgx.Batch
		for i := range records.Audit {
			queueAudit(&batch, &records.Audit[i])
		}
		if len(records.Events) > 0 {
			batch.Queue(`SELECT number_outbox($1)`, int64(math.MaxInt64))
			batch.Queue(`UPDATE webhook_head SET relayed = (SELECT last FROM outbox_head)`)
		}
		return tx.SendBatch(ctx, &batch).Close()
	})
}

// Holdings names the kinds of records in the database, apart from master data that the actor
// demo has imported.
func (s *Store) Holdings(ctx context.Context, demo string) ([]string, error) {
	return read(ctx, s, "look for records", func(ctx context.Context, q querier) ([]string, error) {
		rows, err := q.Query(ctx, store.Holdings, pgx.NamedArgs{"demo": demo})
		return collect(rows, err, func(r pgx.Row) (kind string, err error) { err = r.Scan(&kind); return kind, err })
	})
}
