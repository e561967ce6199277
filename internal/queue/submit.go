// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"cmp"
	"context"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/printmarket/printmarket/internal/batch"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/tenant"
)

// submitBatch is the number of submits in one round trip. It does not block Redis for long:
// Redis serves the next connection after 16 KiB, which is some 80 submits and a millisecond.
const submitBatch = 128

// submitTime is the time after which the next submits start beside a round trip that still
// runs.
const submitTime = 100 * time.Millisecond

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
// safe. Submits that arrive during a round trip share the next one. If ctx ends, the job may
// have been added. Errors: [ErrFull], [ErrFormat].
func (q *Queue) Submit(ctx context.Context, id string, owner tenant.ID, attempt int) error {
	span := telemetry.StartCall(ctx, "redis", q.scripts.submit.operation)
	_, err := q.submits.Do(ctx, Submission{id, owner, attempt})
	span.End(fault(err))
	return failed("submit to queue", err)
}

// SubmitAll adds jobs in their order as Submit does, many in a round trip. It returns how
// many of them, from the first, were added. An error names the next job: the server refused
// it or did not answer; later jobs may have been added or not. Errors: those of Submit, and
// that of ctx, which SubmitAll checks before each round trip.
func (q *Queue) SubmitAll(ctx context.Context, all []Submission) (done int, err error) {
	for done < len(all) && err == nil {
		if err = ctx.Err(); err != nil {
			break
		}
		for _, err = range q.submitTogether(ctx, all[done:min(len(all), done+submitBatch)]) {
			if err != nil {
				break
			}
			done++
		}
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

// submitWaiting submits the jobs of concurrent calls of Submit.
func (q *Queue) submitWaiting(ctx context.Context, jobs []Submission) []batch.Result[struct{}] {
	ends := make([]batch.Result[struct{}], len(jobs))
	if len(jobs) == 1 {
		ends[0].Err = q.submitAlone(ctx, jobs[0])
		return ends
	}
	for i, err := range q.submitTogether(ctx, jobs) {
		if redis.HasErrorPrefix(err, "NOSCRIPT") {
			err = q.submitAlone(ctx, jobs[i])
		}
		ends[i].Err = err
	}
	return ends
}

func (q *Queue) submitAlone(ctx context.Context, own Submission) error {
	share, _ := q.share(own.Owner)
	return q.scripts.submit.run(ctx, q, q.redis, own.ID, own.Owner.String(), own.Attempt, share.Weight, share.limit()).Err()
}

// submitTogether submits jobs in one round trip and returns the error of each. It records one
// span for a traced caller.
func (q *Queue) submitTogether(ctx context.Context, jobs []Submission) []error {
	span := telemetry.StartCall(ctx, "redis", q.scripts.submit.operation)
	replies := make([]*redis.Cmd, len(jobs))
	_, lost := q.redis.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		for i, own := range jobs {
			share, _ := q.share(own.Owner)
			replies[i] = q.scripts.submit.byName(ctx, q, pipe, own.ID, own.Owner.String(), own.Attempt, share.Weight, share.limit())
		}
		return nil
	})
	errs, failure := make([]error, len(jobs)), ""
	for i, reply := range replies {
		if _, answered := reply.Val().(int64); answered {
			continue
		}
		// Only the reply itself shows whether the server answered: if a pipeline is cut,
		// the library marks all replies as failed, and if the server refuses the
		// connection, none of them.
		_, errs[i] = reply.Int64()
		if lost != nil && !isRedisError(errs[i]) {
			errs[i] = lost
		}
		failure = cmp.Or(failure, fault(errs[i]))
	}
	span.End(failure)
	return errs
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
