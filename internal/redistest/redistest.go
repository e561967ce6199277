// SPDX-License-Identifier: Apache-2.0

// Package redistest starts Redis servers for tests: miniredis inside the
// process, and the real redis-server where it is installed.
package redistest

import (
	"context"
	"net"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
)

// Server is a running server.
type Server struct {
	// Name is "miniredis" or "redis-server".
	Name string
	Addr string
	// Pass lets time pass: it moves miniredis' clock and really waits on a
	// real server.
	Pass func(time.Duration)

	process      *exec.Cmd
	program, dir string
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

// Real starts redis-server in a temporary directory with an append-only file,
// on a free loopback port. Without the program the test is skipped, and says
// so.
func Real(t testing.TB) *Server {
	t.Helper()
	program, err := exec.LookPath("redis-server")
	if err != nil {
		t.Skipf("redis-server is not installed (`make test` installs it): %v", err)
	}
	s := &Server{Name: "redis-server", Addr: freeAddr(t), Pass: time.Sleep, program: program, dir: t.TempDir()}
	t.Cleanup(s.Kill)
	s.Restart(t)
	return s
}

// Restart starts a killed real server again, on its address and its data.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	host, port, err := net.SplitHostPort(s.Addr)
	if err != nil {
		t.Fatal(err)
	}
	s.process = exec.Command(s.program, "--bind", host, "--port", port, "--dir", s.dir,
		"--appendonly", "yes", "--save", "", "--maxmemory-policy", "noeviction", "--loglevel", "warning")
	if err := s.process.Start(); err != nil {
		t.Fatalf("start redis-server: %v", err)
	}
	client := s.Client(t)
	for deadline := time.Now().Add(10 * time.Second); client.Ping(context.Background()).Err() != nil; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("redis-server did not answer within 10 s")
		}
	}
}

// Kill ends a real server as a crash would.
func (s *Server) Kill() {
	if s.process != nil {
		_ = s.process.Process.Kill()
		_ = s.process.Wait()
		s.process = nil
	}
}

// Each runs a test on both servers.
func Each(t *testing.T, run func(*testing.T, *Server)) {
	t.Helper()
	for name, start := range map[string]func(testing.TB) *Server{"miniredis": Mini, "redis-server": Real} {
		t.Run(name, func(t *testing.T) { t.Parallel(); run(t, start(t)) })
	}
}

func freeAddr(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	port := listener.Addr().(*net.TCPAddr).Port
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
}
