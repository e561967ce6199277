// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/printmarket/printmarket/apiserver"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/test/eventually"
)

func listen(t *testing.T) net.Listener {
	t.Helper()
	var config net.ListenConfig
	socket, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("config.Listen: %v", err)
	}
	t.Cleanup(func() { _ = socket.Close() })
	return socket
}

// blocking responds after leave is closed.
type blocking struct{ entered, leave chan struct{} }

func newBlocking() *blocking {
	return &blocking{entered: make(chan struct{}, 1), leave: make(chan struct{})}
}

func (b *blocking) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.entered <- struct{}{}
	select {
	case <-b.leave:
		_, _ = io.WriteString(w, "done")
	case <-r.Context().Done():
	}
}

// get makes one request in the background.
func get(t *testing.T, socket net.Listener) <-chan string {
	t.Helper()
	got := make(chan string, 1)
	r, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+socket.Addr().String(), nil)
	if err != nil {
		t.Fatalf("http.NewRequestWithContext: %v", err)
	}
	go func() {
		resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
		if err != nil {
			got <- "error: " + err.Error()
			return
		}
		defer func() { _ = resp.Body.Close() }()
		body, _ := io.ReadAll(resp.Body)
		got <- resp.Status + " " + string(body)
	}()
	return got
}

func refused(socket net.Listener) bool {
	conn, err := net.DialTimeout("tcp", socket.Addr().String(), time.Second)
	if err == nil {
		_ = conn.Close()
	}
	return err != nil
}

func TestServerDrains(t *testing.T) {
	t.Parallel()
	api, ops, handler := listen(t), listen(t), newBlocking()
	server := apiserver.NewServer(telemetry.Discard(), 0, time.Minute,
		apiserver.Listener{Name: "api", Socket: api, Handler: handler},
		apiserver.Listener{Name: "ops", Socket: ops, Handler: http.NotFoundHandler()},
	)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- server.Run(ctx) }()
	answer := get(t, api)
	<-handler.entered
	if server.Draining() {
		t.Error("Draining() is true before the context ended")
	}
	stop()
	eventually.Holds(t, "new connections are rejected", func() bool { return server.Draining() && refused(api) && refused(ops) })
	select {
	case err := <-ended:
		t.Fatalf("Run ended with a request in flight: %v", err)
	case got := <-answer:
		t.Fatalf("the request ended before its response: %s", got)
	default:
	}
	close(handler.leave)
	if got := <-answer; got != "200 OK done" {
		t.Errorf("the request in flight got %q, want 200 OK", got)
	}
	if err := <-ended; err != nil {
		t.Errorf("Run = %v, want nil after a clean drain", err)
	}
}

// pipes is an in-process listener, for tests with a fake clock.
type pipes struct {
	conns chan net.Conn
	once  sync.Once
	ended chan struct{}
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), ended: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.ended:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error { p.once.Do(func() { close(p.ended) }); return nil }

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipes"} }

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.conns <- server:
		return client, nil
	case <-p.ended:
		return nil, net.ErrClosed
	}
}

// Load balancers need time to see that readiness fails, and send requests until then.
func TestServerSettlesBeforeItRefuses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		socket := newPipes()
		server := apiserver.NewServer(telemetry.Discard(), 10*time.Second, time.Minute, apiserver.Listener{Name: "api", Socket: socket, Handler: http.NotFoundHandler()})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- server.Run(ctx) }()
		stop()
		time.Sleep(9 * time.Second)
		synctest.Wait()
		if !server.Draining() {
			t.Error("readiness does not fail while the server settles")
		}
		client := &http.Client{Transport: &http.Transport{DialContext: socket.dial, DisableKeepAlives: true}}
		resp, err := client.Get("http://pipes/")
		if err != nil || resp.StatusCode != http.StatusNotFound {
			t.Errorf("a request while the server settles: %v, %v; want a response", resp, err)
		}
		_ = resp.Body.Close()
		if err := <-ended; err != nil {
			t.Errorf("Run = %v", err)
		}
		if _, err := client.Get("http://pipes/"); err == nil {
			t.Error("a request got a response after the drain")
		}
	})
}

func TestServerGivesUpOnRequestsThatOutliveTheGrace(t *testing.T) {
	t.Parallel()
	socket, handler := listen(t), newBlocking()
	server := apiserver.NewServer(telemetry.Discard(), 0, time.Millisecond, apiserver.Listener{Name: "api", Socket: socket, Handler: handler})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- server.Run(ctx) }()
	answer := get(t, socket)
	<-handler.entered
	stop()
	if err := <-ended; !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "drain api") {
		t.Errorf("Run = %v, want the listener's deadline", err)
	}
	if got := <-answer; !strings.HasPrefix(got, "error: ") {
		t.Errorf("the interrupted request got %q", got)
	}
}

// failing is a socket whose Accept fails.
type failing struct{ net.Listener }

func (failing) Accept() (net.Conn, error) { return nil, errors.New("socket broke") }

func TestServerStopsWhenOneListenerFails(t *testing.T) {
	t.Parallel()
	good, bad := listen(t), failing{listen(t)}
	server := apiserver.NewServer(telemetry.Discard(), time.Hour, time.Minute,
		apiserver.Listener{Name: "api", Socket: good, Handler: http.NotFoundHandler()},
		apiserver.Listener{Name: "ops", Socket: bad, Handler: http.NotFoundHandler()},
	)
	err := server.Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "serve ops: socket broke") {
		t.Errorf("Run = %v, want the failure of ops", err)
	}
	if !refused(good) || !server.Draining() {
		t.Error("the other listener continues to serve")
	}
}
