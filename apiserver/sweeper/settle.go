// SPDX-License-Identifier: Apache-2.0

package sweeper

import (
	"context"
	"time"
)

// settleEvery applies passed deadlines to RFQs until ctx ends. It runs in a separate
// loop, so that a hanging database does not delay the checks of the queue.
func (s *Sweeper) settleEvery(ctx context.Context) {
	check := time.NewTicker(s.Check)
	defer check.Stop()
	failing := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-check.C:
		}
		err := s.settle(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil && !failing {
			s.Log.WarnContext(ctx, "sweep rfqs", "error", err)
		}
		failing = err != nil
	}
}

// settle repeats the sweep until no RFQ is due.
func (s *Sweeper) settle(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, sweepAtMost)
	defer cancel()
	for {
		n, err := s.RFQs.Sweep(ctx, batch)
		if n > 0 {
			s.Log.InfoContext(ctx, "swept rfqs", "rfqs", n)
		}
		if n == 0 || err != nil {
			return err
		}
	}
}
