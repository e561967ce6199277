// SPDX-License-Identifier: Apache-2.0

package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/signon"
)

var _ signon.EndStore = (*Store)(nil)

// EndSessions implements [signon.EndStore].
func (s *Store) EndSessions(ctx context.Context, ending credential.Ending) error {
	return s.use(ctx, "end sessions", func(ctx context.Context, conn *pgxpool.Conn) error {
		_, err := conn.Exec(ctx,
			`INSERT INTO ended_session AS known (name, ended_at, until) VALUES ($1, $2, $3)
			 ON CONFLICT (name) DO UPDATE SET
				ended_at = greatest(known.ended_at, excluded.ended_at), until = greatest(known.until, excluded.until)`,
			ending.Name[:], ending.At, ending.Until)
		return err
	})
}

// SessionsEnded implements [signon.EndStore].
func (s *Store) SessionsEnded(ctx context.Context, names []credential.Digest) (time.Time, error) {
	list := make([][]byte, len(names))
	for i := range names {
		list[i] = names[i][:]
	}
	return read(ctx, s, "read ends of sessions", func(ctx context.Context, q querier) (at time.Time, err error) {
		err = q.QueryRow(ctx, `SELECT max(ended_at) FROM ended_session WHERE name = ANY ($1)`, list).Scan(instant{&at})
		return at, err
	})
}
