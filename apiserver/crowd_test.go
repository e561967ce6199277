// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/apiserver"
	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/docs"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/test/apitest"
)

// crowd is a server with small limits and the data that its clients need.
type crowd struct {
	*apitest.Server
	address string
	client  *http.Client
}

// caps holds the limits of a crowd's server.
type caps struct {
	slots, files, bodies, unsigned, organization int
	streams                                      *gate.Streams
	stall, body, unsignedTimeout                 time.Duration
	routes                                       []gate.Route
}

func (c caps) handler(t *testing.T, server *apitest.Server) http.Handler {
	t.Helper()
	routes, err := apitest.Routes(server)
	must(t, err)
	files, err := contracts.Files(docs.API, "")
	must(t, err)
	handler, err := apiserver.API{
		Gates: server.Gates, Problems: respond.NewProblems(apitest.Origin), Metrics: server.Metrics, Log: telemetry.Discard(), Now: server.Clock.Now,
		Contracts: server.Contracts, Files: files, Routes: append(routes, c.routes...), BodyTimeout: c.body,
		MaxInFlight: c.slots, MaxFiles: c.files, MaxBodies: c.bodies, MaxUnsigned: c.unsigned, MaxPerOrganization: c.organization,
		Streams: c.streams, UnsignedTimeout: cmp.Or(c.unsignedTimeout, c.body),
	}.Handler()
	must(t, err)
	return handler
}

func newCrowd(t *testing.T, limits caps) *crowd {
	t.Helper()
	api := apitest.New(t, apitest.Options{})
	api.Handler = limits.handler(t, api)
	socket := listen(t)
	server := apiserver.NewServer(telemetry.Discard(), 0, time.Millisecond,
		apiserver.Listener{Name: "api", Socket: socket, Handler: api.Handler, Problems: respond.NewProblems(apitest.Origin)})
	server.SetStall(limits.stall)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Run(ctx) // the server closes connections that are still open
	}()
	t.Cleanup(func() {
		stop()
		<-ended
	})
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &crowd{Server: api, address: socket.Addr().String(), client: &http.Client{Transport: transport, Timeout: patience}}
}

// patience limits the time that a test waits for an expected event.
const patience = 30 * time.Second

// connect opens a connection that sends a text and has a small receive buffer.
func (c *crowd) connect(t *testing.T, text string) net.Conn {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", c.address)
	must(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	if socket, ok := conn.(*net.TCPConn); ok {
		must(t, socket.SetReadBuffer(4096))
	}
	must(t, conn.SetDeadline(time.Now().Add(patience)))
	_, err = io.WriteString(conn, text)
	must(t, err)
	return conn
}

const (
	rfqBody = `{"catalogProductUid":"print:flyers:a5","title":"Flyers","category":"commercial-print","quantity":5000,"deliveryCity":"Utrecht"}`
	openAPI = "/docs/api/openapi.yaml"
)

// begin returns the header of a request to create an RFQ, without the body.
func (c *crowd) begin(key string) string {
	return fmt.Sprintf("POST /api/v1/rfq HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nIdempotency-Key: k\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
		c.Key(key), len(rfqBody))
}

// ask sends a request over the network and returns its status and problem code.
func (c *crowd) ask(t *testing.T, method, path, key string) string {
	t.Helper()
	var body io.Reader
	if method == http.MethodPost {
		body = strings.NewReader(rfqBody)
	}
	r, err := http.NewRequestWithContext(t.Context(), method, "http://"+c.address+path, body)
	must(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", "ask-"+key)
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+c.Key(key))
	}
	resp, err := c.client.Do(r)
	must(t, err)
	return outcome(t, resp)
}

func outcome(t *testing.T, resp *http.Response) string {
	t.Helper()
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	must(t, err)
	var p struct{ Code problem.Code }
	_ = json.Unmarshal(text, &p) // published files are not JSON
	return strings.TrimSpace(fmt.Sprintf("%d %s", resp.StatusCode, p.Code))
}

// want sends a request and compares its status and problem code with outcome.
func (c *crowd) want(t *testing.T, method, path, key, outcome string) {
	t.Helper()
	if got := c.ask(t, method, path, key); got != outcome {
		t.Errorf("%s %s by %q: %s, want %s", method, path, key, got, outcome)
	}
}

// metric reports whether the metrics contain a line.
func (c *crowd) metric(line string) bool {
	rec := httptest.NewRecorder()
	c.Metrics.Handler().ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return strings.Contains(rec.Body.String(), "\n"+line)
}

// largeRoute returns a route that responds with a number of bytes.
func largeRoute(size int) gate.Route {
	return internalRoute(http.MethodGet, "/internal/large", func(call *gate.Call) error {
		respond.Bytes(call.Writer, http.StatusOK, "application/json", make([]byte, size))
		return nil
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
