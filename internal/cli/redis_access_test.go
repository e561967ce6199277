// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"context"
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/test/redistest"
)

// The test creates the users of docs/guides/queue.md, and performs the operations of API
// servers, workers and operators as these users.
func TestRolesOfTheGuideAllowItsCommands(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(testing.TB, ...string) *redistest.Server{"redis": redistest.Real, "valkey": redistest.Valkey} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := start(t)
			users := usersOfTheGuide(t, server)
			api, worker := queueOf(t, users["api"]), queueOf(t, users["worker"])
			serve(t, api, gate.NewRedisLimits(users["api"]))
			work(t, api, worker)
			operate(t, api, worker)
			for user, client := range users {
				if err := client.Set(t.Context(), "other", "x", 0).Err(); err == nil {
					t.Errorf("%s may write what is not the platform's", user)
				}
				if err := client.FlushAll(t.Context()).Err(); err == nil {
					t.Errorf("%s may delete everything", user)
				}
			}
		})
	}
}

// usersOfTheGuide makes the users and logs in as them.
func usersOfTheGuide(t *testing.T, server *redistest.Server) map[string]*redis.Client {
	t.Helper()
	guide, err := os.ReadFile("../../docs/guides/queue.md")
	if err != nil {
		t.Fatalf(`os.ReadFile("../../docs/guides/queue.md"): %v`, err)
	}
	block := regexp.MustCompile("(?s)```text\n(user .*?)```").FindSubmatch(guide)
	if block == nil {
		t.Fatal("the guide names no users")
	}
	users := map[string]*redis.Client{}
	for line := range strings.Lines(strings.ReplaceAll(string(block[1]), "\n  ", " ")) {
		words := []any{"ACL", "SETUSER"}
		for _, word := range strings.Fields(line)[1:] {
			words = append(words, strings.Replace(word, ">...", ">secret", 1))
		}
		name, _ := words[2].(string)
		if err := server.Client(t).Do(t.Context(), words...).Err(); err != nil {
			t.Fatalf("%v: %v", words, err)
		}
		users[name] = redis.NewClient(&redis.Options{Addr: server.Addr, Username: name, Password: "secret"})
		t.Cleanup(func() { _ = users[name].Close() })
	}
	if len(users) != 2 {
		t.Fatalf("%d users in the guide, want 2", len(users))
	}
	return users
}

func queueOf(t *testing.T, client *redis.Client) *queue.Queue {
	t.Helper()
	q, err := queue.New(client, "preflight", queue.Options{
		Shares: func(tenant.ID) (queue.Share, bool) { return queue.Share{Weight: 5, Most: 2}, true },
	})
	if err != nil {
		t.Fatalf(`queue.New("preflight"): %v`, err)
	}
	return q
}

var buyer = tenant.ID{Organization: "org_acme01", Mode: tenant.Live}

// serve does what an API server does.
func serve(t *testing.T, q *queue.Queue, limits *gate.RedisLimits) {
	t.Helper()
	_, limited := limits.Take(t.Context(), gate.LimitKey{Tenant: buyer, Surface: "rfq"}, gate.RatePolicy{Limit: 10, Window: time.Second})
	_, marked := q.Marked(t.Context())
	_, begun := q.BeginMark(t.Context())
	_, kept := q.Mark(t.Context(), time.Now())
	_, asked := q.Server(t.Context())
	_, looked := q.Overview(t.Context())
	_, counted := q.Workers(t.Context())
	_, shown := q.Dead(t.Context(), 10)
	backlogs, listed := q.Backlogs(t.Context())
	_, weighed := q.Reweigh(t.Context(), backlogs)
	_, read := q.Stats(t.Context())
	err := errors.Join(limited, looked, counted, shown, marked, begun, kept, asked, listed, weighed, read, q.Ping(t.Context()), q.Announce(t.Context(), "pref_1"))
	for _, id := range []string{"pref_1", "pref_2", "pref_3", "pref_4", "pref_5", "pref_6"} {
		err = errors.Join(err, q.Submit(t.Context(), id, buyer, 0), q.Submit(t.Context(), id, buyer, 1))
	}
	if err := errors.Join(err, q.Cancel(t.Context(), "pref_6"), q.Maintain(t.Context())); err != nil {
		t.Errorf("errors.Join: %v", err)
	}
}

