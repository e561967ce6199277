// SPDX-License-Identifier: Apache-2.0

// Package watermarks shares the watermarks of API server replicas in Redis, so that each
// replica can show those of all replicas. Nothing is decided by them: the controller probes
// replicas itself, and Redis may lose its data.
package watermarks

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/telemetry"
)

const (
	// Interval is how often a replica publishes its watermark.
	Interval = 2 * time.Second
	// Lifetime is how long a watermark is listed after its replica has stopped.
	Lifetime = 30 * time.Second
	// MaxListed limits the listed replicas.
	MaxListed = 500

	key = "pm:{replicas}"
	// maxLen limits the text of a replica, in bytes.
	maxLen = 8 << 10
	// timeout limits each call of Redis.
	timeout = time.Second
	// sweepRounds is the number of rounds after which a replica removes those that stopped.
	sweepRounds = 15
)

// Replica is an API server with the watermark that it published last.
type Replica struct {
	// Name identifies the replica, and Version is that of its executable.
	Name    string `json:"name"`
	Version string `json:"version"`
	// At is when the replica published the watermark, by its own clock.
	At time.Time `json:"at"`
	posture.Watermark
}

// Shared holds the watermarks of all replicas. It is safe for concurrent use.
type Shared struct {
	redis redis.Cmdable
	now   func() time.Time
}

// New returns the watermarks in a Redis.
func New(shared redis.Cmdable, now func() time.Time) *Shared { return &Shared{redis: shared, now: now} }

// Publish replaces the watermark of a replica.
func (s *Shared) Publish(ctx context.Context, r Replica) error {
	r.At = s.now().UTC()
	text, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("publish a watermark: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	span := telemetry.StartCall(ctx, "redis", "publish watermark")
	_, err = s.redis.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		pipe.HSet(ctx, key, r.Name, text)
		pipe.PExpire(ctx, key, Lifetime)
		return nil
	})
	span.End(telemetry.FailureReason(err))
	if err != nil {
		return fmt.Errorf("publish a watermark: %w", err)
	}
	return nil
}

// List returns the replicas that have published within [Lifetime], sorted by name.
func (s *Shared) List(ctx context.Context) ([]Replica, error) {
	all, err := s.read(ctx)
	if err != nil {
		return nil, err
	}
	oldest := s.now().Add(-Lifetime)
	all = slices.DeleteFunc(all, func(r Replica) bool { return r.At.Before(oldest) })
	return all[:min(len(all), MaxListed)], nil
}

func (s *Shared) read(ctx context.Context) ([]Replica, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	span := telemetry.StartCall(ctx, "redis", "list watermarks")
	texts, err := s.redis.HVals(ctx, key).Result()
	span.End(telemetry.FailureReason(err))
	if err != nil {
		return nil, fmt.Errorf("list watermarks: %w", err)
	}
	var all []Replica
	for _, text := range texts {
		var r Replica
		// Replicas of another version may write another form.
		if len(text) <= maxLen && json.Unmarshal([]byte(text), &r) == nil && r.Name != "" {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b Replica) int { return cmp.Compare(a.Name, b.Name) })
	return all, nil
}

// sweep removes the replicas that have stopped.
func (s *Shared) sweep(ctx context.Context) error {
	all, err := s.read(ctx)
	if err != nil {
		return err
	}
	oldest := s.now().Add(-Lifetime)
	for _, r := range all {
		if r.At.Before(oldest) {
			if err := s.redis.HDel(ctx, key, r.Name).Err(); err != nil {
				return fmt.Errorf("remove a watermark: %w", err)
			}
		}
	}
	return nil
}

// Run publishes the watermark of a replica every interval until ctx ends, and then removes it.
// It logs the first of several failures.
func (s *Shared) Run(ctx context.Context, replica func() Replica, interval time.Duration, log *slog.Logger) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	failing := false
	for round := 0; ; round++ {
		r := replica()
		err := s.Publish(ctx, r)
		if err == nil && round%sweepRounds == 0 {
			err = s.sweep(ctx)
		}
		if err != nil && !failing && ctx.Err() == nil {
			log.WarnContext(ctx, "share the watermark", "error", err)
		}
		failing = err != nil
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
			defer cancel()
			_ = s.redis.HDel(last, key, r.Name).Err() // otherwise it expires
			return
		case <-tick.C:
		}
	}
}
