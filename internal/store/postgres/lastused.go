// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/printmarket/printmarket/internal/credential"
)

var _ credential.UseStore = (*Store)(nil)

// MarkKeysUsed implements [credential.UseStore]. Replicas write the same keys at the
// same time, so each takes them in the same order.
func (s *Store) MarkKeysUsed(ctx context.Context, uses []credential.Use) error {
	sorted := slices.SortedFunc(slices.Values(uses), func(a, b credential.Use) int { return bytes.Compare(a.Key[:], b.Key[:]) })
	digests, times := make([][]byte, len(sorted)), make([]time.Time, len(sorted))
	for i, use := range sorted {
		digests[i], times[i] = use.Key[:], use.At
	}
	return s.use(ctx, "mark keys used", func(ctx context.Context, conn *pgxpool.Conn) error {
		_, err := conn.Exec(ctx,
			`INSERT INTO key_use AS known (digest, used_at)
			 SELECT * FROM unnest($1::bytea[], $2::timestamptz[]) AS use (digest, used_at) ORDER BY digest
			 ON CONFLICT (digest) DO UPDATE SET used_at = excluded.used_at WHERE known.used_at < excluded.used_at`,
			digests, times)
		return err
	})
}

// KeyUses implements [credential.UseStore].
func (s *Store) KeyUses(ctx context.Context, keys []credential.Digest) ([]credential.Use, error) {
	digests := make([][]byte, len(keys))
	for i := range keys {
		digests[i] = keys[i][:]
	}
	return read(ctx, s, "read use of keys", func(ctx context.Context, q querier) ([]credential.Use, error) {
		rows, err := q.Query(ctx, `SELECT digest, used_at FROM key_use WHERE digest = ANY ($1)`, digests)
		return collect(rows, err, func(r pgx.Row) (use credential.Use, err error) {
			var digest []byte
			err = r.Scan(&digest, instant{&use.At})
			copy(use.Key[:], digest)
			return use, err
		})
	})
}
