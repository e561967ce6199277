// SPDX-License-Identifier: Apache-2.0

// Package pgtest runs PostgreSQL servers from the programs of the Debian package, for tests and
// for other local use.
//
// [Launch] does not depend on tests. [Start] returns a server for one test, which may kill it.
// [Shared] returns an empty database on the one server that [Main] runs for the whole test binary.
// Every server ends with the process that started it, however that process ends.
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

	"github.com/printmarket/printmarket/test/programs"
)

// Superuser owns every database of a [Server].
const Superuser = "printmarket"

const (
	passwordFile = "password"
	dataDir      = "data"
	socketDir    = "socket"
	logFile      = "server.log"
)

// settings suit a server with a few local clients. Settings of durability keep their defaults, so
// fsync is on.
var settings = []string{
	"max_connections=300",
	"shared_buffers=32MB",
	"listen_addresses=127.0.0.1",
	"autovacuum_naptime=10s",
	"log_checkpoints=off",
}

// Server is one PostgreSQL server. It is not safe for concurrent use.
type Server struct {
	programs installation
	dir      string
	extra    []string
	port     int
	password string
	running  *running
}

// Launch starts a server with its files in dir, which is created by the first start and keeps the
// data for the next. An extra setting, "name=value", replaces a default one. It returns
// [ErrNotInstalled] if PostgreSQL is missing.
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
		if address, err = programs.FreeAddress(ctx); err != nil {
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

// prepare creates the directories and, the first time, the database cluster.
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
	// Rename last: the name of the file marks complete preparation.
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
	// Like many databases, use a linguistic collation: queries that need byte order must request
	// it.
	if err := s.programs.run(ctx, "initdb", "--pgdata", data, "--username", Superuser, "--pwfile", unnamed,
		"--auth", "password", "--encoding", "UTF8", "--locale", "C.UTF-8",
		"--locale-provider", "icu", "--icu-locale", "en", "--no-sync"); err != nil {
		return err
	}
	return os.Rename(unnamed, file)
}

// Restart starts a stopped server with its port and data, and waits until it responds.
func (s *Server) Restart(ctx context.Context) error {
	if s.running != nil {
		select {
		case <-s.running.ended: // the server ended by itself
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

// await polls until the server responds, has ended, or the wait is too long.
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
			return s.exitError()
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

// exitError returns an error with the last output of a server that ended.
func (s *Server) exitError() error {
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

// URL returns the address of a database for the superuser.
func (s *Server) URL(database string) string { return s.URLOf(Superuser, s.password, database) }

// URLOf returns the address of a database for another role.
func (s *Server) URLOf(role, password, database string) string {
	address := url.URL{
		Scheme: "postgres", User: url.UserPassword(role, password),
		Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)), Path: "/" + database, RawQuery: "sslmode=disable",
	}
	return address.String()
}

// Client returns a command that runs a client program of the server's version, such as pg_dump.
// Pass [Server.URL] as the address.
func (s *Server) Client(ctx context.Context, name string, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, filepath.Join(s.programs.dir, name), args...)
}

// Kill kills every process of the server, like a power failure, and waits for their end. It does
// nothing if the server has ended.
func (s *Server) Kill() {
	if s.running != nil {
		s.running.kill()
		s.running = nil
	}
}

// Stop ends the server without waiting for its clients. The data are kept.
func (s *Server) Stop() {
	if s.running != nil {
		s.running.stop()
		s.running = nil
	}
}

// Freeze stops every process of the server until Thaw: the server neither responds nor refuses
// connections, like after a network partition.
func (s *Server) Freeze() { s.signal(syscall.SIGSTOP) }

// Thaw continues a frozen server.
func (s *Server) Thaw() { s.signal(syscall.SIGCONT) }

func (s *Server) signal(signal syscall.Signal) {
	if s.running != nil {
		// Stop the first process first, so that it cannot start children.
		_ = s.running.process.Signal(signal)
		for _, pid := range childrenOf(s.running.process.Pid) {
			_ = syscall.Kill(pid, signal)
		}
	}
}

// Ended returns a channel that is closed when the server has ended, by itself or by Kill and Stop.
// It returns nil if the server is not running.
func (s *Server) Ended() <-chan struct{} {
	if s.running == nil {
		return nil
	}
	return s.running.ended
}
