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
	"github.com/printmarket/printmarket/internal/store"
)

var _ credential.UseStore = (*Store)(nil)

// MarkKeysUsed implements [credential.UseStore]. Replicas write the same keys at the
// same time, so each takes them in the same order.
func (s *Store) MarkKeysUsed(ctx context.Context, uses []credential.Use) error {
	sorted := slices.SortedFunc(slices.Values(uses), func(a, b credential.Use) int { return bytes.Compare(a.Key[:], b.Key[:]) })
	digests, times, scopes := make([][]byte, len(sorted)), make([]time.Time, len(sorted)), make([]string, len(sorted))
	for i := range sorted {
		digests[i], times[i] = sorted[i].Key[:], sorted[i].At
		var err error
		if scopes[i], err = store.EncodeScopeTimes(sorted[i].Scopes); err != nil {
			return err
		}
	}
	return s.use(ctx, "mark keys used", func(ctx context.Context, conn *pgxpool.Conn) error {
		_, err := conn.Exec(ctx,
			`INSERT INTO key_use AS known (digest, used_at, scopes, scopes_since)
			 SELECT digest, used_at, scopes::jsonb, used_at FROM unnest($1::bytea[], $2::timestamptz[], $3::text[]) AS use (digest, used_at, scopes) ORDER BY digest
			 ON CONFLICT (digest) DO UPDATE SET used_at = greatest(known.used_at, excluded.used_at),
				scopes_since = least(known.scopes_since, excluded.scopes_since),
				scopes = (SELECT coalesce(jsonb_object_agg(scope, at), '{}') FROM (
					SELECT scope, max(at::bigint) AS at FROM (
						SELECT * FROM jsonb_each_text(known.scopes) UNION ALL SELECT * FROM jsonb_each_text(excluded.scopes)
					) AS both_uses (scope, at) GROUP BY scope) AS latest)`,
			digests, times, scopes)
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
		rows, err := q.Query(ctx, `SELECT digest, used_at, scopes::text, scopes_since FROM key_use WHERE digest = ANY ($1)`, digests)
		return collect(rows, err, func(r pgx.Row) (use credential.Use, err error) {
			var digest []byte
			err = r.Scan(&digest, instant{&use.At}, store.ScopeTimes{Into: &use.Scopes}, instant{&use.Since})
			copy(use.Key[:], digest)
			return use, err
		})
	})
}
