// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrPolicy means that the server evicts keys when its memory is full. Jobs would then
// disappear one by one, without an error.
var ErrPolicy = errors.New("maxmemory-policy is not noeviction")

// ErrOld means that the server is older than Redis 7.0.
var ErrOld = errors.New("the server is older than Redis 7.0")

// Server describes a Redis server.
type Server struct {
	// Run is a new text after each start of the server and after a failover.
	Run string
	// Durable is false if the server keeps no append-only file.
	Durable bool
	// Memory is the used part of the server's memory, or 0 without a limit.
	Memory float64
}

// Server reads the configuration of the server. Errors: [ErrPolicy], [ErrOld]. It accepts
// absent values (miniredis reports none).
func (q *Queue) Server(ctx context.Context) (Server, error) {
	text, err := q.redis.Info(ctx, "server", "memory", "persistence").Result()
	if err != nil && isRedisError(err) {
		return Server{Durable: true}, nil
	}
	if err != nil {
		return Server{}, failed("ask redis", err)
	}
	info := map[string]string{}
	for line := range strings.Lines(text) {
		if name, value, found := strings.Cut(strings.TrimSpace(line), ":"); found {
			info[name] = value
		}
	}
	server := Server{Run: info["run_id"], Durable: info["aof_enabled"] != "0"}
	used, _ := strconv.ParseFloat(info["used_memory"], 64)
	if most, _ := strconv.ParseFloat(info["maxmemory"], 64); most > 0 {
		server.Memory = used / most
	}
	version := info["redis_version"]
	if major, _, found := strings.Cut(version, "."); found {
		if n, err := strconv.Atoi(major); err == nil && n < 7 {
			return server, fmt.Errorf("%w: %s", ErrOld, version)
		}
	}
	if policy := info["maxmemory_policy"]; policy != "" && policy != "noeviction" {
		return server, fmt.Errorf("%w but %s: set it in the server's configuration", ErrPolicy, policy)
	}
	return server, nil
}
