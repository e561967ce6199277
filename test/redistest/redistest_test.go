// SPDX-License-Identifier: Apache-2.0

package redistest_test

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/redistest"
)

func onBoth(t *testing.T, run func(*testing.T, func(...string) *redistest.Server)) {
	t.Helper()
	for name, start := range map[string]func(testing.TB, ...string) *redistest.Server{
		"redis-server": redistest.Real, "valkey-server": redistest.Valkey,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t, func(settings ...string) *redistest.Server { return start(t, settings...) })
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestKilledServerRestartsWithItsData(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, start func(...string) *redistest.Server) {
		server := start()
		client := server.Client(t)
		must(t, client.Set(t.Context(), "k", "v", 0).Err())
		server.Kill()
		if err := client.Ping(t.Context()).Err(); err == nil {
			t.Error("a killed server answers")
		}
		server.Kill()
		server.Restart(t)
		if got, err := client.Get(t.Context(), "k").Result(); err != nil || got != "v" {
			t.Errorf("GET after the crash = %q, %v", got, err)
		}
	})
}

func TestSettingsOverrideDefaults(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, start func(...string) *redistest.Server) {
		server := start("appendfsync always", "maxmemory 3mb", "maxmemory-policy allkeys-lru")
		for name, want := range map[string]string{
			"appendfsync": "always", "maxmemory": "3145728", "maxmemory-policy": "allkeys-lru", "appendonly": "yes", "save": "",
		} {
			got, err := server.Client(t).ConfigGet(t.Context(), name).Result()
			if err != nil || got[name] != want {
				t.Errorf("%s is %q, %v; want %q", name, got[name], err, want)
			}
		}
	})
}

func TestPausedServerNeitherRespondsNorRefuses(t *testing.T) {
	t.Parallel()
	server := redistest.Real(t)
	server.Pause()
	options := *server.Client(t).Options()
	options.ReadTimeout, options.MaxRetries = 100*time.Millisecond, -1
	impatient := redis.NewClient(&options)
	defer func() { _ = impatient.Close() }()
	var failed net.Error
	if err := impatient.Ping(t.Context()).Err(); !errors.As(err, &failed) || !failed.Timeout() {
		t.Errorf("PING of a paused server = %v, want a timeout", err)
	}
	server.Resume()
	must(t, server.Client(t).Ping(t.Context()).Err())
}

// orphanEnv names the file in which a test binary that will be killed writes the process id of its
// server.
const orphanEnv = "PRINTMARKET_TEST_ORPHAN"

func TestServerEndsWithAKilledParent(t *testing.T) {
	t.Parallel()
	server := redistest.Real(t)
	if file := os.Getenv(orphanEnv); file != "" {
		must(t, os.WriteFile(file+".new", []byte(processID(t, server)), 0o600))
		must(t, os.Rename(file+".new", file))
		select {}
	}
	file := filepath.Join(t.TempDir(), "pid")
	parent := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	// A killed process does not remove its files.
	parent.Env = append(os.Environ(), orphanEnv+"="+file, "TMPDIR="+t.TempDir())
	must(t, parent.Start())
	var pid []byte
	eventually.Holds(t, "the server runs", func() bool {
		var err error
		pid, err = os.ReadFile(file)
		return err == nil
	})
	stat := "/proc/" + string(pid) + "/stat"
	if _, err := os.Stat(stat); err != nil {
		t.Errorf("the server does not run: %v", err)
	}
	must(t, parent.Process.Kill())
	_ = parent.Wait()
	eventually.Holds(t, "the server is dead", func() bool {
		state, err := os.ReadFile(stat)
		return err != nil || strings.Contains(string(state), ") Z ")
	})
}

func processID(t *testing.T, server *redistest.Server) string {
	t.Helper()
	info, err := server.Client(t).Info(t.Context(), "server").Result()
	must(t, err)
	_, after, _ := strings.Cut(info, "process_id:")
	pid, _, _ := strings.Cut(after, "\r\n")
	return pid
}

func TestWireGoesDownAndUp(t *testing.T) {
	t.Parallel()
	server := redistest.Mini(t)
	wire := redistest.Proxy(t, server.Addr)
	through := (&redistest.Server{Addr: wire.Addr}).Client(t)
	must(t, through.Set(t.Context(), "k", "v", 0).Err())
	wire.Down()
	wire.Down()
	if err := through.Get(t.Context(), "k").Err(); err == nil {
		t.Error("a reply came through a wire that is down")
	}
	wire.Up(t)
	wire.Up(t)
	if got, err := through.Get(t.Context(), "k").Result(); err != nil || got != "v" {
		t.Errorf("GET through the wire that is up again = %q, %v", got, err)
	}
}

