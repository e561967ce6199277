// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/printmarket/printmarket/test/controlplane"
	"github.com/printmarket/printmarket/test/pgtest"
	"github.com/printmarket/printmarket/test/programs"
)

// kubernetes is kube-apiserver. Its etcd keeps running.
type kubernetes struct{ plane *controlplane.Plane }

func (k kubernetes) start(ctx context.Context) error { return k.plane.RestartServer(ctx) }
func (k kubernetes) stop()                           { k.plane.StopServer() }
func (k kubernetes) kill()                           { k.plane.StopServer() }
func (k kubernetes) ended() <-chan struct{}          { return k.plane.ServerEnded() }

// postgres is the database server.
type postgres struct{ server *pgtest.Server }

func (p postgres) start(ctx context.Context) error { return p.server.Restart(ctx) }
func (p postgres) stop()                           { p.server.Stop() }
func (p postgres) kill()                           { p.server.Kill() }
func (p postgres) ended() <-chan struct{}          { return p.server.Ended() }

// errNoRedis names the command that installs it.
var errNoRedis = errors.New("redis-server is not installed (`make setup` installs it)")

// newRedis returns a Redis on a free port that persists every acknowledged write.
func newRedis(dir, log, addr string) (*program, error) {
	path, err := exec.LookPath("redis-server")
	if err != nil {
		return nil, errNoRedis
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	return &program{
		path: path, log: log,
		args: []string{
			"--bind", host, "--port", port, "--dir", dir, "--appendonly", "yes", "--appendfsync", "everysec", "--save", "",
			"--maxmemory-policy", "noeviction",
		},
		ready: func(ctx context.Context) error {
			// Dial first, because the Redis client would print refused connections.
			conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
			if err != nil {
				return err
			}
			_ = conn.Close()
			client := redis.NewClient(&redis.Options{Addr: addr, MaxRetries: -1, DialerRetries: 1})
			defer func() { _ = client.Close() }()
			return client.Ping(ctx).Err()
		},
	}, nil
}

// answers returns a readiness check: a GET of the URL must return 200.
func answers(url string) func(context.Context) error {
	client := &http.Client{Timeout: 3 * time.Second}
	return func(ctx context.Context) error {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		resp, err := client.Do(r)
		if err != nil {
			return err
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			return fmt.Errorf("%s answers %d", url, resp.StatusCode)
		}
		return nil
	}
}

// freeAddr returns a loopback address that stays reserved while its program is stopped.
func freeAddr(ctx context.Context) (string, error) {
	address, err := programs.FreeAddress(ctx)
	return address.String(), err
}
