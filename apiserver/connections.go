// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"cmp"
	"container/list"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"

	"github.com/printmarket/printmarket/apiserver/gate"
)

// The default limits of connections to a listener.
const (
	DefaultMaxConnections           = 10_000
	DefaultMaxConnectionsPerAddress = 1000
)

// ConnectionLimits limit the open connections of a listener. The zero ConnectionLimits has
// the default limits and no proxies.
type ConnectionLimits struct {
	// Total limits all connections; [DefaultMaxConnections] if it is 0. Above it, the
	// connection that has been idle the longest is closed, or the new one if none is idle.
	Total int
	// PerAddress limits the connections of one IPv4 address or IPv6 /64 network;
	// [DefaultMaxConnectionsPerAddress] if it is 0. A connection above it is closed.
	PerAddress int
	// Proxies are the addresses of reverse proxies, whose connections PerAddress does not
	// limit.
	Proxies []netip.Prefix
	// Refused is called with the exceeded limit, connections or address, for each
	// connection that is closed; it may be nil. It must be safe for concurrent use.
	Refused func(lack string)
}

// connections tracks the open connections of a listener.
type connections struct {
	ConnectionLimits
	mu         sync.Mutex
	open       int
	perAddress map[string]int
	// idle holds the idle *limitedConn, the longest idle first.
	idle *list.List
}

func newConnections(limits ConnectionLimits) *connections {
	limits.Total = cmp.Or(limits.Total, DefaultMaxConnections)
	limits.PerAddress = cmp.Or(limits.PerAddress, DefaultMaxConnectionsPerAddress)
	return &connections{ConnectionLimits: limits, perAddress: map[string]int{}, idle: list.New()}
}

// listen limits the connections of a socket, below TLS.
func (c *connections) listen(socket net.Listener) net.Listener {
	if mutual, ok := socket.(mutualListener); ok {
		mutual.Listener = c.listen(mutual.Listener)
		return mutual
	}
	return limitedListener{socket, c}
}

type limitedListener struct {
	net.Listener
	all *connections
}

// Accept returns the next connection within the limits, and closes those above them.
func (l limitedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if admitted := l.all.admit(conn); admitted != nil {
			return admitted, nil
		}
		_ = conn.Close() // nothing was sent on it
	}
}

// admit counts a connection; it returns nil above the limits.
func (c *connections) admit(conn net.Conn) *limitedConn {
	remote := conn.RemoteAddr().String()
	admitted := &limitedConn{Conn: conn, all: c, address: gate.ClientOf(remote, nil).String()}
	if address, err := netip.ParseAddrPort(remote); err == nil &&
		slices.ContainsFunc(c.Proxies, func(known netip.Prefix) bool { return known.Contains(address.Addr().Unmap()) }) {
		admitted.address = "" // PerAddress does not limit a proxy
	}
	lack, evicted := c.take(admitted)
	if lack != "" && c.Refused != nil {
		c.Refused(lack)
	}
	if evicted != nil {
		_ = evicted.Close() // it was idle
	}
	if lack != "" && evicted == nil {
		return nil
	}
	return admitted
}

// take counts a connection within the limits. If lack is not empty, a limit is exceeded: the
// connection replaces evicted, or is not counted if evicted is nil.
func (c *connections) take(conn *limitedConn) (lack string, evicted *limitedConn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if conn.address != "" && c.perAddress[conn.address] >= c.PerAddress {
		return "address", nil
	}
	if c.open >= c.Total {
		lack = "connections"
		longest := c.idle.Front()
		if longest == nil {
			return lack, nil
		}
		evicted, _ = longest.Value.(*limitedConn)
		c.release(evicted)
	}
	c.open++
	if conn.address != "" {
		c.perAddress[conn.address]++
	}
	return lack, evicted
}

// release ends the count of a connection once. The caller holds mu.
func (c *connections) release(conn *limitedConn) {
	if conn.released {
		return
	}
	conn.released = true
	c.open--
	c.unidle(conn)
	if conn.address == "" {
		return
	}
	if c.perAddress[conn.address]--; c.perAddress[conn.address] == 0 {
		delete(c.perAddress, conn.address)
	}
}

func (c *connections) unidle(conn *limitedConn) {
	if conn.idle != nil {
		c.idle.Remove(conn.idle)
		conn.idle = nil
	}
}

// observe records when a connection of an [http.Server] becomes idle or active.
func (c *connections) observe(conn net.Conn, state http.ConnState) {
	limited := limitedOf(conn)
	if limited == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.unidle(limited); state == http.StateIdle && !limited.released {
		limited.idle = c.idle.PushBack(limited)
	}
}

// limitedConn is one counted connection.
type limitedConn struct {
	net.Conn
	all     *connections
	address string
	// connections.mu guards released and idle.
	released bool
	idle     *list.Element
}

// limitedOf returns the counted connection below the wrappers of the server.
func limitedOf(conn net.Conn) *limitedConn {
	for {
		switch outer := conn.(type) {
		case *limitedConn:
			return outer
		case *problemConn:
			conn = outer.Conn
		case *mutualConn:
			conn = outer.NetConn()
		case *pacedConn:
			conn = outer.Conn
		default:
			return nil
		}
	}
}

// Close closes the connection and ends its count.
func (c *limitedConn) Close() error {
	c.all.mu.Lock()
	c.all.release(c)
	c.all.mu.Unlock()
	return c.Conn.Close()
}

// CloseWrite lets net/http end the connection to a client that is still sending.
func (c *limitedConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
