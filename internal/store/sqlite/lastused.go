// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"

	"github.com/printmarket/printmarket/internal/credential"
)

var _ credential.UseStore = (*Store)(nil)

// MarkKeysUsed implements [credential.UseStore].
func (s *Store) MarkKeysUsed(ctx context.Context, uses []credential.Use) error {
	return s.write(ctx, "mark keys used", func(tx *sql.Tx) error {
		for _, use := range uses {
			if _, err := tx.ExecContext(ctx,
				`INSERT INTO key_use (digest, used_at) VALUES (?, ?)
				 ON CONFLICT DO UPDATE SET used_at = max(used_at, excluded.used_at)`,
				use.Key[:], millis(use.At)); err != nil {
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
			`SELECT digest, used_at FROM key_use WHERE digest IN (SELECT unhex(value) FROM json_each(?))`, string(list))
		return collect(rows, err, func(r row) (use credential.Use, err error) {
			var digest []byte
			err = r.Scan(&digest, instant{&use.At})
			copy(use.Key[:], digest)
			return use, err
		})
	})
}