// work does what a worker does, and what an API server does of what workers left.
func work(t *testing.T, api, q *queue.Queue) {
	t.Helper()
	ctx := t.Context()
	c := q.Consumer(queue.ConsumerConfig{Name: "w1", Slots: 2, Lease: time.Second, Block: 10 * time.Millisecond, Idle: time.Millisecond})
	first := take(t, c)
	_, renewed := c.Renew(ctx, first)
	next, finished := c.FinishNext(ctx, first)
	if finished != nil || len(next) != 1 {
		t.Fatalf("took %v: %v", next, finished)
	}
	err := errors.Join(renewed, c.Retry(ctx, next[0], time.Millisecond))
	err = errors.Join(err, c.DeadLetter(ctx, take(t, c), "TEST"), c.Release(ctx, take(t, c)))
	if err := errors.Join(err, api.Maintain(ctx), c.Wake(ctx), c.Leave(ctx), c.Close()); err != nil {
		t.Errorf("errors.Join: %v", err)
	}
}

// take takes one job. The first call only creates the group.
func take(t *testing.T, c *queue.Consumer) queue.Lease {
	t.Helper()
	for range 100 {
		leases, err := c.Next(t.Context(), 1)
		if err != nil {
			t.Fatalf("Next: %v", err)
		}
		if len(leases) > 0 {
			return leases[0]
		}
	}
	t.Fatal("there is nothing to take")
	return queue.Lease{}
}

// operate does what printmarket queue does, which logs in as a worker.
func operate(t *testing.T, api, q *queue.Queue) {
	t.Helper()
	ctx := t.Context()
	dead, deadErr := q.Dead(ctx, 10)
	entries, listed := q.List(ctx, 0, 10)
	if err := errors.Join(deadErr, listed); err != nil || len(dead) != 1 || len(entries) == 0 {
		t.Fatalf("%v dead, %v listed: %v", dead, entries, err)
	}
	_, shown := q.Show(ctx, dead[0].ID)
	_, drained := q.Drain(ctx, time.Hour)
	_, released := q.Drain(ctx, 0)
	_, _, outcome := q.Outcome(ctx, dead[0].ID)
	_, stats := q.Stats(ctx)
	err := errors.Join(shown, drained, released, outcome, stats, q.Order(ctx, dead[0].ID, queue.OrderRetry), q.Order(ctx, entries[0].ID, queue.OrderCancel))
	c := q.Consumer(queue.ConsumerConfig{Name: "w2", Slots: 1, Lease: time.Second, Block: 10 * time.Millisecond})
	lease := take(t, c)
	if lease.Order == "" {
		t.Errorf("took %+v, want an order", lease)
	}
	if workers, counted := api.Workers(ctx); counted != nil || !slices.ContainsFunc(workers, func(w queue.Worker) bool { return w.Name == "w2" && len(w.Jobs) == 1 && w.Jobs[0].Tenant == buyer }) {
		t.Errorf("an API server counts the workers %+v: %v", workers, counted)
	}
	hear(t, api, q)
	if err := errors.Join(err, c.Obeyed(ctx, lease, queue.TriedAgain), c.Finish(ctx, lease), c.Close()); err != nil {
		t.Errorf("errors.Join: %v", err)
	}
}

// hear waits until the API server has received a change that a worker announces.
func hear(t *testing.T, api, worker *queue.Queue) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
	defer stop()
	var listening sync.WaitGroup
	listening.Go(func() { api.Changes(ctx, func(string) { stop() }) })
	for ctx.Err() == nil {
		if err := worker.Announce(t.Context(), "pref_1"); err != nil {
			t.Errorf(`worker.Announce("pref_1"): %v`, err)
		}
		time.Sleep(10 * time.Millisecond)
	}
	listening.Wait()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		t.Error("no announcement is heard")
	}
}
