// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	_ "embed" // embeds the script
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/printmarket/printmarket/internal/telemetry"
)

//go:embed take.lua
var takeScript string

// errReply means that the script returned an invalid reply.
var errReply = errors.New("count in Redis: invalid reply of the script")

// RedisLimits counts for all replicas that use the same server. Its data need not be durable:
// after a loss all costs count as paid back.
type RedisLimits struct {
	client redis.Scripter
	take   *redis.Script
}

// NewRedisLimits returns a count on a server.
func NewRedisLimits(client redis.Scripter) *RedisLimits {
	return &RedisLimits{client: client, take: redis.NewScript(takeScript)}
}

// Take implements [SharedLimits]. It uses the clock of the server, in microseconds.
func (r *RedisLimits) Take(ctx context.Context, key LimitKey, policy RatePolicy) (LimitState, error) {
	at := "pm:{limit:" + key.Tenant.String() + "}:" + key.Surface
	span := telemetry.StartCall(ctx, "redis", "rate limit take")
	reply, err := r.take.Run(ctx, r.client, []string{at}, policy.interval().Microseconds(), policy.Window.Microseconds()).Int64Slice()
	span.End(telemetry.FailureReason(err))
	if err != nil {
		return LimitState{}, fmt.Errorf("count in Redis: %w", err)
	}
	if len(reply) != 4 {
		return LimitState{}, errReply
	}
	return LimitState{
		Allowed: reply[0] == 1, Remaining: reply[1],
		Reset: time.Duration(reply[2]) * time.Microsecond, RetryAfter: time.Duration(reply[3]) * time.Microsecond,
	}, nil
}
