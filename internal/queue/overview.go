// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/printmarket/printmarket/internal/tenant"
)

// Overview is the state of a queue for operators.
type Overview struct {
	Stats  Stats
	Server Server
	// Fault is the reason why the server is rejected: [ErrPolicy], [ErrOld] or nil. The
	// other fields are set in any case.
	Fault error
	// Backlogs lists the waiting tenants, the longest backlog first.
	Backlogs []Backlog
}

// Overview reads the state of the server, of the queue and of its backlogs.
func (q *Queue) Overview(ctx context.Context) (Overview, error) {
	var l Overview
	var err error
	l.Server, l.Fault = q.Server(ctx)
	if l.Stats, err = q.Stats(ctx); err != nil {
		return Overview{}, err
	}
	if l.Backlogs, err = q.Backlogs(ctx); err != nil {
		return Overview{}, err
	}
	return l, nil
}

// MarshalJSON writes the members that `printmarket queue` documents.
func (l Overview) MarshalJSON() ([]byte, error) {
	type backlog struct {
		Organization string `json:"organization"`
		Mode         string `json:"mode"`
		Waiting      int64  `json:"waiting"`
		Dispatched   int64  `json:"dispatched"`
		Weight       int    `json:"weight"`
		MaxInFlight  int    `json:"maxInFlight"`
		Percent      int    `json:"maxInFlightPercent,omitempty"`
	}
	fault, tenants := "", []backlog{}
	if l.Fault != nil {
		fault = l.Fault.Error()
	}
	for _, b := range l.Backlogs {
		tenants = append(tenants, backlog{
			b.Tenant.Organization, string(b.Tenant.Mode), b.Waiting, b.Dispatched, b.Share.Weight, b.Share.Most, b.Share.Percent,
		})
	}
	s := l.Stats
	return plainJSON(struct {
		Open      int64     `json:"open"`
		Waiting   int64     `json:"waiting"`
		Held      int64     `json:"held"`
		Delayed   int64     `json:"delayed"`
		Dead      int64     `json:"dead"`
		Reclaimed int64     `json:"reclaimed"`
		Workers   int64     `json:"workers"`
		Slots     int64     `json:"slots"`
		OldestAge float64   `json:"oldestAgeSeconds"`
		MeanRun   float64   `json:"meanRunSeconds"`
		Drained   float64   `json:"drainedSeconds"`
		Memory    float64   `json:"redisMemoryRatio"`
		Durable   bool      `json:"redisDurable"`
		Fault     string    `json:"fault,omitempty"`
		Tenants   []backlog `json:"tenants"`
	}{
		s.Open, s.Waiting, s.Held, s.Delayed, s.Dead, s.Reclaimed, s.Consumers, s.Slots, s.OldestAge.Seconds(), s.MeanRun.Seconds(),
		s.DrainedFor.Seconds(), l.Server.Memory, l.Server.Durable, fault, tenants,
	})
}

// Worker is a live worker with the jobs that it holds.
type Worker struct {
	Name string
	// Slots is the number of jobs that it runs at the same time.
	Slots int
	// Quiet is the time since it was last seen.
	Quiet time.Duration
	Jobs  []Holding
}

// Holding is a job that a worker holds.
type Holding struct {
	ID     string
	Tenant tenant.ID
	// Renewed is the time since the lease was last renewed.
	Renewed time.Duration
}

// Workers lists the live workers, and those that still hold jobs but were not seen lately,
// by name. If workers hold more than [MostListed] jobs, it omits the rest of the jobs.
func (q *Queue) Workers(ctx context.Context) ([]Worker, error) {
	pipe := q.redis.Pipeline()
	seen, clock := pipe.ZRangeWithScores(ctx, q.key("seen"), 0, MostListed-1), pipe.Time(ctx)
	held := pipe.XPendingExt(ctx, &redis.XPendingExtArgs{Stream: q.stream, Group: group, Start: "-", End: "+", Count: MostListed})
	dispatched := pipe.XRangeN(ctx, q.stream, "-", "+", MostListed)
	if _, err := pipe.Exec(ctx); err != nil && !isNoGroup(err) {
		return nil, failed("list workers", err)
	}
	all := map[string]*Worker{}
	for _, z := range seen.Val() {
		name, _ := z.Member.(string)
		all[name] = &Worker{Name: name, Quiet: max(0, clock.Val().Sub(time.UnixMilli(int64(z.Score))))}
	}
	jobs := map[string]string{} // by entry
	for _, message := range dispatched.Val() {
		jobs[message.ID] = text(message.Values["id"])
	}
	for _, p := range held.Val() {
		w := all[p.Consumer]
		if w == nil {
			w = &Worker{Name: p.Consumer, Quiet: p.Idle}
			all[p.Consumer] = w
		}
		if id, found := jobs[p.ID]; found {
			w.Jobs = append(w.Jobs, Holding{ID: id, Renewed: max(0, p.Idle)})
		}
	}
	if err := q.nameOwners(ctx, all); err != nil {
		return nil, err
	}
	return q.countSlots(ctx, all)
}

// askedJobs is the number of jobs in one query.
const askedJobs = 200

// nameOwners sets the tenants of the jobs that workers hold. A job that has ended meanwhile
// has no tenant.
func (q *Queue) nameOwners(ctx context.Context, all map[string]*Worker) error {
	var ids []any
	for _, w := range all {
		for _, job := range w.Jobs {
			ids = append(ids, job.ID)
		}
	}
	owners := make(map[string]tenant.ID, len(ids))
	for page := range slices.Chunk(ids, askedJobs) {
		entries, err := q.list(ctx, append([]any{"job"}, page...)...)
		if err != nil {
			return err
		}
		for _, entry := range entries {
			owners[entry.ID] = entry.Tenant
		}
	}
	for _, w := range all {
		for i := range w.Jobs {
			w.Jobs[i].Tenant = owners[w.Jobs[i].ID]
		}
	}
	return nil
}

// countSlots sets the slots of workers and returns them by name.
func (q *Queue) countSlots(ctx context.Context, all map[string]*Worker) ([]Worker, error) {
	if len(all) == 0 {
		return nil, nil
	}
	workers := make([]Worker, 0, len(all))
	for _, w := range all {
		workers = append(workers, *w)
	}
	slices.SortFunc(workers, func(a, b Worker) int { return cmp.Compare(a.Name, b.Name) })
	names := make([]string, len(workers))
	for i := range workers {
		names[i] = workers[i].Name
	}
	slots, err := q.redis.HMGet(ctx, q.key("slots"), names...).Result()
	if err != nil {
		return nil, failed("count slots of workers", err)
	}
	for i := range workers {
		workers[i].Slots, _ = strconv.Atoi(text(at(slots, i))) // 0 for a worker that is gone
	}
	return workers, nil
}
