// SPDX-License-Identifier: Apache-2.0

package keyspace_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/tenant"
)

// step is one call with its arguments, which are the same on both sides.
type step struct {
	name string
	do   func(*side) any
}

// granted notes leases and shows them.
func (s *side) granted(leases []queue.Lease, err error) any {
	s.held = append(s.held, leases...)
	return []any{leases, kind(err)}
}

// kind is what a caller can tell of an error.
func kind(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, queue.ErrLost):
		return "lost"
	default:
		return err.Error()
	}
}

func randomStep(random *rand.Rand) step {
	a, b, c := random.IntN(1<<20), random.IntN(1<<20), random.IntN(1<<20)
	steps := []step{
		{"submit", submit(a, b, c)},
		{"submit", submit(a, b, c)},
		{"submit", submit(a, b, c)},
		{"submit", submit(a, b, c)},
		{"next", next(a, b)},
		{"next", next(a, b)},
		{"finish", settle(b, c, (*queue.Consumer).Finish)},
		{"finish and take", finishNext(b, c)},
		{"finish and take", finishNext(b, c)},
		{"renew", renew(b, c)},
		{"renew", renew(b, c)},
		{"retry", retry(b, c, a)},
		{"release", settle(b, c, (*queue.Consumer).Release)},
		{"bury", bury(b, c)},
		{"cancel", cancel(a)},
		{"leave", leave(a)},
		{"read", read(a, b)},
		{"stats", stats},
		{"start", start(a)},
		{"order", order(a, b)},
		{"obey", obey(b, c)},
		{"drain", drain(a, b)},
		{"operate", operate(a)},
	}
	return steps[random.IntN(len(steps))]
}

func submit(a, b, c int) func(*side) any {
	return func(s *side) any {
		owner := tenant.ID{Organization: fmt.Sprintf("org_acme%02d", b%6), Mode: tenant.Live}
		return kind(s.queue.Submit(s.t.Context(), fmt.Sprint("pref_", a%300), owner, c%3))
	}
}

func next(a, b int) func(*side) any {
	return func(s *side) any {
		defer func() { time.Sleep(s.blocked()) }()
		return s.granted(s.consumers[a%4].Next(s.t.Context(), 1+b%3))
	}
}

// lease is one that was granted, most likely of late.
func (s *side) lease(b, c int) (queue.Lease, *queue.Consumer, bool) {
	if len(s.held) == 0 {
		return queue.Lease{}, nil, false
	}
	recent := s.held[max(0, len(s.held)-12):]
	return recent[b%len(recent)], s.consumers[c%4], true
}

func settle(b, c int, do func(*queue.Consumer, context.Context, queue.Lease) error) func(*side) any {
	return func(s *side) any {
		lease, consumer, ok := s.lease(b, c)
		if !ok {
			return nil
		}
		return kind(do(consumer, s.t.Context(), lease))
	}
}

func finishNext(b, c int) func(*side) any {
	return func(s *side) any {
		lease, consumer, ok := s.lease(b, c)
		if !ok {
			return nil
		}
		return s.granted(consumer.FinishNext(s.t.Context(), lease))
	}
}

func retry(b, c, a int) func(*side) any {
	return func(s *side) any {
		lease, consumer, ok := s.lease(b, c)
		if !ok {
			return nil
		}
		return kind(consumer.Retry(s.t.Context(), lease, time.Duration(a%4000)*time.Millisecond))
	}
}

func bury(b, c int) func(*side) any {
	return func(s *side) any {
		lease, consumer, ok := s.lease(b, c)
		if !ok {
			return nil
		}
		return kind(consumer.Bury(s.t.Context(), lease, "TEST"))
	}
}

func renew(b, c int) func(*side) any {
	return func(s *side) any {
		var leases []queue.Lease
		if lease, _, ok := s.lease(b, c); ok {
			leases = append(leases, lease)
		}
		lost, err := s.consumers[c%4].Renew(s.t.Context(), leases...)
		return []any{lost, kind(err)}
	}
}

func cancel(a int) func(*side) any {
	return func(s *side) any { return kind(s.queue.Cancel(s.t.Context(), fmt.Sprint("pref_", a%300))) }
}

func leave(a int) func(*side) any {
	return func(s *side) any { return kind(s.consumers[a%4].Leave(s.t.Context())) }
}

// read takes entries off the stream and starts none of them.
func read(a, b int) func(*side) any {
	return func(s *side) any {
		streams, err := s.client.XReadGroup(s.t.Context(), &redis.XReadGroupArgs{
			Group: "workers", Consumer: fmt.Sprint("w", a%4), Streams: []string{stream, ">"}, Count: int64(1 + b%2), Block: -1,
		}).Result()
		return []any{streams, errors.Is(err, redis.Nil)}
	}
}

// start begins what a consumer was handed and has not begun.
func start(a int) func(*side) any {
	return func(s *side) any {
		text, err := queue.Script("astray")
		if err != nil {
			return err.Error()
		}
		reply, err := s.client.Eval(s.t.Context(), text, []string{stream}, "pm:{preflight}:", fmt.Sprint("w", a%4)).Result()
		return []any{reply, err == nil}
	}
}

func order(a, b int) func(*side) any {
	return func(s *side) any {
		orders := [...]queue.Order{queue.OrderCancel, queue.OrderRetry}
		return kind(s.queue.Order(s.t.Context(), fmt.Sprint("pref_", a%300), orders[b%2]))
	}
}

func obey(b, c int) func(*side) any {
	return func(s *side) any {
		lease, consumer, ok := s.lease(b, c)
		if !ok {
			return nil
		}
		return kind(consumer.Obeyed(s.t.Context(), lease, "as ordered"))
	}
}

// drain stops the queue for a moment, or has it go on.
func drain(a, b int) func(*side) any {
	return func(s *side) any {
		held, err := s.queue.Drain(s.t.Context(), time.Duration(a%2*(b%900))*time.Millisecond)
		return []any{held, kind(err)}
	}
}

// operate reads what people read.
func operate(a int) func(*side) any {
	return func(s *side) any {
		list, listErr := s.queue.List(s.t.Context(), a%7, 20)
		dead, deadErr := s.queue.Dead(s.t.Context(), 20)
		outcome, known, err := s.queue.Outcome(s.t.Context(), fmt.Sprint("pref_", a%300))
		backlogs, backlogErr := s.queue.Backlogs(s.t.Context())
		slices.SortFunc(backlogs, func(a, b queue.Backlog) int { return strings.Compare(a.Tenant.String(), b.Tenant.String()) })
		return []any{list, dead, outcome, known, backlogs, listErr, deadErr, err, backlogErr}
	}
}

func stats(s *side) any {
	stats, err := s.queue.Stats(s.t.Context())
	return []any{stats, kind(err)}
}
