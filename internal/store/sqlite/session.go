// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/signon"
)

var _ signon.EndStore = (*Store)(nil)

// EndSessions implements [signon.EndStore].
func (s *Store) EndSessions(ctx context.Context, ending credential.Ending) error {
	return s.write(ctx, "end sessions", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx,
			`INSERT INTO ended_session (name, ended_at, until) VALUES (?, ?, ?)
			 ON CONFLICT DO UPDATE SET ended_at = max(ended_at, excluded.ended_at), until = max(until, excluded.until)`,
			ending.Name[:], millis(ending.At), millis(ending.Until))
		return err
	})
}

// SessionsEnded implements [signon.EndStore].
func (s *Store) SessionsEnded(ctx context.Context, names []credential.Digest) (time.Time, error) {
	list, err := json.Marshal(names)
	if err != nil {
		return time.Time{}, err
	}
	return read(ctx, s, "read ends of sessions", func(q querier) (at time.Time, err error) {
		err = q.QueryRowContext(ctx,
			`SELECT coalesce(max(ended_at), 0) FROM ended_session WHERE name IN (SELECT unhex(value) FROM json_each(?))`,
			string(list)).Scan(instant{&at})
		return at, err
	})
}
