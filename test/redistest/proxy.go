// SPDX-License-Identifier: Apache-2.0

package redistest

import (
	"bytes"
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// Wire is a network connection between clients and one server.
type Wire struct {
	// Addr is the address for clients.
	Addr string

	server  string
	running sync.WaitGroup

	mu       sync.Mutex
	listener net.Listener // nil while the wire is down
	open     map[net.Conn]struct{}
	cut      *cut
	lag      time.Duration
}

// cut is a pending order to lose a reply.
type cut struct {
	request []byte
	done    chan struct{}
}

// Proxy puts a wire between clients and a server until the test ends.
func Proxy(t testing.TB, server string) *Wire {
	t.Helper()
	w := &Wire{Addr: freeAddr(t), server: server, open: map[net.Conn]struct{}{}}
	t.Cleanup(func() {
		w.Down()
		w.running.Wait()
	})
	w.Up(t)
	return w
}

// Down cuts all connections and refuses new ones.
func (w *Wire) Down() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.listener == nil {
		return
	}
	_ = w.listener.Close()
	w.listener = nil
	for conn := range w.open {
		_ = conn.Close()
	}
}

// Up lets clients connect again, at the same address.
func (w *Wire) Up(t testing.TB) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.listener != nil {
		return
	}
	listener, err := net.Listen("tcp", w.Addr)
	if err != nil {
		t.Fatalf("wire: %v", err)
	}
	w.listener = listener
	w.running.Go(func() { w.accept(listener) })
}

// CutReplyOf loses one reply: the next request that contains text reaches the server, but the
// connection is cut before its reply. The channel is closed afterwards. A NOSCRIPT reply does not
// count, because the server has not executed the script.
func (w *Wire) CutReplyOf(text string) <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = &cut{request: []byte(text), done: make(chan struct{})}
	return w.cut.done
}

// Lag delays the replies of connections that are made from now on.
func (w *Wire) Lag(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lag = d
}

func (w *Wire) lags() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lag
}

func (w *Wire) accept(listener net.Listener) {
	for {
		client, err := listener.Accept()
		if err != nil {
			return // the wire is down
		}
		w.running.Go(func() { w.forward(client) })
	}
}

// forward copies in both directions until either end closes or the wire goes down.
func (w *Wire) forward(client net.Conn) {
	server, err := net.Dial("tcp", w.server)
	if err != nil {
		_ = client.Close()
		return
	}
	l := &line{wire: w, client: client, server: server}
	if !w.hold(client, server) {
		return
	}
	defer w.release(client, server)
	var replies sync.WaitGroup
	replies.Go(func() {
		back, arrived := late(client, w.lags())
		l.copy(back, server, l.replying)
		arrived()
		_ = client.Close()
	})
	l.copy(server, client, l.asking)
	_ = server.Close()
	replies.Wait()
}

// hold registers connections to be cut. It returns false if the wire is already down.
func (w *Wire) hold(conns ...net.Conn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, conn := range conns {
		if w.listener == nil {
			_ = conn.Close()
		} else {
			w.open[conn] = struct{}{}
		}
	}
	return w.listener != nil
}

func (w *Wire) release(conns ...net.Conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, conn := range conns {
		_ = conn.Close()
		delete(w.open, conn)
	}
}

// line is one connection through a wire. Its client sends a request only after the reply to the
// previous one.
type line struct {
	wire           *Wire
	client, server net.Conn
	// request holds the bytes that the client sent since the last reply. The wire's mutex guards
	// request and cut.
	request []byte
	cut     *cut
}

func (l *line) copy(to io.Writer, from io.Reader, passes func([]byte) bool) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 && !passes(buffer[:n]) {
			return
		}
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// asking searches for the request whose reply is to be lost. The request may arrive in pieces.
func (l *line) asking(piece []byte) bool {
	l.wire.mu.Lock()
	defer l.wire.mu.Unlock()
	if l.wire.cut == nil {
		return true
	}
	l.request = append(l.request, piece...)
	if bytes.Contains(l.request, l.wire.cut.request) {
		l.cut, l.wire.cut = l.wire.cut, nil
	}
	return true
}

func (l *line) replying(piece []byte) bool {
	l.wire.mu.Lock()
	defer l.wire.mu.Unlock()
	l.request = nil
	if l.cut == nil {
		return true
	}
	if bytes.HasPrefix(piece, []byte("-NOSCRIPT")) {
		l.wire.cut, l.cut = l.cut, nil
		return true
	}
	close(l.cut.done)
	l.cut = nil
	return false
}

// late returns a writer that delays each write to the same end. arrived waits for delayed writes;
// no write may follow.
func late(to io.Writer, lag time.Duration) (back io.Writer, arrived func()) {
	if lag == 0 {
		return to, func() {}
	}
	d := &delay{lag: lag, pieces: make(chan piece, 64)}
	var carrying sync.WaitGroup
	carrying.Go(func() { d.write(to) })
	return d, func() {
		close(d.pieces)
		carrying.Wait()
	}
}

// delay keeps pieces in order. A piece does not wait for other pieces.
type delay struct {
	lag    time.Duration
	pieces chan piece
}

type piece struct {
	due  time.Time
	text []byte
}

func (d *delay) write(to io.Writer) {
	for p := range d.pieces {
		time.Sleep(time.Until(p.due))
		// Ignore a closed peer; the other direction ends the connection.
		_, _ = to.Write(p.text)
	}
}

func (d *delay) Write(text []byte) (int, error) {
	d.pieces <- piece{time.Now().Add(d.lag), bytes.Clone(text)}
	return len(text), nil
}
