// SPDX-License-Identifier: Apache-2.0

package redistest

import (
	"context"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// sentinel is the name of a sentinel process.
const sentinel = "sentinel"

// masterName is the sentinels' name of the primary.
const masterName = "printmarket"

// Failover runs a primary and a replica with three sentinels, which promote the replica when the
// primary was unreachable for a second. Its methods must be called from one goroutine.
type Failover struct {
	servers   []*Server
	sentinels []*Server
	asked     []*redis.SentinelClient
}

// Sentinels starts a primary, a replica and three sentinels, all redis-server, and waits until
// they have discovered each other. Settings apply to primary and replica.
func Sentinels(t testing.TB, settings ...string) *Failover {
	t.Helper()
	// A primary waits 5 s for more replicas before it sends its data.
	settings = append(slices.Clone(settings), "repl-diskless-sync-delay 0")
	primary := Real(t, settings...)
	replica := Real(t, append(settings, replicaOf(t, primary))...)
	f := &Failover{servers: []*Server{primary, replica}}
	f.awaitCopy(t, replica)
	host, port := split(t, primary.Addr)
	for range 3 {
		s := start(t, sentinel, []string{
			"sentinel monitor " + masterName + " " + host + " " + port + " 2",
			"sentinel down-after-milliseconds " + masterName + " 1000",
			"sentinel failover-timeout " + masterName + " 2000",
		})
		client := redis.NewSentinelClient(&redis.Options{Addr: s.Addr, Protocol: 2})
		t.Cleanup(func() { _ = client.Close() })
		shortenIntervals(t, client)
		f.sentinels, f.asked = append(f.sentinels, s), append(f.asked, client)
	}
	f.awaitWatched(t)
	return f
}

// shortenIntervals shortens the intervals of a sentinel. Three probes in a row must fail before a server
// counts as down, and a replica can be promoted if it was seen within five. After a pause of its
// machine, the sentinel acts again after one second instead of thirty.
func shortenIntervals(t testing.TB, client *redis.SentinelClient) {
	t.Helper()
	order := redis.NewStatusCmd(t.Context(), "sentinel", "debug",
		"ping-period", 300, "info-period", 300, "publish-period", 500, "tilt-period", 1000)
	if err := client.Process(t.Context(), order); err != nil {
		t.Fatalf("set up sentinel: %v", err)
	}
}

// URL returns the address of the primary for redis.ParseFailoverURL.
func (f *Failover) URL() string {
	query := url.Values{"master_name": {masterName}}
	for _, s := range f.sentinels[1:] {
		query.Add("addr", s.Addr)
	}
	address := url.URL{Scheme: "redis", Host: f.sentinels[0].Addr, Path: "/0", RawQuery: query.Encode()}
	return address.String()
}

// Primary returns the server that all sentinels consider the primary.
func (f *Failover) Primary(t testing.TB) *Server {
	t.Helper()
	var primary *Server
	await(t, "the sentinels agree on a primary", func(ctx context.Context) bool {
		primary = f.agreed(ctx)
		return primary != nil
	})
	return primary
}

// Lag stops replication to the replica, until the sentinels detect it after two seconds or the
// replica is promoted.
func (f *Failover) Lag(t testing.TB) {
	t.Helper()
	primary := f.Primary(t)
	for _, s := range f.servers {
		if s == primary {
			continue
		}
		if err := s.Client(t).ReplicaOf(t.Context(), "NO", "ONE").Err(); err != nil {
			t.Fatalf("let the replica lag: %v", err)
		}
	}
}

// KillPrimary kills the primary and waits until the replica is promoted.
func (f *Failover) KillPrimary(t testing.TB) {
	t.Helper()
	dead := f.Primary(t)
	dead.Kill()
	f.awaitSuccessor(t, dead)
}

// FreezePrimary pauses the primary until the replica is promoted, and waits until the old primary
// is a replica. In between the old primary still acts as primary.
func (f *Failover) FreezePrimary(t testing.TB) {
	t.Helper()
	frozen := f.Primary(t)
	frozen.Pause()
	f.awaitSuccessor(t, frozen)
	frozen.Resume()
	f.awaitCopy(t, frozen)
	f.awaitWatched(t)
}

func (f *Failover) awaitSuccessor(t testing.TB, of *Server) {
	t.Helper()
	await(t, "a replica was promoted", func(ctx context.Context) bool {
		now := f.agreed(ctx)
		return now != nil && now != of && strings.Contains(now.replication(ctx), "role:master")
	})
}

// Return restarts the killed servers as replicas, and waits until they can be promoted.
func (f *Failover) Return(t testing.TB) {
	t.Helper()
	for _, s := range f.servers {
		if s.process != nil {
			continue
		}
		// A restarted server keeps its former role for some time.
		s.append(t, replicaOf(t, f.Primary(t)))
		s.Restart(t)
		f.awaitCopy(t, s)
		f.awaitWatched(t)
	}
}

func replicaOf(t testing.TB, primary *Server) string {
	t.Helper()
	host, port := split(t, primary.Addr)
	return "replicaof " + host + " " + port
}

// append adds a line to the end of the configuration, where it takes precedence.
func (s *Server) append(t testing.TB, line string) {
	t.Helper()
	file, err := os.OpenFile(s.config(), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatalf("os.OpenFile: %v", err)
	}
	defer func() { _ = file.Close() }()
	if _, err := file.WriteString("\n" + line + "\n"); err != nil {
		t.Fatalf("file.WriteString: %v", err)
	}
}

// agreed returns the server that every sentinel names, or nil if they do not agree.
func (f *Failover) agreed(ctx context.Context) *Server {
	named := map[string]bool{}
	for _, client := range f.asked {
		address, err := client.GetMasterAddrByName(ctx, masterName).Result()
		if err != nil || len(address) != 2 {
			return nil
		}
		named[address[0]+":"+address[1]] = true
	}
	for _, s := range f.servers {
		if len(named) == 1 && named[s.Addr] {
			return s
		}
	}
	return nil
}

func (s *Server) replication(ctx context.Context) string {
	client := redis.NewClient(&redis.Options{Addr: s.Addr, Protocol: 2, MaxRetries: -1, DialerRetries: 1})
	defer func() { _ = client.Close() }()
	return client.Info(ctx, "replication").Val()
}

// awaitCopy waits until a replica has its primary's data.
func (f *Failover) awaitCopy(t testing.TB, replica *Server) {
	t.Helper()
	await(t, "the replica has caught up", func(ctx context.Context) bool {
		return strings.Contains(replica.replication(ctx), "master_link_status:up")
	})
}

// awaitWatched waits until each sentinel has discovered the others and a replica that it can
// promote.
func (f *Failover) awaitWatched(t testing.TB) {
	t.Helper()
	await(t, "the sentinels know the replica", func(ctx context.Context) bool {
		for _, client := range f.asked {
			if !watches(ctx, client) {
				return false
			}
		}
		return f.agreed(ctx) != nil
	})
}

func watches(ctx context.Context, client *redis.SentinelClient) bool {
	others, err := client.Sentinels(ctx, masterName).Result()
	if err != nil || len(others) < 2 {
		return false
	}
	replicas, err := client.Replicas(ctx, masterName).Result()
	return err == nil && slices.ContainsFunc(replicas, func(r map[string]string) bool {
		return r["flags"] == "slave" && r["master-link-status"] == "ok"
	})
}

// await polls with a deadline.
func await(t testing.TB, what string, holds func(context.Context) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for ; !holds(ctx); time.Sleep(poll) {
		if ctx.Err() != nil {
			t.Fatalf("not within %s: %s", patience, what)
		}
	}
}
