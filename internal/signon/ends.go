// SPDX-License-Identifier: Apache-2.0

package signon

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/telemetry"
)

// EndStore stores the ends of sessions durably.
type EndStore interface {
	// EndSessions stores an ending. A second ending of the same name only extends the first.
	EndSessions(ctx context.Context, ending credential.Ending) error
	// SessionsEnded returns the latest At among the endings of the names; zero if there is
	// none.
	SessionsEnded(ctx context.Context, names []credential.Digest) (time.Time, error)
}

// Ends records and finds the ends of sessions for all replicas, in Redis and in SQL. A
// session has ended if either of them contains its end. One of the two is sufficient to
// record an end and to find that a session has not ended, so users stay signed in while the
// other one is unavailable. Redis may lose its data. Ends is safe for concurrent use.
type Ends struct {
	shared redis.Cmdable
	store  EndStore
	now    func() time.Time
}

// NewEnds returns the ends of sessions in a Redis and a store.
func NewEnds(shared redis.Cmdable, store EndStore, now func() time.Time) *Ends {
	return &Ends{shared: shared, store: store, now: now}
}

// sharedTimeout limits the delay that a slow Redis adds to a request.
const sharedTimeout = 100 * time.Millisecond

// End records an ending. It fails if neither Redis nor the store has recorded it.
func (e *Ends) End(ctx context.Context, ending credential.Ending) error {
	shared := e.endShared(ctx, ending)
	if stored := e.store.EndSessions(ctx, ending); stored != nil && shared != nil {
		return fmt.Errorf("end sessions: %w", errors.Join(shared, stored))
	}
	return nil
}

// Ended reports whether a session with these names has ended whose sign-in was at an
// instant. It fails if neither Redis nor the store can be read.
func (e *Ends) Ended(ctx context.Context, signedIn time.Time, names ...credential.Digest) (bool, error) {
	at, unshared := e.readShared(ctx, names)
	if unshared == nil && !at.Before(signedIn) {
		return true, nil
	}
	at, unstored := e.store.SessionsEnded(ctx, names)
	if unstored != nil && unshared != nil {
		return false, fmt.Errorf("find the end of a session: %w", errors.Join(unshared, unstored))
	}
	return unstored == nil && !at.Before(signedIn), nil
}

// sharedKey is the key of a name in Redis. All keys are in one slot of a cluster.
func sharedKey(name credential.Digest) string { return "pm:{ended}:" + name.String() }

func (e *Ends) endShared(ctx context.Context, ending credential.Ending) error {
	lasts := ending.Until.Sub(e.now())
	if lasts <= 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, sharedTimeout)
	defer cancel()
	span := telemetry.StartCall(ctx, "redis", "sessions end")
	err := e.shared.Set(ctx, sharedKey(ending.Name), ending.At.UnixMilli(), lasts).Err()
	span.End(telemetry.FailureReason(err))
	return err
}

// readShared returns the latest At among the endings of the names.
func (e *Ends) readShared(ctx context.Context, names []credential.Digest) (latest time.Time, err error) {
	ctx, cancel := context.WithTimeout(ctx, sharedTimeout)
	defer cancel()
	span := telemetry.StartCall(ctx, "redis", "sessions ended")
	found, err := e.shared.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		for _, name := range names {
			pipe.Get(ctx, sharedKey(name))
		}
		return nil
	})
	if errors.Is(err, redis.Nil) {
		err = nil
	}
	span.End(telemetry.FailureReason(err))
	for _, one := range found {
		text, missing := one.(*redis.StringCmd).Result()
		if errors.Is(missing, redis.Nil) {
			continue
		}
		if missing != nil {
			return time.Time{}, missing
		}
		ms, invalid := strconv.ParseInt(text, 10, 64)
		if invalid != nil {
			return time.Time{}, fmt.Errorf("the end of a session in Redis: %w", invalid)
		}
		if at := time.UnixMilli(ms).UTC(); at.After(latest) {
			latest = at
		}
	}
	return latest, err
}
