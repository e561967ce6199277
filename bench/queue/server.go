// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"
)

// persistence selects how Redis stores its data.
type persistence string

const (
	off      persistence = "off"
	everysec persistence = "everysec"
	always   persistence = "always"
)

// server is a redis-server on loopback with its own temporary directory.
type server struct {
	addr    string
	dir     string
	process *exec.Cmd
	control *redis.Client
}

// anywhere is no processor in particular.
const anywhere = -1

// startServer starts one on a processor.
func startServer(ctx context.Context, processor int, aof persistence) (*server, error) {
	program, err := exec.LookPath("redis-server")
	if err != nil {
		return nil, fmt.Errorf("redis-server is not installed (`make setup` installs it): %w", err)
	}
	addr, err := freeAddr(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "queue-figures-*")
	if err != nil {
		return nil, fmt.Errorf("make a directory for redis-server: %w", err)
	}
	s := &server{addr: addr, dir: dir, process: exec.CommandContext(ctx, program, arguments(addr, dir, processor, aof)...)}
	if err := s.process.Start(); err != nil {
		_ = os.RemoveAll(dir)
		return nil, fmt.Errorf("start redis-server: %w", err)
	}
	s.control = redis.NewClient(&redis.Options{Addr: addr})
	if err := s.await(ctx); err != nil {
		return nil, errors.Join(err, s.stop())
	}
	return s, nil
}

// arguments keeps the server from rewriting its file, because a rewrite falls
// on whichever contender has its turn.
func arguments(addr, dir string, processor int, aof persistence) []string {
	host, port, _ := strings.Cut(addr, ":")
	args := []string{
		"--bind", host, "--port", port, "--dir", dir, "--save", "", "--maxmemory-policy", "noeviction",
		"--loglevel", "warning", "--stream-node-max-entries", "16", "--auto-aof-rewrite-percentage", "0",
	}
	if processor != anywhere {
		number := strconv.Itoa(processor)
		args = append(args, "--server_cpulist", number, "--bio_cpulist", number)
	}
	if aof == off {
		return append(args, "--appendonly", "no")
	}
	return append(args, "--appendonly", "yes", "--appendfsync", string(aof))
}

func (s *server) await(ctx context.Context) error {
	deadline := time.Now().Add(10 * time.Second)
	for s.control.Ping(ctx).Err() != nil {
		if time.Now().After(deadline) || ctx.Err() != nil {
			return errors.New("redis-server did not answer within 10 s")
		}
		time.Sleep(5 * time.Millisecond)
	}
	return nil
}

func (s *server) stop() error {
	_ = s.control.Close()
	_ = s.process.Process.Kill()
	_ = s.process.Wait()
	if err := os.RemoveAll(s.dir); err != nil {
		return fmt.Errorf("remove the data of redis-server: %w", err)
	}
	return nil
}

func (s *server) empty(ctx context.Context) error {
	if err := s.control.FlushAll(ctx).Err(); err != nil {
		return fmt.Errorf("empty redis-server: %w", err)
	}
	return nil
}

// usage is processor time: of this process and of the server.
type usage struct{ client, redis time.Duration }

func (u usage) since(before usage) usage {
	return usage{u.client - before.client, u.redis - before.redis}
}

func (s *server) usage(ctx context.Context) (usage, error) {
	info, err := s.control.Info(ctx, "cpu").Result()
	if err != nil {
		return usage{}, fmt.Errorf("read the processor time of redis-server: %w", err)
	}
	var u usage
	for line := range strings.Lines(info) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		if name != "used_cpu_user" && name != "used_cpu_sys" {
			continue
		}
		seconds, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return usage{}, fmt.Errorf("read the processor time of redis-server: %w", err)
		}
		u.redis += time.Duration(seconds * float64(time.Second))
	}
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil {
		return usage{}, fmt.Errorf("read the processor time of this process: %w", err)
	}
	u.client = time.Duration(own.Utime.Nano() + own.Stime.Nano())
	return u, nil
}

func freeAddr(ctx context.Context) (string, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("find a free port: %w", err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String(), nil
}
