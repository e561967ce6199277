// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// row is implemented by *sql.Row and *sql.Rows.
type row interface{ Scan(into ...any) error }

// collect reads every row of a query.
func collect[T any](rows *sql.Rows, err error, scan func(row) (T, error)) ([]T, error) {
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // rows.Err below returns the error of reading
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

// millis returns an instant as it is stored; 0 is the zero time.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// instant scans an instant that millis returned.
type instant struct{ into *time.Time }

func (i instant) Scan(stored any) error {
	ms, ok := stored.(int64)
	if !ok {
		return fmt.Errorf("instant: unexpected type %T in the database", stored)
	}
	*i.into = time.Time{}
	if ms != 0 {
		*i.into = time.UnixMilli(ms).UTC()
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
