// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/store"
)

var _ credential.UseStore = (*Store)(nil)

// MarkKeysUsed implements [credential.UseStore].
func (s *Store) MarkKeysUsed(ctx context.Context, uses []credential.Use) error {
	return s.write(ctx, "mark keys used", func(tx *sql.Tx) error {
		for _, use := range uses {
			scopes, err := store.EncodeScopeTimes(use.Scopes)
			if err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx,
				`INSERT INTO key_use (digest, used_at, scopes, scopes_since) VALUES (?1, ?2, ?3, ?2)
				 ON CONFLICT DO UPDATE SET used_at = max(used_at, excluded.used_at),
					scopes_since = CASE WHEN scopes_since = 0 THEN excluded.scopes_since ELSE min(scopes_since, excluded.scopes_since) END,
					scopes = (SELECT json_group_object(key, at) FROM (
						SELECT key, max(value) AS at FROM (
							SELECT key, value FROM json_each(key_use.scopes) UNION ALL SELECT key, value FROM json_each(excluded.scopes)
						) GROUP BY key))`,
				use.Key[:], millis(use.At), scopes); err != nil {
				return err
			}
		}
		return nil
	})
}

// KeyUses implements [credential.UseStore].
func (s *Store) KeyUses(ctx context.Context, keys []credential.Digest) ([]credential.Use, error) {
	digests := make([]string, len(keys))
	for i, key := range keys {
		digests[i] = key.String()
	}
	list, err := json.Marshal(digests)
	if err != nil {
		return nil, err
	}
	return read(ctx, s, "read use of keys", func(q querier) ([]credential.Use, error) {
		rows, err := q.QueryContext(ctx,
			`SELECT digest, used_at, scopes, scopes_since FROM key_use WHERE digest IN (SELECT unhex(value) FROM json_each(?))`, string(list))
		return collect(rows, err, func(r row) (use credential.Use, err error) {
			var digest []byte
			err = r.Scan(&digest, instant{&use.At}, store.ScopeTimes{Into: &use.Scopes}, instant{&use.Since})
			copy(use.Key[:], digest)
			return use, err
		})
	})
}
