// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/printmarket/printmarket/internal/store"
)

// bulk lets the writer keep the pages of all indexes in memory (in KiB), and copy the
// write-ahead log to the database less often (in pages).
const bulk = `PRAGMA cache_size = -262144; PRAGMA wal_autocheckpoint = 50000`

// Load inserts complete records in one transaction. From then on, the store uses up to 256 MiB
// of memory.
func (s *Store) Load(ctx context.Context, records store.Records) error {
	const op = "load records"
	tables, err := records.Tables(func(at time.Time) any { return millis(at) })
	if err != nil {
		return store.Classify(op, err)
	}
	if _, err := s.writer.ExecContext(ctx, bulk); err != nil {
		return store.Classify(op, err)
	}
	return s.write(ctx, op, func(tx *sql.Tx) error {
		for _, table := range tables {
			if err := insertRows(ctx, tx, table); err != nil {
				return err
			}
		}
		for i := range records.Audit {
			if err := audit(ctx, tx, &records.Audit[i]); err != nil {
				return err
			}
		}
		if len(records.Events) == 0 {
			return nil
		}
		_, err := tx.ExecContext(ctx, `UPDATE webhook_head SET relayed = (SELECT max(seq) FROM outbox)`)
		return err
	})
}

func insertRows(ctx context.Context, tx *sql.Tx, table store.Table) (err error) {
	if len(table.Rows) == 0 {
		return nil
	}
	places := strings.TrimSuffix(strings.Repeat("?, ", len(table.Columns)), ", ")
	statement := fmt.Sprintf(`INSERT INTO %s (%s) VALUES (%s)`, table.Name, strings.Join(table.Columns, ", "), places) //nolint:gosec // the names are constants of package store
	insert, err := tx.PrepareContext(ctx, statement)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, insert.Close()) }()
	for _, row := range table.Rows {
		if _, err := insert.ExecContext(ctx, row...); err != nil {
			return err
		}
	}
	return nil
}

// Holdings names the kinds of records in the database, apart from master data that the actor
// demo has imported.
func (s *Store) Holdings(ctx context.Context, demo string) ([]string, error) {
	return read(ctx, s, "look for records", func(q querier) ([]string, error) {
		rows, err := q.QueryContext(ctx, store.Holdings, sql.Named("demo", demo))
		return collect(rows, err, func(r row) (kind string, err error) { err = r.Scan(&kind); return kind, err })
	})
}
