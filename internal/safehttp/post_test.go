// SPDX-License-Identifier: Apache-2.0

package safehttp_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/safehttp"
)

// post sends a small body and reads 1 KiB of the answer.
func post(t *testing.T, client *safehttp.Client, url string) (safehttp.Answer, error) {
	t.Helper()
	return client.Post(t.Context(), url, http.Header{"X-Mark": {"1"}}, []byte(`{"a":1}`), 1024)
}

func TestPostsABody(t *testing.T) {
	t.Parallel()
	type request struct {
		Method, URI, Body, Agent, Mark string
		Others                         []string
	}
	var got request
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got = request{Method: r.Method, URI: r.RequestURI, Body: string(body), Agent: r.UserAgent(), Mark: r.Header.Get("X-Mark")}
		for _, name := range []string{"Accept-Encoding", "Cookie", "Idempotency-Key", "Referer"} {
			got.Others = append(got.Others, r.Header[name]...)
		}
		w.Header().Set("Retry-After", "5")
		w.Header().Set("Set-Cookie", "a=1")
		w.WriteHeader(503)
		_, _ = io.WriteString(w, "later")
	}))
	t.Cleanup(server.Close)
	client := safehttp.New(safehttp.Config{Allow: loopback, UserAgent: "test/1"})
	for range 2 {
		answer, err := post(t, client, server.URL+"/hook?a=b")
		if err != nil {
			t.Fatalf("post: %v", err)
		}
		if diff := cmp.Diff(safehttp.Answer{Status: 503, RetryAfter: "5", Body: []byte("later")}, answer); diff != "" {
			t.Errorf("answer (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(request{Method: "POST", URI: "/hook?a=b", Body: `{"a":1}`, Agent: "test/1", Mark: "1"}, got); diff != "" {
			t.Errorf("request (-want +got):\n%s", diff)
		}
	}
}

func TestPostToSpecialDestinationIsRefused(t *testing.T) {
	t.Parallel()
	client := safehttp.New(safehttp.Config{Dial: time.Second, KeepAlive: time.Minute})
	for _, url := range special {
		if _, err := post(t, client, url); !errors.Is(err, safehttp.ErrRefused) {
			t.Errorf("%s: %v, want ErrRefused", url, err)
		}
	}
}

// TestRedirectsOfAPostAreAnswers sends us to the metadata of a cloud, inside, and to
// the server itself.
func TestRedirectsOfAPostAreAnswers(t *testing.T) {
	t.Parallel()
	trap := trapAt(t, "127.0.0.3:0")
	var requests atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		w.Header().Set("Location", r.URL.Query().Get("to"))
		status, _ := strconv.Atoi(r.URL.Query().Get("status"))
		w.WriteHeader(status)
	}))
	t.Cleanup(server.Close)
	client := safehttp.New(safehttp.Config{Allow: loopback, Dial: time.Second})
	want := int32(0)
	for _, to := range []string{"http://169.254.169.254/latest/meta-data/", "http://127.0.0.3/", "/again", "::no-URL::", "", "file:///etc/passwd"} {
		for _, status := range []int{301, 302, 303, 307, 308} {
			want++
			answer, err := post(t, client, fmt.Sprintf("%s/?status=%d&to=%s", server.URL, status, to))
			if err != nil || answer.Status != status {
				t.Errorf("%d to %q: %v, %v", status, to, answer, err)
			}
		}
	}
	if got := requests.Load(); got != want || trap.Load() != 0 {
		t.Errorf("%d requests, %d connections inside; want %d and 0", got, trap.Load(), want)
	}
}

// TestKeptConnectionIsCheckedWhenItIsDialled moves a name to an internal address: the dialled
// connection stays in use, and a new one is refused.
func TestKeptConnectionIsCheckedWhenItIsDialled(t *testing.T) {
	t.Parallel()
	outside, inside := [4]byte{127, 0, 0, 1}, [4]byte{127, 0, 0, 2}
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(server.Close)
	port := strconv.Itoa(server.Listener.Addr().(*net.TCPAddr).Port)
	trap := trapAt(t, net.JoinHostPort("127.0.0.2", port))
	asked := &names{T: t, answers: [][][4]byte{{outside}, {inside}}}
	client := safehttp.New(safehttp.Config{Allow: loopback, Resolver: asked.resolver(), KeepAlive: time.Minute})
	t.Cleanup(client.Close)
	for range 3 {
		if _, err := post(t, client, "http://hook.test:"+port); err != nil {
			t.Fatalf("on the kept connection: %v", err)
		}
	}
	client.Close()
	_, err := post(t, client, "http://hook.test:"+port)
	if !errors.Is(err, safehttp.ErrRefused) || strings.Contains(err.Error(), "127.") {
		t.Errorf("on a new one: %v, want ErrRefused", err)
	}
	if n := trap.Load(); n != 0 {
		t.Errorf("%d connections came inside", n)
	}
}

