// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/apiserver"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/test/apitest"
)

// serving holds a complete server on a socket and its fixture.
type serving struct {
	server  *apitest.Server
	address string
}

func newServing(t testing.TB) *serving {
	t.Helper()
	api := apitest.New(t, apitest.Options{Pace: brief})
	socket, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	server := apiserver.NewServer(telemetry.Discard(), 0, 10*time.Second, apiserver.Listener{
		Name: "api", Socket: socket, Handler: api.Handler, Problems: respond.NewProblems(apitest.Origin),
	})
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		must(t, <-ended)
	})
	return &serving{api, socket.Addr().String()}
}

// send writes bytes to the server and returns all bytes of the response. A connection that
// the server closes in the middle of a request yields an empty response.
func (s *serving) send(t testing.TB, wire []byte) []byte {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", s.address)
	must(t, err)
	defer func() { _ = conn.Close() }()
	must(t, conn.SetDeadline(time.Now().Add(30*time.Second)))
	_, _ = conn.Write(wire) // the server may reject the request before its end
	if half, ok := conn.(*net.TCPConn); ok {
		_ = half.CloseWrite()
	}
	const most = 16 << 20
	answer, err := io.ReadAll(io.LimitReader(conn, most))
	var network net.Error
	if len(answer) == most || errors.As(err, &network) && network.Timeout() {
		t.Fatalf("the response does not end: %d bytes, %v", len(answer), err)
	}
	return answer
}

// first returns the first final response, if any.
func first(t testing.TB, method string, answers []byte) (apitest.Answer, bool) {
	t.Helper()
	reader := bufio.NewReader(bytes.NewReader(answers))
	for {
		if _, err := reader.Peek(1); err != nil {
			return apitest.Answer{}, false
		}
		resp, err := http.ReadResponse(reader, &http.Request{Method: method})
		if err != nil {
			t.Fatalf("the response is not valid HTTP: %v\n%q", err, answers[:min(len(answers), 500)])
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("the body cannot be read: %v", err)
		}
		if resp.StatusCode >= 200 {
			return apitest.Answer{Status: resp.StatusCode, Header: resp.Header, Body: body}, true
		}
	}
}

// awkward holds requests that the generator cannot make: invalid HTTP, and ambiguous
// requests that two servers could parse differently.
var awkward = []string{
	"", "\r\n", "GET", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/0.9\r\n\r\n", "GET / HTTP/9.9\r\nHost: a\r\n\r\n",
	"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n",
	"GET http://a/api/v1/rfq HTTP/1.1\r\nHost: b\r\n\r\n", "GET /api/v1/rfq HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
	"GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n", "GET /\x00 HTTP/1.1\r\nHost: a\r\n\r\n", "G\x00T / HTTP/1.1\r\nHost: a\r\n\r\n",
	"GET / HTTP/1.1\r\nHost: a\r\nX: \x00\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n X: folded\r\n\r\n", "GET / HTTP/1.1\nHost: a\n\n",
	"POST /api/v1/rfq HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /x HTTP/1.1\r\n\r\n",
	"POST /api/v1/rfq HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n{}{}{}", "POST /api/v1/rfq HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
	"POST /api/v1/rfq HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", "POST /api/v1/rfq HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
	"POST /api/v1/estimate HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}", "POST /api/v1/estimate HTTP/1.1\r\nHost: a\r\nExpect: the worst\r\n\r\n",
	"GET /docs/api/openapi.yaml HTTP/1.1\r\nHost: a\r\nRange: bytes=0-1\r\nAccept-Encoding: gzip\r\n\r\n", "GET /docs/api/../../etc/passwd HTTP/1.1\r\nHost: a\r\n\r\n",
}

