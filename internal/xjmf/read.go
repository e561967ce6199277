// SPDX-License-Identifier: Apache-2.0

package xjmf

import (
	"context"
	"fmt"

	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// The largest numbers of rows in one read.
const (
	maxStates  = 1000
	maxRecords = 100
)

// States lists the known states of a tenant's job: one for each part and partition that
// was reported, and none for an unknown job.
func (r *Receiver) States(ctx context.Context, owner tenant.ID, jobID string) ([]State, error) {
	if jobID == "" || len(jobID) > maxToken {
		return nil, nil
	}
	states, err := r.config.Store.XJMFStates(ctx, owner, jobID, maxStates)
	if err != nil {
		return nil, fmt.Errorf("read states of a job: %w", err)
	}
	return states, nil
}

// Reported lists the states of a query, the last reported first. It returns none for a job
// ID that no callback can have.
func (r *Receiver) Reported(ctx context.Context, query StateQuery) ([]State, error) {
	if len(query.JobID) > maxToken {
		return nil, nil
	}
	states, err := r.config.Store.XJMFReported(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("read reported states: %w", err)
	}
	return states, nil
}

// Messages lists a tenant's callbacks, the latest first, at most limit and at most 100.
// The last id of a page is the parameter before of the next page.
func (r *Receiver) Messages(ctx context.Context, owner tenant.ID, before string, limit int) ([]Entry, error) {
	if before != "" && !recordid.Valid(idPrefix, before) {
		return nil, transaction.ErrNotFound
	}
	entries, err := r.config.Store.XJMFRecords(ctx, owner, before, min(max(limit, 1), maxRecords))
	if err != nil {
		return nil, fmt.Errorf("read callbacks: %w", err)
	}
	return entries, nil
}

// Purge deletes about limit rows that are past their retention, and returns how many it
// deleted. Callers repeat it until it returns 0.
func (r *Receiver) Purge(ctx context.Context, limit int) (int, error) {
	purged, err := r.config.Store.PurgeXJMF(ctx, r.config.Now().Add(-Retention), limit)
	if err != nil {
		return 0, fmt.Errorf("purge callbacks: %w", err)
	}
	return purged, nil
}
