// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/pkg/client"
)

// listened is the number of the newest RFQs and of the newest jobs that a [Listener] reads.
const listened = 100

// Listener reads the events of the sandbox with the key of a partner, for a developer whose
// receiver has no public URL. It needs no declared endpoint: it compares the RFQs and jobs of
// the organization with those of the previous poll. It is not safe for concurrent use.
//
// The events of RFQs are those of their history. No API returns the id of an event of a job,
// so Listener derives it from the id of the job; the id of a real delivery differs.
type Listener struct {
	client *client.Client
	owner  tenant.ID
	// changed holds the time of the last known event of each RFQ; ended the finished jobs.
	changed map[string]time.Time
	ended   map[string]bool
}

// NewListener returns a Listener for the events that happen from now on.
func NewListener(ctx context.Context, c *client.Client) (*Listener, error) {
	account, err := c.Account(ctx)
	if err != nil {
		return nil, err
	}
	l := &Listener{
		client:  c,
		owner:   tenant.ID{Organization: account.Organization.ID, Mode: tenant.Mode(account.Entitlement.Mode)},
		changed: map[string]time.Time{}, ended: map[string]bool{},
	}
	_, err = l.poll(ctx, true)
	return l, err
}

// Run polls at an interval until the context ends, and calls handle with each event. It calls failed
// for a poll that fails; the next poll repeats the request.
func (l *Listener) Run(ctx context.Context, interval time.Duration, handle func(transaction.Event), failed func(error)) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		events, err := l.poll(ctx, false)
		for _, event := range events {
			handle(event)
		}
		if err != nil && ctx.Err() == nil {
			failed(err)
		}
	}
}

// Payload returns the body of a delivery of an event.
func (l *Listener) Payload(event transaction.Event) []byte { return Payload(l.owner, event) }

// poll returns the events since the previous poll, and no event twice; the first poll returns none.
// After an error, the next poll returns the missing events.
func (l *Listener) poll(ctx context.Context, first bool) (events []transaction.Event, err error) {
	var count int
	for record, err := range l.client.RFQs(ctx, client.RFQFilter{PageSize: listened}) {
		if err != nil {
			return events, err
		}
		before, known := l.changed[record.ID]
		switch {
		case first:
			l.changed[record.ID] = record.UpdatedAt
		case !known || record.UpdatedAt.After(before):
			found, err := l.history(ctx, record, before)
			if err != nil {
				return events, err
			}
			events = append(events, found...)
			for _, event := range found {
				l.changed[record.ID] = event.At
			}
		}
		if count++; count == listened {
			break
		}
	}
	count = 0
	for job, err := range l.client.Preflights(ctx, client.PreflightFilter{PageSize: listened}) {
		if err != nil {
			return events, err
		}
		if job.FinishedAt != nil && !l.ended[job.JobID] {
			l.ended[job.JobID] = true
			if !first {
				events = append(events, transaction.Event{
					ID:   string(recordid.Event) + strings.TrimPrefix(job.JobID, string(recordid.Job)),
					Type: transaction.EventType("preflight." + string(job.Status)), Subject: job.JobID, At: *job.FinishedAt, Reference: job.ClientReference,
				})
			}
		}
		if count++; count == listened {
			break
		}
	}
	slices.SortStableFunc(events, func(a, b transaction.Event) int { return a.At.Compare(b.At) })
	return events, nil
}

// history returns the events of an RFQ after its last known event. The event of a passed
// deadline follows a few seconds after the change of the RFQ, so a later poll returns it.
func (l *Listener) history(ctx context.Context, record client.RFQ, before time.Time) (events []transaction.Event, err error) {
	for event, err := range l.client.RFQEvents(ctx, record.ID) {
		if err != nil {
			return nil, err
		}
		if event.OccurredAt.After(before) {
			events = append(events, transaction.Event{
				ID: event.ID, Type: transaction.EventType(event.Type), Subject: record.ID, At: event.OccurredAt, Reference: record.ClientReference,
			})
		}
	}
	return events, nil
}
