// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"context"

	"github.com/redis/go-redis/v9"

	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/tenant"
)

// submitsTogether is how many submits go in one round trip. It is not what holds Redis:
// that turns to the next connection after 16 KiB, which are some 80 submits and a
// millisecond.
const submitsTogether = 128

// Submission is what [Queue.Submit] is told of a job. It is no type of its own, so that
// whoever owns the records can say the same without this package.
type Submission = struct {
	ID    string
	Owner tenant.ID
	// Attempt is the number of the last attempt that began, 0 for a new job.
	Attempt int
}

// Submit takes a job in. attempt is the number of the last attempt that began,
// 0 for a new job. A job that is here already is left as it is, so submitting
// again is always safe. Errors: [ErrFull], [ErrFormat].
func (q *Queue) Submit(ctx context.Context, id string, owner tenant.ID, attempt int) error {
	return failed("submit to queue", q.submitAlone(ctx, Submission{id, owner, attempt}))
}

// SubmitAll takes jobs in as Submit does, one after the other, many in a round trip.
// The first done of them were taken in. With an error the next one, which it names, was
// refused by the server or has no answer from it, and any that come later may be in or
// not. Errors: those of Submit, and that of ctx, which it looks at before each round
// trip.
func (q *Queue) SubmitAll(ctx context.Context, all []Submission) (done int, err error) {
	for done < len(all) && err == nil {
		var taken int
		taken, err = q.submitTogether(ctx, all[done:min(len(all), done+submitsTogether)])
		done += taken
		if redis.HasErrorPrefix(err, "NOSCRIPT") {
			// The server was never told it, or has forgotten. This tells it.
			if err = q.submitAlone(ctx, all[done]); err == nil {
				done++
			}
		}
	}
	if err != nil {
		return done, failed("submit "+all[done].ID+" to queue", err)
	}
	return done, nil
}

func (q *Queue) submitAlone(ctx context.Context, own Submission) error {
	share, _ := q.share(own.Owner)
	return q.scripts.submit.run(ctx, q, q.redis, own.ID, own.Owner.String(), own.Attempt, share.Weight, share.Most).Err()
}

// submitTogether is one round trip, and one span of a traced caller.
func (q *Queue) submitTogether(ctx context.Context, batch []Submission) (done int, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	span := telemetry.Ask(ctx, "redis", q.scripts.submit.operation)
	defer func() { span.End(fault(err)) }()
	replies := make([]*redis.Cmd, len(batch))
	_, lost := q.redis.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		for i, own := range batch {
			share, _ := q.share(own.Owner)
			replies[i] = q.scripts.submit.byName(ctx, q, pipe, own.ID, own.Owner.String(), own.Attempt, share.Weight, share.Most)
		}
		return nil
	})
	for i, reply := range replies {
		if err := unanswered(reply, lost); err != nil {
			return i, err
		}
	}
	return len(batch), nil
}

// unanswered is why a submit in a pipeline, which as a whole ended with lost, has no
// number for an answer. The answer alone tells: of a pipeline that was cut the library
// calls all failed, and none of one that got no connection because of a refusal.
func unanswered(reply *redis.Cmd, lost error) error {
	if _, answered := reply.Val().(int64); answered {
		return nil
	}
	if _, err := reply.Int64(); isRedisError(err) || lost == nil {
		return err
	}
	return lost
}

// share is what a tenant's share is now; the zero Share while nobody knows.
func (q *Queue) share(owner tenant.ID) (Share, bool) {
	if q.options.Shares == nil {
		return Share{}, false
	}
	share, known := q.options.Shares(owner)
	if !known {
		return Share{}, false
	}
	return share.normal(), true
}