// TestDelayedConnectionLosesNothing checks that delayed replies arrive completely and in order.
func TestDelayedConnectionLosesNothing(t *testing.T) {
	t.Parallel()
	server := redistest.Mini(t)
	wire := redistest.Proxy(t, server.Addr)
	const lag = 30 * time.Millisecond
	wire.Lag(lag)
	through := (&redistest.Server{Addr: wire.Addr}).Client(t)
	for i := range 3 {
		began := time.Now()
		if n, err := through.Incr(t.Context(), "k").Result(); err != nil || n != int64(i+1) {
			t.Errorf("INCR = %d, %v; want %d", n, err, i+1)
		}
		if took := time.Since(began); took < lag {
			t.Errorf("a reply came after %s", took)
		}
	}
	must(t, through.Set(t.Context(), "long", strings.Repeat("x", 1<<20), 0).Err())
	if got, err := through.Get(t.Context(), "long").Result(); err != nil || len(got) != 1<<20 {
		t.Errorf("GET = %d bytes, %v", len(got), err)
	}
	// Calls end when the wire goes down.
	wire.Down()
	if err := through.Ping(t.Context()).Err(); err == nil {
		t.Error("a reply came through a wire that is down")
	}
}

func TestCutReplyOfLosesOnlyOneReply(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, server *redistest.Server) {
		wire := redistest.Proxy(t, server.Addr)
		client := redis.NewClient(&redis.Options{Addr: wire.Addr, Protocol: 2, MaxRetries: -1})
		defer func() { _ = client.Close() }()
		count := redis.NewScript(`return redis.call('INCR', KEYS[1])`)
		cut := wire.CutReplyOf("counter")
		must(t, client.Set(t.Context(), "other", "v", 0).Err())
		// The first attempt by digest returns NOSCRIPT.
		if err := count.Run(t.Context(), client, []string{"counter"}).Err(); err == nil {
			t.Error("the reply was not lost")
		}
		<-cut
		if n, err := count.Run(t.Context(), client, []string{"counter"}).Int(); err != nil || n != 2 {
			t.Errorf("the second INCR = %d, %v", n, err)
		}
	})
}

// TestLaggingReplicaTakesOverWithoutTheLastWrites passes also when the sentinels detect the lag
// before the test kills the primary.
func TestLaggingReplicaTakesOverWithoutTheLastWrites(t *testing.T) {
	t.Parallel()
	group := redistest.Sentinels(t)
	for range 10 {
		client := group.Primary(t).Client(t)
		must(t, client.Set(t.Context(), "first", "v", 0).Err())
		eventually.Holds(t, "the first write is copied", func() bool { return client.Wait(t.Context(), 1, time.Second).Val() == 1 })
		group.Lag(t)
		must(t, client.Set(t.Context(), "last", "v", 0).Err())
		group.KillPrimary(t)
		now := group.Primary(t).Client(t)
		if got := now.Get(t.Context(), "first").Val(); got != "v" {
			t.Errorf("the first write reads %q", got)
		}
		if errors.Is(now.Get(t.Context(), "last").Err(), redis.Nil) {
			return
		}
		group.Return(t)
		must(t, group.Primary(t).Client(t).Del(t.Context(), "last").Err())
	}
	t.Error("no write was ever lost")
}

func TestSentinelsReplaceAPrimaryRepeatedly(t *testing.T) {
	t.Parallel()
	group := redistest.Sentinels(t)
	options, err := redis.ParseFailoverURL(group.URL())
	must(t, err)
	client := redis.NewFailoverClient(options)
	defer func() { _ = client.Close() }()
	for round := range 2 {
		before := group.Primary(t)
		key := strconv.Itoa(round)
		eventually.Holds(t, "a write is accepted and copied", func() bool {
			return client.Set(t.Context(), key, "v", 0).Err() == nil && client.Wait(t.Context(), 1, time.Second).Val() == 1
		})
		if round == 0 {
			group.KillPrimary(t)
		} else {
			group.FreezePrimary(t)
		}
		if group.Primary(t) == before {
			t.Error("no replica was promoted to primary")
		}
		eventually.Holds(t, "the client finds the new primary and the written data", func() bool {
			return client.Get(t.Context(), key).Val() == "v"
		})
		group.Return(t)
	}
}
