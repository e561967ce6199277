// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/apiserver"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/requestlog"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/test/apitest"
	"github.com/printmarket/printmarket/test/programs"
)

const (
	benchClients = 8
	// benchTurn is the number of requests that each client sends to one server before
	// the turn of the other server.
	benchTurn = 100
)

// BenchmarkGated compares a read through the complete edge (listener, router, gate,
// metrics, request log) with a bare net/http handler that returns the same bytes. The two
// servers take turns, so that other load on the machine affects both. The metric ratio is
// the throughput of the gated server divided by that of the bare one, in the median turn.
// cpu-ratio is the same ratio of the CPU time per request, including client and kernel.
// adds-ns/req is the additional CPU time of the edge, in nanoseconds per request.
//
// One case uses 1,000 connections in turn, of which 8 are active at a time. The listeners of
// the product speak HTTP/1.1 only, so the case of HTTP/2 runs both handlers in bare servers. The cases
// of many partners send a request of each partner in turn.
func BenchmarkGated(b *testing.B) {
	for _, log := range []struct {
		name  string
		level slog.Level
	}{{"request log on", slog.LevelInfo}, {"request log off", slog.LevelWarn}} {
		b.Run("over loopback, "+log.name, func(b *testing.B) { benchmarkLoopback(b, log.level, 1) })
		b.Run("over 1,000 connections, "+log.name, func(b *testing.B) { benchmarkLoopback(b, log.level, 1000/benchClients) })
		b.Run("over HTTP 2, "+log.name, func(b *testing.B) { benchmarkHTTP2(b, log.level) })
		b.Run("handlers alone, "+log.name, func(b *testing.B) { benchmarkHandlers(b, log.level, 0) })
	}
	for _, n := range []int{100, 1_000, 10_000} {
		b.Run(fmt.Sprint("of many/partners=", n), func(b *testing.B) { benchmarkHandlers(b, slog.LevelInfo, n) })
	}
}

// gatedServer serves one read and holds its expected response.
type gatedServer struct {
	*apitest.Server
	request *http.Request
	body    []byte
	header  http.Header
}

func newGatedServer(b *testing.B, level slog.Level) *gatedServer {
	b.Helper()
	w := &gatedServer{Server: apitest.New(b, apitest.Options{}), body: bytes.Repeat([]byte("0123456789abcdef"), 32)}
	w.Limit("acme", v1alpha1.SurfacePartner, 10_000_000)
	w.Handler = w.handler(b, level, nil)
	w.request = w.Build(b, apitest.Request{
		Method: http.MethodGet, Path: "/internal/rfq/rfq_01", Key: "acme-live", Header: map[string]string{"Accept": "application/json"},
	})
	rec := httptest.NewRecorder()
	w.Handler.ServeHTTP(rec, w.request)
	if rec.Code != http.StatusOK || !bytes.Equal(rec.Body.Bytes(), w.body) {
		b.Fatalf("answer %d\n%s", rec.Code, rec.Body)
	}
	w.header = rec.Header()
	return w
}

// handler returns the API with the read. The fixture's clock is fixed and locked, so the
// handler uses the system clock.
func (g *gatedServer) handler(b *testing.B, level slog.Level, requests *requestlog.Recorder) http.Handler {
	b.Helper()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		b.Fatalf("os.OpenFile: %v", err)
	}
	b.Cleanup(func() { _ = null.Close() })
	routes, err := apitest.Routes(g.Server)
	if err != nil {
		b.Fatalf("apitest.Routes: %v", err)
	}
	log, flush := telemetry.NewBufferedLogger(null, level)
	b.Cleanup(flush)
	began, epoch := time.Now(), g.Clock.Now()
	made, err := apiserver.API{
		Gates: g.Gates, Problems: respond.NewProblems(apitest.Origin), Metrics: g.Metrics, Log: log,
		Now: func() time.Time { return epoch.Add(time.Since(began)) }, Contracts: g.Contracts, Requests: requests,
		Routes: append(routes, internalRoute(http.MethodGet, "/internal/rfq/{rfqId}", g.serve)),
	}.Handler()
	if err != nil {
		b.Fatalf("Handler: %v", err)
	}
	return made
}

// serve handles the request behind the gate.
func (g *gatedServer) serve(c *gate.Call) error {
	if chi.URLParam(c.Request, "rfqId") == "" {
		return errors.New("the route has lost its parameter")
	}
	respond.Bytes(c.Writer, http.StatusOK, "application/json", g.body)
	return nil
}

// bare returns the same bytes for every request, including the request id.
func (g *gatedServer) bare(w http.ResponseWriter, _ *http.Request) {
	header := w.Header()
	for name, values := range g.header {
		header[name] = values
	}
	_, _ = w.Write(g.body)
}

