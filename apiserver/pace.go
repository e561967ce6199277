// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"net"
	"sync"
	"time"
)

// stallTimeout is the time after which a client that reads nothing is disconnected.
const stallTimeout = 10 * time.Second

// stride is the number of bytes that a client must read within the stall timeout. It is well
// below the rate that a larger response requires within writeTimeout.
const stride = 64 << 10

// pace gives each write on the connections of a socket its own deadline. It works below
// TLS, which all bytes pass.
func pace(socket net.Listener, stall time.Duration) net.Listener {
	if mutual, ok := socket.(mutualListener); ok {
		mutual.Listener = pace(mutual.Listener, stall)
		return mutual
	}
	return pacedListener{socket, stall}
}

type pacedListener struct {
	net.Listener
	stall time.Duration
}

// Accept wraps the connection.
func (l pacedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &pacedConn{Conn: conn, stall: l.stall}, nil
}

// pacedConn fails a write when the client reads nothing for the stall timeout, or at the
// write deadline, whichever is first. A slow client may use the complete time of a
// response; a client that reads nothing may not.
type pacedConn struct {
	net.Conn
	stall time.Duration

	mu       sync.Mutex
	deadline time.Time
}

// SetWriteDeadline sets the deadline of writes that begin after it.
func (c *pacedConn) SetWriteDeadline(deadline time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline = deadline
	return nil
}

// SetDeadline sets the deadline of reads, and of writes that begin after it.
func (c *pacedConn) SetDeadline(deadline time.Time) error {
	_ = c.SetWriteDeadline(deadline) // cannot fail
	return c.SetReadDeadline(deadline)
}

// Write writes in strides, each with its own deadline.
func (c *pacedConn) Write(text []byte) (written int, err error) {
	for {
		part := text[written:min(len(text), written+stride)]
		if err := c.Conn.SetWriteDeadline(c.next()); err != nil {
			return written, err
		}
		n, err := c.Conn.Write(part)
		if written += n; err != nil || written == len(text) {
			return written, err
		}
	}
}

func (c *pacedConn) next() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	stalled := time.Now().Add(c.stall)
	if !c.deadline.IsZero() && c.deadline.Before(stalled) {
		return c.deadline
	}
	return stalled
}

// CloseWrite lets net/http end the connection to a client that is still sending.
func (c *pacedConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
