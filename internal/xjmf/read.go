// SPDX-License-Identifier: Apache-2.0

package xjmf

import (
	"context"
	"fmt"

	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// The most that is read at once.
const (
	maxStates  = 1000
	maxRecords = 100
)

// States lists what is known of a tenant's job: one state for each part and
// partition that somebody told of. A job of which nobody did has none.
func (r *Receiver) States(ctx context.Context, who tenant.ID, jobID string) ([]State, error) {
	if jobID == "" || len(jobID) > maxToken {
		return nil, nil
	}
	states, err := r.config.Store.XJMFStates(ctx, who, jobID, maxStates)
	if err != nil {
		return nil, fmt.Errorf("read states of a job: %w", err)
	}
	return states, nil
}

// Messages lists a tenant's callbacks, the latest first, at most limit and not
// more than 100. The page after ends with the id that the next begins before.
func (r *Receiver) Messages(ctx context.Context, who tenant.ID, before string, limit int) ([]Entry, error) {
	if before != "" && !recordid.Valid(idPrefix, before) {
		return nil, transaction.ErrNotFound
	}
	entries, err := r.config.Store.XJMFRecords(ctx, who, before, min(max(limit, 1), maxRecords))
	if err != nil {
		return nil, fmt.Errorf("read callbacks: %w", err)
	}
	return entries, nil
}

// Purge erases what is past its retention, about limit rows, and says how many.
// It is called until it says 0.
func (r *Receiver) Purge(ctx context.Context, limit int) (int, error) {
	purged, err := r.config.Store.PurgeXJMF(ctx, r.config.Now().Add(-Retention), limit)
	if err != nil {
		return 0, fmt.Errorf("purge callbacks: %w", err)
	}
	return purged, nil
}

func byJob(a, b State) int { return a.Job.Compare(b.Job) }
