// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/printmarket/printmarket/internal/tenant"
)

// State is the state of a job in the queue.
type State string

// The states of an [Entry].
const (
	Waiting State = "waiting" // in its tenant's backlog
	Ready   State = "ready"   // dispatched, about to be taken
	Held    State = "held"    // with a worker
	Delayed State = "delayed" // until its next attempt
	Dead    State = "dead"    // dead letter
)

// Entry is a job as operators see it.
type Entry struct {
	ID      string
	Tenant  tenant.ID
	State   State
	Attempt int
	// Lost counts the attempts whose lease expired after a worker began the job.
	Lost int
	// Holder is the worker that holds the job.
	Holder string
	Order  Order
	// Submitted is the time of the submission, Since the time when the job last became
	// ready, Due the time of the next attempt of a delayed job, Buried the time when a
	// dead job became a dead letter.
	Submitted, Since, Due, Buried time.Time
	// Reason is the reason why a dead job became a dead letter.
	Reason string
}

// MarshalJSON writes the members that `printmarket queue` documents.
func (e Entry) MarshalJSON() ([]byte, error) {
	return plainJSON(struct {
		ID           string    `json:"id"`
		Organization string    `json:"organization"`
		Mode         string    `json:"mode"`
		State        State     `json:"state"`
		Attempt      int       `json:"attempt"`
		Lost         int       `json:"lost"`
		Holder       string    `json:"holder,omitempty"`
		Order        Order     `json:"order,omitempty"`
		Reason       string    `json:"reason,omitempty"`
		Submitted    time.Time `json:"submitted,omitzero"`
		Since        time.Time `json:"since,omitzero"`
		Due          time.Time `json:"due,omitzero"`
		Buried       time.Time `json:"buried,omitzero"`
	}{
		e.ID, e.Tenant.Organization, string(e.Tenant.Mode), e.State, e.Attempt, e.Lost, e.Holder, e.Order, e.Reason,
		e.Submitted, e.Since, e.Due, e.Buried,
	})
}

// plainJSON encodes a value without the escapes for HTML.
func plainJSON(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return text.Bytes(), err
}

// MostListed limits a page of List and Dead.
const MostListed = 1000

// List returns at most [MostListed] open jobs in the order of their submission, from an
// offset.
func (q *Queue) List(ctx context.Context, offset, limit int) ([]Entry, error) {
	return q.list(ctx, max(offset, 0), min(max(limit, 1), MostListed))
}

// Show returns one job, open or dead, or [ErrUnknown].
func (q *Queue) Show(ctx context.Context, id string) (Entry, error) {
	found, err := q.list(ctx, "job", id)
	if err != nil {
		return Entry{}, err
	}
	if len(found) == 1 {
		return found[0], nil
	}
	score, err := q.redis.ZScore(ctx, q.key("dead"), id).Result()
	if errors.Is(err, redis.Nil) {
		return Entry{}, ErrUnknown
	}
	if err != nil {
		return Entry{}, failed("show job", err)
	}
	found, err = q.dead(ctx, redis.Z{Member: id, Score: score})
	switch {
	case err != nil:
		return Entry{}, failed("show dead job", err)
	case len(found) == 0:
		return Entry{}, ErrUnknown
	}
	return found[0], nil
}

func (q *Queue) list(ctx context.Context, args ...any) ([]Entry, error) {
	rows, err := q.scripts.list.run(ctx, q, q.redis, args...).Slice()
	if err != nil {
		return nil, failed("list jobs", err)
	}
	entries := make([]Entry, 0, len(rows))
	for _, row := range rows {
		f, _ := row.([]any)
		owner, _ := tenant.Parse(text(at(f, 2))) // a malformed job has no tenant
		attempt, _ := strconv.Atoi(text(at(f, 3)))
		lost, _ := strconv.Atoi(text(at(f, 6)))
		entries = append(entries, Entry{
			ID: text(at(f, 0)), Submitted: instant(f, 1), Tenant: owner, Attempt: attempt, State: State(text(at(f, 4))),
			Holder: word(at(f, 5)), Lost: lost, Since: instant(f, 7), Due: instant(f, 8), Order: orderOf(word(at(f, 9))).Order,
		})
	}
	return entries, nil
}

func instant(fields []any, i int) time.Time {
	ms := figure(fields, i)
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(ms)).UTC()
}

// Dead lists at most [MostListed] dead letters, the last one first.
func (q *Queue) Dead(ctx context.Context, limit int) ([]Entry, error) {
	ids, err := q.redis.ZRangeWithScores(ctx, q.key("dead"), -int64(min(max(limit, 1), MostListed)), -1).Result()
	if err != nil {
		return nil, failed("list dead jobs", err)
	}
	slices.Reverse(ids)
	entries, err := q.dead(ctx, ids...)
	return entries, failed("list dead jobs", err)
}

// dead reads dead letters; it omits jobs that were ordered meanwhile.
func (q *Queue) dead(ctx context.Context, ids ...redis.Z) ([]Entry, error) {
	if len(ids) == 0 {
		return []Entry{}, nil
	}
	pipe, found := q.redis.Pipeline(), make([]*redis.SliceCmd, len(ids))
	for i := range ids {
		id, _ := ids[i].Member.(string)
		found[i] = pipe.HMGet(ctx, q.key("dead:"+id), "tenant", "attempt", "reason", "submitted", "lost")
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return nil, err
	}
	entries := make([]Entry, 0, len(ids))
	for i, z := range ids {
		fields := found[i].Val()
		if fields[2] == nil {
			continue
		}
		id, _ := z.Member.(string)
		owner, _ := tenant.Parse(text(fields[0])) // a malformed job has no tenant
		entries = append(entries, Entry{
			ID: id, Tenant: owner, State: Dead, Attempt: int(figure(fields, 1)), Reason: text(fields[2]),
			Submitted: instant(fields, 3), Lost: int(figure(fields, 4)), Buried: time.UnixMilli(int64(z.Score)).UTC(),
		})
	}
	return entries, nil
}

// Order makes a worker carry out an operator's instruction for a job, before all waiting
// jobs: only workers change the record. A worker that holds the job loses its lease, except
// for a retry. The error is [ErrUnknown] if the job is neither open nor dead.
func (q *Queue) Order(ctx context.Context, id string, order Order) error {
	known, err := q.scripts.order.run(ctx, q, q.redis, id, string(order), AlreadyHeld).Int()
	if err == nil && known == 0 {
		return ErrUnknown
	}
	return failed("order job", err)
}

// Outcome returns the outcome of the last order for a job. It returns false until a worker
// has carried out the order, and again an hour later.
func (q *Queue) Outcome(ctx context.Context, id string) (outcome string, known bool, err error) {
	outcome, err = q.redis.Get(ctx, q.key("ordered:"+id)).Result()
	if errors.Is(err, redis.Nil) {
		return "", false, nil
	}
	return outcome, err == nil, failed("read the outcome of an order", err)
}

// Drain stops dispatching for a time, at most a day, and returns dispatched jobs that no
// worker has taken to the backlogs; 0 ends it. It returns how many jobs workers still hold.
func (q *Queue) Drain(ctx context.Context, d time.Duration) (held int, err error) {
	held, err = q.scripts.drain.run(ctx, q, q.redis, min(max(d, 0), 24*time.Hour).Milliseconds()).Int()
	return held, failed("drain queue", err)
}
