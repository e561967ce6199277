// SPDX-License-Identifier: Apache-2.0

package kubesource_test

import (
	"net"
	"sync"
	"testing"

	"k8s.io/client-go/rest"
)

// proxy is the network between a source and its cluster.
type proxy struct {
	listener net.Listener
	target   string
	group    sync.WaitGroup

	mu  sync.Mutex
	cut bool
	// ended counts the connections that were ended since it was cut.
	ended int
	pairs map[*pair]bool
}

// pair is one connection through the proxy.
type pair struct {
	near, far net.Conn
	mu        sync.Mutex
	silent    bool
}

func newProxy(tb testing.TB, target string) *proxy {
	tb.Helper()
	listener, err := new(net.ListenConfig).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatalf(`Listen("tcp", "127.0.0.1:0"): %v`, err)
	}
	p := &proxy{listener: listener, target: target, pairs: map[*pair]bool{}}
	p.group.Go(p.accept)
	tb.Cleanup(func() {
		_ = listener.Close()
		p.disconnect()
		p.group.Wait()
	})
	return p
}

// config returns a configuration that connects through the proxy.
func (p *proxy) config(direct *rest.Config) *rest.Config {
	direct.Host = "https://" + p.listener.Addr().String()
	return direct
}

// disconnect breaks all connections and refuses new ones.
func (p *proxy) disconnect() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut, p.ended = true, 0
	for pair := range p.pairs {
		pair.close()
	}
}

// refusals returns the number of connections rejected since disconnect.
func (p *proxy) refusals() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ended
}

// reconnect accepts new connections again.
func (p *proxy) reconnect() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = false
}

// swallow keeps the existing connections but delivers nothing more on them, like a
// router that lost their state. New connections work.
func (p *proxy) swallow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for pair := range p.pairs {
		pair.mu.Lock()
		pair.silent = true
		pair.mu.Unlock()
	}
}

func (p *proxy) accept() {
	for {
		near, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.group.Go(func() { p.serve(near) })
	}
}

func (p *proxy) serve(near net.Conn) {
	far, err := net.Dial("tcp", p.target)
	if err != nil {
		_ = near.Close()
		return
	}
	c := &pair{near: near, far: far}
	p.mu.Lock()
	p.pairs[c] = true
	if p.cut {
		p.ended++
		c.close()
	}
	p.mu.Unlock()
	var group sync.WaitGroup
	group.Go(func() { c.copy(far, near) })
	group.Go(func() { c.copy(near, far) })
	group.Wait()
	p.mu.Lock()
	delete(p.pairs, c)
	p.mu.Unlock()
}

// copy forwards until one side ends, which ends the other.
func (c *pair) copy(to, from net.Conn) {
	defer c.close()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		c.mu.Lock()
		silent := c.silent
		c.mu.Unlock()
		if silent {
			continue
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

func (c *pair) close() {
	_ = c.near.Close()
	_ = c.far.Close()
}
