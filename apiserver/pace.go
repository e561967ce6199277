// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"net"
	"sync"
	"time"
)

// stallTimeout limits how long a client may read nothing of a response.
const stallTimeout = 10 * time.Second

// stride is the number of bytes that a client must read within the stall timeout. It is well
// below the rate that a larger response requires within writeTimeout.
const stride = 64 << 10

// pace gives the connections of a socket write deadlines that move with the client's progress.
// It works below TLS, where every byte passes.
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

// pacedConn fails a write when the client reads nothing for the stall timeout, or at the write
// deadline, whichever is first: a client that reads slowly may use all the time of a response,
// a client that reads nothing may not.
type pacedConn struct {
	net.Conn
	stall time.Duration

	mu       sync.Mutex
	deadline time.Time
}

// SetWriteDeadline bounds the writes that begin after it.
func (c *pacedConn) SetWriteDeadline(deadline time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.deadline = deadline
	return nil
}

// SetDeadline bounds reads, and the writes that begin after it.
func (c *pacedConn) SetDeadline(deadline time.Time) error {
	_ = c.SetWriteDeadline(deadline) // cannot fail
	return c.SetReadDeadline(deadline)
}

// Write writes in strides, each with a deadline of its own.
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
