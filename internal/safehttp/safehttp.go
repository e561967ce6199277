// SPDX-License-Identifier: Apache-2.0

// Package safehttp is an HTTP client for URLs of partners that cannot reach internal addresses.
//
// A partner's URL makes our servers open a connection, so it must not be able to select an
// internal address. The client checks the address that it actually dials, after name
// resolution and again for each redirect. A check of names, or of an earlier answer of a
// resolver, does not protect against names whose addresses change. The client also limits
// redirects, header and body sizes, and idle and total time. It uses no proxies from the
// environment, no cookies and no content decoding, and keeps connections only for a client
// with a single receiver. [Client.Fetch] gets files, [Client.Post] delivers messages.
package safehttp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"sync/atomic"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

// The errors of a request. Their texts contain no address, no header and no byte of a
// response, because the caller must not learn what is behind a URL.
var (
	// ErrRefused means that we will not go there: the scheme, port or address,
	// or the number or direction of redirects.
	ErrRefused = errors.New("the destination is refused")
	// ErrTimeout means that the server was too slow: it exceeded a time limit, or sent
	// the body more slowly than the minimum rate.
	ErrTimeout = errors.New("the server did not answer in time")
	// ErrTooLarge means that the body is over the limit.
	ErrTooLarge = errors.New("the file is too large")
	// ErrFailed is every other failure to get an answer: unknown host,
	// connection refused or reset, TLS.
	ErrFailed = errors.New("the connection failed")
	// ErrCertificate is the ErrFailed of a server whose certificate is not trusted, has
	// expired, is not valid yet or is for another name.
	ErrCertificate = fmt.Errorf("%w: the certificate of the server is not valid", ErrFailed)
)

// DefaultMaxBytes is the limit of a body if [Config.MaxBytes] is 0: 256 MiB.
const DefaultMaxBytes = 256 << 20

// StatusError means that the server answered, but not with 200.
type StatusError struct{ Status int }

func (e *StatusError) Error() string {
	return fmt.Sprintf("the server answered with status %d", e.Status)
}

// Config bounds a [Client]. Zero members take the documented default.
type Config struct {
	// Allow lists address ranges that are exempt: special-purpose addresses
	// in them may be dialled, at any port, and without TLS. Empty in
	// production; a test installation allows loopback.
	Allow []netip.Prefix
	// Resolver resolves names; nil means the system's. The check applies to the dialled
	// address and does not depend on the resolver.
	Resolver *net.Resolver
	// UserAgent is sent with each request.
	UserAgent string
	// MaxBytes bounds a body; 256 MiB.
	MaxBytes int64
	// MaxRedirects is 5.
	MaxRedirects int
	// Dial bounds connecting, and the TLS handshake again; 5 s.
	Dial time.Duration
	// Header bounds the wait for the answer to begin; 15 s.
	Header time.Duration
	// Idle bounds the wait for each next byte of the body; 15 s.
	Idle time.Duration
	// Total bounds a whole exchange, redirects included; 120 s.
	Total time.Duration
	// MinRate is the fewest bytes per second of a body that Fetch accepts, measured over
	// each RateWindow; 64 KiB. A negative MinRate accepts any rate.
	MinRate int64
	// RateWindow is 5 s. A body that ends within the first window may have any rate.
	RateWindow time.Duration
	// KeepAlive is how long an idle connection is kept for the next request; 0 means not
	// at all. Its address was checked when it was dialled. A client that keeps
	// connections must have a single receiver, so that connections are never shared
	// between receivers. Idle does not apply to a kept connection; Total does.
	KeepAlive time.Duration
}

func (c Config) withDefaults() Config {
	set := func(value *time.Duration, fallback time.Duration) {
		if *value == 0 {
			*value = fallback
		}
	}
	set(&c.Dial, 5*time.Second)
	set(&c.Header, 15*time.Second)
	set(&c.Idle, 15*time.Second)
	set(&c.Total, 120*time.Second)
	set(&c.RateWindow, 5*time.Second)
	if c.MaxBytes == 0 {
		c.MaxBytes = DefaultMaxBytes
	}
	if c.MaxRedirects == 0 {
		c.MaxRedirects = 5
	}
	if c.MinRate == 0 {
		c.MinRate = 64 << 10
	}
	return c
}

// Client fetches and posts. It is safe for concurrent use.
type Client struct {
	config Config
	ways   byScheme
	http   *http.Client
}

// New makes a client.
func New(config Config) *Client {
	c := &Client{config: config.withDefaults()}
	c.ways = byScheme{
		"https": c.transport(c.guard(ssrf.New(ssrf.WithPorts(443)))),
		// Without TLS only the exempt ranges are dialled.
		"http": c.transport(c.guard(nil)),
	}
	c.http = &http.Client{Transport: c.ways, CheckRedirect: c.checkRedirect, Timeout: c.config.Total}
	return c
}

// Close ends the connections that are kept and not in use.
func (c *Client) Close() {
	for _, way := range c.ways {
		way.CloseIdleConnections()
	}
}

// byScheme keeps the rules for the two schemes apart, redirects included.
type byScheme map[string]*http.Transport

func (b byScheme) RoundTrip(r *http.Request) (*http.Response, error) {
	transport, ok := b[r.URL.Scheme]
	if !ok {
		return nil, ErrRefused
	}
	return transport.RoundTrip(r)
}

