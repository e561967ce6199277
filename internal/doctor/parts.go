// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/store/postgres"
	"github.com/printmarket/printmarket/internal/telemetry"
)

// Unspecified reports a part whose address is missing.
func Unspecified(part, how string) Examination {
	return Examination{Part: part, Run: func(context.Context) []Finding {
		return []Finding{{Check: part, Severity: Skipped, Detail: "no address is given: " + how}}
	}}
}

// Database examines the settings that servers require, the schema and the clock.
func Database(url string, insecure bool, timeout time.Duration) Examination {
	return Examination{Part: "database", Run: func(ctx context.Context) []Finding {
		store, err := postgres.Open(ctx, url, postgres.Options{MaxConns: 1, AcquireTimeout: timeout, Insecure: insecure})
		if volatile := (*postgres.VolatileError)(nil); errors.As(err, &volatile) {
			return []Finding{Fail("settings", "Change the setting: otherwise a crash loses acknowledged records, and the servers do not start.", "%v", volatile)}
		}
		if errors.Is(err, postgres.ErrInsecure) {
			return []Finding{Fail("tls", "Change the URL, or allow it with --insecure-database in a network that you trust.", "%v", err)}
		}
		if errors.Is(err, postgres.ErrReadOnly) {
			return []Finding{Fail("writable", "Promote the server or point the URL at the primary. If the provider made it read-only because its disk is full, enlarge the disk.", "%v", postgres.ErrReadOnly)}
		}
		if err != nil {
			return []Finding{Fail("reach", "Check the host, TLS and role in the URL; kubectl describe secret shows which Secret contains it.", "%s", telemetry.Redact(err.Error()))}
		}
		defer func() { _ = store.Close() }()
		schema := store.CheckSchema(ctx)
		found := []Finding{
			Passed("settings", "acknowledged writes are on disk"),
			Unless(schema, "schema", "the schema matches this program", "Run printmarket migrate, or the hook of the chart; processes of the older version can keep running meanwhile.", Failure),
		}
		if schema != nil {
			return found
		}
		skew, err := store.Skew(ctx)
		if err != nil {
			return append(found, Fail("clock", "Check whether the database is reachable all the time.", "%s", telemetry.Redact(err.Error())))
		}
		return append(found, Clock("the database", skew))
	}}
}

// Redis examines the settings that the queue requires, and the clock.
func Redis(connect func() (*redis.Client, *queue.Queue, error)) Examination {
	return Examination{Part: "redis", Run: func(ctx context.Context) []Finding {
		client, q, err := connect()
		if err != nil {
			return []Finding{Fail("reach", "", "%v", err)}
		}
		defer func() { _ = client.Close() }()
		return redisFindings(ctx, client, q)
	}}
}

func redisFindings(ctx context.Context, client *redis.Client, q *queue.Queue) []Finding {
	server, err := q.Server(ctx)
	switch {
	case errors.Is(err, queue.ErrPolicy):
		return []Finding{Fail("policy", "Run CONFIG SET maxmemory-policy noeviction and set it in the configuration of Redis: any other policy can delete jobs.", "%v", err)}
	case errors.Is(err, queue.ErrOld):
		return []Finding{Fail("version", "Use Redis 7.0 or Valkey 8 or newer.", "%v", err)}
	case err != nil:
		return []Finding{Fail("reach", "Check the host, password and TLS. RFQs work without Redis; preflight jobs wait.", "%s", telemetry.Redact(err.Error()))}
	}
	found := []Finding{Passed("policy", "noeviction")}
	if server.Durable {
		found = append(found, Passed("append-only file", "enabled"))
	} else {
		found = append(found, Warn("append-only file", "Set appendonly yes: without it, every open job runs again after a crash.", "disabled"))
	}
	if used := server.Memory * 100; used > 70 {
		found = append(found, Warn("memory", "Raise maxmemory, or find the tenants with many jobs: printmarket queue stats. At 85 % submissions are rejected.", "%.0f %% of maxmemory is used", used))
	} else {
		found = append(found, Passed("memory", "%.0f %% of maxmemory is used", used))
	}
	switch stats, err := q.Stats(ctx); {
	case err != nil:
		found = append(found, Fail("jobs", "Allow the Redis user the commands in docs/guides/queue.md.", "%s", telemetry.Redact(err.Error())))
	case stats.Open > 0 && stats.Consumers == 0:
		found = append(found, Warn("jobs", "Start workers: kubectl scale deploy/printmarket-worker-preflight --replicas=2. If pods exist, read their logs.", "%d are open, and no worker is running", stats.Open))
	case stats.DrainedFor > 0:
		found = append(found, Warn("jobs", "If the drain is not intended, end it: printmarket queue drain --off.", "the queue is drained for another %s", stats.DrainedFor.Round(time.Second)))
	default:
		found = append(found, Passed("jobs", "%d open, %d workers", stats.Open, stats.Consumers))
	}
	before := time.Now()
	theirs, err := client.Time(ctx).Result()
	if err != nil {
		return append(found, Fail("clock", "Allow the Redis user the command: ACL +time.", "%s", telemetry.Redact(err.Error())))
	}
	return append(found, Clock("Redis", theirs.Sub(before.Add(time.Since(before)/2))))
}
