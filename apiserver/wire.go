// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/problem"
)

// problemListener replaces the plain-text responses that net/http writes to requests that it
// cannot parse. Handlers never see these requests.
type problemListener struct {
	net.Listener
	problems *respond.Problems
}

// Accept wraps the connection.
func (l problemListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &problemConn{Conn: conn, problems: l.problems}, nil
}

type problemConn struct {
	net.Conn
	problems *respond.Problems
}

// plainText is the part of such a response after its status line. expectation is the
// beginning of the response to an unknown Expect. net/http writes each in one call, and no
// handler writes an equal response.
var (
	plainText   = []byte("\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n")
	expectation = []byte("HTTP/1.1 417 ")
)

// Write replaces such a response with a problem.
func (c *problemConn) Write(text []byte) (int, error) {
	status, ok := refusedByServer(text)
	if !ok {
		return c.Conn.Write(text)
	}
	if _, err := c.Conn.Write(c.problem(status)); err != nil {
		return 0, err
	}
	return len(text), nil
}

// CloseWrite lets net/http end the connection to a client that is still sending.
func (c *problemConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

func refusedByServer(text []byte) (status int, ok bool) {
	const version = "HTTP/1.1 "
	if bytes.HasPrefix(text, expectation) && bytes.HasSuffix(text, []byte("\r\n\r\n")) {
		return http.StatusExpectationFailed, true
	}
	// Every response passes here, so only its first line is examined.
	end := bytes.Index(text, []byte("\r\n"))
	if end < len(version)+3 || !bytes.HasPrefix(text[end:], plainText) || !bytes.HasPrefix(text, []byte(version)) {
		return 0, false
	}
	status, err := strconv.Atoi(string(text[len(version) : len(version)+3]))
	return status, err == nil && status >= 400
}

func (c *problemConn) problem(status int) []byte {
	p := problem.New(problem.CodeInvalidRequest, "The request is not valid HTTP.")
	switch status {
	case http.StatusExpectationFailed:
		p = problem.New(problem.CodeInvalidRequest, "The only supported value of the Expect header is 100-continue.")
	case http.StatusRequestHeaderFieldsTooLarge:
		p = problem.New(problem.CodeHeadersTooLarge, "The request's header fields are larger than %d bytes.", maxHeader)
	}
	now := time.Now()
	// The path of the request is unknown, so the response has the strictest privacy fields.
	a := answer{header: http.Header{
		"Connection": {"close"}, "Date": {now.UTC().Format(http.TimeFormat)}, "Cache-Control": unsharedCache, "Vary": unsharedVary,
		"X-Content-Type-Options": noSniff,
	}}
	if _, mutual := c.Conn.(*mutualConn); mutual {
		a.header["Strict-Transport-Security"] = strictlyTransport
	}
	c.problems.Write(respond.Begin(&a, &http.Request{}, now), p)
	var out bytes.Buffer
	fmt.Fprintf(&out, "HTTP/1.1 %d %s\r\n", a.status, http.StatusText(a.status))
	_ = a.header.Write(&out) // writing to a buffer cannot fail
	out.WriteString("\r\n")
	out.Write(a.body)
	return out.Bytes()
}

// answer is a response writer that records the response.
type answer struct {
	header http.Header
	status int
	body   []byte
}

func (a *answer) Header() http.Header    { return a.header }
func (a *answer) WriteHeader(status int) { a.status = status }

func (a *answer) Write(body []byte) (int, error) {
	a.body = append(a.body, body...)
	return len(body), nil
}
