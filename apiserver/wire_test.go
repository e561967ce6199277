// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"bufio"
	"context"
	"encoding/json"
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

// plain is a handler whose responses resemble those of net/http as much as possible.
func plain(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Connection", "close")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = io.WriteString(w, "mine\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n400 Bad Request")
}

// net/http rejects these bytes before a handler sees them.
func TestMalformedRequestsGetAProblem(t *testing.T) {
	t.Parallel()
	socket := listen(t)
	server := apiserver.NewServer(telemetry.Discard(), 0, time.Minute, apiserver.Listener{
		Name: "api", Socket: socket, Handler: http.HandlerFunc(plain), Problems: respond.NewProblems(apitest.Origin),
	})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- server.Run(ctx) }()
	tests := map[string]struct {
		text   string
		status int
		code   problem.Code
		// body is the complete body of a response that is not a problem.
		body string
	}{
		"invalid HTTP":             {"hello\r\n\r\n", 400, problem.CodeInvalidRequest, ""},
		"a line break in a header": {"GET / HTTP/1.1\r\nHost: x\r\nA b: c\r\n\r\n", 400, problem.CodeInvalidRequest, ""},
		"no host":                  {"GET / HTTP/1.1\r\n\r\n", 400, problem.CodeInvalidRequest, ""},
		"two content lengths":      {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx", 400, problem.CodeInvalidRequest, ""},
		"headers without an end":   {"GET / HTTP/1.1\r\nHost: x\r\nA: " + strings.Repeat("x", 300<<10) + "\r\n\r\n", 431, problem.CodeHeadersTooLarge, ""},
		"an unknown expectation":   {"GET / HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\n\r\n", 400, problem.CodeInvalidRequest, ""},
		"a response of a handler":  {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", 400, "", "mine\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n400 Bad Request"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			var dialer net.Dialer
			conn, err := dialer.DialContext(t.Context(), "tcp", socket.Addr().String())
			if err != nil {
				t.Fatalf("dialer.DialContext: %v", err)
			}
			defer func() { _ = conn.Close() }()
			go func() { _, _ = io.WriteString(conn, tc.text) }() // the server may close the connection early
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatalf("http.ReadResponse: %v", err)
			}
			body, err := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			if err != nil || resp.StatusCode != tc.status || !resp.Close {
				t.Fatalf("status %d, close %t, %v: %s", resp.StatusCode, resp.Close, err, body)
			}
			if tc.code == "" {
				if string(body) != tc.body {
					t.Errorf("the handler's response was changed to %q", body)
				}
				return
			}
			var got struct {
				Code      problem.Code
				RequestID string
			}
			if err := json.Unmarshal(body, &got); err != nil || got.Code != tc.code || resp.Header.Get("Content-Type") != "application/problem+json" {
				t.Errorf("%s of type %s, %v", body, resp.Header.Get("Content-Type"), err)
			}
			if got.RequestID == "" || got.RequestID != resp.Header.Get("X-Request-Id") || resp.Header.Get("Date") == "" {
				t.Errorf("request id %q, header %v", got.RequestID, resp.Header)
			}
			if resp.Header.Get("Cache-Control") != "private, no-store" || resp.Header.Get("Vary") != "X-API-Key, Authorization" {
				t.Errorf("the response lacks the privacy fields of the bridge: %v", resp.Header)
			}
		})
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("Run = %v", err)
	}
}