// guard decides on the address of a socket that is about to connect. public is
// nil where only the exempt ranges are allowed.
func (c *Client) guard(public *ssrf.Guardian) func(network, address string, _ syscall.RawConn) error {
	return func(network, address string, raw syscall.RawConn) error {
		target, err := netip.ParseAddrPort(address)
		if err != nil {
			return ErrRefused
		}
		for _, exempt := range c.config.Allow {
			if exempt.Contains(target.Addr()) {
				return nil
			}
		}
		if public == nil || public.Safe(network, address, raw) != nil {
			return ErrRefused
		}
		return nil
	}
}

func (c *Client) transport(guard func(string, string, syscall.RawConn) error) *http.Transport {
	dialer := &net.Dialer{Timeout: c.config.Dial, Control: guard, Resolver: c.config.Resolver}
	return &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dialer.DialContext(ctx, network, address)
			if err != nil || c.config.KeepAlive > 0 {
				// A kept connection is read all the time, even when no response is
				// expected.
				return conn, err
			}
			return &impatientConn{Conn: conn, idle: c.config.Idle}, nil
		},
		Proxy:                  nil,
		DisableKeepAlives:      c.config.KeepAlive == 0,
		IdleConnTimeout:        c.config.KeepAlive,
		MaxIdleConnsPerHost:    keptMost,
		DisableCompression:     true,
		MaxResponseHeaderBytes: 32 << 10,
		TLSHandshakeTimeout:    c.config.Dial,
		ResponseHeaderTimeout:  c.config.Header,
	}
}

// keptMost is how many connections a client keeps while they are not in use.
const keptMost = 4

// impatientConn gives each read its own deadline, so that a server cannot keep
// a worker with a byte now and then for the whole total time.
type impatientConn struct {
	net.Conn
	idle time.Duration
}

func (c *impatientConn) Read(p []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(c.idle)); err != nil {
		return 0, err
	}
	return c.Conn.Read(p)
}

func (c *Client) checkRedirect(next *http.Request, before []*http.Request) error {
	if len(before) > c.config.MaxRedirects {
		return ErrRefused
	}
	if before[len(before)-1].URL.Scheme == "https" && next.URL.Scheme != "https" {
		return ErrRefused
	}
	next.Header.Del("Referer") // it would carry the signed query elsewhere
	return acceptable(next.URL)
}

func acceptable(u *url.URL) error {
	if u.User != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return ErrRefused
	}
	return nil
}

// Fetch gets a URL and copies the body of a 200 to dst. The error is one of the
// sentinels or a [StatusError], or ctx's own when that has ended.
func (c *Client) Fetch(ctx context.Context, address string, dst io.Writer) error {
	receiving, stop := context.WithCancel(ctx)
	defer stop()
	request, err := http.NewRequestWithContext(receiving, http.MethodGet, address, nil)
	if err != nil || acceptable(request.URL) != nil {
		return ErrRefused
	}
	request.Header.Set("User-Agent", c.config.UserAgent)
	request.Header.Set("Accept", "application/pdf, */*;q=0.5")
	response, err := c.http.Do(request)
	if err != nil {
		return classify(ctx, err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return &StatusError{Status: response.StatusCode}
	}
	if response.ContentLength > c.config.MaxBytes {
		return ErrTooLarge
	}
	return c.copy(ctx, stop, dst, response.Body)
}

// copy copies a body to dst. It calls stop to end a body that is slower than the minimum
// rate.
func (c *Client) copy(ctx context.Context, stop func(), dst io.Writer, body io.Reader) error {
	sink := &sink{to: dst}
	slow := c.watch(sink, stop)
	n, err := io.Copy(sink, io.LimitReader(body, c.config.MaxBytes+1))
	switch tooSlow := slow(); {
	case sink.err != nil:
		return fmt.Errorf("store fetched file: %w", sink.err)
	case err != nil && ctx.Err() == nil && tooSlow:
		return ErrTimeout
	case err != nil:
		return classify(ctx, err)
	case n > c.config.MaxBytes:
		return ErrTooLarge
	}
	return nil
}

// watch calls stop when fewer bytes than the minimum rate allows reach s within a window.
// The returned function ends the watch and reports whether it has called stop.
func (c *Client) watch(s *sink, stop func()) (end func() bool) {
	if c.config.MinRate < 0 {
		return func() bool { return false }
	}
	least := int64(float64(c.config.MinRate) * c.config.RateWindow.Seconds())
	done, slow := make(chan struct{}), make(chan bool)
	go func() {
		windows := time.NewTicker(c.config.RateWindow)
		defer windows.Stop()
		for before := int64(0); ; {
			select {
			case <-done:
				slow <- false
				return
			case <-windows.C:
			}
			now := s.received.Load()
			if now-before < least {
				stop()
				<-done
				slow <- true
				return
			}
			before = now
		}
	}()
	return func() bool { close(done); return <-slow }
}

// sink counts the bytes, and keeps the error of a failed write, which is not the
// server's fault.
type sink struct {
	to       io.Writer
	received atomic.Int64
	err      error
}

func (s *sink) Write(p []byte) (int, error) {
	n, err := s.to.Write(p)
	s.received.Add(int64(n))
	s.err = err
	return n, err
}

// classify drops the text of an error, which names addresses.
func classify(ctx context.Context, err error) error {
	var network net.Error
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, ErrRefused):
		return ErrRefused
	case errors.As(err, &network) && network.Timeout():
		return ErrTimeout
	case isCertificate(err):
		return ErrCertificate
	default:
		return ErrFailed
	}
}

func isCertificate(err error) bool {
	_, ok := errors.AsType[*tls.CertificateVerificationError](err)
	return ok
}
