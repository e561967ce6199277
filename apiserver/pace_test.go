// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/printmarket/printmarket/apiserver"
	"github.com/printmarket/printmarket/internal/telemetry"
)

// writing holds the end of a response and its time.
type writing struct {
	after time.Duration
	err   error
}

// write lets a server send a number of bytes to a client that read simulates, with a
// fake clock.
func write(t *testing.T, size int, read func(net.Conn)) writing {
	t.Helper()
	socket, ended := newPipes(), make(chan writing, 1)
	server := apiserver.NewServer(telemetry.Discard(), 0, time.Minute, apiserver.Listener{
		Name: "api", Socket: socket, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			began := time.Now()
			_, err := w.Write(make([]byte, size))
			ended <- writing{time.Since(began), err}
		}),
	})
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan error, 1)
	go func() { stopped <- server.Run(ctx) }()
	conn, err := socket.dial(ctx, "", "")
	if err != nil {
		t.Fatalf("socket.dial: %v", err)
	}
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatalf("io.WriteString: %v", err)
	}
	go read(conn)
	end := <-ended
	_ = conn.Close()
	stop()
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	return end
}

// sips returns a client that reads size bytes per interval until an error.
func sips(bytes int64, every time.Duration) func(net.Conn) {
	return func(conn net.Conn) {
		for {
			if _, err := io.CopyN(io.Discard, conn, bytes); err != nil {
				return
			}
			time.Sleep(every)
		}
	}
}

func TestSlowReaderIsDisconnected(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		size  int
		read  func(net.Conn)
		after time.Duration
		err   error
	}{
		"a client that reads nothing is disconnected":               {1 << 20, func(net.Conn) {}, 10 * time.Second, os.ErrDeadlineExceeded},
		"a client that stops in the middle is disconnected":         {1 << 20, func(conn net.Conn) { _, _ = io.CopyN(io.Discard, conn, 300<<10) }, 10 * time.Second, os.ErrDeadlineExceeded},
		"a slow client gets the complete response":                  {512 << 10, sips(16<<10, time.Second), 32 * time.Second, nil},
		"a client that is too slow is disconnected at the deadline": {4 << 20, sips(16<<10, time.Second), 60 * time.Second, os.ErrDeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				got := write(t, tc.size, tc.read)
				if got.after.Round(time.Second) != tc.after || !errors.Is(got.err, tc.err) {
					t.Errorf("the response ended after %s with %v, want %s and %v", got.after, got.err, tc.after, tc.err)
				}
			})
		})
	}
}
