// SPDX-License-Identifier: Apache-2.0

// Package redistest runs Redis servers for tests: miniredis inside the process, and redis-server
// and valkey-server where they are installed.
//
// A real server can be killed, restarted with its data, and paused. [Proxy] is a network
// connection that can be cut. [Sentinels] runs a primary that is replaced when it dies. Every
// server ends with the process that started it, however that process ends.
package redistest

import (
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
)

// Server is a running server. Kill, Restart, Pause and Resume require a real server and must be
// called from one goroutine.
type Server struct {
	// Name is "miniredis", "redis-server" or "valkey-server".
	Name string
	Addr string
	// Pass advances time: it moves the clock of miniredis and really waits for a real server.
	Pass func(time.Duration)

	program, dir string
	process      *process
}

// Client returns a client that is closed when the test ends.
func (s *Server) Client(t testing.TB) *redis.Client {
	t.Helper()
	client := redis.NewClient(&redis.Options{Addr: s.Addr, Protocol: 2})
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// Mini starts miniredis, whose time moves only with Pass.
func Mini(t testing.TB) *Server {
	t.Helper()
	mini := miniredis.NewMiniRedis()
	if err := mini.Start(); err != nil {
		t.Fatalf("start miniredis: %v", err)
	}
	t.Cleanup(mini.Close)
	now := time.Unix(1_800_000_000, 0)
	mini.SetTime(now)
	return &Server{Name: "miniredis", Addr: mini.Addr(), Pass: func(d time.Duration) {
		now = now.Add(d)
		mini.SetTime(now)
		mini.FastForward(d)
	}}
}

// Real starts redis-server with an append-only file that is synced each second. Settings are lines
// of its configuration, like "appendfsync always". If the program is not installed, the test is
// skipped.
func Real(t testing.TB, settings ...string) *Server {
	t.Helper()
	return start(t, "redis-server", durable, settings)
}

// Valkey is [Real] with valkey-server.
func Valkey(t testing.TB, settings ...string) *Server {
	t.Helper()
	return start(t, "valkey-server", durable, settings)
}

// Each runs a test on all three servers.
func Each(t *testing.T, run func(*testing.T, *Server)) {
	t.Helper()
	for name, start := range map[string]func(testing.TB) *Server{
		"miniredis":     Mini,
		"redis-server":  func(t testing.TB) *Server { return Real(t) },
		"valkey-server": func(t testing.TB) *Server { return Valkey(t) },
	} {
		t.Run(name, func(t *testing.T) { t.Parallel(); run(t, start(t)) })
	}
}
