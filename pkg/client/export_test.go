// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"time"
)

// WithoutWaiting lets the time that a client waits pass at once; waited is told
// of it.
func WithoutWaiting(waited func(time.Duration)) Option {
	return func(s *settings) {
		s.wait = func(ctx context.Context, d time.Duration) error {
			waited(d)
			return ctx.Err()
		}
		s.random = func(time.Duration) time.Duration { return 0 }
	}
}
