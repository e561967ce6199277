// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
)

// The range of ports of [FreeAddress]. The kernel selects ports of outgoing connections, and of
// listeners on port 0, above this range: see ip_local_port_range. It could give such a port
// to another process as soon as its server stops.
const firstPort, lastPort = 15_000, 30_000

// attempts bounds the tried ports; hardly any port is in use.
const attempts = 100

// FreeAddress returns an address of 127.0.0.1 without a listener. No caller in any process gets the
// same address until ctx ends. The error states why the last tried port is unavailable.
func FreeAddress(ctx context.Context) (netip.AddrPort, error) {
	var listen net.ListenConfig
	var err error
	for range attempts {
		port := firstPort + uint16(rand.IntN(lastPort-firstPort))
		address := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), port)
		var listener net.Listener
		if listener, err = listen.Listen(ctx, "tcp", address.String()); err != nil {
			continue
		}
		err = errors.Join(reserve(ctx, address), listener.Close())
		if err == nil {
			return address, nil
		}
	}
	return netip.AddrPort{}, fmt.Errorf("find a free port: %w", err)
}

// reserve binds the UDP port of the same number, which no server of ours uses. The kernel releases
// it also if this process is killed.
func reserve(ctx context.Context, address netip.AddrPort) error {
	reservation, err := new(net.ListenConfig).ListenPacket(ctx, "udp", address.String())
	if err != nil {
		return err
	}
	context.AfterFunc(ctx, func() { _ = reservation.Close() })
	return nil
}
