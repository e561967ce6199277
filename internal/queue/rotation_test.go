// SPDX-License-Identifier: Apache-2.0

package queue_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/test/apitest"
	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/redistest"
)

// The user gets another password while requests run. The client renews its connections with
// the new password, and no request fails.
func TestRedisPasswordRotatesWithoutAFailedRequest(t *testing.T) {
	t.Parallel()
	server := redistest.Real(t)
	admin := server.Client(t)
	acl := func(rules ...any) {
		t.Helper()
		if err := admin.Do(t.Context(), append([]any{"ACL", "SETUSER", "rotating"}, rules...)...).Err(); err != nil {
			t.Fatalf("ACL SETUSER: %v", err)
		}
	}
	acl("on", "~*", "&*", "+@all", ">first")
	first, second := "redis://rotating:first@"+server.Addr+"/0?conn_max_lifetime=100ms", "redis://rotating:second@"+server.Addr+"/0?conn_max_lifetime=100ms"
	var file atomic.Pointer[string]
	file.Store(&first)
	client, err := queue.Connect(queue.Address{URL: first, Current: func() string { return *file.Load() }}, telemetry.Discard())
	if err != nil {
		t.Fatalf("queue.Connect: %v", err)
	}
	defer func() { _ = client.Close() }()

	ctx, stop := context.WithCancel(t.Context())
	var requests sync.WaitGroup
	var answers atomic.Int64
	enough := make(chan struct{}, 1)
	for range 3 {
		requests.Go(func() {
			for ctx.Err() == nil {
				if err := client.Incr(ctx, "requests").Err(); err != nil && ctx.Err() == nil {
					t.Errorf("request: %v", err)
				}
				if answers.Add(1)%100 == 0 {
					select {
					case enough <- struct{}{}:
					default:
					}
				}
			}
		})
	}
	<-enough
	acl(">second")
	file.Store(&second)
	acl("<first")
	last := connections(t, admin)
	eventually.Succeeds(t, func() error {
		if oldest := slices.Min(connections(t, admin)); oldest <= slices.Max(last) {
			return fmt.Errorf("connection %d of the first password is still open", oldest)
		}
		return nil
	})
	<-enough
	<-enough
	stop()
	requests.Wait()
	stale, err := queue.Connect(queue.Address{URL: first}, telemetry.Discard())
	if err != nil {
		t.Fatalf("queue.Connect: %v", err)
	}
	defer func() { _ = stale.Close() }()
	if err := stale.Ping(t.Context()).Err(); err == nil {
		t.Error("the previous password is still accepted, so the test proves nothing")
	}
}

// connections returns the ids of the open connections of the user, which Redis counts up.
func connections(t *testing.T, admin *redis.Client) (ids []int) {
	t.Helper()
	list, err := admin.ClientList(t.Context()).Result()
	if err != nil {
		t.Fatalf("CLIENT LIST: %v", err)
	}
	for line := range strings.Lines(list) {
		id, rest, _ := strings.Cut(strings.TrimPrefix(line, "id="), " ")
		if number, err := strconv.Atoi(id); err == nil && strings.Contains(rest, "user=rotating ") {
			ids = append(ids, number)
		}
	}
	if len(ids) == 0 {
		ids = []int{0}
	}
	return ids
}

// The server gets a certificate of another authority while a client uses it. The next connection
// verifies the server with the current authorities, also that to a sentinel.
func TestNewConnectionUsesTheCurrentAuthorities(t *testing.T) {
	t.Parallel()
	for name, query := range map[string]string{"a server": "", "a sentinel": "?master_name=printmarket"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			valid := func() apitest.Identity {
				return apitest.NewIdentity(t, time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
			}
			first, second := valid(), valid()
			var served atomic.Pointer[apitest.Identity]
			served.Store(&first)
			addr, handshakes := handshaking(t, func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return &served.Load().Certificate, nil })
			var trusted atomic.Pointer[apitest.Identity]
			trusted.Store(&first)
			client, err := queue.Connect(queue.Address{URL: "rediss://" + addr + "/0" + query, Authorities: func() *x509.CertPool {
				pool := x509.NewCertPool()
				pool.AddCert(trusted.Load().Leaf)
				return pool
			}}, telemetry.Discard())
			if err != nil {
				t.Fatalf("queue.Connect: %v", err)
			}
			defer func() { _ = client.Close() }()
			want := func(when string, success bool) {
				t.Helper()
				// Commands fail in any case: the server only shakes hands.
				_ = client.Ping(t.Context()).Err()
				if err := <-handshakes; (err == nil) != success {
					t.Errorf("%s: the handshake returned %v; want success: %t", when, err, success)
				}
				for len(handshakes) > 0 {
					<-handshakes
				}
			}
			want("with the authority of the start", true)
			served.Store(&second)
			want("with a certificate of another authority", false)
			trusted.Store(&second)
			want("with the current authority", true)
		})
	}
}

// handshaking starts a TLS server that closes each connection after the handshake, and returns
// the results of the handshakes.
func handshaking(t *testing.T, certificate func(*tls.ClientHelloInfo) (*tls.Certificate, error)) (addr string, results <-chan error) {
	t.Helper()
	socket, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: certificate})
	if err != nil {
		t.Fatalf("tls.Listen: %v", err)
	}
	t.Cleanup(func() { _ = socket.Close() })
	made := make(chan error, 100)
	go func() {
		for {
			conn, err := socket.Accept()
			if err != nil {
				return
			}
			made <- conn.(*tls.Conn).HandshakeContext(t.Context())
			_ = conn.Close()
		}
	}()
	return socket.Addr().String(), made
}
