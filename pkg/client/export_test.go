// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"time"
)

// WithoutWaiting replaces the waits of a client by calls of waited.
func WithoutWaiting(waited func(time.Duration)) Option {
	return func(s *settings) {
		s.wait = func(ctx context.Context, d time.Duration) error {
			waited(d)
			return ctx.Err()
		}
		s.random = func(time.Duration) time.Duration { return 0 }
	}
}
