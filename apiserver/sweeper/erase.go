// SPDX-License-Identifier: Apache-2.0

package sweeper

import (
	"context"
	"time"
)

// Erasures is what the sweeper needs of package erasure.
type Erasures interface {
	Sweep(ctx context.Context) error
}

// eraseEvery continues confirmed erasures until ctx ends. It has a loop of its own, because the
// records of one organization can take minutes.
func (s *Sweeper) eraseEvery(ctx context.Context) {
	every := time.NewTicker(s.Every)
	defer every.Stop()
	reported := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
		err := s.Erasures.Sweep(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil && err.Error() != reported {
			s.Log.WarnContext(ctx, "erase organizations", "error", err)
		}
		if reported = ""; err != nil {
			reported = err.Error()
		}
	}
}
