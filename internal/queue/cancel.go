// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"
)

// CancelAll cancels the open jobs of an organization, 500 at once, and returns the ids of the jobs
// that it has cancelled. A dry run cancels none and returns the ids of all open jobs.
func (q *Queue) CancelAll(ctx context.Context, organization string, dryRun bool) ([]string, error) {
	const atOnce, wait = 500, 30 * time.Second
	limit := atOnce
	if dryRun {
		limit = math.MaxInt
	}
	ids := []string{}
	for {
		open, err := q.Find(ctx, Filter{Organization: organization, Limit: limit})
		if err != nil {
			return ids, err
		}
		var next []string
		for i := range open {
			// The queue lists a cancelled job until its worker has settled it.
			if !slices.Contains(ids, open[i].ID) {
				next = append(next, open[i].ID)
			}
		}
		if dryRun || len(next) == 0 {
			return append(ids, next...), nil
		}
		orders, err := q.OrderAll(ctx, next, OrderCancel, wait)
		for _, order := range orders {
			if order.Done {
				ids = append(ids, order.ID)
			}
		}
		// A job that ended meanwhile is not listed again.
		if err != nil && !errors.Is(err, ErrUnknown) {
			return ids, err
		}
	}
}
