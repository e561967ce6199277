// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"context"

	"github.com/redis/go-redis/v9"

	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/tenant"
)

// submitBatch is the number of submits in one round trip. It does not block Redis for long:
// Redis serves the next connection after 16 KiB, which is some 80 submits and a millisecond.
const submitBatch = 128

// Submission describes a job for [Queue.SubmitAll]. It is an alias of a plain struct, so that
// the owner of the records can pass one without this package.
type Submission = struct {
	ID    string
	Owner tenant.ID
	// Attempt is the number of the last attempt that began, 0 for a new job.
	Attempt int
}

// Submit adds a job. attempt is the number of the last attempt that began, 0 for a new job.
// Submit leaves a job that is in the queue unchanged, so submitting it again is always
// safe. Errors: [ErrFull], [ErrFormat].
func (q *Queue) Submit(ctx context.Context, id string, owner tenant.ID, attempt int) error {
	return failed("submit to queue", q.submitAlone(ctx, Submission{id, owner, attempt}))
}

// SubmitAll adds jobs in their order as Submit does, many in a round trip. It returns how
// many of them, from the first, were added. An error names the next job: the server refused
// it or did not answer; later jobs may have been added or not. Errors: those of Submit, and
// that of ctx, which SubmitAll checks before each round trip.
func (q *Queue) SubmitAll(ctx context.Context, all []Submission) (done int, err error) {
	for done < len(all) && err == nil {
		var taken int
		taken, err = q.submitTogether(ctx, all[done:min(len(all), done+submitBatch)])
		done += taken
		if redis.HasErrorPrefix(err, "NOSCRIPT") {
			// The server does not have the script. A submit with its text loads it.
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
	return q.scripts.submit.run(ctx, q, q.redis, own.ID, own.Owner.String(), own.Attempt, share.Weight, share.limit()).Err()
}

// submitTogether submits a batch in one round trip and records one span for a traced caller.
func (q *Queue) submitTogether(ctx context.Context, batch []Submission) (done int, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	span := telemetry.StartCall(ctx, "redis", q.scripts.submit.operation)
	defer func() { span.End(fault(err)) }()
	replies := make([]*redis.Cmd, len(batch))
	_, lost := q.redis.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		for i, own := range batch {
			share, _ := q.share(own.Owner)
			replies[i] = q.scripts.submit.byName(ctx, q, pipe, own.ID, own.Owner.String(), own.Attempt, share.Weight, share.limit())
		}
		return nil
	})
	for i, reply := range replies {
		if _, answered := reply.Val().(int64); answered {
			continue
		}
		// Only the reply itself shows whether the server answered: if a pipeline is cut,
		// the library marks all replies as failed, and if the server refuses the
		// connection, none of them.
		_, err := reply.Int64()
		if lost != nil && !isRedisError(err) {
			err = lost
		}
		if err != nil {
			return i, err
		}
	}
	return len(batch), nil
}

// share returns the current share of a tenant; false while it is unknown.
func (q *Queue) share(owner tenant.ID) (Share, bool) {
	if q.options.Shares == nil {
		return Share{}, false
	}
	share, known := q.options.Shares(owner)
	if !known {
		return Share{}, false
	}
	if share.Weight <= 0 {
		share.Weight = DefaultWeight
	}
	return shareOf(min(share.Weight, MaxWeight), share.limit()), true
}
