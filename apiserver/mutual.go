// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// Mutual makes a listener on which every client has a certificate (mutual TLS).
//
// Who issued the certificate has no meaning: the handshake proves that the
// client holds its key and that it is within its time, and the gate asks whether
// the partner has pinned it. It is HTTP/1.1, as the API listener is.
type Mutual struct {
	Certificate *Certificate
	// Proxies may speak for clients.
	Proxies Proxies
	Log     *slog.Logger
	Now     func() time.Time
}

// Listen wraps a socket. Handshakes are made when a connection is first read, by
// whoever serves it.
func (m Mutual) Listen(socket net.Listener) net.Listener {
	return mutualListener{Listener: socket, mutual: m, config: &tls.Config{
		MinVersion:     tls.VersionTLS13,
		NextProtos:     []string{"http/1.1"},
		ClientAuth:     tls.RequireAnyClientCert,
		GetCertificate: m.Certificate.get,
		// Each connection proves the key anew.
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

// mutualConn hides from net/http that it is TLS, because what net/http writes by
// itself has to pass a problemConn in the clear. The state of the connection
// goes to the handler by [withMutual].
type mutualConn struct {
	*tls.Conn
	of    Mutual
	begun sync.Once
}

// Read makes the handshake before the first byte, under the read deadline that
// the server has set for the header of the first request.
func (c *mutualConn) Read(into []byte) (int, error) {
	c.begun.Do(func() {
		if err := c.HandshakeContext(context.Background()); err != nil {
			c.of.Log.Debug("handshake", "remote", c.RemoteAddr().String(), "error", err)
		}
	})
	return c.Conn.Read(into)
}

type mutualKey struct{}

// withMutual leads from a request to its connection, if that is mutual TLS.
func withMutual(ctx context.Context, conn net.Conn) context.Context {
	if outer, ok := conn.(*problemConn); ok {
		conn = outer.Conn
	}
	if mutual, ok := conn.(*mutualConn); ok {
		return context.WithValue(ctx, mutualKey{}, mutual)
	}
	return ctx
}

// showMutual gives requests the state of their connection, as net/http would, and
// those of a proxy the state of its client's.
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
