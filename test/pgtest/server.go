// SPDX-License-Identifier: Apache-2.0

// Package pgtest runs PostgreSQL servers from the programs of the Debian
// package: for tests, and for other local use.
//
// [Launch] is the core and knows no tests. [Start] gives a test a server of its
// own, which it may kill; [Shared] gives it an empty database on the one server
// that [Main] keeps for the whole test binary. No server outlives the process
// that started it, however that process ends.
package pgtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/printmarket/printmarket/test/freeport"
)

// Superuser owns every database of a [Server].
const Superuser = "printmarket"

const (
	passwordFile = "password"
	dataDir      = "data"
	socketDir    = "socket"
	logFile      = "server.log"
)

// settings suit a server that a few processes of one machine use. What makes it
// durable stays as PostgreSQL has it, so fsync is on.
var settings = []string{
	"max_connections=300",
	"shared_buffers=32MB",
	"listen_addresses=127.0.0.1",
	"autovacuum_naptime=10s",
	"log_checkpoints=off",
}

// Server is one PostgreSQL server. Its methods are for one goroutine.
type Server struct {
	programs programs
	dir      string
	extra    []string
	port     int
	password string
	running  *running
}

// Launch starts a server whose files lie in dir, which is made on the first
// start and holds the data of the next. An extra setting, "name=value", wins
// over the usual ones. Errors: [ErrNotInstalled].
func Launch(ctx context.Context, dir string, extra ...string) (*Server, error) {
	found, err := findPrograms(ctx)
	if err != nil {
		return nil, err
	}
	s := &Server{programs: found, dir: dir, extra: extra}
	if err := s.prepare(ctx); err != nil {
		return nil, fmt.Errorf("prepare server: %w", err)
	}
	for range 10 {
		var address netip.AddrPort
		if address, err = freeport.Loopback(ctx); err != nil {
			return nil, err
		}
		s.port = int(address.Port())
		// Another process may take the port in between.
		if err = s.Restart(ctx); !errors.Is(err, errPortTaken) {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// prepare makes the directories and, the first time, the cluster of databases.
func (s *Server) prepare(ctx context.Context) error {
	for _, dir := range []string{s.dir, filepath.Join(s.dir, socketDir)} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		if err := s.programs.own(dir); err != nil {
			return err
		}
	}
	file := filepath.Join(s.dir, passwordFile)
	switch stored, err := os.ReadFile(file); {
	case err == nil:
		s.password = strings.TrimSpace(string(stored))
		return nil
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	s.password = rand.Text()
	// The file gets its name last: it says that all of this has been done.
	unnamed := file + ".new"
	if err := os.WriteFile(unnamed, []byte(s.password+"\n"), 0o600); err != nil {
		return err
	}
	if err := s.programs.own(unnamed); err != nil {
		return err
	}
	data := filepath.Join(s.dir, dataDir)
	if err := os.RemoveAll(data); err != nil {
		return err
	}
	// A collation for people, as many databases have it: what must sort by bytes
	// has to say so itself.
	if err := s.programs.run(ctx, "initdb", "--pgdata", data, "--username", Superuser, "--pwfile", unnamed,
		"--auth", "password", "--encoding", "UTF8", "--locale", "C.UTF-8",
		"--locale-provider", "icu", "--icu-locale", "en", "--no-sync"); err != nil {
		return err
	}
	return os.Rename(unnamed, file)
}

// Restart starts a server that does not run, on its port and its data, and
// waits until it answers.
func (s *Server) Restart(ctx context.Context) error {
	if s.running != nil {
		select {
		case <-s.running.ended: // by itself
		default:
			return errors.New("server runs already")
		}
	}
	args := []string{"-D", filepath.Join(s.dir, dataDir), "-p", strconv.Itoa(s.port), "-k", filepath.Join(s.dir, socketDir)}
	for _, setting := range append(append([]string(nil), settings...), s.extra...) {
		args = append(args, "-c", setting)
	}
	started, err := s.programs.start(ctx, filepath.Join(s.dir, logFile), args)
	if err != nil {
		return fmt.Errorf("start server: %w", err)
	}
	if err := s.await(ctx, started); err != nil {
		started.stop()
		return fmt.Errorf("start server: %w", err)
	}
	s.running = started
	return nil
}

// await asks until the server answers, has ended, or takes too long.
func (s *Server) await(ctx context.Context, started *running) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		err := ask(ctx, s.URL("postgres"))
		if err == nil {
			return nil
		}
		select {
		case <-started.ended:
			return s.epitaph()
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ctx.Err(), err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func ask(ctx context.Context, address string) error {
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	return conn.Ping(ctx)
}

// errPortTaken means that another process listens on the server's port.
var errPortTaken = errors.New("port is taken")

// epitaph says why a server ended, in its own last words.
func (s *Server) epitaph() error {
	log, err := os.ReadFile(filepath.Join(s.dir, logFile))
	if err != nil {
		return err
	}
	words := string(log[max(0, len(log)-2000):])
	if strings.Contains(words, "Address already in use") {
		return fmt.Errorf("%w: %d", errPortTaken, s.port)
	}
	return fmt.Errorf("server ended: %s", words)
}

// URL is where the server's superuser finds a database.
func (s *Server) URL(database string) string { return s.URLOf(Superuser, s.password, database) }

// URLOf is where another role finds a database.
func (s *Server) URLOf(role, password, database string) string {
	address := url.URL{
		Scheme: "postgres", User: url.UserPassword(role, password),
		Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)), Path: "/" + database, RawQuery: "sslmode=disable",
	}
	return address.String()
}

// Client is a run of one of PostgreSQL's own clients of the server's version, such as
// pg_dump. Pass [Server.URL] as the address.
func (s *Server) Client(ctx context.Context, name string, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, filepath.Join(s.programs.dir, name), args...)
}

// Kill ends the server and every process of it at once, as if the machine
// stopped, and waits until they are gone. Killing a dead server does nothing.
func (s *Server) Kill() {
	if s.running != nil {
		s.running.kill()
		s.running = nil
	}
}

// Stop ends the server without waiting for its clients. The data stay.
func (s *Server) Stop() {
	if s.running != nil {
		s.running.stop()
		s.running = nil
	}
}

// Freeze keeps the server and every process of it from running, until Thaw: it
// neither answers nor refuses, as if it were cut off.
func (s *Server) Freeze() { s.signal(syscall.SIGSTOP) }

// Thaw lets a frozen server go on.
func (s *Server) Thaw() { s.signal(syscall.SIGCONT) }

func (s *Server) signal(signal syscall.Signal) {
	if s.running != nil {
		// The first process is stopped first: it cannot have more children then.
		_ = s.running.process.Signal(signal)
		for _, pid := range childrenOf(s.running.process.Pid) {
			_ = syscall.Kill(pid, signal)
		}
	}
}

// Ended is closed when the server has ended, by itself or by Kill and Stop; nil
// if it does not run.
func (s *Server) Ended() <-chan struct{} {
	if s.running == nil {
		return nil
	}
	return s.running.ended
}
