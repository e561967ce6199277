// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// operatorTimeout limits one call to Redis on behalf of an operator.
const operatorTimeout = 15 * time.Second

// Filter selects open jobs. Empty fields select all.
type Filter struct {
	States       []string
	Organization string
	Limit        int
}

// States returns the states of open jobs that a [Filter] takes.
func States() []string {
	return []string{string(Waiting), string(Ready), string(Held), string(Delayed)}
}

// Find lists open jobs in the order of their submission. It returns each job once;
// it may miss jobs that change between two pages.
func (q *Queue) Find(ctx context.Context, f Filter) ([]Entry, error) {
	found := []Entry{}
	seen := map[string]bool{}
	for offset := 0; len(found) < f.Limit; offset += MostListed {
		page, err := func() ([]Entry, error) {
			ctx, cancel := context.WithTimeout(ctx, operatorTimeout)
			defer cancel()
			return q.List(ctx, offset, MostListed)
		}()
		if err != nil {
			return nil, err
		}
		for _, e := range page {
			wanted := (len(f.States) == 0 || slices.Contains(f.States, string(e.State))) && (f.Organization == "" || f.Organization == e.Tenant.Organization)
			if wanted && !seen[e.ID] && len(found) < f.Limit {
				seen[e.ID] = true
				found = append(found, e)
			}
		}
		if len(page) < MostListed {
			break
		}
	}
	return found, nil
}

// OrderResult is the result of an order.
type OrderResult struct {
	ID string `json:"id"`
	// Done is false if the order failed, with the reason in Outcome, or if no worker
	// has carried it out yet, without an Outcome.
	Done    bool   `json:"done"`
	Outcome string `json:"outcome,omitempty"`
}

// ErrPending reports that no worker has carried out an order in time.
var ErrPending = errors.New("no worker has carried out the order in time; the next free worker will")

// OrderAll gives an order for each job and waits for the results; 0 does not wait. It
// returns the results of all orders that were given, with the joined errors.
func (q *Queue) OrderAll(ctx context.Context, ids []string, order Order, wait time.Duration) ([]OrderResult, error) {
	given, failures := []OrderResult{}, []error(nil)
	for _, id := range ids {
		err := func() error {
			ctx, cancel := context.WithTimeout(ctx, operatorTimeout)
			defer cancel()
			return q.Order(ctx, id, order)
		}()
		if err != nil {
			failures = append(failures, fmt.Errorf("%q: %w", id, err))
			continue
		}
		given = append(given, OrderResult{ID: id})
	}
	if wait <= 0 {
		return given, errors.Join(failures...)
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for i := range given {
		outcome, err := q.awaitOutcome(ctx, given[i].ID)
		given[i].Outcome, given[i].Done = outcome, err == nil && slices.Contains([]string{Cancelled, TriedAgain, AlreadyHeld}, outcome)
		if err == nil && !given[i].Done {
			err = errors.New(outcome)
		}
		if err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", given[i].ID, err))
		}
	}
	return given, errors.Join(failures...)
}

func (q *Queue) awaitOutcome(ctx context.Context, id string) (string, error) {
	for {
		outcome, known, err := q.Outcome(ctx, id)
		switch {
		case known:
			return outcome, nil
		case ctx.Err() != nil:
			return "", ErrPending
		case err != nil:
			return "", err
		}
		select {
		case <-ctx.Done():
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// DrainAndWait drains the queue and waits until workers hold no job. Without a wait,
// or with a duration of 0, it returns at once.
func (q *Queue) DrainAndWait(ctx context.Context, d, wait time.Duration) (Overview, error) {
	if _, err := q.Drain(ctx, d); err != nil {
		return Overview{}, err
	}
	for deadline := time.Now().Add(wait); ; {
		look, err := q.Overview(ctx)
		if err != nil || look.Stats.Held == 0 || wait == 0 || d == 0 {
			return look, err
		}
		if time.Now().After(deadline) {
			return look, fmt.Errorf("workers still have %d jobs", look.Stats.Held)
		}
		select {
		case <-ctx.Done():
			return look, ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}
