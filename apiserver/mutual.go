// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Mutual wraps listeners so that they require a client certificate (mutual TLS).
//
// The issuer of the certificate is irrelevant: the handshake proves that the client holds the
// key and that the certificate is valid now, and the gate checks that the partner has pinned
// it. The listener speaks HTTP/1.1, like the API listener.
type Mutual struct {
	Certificate *Certificate
	// Proxies lists the proxies that may forward the certificates of clients.
	Proxies Proxies
	// Failed is called with the reason of each failed handshake, of a closed set. It must
	// be safe for concurrent use.
	Failed func(reason string)
	Log    *slog.Logger
	Now    func() time.Time
}

// Listen wraps a socket. Handshakes happen at the first read of a connection, in the goroutine
// of the server.
func (m Mutual) Listen(socket net.Listener) net.Listener {
	return mutualListener{Listener: socket, mutual: m, config: &tls.Config{
		MinVersion:     tls.VersionTLS13,
		NextProtos:     []string{"http/1.1"},
		ClientAuth:     tls.RequireAnyClientCert,
		GetCertificate: m.Certificate.get,
		// Without session tickets, each connection must prove the key.
		SessionTicketsDisabled: true,
		VerifyConnection:       func(state tls.ConnectionState) error { return inItsTime(state.PeerCertificates, m.Now()) },
		Time:                   m.Now,
	}}
}

var errOutOfTime = errors.New("the client certificate is not valid at this time")

func inItsTime(chain []*x509.Certificate, now time.Time) error {
	if len(chain) == 0 || now.Before(chain[0].NotBefore) || now.After(chain[0].NotAfter) {
		return errOutOfTime
	}
	return nil
}

type mutualListener struct {
	net.Listener
	mutual Mutual
	config *tls.Config
}

// Accept wraps the connection.
func (l mutualListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &mutualConn{Conn: tls.Server(conn, l.config), of: l.mutual}, nil
}

// mutualConn hides TLS from net/http, because the responses that net/http writes by itself must
// pass a problemConn unencrypted. The handler gets the state of the connection from
// [withMutual].
type mutualConn struct {
	*tls.Conn
	of    Mutual
	begun sync.Once
}

// Read performs the handshake before the first byte, under the read deadline that the
// server has set for the header of the first request.
func (c *mutualConn) Read(into []byte) (int, error) {
	c.begun.Do(func() {
		if err := c.HandshakeContext(context.Background()); err != nil {
			reason := handshakeFailure(err)
			c.of.Log.Debug("handshake", "remote", c.RemoteAddr().String(), "reason", reason, "error", err)
			c.of.Failed(reason)
		}
	})
	return c.Conn.Read(into)
}

// handshakeFailure returns why a handshake failed, as a label of a metric. crypto/tls has no
// types for most of its errors.
func handshakeFailure(err error) string {
	text := err.Error()
	network, ofNetwork := errors.AsType[*net.OpError](err)
	// The library reports the alert of a client as an error of the network.
	alert := ofNetwork && network.Op == "remote error"
	_, noTLS := errors.AsType[tls.RecordHeaderError](err)
	switch {
	case errors.Is(err, errOutOfTime):
		return "certificate_expired"
	case strings.Contains(text, "didn't provide a certificate"):
		return "no_certificate"
	case alert && strings.Contains(text, "certificate"):
		return "server_certificate_rejected"
	case noTLS, alert && strings.Contains(text, "protocol version"), strings.Contains(text, "client offered only unsupported versions"),
		strings.Contains(text, "unsupported application protocols"):
		return "protocol"
	case ofNetwork && !alert, errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "aborted"
	default:
		return "other"
	}
}

type mutualKey struct{}

// withMutual stores the mutual TLS connection, if any, in the context of its requests.
func withMutual(ctx context.Context, conn net.Conn) context.Context {
	if outer, ok := conn.(*problemConn); ok {
		conn = outer.Conn
	}
	if mutual, ok := conn.(*mutualConn); ok {
		return context.WithValue(ctx, mutualKey{}, mutual)
	}
	return ctx
}

// showMutual sets the TLS state of requests, like net/http. For requests of a proxy it
// sets the state of the proxy's client.
func showMutual(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if conn, ok := r.Context().Value(mutualKey{}).(*mutualConn); ok {
			state := conn.ConnectionState()
			if err := conn.of.Proxies.lookThrough(&state, conn.RemoteAddr(), r.Header, conn.of.Now()); err != nil {
				conn.of.Log.Debug("a proxy's client has no certificate", "remote", conn.RemoteAddr().String(), "error", err)
			}
			r.TLS = &state
		}
		next.ServeHTTP(w, r)
	})
}