// benchmarkLoopback lets each client use a number of connections in turn.
func benchmarkLoopback(b *testing.B, level slog.Level, connections int) {
	w := newGatedServer(b, level)
	bare := w.dial(b, serveBare(b, http.HandlerFunc(w.bare)), connections)
	gated := w.dial(b, serveGated(b, w.Handler), connections)
	compare(b, func() { bare.turn(b) }, func() { gated.turn(b) }).report(b)
}

// benchmarkHTTP2 sends the requests of all clients over one unencrypted connection.
func benchmarkHTTP2(b *testing.B, level slog.Level) {
	w := newGatedServer(b, level)
	turn := func(handler http.Handler) func() {
		server := serveBare(b, handler)
		var protocols http.Protocols
		protocols.SetUnencryptedHTTP2(true)
		transport := &http.Transport{Protocols: &protocols}
		b.Cleanup(transport.CloseIdleConnections)
		client := func() error {
			for range benchTurn {
				request := w.request.Clone(b.Context())
				request.RequestURI, request.URL.Scheme, request.URL.Host = "", "http", server.String()
				resp, err := transport.RoundTrip(request)
				if err != nil {
					return err
				}
				body, err := io.ReadAll(resp.Body)
				_ = resp.Body.Close() // reading reports errors
				if err != nil || resp.ProtoMajor != 2 || resp.StatusCode != http.StatusOK || len(body) != len(w.body) {
					return fmt.Errorf("answered %s %s, %d bytes, %w", resp.Proto, resp.Status, len(body), err)
				}
			}
			return nil
		}
		return func() { together(b, slices.Repeat([]func() error{client}, benchClients)) }
	}
	compare(b, turn(http.HandlerFunc(w.bare)), turn(w.Handler)).report(b)
}

// report reports the ratios of two servers and their costs.
func (c comparison) report(b *testing.B) {
	b.Helper()
	b.ReportMetric(median(c.ratios), "ratio")
	b.ReportMetric(float64(c.bare.processor)/float64(c.gated.processor), "cpu-ratio")
	c.reportCost(b)
}

// reportCost reports the CPU time of a request.
func (c comparison) reportCost(b *testing.B) {
	b.Helper()
	requests := float64(len(c.ratios) * benchClients * benchTurn)
	b.ReportMetric(float64(c.gated.processor-c.bare.processor)/requests, "adds-ns/req")
	b.ReportMetric(float64(c.bare.processor)/requests, "bare-ns/req")
}

func median(ratios []float64) float64 {
	slices.Sort(ratios)
	return ratios[len(ratios)/2]
}

// benchmarkHandlers calls the handlers with the request of one partner, or of each of some others.
func benchmarkHandlers(b *testing.B, level slog.Level, others int) {
	w := newGatedServer(b, level)
	requests := []*http.Request{w.request}
	for i, key := range w.AddCopies(b, "acme", others) {
		requests = append(requests[:i], w.request.Clone(b.Context()))
		requests[i].Header.Set("Authorization", "Bearer "+w.Key(key))
	}
	refused := 0
	turn := func(handler http.Handler) func() {
		next := 0
		return func() {
			for range benchClients * benchTurn {
				out := &sink{header: http.Header{}}
				handler.ServeHTTP(out, requests[next])
				next = (next + 1) % len(requests)
				if out.status != http.StatusOK {
					refused++
				}
			}
		}
	}
	compare(b, turn(http.HandlerFunc(w.bare)), turn(w.Handler)).reportCost(b)
	if refused > 0 {
		b.Errorf("%d requests were refused", refused)
	}
}

// sink discards a response.
type sink struct {
	header http.Header
	status int
}

func (s *sink) Header() http.Header    { return s.header }
func (s *sink) WriteHeader(status int) { s.status = status }
func (s *sink) Write(body []byte) (int, error) {
	s.status = cmp.Or(s.status, http.StatusOK)
	return len(body), nil
}

// comparison holds the cost of two servers for the same requests, and the ratio of
// their throughput in each turn.
type comparison struct {
	bare, gated cost
	ratios      []float64
}

// compare runs two servers in turns. Each server is first in half of the turns.
func compare(b *testing.B, bare, gated func()) comparison {
	b.Helper()
	bare()
	gated()
	var all comparison
	for b.Loop() {
		var one comparison
		if len(all.ratios)%2 == 0 {
			one.bare, one.gated = costOf(b, bare), costOf(b, gated)
		} else {
			one.gated, one.bare = costOf(b, gated), costOf(b, bare)
		}
		all.bare.add(one.bare)
		all.gated.add(one.gated)
		all.ratios = append(all.ratios, float64(one.bare.wall)/float64(one.gated.wall))
	}
	return all
}

