// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/printmarket/printmarket/apiserver"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/test/apitest"
	"github.com/printmarket/printmarket/test/eventually"
)

const (
	streamsOpen = `printmarket_http_streams_open{listener="api"} `
	inFlight    = `printmarket_http_requests_in_flight{listener="api"} `
)

// queued submits a job while no worker runs, and returns the URL of its events.
func queued(t *testing.T, server *apitest.Server, key string) string {
	t.Helper()
	a := server.Do(t, apitest.Request{Method: http.MethodPost, Path: "/api/v1/preflight", Key: key, Body: `{"fileUrl":"https://files.example.com/a.pdf","profile":"print_ready"}`})
	return a.Want(t, 202, "").Header.Get("Location") + "/events"
}

// follow opens a stream on a new connection and reads its header.
func (c *crowd) follow(t *testing.T, path, key string) (net.Conn, *http.Response) {
	t.Helper()
	conn := c.connect(t, "GET "+path+" HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+c.Key(key)+"\r\n\r\n")
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	must(t, err)
	return conn, resp
}

func TestStreamsTakeNeitherSlotsNorShares(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, caps{slots: 1, organization: 1, stall: time.Minute})
	path := queued(t, c.Server, "acme-live")
	var conns []net.Conn
	for range 4 {
		conn, resp := c.follow(t, path, "acme-live")
		if resp.StatusCode != http.StatusOK {
			t.Fatal(resp.Status)
		}
		conns = append(conns, conn)
	}
	eventually.Holds(t, "four streams are open, without a slot", func() bool { return c.metric(streamsOpen+"4") && c.metric(inFlight+"0") })
	c.want(t, http.MethodGet, "/api/v1/rfq", "acme-live", "200")
	for _, conn := range conns {
		must(t, conn.Close())
	}
	eventually.Holds(t, "the streams end with their clients", func() bool { return c.metric(streamsOpen+"0") && c.metric(inFlight+"0") })
	c.want(t, http.MethodGet, "/api/v1/rfq", "acme-live", "200")
}

func TestStreamsAreLimited(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, caps{streams: gate.NewStreams(3, 2), stall: time.Minute})
	acme, stark := queued(t, c.Server, "acme-live"), queued(t, c.Server, "stark-live")
	first, _ := c.follow(t, acme, "acme-live")
	for _, step := range []struct{ path, key, want string }{
		{acme, "acme-live", "200"}, {acme, "acme-live", overloaded}, {stark, "stark-live", "200"}, {stark, "stark-live", overloaded},
	} {
		_, resp := c.follow(t, step.path, step.key)
		if step.want == overloaded {
			if got := outcome(t, resp); got != step.want || resp.Header.Get("Retry-After") != "1" {
				t.Errorf("%s: %s, Retry-After %q", step.key, got, resp.Header.Get("Retry-After"))
			}
		} else if resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %s, want %s", step.key, resp.Status, step.want)
		}
	}
	if !c.metric(`printmarket_http_requests_shed_total{lack="streams",listener="api"} 1`) || !c.metric(`printmarket_http_requests_shed_total{lack="organization",listener="api"} 1`) {
		t.Error("no metric reports the exceeded limit")
	}
	must(t, first.Close())
	eventually.Holds(t, "a stream has ended", func() bool { return c.metric(streamsOpen + "2") })
	_, resp := c.follow(t, stark, "stark-live")
	if resp.StatusCode != http.StatusOK {
		t.Errorf("after one stream has ended: %s, want 200", resp.Status)
	}
}

// The clients see the end of the response and connect to another server.
func TestAServerThatStopsEndsItsStreams(t *testing.T) {
	t.Parallel()
	api := apitest.New(t, apitest.Options{})
	path, socket := queued(t, api, "acme-live"), listen(t)
	server := apiserver.NewServer(telemetry.Discard(), 0, time.Minute,
		apiserver.Listener{Name: "api", Socket: socket, Handler: api.Handler, Problems: respond.NewProblems(apitest.Origin)})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- server.Run(ctx) }()
	c := &crowd{Server: api, address: socket.Addr().String()}
	_, resp := c.follow(t, path, "acme-live")
	eventually.Holds(t, "the stream is open", func() bool { return c.metric(streamsOpen + "1") })
	stop()
	text, err := io.ReadAll(resp.Body)
	if err != nil || !strings.Contains(string(text), "\nid: 1-queued\n") {
		t.Errorf("%q, error %v", text, err)
	}
	select {
	case err := <-ended:
		must(t, err)
	case <-time.After(patience):
		t.Fatal("the server waits for open streams")
	}
	if !c.metric(streamsOpen + "0") {
		t.Error("the stream has not ended")
	}
}

// A stream may last longer than the timeouts of requests and responses, but not longer
// than the stall timeout. The test uses a fake clock.
func TestAStreamOutlivesTheServersPatience(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		read  func(net.Conn) error
		after time.Duration
		err   error
	}{
		"a client that reads everything gets the complete stream": {readAnswer, 195 * time.Second, nil},
		"a client that reads nothing is disconnected":             {func(net.Conn) error { return nil }, 10 * time.Second, os.ErrDeadlineExceeded},
		"a client that stops reading is disconnected": {func(conn net.Conn) error {
			if err := conn.SetReadDeadline(time.Now().Add(100 * time.Second)); err != nil {
				return err
			}
			_, _ = io.Copy(io.Discard, conn) // ends at the deadline
			return nil
		}, 115 * time.Second, os.ErrDeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var words wordy
			server := apitest.New(t, apitest.Options{Routes: []gate.Route{internalRoute(http.MethodGet, "/internal/stream", words.serve)}})
			synctest.Test(t, func(t *testing.T) {
				if got := words.follow(t, server, tc.read); got.after.Round(time.Second) != tc.after || !errors.Is(got.err, tc.err) {
					t.Errorf("the stream ended after %s with %v, want %s and %v", got.after, got.err, tc.after, tc.err)
				}
			})
		})
	}
}

func readAnswer(conn net.Conn) error {
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// wordy writes a word every 15 seconds, 13 times.
type wordy struct{ ended chan writing }

func (s *wordy) serve(call *gate.Call) (err error) {
	began := time.Now()
	stream, refusal := call.Stream(func(http.Header) {})
	if refusal != nil {
		return refusal
	}
	defer stream.Close()
	defer func() { s.ended <- writing{time.Since(began), err}; err = nil }()
	for range 13 {
		if _, err := io.WriteString(stream, "word\n"); err != nil {
			return err
		}
		time.Sleep(15 * time.Second)
	}
	return nil
}

// follow runs a client that reads the words with read. A synctest bubble requires its own
// sockets and channels.
func (s *wordy) follow(t *testing.T, api *apitest.Server, read func(net.Conn) error) writing {
	t.Helper()
	s.ended = make(chan writing, 1)
	socket := newPipes()
	server := apiserver.NewServer(telemetry.Discard(), 0, time.Minute, apiserver.Listener{
		Name: "api", Socket: socket, Handler: api.Handler, Problems: respond.NewProblems(apitest.Origin),
	})
	ctx, stop := context.WithCancel(t.Context())
	stopped, hasRead := make(chan error, 1), make(chan error, 1)
	go func() { stopped <- server.Run(ctx) }()
	conn, err := socket.dial(ctx, "", "")
	must(t, err)
	_, err = io.WriteString(conn, "GET /internal/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+api.Key("acme-live")+"\r\n\r\n")
	must(t, err)
	go func() { hasRead <- read(conn) }()
	end := <-s.ended
	must(t, <-hasRead)
	must(t, conn.Close())
	stop()
	must(t, <-stopped)
	return end
}