// FuzzServer sends arbitrary bytes to the server. The first response must conform to the
// contracts, and the server must keep running.
func FuzzServer(f *testing.F) {
	s := newServing(f)
	g := newGenerator(f, s.server, 1)
	for _, text := range awkward {
		f.Add([]byte(text))
	}
	for _, op := range g.operations {
		f.Add(g.valid(op).wire())
		a := g.valid(op)
		g.mutate(a)
		f.Add(a.wire())
	}
	f.Fuzz(func(t *testing.T, wire []byte) {
		if len(wire) > 1<<20 {
			return
		}
		s.server.Advance(10 * time.Millisecond) // avoids the rate limit
		method, _, _ := strings.Cut(strings.TrimLeft(string(wire[:min(len(wire), 100)]), "\r\n"), " ")
		a, answered := first(t, method, s.send(t, wire))
		if !answered {
			return
		}
		judgeBytes(&witness{TB: t, wire: wire, what: "these bytes"}, method, a)
	})
}

// judgeBytes checks a response that may be a published file. Store errors are allowed: if
// the client closes its side, its request is cancelled, which looks like an unavailable
// store.
func judgeBytes(t testing.TB, method string, a apitest.Answer) {
	t.Helper()
	switch {
	case a.Status == http.StatusInternalServerError:
		t.Errorf("status %d, want no internal error", a.Status)
	case a.Header.Get("X-Request-Id") == "":
		t.Errorf("the response has no X-Request-Id")
	case a.Header.Get("Date") == "":
		t.Errorf("the response has no Date")
	case a.Status >= 400 && method != http.MethodHead && a.Code() != problem.CodeStoreUnavailable:
		judgeProblem(t, a)
	}
}

// The test ensures that the judge of these tests rejects bad responses.
func TestJudgeRejectsBadResponses(t *testing.T) {
	t.Parallel()
	const id = "req_0h2v9c4k7m1q5t8w3x6y0z2a4b"
	bad := func(status int, code problem.Code, fields ...string) apitest.Answer {
		a := apitest.Answer{Status: status, Header: http.Header{}, Body: []byte(`{"code":"` + string(code) + `"}`)}
		a.Header.Set("X-Request-Id", id)
		a.Header.Set("Content-Type", "application/problem+json")
		a.Header.Set("Content-Length", "25")
		for i := 0; i < len(fields); i += 2 {
			a.Header.Set(fields[i], fields[i+1])
		}
		return a
	}
	for name, tc := range map[string]struct {
		answer  apitest.Answer
		content bool
	}{
		"a problem":                    {bad(404, "NOT_FOUND", "Content-Length", "20"), true},
		"an internal error":            {bad(500, "INTERNAL_ERROR"), false},
		"an unavailable store":         {bad(503, "STORE_UNAVAILABLE", "Content-Length", "28"), false},
		"an unknown code":              {bad(404, "MYSTERY", "Content-Length", "18"), false},
		"a code of another status":     {bad(400, "NOT_FOUND", "Content-Length", "20"), false},
		"plain text":                   {bad(404, "NOT_FOUND", "Content-Type", "text/plain"), false},
		"another length":               {bad(404, "NOT_FOUND", "Content-Length", "21"), false},
		"no request id":                {bad(404, "NOT_FOUND", "Content-Length", "20", "X-Request-Id", ""), false},
		"a 401 without a challenge":    {bad(401, "INVALID_API_KEY", "Content-Length", "26"), false},
		"a 401 with a challenge":       {bad(401, "INVALID_API_KEY", "Content-Length", "26", "WWW-Authenticate", "Bearer"), true},
		"a 405 without Allow":          {bad(405, "METHOD_NOT_ALLOWED", "Content-Length", "29"), false},
		"a response that is too large": {apitest.Answer{Status: 200, Header: http.Header{"X-Request-Id": {id}}, Body: make([]byte, maxAnswer+1)}, false},
	} {
		seen := &hearing{TB: t}
		judge(seen, http.MethodGet, tc.answer)
		if (seen.complaints == 0) != tc.content {
			t.Errorf("%s: judge reported %d failures", name, seen.complaints)
		}
	}
}

// hearing counts reported failures and does not fail.
type hearing struct {
	testing.TB
	complaints int
}

func (h *hearing) Errorf(string, ...any) { h.complaints++ }
