// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"net"
	"net/http"
	"testing"
)

// remote is a connection from an address. It records whether it was closed.
type remote struct {
	net.Conn
	address string
	closed  bool
}

func (r *remote) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.ParseIP(r.address), Port: 1} }
func (r *remote) Close() error         { r.closed = true; return nil }

func TestLongestIdleConnectionIsClosedFirst(t *testing.T) {
	t.Parallel()
	all := newConnections(ConnectionLimits{Total: 3})
	remotes := make([]*remote, 5)
	conns := make([]net.Conn, len(remotes))
	open := func(i int) bool {
		remotes[i] = &remote{address: "192.0.2.1"}
		admitted := all.admit(remotes[i])
		if admitted != nil {
			conns[i] = &problemConn{Conn: &pacedConn{Conn: admitted}}
		}
		return admitted != nil
	}
	for i := range 3 {
		if !open(i) {
			t.Fatalf("connection %d is refused within the limit", i)
		}
		all.observe(conns[i], http.StateIdle)
	}
	all.observe(conns[0], http.StateActive)
	if !open(3) || !remotes[1].closed || remotes[0].closed || remotes[2].closed {
		t.Errorf("after a fourth connection: closed %t %t %t, want only the longest idle one, the second", remotes[0].closed, remotes[1].closed, remotes[2].closed)
	}
	all.observe(conns[2], http.StateActive)
	if open(4) {
		t.Error("a connection is admitted although none is idle")
	}
	for _, i := range []int{0, 1, 2, 3} {
		_ = conns[i].Close()
		_ = conns[i].Close()
	}
	if all.open != 0 || len(all.perAddress) != 0 || all.idle.Len() != 0 {
		t.Errorf("after all were closed: %d open, addresses %v, %d idle", all.open, all.perAddress, all.idle.Len())
	}
}
