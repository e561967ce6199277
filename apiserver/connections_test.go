// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/apiserver"
	"github.com/printmarket/printmarket/test/eventually"
)

// client is a test connection from a loopback address.
type client struct {
	net.Conn
	reader *bufio.Reader
}

func dial(t *testing.T, to net.Listener, from string) *client {
	t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	conn, err := dialer.DialContext(t.Context(), "tcp", to.Addr().String())
	must(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	must(t, conn.SetDeadline(time.Now().Add(patience)))
	return &client{conn, bufio.NewReader(conn)}
}

// answered sends a request on the connection and reports whether it gets a response.
func (c *client) answered(t *testing.T) bool {
	t.Helper()
	if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		return false
	}
	resp, err := http.ReadResponse(c.reader, nil)
	if err != nil {
		return false
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return errors.Join(err, resp.Body.Close()) == nil
}

// refusals counts the closed connections by limit.
type refusals struct {
	mu     sync.Mutex
	counts map[string]int
}

func (r *refusals) add(lack string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.counts == nil {
		r.counts = map[string]int{}
	}
	r.counts[lack]++
}

func (r *refusals) want(t *testing.T, want map[string]int) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if diff := cmp.Diff(want, r.counts); diff != "" {
		t.Errorf("closed connections by limit (-want +got):\n%s", diff)
	}
}

func fine(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "fine") }

func TestAddressAboveItsShareLosesItsNewestConnections(t *testing.T) {
	t.Parallel()
	var refused refusals
	socket := serve(t, apiserver.Listener{Name: "api", Handler: http.HandlerFunc(fine), Connections: apiserver.ConnectionLimits{
		Total: 10, PerAddress: 2, Proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.9/32")}, Refused: refused.add,
	}})
	first, second := dial(t, socket, "127.0.0.2"), dial(t, socket, "127.0.0.2")
	if !first.answered(t) || !second.answered(t) {
		t.Fatal("a connection within the limit got no response")
	}
	if dial(t, socket, "127.0.0.2").answered(t) {
		t.Error("a third connection of the address got a response")
	}
	if !first.answered(t) || !dial(t, socket, "127.0.0.3").answered(t) {
		t.Error("an older connection, or one of another address, got no response")
	}
	for range 5 {
		if !dial(t, socket, "127.0.0.9").answered(t) {
			t.Error("the limit applies to a proxy")
		}
	}
	must(t, second.Close())
	eventually.Holds(t, "a closed connection is no longer counted", func() bool {
		return dial(t, socket, "127.0.0.2").answered(t)
	})
	if refused.mu.Lock(); refused.counts["address"] < 1 || refused.counts["connections"] > 0 {
		t.Errorf("closed connections by limit: %v", refused.counts)
	}
	refused.mu.Unlock()
}

func TestFullListenerClosesAnIdleConnectionForANewOne(t *testing.T) {
	t.Parallel()
	var refused refusals
	socket := serve(t, apiserver.Listener{Name: "api", Handler: http.HandlerFunc(fine), Connections: apiserver.ConnectionLimits{
		Total: 3, Refused: refused.add,
	}})
	for range 3 {
		if !dial(t, socket, "127.0.0.1").answered(t) {
			t.Fatal("a connection within the limit got no response")
		}
	}
	// The server marks a connection as idle shortly after its response.
	eventually.Holds(t, "a new connection gets a response although the listener is full", func() bool {
		return dial(t, socket, "127.0.0.1").answered(t)
	})
}

func TestFullListenerWithoutIdleConnectionsClosesTheNewOne(t *testing.T) {
	t.Parallel()
	var refused refusals
	busy := newBlocking()
	socket := serve(t, apiserver.Listener{Name: "api", Handler: busy, Connections: apiserver.ConnectionLimits{Total: 1, Refused: refused.add}})
	working := make(chan bool)
	c := dial(t, socket, "127.0.0.1")
	go func() { working <- c.answered(t) }()
	<-busy.entered
	if dial(t, socket, "127.0.0.1").answered(t) {
		t.Error("a connection above the limit got a response")
	}
	close(busy.leave)
	if !<-working {
		t.Error("the active connection got no response")
	}
	refused.want(t, map[string]int{"connections": 1})
}
