// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	// format is the form in which this release keeps a queue. The scripts contain it too,
	// and refuse a queue of a newer release.
	format = 1
	// begun is the value of the mark while all open jobs are being submitted again.
	begun = "begun"
)

// Marked reports whether the queue's epoch mark is there. It is missing when
// Redis is new, was wiped, or was replaced by an empty one. Errors: [ErrFormat].
func (q *Queue) Marked(ctx context.Context) (bool, error) {
	pipe := q.redis.Pipeline()
	mark, own := pipe.Get(ctx, q.key("epoch")), pipe.Get(ctx, q.key("meta"))
	if _, err := pipe.Exec(ctx); err != nil && !errors.Is(err, redis.Nil) {
		return false, failed("read queue epoch", err)
	}
	if made := parseMeta(own.Val()).format; made > format {
		return false, fmt.Errorf("read queue epoch: %w: %d", ErrFormat, made)
	}
	return mark.Val() != "" && mark.Val() != begun, nil
}

// BeginMark records that all open jobs are about to be submitted again. It reports whether no
// earlier record existed: then Redis has lost its data since the last mark.
func (q *Queue) BeginMark(ctx context.Context) (fresh bool, err error) {
	fresh, err = q.redis.SetNX(ctx, q.key("epoch"), begun, 0).Result()
	return fresh, failed("begin to mark the queue", err)
}

// Mark sets the epoch mark after all open jobs were submitted again. It returns false if the
// record of BeginMark is missing because Redis has lost its data meanwhile.
func (q *Queue) Mark(ctx context.Context, now time.Time) (kept bool, err error) {
	kept, err = q.redis.SetXX(ctx, q.key("epoch"), now.UTC().Format(time.RFC3339), 0).Result()
	return kept, failed("mark queue epoch", err)
}
