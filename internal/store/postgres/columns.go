// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/printmarket/printmarket/internal/store"
	"github.com/printmarket/printmarket/internal/transaction"
)

// querier is a connection or a transaction.
type querier interface {
	Exec(ctx context.Context, query string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, query string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, query string, args ...any) pgx.Row
	SendBatch(ctx context.Context, batch *pgx.Batch) pgx.BatchResults
}

// collect reads every row of a query.
func collect[T any](rows pgx.Rows, err error, scan func(pgx.Row) (T, error)) ([]T, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	items := []T{}
	for rows.Next() {
		item, err := scan(rows)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, rows.Err()
}

// found turns a missing row into the answer transaction.ErrNotFound.
func found[T any](record T, err error) (T, error) {
	if errors.Is(err, pgx.ErrNoRows) {
		var none T
		return none, store.Answer(transaction.ErrNotFound)
	}
	return record, err
}

// rowsOf encodes records for jsonb_to_recordset. It encodes no records as an empty list,
// because the function rejects null.
func rowsOf[T any](records []T) (string, error) {
	if records == nil {
		records = []T{}
	}
	text, err := json.Marshal(records)
	return string(text), err
}

// maybe returns the argument that stores an instant; the zero time is stored as NULL.
func maybe(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// instant scans a timestamp; it scans NULL as the zero time.
type instant struct{ into *time.Time }

// Scan implements [database/sql.Scanner].
func (i instant) Scan(stored any) error {
	switch at := stored.(type) {
	case nil:
		*i.into = time.Time{}
	case time.Time:
		*i.into = at.UTC()
	default:
		return fmt.Errorf("instant: unexpected type %T in the database", stored)
	}
	return nil
}

// text scans a text; it scans NULL as the empty text.
type text struct{ into *string }

// Scan implements [database/sql.Scanner].
func (t text) Scan(stored any) error {
	switch stored := stored.(type) {
	case nil:
		*t.into = ""
	case string:
		*t.into = stored
	default:
		return fmt.Errorf("text: unexpected type %T in the database", stored)
	}
	return nil
}
