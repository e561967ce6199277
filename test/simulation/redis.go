// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"time"

	"github.com/alicebob/miniredis/v2"
	miniserver "github.com/alicebob/miniredis/v2/server"
	"github.com/redis/go-redis/v9"
)

// memoryRedis is miniredis in the virtual time of the bubble. Commands run in the order of the
// events, because a blocking read returns immediately.
type memoryRedis struct {
	server *miniredis.Miniredis
	client *redis.Client
	// blocked is the block time of the last blocking read.
	blocked time.Duration
	// added is the number of entries that were added to the queue's stream.
	added int
}

// startRedis starts an empty server. The caller closes it.
func startRedis(ctx context.Context) (*memoryRedis, error) {
	r := &memoryRedis{server: miniredis.NewMiniRedis()}
	r.client = redis.NewClient(&redis.Options{
		// A numeric address needs no resolver.
		Addr: "127.0.0.1:0", Protocol: 2, MaxRetries: -1, DisableIdentity: true, ConnMaxIdleTime: -1,
		// A simulation has up to a thousand workers, each with its own connection pool.
		ReadBufferSize: 1 << 12, WriteBufferSize: 1 << 12,
		Dialer: func(context.Context, string, string) (net.Conn, error) { return r.server.Dial() },
	})
	// The first connection starts the server, which accepts a hook only then.
	if err := r.client.Ping(ctx).Err(); err != nil {
		return nil, errors.Join(fmt.Errorf("start miniredis: %w", err), r.close())
	}
	r.server.Server().SetPreHook(r.observe)
	return r, nil
}

func (r *memoryRedis) close() error {
	err := r.client.Close()
	r.server.Close()
	return err
}

// observe inspects each command before it runs, including commands of scripts. It removes the
// BLOCK option of a read, because the model waits instead; the server runs the changed arguments.
func (r *memoryRedis) observe(_ *miniserver.Peer, command string, args ...string) bool {
	switch command {
	case "XADD":
		r.added++
	case "XREADGROUP":
		at := slices.Index(args, "block")
		if at < 0 {
			break
		}
		if milliseconds, err := strconv.Atoi(args[at+1]); err == nil {
			r.blocked = time.Duration(milliseconds) * time.Millisecond
			// COUNT precedes BLOCK; a second COUNT of the same value changes nothing.
			copy(args[at:at+2], args[at-2:at])
		}
	}
	return false
}
