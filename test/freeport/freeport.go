// SPDX-License-Identifier: Apache-2.0

// Package freeport finds addresses for servers that are started later, or that are stopped
// for a while and come back to where they were.
package freeport

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
)

// The range of returned ports. The kernel selects ports of outgoing connections, and of
// listeners on port 0, above this range: see ip_local_port_range. It could give such a port
// to another process as soon as its server stops.
const first, last = 15_000, 30_000

// attempts is how many ports are tried, of which hardly any is taken.
const attempts = 100

// Loopback is an address of 127.0.0.1 without a listener. Until a server does, another
// caller may seldom be given the same one. The error says why the last port that was tried
// cannot be had.
func Loopback(ctx context.Context) (netip.AddrPort, error) {
	var listen net.ListenConfig
	var err error
	for range attempts {
		port := first + uint16(rand.IntN(last-first))
		address := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), port)
		var listener net.Listener
		if listener, err = listen.Listen(ctx, "tcp", address.String()); err == nil {
			return address, listener.Close()
		}
	}
	return netip.AddrPort{}, fmt.Errorf("find a free port: %w", err)
}
