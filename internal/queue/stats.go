// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/printmarket/printmarket/internal/tenant"
)

// Stats is the state of a queue at one instant.
type Stats struct {
	// Open counts all jobs: Waiting, Held and Delayed.
	Open, Waiting, Held, Delayed int64
	// Ready is the part of Waiting that is dispatched: any free worker takes these jobs.
	Ready int64
	// Dead is the number of dead letters.
	Dead int64
	// Reclaimed counts the jobs that were reclaimed from workers that did not renew
	// their leases, since Redis was empty.
	Reclaimed int64
	// Consumers is the number of live workers, Slots the number of jobs that they run
	// at the same time.
	Consumers, Slots int64
	// OldestAge is the time since the oldest open job was submitted.
	OldestAge time.Duration
	// MeanRun is the recent mean time for which a job uses a worker; 0 before the first.
	MeanRun time.Duration
	// DrainedFor is the remaining time in which the queue dispatches no jobs.
	DrainedFor time.Duration
}

// Stats reads the state. It does not use the group's lag, which servers report wrongly after
// deletions.
func (q *Queue) Stats(ctx context.Context) (Stats, error) {
	pipe := q.redis.Pipeline()
	open, length := pipe.ZCard(ctx, q.key("open")), pipe.XLen(ctx, q.stream)
	delayed, dead := pipe.ZCard(ctx, q.key("delayed")), pipe.ZCard(ctx, q.key("dead"))
	pending := pipe.XPending(ctx, q.stream, group)
	oldest, clock := pipe.ZRangeWithScores(ctx, q.key("open"), 0, 0), pipe.Time(ctx)
	consumers, meta := pipe.HLen(ctx, q.key("slots")), pipe.Get(ctx, q.key("meta"))
	reclaimed := pipe.Get(ctx, q.key("reclaimed"))
	if _, err := pipe.Exec(ctx); err != nil && !isNoGroup(err) && !errors.Is(err, redis.Nil) {
		return Stats{}, failed("read queue", err)
	}
	own := parseMeta(meta.Val())
	stats := Stats{
		Open: open.Val(), Delayed: delayed.Val(), Dead: dead.Val(), Consumers: consumers.Val(),
		Slots: own.slots, MeanRun: own.meanRun,
	}
	stats.Reclaimed, _ = reclaimed.Int64() // absent before the first
	if p := pending.Val(); p != nil {
		stats.Held = p.Count
	}
	stats.Ready = max(0, length.Val()-stats.Held)
	stats.Waiting = max(0, stats.Open-stats.Held-stats.Delayed)
	now := clock.Val()
	if first := oldest.Val(); len(first) > 0 {
		stats.OldestAge = max(0, now.Sub(time.UnixMilli(int64(first[0].Score))))
	}
	stats.DrainedFor = max(0, own.drainedUntil.Sub(now))
	return stats, nil
}

// figure returns a number of a list, or 0 if it is absent.
func figure(values []any, i int) float64 {
	if i >= len(values) {
		return 0
	}
	f, err := strconv.ParseFloat(text(values[i]), 64)
	if err != nil {
		return 0
	}
	return f
}

// Backlog counts the jobs of one tenant.
type Backlog struct {
	Tenant tenant.ID
	// Waiting jobs are not dispatched yet; Dispatched jobs are with a worker or about to be.
	Waiting, Dispatched int64
	Share               Share
}

// askedTenants is the number of tenants in one query, during which Redis serves no other
// client.
const askedTenants = 500

// Backlogs lists the waiting tenants, the longest backlog first.
func (q *Queue) Backlogs(ctx context.Context) ([]Backlog, error) {
	names, err := q.waitingTenants(ctx)
	if err != nil {
		return nil, failed("list tenants of queue", err)
	}
	backlogs := make([]Backlog, 0, len(names))
	for page := range slices.Chunk(names, askedTenants) {
		rows, err := q.scripts.tenants.run(ctx, q, q.redis, page...).Slice()
		if err != nil {
			return nil, failed("list tenants of queue", err)
		}
		backlogs = append(backlogs, parseBacklogs(rows)...)
	}
	slices.SortFunc(backlogs, func(a, b Backlog) int { return cmp.Compare(b.Waiting, a.Waiting) })
	return backlogs, nil
}

// waitingTenants returns the tenants that wait for their turn and those that have reached
// their limit. A tenant that changes between the two sets may be missing.
func (q *Queue) waitingTenants(ctx context.Context) ([]any, error) {
	pipe := q.redis.Pipeline()
	ring, parked := pipe.ZRange(ctx, q.key("ring"), 0, -1), pipe.ZRange(ctx, q.key("parked"), 0, -1)
	if _, err := pipe.Exec(ctx); err != nil {
		return nil, err
	}
	waiting := slices.Concat(ring.Val(), parked.Val())
	slices.Sort(waiting)
	var names []any
	for _, name := range slices.Compact(waiting) {
		names = append(names, name)
	}
	return names, nil
}

// parseBacklogs parses backlogs. It omits tenants that no longer wait, and malformed jobs,
// which become dead letters when they are dispatched.
func parseBacklogs(rows []any) []Backlog {
	var backlogs []Backlog
	for _, row := range rows {
		fields, _ := row.([]any)
		owner, err := tenant.Parse(text(at(fields, 0)))
		waiting := int64(figure(fields, 1))
		if err != nil || waiting == 0 {
			continue
		}
		backlogs = append(backlogs, Backlog{
			Tenant: owner, Waiting: waiting, Dispatched: int64(figure(fields, 2)),
			Share: shareOf(int(figure(fields, 3)), int(figure(fields, 4))),
		})
	}
	return backlogs
}

func at(values []any, i int) any {
	if i < len(values) {
		return values[i]
	}
	return nil
}

// Reweigh updates the shares of waiting tenants to their current values and returns how many
// shares changed.
func (q *Queue) Reweigh(ctx context.Context, backlogs []Backlog) (changed int, err error) {
	for _, b := range backlogs {
		share, known := q.share(b.Tenant)
		if !known || share == b.Share {
			continue
		}
		if err := q.scripts.share.run(ctx, q, q.redis, b.Tenant.String(), share.Weight, share.limit()).Err(); err != nil {
			return changed, failed("set share in queue", err)
		}
		changed++
	}
	return changed, nil
}

// DesiredWorkers returns how many workers with a number of slots would begin every open job
// within wait: enough for the jobs that are running, and for the open jobs to begin in that
// time. It is 0 only if no job is open.
func (s Stats) DesiredWorkers(slots int, wait time.Duration) int {
	if s.Open <= 0 {
		return 0
	}
	slots = max(slots, 1)
	work := float64(s.Open) * s.MeanRun.Seconds() / max(wait.Seconds(), 1)
	need := max(float64(s.Held), math.Ceil(work), 1)
	return int(math.Ceil(need / float64(slots)))
}
