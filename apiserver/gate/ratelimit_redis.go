// SPDX-License-Identifier: Apache-2.0

package ratelimit

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

// Redis counts for all replicas that use the same server. Its data need not be durable:
// after a loss all costs count as paid back.
type Redis struct {
	client redis.Scripter
	take   *redis.Script
}

// NewRedis returns a count on a server.
func NewRedis(client redis.Scripter) *Redis {
	return &Redis{client: client, take: redis.NewScript(takeScript)}
}

// Take implements [Shared]. It uses the clock of the server, in microseconds.
func (r *Redis) Take(ctx context.Context, key Key, policy Policy) (State, error) {
	at := "pm:{limit:" + key.Tenant.String() + "}:" + key.Surface
	span := telemetry.StartCall(ctx, "redis", "rate limit take")
	reply, err := r.take.Run(ctx, r.client, []string{at}, policy.interval().Microseconds(), policy.Window.Microseconds()).Int64Slice()
	span.End(telemetry.FailureReason(err))
	if err != nil {
		return State{}, fmt.Errorf("count in Redis: %w", err)
	}
	if len(reply) != 4 {
		return State{}, errReply
	}
	return State{
		Allowed: reply[0] == 1, Remaining: reply[1],
		Reset: time.Duration(reply[2]) * time.Microsecond, RetryAfter: time.Duration(reply[3]) * time.Microsecond,
	}, nil
}
