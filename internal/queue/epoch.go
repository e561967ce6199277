// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// format is the form in which this release keeps a queue. The scripts know it
// too.
const format = 1

// Marked reports whether the queue's epoch mark is there. It is missing when
// Redis is new, was wiped, or was replaced by an empty one. Errors: [ErrFormat].
func (q *Queue) Marked(ctx context.Context) (bool, error) {
	mark, err := q.redis.Get(ctx, q.key("epoch")).Result()
	if errors.Is(err, redis.Nil) {
		return false, nil
	}
	if err != nil {
		return false, failed("read queue epoch", err)
	}
	version, _, _ := strings.Cut(mark, " ")
	made, err := strconv.Atoi(strings.TrimPrefix(version, "v"))
	if err == nil && made > format {
		return false, fmt.Errorf("read queue epoch: %w: %d", ErrFormat, made)
	}
	return made == format, nil
}

// Mark leaves the epoch mark, after everything open was submitted again.
func (q *Queue) Mark(ctx context.Context, now time.Time) error {
	mark := fmt.Sprintf("v%d %s", format, now.UTC().Format(time.RFC3339))
	return failed("mark queue epoch", q.redis.Set(ctx, q.key("epoch"), mark, 0).Err())
}