// connections counts the connections of a server.
func connections(server *httptest.Server) *atomic.Int32 {
	var count atomic.Int32
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			count.Add(1)
		}
	}
	return &count
}

func TestConnectionsAreKeptOnlyIfConfigured(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		keep time.Duration
		want int32
	}{"kept for a minute": {time.Minute, 1}, "not kept": {0, 3}} {
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") }))
		count := connections(server)
		server.Start()
		t.Cleanup(server.Close)
		client := safehttp.New(safehttp.Config{Allow: loopback, KeepAlive: tc.keep})
		t.Cleanup(client.Close)
		for range 3 {
			if _, err := post(t, client, server.URL); err != nil {
				t.Fatalf("post: %v", err)
			}
		}
		if got := count.Load(); got != tc.want {
			t.Errorf("%s: %d connections, want %d", name, got, tc.want)
		}
	}
}

// TestKeptConnectionThatTheServerClosesIsReplaced responds once on each connection and closes
// it when the next request arrives.
func TestKeptConnectionThatTheServerClosesIsReplaced(t *testing.T) {
	t.Parallel()
	var bodies atomic.Int32
	url := raw(t, func(conn net.Conn) {
		reader := bufio.NewReader(conn)
		request, err := http.ReadRequest(reader)
		if err != nil {
			return
		}
		if body, _ := io.ReadAll(request.Body); string(body) == `{"a":1}` {
			bodies.Add(1)
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
		_, _ = reader.Peek(1)
	})
	client := safehttp.New(safehttp.Config{Allow: loopback, KeepAlive: time.Minute, Total: 5 * time.Second})
	t.Cleanup(client.Close)
	for i := range 3 {
		if answer, err := post(t, client, url); err != nil || answer.Status != 200 {
			t.Errorf("post %d: %v, %v", i, answer, err)
		}
	}
	if got := bodies.Load(); got != 3 {
		t.Errorf("%d whole bodies came, want 3", got)
	}
}

// raw answers connections without a server in between.
func raw(t *testing.T, serve func(net.Conn)) (url string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("net.Listen: %v", err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
			serve(conn)
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() { _ = listener.Close(); <-ended })
	return "http://" + listener.Addr().String() + "/"
}

// afterTheRequest serves after the request has arrived, because a response without a request is
// another fault.
func afterTheRequest(serve func(net.Conn)) func(net.Conn) {
	return func(conn net.Conn) {
		request, err := http.ReadRequest(bufio.NewReader(conn))
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, request.Body)
		serve(conn)
	}
}

// until answers with a text and then waits for the other side to go.
func until(text string) func(net.Conn) {
	return func(conn net.Conn) {
		_, _ = io.WriteString(conn, text)
		_, _ = io.Copy(io.Discard, conn)
	}
}