// cost holds the elapsed time and the CPU time.
type cost struct{ wall, processor time.Duration }

func (c *cost) add(more cost) { c.wall, c.processor = c.wall+more.wall, c.processor+more.processor }

func costOf(b *testing.B, work func()) cost {
	b.Helper()
	began, before := time.Now(), programs.OwnCPUTime(b)
	work()
	return cost{time.Since(began), programs.OwnCPUTime(b) - before}
}

func benchSocket(b *testing.B) net.Listener {
	b.Helper()
	var config net.ListenConfig
	socket, err := config.Listen(b.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatalf("config.Listen: %v", err)
	}
	return socket
}

// serveBare runs a server with the timeouts of the product's server, and with HTTP/2.
func serveBare(b *testing.B, handler http.Handler) net.Addr {
	b.Helper()
	socket := benchSocket(b)
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	server := &http.Server{
		Protocols: &protocols,
		Handler:   handler, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: time.Minute, WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute,
	}
	var running sync.WaitGroup
	running.Go(func() { _ = server.Serve(socket) })
	b.Cleanup(func() {
		_ = server.Close()
		running.Wait()
	})
	return socket.Addr()
}

func serveGated(b *testing.B, handler http.Handler) net.Addr {
	b.Helper()
	socket := benchSocket(b)
	server := apiserver.NewServer(telemetry.Discard(), 0, 10*time.Second,
		apiserver.Listener{Name: "api", Socket: socket, Handler: handler, Problems: respond.NewProblems(apitest.Origin)})
	ctx, cancel := context.WithCancel(context.WithoutCancel(b.Context()))
	var running sync.WaitGroup
	running.Go(func() { _ = server.Run(ctx) })
	b.Cleanup(func() {
		cancel()
		running.Wait()
	})
	return socket.Addr()
}

// load holds minimal clients of one server. Each client sends the same bytes over its
// connections in turn, and reads as many bytes as the first response had.
type load struct {
	request []byte
	answer  int
	clients []func() error
	// before, unless it is nil, is called before each request.
	before func() error
}

func (g *gatedServer) dial(b *testing.B, server net.Addr, connections int) *load {
	b.Helper()
	var request bytes.Buffer
	if err := g.request.Write(&request); err != nil {
		b.Fatalf("g.request.Write: %v", err)
	}
	l := &load{request: request.Bytes()}
	for range benchClients {
		conns := make([]net.Conn, connections)
		for i := range conns {
			conn, err := new(net.Dialer).DialContext(b.Context(), "tcp", server.String())
			if err != nil {
				b.Fatalf("new().DialContext: %v", err)
			}
			b.Cleanup(func() { _ = conn.Close() })
			conns[i] = conn
		}
		l.answer = g.probe(b, conns[0], l.request)
		next := 0
		l.clients = append(l.clients, func() error {
			answer := make([]byte, l.answer)
			for range benchTurn {
				next = (next + 1) % len(conns)
				if l.before != nil {
					if err := l.before(); err != nil {
						return err
					}
				}
				if err := l.exchange(conns[next], answer); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return l
}

// probe makes one request and returns the length of the response.
func (g *gatedServer) probe(b *testing.B, conn net.Conn, request []byte) int {
	b.Helper()
	var text bytes.Buffer
	if _, err := conn.Write(request); err != nil {
		b.Fatalf("conn.Write: %v", err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(io.TeeReader(conn, &text)), g.request)
	if err != nil {
		b.Fatalf("http.ReadResponse: %v", err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK || !bytes.Equal(body, g.body) {
		b.Fatalf("answer %d, %v\n%s", resp.StatusCode, err, body)
	}
	return text.Len()
}

// turn lets each client send its requests sequentially.
func (l *load) turn(b *testing.B) {
	b.Helper()
	together(b, l.clients)
}

// together runs clients at the same time.
func together(b *testing.B, clients []func() error) {
	b.Helper()
	var all sync.WaitGroup
	for _, run := range clients {
		all.Go(func() {
			if err := run(); err != nil {
				b.Errorf("run: %v", err)
			}
		})
	}
	all.Wait()
	if b.Failed() {
		b.FailNow()
	}
}

// exchange makes one request and reads its response into answer.
func (l *load) exchange(conn net.Conn, answer []byte) error {
	if _, err := conn.Write(l.request); err != nil {
		return err
	}
	if _, err := io.ReadFull(conn, answer); err != nil {
		return err
	}
	if !bytes.HasPrefix(answer, []byte("HTTP/1.1 200 OK\r\n")) {
		return fmt.Errorf("answered %.200q", answer)
	}
	return nil
}
