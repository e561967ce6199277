// SPDX-License-Identifier: Apache-2.0

package redistest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/printmarket/printmarket/test/programs"
)

// patience bounds every operation. It is long enough for a busy machine.
const patience = time.Minute

// poll is the polling interval.
const poll = 5 * time.Millisecond

// errPortTaken means that another process has the port.
var errPortTaken = errors.New("port is taken")

// durable are the settings of a server that keeps data and loses none when its process crashes.
var durable = []string{`save ""`, "appendonly yes", "appendfsync everysec", "maxmemory-policy noeviction"}

// start starts a program of the Redis family until the test ends, on a free loopback port and in
// its own directory. The last of two equal settings applies.
func start(t testing.TB, name string, settings ...[]string) *Server {
	t.Helper()
	program := name
	if name == sentinel {
		program = "redis-server"
	}
	program, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("%s is not installed (`make test` installs it where it can be had): %v", name, err)
	}
	s := &Server{Name: name, Pass: time.Sleep, program: program, dir: t.TempDir()}
	t.Cleanup(s.Kill)
	for range 10 {
		s.Addr = freeAddr(t)
		s.configure(t, slices.Concat(settings...))
		// Another process may take the port in between.
		if err = s.launch(); !errors.Is(err, errPortTaken) {
			break
		}
	}
	if err != nil {
		t.Fatalf("start %s: %v", name, err)
	}
	return s
}

func (s *Server) config() string { return filepath.Join(s.dir, "server.conf") }
func (s *Server) log() string    { return filepath.Join(s.dir, "server.log") }

// configure writes the configuration file. A file is required, because a sentinel rewrites its own
// configuration and that of a server that it promotes.
func (s *Server) configure(t testing.TB, settings []string) {
	t.Helper()
	host, port := split(t, s.Addr)
	lines := append([]string{"bind " + host, "port " + port, "dir " + s.dir}, settings...)
	if err := os.WriteFile(s.config(), []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatalf("os.WriteFile: %v", err)
	}
}

func split(t testing.TB, addr string) (host, port string) {
	t.Helper()
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatalf("net.SplitHostPort(%q): %v", addr, err)
	}
	return host, port
}

// launch starts the process and waits until it responds.
func (s *Server) launch() error {
	args := []string{s.config()}
	if s.Name == sentinel {
		args = append(args, "--sentinel")
	}
	var err error
	if s.process, err = startProcess(s.log(), s.program, args...); err != nil {
		return err
	}
	client := redis.NewClient(&redis.Options{Addr: s.Addr, Protocol: 2, MaxRetries: -1, DialerRetries: 1})
	defer func() { _ = client.Close() }()
	for deadline := time.Now().Add(patience); !s.answers(client); time.Sleep(poll) {
		select {
		case <-s.process.ended:
			return s.exitError()
		default:
		}
		if time.Now().After(deadline) {
			s.Kill()
			return fmt.Errorf("no answer within %s: %w", patience, s.exitError())
		}
	}
	return nil
}

// answers reports whether this process serves clients: another process may have taken the port,
// and a server that loads its data rejects all commands.
func (s *Server) answers(client *redis.Client) bool {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if client.Ping(ctx).Err() != nil {
		return false
	}
	info, err := client.Info(ctx, "server").Result()
	return err == nil && strings.Contains(info, fmt.Sprintf("process_id:%d\r\n", s.process.pid))
}

// exitError returns an error with the last output of a server that ended.
func (s *Server) exitError() error {
	log, err := os.ReadFile(s.log())
	if err != nil {
		return err
	}
	if strings.Contains(string(log), "Address already in use") {
		return errPortTaken
	}
	return fmt.Errorf("its log ends: %s", log[max(0, len(log)-2000):])
}

// Restart starts a killed server again with its address and its data.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	if s.process != nil {
		t.Fatalf("%s runs already", s.Name)
	}
	if err := s.launch(); err != nil {
		t.Fatalf("restart %s: %v", s.Name, err)
	}
}

// Kill kills a server like a crash. It does nothing if the server has ended.
func (s *Server) Kill() {
	if s.process != nil {
		s.process.signal(syscall.SIGKILL)
		<-s.process.ended
		s.process = nil
	}
}

// Pause stops the server's process until Resume: it neither responds nor refuses connections, like
// after a network partition.
func (s *Server) Pause() { s.process.signal(syscall.SIGSTOP) }

// Resume continues a paused server.
func (s *Server) Resume() { s.process.signal(syscall.SIGCONT) }

func freeAddr(t testing.TB) string {
	t.Helper()
	address, err := programs.FreeAddress(t.Context())
	if err != nil {
		t.Fatalf("programs.FreeAddress: %v", err)
	}
	return address.String()
}