// TestHostileReceivers answers posts badly in every way that costs the caller.
func TestHostileReceivers(t *testing.T) {
	t.Parallel()
	endless := func(head, piece string, pause time.Duration) func(net.Conn) {
		return func(conn net.Conn) {
			_, err := io.WriteString(conn, head)
			for err == nil {
				_, err = io.WriteString(conn, piece)
				time.Sleep(pause)
			}
		}
	}
	const ok = "HTTP/1.1 200 OK\r\n"
	tests := map[string]struct {
		serve  func(net.Conn)
		status int
		length int
		want   error
	}{
		"a body without end is cut":           {endless(ok+"\r\n", strings.Repeat("x", 512), 0), 200, 1024, nil},
		"a body over the limit is cut":        {until(ok + "Content-Length: 9999999\r\n\r\n" + strings.Repeat("x", 4096)), 200, 1024, nil},
		"a body that trickles":                {endless(ok+"\r\n", "x", 50*time.Millisecond), 200, 0, safehttp.ErrTimeout},
		"a body that stops":                   {until(ok + "Content-Length: 5\r\n\r\nx"), 200, 0, safehttp.ErrTimeout},
		"a body shorter than declared":        {func(c net.Conn) { _, _ = io.WriteString(c, ok+"Content-Length: 5\r\n\r\nx") }, 200, 0, safehttp.ErrFailed},
		"a header that trickles":              {endless(ok, "X: y\r\n", 50*time.Millisecond), 0, 0, safehttp.ErrTimeout},
		"a header without end":                {endless(ok, "X: "+strings.Repeat("y", 1000)+"\r\n", 0), 0, 0, safehttp.ErrFailed},
		"a field without end":                 {endless(ok+"X: ", strings.Repeat("y", 1000), 0), 0, 0, safehttp.ErrFailed},
		"interim answers without end":         {endless("", "HTTP/1.1 103 Early Hints\r\nX: "+strings.Repeat("y", 1000)+"\r\n\r\n", 0), 0, 0, safehttp.ErrFailed},
		"no answer at all":                    {until(""), 0, 0, safehttp.ErrTimeout},
		"a connection that is closed at once": {func(net.Conn) {}, 0, 0, safehttp.ErrFailed},
		"a connection that is reset":          {func(c net.Conn) { _ = c.(*net.TCPConn).SetLinger(0) }, 0, 0, safehttp.ErrFailed},
		"another protocol":                    {until("220 mail.test ESMTP\r\n"), 0, 0, safehttp.ErrFailed},
		"a switch of protocols": {
			until("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"), 101, 0, nil,
		},
	}
	for name, tc := range tests {
		for _, keep := range []time.Duration{0, time.Minute} {
			t.Run(fmt.Sprintf("%s, kept %s", name, keep), func(t *testing.T) {
				t.Parallel()
				client := safehttp.New(safehttp.Config{Allow: loopback, KeepAlive: keep, Total: 400 * time.Millisecond})
				t.Cleanup(client.Close)
				answer, err := post(t, client, raw(t, afterTheRequest(tc.serve)))
				if !errors.Is(err, tc.want) || answer.Status != tc.status || err == nil && len(answer.Body) != tc.length || len(answer.Body) > 1024 {
					t.Errorf("status %d, %d bytes, %v; want %d, %d, %v", answer.Status, len(answer.Body), err, tc.status, tc.length, tc.want)
				}
				if err != nil && strings.Contains(err.Error(), "127.0.0.1") {
					t.Errorf("the error names an address: %v", err)
				}
			})
		}
	}
}

// TestPostToAReceiverThatNeverReadsTimesOut posts more than sockets hold.
func TestPostToAReceiverThatNeverReadsTimesOut(t *testing.T) {
	t.Parallel()
	url := raw(t, func(net.Conn) { <-t.Context().Done() })
	client := safehttp.New(safehttp.Config{Allow: loopback, Total: 400 * time.Millisecond, KeepAlive: time.Minute})
	t.Cleanup(client.Close)
	_, err := client.Post(t.Context(), url, nil, make([]byte, 64<<20), 1024)
	if !errors.Is(err, safehttp.ErrTimeout) {
		t.Errorf("error %v, want ErrTimeout", err)
	}
}

func TestCancellingEndsThePost(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	url := raw(t, func(conn net.Conn) {
		cancel()
		_, _ = io.Copy(io.Discard, conn)
	})
	_, err := safehttp.New(safehttp.Config{Allow: loopback}).Post(ctx, url, nil, nil, 1024)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestIdleTimeoutDoesNotLimitAResponseOnAKeptConnection waits before and after a
// request, both times for less than Idle, but together for more.
func TestIdleTimeoutDoesNotLimitAResponseOnAKeptConnection(t *testing.T) {
	t.Parallel()
	const half = 300 * time.Millisecond
	var requests atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		requests.Add(1)
		time.Sleep(half)
	}))
	t.Cleanup(server.Close)
	client := safehttp.New(safehttp.Config{Allow: loopback, KeepAlive: time.Minute, Idle: half * 3 / 2})
	t.Cleanup(client.Close)
	for range 2 {
		if _, err := post(t, client, server.URL); err != nil {
			t.Fatalf("post: %v", err)
		}
		time.Sleep(half)
	}
	if got := requests.Load(); got != 2 {
		t.Errorf("%d requests came, want 2: one was given up and repeated", got)
	}
}
