// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/tenant"
)

var errRedisURL = errors.New("--redis is not like redis://USER:PASSWORD@HOST:6379/0; is a character of the password not percent-encoded?")

// newRedis makes a client for a server, or for whichever server Sentinel says is
// the primary: then the URL is of one sentinel, names the others as addr and the
// primary as master_name. Of a URL that cannot be read nothing is told: it may have
// a password anywhere.
func newRedis(text string) (*redis.Client, error) {
	// What is parsed here is parsed again below; a fault is told there.
	if parsed, err := url.Parse(text); err == nil && parsed.Query().Get("master_name") != "" {
		options, err := redis.ParseFailoverURL(text)
		if err != nil {
			return nil, errRedisURL
		}
		options.DialTimeout, options.DialerRetries, options.MaxRetries = time.Second, 1, 1
		options.ContextTimeoutEnabled = true
		return redis.NewFailoverClient(options), nil
	}
	options, err := redis.ParseURL(text)
	if err != nil {
		return nil, errRedisURL
	}
	// RFQs do not wait for Redis, and submits must notice soon that it is away.
	options.DialTimeout, options.DialerRetries, options.MaxRetries = time.Second, 1, 1
	options.ContextTimeoutEnabled = true
	// These notices are of Redis' commercial servers alone.
	options.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return redis.NewClient(options), nil
}

// sharesOf says what part of the workers a tenant gets, by the posture in force.
// While none is, shares stay as they are.
func sharesOf(gates *posture.Gates, now func() time.Time) func(tenant.ID) (queue.Share, bool) {
	return func(who tenant.ID) (queue.Share, bool) {
		snapshot := gates.Current(now())
		share := snapshot.Workers(who.Organization)
		return queue.Share{Weight: share.Weight, Most: share.MaxInFlight}, snapshot != nil
	}
}

// admitRedis refuses a server that would lose jobs unnoticed, and warns of one
// that would lose them all at once. One that is away is looked at when it comes.
func (p *process) admitRedis(ctx context.Context, q *queue.Queue) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	server, err := q.Server(ctx)
	switch {
	case errors.Is(err, queue.ErrPolicy), errors.Is(err, queue.ErrOld):
		return fmt.Errorf("--redis: %w", err)
	case err != nil:
		p.log.WarnContext(ctx, "Redis is away", "error", err)
	case !server.Durable:
		p.log.WarnContext(ctx, "Redis keeps no append-only file: after its crash every open job is handed over again, and runs that were under way are lost")
	}
	return nil
}
